"""Which variables, and which pairs of them, give people away?

Three views of a variable, none of which is the truth alone:

=============  ====================================================================================
weight         its weight in the weighted mean that finds the most people, with those of its
               missing values; they sum to 1
Shapley value  its mean share in all combinations, in the capacity that finds the most people
without it     how many people the *judge* finds when the variable is withheld from the release
=============  ====================================================================================

The judge is the attacker that the risk comes from. It is fitted again without each variable, to the
same records, and guesses among ties count as in the risk. A variable without which the judge finds
few people is a candidate for a *remedy* (`_remedies`), and a remedy is measured with all attackers.

The *interaction index* of two variables is positive if they reveal more together than apart, and
negative if they repeat each other.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, HeldOut, Outcome, attack, held_out
from sklearn_reclink.auditing._attackers import Setting
from sklearn_reclink.auditing._files import Files
from sklearn_reclink.auditing._findings import Finding
from sklearn_reclink.auditing._remedies import Remedy, measured_remedies
from sklearn_reclink.auditing._running import Run
from sklearn_reclink.capacity import interaction_matrix, shapley
from sklearn_reclink.data.alignment import agreement, correlations

_ROUNDING = 1e-9
_JUDGING = 0.5  # share of the time for the variables; the remedies have the rest
_SHORTEST = 0.2  # seconds of a search without one variable


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
        People that the judge finds without this variable; None if time did not allow it to be
        tried.
    drop : int or None
        How many fewer that is than with all variables; negative if it finds more.
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

    Attributes
    ----------
    variables : tuple of Variable
        What each gives away.
    pairs : tuple of Pair
        How two act together.
    judge : str
        Title of the attacker that the risk comes from.
    n_with : int
        People that the judge finds with all variables, guesses among ties included.
    n_sought : int or None
        How many people the judge looked for, if it is tested on some of them.
    shorter : bool
        Whether its searches without a variable had less time than the one with all of them.
    remedies : tuple of Remedy
        What leaving out variables was measured to change.
    """

    variables: tuple[Variable, ...]
    pairs: tuple[Pair, ...]
    judge: str
    n_with: int
    n_sought: int | None = None
    shorter: bool = False
    remedies: tuple[Remedy, ...] = ()

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
    def helpful(self) -> list[Remedy]:
        """The remedies worth telling, in the order measured: each helps more than those before."""
        found: list[Remedy] = []
        for one in self.remedies:
            if one.helps and all(one.helps_more_than(other) for other in found):
                found.append(one)
        return found

    @property
    def judged_note(self) -> str:
        """Who counts what is found without a variable, and on what."""
        text = f"Found without it: by {self.judge}, the attacker that the risk comes from, fitted "
        text += f"again without the variable; with all variables it finds {self.n_with:,}, guesses "
        text += "among ties included."
        if self.n_sought is not None:
            text += (
                f" It looked for a random sample of {self.n_sought:,}; the numbers are scaled up."
            )
        if self.shorter:
            text += " These searches had less time than the one with all variables, and with more "
            text += "time might find more."
        return text

    @property
    def untried_note(self) -> str | None:
        """A sentence if time did not allow every variable to be withheld."""
        n_tried, total = len(self.tried), len(self.variables)
        if n_tried == total or total == 1:
            return None
        if not n_tried:
            return (
                "There was no time to withhold any variable in turn. Try a longer time limit or "
                "fewer columns."
            )
        return (
            f"There was time to withhold {n_tried:,} of the {total:,} variables in turn: first "
            "those left unchanged or nearly so, then those with the largest learned weights, then "
            "those that masking changed least. A longer time limit or fewer columns would cover "
            "all."
        )


