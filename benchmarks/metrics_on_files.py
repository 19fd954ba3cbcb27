"""The proven semidefinite matrix beside learned metrics, on the files they all learn from.

    python benchmarks/metrics_on_files.py            # six files, seeds 0 to 2
    python benchmarks/metrics_on_files.py --quick    # seed 0, M4-33 and M6-385

Each seed samples 400 of the 1080 Census records (see `papers`), masked by MDAV on the raw variables
as in the 2015 paper. ``psd`` is ``BilinearLinker(constraint="psd")``; `metric_rivals` has the
metric learners and their options. All see the same standardised points and link the nearest record;
ties are not counted.

A learned metric is a semidefinite matrix too, so it cannot link more records than the proven
optimum. The exit code is 1 if one does, or if an optimum is not proven.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from fitting import seconds_of_fit, warm_up_files
from installed import installed
from markdown_table import Table
from metric_rivals import PACKAGES, RIVALS, MetricLinker
from papers import FILES, N_RECORDS, census_parser, load_census, set_defaults
from papers_tables import SIX_FILES

from sklearn_reclink import BilinearLinker, EuclideanLinker

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
    psd_seconds = seconds_of_fit(linker, X, Y)
    links, seconds = {}, {}
    for rival in rivals:
        metric = MetricLinker(rival, seed)
        seconds[rival] = seconds_of_fit(metric, X, Y)
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


def titles(rivals: Sequence[str]) -> list[str]:
    theirs = [title for rival in rivals for title in (f"{rival:>5}", "s", "lead")]
    return ["  file", "seed", "d2AM", " psd", "   s", *theirs]


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


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = census_parser(
        "The semidefinite optimum and learned metrics.", quick="seed 0, two files"
    )
    parser.add_argument("--rivals", nargs="+", choices=RIVALS, default=list(RIVALS))
    parser.add_argument("--time-limit", type=float, default=300.0, help="of a proof, seconds")
    parser.add_argument("--n-jobs", type=int, default=1, help="workers of a proof")
    options = parser.parse_args(arguments)
    return set_defaults(options, n_seeds=3, files=SIX_FILES, quick_files=QUICK_FILES)


def main() -> int:
    options = parse()
    census = load_census(options.data_home)
    begin = time.perf_counter()
    rivals = installed(options.rivals, PACKAGES)
    measure("warm-up", 0, *warm_up_files(), [], time_limit=60.0)
    measure("warm-up", 0, *warm_up_files(40), rivals, time_limit=60.0)
    print(f"Records linked of {N_RECORDS}, seconds of the fit; lead: of psd, in records.\n")
    table = Table((title, 4) for title in titles(rivals))
    table.header()
    limits = {"time_limit": options.time_limit, "n_jobs": options.n_jobs}
    rows = []
    for file in options.files:
        for seed in options.seeds:
            X, Y = FILES[file].draw(census, seed)
            rows.append(measure(file, seed, X, Y, rivals, **limits))
            table.row(cells(rows[-1]))
    lines, code = verdict(rows)
    print("", *lines, f"{time.perf_counter() - begin:.0f} s in all", sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
