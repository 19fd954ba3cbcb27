"""How long linking takes, beside a bare KD-tree on the same points.

    python benchmarks/linking.py            # 100,000 and 1,000,000 records
    python benchmarks/linking.py --quick    # 100,000 records
    python benchmarks/linking.py --only OWA "Choquet, zero singletons"

The original file comes from ``make_microdata`` (n = 6, light tails) and is masked by independent
noise of a tenth of each variable's standard deviation. Parameters are learned on the first 400
records; ``score`` and ``predict`` then link the whole files, with the masked file as the pool.

One table. ``s`` are wall seconds of the estimator's method, without compilation, on two workers;
``x tree`` divides them by the seconds of a bare ``scipy.spatial.cKDTree``, build and two-nearest
query with two workers, on the same points (mapped by the weights or the matrix if the distance has
one, otherwise standardised); ``x cpu`` is the same ratio of processor seconds, which other work on
the machine disturbs less; ``exponent`` is that of the growth of the processor seconds from the
smaller file. Rivals that compare all pairs are measured on few records and extrapolated by the
square of their number, the minimum is predicted for 200 records and extrapolated by their number:
those rows are marked ~. A rival that is not installed has a line that says so. The last line is the
peak memory of the process, rivals included.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from installed import installed
from processes import peak_memory
from scipy.spatial import cKDTree
from sklearn.metrics import pairwise_distances_argmin

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    WeightedMeanLinker,
)
from sklearn_reclink.datasets import make_microdata

N_FEATURES = 6
N_TRAIN = 400
NOISE = 0.1
WORKERS = 2
PACKAGES = {"recordlinkage": ("recordlinkage", "pandas")}


def files(n_records: int) -> tuple[np.ndarray, np.ndarray]:
    original = make_microdata(n_records, N_FEATURES, random_state=0).astype(float)
    noise = np.random.default_rng(1).normal(size=original.shape)
    return original, original + NOISE * original.std(axis=0) * noise


def random_capacity(seed: int, *, zero_singletons: bool = False) -> np.ndarray:
    capacity = np.random.default_rng(seed).uniform(size=2**N_FEATURES)
    capacity[0] = 0.0
    if zero_singletons:
        capacity[[1 << k for k in range(N_FEATURES)]] = 0.0
    for subset in range(1, len(capacity)):
        parts = [subset ^ 1 << k for k in range(N_FEATURES) if subset >> k & 1]
        capacity[subset] = max(capacity[subset], *capacity[parts])
    return capacity / capacity[-1]


def learn(X: np.ndarray, Y: np.ndarray) -> dict[str, Any]:
    """A fitted estimator for every row of the table."""
    options = {"n_jobs": WORKERS, "random_state": 0, "time_limit": 5.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a proof is not needed here
        linkers = {
            "weighted mean": WeightedMeanLinker(**options).fit(X, Y),
            "Mahalanobis": MahalanobisLinker(n_jobs=WORKERS).fit(X, Y),
            "bilinear, psd": BilinearLinker(**options).fit(X, Y),
            "OWA": OWALinker(**options).fit(X, Y),
            "Choquet": ChoquetLinker(**options).fit(X, Y),
        }

        def choquet(capacity: np.ndarray) -> ChoquetLinker:
            linker = ChoquetLinker(n_jobs=WORKERS, time_limit=0.0).fit(X[:50], Y[:50])
            linker.scales_ = linkers["Choquet"].scales_
            linker.capacity_ = capacity
            return linker

        for seed in range(10):
            linkers[f"Choquet, random {seed}"] = choquet(random_capacity(seed))
        linkers["Choquet, zero singletons"] = choquet(random_capacity(0, zero_singletons=True))
        for name, weights in (("maximum", np.eye(6)[0]), ("minimum", np.eye(6)[-1])):
            linker = OWALinker(n_jobs=WORKERS, time_limit=0.0).fit(X[:50], Y[:50])
            linker.scales_, linker.weights_ = linkers["OWA"].scales_, weights
            linkers[name] = linker
    return linkers


def mapped(linker: Any, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both files in coordinates whose Euclidean distance is that of the linker, if any are."""
    a, b = linker.scales_.original(X), linker.scales_.masked(Y)
    root = np.eye(N_FEATURES)
    if isinstance(linker, WeightedMeanLinker):
        root = np.diag(np.sqrt(linker.weights_))[:, linker.weights_ > 0]
    elif isinstance(linker, MahalanobisLinker):
        root = linker.whitening_
    elif isinstance(linker, BilinearLinker):
        values, vectors = np.linalg.eigh(linker.matrix_)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    return a @ root, b @ root


@dataclass(frozen=True)
class Seconds:
    wall: float
    cpu: float

    def times(self, factor: float) -> Seconds:
        return Seconds(self.wall * factor, self.cpu * factor)


def seconds_of(work: Callable[[], Any]) -> tuple[Seconds, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = work()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu), answer


def bare_tree(a: np.ndarray, b: np.ndarray) -> Seconds:
    return seconds_of(lambda: cKDTree(b).query(a, k=2, workers=WORKERS))[0]


