"""Fits whose solvers lie: does a wrong bound or a wrong count come out?

    python benchmarks/faults.py                        # 2,000 fits that were lied to: some minutes
    python benchmarks/faults.py --faults 200 --seed 7
    python benchmarks/faults.py --only 4711            # one fit

In every fit one function of a solver, or all, answers wrongly at calls drawn at random: statuses,
values, vectors, rays, NaN, exceptions, rows that are not added (`tests/soundness/faults.py`). The
truth is what an honest fit links, counted in exact rational arithmetic. A fit may end in an
exception, or with a weaker bound. It must not end with a bound below what can be linked, nor with
a count that a recount does not confirm. The exit code is 1 if one does.

One table, a row for each kind of solver: fits, fits that were lied to, lies, how these ended, and
how many were wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from markdown_table import Table
from processes import quiet_workers

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.soundness.faults import KINDS
from tests.soundness.lies import Told, fit_with_lies

PROVEN, OPEN = ("optimal",), ("time_limit", "undecided")


def _share(seed: int, numbers: range) -> list[tuple[int, Told]]:
    return [(number, fit_with_lies(seed, number)) for number in numbers]


def told(seed: int, n_faults: int, n_jobs: int, share: int = 60) -> Iterator[tuple[int, Told]]:
    """Fits until so many were lied to, in the order of their numbers."""
    left, start = n_faults, 0
    with quiet_workers(n_jobs) as workers:
        while left > 0:
            starts = range(start, start + max(left, share), share)
            shares = [workers.submit(_share, seed, range(first, first + share)) for first in starts]
            start += share * len(shares)
            for each in shares:
                for number, one in each.result():
                    if left > 0:
                        yield number, one
                    left -= one.lies > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="the number of one fit to repeat")
    options = parser.parse_args()
    if options.only is not None:
        one = fit_with_lies(options.seed, options.only)
        print(one)
        return 1 if one.wrong else 0
    begin = time.perf_counter()
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for number, one in told(options.seed, options.faults, options.jobs):
        ended = "proven" if one.ended in PROVEN else "open" if one.ended in OPEN else "exception"
        counts[one.kind].update(
            {"fits": 1, "lied to": one.lies > 0, "lies": one.lies, "wrong": bool(one.wrong)}
        )
        counts[one.kind][ended] += one.lies > 0
        if one.wrong:
            print(f"{options.seed} {number} {one}", file=sys.stderr, flush=True)
    columns = ("fits", "lied to", "lies", "proven", "open", "exception", "wrong")
    table = Table([("", 10), *((column, 7) for column in columns)])
    table.header()
    counts["all"] = sum(counts.values(), Counter())
    for kind, found in counts.items():
        table.row([kind, *(found[column] for column in columns)])
    print(f"\nseed {options.seed}, {time.perf_counter() - begin:.0f} s")
    return 1 if counts["all"]["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
