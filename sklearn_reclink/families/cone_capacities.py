"""Cones of capacities.

`MonotoneCapacities` (d2CI)::

    mu(A) >= 0 for single variables,   mu(A) <= mu(A + k)            eq. (17), 2012

`SubmodularCapacities` (d2CI_m) adds ``mu(A) + mu(B) >= mu(A u B) + mu(A n B)``. It is enough to ask
it of neighbours, ``mu(A + i) + mu(A + j) >= mu(A + i + j) + mu(A)``: what a variable adds then
falls as the subset grows, and monotonicity is left to ask of ``mu(V) >= mu(V - k)`` alone.

`KAdditiveCapacities` are the monotone ones in the coordinates of their Moebius transform, which
vanishes on subsets of more than ``order`` variables.

``theta[A - 1] = mu(A)`` for the first two; ``mu(V)`` is left free, for links do not change with
scale.
"""

from __future__ import annotations

from functools import cached_property
from math import comb

import numpy as np

from sklearn_reclink.capacity import small_subsets, subset_sizes
from sklearn_reclink.families.cone_base import Domain


class MonotoneCapacities(Domain):
    """Capacities on ``n_features`` variables."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.n_parameters = 2**n_features - 1

    def _without(self, size: int) -> list[tuple[int, list[int]]]:
        """Subsets and the variables they lack, if they lack at least ``size``."""
        n = self.n_features
        lacking = [(a, [k for k in range(n) if not a >> k & 1]) for a in range(2**n)]
        return [(a, missing) for a, missing in lacking if len(missing) >= size]

    def _row(self, plus: list[int], minus: list[int]) -> np.ndarray:
        row = np.zeros(self.n_parameters + 1)
        np.add.at(row, plus, 1.0)
        np.add.at(row, minus, -1.0)
        return row[1:]  # mu(empty) = 0

    @cached_property
    def _rows(self) -> np.ndarray:
        return np.array([self._row([a | 1 << k], [a]) for a, ks in self._without(1) for k in ks])

    @property
    def rows(self) -> np.ndarray:
        return self._rows

    @property
    def centre(self) -> np.ndarray:
        return np.asarray(subset_sizes(self.n_features)[1:] / self.n_features)

    @property
    def normaliser(self) -> np.ndarray:
        return np.eye(self.n_parameters)[-1]

    @property
    def n_paper_constraints(self) -> int:
        n = self.n_features
        return 2 + sum(comb(n, k) * k for k in range(2, n + 1))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The least capacity above ``theta``: the running maximum over subsets."""
        capacity = np.concatenate([[0.0], np.maximum(theta, 0.0)])
        for k in range(self.n_features):
            halves = capacity.reshape(-1, 2, 2**k)
            np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
        return capacity[1:]

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        """Excess at a subset is charged to the superset that can best bear it: ``mu`` is larger."""
        excess = np.concatenate([[-np.inf], residual - allowance])
        every = np.arange(len(excess))
        for subset in small_subsets(self.n_features, self.n_features - 1):
            if excess[subset] > 0:
                larger = every[(every & subset == subset) & (every != subset)]
                excess[larger[np.argmin(excess[larger])]] += excess[subset]
                excess[subset] = 0.0
        return np.maximum(excess[1:], 0.0)


class SubmodularCapacities(MonotoneCapacities):
    """Submodular capacities: the Choquet integral is then a metric."""

    @cached_property
    def _rows(self) -> np.ndarray:
        full = self.n_parameters
        rows = [self._row([full], [full ^ 1 << k]) for k in range(self.n_features)]
        for a, missing in self._without(2):
            for position, i in enumerate(missing):
                for j in missing[position + 1 :]:
                    rows.append(self._row([a | 1 << i, a | 1 << j], [a | 1 << i | 1 << j, a]))
        return np.array(rows)

    @property
    def n_paper_constraints(self) -> int:
        return super().n_paper_constraints + comb(self.n_features, 2)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as much of a strictly submodular capacity as lifts every violated row.

        What rounding leaves is then lifted until the capacity is non-negative and monotone to the
        last bit: at a distance of 0 the least negative capacity would make a link.
        """
        share = subset_sizes(self.n_features)[1:] / self.n_features
        inside = share * (2 - share)
        lift = np.max(-(self.rows @ theta) / (self.rows @ inside), initial=0.0)
        return super().repair(theta + lift * inside)


class KAdditiveCapacities(MonotoneCapacities):
    """Monotone capacities whose Moebius transform ends at subsets of ``order`` variables."""

    def __init__(self, n_features: int, order: int) -> None:
        super().__init__(n_features)
        self.order = order
        self._subsets = small_subsets(n_features, order)
        self.n_parameters = len(self._subsets)

    @cached_property
    def _rows(self) -> np.ndarray:
        # mu(A + k) - mu(A) = sum of m(B) over the B within A + k that contain k
        rows = [
            ((self._subsets & ~(a | 1 << k)) == 0) & (self._subsets >> k & 1 == 1)
            for a, missing in self._without(1)
            for k in missing
        ]
        return np.unique(np.array(rows, dtype=float), axis=0)

    @property
    def centre(self) -> np.ndarray:
        return np.where(np.bitwise_count(self._subsets) == 1, 1 / self.n_features, 0.0)

    @property
    def normaliser(self) -> np.ndarray:
        return np.ones(self.n_parameters)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        # m(A) is a sum of 2^(|A| - 1) differences mu(B + k) - mu(B), each in [0, 1], with signs
        largest = 2.0 ** (np.bitwise_count(self._subsets) - 1)
        return np.where(largest == 1, 0.0, -largest), largest

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as much of the uniform additive capacity as lifts every violated row."""
        lift = np.max(-(self.rows @ theta) / (self.rows @ self.centre), initial=0.0)
        return self._without_negative_singles(theta + lift * self.centre)

    def _without_negative_singles(self, theta: np.ndarray) -> np.ndarray:
        # a rounding below 0 would make a link at a distance of 0
        return np.where(np.bitwise_count(self._subsets) == 1, np.maximum(theta, 0.0), theta)

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        return Domain.excess(self, residual, allowance)
