"""The strongest attacker by size: `DensityLinker` under its rules, beside all pairs compared.

    python benchmarks/density_scale.py                       # 4,000 to 100,000 records
    python benchmarks/density_scale.py --records 1000000     # half an hour
    python benchmarks/density_scale.py --mixed               # categories and missing values
    python benchmarks/density_scale.py --quick

Files of six variables from ``make_microdata``, masked by noise, by rank swapping and by noise too
strong for most records to be found; with ``--mixed`` those of `mixed_linking`. Every row is a
process of its own: rate, CPU seconds of `fit` and of `score` on the same files, without
compilation, and peak memory. Up to ``--dense`` records the rate from all pairs stands beside it,
and the share of records with another answer.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from markdown_table import Table
from mixed_linking import files
from processes import json_of_process, peak_memory

MASKINGS = ("noise 10%", "noise 30%", "swapping 5%")
MIXED = ("mixed",)
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
    from sklearn_reclink import DensityLinker
    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import AdditiveNoise, RankSwapping
    from sklearn_reclink.rules import Rule

    nominal = None
    if case.masking in MIXED:
        X, Y = files(case.n_records, mixed=True)
        nominal = [3, 4, 5]
    else:
        kind, strength = case.masking.rstrip("%").split()
        masker = {"noise": AdditiveNoise, "swapping": RankSwapping}[kind]
        X = make_microdata(case.n_records, 6, random_state=0)
        Y = masker(p=float(strength), random_state=0).fit_transform(X)
    options = {"random_state": 0, "n_jobs": case.n_jobs, "categorical_features": nominal}
    linker = DensityLinker(rule=case.rule, **options)
    few = slice(300)
    warm = linker.fit(X[few], Y[few])
    Rule(case.rule, dense_pairs=0).ask("linked", warm._search(warm._index(X[few], Y[few])))
    start = time.process_time()
    linker.fit(X, Y)
    fitted = time.process_time()
    rate = linker.score(X, Y)
    found = {
        "rate": rate,
        "fit": fitted - start,
        "score": time.process_time() - fitted,
        "peak_mb": peak_memory(),
    }
    if case.dense:
        pairs = linker._search(linker._index(X, Y))
        by_tree = Rule(case.rule, dense_pairs=0, n_jobs=case.n_jobs).ask("linked", pairs)[0]
        found["rate"] = float(by_tree.mean())
        start = time.process_time()
        dense = Rule(case.rule, dense_pairs=2**60, n_jobs=case.n_jobs).ask("linked", pairs)[0]
        found["dense_rate"] = float(dense.mean())
        found["dense_score"] = time.process_time() - start
        found["differ"] = float((dense != by_tree).mean())
    return found


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[4_000, 20_000, 100_000])
    parser.add_argument("--dense", type=int, default=4_000, help="records up to which both run")
    parser.add_argument("--maskings", nargs="+", default=MASKINGS, choices=MASKINGS)
    parser.add_argument("--mixed", action="store_true", help="mixed files instead")
    parser.add_argument("--rules", nargs="+", default=RULES, choices=RULES)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="2,000 records, one masking")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mixed:
        options.maskings = MIXED
    if options.quick:
        options.records, options.maskings = [2_000], options.maskings[:1]
    return options


COLUMNS = (
    ("masking", 12),
    ("rule", 10),
    ("records", 9),
    ("rate %", 7),
    ("all pairs %", 7),
    ("differ %", 8),
    ("CPU s fit", 9),
    ("CPU s score", 9),
    ("CPU s all pairs", 9),
    ("peak MB", 8),
)


def row(case: Case, found: dict[str, Any]) -> list[object]:
    return [
        case.masking,
        case.rule,
        f"{case.n_records:,}",
        f"{100 * found['rate']:.2f}",
        f"{100 * found['dense_rate']:.2f}" if case.dense else "",
        f"{100 * found['differ']:.2f}" if case.dense else "",
        f"{found['fit']:.1f}",
        f"{found['score']:.1f}",
        f"{found['dense_score']:.1f}" if case.dense else "",
        f"{found['peak_mb']:.0f}",
    ]


def main() -> None:
    options = parse()
    if options.case:
        print(json.dumps(run(Case(**json.loads(options.case)))))
        return
    table = Table(COLUMNS)
    table.header()
    for masking in options.maskings:
        for rule in options.rules:
            for size in options.records:
                case = Case(masking, rule, size, size <= options.dense, options.n_jobs)
                table.row(row(case, json_of_process(__file__, "--case", json.dumps(asdict(case)))))


if __name__ == "__main__":
    main()
