"""Generated fits against exact rational arithmetic: counts, bounds and statuses.

    python benchmarks/soundness.py                     # 20,000 fits: about 40 minutes on 2 cores
    python benchmarks/soundness.py --fits 2000 --seed 7
    python benchmarks/soundness.py --only 4711         # one case, with its files

Every number is a case: a generator, a family, two tiny files and options, drawn from the seed
and the number (`tests/soundness/generators.py`). The oracle (`tests/soundness/oracle.py`) shares
no code with the package.

One table, a row for each generator and a column for each family: fits proven of fits made, and
after ``!`` those of which a claim is wrong. Below it, the wrong claims by kind: counts (a record
counted that is not nearest, or one missed that clearly is), bounds below what can be linked,
statuses that do not fit the numbers, conflicts that were accepted and are none, parameters outside
their cone, columns left out, and errors other than a refusal. The exit code is 1 if any is wrong;
each is a line of ``--failures`` with the number that repeats it.
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

from tests.soundness.claims import LINKERS, WRONG, Verdict, examine
from tests.soundness.generators import GENERATORS, case_of

Outcome = tuple[int, str, str, Verdict]


def outcome_of(seed: int, number: int) -> Outcome:
    name, case = case_of(seed, number)
    return number, name, case.family, examine(case)


def _share(seed: int, numbers: range) -> list[Outcome]:
    return [outcome_of(seed, number) for number in numbers]


def outcomes(seed: int, n_fits: int, n_jobs: int, share: int = 100) -> Iterator[Outcome]:
    """The outcomes of all numbers, in their order."""
    with quiet_workers(n_jobs) as workers:
        starts = range(0, n_fits, share)
        futures = [
            workers.submit(_share, seed, range(start, min(start + share, n_fits)))
            for start in starts
        ]
        for future in futures:
            yield from future.result()


def print_case(seed: int, number: int) -> bool:
    """Show one case with its files and what is wrong with it."""
    name, case = case_of(seed, number)
    print(f"{name}, {case.family}, {case.options}")
    for title, file in (("X", case.X), ("Y", case.Y), ("pool", case.pool)):
        if file is not None:
            print(f"{title} = {[[float(x).hex() for x in row] for row in file]}")
            print(f"    {file.tolist()}")
    verdict = examine(case)
    print(verdict)
    return not verdict.wrong


def print_table(found: dict[tuple[str, str], Counter[str]]) -> None:
    table = Table([("", 16), *((family, 7) for family in LINKERS)])
    table.header()
    for name in GENERATORS:
        cells = []
        for family in LINKERS:
            counts = found.get((name, family), Counter())
            wrong = f" !{counts['wrong']}" if counts["wrong"] else ""
            cells.append(f"{counts['proven']}/{counts['fits']}{wrong}")
        table.row([name, *cells])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="the number of one case to show")
    parser.add_argument("--failures", type=Path, help="a file for what is wrong, one case a line")
    options = parser.parse_args()
    if options.only is not None:
        return 0 if print_case(options.seed, options.only) else 1
    begin = time.perf_counter()
    found: dict[tuple[str, str], Counter[str]] = {}
    kinds: Counter[str] = Counter()
    lines = []
    for number, name, family, verdict in outcomes(options.seed, options.fits, options.jobs):
        counts = found.setdefault((name, family), Counter())
        kinds["refused"] += bool(verdict.refused)
        counts["fits"] += not verdict.refused
        counts["proven"] += verdict.proven
        counts["wrong"] += bool(verdict.wrong)
        kinds.update(verdict.wrong.keys())
        for kind, sentence in verdict.wrong.items():
            lines.append(f"{options.seed} {number} {name}, {family}: {kind}: {sentence}")
            print(lines[-1][:300], file=sys.stderr, flush=True)
    if options.failures:
        options.failures.write_text("".join(line + "\n" for line in lines))
    print_table(found)
    total = sum((counts for counts in found.values()), Counter())
    print(
        f"\nseed {options.seed}: {options.fits} cases, {kinds['refused']} refused, "
        f"{total['fits']} fits, {total['proven']} proven, {total['wrong']} with a wrong claim; "
        + ", ".join(f"{kind} {kinds[kind]}" for kind in WRONG)
        + f"; {time.perf_counter() - begin:.0f} s"
    )
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
