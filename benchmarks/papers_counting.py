"""The papers' counting of links, for the reproduction of their tables only.

*Ties go to the lowest row.* The papers link each original record to its nearest masked record, and
among tied masked rows the first wins, as in R's ``which.min``. Everywhere else in this project a
tie is no re-identification. So counted, the microaggregation rows of Table 2 of the 2012 heuristic
paper, which are not random, are reproduced: see `row_of_table_2`.

*Learning.* Of equal masked rows only the first can be counted, and it competes with the other
distinct rows. So the count is the strict one of the first record of each distinct masked row within
the distinct rows, and the largest is found by the same linkers: standardise both files, keep
those records, fit, and divide by the number of all records.

*M7-999* is best explained as the first seven columns of Mic3-9: standardised MDAV with k = 9 on
the whole file in groups of three variables, then 400 records sampled. This contradicts the paper's
words (k = 3, a single variable), and it was chosen among some 45 readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fitting import seconds_of_fit
from markdown_table import Table
from maskings import MASKINGS, N_LINKED, N_TRAIN
from papers import FILES, MaskedFile
from papers_tables import PERCENT
from sklearn.base import clone

from sklearn_reclink.metrics import reidentification_rate

LEARNED = ("d2WM", "d2CI")
# Maskings of Table 2 without randomness, in which equal masked rows abound
MICROAGGREGATED = ("Mic3-9", "Mic3-5", "Mic3-8", "Mic4-4", "Mic4-8", "Mic4-5", "MicMull-3")
M7_999 = MaskedFile(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8]], [9, 9, 9], n_released=7, standardize=True, whole_file=True
)


def standardised(file: np.ndarray) -> np.ndarray:
    """Each column with mean 0 and sample standard deviation 1."""
    return np.asarray((file - file.mean(axis=0)) / file.std(axis=0, ddof=1))


def papers_count(linker: Any, X: np.ndarray, Y: np.ndarray) -> int:
    """Records linked by a fitted linker if the lowest of tied rows wins."""
    return round(reidentification_rate(linker.link(X, Y).links) * len(X))


def first_of_each(Y: np.ndarray) -> np.ndarray:
    """The first row of each distinct masked record, ascending."""
    return np.sort(np.unique(Y, axis=0, return_index=True)[1])


def learned_count(linker: Any, X: np.ndarray, Y: np.ndarray) -> tuple[int, bool]:
    """The largest count of a learned linker in the papers' counting, and whether it is proven."""
    X, Y = standardised(X), standardised(Y)
    rows = first_of_each(Y)
    learned = clone(linker).set_params(standardize=None)
    seconds_of_fit(learned, X[rows], Y[rows])
    return int(learned.n_linked_), learned.status_ == "optimal"


def papers_split(census: np.ndarray, masking: str) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """The training and test records of Table 2: rows 1 to 200 and the other 880.

    All variables are masked and the first five kept; each file is standardised over all rows.
    """
    mask, _ = MASKINGS[masking]
    X, Y = standardised(census[:, :N_LINKED]), standardised(mask(census, 0)[:, :N_LINKED])
    return (X[:N_TRAIN], Y[:N_TRAIN]), (X[N_TRAIN:], Y[N_TRAIN:])


@dataclass(frozen=True)
class Row:
    """Per cent linked on train and test: the paper's, in its counting, and strictly."""

    masking: str
    paper: tuple[float | None, float | None]
    counted: tuple[float, float]
    strict: tuple[float, float]

    def records_off(self, n_records: int) -> list[int]:
        """How many records the paper's counting is off, on train and test."""
        sizes = (N_TRAIN, n_records - N_TRAIN)
        return [
            round((ours - theirs) * size / 100)
            for ours, theirs, size in zip(self.counted, self.paper, sizes, strict=True)
            if theirs is not None
        ]


def row_of_table_2(census: np.ndarray, masking: str, linker: Any, name: str = "d2AM") -> Row:
    """One row of Table 2: d2AM, which learns nothing, or d2CI, learned in the paper's counting."""
    paper = MASKINGS[masking][1]
    train, test = papers_split(census, masking)
    found = clone(linker).set_params(standardize=None)
    rows = first_of_each(train[1]) if name == "d2CI" else np.arange(N_TRAIN)
    seconds_of_fit(found, train[0][rows], train[1][rows])
    counted = [100 * papers_count(found, *part) / len(part[0]) for part in (train, test)]
    strict = [100 * found.score(*part) for part in (train, test)]
    theirs = {
        "d2AM": (paper.d2am_train, paper.d2am_test),
        "d2CI": (paper.d2ci_train, paper.d2ci_test),
    }[name]
    return Row(masking, theirs, (counted[0], counted[1]), (strict[0], strict[1]))


def print_table_2(census: np.ndarray, maskings: Sequence[str], linkers: Mapping[str, Any]) -> None:
    """Table 2 in the paper's counting and strictly, on its own split."""
    print(
        "\nTable 2 in the paper's counting, where the lowest of tied rows wins, and strictly; its "
        "own split:\nrows 1 to 200 to train, the other 880 to test. Paper / its counting / strict, "
        "per cent. Only the\nmicroaggregation rows are not random.\n"
    )
    titles = [f"{name} {part}" for name in linkers for part in ("train", "test")]
    table = Table([("masking", 11), *((title, 22) for title in titles)])
    table.header()
    for masking in maskings:
        cells = []
        for name, linker in linkers.items():
            row = row_of_table_2(census, masking, linker, name)
            cells += map(_beside, row.paper, row.counted, row.strict)
        table.row([masking, *cells])


def print_percentages_of_papers(
    census: np.ndarray, files: Sequence[str], seeds: Sequence[int], linkers: Mapping[str, Any]
) -> None:
    """The rates of the seven files in the papers' counting and strictly, mean over the seeds."""
    print(
        "\nRe-identified records in the papers' counting, where the lowest of tied rows wins, and "
        "strictly:\npapers / their counting / strict, per cent, mean of the seeds (* not proven), "
        "learned in each\ncounting. M7-999 as columns 1 to 7 of Mic3-9, which contradicts "
        "the paper's words; learned on the\nfirst seed only.\n"
    )
    drawn = {file: M7_999 if file == "M7-999" else FILES[file] for file in files}
    table = Table([("", 5), *((file, 24) for file in files)])
    table.header()
    for name, linker in linkers.items():
        cells = []
        for file, masked in drawn.items():
            few = seeds[:1] if file == "M7-999" and name in LEARNED else seeds
            found = [_rates(linker, *masked.draw(census, seed)) for seed in few]
            counted, strict, proven = zip(*found, strict=True)
            cells.append(
                _beside(PERCENT.get(name, {}).get(file), np.mean(counted), np.mean(strict))
                + "*" * (not all(proven))
            )
        table.row([name, *cells])


def _rates(linker: Any, X: np.ndarray, Y: np.ndarray) -> tuple[float, float, bool]:
    """In the papers' counting, strictly, and whether both are proven if learned."""
    found = clone(linker)
    seconds_of_fit(found, X, Y)
    strict = 100 * found.score(X, Y)
    if found.status_ == "fixed":
        return 100 * papers_count(found, X, Y) / len(X), strict, True
    counted, proven = learned_count(linker, X, Y)
    return 100 * counted / len(X), strict, proven and found.status_ == "optimal"


def _beside(paper: float | None, counted: float, strict: float) -> str:
    return f"{'-' if paper is None else format(paper, '.2f')} / {counted:.2f} / {strict:.2f}"
