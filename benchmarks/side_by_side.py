"""The sections of ``tables.py``: each prints one table of the papers beside ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import papers_tables as theirs
from markdown_table import Table
from papers import papers_seconds

from sklearn_reclink import EuclideanLinker, ProbabilisticLinker
from sklearn_reclink.metrics import (
    average_record_linkage,
    domingo_ferrer_torra_score,
    interval_disclosure,
    linkage_loss_score,
    matrix_mean_square_difference,
    probabilistic_information_loss,
)

# what a linker says if no better one of its family exists, or if it learns nothing
CLOSED = ("optimal", "projected", "fixed")
LEARNED = ("d2WM", "d2WM_m", "d2CI", "d2CI_m", "d2SB_NC", "d2SB", "HRLA")


@dataclass(frozen=True)
class Fit:
    """A linker fitted to one file of one seed."""

    linker: Any
    percent: float
    seconds: float

    @property
    def open(self) -> bool:
        """Whether a better linker of its family might exist."""
        return getattr(self.linker, "status_", "optimal") not in CLOSED


Fits = Mapping[tuple[str, str], list[Fit]]
Pair = tuple[np.ndarray, np.ndarray]


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table in Markdown whose columns are as wide as needed."""
    lines = [list(row) for row in rows]
    widths = [max(map(len, texts)) for texts in zip(header, *lines, strict=True)]
    print(f"\n{title}\n")
    table = Table(zip(header, widths, strict=True))
    table.header()
    for line in lines:
        table.row(line)


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Mean and standard deviation over the seeds."""
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def beside(papers: float | None, ours: str, digits: int = 2) -> str:
    """Theirs / ours."""
    return f"{'-' if papers is None else format(papers, f'.{digits}f')} / {ours}"


def print_percentages(fits: Fits, files: Sequence[str], names: Iterable[str]) -> None:
    rows = [
        [
            name,
            *(
                beside(
                    theirs.PERCENT.get(name, {}).get(file),
                    spread([found.percent for found in fits[file, name]])
                    + "*" * any(found.open for found in fits[file, name]),
                )
                for file in files
            ),
        ]
        for name in names
    ]
    print_table(
        "Re-identified records, percent: papers / ours, mean ± sd over the seeds (* not proven).\n"
        "Table 6 of 2015; Table 1 of 2011 and 2012 (Choquet); Table 2 of 2011 (overview); Table 1 "
        "of 2012 (heuristic).\nPRL is not in the papers' tables, and counts only links that "
        "every optimal assignment has.",
        ["", *files],
        rows,
    )


def print_seconds(fits: Fits, files: Sequence[str], names: Collection[str]) -> None:
    def papers(name: str, file: str) -> str:
        if name == "HRLA":
            return f"{theirs.HRLA_SECONDS.get(file, '-')}"
        return str(papers_seconds(name, file)) or "-"

    rows = [
        [
            name,
            *(
                f"{papers(name, file)}; {spread([found.seconds for found in fits[file, name]])}"
                for file in files
            ),
        ]
        for name in LEARNED
        if name in names
    ]
    print_table(
        "Seconds: papers on 16 cores (2015 / 2012, if there are two); ours on n_jobs=2, fit and "
        "score, mean ± sd.\nTable 7 of 2015, Table 2 of 2012 (Choquet), Table 1 of 2012 "
        "(heuristic).",
        ["", *files],
        rows,
    )


def print_scores(pairs: Mapping[str, list[Pair]], files: Sequence[str]) -> None:
    rows = []
    for file in files:
        found = defaultdict(list)
        for X, Y in pairs[file]:
            linkage = [
                average_record_linkage(linker, X, Y)
                for linker in (EuclideanLinker(), ProbabilisticLinker(random_state=0))
            ]
            loss, disclosure = probabilistic_information_loss(X, Y), interval_disclosure(X, Y)
            average = float(np.mean(linkage))
            found["AvRL"].append(100 * average)
            found["PIL"].append(100 * loss)
            found["score"].append(100 * linkage_loss_score(average, loss))
            found["ID"].append(100 * disclosure)
            found["Domingo-Ferrer-Torra"].append(
                100
                * domingo_ferrer_torra_score(
                    information_loss=loss,
                    distance_linkage=linkage[0],
                    probabilistic_linkage=linkage[1],
                    interval_disclosure=disclosure,
                )
            )
        papers = {
            "AvRL": theirs.AVERAGE_LINKAGE,
            "PIL": theirs.PROBABILISTIC_LOSS,
            "score": theirs.SCORE,
        }
        rows.append(
            [file, *(beside(papers.get(k, {}).get(file), spread(v)) for k, v in found.items())]
        )
    print_table(
        "Scores, percent: papers / ours. Table 5 of 2015. AvRL: d2AM and PRL, averaged over the "
        "variables an intruder may know;\nthe paper took its own from a web page and does not "
        "define it. ID: interval disclosure by ranks.",
        ["", "AvRL", "PIL", "score", "ID", "Domingo-Ferrer-Torra"],
        rows,
    )


def matrix_differences(fits: Fits, pairs: Mapping[str, list[Pair]], file: str) -> np.ndarray:
    """Covariance against the inverse of the learned matrix, plain and normalised, by seed."""
    found = []
    for seed, (X, Y) in enumerate(pairs[file]):
        matrix = fits[file, "d2SB_NC"][seed].linker.matrix_
        if np.linalg.eigvalsh(matrix)[0] <= 0:
            matrix = fits[file, "d2SB_PD"][seed].linker.matrix_
        scales = fits[file, "d2SB_NC"][seed].linker.scales_
        covariance = np.cov(scales.original(X) - scales.masked(Y), rowvar=False)
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            found.append([np.inf, np.nan])
            continue
        inverse = (inverse + inverse.T) / 2
        found.append(
            [
                matrix_mean_square_difference(covariance, inverse, normalize=normalize)
                for normalize in (False, True)
            ]
        )
    return np.array(found)


def print_matrices(fits: Fits, pairs: Mapping[str, list[Pair]], files: Sequence[str]) -> None:
    rows = []
    for file in files:
        plain, normalised = matrix_differences(fits, pairs, file).T
        rows.append(
            [
                file,
                f"{theirs.MATRIX_DIFFERENCE[file]:.4g}",
                f"{np.median(plain):.4g}",
                f"{plain.min():.3g} .. {plain.max():.3g}",
                f"{np.nanmedian(normalised):.3f}",
            ]
        )
    print_table(
        "Mean square difference of the covariance of d2MD and the inverse of the matrix of d2SB_NC "
        "(d2SB_PD if that\nis not positive definite), on standardised differences. Table 8 of "
        "2015. A learned matrix has no scale of its own:\nthe last column has both divided by "
        "their Frobenius norms.",
        ["", "papers", "ours, median", "range", "normalised"],
        rows,
    )


def print_parameters(fits: Fits, files: Sequence[str]) -> None:
    """The tables of weights and capacities: papers, mean over the seeds, range."""

    def row(name: str, papers: float, ours: np.ndarray) -> list[str]:
        ranged = f"{ours.min():.3f} .. {ours.max():.3f}"
        return [name, f"{papers:.4f}", f"{ours.mean():.4f}", ranged]

    header = ["", "papers", "ours, mean", "range"]
    if "M6-853" in files:
        ours = np.array([found.linker.weights_ for found in fits["M6-853", "d2WM"]])
        print_table(
            "Weights of d2WM on M6-853. Table 5 of 2012 (Choquet).",
            header,
            [row(f"V{k + 1}", w, ours[:, k]) for k, w in enumerate(theirs.WEIGHTS_M6_853)],
        )
    for number, (file, papers) in zip((3, 4), theirs.CAPACITIES.items(), strict=True):
        if file not in files:
            continue
        ours = np.array([found.linker.capacity_ for found in fits[file, "d2CI"]])
        print_table(
            f"Capacity of d2CI on {file}; the first digit is V1. Table {number} of 2012 (Choquet).",
            header,
            # bit k of an index is variable k
            [row(digits, mu, ours[:, int(digits[::-1], 2)]) for digits, mu in papers.items()],
        )


def print_census(census: np.ndarray) -> None:
    rows = [
        [f"V{k + 1}", f"{mean:.3f} / {column.mean():.3f}", f"{sd:.3f} / {column.std(ddof=1):.3f}"]
        for k, (mean, sd, column) in enumerate(
            zip(theirs.MEANS, theirs.DEVIATIONS, census.T, strict=False)
        )
    ]
    print_table("The Census: papers / ours. Table 4 of 2015.", ["", "mean", "sd"], rows)
