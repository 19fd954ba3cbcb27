"""Choquet integrals of k-additive capacities: only small sets of variables interact.

``theta`` is the Moebius transform ``m`` of the capacity, which vanishes on subsets of more than
``order`` variables::

    d^2(a, b) = sum_A m(A) min_{i in A} c_i

In these coordinates ``mu(A + k) - mu(A)`` is the sum of ``m(B)`` over the ``B`` within ``A + k``
that contain ``k``, and ``mu(A + i) + mu(A + j) - mu(A + i + j) - mu(A)`` is minus the sum over the
``B`` within ``A + i + j`` that contain both. With subsets of at most two variables, submodularity
is ``m({i, j}) <= 0``.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from sklearn_reclink.capacity import capacity_to_mobius, mobius_to_capacity, small_subsets
from sklearn_reclink.families.base import Family, sum_of_terms
from sklearn_reclink.families.choquet import (
    Choquet,
    joined,
    monotone_above,
    monotone_below,
    subsets_of,
    with_null_variables,
)
from sklearn_reclink.families.formula import CHOQUET, MOEBIUS, Formula, formula

_MOST_ROWS = 20_000  # of a cone that are held from the start


class KAdditiveChoquet(Choquet):
    """Minima of the squared differences over small subsets, one parameter per subset.

    Parameters
    ----------
    n_features : int
    order : int
        Size of the largest subsets with a Moebius coefficient of their own.
    """

    non_negative = False  # Moebius coefficients may be negative

    def __init__(self, n_features: int, order: int) -> None:
        super().__init__(n_features)
        self.order = order
        self.subsets = small_subsets(n_features, order)
        self.n_parameters = len(self.subsets)

    def _minima(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        """The features one at a time, each of shape (...)."""
        squares = differences**2
        for subset in self.subsets:
            members = [k for k in range(self.n_features) if subset >> k & 1]
            smallest = squares[..., members[0]]
            for k in members[1:]:
                smallest = np.minimum(smallest, squares[..., k])
            yield smallest

    def features(self, differences: np.ndarray) -> np.ndarray:
        return np.stack(list(self._minima(differences)), axis=-1)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return sum_of_terms(theta, self._minima(differences), differences.shape[:-1])

    def formula(self, theta: np.ndarray) -> Formula | None:
        mobius = self._mobius(theta)
        capacity, magnitude = mobius_to_capacity(mobius), mobius_to_capacity(np.abs(mobius))
        below = monotone_below(capacity)
        if below.min() < -1e-14 * magnitude[-1]:
            return None
        below = np.maximum(below, 0.0)
        # D and d are the integrals of |m| and m: their ratio is largest on one subset
        touched = magnitude > 0
        with np.errstate(divide="ignore"):
            condition = np.max(magnitude[touched] / below[touched], initial=1.0)
        return formula(
            CHOQUET,
            below,
            theta,
            distance=MOEBIUS,
            terms=self.subsets,
            condition=condition,
            norm=magnitude[-1],
            caps=self.caps,
        )

    def _mobius(self, theta: np.ndarray) -> np.ndarray:
        mobius = np.zeros(2**self.n_features)
        mobius[self.subsets] = theta
        return mobius

    @cached_property
    def rows(self) -> np.ndarray:
        """All rows, or those of the smallest and largest subsets where they are very many."""
        every = self.all_rows
        if len(every) <= _MOST_ROWS:
            return every
        sizes = np.abs(every).sum(axis=1)
        return every[(sizes <= np.sort(sizes)[_MOST_ROWS // 8]) | (sizes == sizes.max())]

    def contains(self, theta: np.ndarray) -> bool:
        return bool(np.all(self.all_rows @ theta >= -1e-12 * np.abs(theta).max(initial=0.0)))

    def separate(self, theta: np.ndarray) -> np.ndarray:
        if len(self.rows) == len(self.all_rows):
            return super().separate(theta)
        values = self.all_rows @ theta
        worst = np.argsort(values)[: self.n_parameters]
        return self.all_rows[worst[values[worst] < 0]]

    @cached_property
    def all_rows(self) -> np.ndarray:
        rows = [self._touched(1 << k) for k in range(self.n_features)]
        return _distinct(np.vstack(rows)).astype(float)

    def _touched(self, members: int) -> np.ndarray:
        """The ``B`` within ``A + members`` that contain all of these, a row for every ``A``."""
        every = np.arange(2**self.n_features)
        larger = every[every & members == 0, None] | members
        return (self.subsets & ~larger == 0) & (self.subsets & members == members)

    @property
    def centre(self) -> np.ndarray:
        return np.where(np.bitwise_count(self.subsets) == 1, 1 / self.n_features, 0.0)

    @property
    def normaliser(self) -> np.ndarray:
        return np.ones(self.n_parameters)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        # m(A) is a sum of 2^(|A| - 1) differences mu(B + k) - mu(B), each in [0, 1], with signs
        largest = 2.0 ** (np.bitwise_count(self.subsets) - 1)
        return np.where(largest == 1, 0.0, -largest), largest

    @property
    def _inside(self) -> np.ndarray:
        """A point at which every row of the cone is positive."""
        return self.centre

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as much of a capacity in the interior as lifts every violated row."""
        lift = np.max(-(self.all_rows @ theta) / (self.all_rows @ self._inside), initial=0.0)
        lifted = theta + lift * self._inside
        # a rounding below 0 would make a link at a distance of 0
        return np.where(np.bitwise_count(self.subsets) == 1, np.maximum(lifted, 0.0), lifted)

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        return Family.excess(self, residual, allowance, error)

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        return np.asarray(theta / theta.sum())

    def shrunk(self, theta: np.ndarray, share: float) -> np.ndarray:
        return Family.shrunk(self, theta, share)

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        mobius = self._mobius(theta)
        capacity = monotone_above(np.maximum(mobius_to_capacity(mobius), 0.0))
        wide = np.zeros(2 ** len(informative))
        wide[subsets_of(informative)] = mobius
        capacity = with_null_variables(capacity / capacity[-1], informative)
        return {"capacity_": capacity, "mobius_": wide}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        return np.asarray(fitted.mobius_[subsets_of(informative)][self.subsets])

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(capacity_to_mobius(np.asarray(parameters, dtype=float))[self.subsets])

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        capacity = mobius_to_capacity(self._mobius(theta))
        return np.asarray(capacity / capacity[-1])

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [joined(int(subset), variables) for subset in self.subsets]


class SubmodularKAdditiveChoquet(KAdditiveChoquet):
    """The same with submodular capacities, with which the distance is a metric."""

    @cached_property
    def all_rows(self) -> np.ndarray:
        n = self.n_features
        # with submodularity, mu(V) >= mu(V - k) is all that monotonicity leaves to ask
        last = np.array([self.subsets >> k & 1 for k in range(n)], dtype=float)
        pairs = (1 << i | 1 << j for i, j in combinations(range(n), 2))
        rows = np.vstack([last, *(-_distinct(self._touched(one)).astype(float) for one in pairs)])
        return rows[rows.any(axis=1)]

    @property
    def _inside(self) -> np.ndarray:
        sizes = np.bitwise_count(self.subsets)
        return np.where(sizes == 1, 1.0, np.where(sizes == 2, -0.5 / self.n_features, 0.0))


def _distinct(rows: np.ndarray) -> np.ndarray:
    """The distinct rows of a matrix of truth values."""
    packed = np.packbits(rows, axis=1)
    whole = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.asarray(rows[np.sort(np.unique(whole, return_index=True)[1])])
