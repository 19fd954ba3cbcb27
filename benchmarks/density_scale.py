"""The strongest attacker by size: `DensityLinker` under its rules, beside all pairs compared.

    python benchmarks/density_scale.py                       # 4,000 to 100,000 records
    python benchmarks/density_scale.py --records 1000000     # half an hour
    python benchmarks/density_scale.py --quick

Files of six variables from ``make_microdata``, masked by noise, by rank swapping and by noise too
strong for most records to be found. Every row is a process of its own: rate, CPU seconds of `fit`
and of `score` on the same files, without compilation, and peak memory. Up to ``--dense`` records
the rate from all pairs stands beside it, and the share of records with another answer.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from markdown_table import Table
from processes import json_of_process, peak_memory

MASKINGS = ("noise 10%", "noise 30%", "swapping 5%")
RULES = ("density", "balanced", "one_to_one")


@dataclass(frozen=True)
class Case:
    masking: str
    rule: str
    n_records: int
    dense: bool
    n_jobs: int


def run(case: Case) -> dict[str, Any]:
    """Fit and score one case, in this process."""
    import numpy as np

    from sklearn_reclink import DensityLinker
    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import AdditiveNoise, RankSwapping
    from sklearn_reclink.rules import Rule

    kind, strength = case.masking.rstrip("%").split()
    masker = {"noise": AdditiveNoise, "swapping": RankSwapping}[kind]
    X = make_microdata(case.n_records, 6, random_state=0)
    Y = masker(p=float(strength), random_state=0).fit_transform(X)
    linker = DensityLinker(rule=case.rule, random_state=0, n_jobs=case.n_jobs)
    few = np.arange(min(len(X), 300))
    warm = linker.fit(X[few], Y[few])
    Rule(case.rule, dense_pairs=0).ask("linked", warm._search(warm._index(X[few], Y[few])))
    start = time.process_time()
    linker = DensityLinker(rule="nearest", random_state=0, n_jobs=case.n_jobs)
    linker.fit(X[:1000], Y[:1000], pool=Y, reference=X).set_params(rule=case.rule)
    fitted = time.process_time()
    pairs = linker._search(linker._index(X, Y))
    limit = 0 if case.n_records**2 > 2**25 or case.dense else 2**25
    by_tree = Rule(case.rule, dense_pairs=limit, n_jobs=case.n_jobs).ask("linked", pairs)[0]
    found = {
        "rate": float(by_tree.mean()),
        "fit": fitted - start,
        "score": time.process_time() - fitted,
        "peak_mb": peak_memory(),
    }
    if case.dense:
        start = time.process_time()
        dense = Rule(case.rule, dense_pairs=2**60, n_jobs=case.n_jobs).ask("linked", pairs)[0]
        found["dense_rate"] = float(dense.mean())
        found["dense_score"] = time.process_time() - start
        found["differ"] = float((dense != by_tree).mean())
    return found
