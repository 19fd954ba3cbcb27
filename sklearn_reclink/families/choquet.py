"""The Choquet integral, d2CI and d2CI_m of the papers.

With ``c_(1) <= ... <= c_(n)`` the squared differences in order and ``A_(k)`` the variables of the
``n - k + 1`` largest ones::

    d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),       mu(empty) = 0,  mu(all) = 1

Subsets are numbered by their dyadic representation: bit k is set iff variable k is in. ``theta`` is
the capacity itself, ``theta[A - 1] = mu(A)`` for the non-empty subsets: a pair of records touches
only ``n`` of the ``2^n - 1`` features. ``mu(V)`` is left free, for links do not change with scale.

`Choquet` (d2CI) admits the monotone capacities::

    mu(A) >= 0 for single variables,   mu(A) <= mu(A + k)            eq. (17), 2012

`SubmodularChoquet` (d2CI_m) asks ``mu(A) + mu(B) >= mu(A u B) + mu(A n B)`` too. It is enough to
ask it of neighbours, ``mu(A + i) + mu(A + j) >= mu(A + i + j) + mu(A)``: what a variable adds then
falls as the subset grows, and monotonicity is left to ask of ``mu(V) >= mu(V - k)`` alone.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from sklearn_reclink.capacity import additive_capacity, capacity_to_mobius, n_variables
from sklearn_reclink.families.base import Family
from sklearn_reclink.families.formula import CHOQUET, Formula, formula


class Choquet(Family):
    """Increments of the ordered squared differences, one parameter per non-empty subset.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import Choquet
    >>> capacity = np.array([0.0, 0.2, 0.5, 1.0])  # empty, {0}, {1}, {0, 1}
    >>> theta = Choquet(2).pack(capacity)
    >>> values, _ = Choquet(2).evaluate(theta, np.array([[2.0, 1.0]]))
    >>> values  # 1 * mu({0, 1}) + (4 - 1) * mu({0})
    array([1.6])
    """

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.n_parameters = 2**n_features - 1

    def features(self, differences: np.ndarray) -> np.ndarray:
        features = np.zeros((*differences.shape[:-1], self.n_parameters))
        first = np.arange(0, features.size, self.n_parameters).reshape(differences.shape[:-1])
        for increments, subsets in _increments(differences):
            features.put(first + (subsets - 1), increments)
        return features

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros(differences.shape[:-1])
        for increments, subsets in _increments(differences):
            values += increments * theta.take(subsets - 1)
        return values, values

    def formula(self, theta: np.ndarray) -> Formula | None:
        capacity = np.concatenate([[0.0], theta])
        below = monotone_below(capacity)
        return formula(CHOQUET, below, capacity, caps=self.caps) if below.min() >= 0 else None

    @cached_property
    def rows(self) -> np.ndarray:
        return np.array([self._row([a | 1 << k], [a]) for a, ks in self._lacking() for k in ks])

    @cached_property
    def _proper_subsets(self) -> np.ndarray:
        """All but the empty and the full one, smaller ones first."""
        subsets = np.arange(1, self.n_parameters)
        return subsets[np.argsort(np.bitwise_count(subsets), kind="stable")]

    def _lacking(self) -> list[tuple[int, list[int]]]:
        """Subsets and the variables they lack."""
        n = self.n_features
        return [(a, [k for k in range(n) if not a >> k & 1]) for a in range(2**n)]

    def _row(self, plus: list[int], minus: list[int]) -> np.ndarray:
        row = np.zeros(2**self.n_features)
        np.add.at(row, plus, 1.0)
        np.add.at(row, minus, -1.0)
        return row[1:]  # mu(empty) = 0

    @property
    def centre(self) -> np.ndarray:
        return np.bitwise_count(np.arange(1, 2**self.n_features)) / self.n_features

    @property
    def normaliser(self) -> np.ndarray:
        return np.eye(self.n_parameters)[-1]

    @property
    def n_paper_constraints(self) -> int:
        n = self.n_features
        return 2 + sum(comb(n, k) * k for k in range(2, n + 1))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The least capacity above ``theta``: the running maximum over subsets."""
        return monotone_above(np.concatenate([[0.0], np.maximum(theta, 0.0)]))[1:]

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Excess at a subset is charged to the superset that can best bear it: ``mu`` is larger.

        Sums that are not exact are rounded up.
        """
        excess = np.concatenate([[-np.inf], residual + error - allowance])
        every = np.arange(len(excess))
        for subset in self._proper_subsets:
            if excess[subset] > 0:
                larger = every[(every & subset == subset) & (every != subset)]
                bearer = larger[np.argmin(excess[larger])]
                one, other = excess[bearer], excess[subset]
                charged = one + other
                exact = charged - one == other and charged - other == one
                excess[bearer] = charged if exact else np.nextafter(charged, np.inf)
                excess[subset] = 0.0
        return np.maximum(excess[1:], 0.0)

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        return self.pack(additive_capacity(weights))

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        # rounding is monotone, and so is division: monotonicity stays exact
        above = Choquet.repair(self, theta)
        return above / above[-1]

    def shrunk(self, theta: np.ndarray, share: float) -> np.ndarray:
        mixed = super().shrunk(theta, share)
        return np.asarray(mixed / mixed[-1])

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        capacity = with_null_variables(np.append(0.0, theta), informative)
        return {"capacity_": capacity, "mobius_": capacity_to_mobius(capacity)}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        return np.asarray(fitted.capacity_[subsets_of(informative)][1:])

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(parameters, dtype=float)[1:]

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], theta / theta[-1]])

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [joined(subset, variables) for subset in range(1, 2 ** len(variables))]


class SubmodularChoquet(Choquet):
    """The Choquet integrals of submodular capacities, which are metrics."""

    @cached_property
    def rows(self) -> np.ndarray:
        full = self.n_parameters
        rows = [self._row([full], [full ^ 1 << k]) for k in range(self.n_features)]
        for a, missing in self._lacking():
            for i, j in combinations(missing, 2):
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
        share = self.centre
        inside = share * (2 - share)
        lift = np.max(-(self.rows @ theta) / (self.rows @ inside), initial=0.0)
        return super().repair(theta + lift * inside)


def _increments(differences: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """``c_(k) - c_(k-1)`` and the dyadic numbers of ``A_(k)``, both (...), one k after another."""
    squares = np.ascontiguousarray(differences**2)
    n_features = squares.shape[-1]
    order = np.argsort(squares, axis=-1, kind="stable")
    first = np.arange(0, squares.size, n_features).reshape(squares.shape[:-1])
    subsets = np.full(squares.shape[:-1], 2**n_features - 1)
    before = np.zeros(squares.shape[:-1])
    for k in range(n_features):
        smallest = order[..., k]
        here = squares.take(first + smallest)
        yield here - before, subsets
        subsets, before = subsets - (1 << smallest), here


def monotone_below(capacity: np.ndarray) -> np.ndarray:
    """The largest monotone set function below one; a capacity is its own, up to rounding."""
    below = capacity.copy()
    for k in range(n_variables(capacity)):
        halves = below.reshape(-1, 2, 2**k)  # without and with variable k
        np.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])
    below[0] = min(below[0], 0.0)
    return below


def monotone_above(capacity: np.ndarray) -> np.ndarray:
    """The least monotone set function above one."""
    above = capacity.copy()
    for k in range(n_variables(capacity)):
        halves = above.reshape(-1, 2, 2**k)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return above


def joined(subset: int, variables: Sequence[str]) -> str:
    """The words of the members of a subset in one."""
    return "_".join(word for k, word in enumerate(variables) if subset >> k & 1)


def subsets_of(informative: np.ndarray) -> np.ndarray:
    """Dyadic numbers, among all variables, of the subsets of the informative ones in order."""
    bits = 1 << np.flatnonzero(informative)
    members = np.arange(2 ** len(bits))[:, None] >> np.arange(len(bits)) & 1
    return np.asarray(members @ bits)


def with_null_variables(capacity: np.ndarray, informative: np.ndarray) -> np.ndarray:
    """The capacity on all variables to which the others add nothing: ``mu(A + k) = mu(A)``."""
    wide = np.zeros(2 ** len(informative))
    wide[subsets_of(informative)] = capacity
    for k in np.flatnonzero(~informative):
        halves = wide.reshape(-1, 2, 2**k)
        halves[:, 1] = halves[:, 0]
    return wide