def predicted_by_part(linker: Any, X: np.ndarray, Y: np.ndarray, asked: int = 200) -> Seconds:
    """Seconds that all records would take, from those of a few; one record pays for the tree."""
    one, _ = seconds_of(lambda: linker.predict(X[:1], pool=Y))
    some, _ = seconds_of(lambda: linker.predict(X[: asked + 1], pool=Y))
    factor = len(X) / asked
    return Seconds(
        one.wall + (some.wall - one.wall) * factor, one.cpu + (some.cpu - one.cpu) * factor
    )


def by_recordlinkage(a: np.ndarray, b: np.ndarray) -> Any:
    import pandas as pd
    import recordlinkage

    recordlinkage.logging.set_verbosity(recordlinkage.logging.ERROR)

    names = [f"v{k}" for k in range(a.shape[1])]
    left, right = pd.DataFrame(a, columns=names), pd.DataFrame(b, columns=names)
    pairs = recordlinkage.Index().full().index(left, right)
    compare = recordlinkage.Compare()
    for name in names:
        compare.numeric(name, name, method="gauss", scale=1.0)
    return compare.compute(pairs, left, right).sum(axis=1).groupby(level=0).idxmax()


def say(*cells: Any) -> None:
    widths = (26, 12, 11, 7, 12, 9, 9, 10)
    line = f"{cells[0]:<{widths[0]}}"
    line += "".join(f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=False))
    print(line, flush=True)


class Table:
    """Prints rows, remembering the seconds of the smaller file."""

    def __init__(self) -> None:
        self.before: dict[tuple[str, str], tuple[int, Seconds]] = {}
        say("distance", "question", "N", "rate", "s", "x tree", "x cpu", "exponent")

    def row(
        self, name: str, question: str, n: int, seconds: Seconds, tree: Seconds, rate: float | None
    ) -> None:
        exponent = ""
        if (name, question) in self.before:
            n_before, before = self.before[name, question]
            exponent = f"{np.log(seconds.cpu / before.cpu) / np.log(n / n_before):.2f}"
        self.before[name, question] = n, seconds
        shown = "" if rate is None else f"{rate:.3f}"
        ratios = f"{seconds.wall / tree.wall:.2f}", f"{seconds.cpu / tree.cpu:.2f}"
        say(name, question, f"{n:,}", shown, f"{seconds.wall:.2f}", *ratios, exponent)

    def extrapolated(
        self, name: str, n: int, measured: int, seconds: Seconds, tree: Seconds
    ) -> None:
        whole = seconds.times((n / measured) ** 2)
        ratios = f"~{whole.wall / tree.wall:,.0f}", f"~{whole.cpu / tree.cpu:,.0f}"
        say(name, f"{measured:,}", f"{n:,}", "", f"~{whole.wall:,.0f}", *ratios)


def measure(table: Table, linkers: dict[str, Any], n_records: int, only: list[str] | None) -> None:
    X, Y = files(n_records)
    trees = {}
    for name in ("weighted mean", "Mahalanobis", "bilinear, psd", "OWA"):
        if only is not None and name not in [*only, "OWA"]:
            continue
        seconds = bare_tree(*mapped(linkers[name], X, Y))
        trees[name] = seconds
        table.row(f"bare tree, {name}", "2 nearest", n_records, seconds, seconds, None)
    for name, linker in linkers.items():
        if only is not None and name not in only:
            continue
        tree = trees.get(name, trees["OWA"])
        seconds, rate = seconds_of(lambda linker=linker: linker.score(X, Y))
        table.row(name, "score", n_records, seconds, tree, rate)
        if name == "minimum":
            question, seconds = "~ predict", predicted_by_part(linker, X, Y)
        else:
            question = "predict"
            seconds, _ = seconds_of(lambda linker=linker: linker.predict(X, pool=Y))
        table.row(name, question, n_records, seconds, tree, None)
    if only is not None:
        return
    a, b = mapped(linkers["OWA"], X[:20_000], Y[:20_000])
    seconds, _ = seconds_of(lambda: pairwise_distances_argmin(a, b))
    table.extrapolated("pairwise_distances_argmin", n_records, len(a), seconds, trees["OWA"])
    for rival in installed(["recordlinkage"], PACKAGES):
        seconds, _ = seconds_of(lambda: by_recordlinkage(a[:1000], b[:1000]))
        table.extrapolated(rival, n_records, 1000, seconds, trees["OWA"])
    free = BilinearLinker(constraint="free", n_jobs=WORKERS)
    free.__dict__.update(vars(linkers["bilinear, psd"]) | {"constraint": "free"})
    free.matrix_ = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, -0.01])
    seconds, _ = seconds_of(lambda: free.score(X[:10_000], Y[:10_000]))
    table.extrapolated("bilinear, indefinite", n_records, 10_000, seconds, trees["OWA"])


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100,000 records only")
    parser.add_argument("--only", nargs="+", metavar="DISTANCE", help="these rows, no rivals")
    options = parser.parse_args(arguments)
    X, Y = files(2000)
    linkers = learn(X[:N_TRAIN], Y[:N_TRAIN])
    for linker in linkers.values():  # compiles
        linker.score(X, Y)
        linker.predict(X, pool=Y)
    table = Table()
    for n_records in (100_000,) if options.quick else (100_000, 1_000_000):
        measure(table, linkers, n_records, options.only)
    print(f"peak memory of the process: {peak_memory():,.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
