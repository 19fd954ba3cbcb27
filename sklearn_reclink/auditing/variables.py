"""Which variables, and which pairs of them, give people away?

Three views of a variable, none of which is the truth alone:

=============  ====================================================================================
weight         its weight in the weighted mean that finds the most people; they sum to 1
Shapley value  its mean share in all combinations, in the capacity that finds the most people
without it     how many people the two plain attackers (Euclidean, Mahalanobis; the better of
               them) still find when the variable is withheld from the release
=============  ====================================================================================

The *interaction index* of two variables is positive where they tell more together than apart, and
negative where they repeat each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker
from sklearn_reclink.auditing.attackers import MOST_LEARNT, Attack, Setting, collected_warnings
from sklearn_reclink.capacity import interaction_matrix, shapley

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Variable:
    """What one variable gives away.

    Attributes
    ----------
    name : str
        Name of the column.
    weight, shapley : float or None
        Its learnt weight and Shapley value; None if no such attacker found anybody.
    n_without : int
        People that the plain attackers find without this variable.
    drop : int
        How many fewer that is than with all variables; negative where they find more.
    """

    name: str
    weight: float | None
    shapley: float | None
    n_without: int
    drop: int


@dataclass(frozen=True)
class Pair:
    """How two variables act together."""

    first: str
    second: str
    interaction: float


@dataclass(frozen=True)
class WhatGivesAway:
    """Variables in the order of the file, and pairs with the strongest interaction first.

    ``n_plain`` is the number of people that the plain attackers find with all variables.
    """

    variables: tuple[Variable, ...]
    pairs: tuple[Pair, ...]
    n_plain: int

    @property
    def ranked(self) -> list[Variable]:
        """The variables, those that give the most away first."""
        return sorted(self.variables, key=_importance, reverse=True)


def _importance(variable: Variable) -> tuple[int, float]:
    return variable.drop, (variable.weight or 0.0) + (variable.shapley or 0.0)


def n_found_plainly(X: np.ndarray, Y: np.ndarray, setting: Setting) -> int:
    """People found by the better of the two attackers without parameters to choose."""
    varies = (np.ptp(X, axis=0) > 0) & (np.ptp(Y, axis=0) > 0)
    if not varies.any():
        return 0
    rows = setting.sample(np.arange(len(X)), MOST_LEARNT)
    linkers: list[Any] = [EuclideanLinker(n_jobs=setting.n_jobs)]
    linkers += [MahalanobisLinker(n_jobs=setting.n_jobs)]
    with collected_warnings():
        rates = [linker.fit(X[rows], Y[rows]).score(X, Y) for linker in linkers]
    return round(max(rates) * len(X))


def what_gives_away(
    X: np.ndarray,
    Y: np.ndarray,
    names: Sequence[str],
    attacks: Sequence[Attack],
    setting: Setting,
) -> WhatGivesAway:
    """The three views of every variable, and the pairs."""
    weights = _learnt(attacks, ("weighted_mean",), "weights_")
    capacity = _learnt(attacks, ("choquet", "hlms"), "capacity_")
    values = None if capacity is None else shapley(capacity)
    n_plain = n_found_plainly(X, Y, setting)
    variables = []
    for k, name in enumerate(names):
        others = np.arange(len(names)) != k
        n_without = n_found_plainly(X[:, others], Y[:, others], setting) if others.any() else 0
        variables.append(
            Variable(
                name=name,
                weight=None if weights is None else float(weights[k]),
                shapley=None if values is None else float(values[k]),
                n_without=n_without,
                drop=n_plain - n_without,
            )
        )
    return WhatGivesAway(tuple(variables), _pairs(names, capacity), n_plain)


def _learnt(attacks: Sequence[Attack], wanted: Sequence[str], attribute: str) -> np.ndarray | None:
    """Parameters of the best of some attackers, if it found anybody."""
    some = [one for one in attacks if one.attacker.name in wanted and one.n_found > 0]
    if not some:
        return None
    return np.asarray(getattr(max(some, key=lambda one: one.n_found).linker, attribute))


def _pairs(names: Sequence[str], capacity: np.ndarray | None) -> tuple[Pair, ...]:
    if capacity is None or len(names) < 2:
        return ()
    matrix = interaction_matrix(capacity)
    if np.abs(matrix[~np.eye(len(names), dtype=bool)]).max() < _ROUNDING:
        return ()  # an additive capacity: no pair acts together
    pairs = [
        Pair(names[i], names[j], float(matrix[i, j])) for i, j in combinations(range(len(names)), 2)
    ]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.interaction)))
