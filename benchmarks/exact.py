"""Every learner of the papers on every file of their tables: links, proofs, seconds.

    python benchmarks/exact.py                    # three seeds, HiGHS and SCIP as rivals: hours
    python benchmarks/exact.py --rivals           # three seeds, no rivals: some minutes
    python benchmarks/exact.py --quick            # one seed, three files, no rivals

Each seed samples 400 of the 1080 Census records (see `papers`), masked by MDAV on raw variables.

One table with a row for each seed, file and variant: the records linked (recounted), the proven
bound, the status, the seconds of ``fit`` (without compilation: another fit comes first), the
papers' seconds on 16 cores, and how many times faster ours is. Each rival adds the links it claims,
the links that its parameters make when recounted, its seconds and how many times slower it is.

The exit code is 1 if a cell is not proven, a law fails (``score * N == n_linked_ == bound_``;
WM <= CI; WM <= psd <= d2SB <= d2SB_NC; WM_m = WM; CI_m <= CI) or a rival links more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from checks import RIVAL_FACTOR, Cell, footer, verdict
from fitting import seconds_of_fit, warm_up_files
from installed import installed
from markdown_table import Table
from papers import FILES, N_RECORDS, census_parser, load_census, set_defaults
from rivals import RivalResult, has_program, run_rivals
from sklearn.base import clone

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker

VARIANTS: dict[str, Any] = {
    "d2WM": WeightedMeanLinker(),
    "d2WM_m": WeightedMeanLinker(constraint="positive"),
    "OWA": OWALinker(),
    "d2CI": ChoquetLinker(),
    "d2CI_m": ChoquetLinker(constraint="submodular"),
    "d2SB_NC": BilinearLinker(constraint="free"),
    "d2SB": BilinearLinker(constraint="nonnegative"),
    "psd": BilinearLinker(constraint="psd"),
}
RIVALS = {"highs": (), "scip": ("pyscipopt",)}  # and the packages that they need
QUICK_FILES = ("M4-33", "M4-28", "M6-385")

LEAST_RIVAL_LIMIT, MOST_RIVAL_LIMIT = 5.0, 600.0


def fit_cell(
    seed: int, file: str, variant: str, X: np.ndarray, Y: np.ndarray, time_limit: float
) -> tuple[Cell, Any]:
    """Fit one variant, and recount with the distances of `score`."""
    linker = clone(VARIANTS[variant]).set_params(n_jobs=2, random_state=0, time_limit=time_limit)
    seconds = seconds_of_fit(linker, X, Y)
    scored = round(linker.score(X, Y) * len(X), 9)
    cell = Cell(
        seed, file, variant, linker.n_linked_, scored, linker.bound_, linker.status_, seconds
    )
    return cell, linker


def warm_up(variants: Iterable[str]) -> float:
    """Compile or load what the variants need; the seconds that took."""
    begin = time.perf_counter()
    for variant in variants:
        fit_cell(0, "warm-up", variant, *warm_up_files(), 60.0)
    return time.perf_counter() - begin


def rival_limit(wanted: str, ours: float) -> float:
    """Seconds a rival may take: as asked, or ten times ours, from 5 to 600."""
    if wanted != "auto":
        return float(wanted)
    return min(max(RIVAL_FACTOR * ours, LEAST_RIVAL_LIMIT), MOST_RIVAL_LIMIT)


def run(options: argparse.Namespace, census: np.ndarray, folder: Path) -> Iterator[Cell]:
    """The cells of the table, one after the other, until the budget is used up."""
    begin = time.monotonic()
    for seed in options.seeds:
        for file in options.files:
            X, Y = FILES[file].draw(census, seed)
            for variant in options.variants:
                if time.monotonic() - begin > options.budget:
                    return
                cell, linker = fit_cell(seed, file, variant, X, Y, options.time_limit)
                if options.rivals and has_program(variant):
                    limit = rival_limit(options.rival_limit, cell.seconds)
                    cell.rivals.update(
                        run_rivals(options.rivals, linker, X, Y, limit=limit, folder=folder)
                    )
                yield cell


COLUMNS = (
    ("seed", 4),
    ("file", 6),
    ("variant", 7),
    ("linked", 6),
    ("bound", 5),
    ("status", 10),
    ("seconds", 7),
    ("papers s, 2015 / 2012", 20),
    ("ratio", 8),
)
RIVAL_COLUMNS = (("claims", 6), ("links", 5), ("seconds", 8), ("ratio", 7))


def table_for(rivals: Iterable[str]) -> Table:
    theirs = [(f"{rival} {title}", width) for rival in rivals for title, width in RIVAL_COLUMNS]
    return Table([*COLUMNS, *theirs])


def row(cell: Cell, rivals: Iterable[str]) -> list[str]:
    """One row of the table, as text."""
    their = cell.papers.given
    texts = [
        str(cell.seed),
        cell.file,
        cell.variant,
        str(cell.n_linked),
        str(cell.bound),
        cell.status,
        f"{cell.seconds:.2f}",
        str(cell.papers),
        "" if their is None else f"{their / cell.seconds:.0f}",
    ]
    for rival in rivals:
        texts += rival_texts(cell.rivals.get(rival), cell.seconds)
    return texts


def rival_texts(result: RivalResult | None, ours: float) -> list[str]:
    if result is None:
        return [""] * len(RIVAL_COLUMNS)
    claimed = "-" if result.claimed is None else str(result.claimed)
    recounted = "-" if result.recounted is None else str(result.recounted)
    if result.optimal:
        return [claimed, recounted, f"{result.seconds:.2f}", f"{result.seconds / ours:.1f}"]
    return [claimed, recounted, f">{result.limit:.1f}", f">{result.limit / ours:.1f}"]


def header(options: argparse.Namespace, compilation: float) -> str:
    lines = [
        f"{N_RECORDS} records of the Census, raw MDAV, n_jobs=2; compilation and warm-up, not "
        f"counted: {compilation:.1f} s.",
        "ratio: the papers' seconds (2015, otherwise 2012; CPLEX on 16 cores) over ours.",
    ]
    if options.rivals:
        lines += [
            "Rivals solve the papers' program as written; claims: their objective; links: a "
            "recount; seconds: the solve alone; ratio: over ours.",
            f"Their limit: {options.rival_limit}"
            + (
                ", ten times our own seconds, from 5 to 600: a rival not done by then is at least "
                "ten times slower (if ours are below 60), and cannot link more than a proven "
                "optimum."
                if options.rival_limit == "auto"
                else " s."
            ),
        ]
    return "\n".join(lines)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = census_parser(
        "The exact learners on the papers' files.", quick="seed 0, three files, no rivals"
    )
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--rivals", nargs="*", choices=RIVALS, help="none if no name follows")
    parser.add_argument("--rival-limit", default="auto", help='seconds, or "auto"')
    parser.add_argument("--time-limit", type=float, default=120.0, help="of our own fits, seconds")
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="no new row after these seconds"
    )
    options = parser.parse_args(arguments)
    if options.rivals is None:
        options.rivals = [] if options.quick else list(RIVALS)
    return set_defaults(options, n_seeds=3, files=tuple(FILES), quick_files=QUICK_FILES)


def main() -> int:
    options = parse()
    census = load_census(options.data_home)
    options.rivals = installed(options.rivals, RIVALS)
    print(header(options, warm_up(options.variants)), end="\n\n")
    table = table_for(options.rivals)
    table.header()
    cells = []
    with tempfile.TemporaryDirectory() as folder:
        for cell in run(options, census, Path(folder)):
            cells.append(cell)
            table.row(row(cell, options.rivals))
    left = len(options.seeds) * len(options.files) * len(options.variants) - len(cells)
    if left:
        print(f"\nThe budget of {options.budget:g} s ended before the last {left} rows.")
    lines, code = verdict(cells)
    print("", *footer(cells), *lines, sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
