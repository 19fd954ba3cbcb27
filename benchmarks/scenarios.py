"""How long does a sweep over what the intruder knows take, and how narrow are its brackets?

    python benchmarks/scenarios.py                  # six variables in 60 s, thirteen in 180 s
    python benchmarks/scenarios.py --quick          # 10 s each
    python benchmarks/scenarios.py --n-jobs 2

1,000 generated records, masked in three ways. ``exact`` are sets of variables whose links and bound
are equal, ``searched`` those that were searched; ``gap`` is the mean of bound less links over all
sets, in per cent of the records. Seconds are those of the clock and of the processor; workers
of --n-jobs are not counted in the latter.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from markdown_table import Table

from sklearn_reclink import scenarios
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping

N_RECORDS = 1000
SECONDS = {6: 60.0, 13: 180.0}
COLUMNS = (
    ("variables", 9),
    ("masking", 24),
    ("sets", 5),
    ("exact", 5),
    ("searched", 8),
    ("gap, %", 6),
    ("all variables", 14),
    ("seconds", 7),
    ("CPU", 6),
)


def maskings(n_variables: int) -> dict[str, Any]:
    """Maskers by name."""
    groups = [list(range(3)), list(range(3, n_variables))]
    return {
        "noise 40 %": AdditiveNoise(40.0, random_state=0),
        "microaggregation k = 5": Microaggregation(k=5, groups=groups),
        "rank swapping 15 %": RankSwapping(15.0, random_state=0),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10 s each")
    parser.add_argument("--n-jobs", type=int, default=None)
    parser.add_argument("--variables", type=int, choices=list(SECONDS), default=None)
    options = parser.parse_args()
    small = make_microdata(50, 3, random_state=0)
    scenarios(small, AdditiveNoise(20.0, random_state=0).fit_transform(small), time_limit=1)
    table = Table(COLUMNS)
    table.header()
    for n_variables, seconds in SECONDS.items():
        if options.variables not in (None, n_variables):
            continue
        X = make_microdata(N_RECORDS, n_variables, random_state=0)
        for name, masker in maskings(n_variables).items():
            begin, before = time.monotonic(), time.process_time()
            limit = 10.0 if options.quick else seconds
            Y = masker.fit_transform(X)
            found = scenarios(X, Y, time_limit=limit, n_jobs=options.n_jobs)
            gaps = np.array([one.bound - one.n_linked for one in found.scenarios])
            ends = f"{found.whole.n_linked}..{found.whole.bound}"
            counts = [sum(one.is_exact for one in found.scenarios)]
            counts.append(sum(one.searched for one in found.scenarios))
            gap = f"{100 * gaps.mean() / N_RECORDS:.1f}"
            took = f"{time.monotonic() - begin:.0f}", f"{time.process_time() - before:.0f}"
            table.row([n_variables, name, len(found.scenarios), *counts, gap, ends, *took])


if __name__ == "__main__":
    main()
