"""Small problems, files full of ties, and what several test files ask of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sklearn_reclink.capacity import mobius_to_capacity
from sklearn_reclink.families import (
    OWA,
    Bilinear,
    Choquet,
    Family,
    KAdditiveChoquet,
    SubmodularChoquet,
    SubmodularKAdditiveChoquet,
    WeightedMean,
)
from sklearn_reclink.search import Index, Search
from sklearn_reclink.search.tree_search import TreeSearch
from sklearn_reclink.solvers.exact import solve
from sklearn_reclink.solvers.problem import Problem, Solution

Files = tuple[np.ndarray, np.ndarray]
FamilyOf = Callable[[int], Family]

MONOTONE: dict[str, FamilyOf] = {
    "weighted mean": WeightedMean,
    "owa": OWA,
    "choquet": Choquet,
    "submodular": SubmodularChoquet,
    "2-additive": partial(KAdditiveChoquet, order=2),
    "submodular 2-additive": partial(SubmodularKAdditiveChoquet, order=2),
}
FAMILIES: dict[str, FamilyOf] = {**MONOTONE, "bilinear": Bilinear}


# -- problems -------------------------------------------------------------------------------------


def as_floats(original: Any, masked: Any) -> Files:
    return np.array(original, dtype=float), np.array(masked, dtype=float)


def problem_of(
    family: Family | FamilyOf | str, original: Any, masked: Any, **options: Any
) -> Problem:
    """The problem of a family, of its name or of what makes it of a number of variables."""
    original, masked = as_floats(original, masked)
    if isinstance(family, str):
        family = FAMILIES[family]
    if not isinstance(family, Family):
        family = family(original.shape[1])
    return Problem(family, Index(original, masked, **options))


def solved(problem: Problem, seed: int = 0, **options: Any) -> Solution:
    return solve(problem, rng=np.random.default_rng(seed), **options)


def n_linked(problem: Problem, theta: np.ndarray) -> int:
    """A recount."""
    return int(problem.index.linked(problem.family, theta).sum())


def noisy_files(
    seed: int, n_records: int = 70, n_features: int = 4, spread: float = 1.0, noise: float = 0.5
) -> Files:
    """A skewed file, and the same multiplied by noise."""
    rng = np.random.default_rng(seed)
    original = rng.lognormal(sigma=spread, size=(n_records, n_features))
    return original, original * rng.lognormal(sigma=noise, size=original.shape)


# -- files of small integers: their features are integers, so no rounding decides -----------------


# matrices touch their cone along (3, 1, -2), and a plane and a space of ratios of integers
TIES_ALONG_RATIOS = (
    (
        [[0, 6, 2], [0, 5, 0], [0, 0, 0], [0, 0, 0], [6, 0, 5], [0, 0, 0]],
        [[2, 0, 2], [2, 5, 4], [0, 0, 0], [0, 2, 0], [1, 2, 1], [1, 4, 2]],
    ),
    (
        [[0, 1, 1], [1, 0, 4], [2, 3, 0], [1, 4, 0]],
        [[4, 3, 3], [2, 0, 4], [2, 3, 2], [0, 0, 2]],
    ),
    (
        [[2, 1, 0, 2], [0, 0, 2, 0], [0, 0, 1, 0], [0, 0, 0, 0]],
        [[0, 0, 2, 0], [2, 1, 0, 1], [2, 0, 1, 2], [0, 1, 2, 0]],
    ),
)


@st.composite
def integer_files(draw, n_features=(2, 4), n_records=(2, 8), largest=6):
    """Two files as lists, which shrink cell by cell; half of the time they are near each other."""
    n = draw(st.integers(*n_features))
    size = draw(st.integers(*n_records))
    row = st.lists(st.integers(0, largest), min_size=n, max_size=n)
    files = st.lists(row, min_size=size, max_size=size)
    original = draw(files)
    if draw(st.booleans()):  # masked near the original: many records link
        noise = st.lists(st.integers(-1, 1), min_size=n, max_size=n)
        shifts = draw(st.lists(noise, min_size=size, max_size=size))
        return original, (np.array(original) + np.array(shifts)).tolist()
    return original, draw(files)


@st.composite
def random_integer_files(
    draw, n_records=(2, 6), n_features=(1, 3), largest=5, noise=1, always_near=False
):
    """Two files of a generator, the masked one near the original or drawn on its own."""
    shape = draw(st.integers(*n_records)), draw(st.integers(*n_features))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    original = rng.integers(0, largest + 1, shape)
    if always_near or draw(st.booleans()):
        return original, original + rng.integers(-noise, noise + 1, shape)
    return original, rng.integers(0, largest + 1, shape)


def integer_rows(problem: Problem, record: int, impostors: Any = None) -> list[list[int]]:
    """Rows of integer files against some impostors, or all of them."""
    if impostors is None:
        impostors = [j for j in range(problem.index.n_masked) if j != record]
    impostors = np.asarray(impostors, dtype=np.int64)
    if not len(impostors):
        return []
    rows, _ = problem.index.rows(problem.family, np.full(len(impostors), record), impostors)
    assert np.array_equal(rows, np.round(rows))
    return rows.astype(int).tolist()


def cone_rows(problem: Problem) -> list[list[int]]:
    """The rows of these cones have entries of one size: their signs are the same cone."""
    return np.sign(problem.family.rows).astype(int).tolist()


# -- searches on files full of ties ---------------------------------------------------------------

N_FEATURES = 4
DISTANCES = ["weighted mean", "OWA", "Choquet", "2-additive", "psd", "singular", "indefinite"]
# asked of other processes and of a cluster, which load or compile everything anew
IN_PROCESSES = ["Choquet"] if os.environ.get("CI") else DISTANCES
ON_CLUSTER = ["psd"] if os.environ.get("CI") else DISTANCES


def monotone_capacity(rng: np.random.Generator, n_features: int, levels: int) -> np.ndarray:
    capacity = rng.integers(0, levels, 2**n_features) / levels
    capacity[0] = 0.0
    for subset in range(1, len(capacity)):
        for k in range(n_features):
            if subset >> k & 1:
                capacity[subset] = max(capacity[subset], capacity[subset ^ 1 << k])
    capacity[-1] = 1.0
    return capacity


def random_distance(rng: np.random.Generator, name: str) -> tuple[Family, np.ndarray]:
    """A family of four variables and parameters of small fractions."""
    if name in ("weighted mean", "OWA"):
        family = WeightedMean if name == "weighted mean" else OWA
        return family(N_FEATURES), rng.integers(0, 4, N_FEATURES) / 3
    if name == "Choquet":
        return Choquet(N_FEATURES), monotone_capacity(rng, N_FEATURES, 4)[1:]
    if name == "2-additive":
        # a mixture of minima and maxima of two variables: monotone, with negative coefficients
        mobius = np.zeros(2**N_FEATURES)
        for first in range(N_FEATURES):
            for second in range(first):
                minimum, maximum = rng.dirichlet([0.3, 0.3])
                mobius[1 << first | 1 << second] += minimum - maximum
                mobius[[1 << first, 1 << second]] += maximum
        additive = KAdditiveChoquet(N_FEATURES, 2)
        return additive, additive.pack(mobius_to_capacity(mobius))
    rank = 2 if name == "singular" else N_FEATURES
    root = rng.integers(-2, 3, (N_FEATURES, rank)) + (0 if name == "singular" else np.eye(4))
    sign = np.eye(rank)
    if name == "indefinite":
        sign[0, 0] = -1
    bilinear = Bilinear(N_FEATURES)
    return bilinear, bilinear.pack(root @ sign @ root.T)


def tied_files(rng: np.random.Generator, n_records: int, n_masked: int) -> Files:
    """A grid, groups of equal records, rounded numbers, or ties up to the last places."""
    kind = rng.choice(["grid", "groups", "rounded", "near ties"])
    shapes = (n_records, N_FEATURES), (n_masked, N_FEATURES)
    if kind == "grid":
        return as_floats(*(rng.integers(0, 4, shape) for shape in shapes))
    original, masked = (rng.normal(size=shape) for shape in shapes)
    if kind == "rounded":
        return original.round(1), masked.round(1)
    masked = masked[rng.integers(0, n_masked // 3 + 1, n_masked)]
    if kind == "groups":
        masked[:, 0] = masked[:, 0].round()
        return original, masked
    # the same distances up to a few units in the last place
    return original, masked * (1 + rng.integers(-3, 4, masked.shape) * 2.0**-52)


class EvenBatches(TreeSearch):
    """Batches of as many records where nothing is pruned as anywhere else."""

    @property
    def batch_size(self) -> int:
        return self.batch


class SmallBatches(Index):
    """An index that asks about few records at a time.

    ``batch`` and ``listed`` are for trees, ``batch_bytes`` for all pairs.
    """

    def __init__(
        self,
        *files: np.ndarray,
        batch: int = 16,
        listed: int = 2**22,
        batch_bytes: int = 100_000,
        **options: Any,
    ) -> None:
        super().__init__(*files, **options)
        self.batch, self.listed, self.batch_bytes = batch, listed, batch_bytes

    def search(self, family: Family, theta: np.ndarray) -> Search:
        search = super().search(family, theta)
        if isinstance(search, TreeSearch):
            sizes = {"batch": self.batch, "listed": self.listed}
            return EvenBatches(**{**vars(search), **sizes})
        search.batch_bytes = self.batch_bytes
        return search


def answers(
    index: Index, family: Family, theta: np.ndarray, *, ranked: bool = True
) -> dict[str, Any]:
    """What an index answers, by question; who is linked only if all own records are there."""
    found: dict[str, Any] = {"nearest": index.nearest(family, theta)}
    if ranked:
        found["k"] = index.k_nearest(family, theta, 4)
    if index.n_records <= index.n_masked:
        found["linked"] = index.linked(family, theta)
        found |= vars(index.link(family, theta))
    return found


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