def variable_contributions(
    files: Files, run: Run, findings: Sequence[Finding], seconds: float
) -> VariableContributions:
    """The three views of every variable, the pairs, and remedies, within some seconds."""
    end, names = time.monotonic() + seconds, files.names
    mean = best_attack(run.attacks, "weighted_mean")
    choquet = best_attack(run.attacks, "choquet", "hlms")
    nothing = [None] * len(names)
    weights = nothing if mean is None else _weights(mean.linker).tolist()
    capacity = None if choquet is None else np.asarray(choquet.linker.capacity_)
    values = nothing if capacity is None else shapley(capacity).tolist()
    learned = np.array([(w or 0.0) + (v or 0.0) for w, v in zip(weights, values, strict=True)])
    exposed = {names.index(one.column) for one in findings if one.exposes}
    first = np.array([k not in exposed for k in range(len(names))])
    likeness = _likeness(files.X, files.Y, files.nominal or ())
    order = np.lexsort([-likeness, -learned, first]).tolist()
    judge, total = run.strongest, len(files.X)
    without, shorter = _withheld(run, files, order, mean, end - seconds * (1 - _JUDGING))
    n_with = round(judge.risk * total)
    counts = {k: round(risk * total) for k, risk in without.items()}
    variables = [
        Variable(
            name=name,
            weight=weights[k],
            shapley=values[k],
            n_without=counts.get(k),
            drop=n_with - counts[k] if k in counts else None,
        )
        for k, name in enumerate(names)
    ]
    candidates = _candidates(exposed, counts, n_with, len(names))
    return VariableContributions(
        variables=tuple(variables),
        pairs=_pairs(names, capacity),
        judge=judge.attacker.title,
        n_with=n_with,
        n_sought=None if len(judge.chance) == total else len(judge.chance),
        shorter=shorter,
        remedies=measured_remedies(candidates, files, run, end),
    )


def _weights(linker: Any) -> np.ndarray:
    """The share of every variable in a weighted mean, missing values included, (n_features,)."""
    of_missing = getattr(linker, "missing_weights_", np.zeros((linker.n_features_in_, 2)))
    weights = linker.weights_ + of_missing.sum(axis=1)
    return np.asarray(weights / weights.sum())


def _withheld(
    run: Run, files: Files, order: Sequence[int], mean: Attack | None, end: float
) -> tuple[dict[int, float], bool]:
    """Risk without each variable, as long as one more is likely to be in time; if with less time.

    A judge that searches divides the time; ``mean`` is the learned weighted mean, which a search
    without a variable starts from.
    """
    found, judge = dict[int, float](), run.strongest
    if len(order) < 2:
        return found, False
    searches, shorter = judge.attacker.time_weight > 0, False
    once = judge.seconds
    if searches:
        once = min(once, max((end - time.monotonic()) / len(order), _SHORTEST))
    for k in order:
        begin = time.monotonic()
        if begin + (_SHORTEST if searches else once) > end:
            break
        others = [j for j in range(len(order)) if j != k]
        given = {}
        if mean is not None and files.nominal is None and mean.linker.weights_[others].sum() > 0:
            given = {mean.linker.standardize_: mean.linker.weights_[others]}
        some, seconds = files.only(others), min(once, end - begin)
        found[k], cut = _judged_again(judge, some, run.plan.setting, seconds, given)
        shorter = shorter or (cut and once < judge.seconds)
        if not searches:
            once = time.monotonic() - begin
    return found, shorter


def _judged_again(
    judge: Outcome,
    files: Files,
    setting: Setting,
    seconds: float,
    given: Mapping[str | None, np.ndarray],
) -> tuple[float, bool]:
    """Risk by the judge in other files, and whether the time limit stopped its search."""
    setting = replace(setting, n_features=len(files.names), nominal=files.nominal)
    one, tables = judge.attacker, (files.X, files.Y)
    try:
        if isinstance(judge, HeldOut):
            return held_out(one, *tables, setting, seconds, files.pool).risk, one.time_weight > 0
        found, _ = attack(one, *tables, setting, seconds, given, files.pool)
    except ValueError:  # what is left is constant: every masked record is as near as any other
        return 1 / len(files.X), False
    return found.risk, found.status == "time_limit"


def _candidates(
    exposed: set[int], counts: Mapping[int, int], n_with: int, n_features: int
) -> list[tuple[int, ...]]:
    """Variables to leave out together: those not masked, the best by the judge, the best two."""
    best = sorted((k for k in counts if counts[k] < n_with), key=lambda k: counts[k])
    sets = [tuple(sorted(exposed)), tuple(best[:1]), tuple(sorted(best[:2]))]
    return list(dict.fromkeys(one for one in sets if 0 < len(one) < n_features))


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
