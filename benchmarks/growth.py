"""How the cost of the exact learners grows with the records N and with the variables n.

    python benchmarks/growth.py            # N = 100 ... 3200 at n = 4, n = 3 ... 8 at N = 400
    python benchmarks/growth.py --quick    # N = 100 ... 400, n = 3 and 5, 5 s per fit

The files come from ``make_microdata`` with light tails (like a survey) and heavy ones (like
business accounts) and are masked by MDAV on the raw variables in two blocks, k = 3: at n = 4 and
n = 5 the groups of the papers' M4-33 and M5-38.

One table with a row for each fit: linked, bound, status, seconds (without compilation: another
fit comes first), the exponent e in ``seconds ~ N^e`` or ``seconds ~ n^e`` against the row before if
both were proven, and the peak memory. Each fit runs in a process of its own, and the peak is its
largest resident set (``ru_maxrss``) with interpreter, libraries and compiled code, which the last
line also gives alone.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from markdown_table import Table
from processes import json_of_process, peak_memory

# The package is imported only in the processes of the fits, so that their peak is their own.

FAMILIES = ("d2WM", "OWA", "d2CI", "psd")
TAILS = ("light", "heavy")


@dataclass(frozen=True)
class Case:
    """One fit; ``axis`` says what grows."""

    axis: str
    tail: str
    family: str
    n_records: int
    n_features: int
    seed: int
    time_limit: float

    @property
    def size(self) -> int:
        return self.n_records if self.axis == "N" else self.n_features


@dataclass(frozen=True)
class Outcome:
    linked: int
    bound: int
    status: str
    seconds: float
    peak_mb: float
    empty_mb: float


def cases(options: argparse.Namespace) -> Iterator[list[Case]]:
    """Series of cases in which one size grows."""
    for axis, sizes in (("N", options.records), ("n", options.features)):
        for tail in options.tails:
            for family in options.families:
                yield [
                    Case(
                        axis,
                        tail,
                        family,
                        size if axis == "N" else 400,
                        size if axis == "n" else 4,
                        options.seed,
                        options.time_limit,
                    )
                    for size in sizes
                ]


def measure(case: Case) -> Outcome:
    """Fit in a process of its own."""
    return Outcome(**json_of_process(__file__, "--case", json.dumps(asdict(case))))


def fit(case: Case) -> Outcome:
    """Fit here, after another fit that compiles or loads what is needed."""
    import numpy as np
    from fitting import seconds_of_fit, warm_up_files

    from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import Microaggregation

    linker: Any = {
        "d2WM": WeightedMeanLinker(),
        "OWA": OWALinker(),
        "d2CI": ChoquetLinker(),
        "psd": BilinearLinker(constraint="psd"),
    }[case.family]
    linker.set_params(n_jobs=2, random_state=0, time_limit=case.time_limit)
    seconds_of_fit(linker, *warm_up_files())
    empty = peak_memory()
    X = make_microdata(case.n_records, case.n_features, tail=case.tail, random_state=case.seed)
    groups = [block.tolist() for block in np.array_split(np.arange(case.n_features), 2)]
    Y = Microaggregation(groups=groups, k=3).fit_transform(X)
    seconds = seconds_of_fit(linker, X, Y)
    return Outcome(linker.n_linked_, linker.bound_, linker.status_, seconds, peak_memory(), empty)


def exponent(before: tuple[Case, Outcome] | None, case: Case, outcome: Outcome) -> float | None:
    """e in ``seconds ~ size^e`` from one row to the next, if both were proven."""
    if before is None or {before[1].status, outcome.status} != {"optimal"}:
        return None
    return math.log(outcome.seconds / before[1].seconds) / math.log(case.size / before[0].size)


COLUMNS = (
    ("grows", 5),
    ("tail", 5),
    ("family", 6),
    ("N", 4),
    ("n", 2),
    ("linked", 6),
    ("bound", 5),
    ("status", 10),
    ("seconds", 7),
    ("exponent", 8),
    ("peak MB", 7),
)


def row(case: Case, outcome: Outcome, grown: float | None) -> list[str]:
    return [
        case.axis,
        case.tail,
        case.family,
        str(case.n_records),
        str(case.n_features),
        str(outcome.linked),
        str(outcome.bound),
        outcome.status,
        f"{outcome.seconds:.2f}",
        "" if grown is None else f"{grown:.1f}",
        f"{outcome.peak_mb:.0f}",
    ]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Growth of the cost with N and n.")
    parser.add_argument("--quick", action="store_true", help="small sizes, 5 s per fit")
    parser.add_argument("--records", type=int, nargs="*", help="the sizes N, at n = 4")
    parser.add_argument("--features", type=int, nargs="*", help="the sizes n, at N = 400")
    parser.add_argument("--tails", nargs="+", choices=TAILS, default=list(TAILS))
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--time-limit", type=float, help="seconds per fit; 20, or 5 with --quick")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.records is None:
        options.records = [100, 200, 400] + [800, 1600, 3200] * (not options.quick)
    if options.features is None:
        options.features = [3, 5] if options.quick else [3, 4, 5, 6, 7, 8]
    if options.time_limit is None:
        options.time_limit = 5.0 if options.quick else 20.0
    return options


def main() -> None:
    options = parse()
    if options.case:
        print(json.dumps(asdict(fit(Case(**json.loads(options.case))))))
        return
    print(
        f"make_microdata, raw MDAV in two blocks, k = 3, n_jobs=2, {options.time_limit:g} s per "
        f"fit, seed {options.seed}.\n"
    )
    table = Table(COLUMNS)
    table.header()
    outcomes = []
    for series in cases(options):
        before = None
        for case in series:
            outcome = measure(case)
            table.row(row(case, outcome, exponent(before, case, outcome)))
            before = case, outcome
            outcomes.append(outcome)
    if not outcomes:
        return
    empty = max(outcome.empty_mb for outcome in outcomes)
    proven = sum(outcome.status == "optimal" for outcome in outcomes)
    late = max(outcome.seconds for outcome in outcomes)
    print(
        f"\n{proven} of {len(outcomes)} proven; longest fit {late:.1f} s at a limit of "
        f"{options.time_limit:g} s; peak memory at most "
        f"{max(outcome.peak_mb for outcome in outcomes):.0f} MB, of which {empty:.0f} MB before "
        "the fit."
    )


if __name__ == "__main__":
    main()
