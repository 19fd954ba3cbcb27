"""How long the first use takes: import, first fit and first score in a fresh process.

    python benchmarks/cold_start.py                   # seven linkers on 400 x 4
    python benchmarks/cold_start.py --beside PATH     # beside another checkout, with ratios
    python benchmarks/cold_start.py --linkers EuclideanLinker DensityLinker

One table with a row for each linker, in seconds. *empty*: a fresh process whose compilation cache
(NUMBA_CACHE_DIR) is an empty folder, as after installation. *filled*: another fresh process with
the cache that the first one left, as on every later day. *warm*: a second call in the same process.
``import`` counts the package and everything it imports, with byte code written before. With
``--beside`` a cell is ``ours / theirs (ratio)``; a ratio below 1 means that ours is faster.

The files are 400 records of ``make_microdata`` with four variables, masked by MDAV in two groups,
k = 3. They are written once and read by every process, so that masking compiles nothing there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from markdown_table import Table
from processes import json_of_process

# The package is imported only in the measured processes, where its import is timed.

OURS = Path(__file__).parents[1]
LINKERS = (
    "EuclideanLinker",
    "WeightedMeanLinker",
    "ChoquetLinker",
    "BilinearLinker",
    "HLMSChoquetLinker",
    "DensityLinker",
    "ProbabilisticLinker",
)
METHODS = ("fit", "score")
STATES = ("empty", "filled", "warm")
COLUMNS = ("import", *(f"{method}, {state}" for method in METHODS for state in STATES))

Seconds = dict[str, float]


def write_files(path: str, n_records: int = 400, n_features: int = 4) -> None:
    """The original and the masked file that every process reads."""
    import numpy as np

    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import Microaggregation

    X = make_microdata(n_records, n_features, random_state=0)
    np.savez(path, X=X, Y=Microaggregation(groups=2, k=3).fit_transform(X))


def measure(linker: str, path: str) -> dict[str, object]:
    """Use a linker for the first and the second time, in this process."""
    begin = time.perf_counter()
    import sklearn_reclink
    import sklearn_reclink.auditing  # imports all that is public

    seconds = {"import": time.perf_counter() - begin}
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")  # nothing is proven or compared here
    with np.load(path) as files:
        X, Y = files["X"], files["Y"]
    estimator = getattr(sklearn_reclink, linker)(random_state=0)
    for use in ("first", "second"):
        for method in METHODS:
            begin = time.perf_counter()
            getattr(estimator, method)(X, Y)
            seconds[f"{method}, {use}"] = time.perf_counter() - begin
    return {"package": sklearn_reclink.__file__, "seconds": seconds}


def run(checkout: Path, cache: str, *arguments: str) -> Seconds:
    """Measure the package of a checkout in a fresh process."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout)}
    found = json_of_process(__file__, "--measure", *arguments, env=environment)
    if not Path(found["package"]).is_relative_to(checkout):
        raise RuntimeError(f"{found['package']} was imported, which is not in {checkout}")
    seconds: Seconds = found["seconds"]
    return seconds


def first_use(checkout: Path, linker: str, path: str) -> Seconds:
    """The numbers of one row."""
    with tempfile.TemporaryDirectory() as cache:
        empty, filled = (run(checkout, cache, linker, path) for _ in range(2))
    row = {"import": min(empty["import"], filled["import"])}
    for method in METHODS:
        row[f"{method}, empty"] = empty[f"{method}, first"]
        row[f"{method}, filled"] = filled[f"{method}, first"]
        row[f"{method}, warm"] = filled[f"{method}, second"]
    return row


def cells(linker: str, uses: Sequence[Seconds]) -> list[str]:
    """One row of the table: of ours, or of ours beside theirs."""
    if len(uses) == 1:
        return [linker, *(f"{uses[0][column]:.2f}" for column in COLUMNS)]
    ours, theirs = uses
    return [
        linker,
        *(f"{ours[c]:.2f} / {theirs[c]:.2f} ({ours[c] / theirs[c]:.2f})" for c in COLUMNS),
    ]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout")
    parser.add_argument("--linkers", nargs="+", choices=LINKERS, default=list(LINKERS))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main() -> None:
    options = parse()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    checkouts = [OURS] if options.beside is None else [OURS, options.beside.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "files.npz")
        write_files(path)
        for checkout in checkouts:  # writes byte code
            run(checkout, folder, "EuclideanLinker", path)
        width = 8 if options.beside is None else 20
        table = Table([("linker", 19), *((column, width) for column in COLUMNS)])
        table.header()
        for linker in options.linkers:
            table.row(cells(linker, [first_use(checkout, linker, path) for checkout in checkouts]))


if __name__ == "__main__":
    sys.exit(main())
