"""What a search for a masking found, to read, to print and to keep."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing.protection.trials import CONFIRMED, LEFT_OPEN, PROVEN, Trial

if TYPE_CHECKING:
    from sklearn_reclink.auditing._result import Audit


@dataclass(frozen=True, eq=False)
class Protection:
    """What a search for a masking found. Made by `MaskingSearch`.

    Attributes
    ----------
    max_risk, reserve : float
        The target, and the share of it that is kept in reserve where nothing is proven.
    trials : tuple of Trial
        All maskings, in order of increasing loss.
    chosen : Trial
        The masking to release. If none is within the target, it is one that could not be settled in
        time, or else the one in which an audit finds least.
    feasible : bool
        Whether it is within the target, by a proof or by an audit with every attacker.
    audit : Audit or None
        The audit of the chosen masking.
    refused : dict of str to str
        Families that cannot mask the file, and why.
    complete : bool
        Whether more time would not have helped: no masking was left out for lack of it.
    settings : dict
        How the search was made.
    n_records : int
        Number of records.
    unit : str
        What the records are, in the plural.

    Examples
    --------
    >>> from sklearn_reclink.auditing import MaskerFamily, MaskingSearch
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import Microaggregation
    >>> X = make_microdata(100, 3, random_state=0)
    >>> groups = MaskerFamily("groups", Microaggregation(), "k", (5, 10, 20))
    >>> search = MaskingSearch(0.1, maskers=[groups], attackers=["euclidean"], time_limit=20)
    >>> found = search.fit(X).protection_
    >>> found.chosen.name, found.is_proven
    ('groups, k = 10', True)
    """

    max_risk: float
    reserve: float
    trials: tuple[Trial, ...]
    chosen: Trial
    feasible: bool
    audit: Audit | None
    refused: dict[str, str]
    complete: bool
    settings: dict[str, Any]
    n_records: int
    unit: str = "people"

    @property
    def is_proven(self) -> bool:
        """Whether no attacker of any kind exceeds the target in the chosen masking."""
        return self.chosen.is_proven(self.max_risk)

    @property
    def random_guess(self) -> float:
        """The share that guesses at random find on average, in any release."""
        return 1 / self.n_records

    @property
    def monotone_bound(self) -> float | None:
        """No weighted mean, OWA or Choquet distance finds a larger share; None if not known."""
        known = [self.chosen.bound, self.chosen.monotone_bound]
        return min((one for one in known if one is not None and one < 1), default=None)

    @property
    def unsettled(self) -> bool:
        """Whether the risk found is within the target, but not every attacker was tried."""
        return not self.feasible and self.chosen.outcome in LEFT_OPEN

    @property
    def above_limit(self) -> bool:
        """Whether no masking was found that is within the target, or proven to be if so asked."""
        return not self.feasible and not self.unsettled

    @cached_property
    def attacked(self) -> tuple[Trial, ...]:
        """The maskings whose risk is known: tried by every attacker, or proven."""
        return tuple(one for one in self.trials if one.in_full or one.is_proven(self.max_risk))

    @cached_property
    def frontier(self) -> tuple[Trial, ...]:
        """Of the maskings whose risk is known, those beaten by no other in both risk and loss."""
        from sklearn_reclink.inspection import pareto_frontier

        if not self.attacked:
            return ()
        best = pareto_frontier(
            [risk_of(one) for one in self.attacked],
            [one.information_loss for one in self.attacked],
        )
        return tuple(one for one, is_best in zip(self.attacked, best, strict=True) if is_best)

    @cached_property
    def best_proven(self) -> Trial | None:
        """The masking of least loss that is proven."""
        proven = [one for one in self.trials if one.is_proven(self.max_risk)]
        return min(proven, key=lambda one: one.information_loss, default=None)

    @cached_property
    def best_groups(self) -> Trial | None:
        """Microaggregation of all variables together, with the least loss within the target."""
        groups = [
            one
            for one in self.trials
            if one.family == "groups"
            and (one.is_proven(self.max_risk) or one.outcome in (PROVEN, CONFIRMED))
        ]
        return min(groups, key=lambda one: one.information_loss, default=None)

    def columns(self) -> dict[str, list[Any]]:
        """All trials by column."""
        best = set(self.frontier)
        return {
            "masking": [one.name for one in self.trials],
            "family": [one.family for one in self.trials],
            "information_loss": [one.information_loss for one in self.trials],
            "change": [one.change for one in self.trials],
            "risk": [np.nan if one.risk is None else one.risk for one in self.trials],
            "attacker": [one.attacker for one in self.trials],
            "bound": [one.bound for one in self.trials],
            "outcome": [one.outcome for one in self.trials],
            "frontier": [one in best for one in self.trials],
            "chosen": [one.name == self.chosen.name for one in self.trials],
        }

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        from sklearn_reclink.auditing.protection.output import protection_as_dict

        return protection_as_dict(self)

    def to_text(self) -> str:
        """The choice, why it was made and the frontier, for a terminal."""
        from sklearn_reclink.auditing.protection.output import protection_text

        return protection_text(self)

    def to_html(self) -> str:
        """The report as one self-contained page."""
        from sklearn_reclink.auditing.protection.page import render_protection

        return render_protection(self)


def risk_of(trial: Trial) -> float:
    """The risk of a masking that was attacked, or the bound of one that was not."""
    return trial.bound if trial.risk is None else trial.risk
