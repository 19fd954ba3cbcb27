"""One call that audits a masked file: attackers, held-out estimate, variables, records at risk.

The searches share the time limit: the time that is left is divided among the searches still to come
in proportion to their weights, so time that a proof did not need goes to the others. Compiling and
linking are not limited; they take seconds for up to some ten thousand records.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, attack, compile_searches
from sklearn_reclink.auditing._attackers import (
    Attacker,
    Setting,
    SizeLimits,
    chosen_attackers,
    collected_warnings,
)
from sklearn_reclink.auditing._held_out import HeldOut, can_be_held_out, held_out
from sklearn_reclink.auditing._records import records_at_risk
from sklearn_reclink.auditing._result import Audit, Skipped
from sklearn_reclink.auditing._time_budget import Progress, Steps, TimeBudget
from sklearn_reclink.auditing._variables import variable_contributions
from sklearn_reclink.linkers import MahalanobisLinker

# Time for a held-out estimate, as a share of the time for the search in the whole file.
HELD_OUT_SHARE = 0.5
FIRST_STEP = "compiling"


def audit(
    X: Any,
    y: Any,
    *,
    ids: Sequence[Any] | None = None,
    attackers: Iterable[str] | None = None,
    time_limit: float = 60.0,
    limit: float | None = None,
    masked_name: str = "the masked file",
    random_state: int = 0,
    n_jobs: int | None = None,
    size_limits: SizeLimits | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Audit a masked file: who would be found again, by whom, how surely, and why.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_records, n_features)
        The original file, numbers only.
    y : array-like or dataframe of shape (n_records, n_features)
        The masked file: row i is the masked version of row i of ``X``. Columns are matched by name
        if both files have names, otherwise by position.
    ids : sequence of shape (n_records,), default=None
        What to call the records; by default they are numbered from 1.
    attackers : iterable of str, default=None
        Some of ``"euclidean"``, ``"mahalanobis"``, ``"probabilistic"``, ``"weighted_mean"``,
        ``"choquet"``, ``"bilinear"``, ``"hlms"`` and ``"density"``; by default all.
    time_limit : float, default=60.0
        Seconds for all searches together.
    limit : float, default=None
        The largest risk that is accepted, a share from 0 to 1.
    masked_name : str, default="the masked file"
        What the report calls the masked file.
    random_state : int, default=0
        Seed of every random choice.
    n_jobs : int or None, default=None
        Number of joblib workers.
    size_limits : SizeLimits or None, default=None
        Up to which size of the files an attacker does what.
    progress : callable, default=None
        Called with what is being done, the number of steps done and of all steps.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from sklearn_reclink import audit
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import Microaggregation
    >>> X = make_microdata(100, 4, random_state=0, as_frame=True)
    >>> Y = Microaggregation(groups=2, k=3).set_output(transform="pandas").fit_transform(X)
    >>> found = audit(X, Y, attackers=["euclidean", "mahalanobis"])
    >>> [(one.attacker.name, one.n_found) for one in found.attacks]
    [('euclidean', 76), ('mahalanobis', 84)]
    >>> found.risk
    0.84
    """
    begin = time.perf_counter()
    chosen = chosen_attackers(attackers)
    _check_options(limit, time_limit)
    original, masked, names, notes = _read_files(X, y, ids, n_jobs)
    limits = size_limits or SizeLimits()
    setting = Setting(len(masked), len(names), random_state, n_jobs, limits)
    instead = "; it looks for some of the people instead"
    skipped = [
        Skipped(one, why + instead * one.links_some)
        for one in chosen
        if (why := one.skip_reason(setting)) is not None
    ]
    running = [one for one in chosen if one.skip_reason(setting) is None]
    if not running:
        raise ValueError(f"no attacker can run: {skipped[0].reason}")
    tested = [one for one in chosen if can_be_held_out(one, setting)]
    steps = Steps(progress, 2 + len(running) + len(tested))
    steps.next(FIRST_STEP)
    compile_searches(running, setting)
    whole, halves = (sum(one.time_weight for one in some) for some in (running, tested))
    budget = TimeBudget(time_limit, whole + HELD_OUT_SHARE * halves)
    trial = _Trial(original, masked, setting, budget, steps, notes)
    attacks = [trial.attack(one) for one in running]
    estimates = [made for one in tested if (made := trial.estimate(one)) is not None]
    steps.next("variables")
    contributions = variable_contributions(original, masked, names, attacks, setting)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return Audit(
        masked_name=masked_name,
        names=names,
        attacks=tuple(attacks),
        estimates=tuple(estimates),
        skipped=tuple(skipped),
        ceiling=_ceiling(attacks, original, masked),
        contributions=contributions,
        records=records_at_risk(attacks, estimates, ids),
        notes=tuple(notes),
        limit=limit,
        settings={
            "time_limit": time_limit,
            "seed": random_state,
            "seconds": time.perf_counter() - begin,
        },
        X=original,
        Y=masked,
    )


def _check_options(limit: float | None, time_limit: float) -> None:
    if limit is not None and not 0 <= limit <= 1:
        raise ValueError(f"limit is {limit}: it must be a share from 0 to 1, such as 0.2")
    if not time_limit > 0:
        raise ValueError(f"time_limit is {time_limit}: it must be a number of seconds above 0")


def _read_files(
    X: Any, y: Any, ids: Sequence[Any] | None, n_jobs: int | None
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], list[str]]:
    """Both files with columns in one order, the names of the columns, and warnings."""
    from sklearn_reclink.inspection._parameters import variable_names

    with collected_warnings() as notes:
        checked = MahalanobisLinker(standardize="separate", n_jobs=n_jobs).fit(X, y)
    masked = checked.masked_
    original = np.ascontiguousarray(np.asarray(X, dtype=np.float64))
    if ids is not None and len(ids) != len(masked):
        raise ValueError(f"ids has {len(ids)} entries for {len(masked)} records: give one each")
    return original, masked, tuple(variable_names(checked, masked.shape[1])), notes


@dataclass(frozen=True)
class _Trial:
    """What the attackers of one audit share while they run."""

    X: np.ndarray
    Y: np.ndarray
    setting: Setting
    budget: TimeBudget
    steps: Steps
    notes: list[str]

    def attack(self, one: Attacker) -> Attack:
        self.steps.next(one.title)
        seconds = self.budget.take(one.time_weight)
        found, warned = attack(one, self.X, self.Y, self.setting, seconds)
        self.notes.extend(note for note in warned if note not in self.notes)
        return found

    def estimate(self, one: Attacker) -> HeldOut | None:
        self.steps.next(f"{one.title}, people not seen")
        seconds = self.budget.take(HELD_OUT_SHARE * one.time_weight)
        try:
            return held_out(one, self.X, self.Y, self.setting, seconds)
        except ValueError as error:  # a half may be too small or constant
            self.notes.append(f"no held-out estimate for {one.title}: {error}")
            return None


def _ceiling(attacks: Sequence[Attack], X: np.ndarray, Y: np.ndarray) -> int:
    """The ceiling of the whole file, from an attacker that knows it."""
    from sklearn_reclink.metrics import linkage_ceiling

    for one in attacks:
        if one.attacker.monotone and not one.sampled:
            return int(one.linker.ceiling_)
    return round(linkage_ceiling(X, Y) * len(X))
