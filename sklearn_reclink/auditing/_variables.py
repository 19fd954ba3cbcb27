"""Which variables, and which pairs of them, give people away?

Three views of a variable, none of which is the truth alone:

=============  ====================================================================================
weight         its weight in the weighted mean that finds the most people; they sum to 1
Shapley value  its mean share in all combinations, in the capacity that finds the most people
without it     how many people the two plain attackers (Euclidean, Mahalanobis; the better of
               them) still find when the variable is withheld from the release
=============  ====================================================================================

The *interaction index* of two variables is positive if they tell more together than apart, and
negative if they repeat each other.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack
from sklearn_reclink.auditing._attackers import Setting, collected_warnings
from sklearn_reclink.capacity import interaction_matrix, shapley
from sklearn_reclink.data.alignment import agreement, correlations
from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Variable:
    """What one variable gives away.

    Attributes
    ----------
    name : str
        Name of the column.
    weight, shapley : float or None
        Its learned weight and Shapley value; None if no such attacker found anybody.
    n_without : int or None
        People that the plain attackers find without this variable; None if time did not allow it
        to be tried.
    drop : int or None
        How many fewer that is than with all variables; negative if they find more.
    """

    name: str
    weight: float | None
    shapley: float | None
    n_without: int | None
    drop: int | None

    @property
    def learned(self) -> float:
        """How much it counts in the learned distances."""
        return (self.weight or 0.0) + (self.shapley or 0.0)


@dataclass(frozen=True)
class Pair:
    """How two variables act together."""

    first: str
    second: str
    interaction: float


@dataclass(frozen=True)
class VariableContributions:
    """Variables in the order of the file, and pairs with the strongest interaction first.

    ``n_plain`` is the number of people that the plain attackers find with all variables.
    """

    variables: tuple[Variable, ...]
    pairs: tuple[Pair, ...]
    n_plain: int

    @property
    def ranked(self) -> list[Variable]:
        """The variables, those that give the most away first, those not tried last."""
        return sorted(
            self.variables, key=lambda one: (one.drop is None, -(one.drop or 0), -one.learned)
        )

    @property
    def tried(self) -> list[Variable]:
        """The variables that were withheld, those that give the most away first."""
        return [one for one in self.ranked if one.drop is not None]

    @property
    def untried_note(self) -> str | None:
        """A sentence if time did not allow every variable to be withheld."""
        n_tried, total = len(self.tried), len(self.variables)
        if n_tried == total:
            return None
        return (
            f"Time allowed {n_tried:,} of the {total:,} variables to be withheld in turn; those "
            "with the largest learned weights, and then those that masking changed least, come "
            "first. A longer time limit or fewer columns would cover all."
        )


def plain_linkers(setting: Setting) -> list[Any]:
    """The linkers that learn nothing, without Mahalanobis if the file is too wide for it."""
    narrow = setting.n_features <= setting.limits.covariance_variables
    return [EuclideanLinker, MahalanobisLinker] if narrow else [EuclideanLinker]


def n_found_without_learning(X: np.ndarray, Y: np.ndarray, setting: Setting) -> int:
    """People found by the better of the two attackers that learn nothing."""
    spans = [np.fmax.reduce(file) > np.fmin.reduce(file) for file in (X, Y)]
    if not np.logical_and(*spans).any():
        return 0
    rows = setting.sample(np.arange(len(X)), setting.limits.repeated_search)
    work = {"n_jobs": setting.n_jobs, **setting.kinds}
    linkers = [linker(**work) for linker in plain_linkers(setting)]
    with collected_warnings():
        rates = [linker.fit(X[rows], Y[rows]).score(X, Y) for linker in linkers]
    return round(max(rates) * len(X))


def variable_contributions(
    X: np.ndarray,
    Y: np.ndarray,
    names: Sequence[str],
    attacks: Sequence[Attack],
    setting: Setting,
    seconds: float = np.inf,
) -> VariableContributions:
    """The three views of every variable, and the pairs; variables are withheld for some seconds."""
    mean, choquet = best_attack(attacks, "weighted_mean"), best_attack(attacks, "choquet", "hlms")
    nothing = [None] * len(names)
    weights = nothing if mean is None else mean.linker.weights_.tolist()
    capacity = None if choquet is None else np.asarray(choquet.linker.capacity_)
    values = nothing if capacity is None else shapley(capacity).tolist()
    begin = time.monotonic()
    plain = [one for one in attacks if one.attacker.linker in plain_linkers(setting)]
    if len(plain) == len(plain_linkers(setting)) and len(X) <= setting.limits.repeated_search:
        n_plain, once = max(one.n_found for one in plain), sum(one.seconds for one in plain)
    else:
        n_plain = n_found_without_learning(X, Y, setting)
        once = time.monotonic() - begin
    learned = np.array([(w or 0.0) + (v or 0.0) for w, v in zip(weights, values, strict=True)])
    order = np.lexsort([-_likeness(X, Y, setting.nominal or ()), -learned])
    without = _withheld(X, Y, order, setting, begin + seconds, once)
    drops = {k: n_plain - n for k, n in without.items()}
    variables = [
        Variable(name, weights[k], values[k], without.get(k), drops.get(k))
        for k, name in enumerate(names)
    ]
    return VariableContributions(tuple(variables), _pairs(names, capacity), n_plain)


def _withheld(
    X: np.ndarray, Y: np.ndarray, order: np.ndarray, setting: Setting, end: float, once: float
) -> dict[int, int]:
    """People still found without each variable, as long as one more is likely to be in time.

    ``once`` is how many seconds the plain attackers took with all variables.
    """
    found: dict[int, int] = {}
    for k in order.tolist():
        begin = time.monotonic()
        if begin + once > end:
            break
        others = np.arange(len(order)) != k
        files = X[:, others], Y[:, others]
        found[k] = n_found_without_learning(*files, setting.without(k))
        once = time.monotonic() - begin
    return found


def _likeness(X: np.ndarray, Y: np.ndarray, nominal: Sequence[int]) -> np.ndarray:
    """Correlation or agreement of every variable with its masked version, -1 for a constant one."""
    found = np.full(X.shape[1], -1.0)
    for k in range(X.shape[1]):
        both = ~(np.isnan(X[:, k]) | np.isnan(Y[:, k]))
        x, y = X[both, k], Y[both, k]
        if len(x):
            like = agreement(x, y) if k in nominal else correlations(x[:, None], y[:, None])[0]
            found[k] = np.nan_to_num(like, nan=-1.0)
    return found


def best_attack(attacks: Sequence[Attack], *names: str) -> Attack | None:
    """The best of the attackers of some names, if it found anybody."""
    some = [one for one in attacks if one.attacker.name in names and one.n_found > 0]
    return max(some, key=lambda one: one.n_found, default=None)


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
