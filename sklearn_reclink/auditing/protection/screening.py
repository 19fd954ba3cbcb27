"""What quick attackers find in a masking, and what a masking loses.

Attackers run from cheap to strong, and the first that finds more than the limit ends the attack:
what one attacker finds, the worst case finds as well. A masking within the limit is not thereby
safe: the audit, with all attackers, decides. Where the expected ceiling is within the limit, no
monotone distance needs to be searched for.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn_reclink.auditing._attackers import (
    VIEWS,
    Attacker,
    Setting,
    chosen_attackers,
    collected_warnings,
)
from sklearn_reclink.auditing.protection.trials import (
    PASSED,
    PROVEN,
    REJECTED,
    ROUNDING,
    MaskerFamily,
    Trial,
    share_of_different_rows,
    value_change,
)

QUICK = ("euclidean", "mahalanobis", "density", "weighted_mean")  # from cheap to strong
SECONDS = 2.0  # for one that searches


@dataclass(frozen=True, eq=False)
class Screen:
    """What all trials of a search share.

    Attributes
    ----------
    X : array or dataframe of shape (n_records, n_features)
        The original file.
    max_risk : float
        The target.
    reserve : float
        The share of the target that is kept in reserve where nothing is proven.
    loss : callable
        Information loss of two files.
    told : mapping
        What linkers are told of the variables.
    setting : Setting
        Size of the files, seed and workers.
    numeric : bool
        Whether all variables are numbers without missing values.
    attackers : iterable of str or None
        Those of the audits, by default all; no others are tried before them.
    """

    X: Any
    max_risk: float
    reserve: float
    loss: Callable[[Any, Any], float]
    told: Mapping[str, Any]
    setting: Setting
    numeric: bool
    attackers: Iterable[str] | None = None

    @property
    def limit(self) -> float:
        """The largest share that attackers may find where nothing is proven."""
        return (1 - self.reserve) * self.max_risk

    @property
    def quick(self) -> list[Attacker]:
        """Who attacks before the audits: of the attackers chosen, the quick ones or the first."""
        chosen = {one.name: one for one in chosen_attackers(self.attackers)}
        return [chosen[name] for name in QUICK if name in chosen] or list(chosen.values())[:1]

    def masked(self, masker: Any) -> Any:
        """The release that a masker makes."""
        return masker.fit_transform(self.X)

    def first_look(self, family: MaskerFamily, seconds: float) -> list[Trial] | str:
        """Loss and bound of the strengths of a family, or why it cannot mask the file.

        The strongest comes first, then the others in the order of bisection. Those that have not
        begun when the seconds are over are left out; they count from the second strength on, since
        the first may have to load compiled code.
        """
        end = math.inf
        found: list[Trial] = []
        for place in in_order_of_bisection(len(family.strengths)):
            if found:
                end = min(end, time.monotonic() + seconds)
                if time.monotonic() >= end:
                    break
            try:
                masker = family.at(place)
                Y = self.masked(masker)
            except ValueError as error:
                return str(error).partition(": name the columns")[0]  # a search chooses maskers
            found.append(
                Trial(
                    name=family.label(place),
                    family=family.name,
                    place=place,
                    masker=masker,
                    information_loss=float(self.loss(self.X, Y)),
                    change=value_change(self.X, Y),
                    bound=share_of_different_rows(Y),
                )
            )
        found.sort(key=lambda one: one.place)
        return [replace(one, place=place) for place, one in enumerate(found)]

    def attack(self, trial: Trial) -> Trial:
        """The trial after the quick attackers, unless its bound makes them needless."""
        if trial.is_proven(self.max_risk):
            return replace(trial, outcome=PROVEN)
        Y = self.masked(trial.masker)
        ceiling, risk, by = None, 0.0, ""
        for attacker in self.quick:
            if attacker.skip_reason(self.setting) is not None:
                continue
            if attacker.time_weight > 0:
                if self.setting.n_records > self.setting.limits.all_pairs:
                    continue
                ceiling = self.monotone_bound(Y) if attacker.monotone else None
                if ceiling is not None and ceiling <= self.limit + ROUNDING:
                    continue
            rate = self._rate(attacker, Y)
            if rate > risk:
                risk, by = rate, attacker.name
            if risk > self.limit + ROUNDING:
                break
        outcome = PASSED if risk <= self.limit + ROUNDING else REJECTED
        return replace(trial, risk=risk, attacker=by, outcome=outcome, monotone_bound=ceiling)

    def monotone_bound(self, Y: Any) -> float | None:
        """The expected ceiling of a file of numbers that is not too long."""
        from sklearn_reclink.metrics import linkage_ceiling

        if not self.numeric or self.setting.n_records > self.setting.limits.all_pairs:
            return None
        return linkage_ceiling(self.X, Y, standardize=VIEWS, expected=True)

    def _rate(self, attacker: Attacker, Y: Any) -> float:
        """The larger of the strict and the expected share that an attacker finds."""
        with collected_warnings():
            linker = attacker.build(self.setting, SECONDS).set_params(**self.told)
            links = linker.fit(self.X, Y).link(self.X, Y)
        return max(float(links.reidentified.mean()), float(links.expected_rate))


def in_order_of_bisection(length: int) -> list[int]:
    """Places from 0: the last, then the middles of what is left between those before.

    Examples
    --------
    >>> from sklearn_reclink.auditing.protection.screening import in_order_of_bisection
    >>> in_order_of_bisection(6)
    [5, 2, 1, 4, 0, 3]
    """
    order, parts = [length - 1], [(0, length - 1)]
    while parts:
        low, high = parts.pop(0)  # places low to high - 1 are left
        if low < high:
            middle = (low + high) // 2
            order.append(middle)
            parts += [(low, middle), (middle + 1, high)]
    return order
