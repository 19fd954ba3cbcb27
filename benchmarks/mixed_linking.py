"""How long linking a mixed file takes, beside a file of as many numbers.

    python benchmarks/mixed_linking.py            # 1,000,000 records
    python benchmarks/mixed_linking.py --quick    # 100,000 records

Three numbers and three nominal variables of 2, 10 and 100 levels, 5 % of the values missing in both
files; numbers masked by noise of a tenth of their spread, a tenth of the categories drawn anew. The
file of numbers has six of them, none missing. Each row is a process of its own: seconds of `fit` on
the first 400 records and of `score` on the whole files, on two workers, without compilation, in
wall and processor seconds; ``x numbers`` is the ratio of the processor seconds of `score`.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np
from markdown_table import Table
from processes import json_of_process, peak_memory

LEVELS = (2, 10, 100)
N_TRAIN = 400
COLUMNS = (
    ("linker", 14),
    ("file", 7),
    ("N", 9),
    ("rate %", 6),
    ("score s", 7),
    ("cpu s", 6),
    ("x numbers", 9),
    ("peak MB", 7),
)


def files(n_records: int, mixed: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_records, 6))
    Y = X + 0.1 * rng.normal(size=X.shape)
    if mixed:
        for k, n_levels in enumerate(LEVELS, 3):
            X[:, k] = rng.integers(0, n_levels, n_records)
            Y[:, k] = X[:, k]
            anew = rng.random(n_records) < 0.1
            Y[anew, k] = rng.integers(0, n_levels, np.count_nonzero(anew))
        for file in (X, Y):
            file[rng.random(X.shape) < 0.05] = np.nan
    return X, Y


def link(case: dict[str, Any]) -> dict[str, Any]:
    """Fit on some records, link all of them."""
    from sklearn_reclink import EuclideanLinker, WeightedMeanLinker

    warnings.simplefilter("ignore")
    mixed = case["file"] == "mixed"
    options: dict[str, Any] = {"n_jobs": 2, "categorical_features": [3, 4, 5] if mixed else None}
    linker: Any = EuclideanLinker(**options)
    if case["linker"] == "weighted mean":
        linker = WeightedMeanLinker(time_limit=10.0, random_state=0, **options)
    X, Y = files(case["n_records"], mixed)
    linker.fit(X[:N_TRAIN], Y[:N_TRAIN])
    linker.score(X[:3000], Y[:3000])  # compiles
    begin, cpu = time.perf_counter(), time.process_time()
    rate = linker.score(X, Y)
    return {
        "rate": 100 * rate,
        "seconds": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "peak": peak_memory(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Linking mixed files.")
    parser.add_argument("--quick", action="store_true", help="100,000 records")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(link(json.loads(options.case))))
        return
    n_records = 100_000 if options.quick else 1_000_000
    table = Table(COLUMNS)
    table.header()
    for linker in ("Euclidean", "weighted mean"):
        base = None
        for file in ("numbers", "mixed"):
            case = {"linker": linker, "file": file, "n_records": n_records}
            found = json_of_process(__file__, "--case", json.dumps(case))
            base = found["cpu"] if base is None else base
            cells = [f"{found['rate']:.1f}", f"{found['seconds']:.1f}", f"{found['cpu']:.1f}"]
            ratio = f"{found['cpu'] / base:.2f}"
            table.row([linker, file, f"{n_records:,}", *cells, ratio, f"{found['peak']:,.0f}"])


if __name__ == "__main__":
    main()
