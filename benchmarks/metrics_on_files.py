"""The proven semidefinite matrix beside learnt metrics, on the files they all learn from.

    python benchmarks/metrics_on_files.py            # six files, seeds 0 to 2
    python benchmarks/metrics_on_files.py --quick    # seed 0, M4-33 and M6-385

The Census file is looked for in ``--data-home``, or in the folder that the environment variable
SKLEARN_RECLINK_DATA names. 400 of its 1080 records are sampled by each seed and masked by MDAV on
the raw variables, as in the 2015 paper. ``psd`` is ``BilinearLinker(constraint="psd")``; the
metric learners and how far each may go are those of ``metric_rivals``. All see the same
standardised points and link by the nearest record, ties not counted.

A learnt metric is a semidefinite matrix too, so that it can link no more records than the proven
optimum. The exit code is 1 if one does, or if an optimum is not proven.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from exact import load_census
from metric_rivals import RIVALS, MetricLinker
from papers import FILES, N_RECORDS
from papers_tables import SIX_FILES
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import BilinearLinker, EuclideanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

QUICK_FILES = ("M4-33", "M6-385")


@dataclass(frozen=True)
class Row:
    """Records linked on one file, and the seconds of each fit."""

    file: str
    seed: int
    n_records: int
    euclidean: int
    psd: int
    is_proven: bool
    psd_seconds: float
    links: dict[str, int]
    seconds: dict[str, float]

    def lead(self, rival: str) -> int:
        """How many records the semidefinite optimum links beyond a rival."""
        return self.psd - self.links[rival]


def measure(
    file: str,
    seed: int,
    X: np.ndarray,
    Y: np.ndarray,
    rivals: Sequence[str],
    *,
    time_limit: float = 300.0,
    n_jobs: int = 1,
) -> Row:
    """Fit the optimum and every rival to one file."""
    linker = BilinearLinker(
        constraint="psd", time_limit=time_limit, n_jobs=n_jobs, random_state=seed
    )
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says it
        linker.fit(X, Y)
    psd_seconds = time.perf_counter() - begin
    links, seconds = {}, {}
    for rival in rivals:
        begin = time.perf_counter()
        metric = MetricLinker(rival, seed).fit(X, Y)
        seconds[rival] = time.perf_counter() - begin
        links[rival] = round(metric.score(X, Y) * len(X))
    return Row(
        file=file,
        seed=seed,
        n_records=len(X),
        euclidean=int(EuclideanLinker().fit(X, Y).n_linked_),
        psd=int(linker.n_linked_),
        is_proven=linker.status_ == "optimal",
        psd_seconds=psd_seconds,
        links=links,
        seconds=seconds,
    )


def line(cells: Sequence[object], widths: Sequence[int]) -> str:
    texts = (f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(texts)} |"


def titles(rivals: Sequence[str]) -> list[str]:
    theirs = [title for rival in rivals for title in (f"{rival:>5}", "s", "lead")]
    return ["  file", "seed", "d2AM", " psd", "   s", *theirs]


def widths(rivals: Sequence[str]) -> list[int]:
    return [max(4, len(title)) for title in titles(rivals)]


def cells(row: Row) -> list[str]:
    """One row of the table; an optimum that is not proven has a question mark."""
    texts = [row.file, str(row.seed), str(row.euclidean)]
    texts += [f"{row.psd}{'' if row.is_proven else '?'}", f"{row.psd_seconds:.1f}"]
    for rival, n_linked in row.links.items():
        texts += [str(n_linked), f"{row.seconds[rival]:.1f}", f"{row.lead(rival):+d}"]
    return texts


def verdict(rows: Sequence[Row]) -> tuple[list[str], int]:
    """By how much the optimum is ahead of each rival, what fails, and the exit code."""
    lines, failures = [], []
    for rival in rows[0].links:
        leads = np.array([row.lead(rival) for row in rows])
        points = np.mean([100 * row.lead(rival) / row.n_records for row in rows])
        lines.append(
            f"psd over {rival}: {leads.mean():+.1f} records on average, {points:+.2f} points, "
            f"from {leads.min():+d} to {leads.max():+d}; ahead on {np.sum(leads > 0)} of "
            f"{len(rows)}, level on {np.sum(leads == 0)}"
        )
        failures += [
            f"LAW BROKEN: {rival} links {row.links[rival]} on {row.file}, seed {row.seed}, "
            f"the optimum {row.psd}"
            for row in rows
            if row.lead(rival) < 0
        ]
    failures += [
        f"NOT PROVEN: psd on {row.file}, seed {row.seed}" for row in rows if not row.is_proven
    ]
    holds = "No metric links more than the proven semidefinite optimum: the law holds."
    return [*lines, *(failures or [holds])], int(bool(failures))


def warm_up(rivals: Sequence[str]) -> None:
    """Compile or load what the fits need, on a small file."""
    X = make_microdata(40, 3, random_state=0)
    Y = Microaggregation(groups=[[0, 1], [2]], k=3).fit_transform(X)
    measure("warm-up", 0, X, Y, rivals, time_limit=60.0)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The semidefinite optimum and learnt metrics.")
    parser.add_argument("--quick", action="store_true", help="seed 0, two files")
    parser.add_argument("--seeds", type=int, nargs="+", help="samples of 400 records")
    parser.add_argument("--files", nargs="+", choices=FILES)
    parser.add_argument("--rivals", nargs="+", choices=RIVALS, default=list(RIVALS))
    parser.add_argument("--time-limit", type=float, default=300.0, help="of a proof, seconds")
    parser.add_argument("--n-jobs", type=int, default=1, help="workers of a proof")
    parser.add_argument("--data-home", help="the folder of casc_census.csv")
    options = parser.parse_args(arguments)
    if options.seeds is None:
        options.seeds = [0] if options.quick else [0, 1, 2]
    if options.files is None:
        options.files = list(QUICK_FILES if options.quick else SIX_FILES)
    return options


def main() -> int:
    options = parse()
    census = load_census(options.data_home)
    begin = time.perf_counter()
    warm_up(options.rivals)
    layout = widths(options.rivals)
    print(f"Records linked of {N_RECORDS}, seconds of the fit; lead: of psd, in records.\n")
    print(line(titles(options.rivals), layout))
    print(line(["-" * (width - 1) + ":" for width in layout], layout), flush=True)
    rows = []
    for file in options.files:
        for seed in options.seeds:
            X, Y = FILES[file].draw(census, seed)
            rows.append(
                measure(
                    file,
                    seed,
                    X,
                    Y,
                    options.rivals,
                    time_limit=options.time_limit,
                    n_jobs=options.n_jobs,
                )
            )
            print(line(cells(rows[-1]), layout), flush=True)
    lines, code = verdict(rows)
    print("", *lines, f"{time.perf_counter() - begin:.0f} s in all", sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
