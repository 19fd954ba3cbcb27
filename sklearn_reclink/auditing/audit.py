"""One call that audits a masked file: attackers, held-out estimate, variables, records at risk.

The *risk* is the largest share of people that any attacker finds: in the whole file, or, where
that is larger, among people it has not seen (the strongest attacker only samples a long file).
The time limit is shared: what is left is given to the searches still to come in proportion to their
weights, so time that a proof did not need goes to the others. Compiling and linking itself are not
limited; they take seconds up to some ten thousand records.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_reclink.linkers import MahalanobisLinker
from sklearn_reclink.auditing.attackers import (
    Attack,
    Attacker,
    Setting,
    attack,
    chosen_attackers,
    collected_warnings,
)
from sklearn_reclink.auditing.held_out import HeldOut, can_be_held_out, held_out
from sklearn_reclink.auditing.pacing import (
    HELD_OUT_SHARE,
    Clock,
    Progress,
    Steps,
    compile_searches,
)
from sklearn_reclink.auditing.records import RecordsAtRisk, records_at_risk
from sklearn_reclink.auditing.variables import WhatGivesAway, what_gives_away


@dataclass(frozen=True)
class Skipped:
    """An attacker that did not run, and why."""

    attacker: Attacker
    reason: str


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found. Made by `audit`.

    Attributes
    ----------
    masked_name : str
        What the masked file is called.
    names : tuple of str
        Names of the variables.
    attacks : tuple of Attack
        What each attacker finds in the whole file, from cheap to strong.
    estimates : tuple of HeldOut
        What each attacker finds among people it has not seen.
    skipped : tuple of Skipped
        Attackers that did not run.
    ceiling : int
        No weighted mean, OWA or Choquet distance finds more people than this.
    gives_away : WhatGivesAway
        Variables and pairs.
    records : RecordsAtRisk
        The records at risk.
    notes : tuple of str
        Warnings about the files.
    limit : float or None
        The largest risk that is accepted.
    settings : dict
        How the audit was made.
    X, Y : ndarray of shape (n_records, n_features)
        The files, columns in the order of ``names``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import audit
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> found = audit(X, X, attackers=["euclidean"])  # not masked at all
    >>> found.worst.n_found, found.ceiling, len(found.records)
    (50, 50, 50)
    >>> print(found.to_text().splitlines()[0])
    An intruder who knows the original values would find 50 of 50 people (100 %) in the masked
    """

    masked_name: str
    names: tuple[str, ...]
    attacks: tuple[Attack, ...]
    estimates: tuple[HeldOut, ...]
    skipped: tuple[Skipped, ...]
    ceiling: int
    gives_away: WhatGivesAway
    records: RecordsAtRisk
    notes: tuple[str, ...]
    limit: float | None
    settings: dict[str, Any]
    X: np.ndarray
    Y: np.ndarray

    @property
    def n_records(self) -> int:
        """Number of people."""
        return len(self.X)

    @cached_property
    def worst(self) -> Attack:
        """The attack that finds the most people in the whole file, the cheapest of equal ones."""
        return max(self.attacks, key=lambda one: one.n_found)

    @cached_property
    def estimate(self) -> HeldOut | None:
        """The attack that finds the largest share of people it has not seen."""
        return max(self.estimates, key=lambda one: one.rate, default=None)

    @property
    def rests_on_estimate(self) -> bool:
        """Whether the risk is that of people looked for in a sample."""
        return self.estimate is not None and self.estimate.rate > self.worst.rate

    @property
    def risk(self) -> float:
        """Largest share of people found by any attacker."""
        if self.estimate is not None and self.rests_on_estimate:
            return self.estimate.rate
        return self.worst.rate

    @property
    def expected_rate(self) -> float:
        """Largest share found on average by who picks at random among tied records."""
        return max(one.expected_rate for one in self.attacks)

    @property
    def learning_helps(self) -> bool:
        """Whether a learnt distance finds more people than the Euclidean and Mahalanobis ones."""
        learnt = [one.n_found for one in self.attacks if one.attacker.weight > 0]
        plain = [one.n_found for one in self.attacks if one.status == "fixed"]
        return max(learnt, default=0) > max([self.gives_away.n_plain, *plain])

    @property
    def above_limit(self) -> bool:
        """Whether the risk is above the limit."""
        return self.limit is not None and self.risk > self.limit

    @property
    def monotone_bound(self) -> int:
        """No weighted mean, OWA or Choquet distance finds more people than this, proven."""
        free = [
            one.bound
            for one in self.attacks
            if one.attacker.name == "choquet"
            and one.bound is not None
            and one.linker.k_additive is None
        ]
        return min([self.ceiling, *free])

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        from sklearn_reclink.auditing.plain_data import as_plain_data

        return as_plain_data(self)

    def to_html(self, *, include_values: bool = False) -> str:
        """The report as one self-contained page.

        Parameters
        ----------
        include_values : bool, default=False
            Whether to show the values of the records at risk.

        Returns
        -------
        str
        """
        from sklearn_reclink.auditing.html import render_audit

        return render_audit(self, include_values=include_values)

    def to_text(self) -> str:
        """The verdict and the tables for a terminal."""
        from sklearn_reclink.auditing.text import audit_text

        return audit_text(self)

    def save_records(self, path: str | Path, *, include_values: bool = False) -> None:
        """Write the records at risk as CSV.

        Parameters
        ----------
        path : str or Path
            Where to write.
        include_values : bool, default=False
            Whether to add their original and masked values.
        """
        self.records.to_csv(path, self.values() if include_values else None)

    def values(self) -> dict[str, np.ndarray]:
        """Original and masked values by column."""
        files = {"original": self.X, "masked": self.Y}
        return {
            f"{file}: {name}": table[:, k]
            for k, name in enumerate(self.names)
            for file, table in files.items()
        }


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
    progress: Progress | None = None,
) -> Audit:
    """Audit a masked file: who would be found again, by whom, how surely, and why.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_records, n_features)
        The original file, numbers only.
    y : array-like or dataframe of shape (n_records, n_features)
        The masked file: row i is the masked version of row i of ``X``. Columns are matched by name
        where both files have names, else by position.
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
    if limit is not None and not 0 <= limit <= 1:
        raise ValueError(f"limit is {limit}: it must be a share from 0 to 1, such as 0.2")
    if not time_limit > 0:
        raise ValueError(f"time_limit is {time_limit}: it must be a number of seconds above 0")
    with collected_warnings() as notes:
        checked = MahalanobisLinker(standardize="separate", n_jobs=n_jobs).fit(X, y)
    Y = checked.masked_
    original = np.ascontiguousarray(np.asarray(X, dtype=np.float64))
    names = tuple(map(str, getattr(checked, "feature_names_in_", _numbered(Y.shape[1]))))
    if ids is not None and len(ids) != len(Y):
        raise ValueError(f"ids has {len(ids)} entries for {len(Y)} records: give one each")
    setting = Setting(len(Y), len(names), random_state, n_jobs)
    skipped = [Skipped(one, why) for one in chosen if (why := one.refuses(setting)) is not None]
    running = [one for one in chosen if one.refuses(setting) is None]
    if not running:
        raise ValueError(f"no attacker can run: {skipped[0].reason}")
    tested = [one for one in chosen if can_be_held_out(one, setting)]
    steps = Steps(progress, 2 + len(running) + len(tested))
    steps.next("compiling")
    compile_searches(running, setting)

    clock = Clock(time_limit, running, tested)
    attacks = []
    for one in running:
        steps.next(one.title)
        found, warned = attack(one, original, Y, setting, clock.seconds_for(one, 1.0))
        attacks.append(found)
        notes += [note for note in warned if note not in notes]
    estimates = []
    for one in tested:
        steps.next(f"{one.title}, people not seen")
        try:
            seconds = clock.seconds_for(one, HELD_OUT_SHARE)
            estimates.append(held_out(one, original, Y, setting, seconds))
        except ValueError as error:  # a half may be too small or constant
            notes.append(f"no held-out estimate for {one.title}: {error}")
    steps.next("variables")
    gives_away = what_gives_away(original, Y, names, attacks, setting)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return Audit(
        masked_name=masked_name,
        names=names,
        attacks=tuple(attacks),
        estimates=tuple(estimates),
        skipped=tuple(skipped),
        ceiling=_ceiling(attacks, original, Y),
        gives_away=gives_away,
        records=records_at_risk(attacks, estimates, ids if ids is None else list(ids)),
        notes=tuple(notes),
        limit=limit,
        settings={
            "time_limit": time_limit,
            "seed": random_state,
            "seconds": time.perf_counter() - begin,
        },
        X=original,
        Y=Y,
    )


def _numbered(n_features: int) -> list[str]:
    return [f"x{k}" for k in range(n_features)]


def _ceiling(attacks: Sequence[Attack], X: np.ndarray, Y: np.ndarray) -> int:
    """The ceiling of the whole file, from an attacker that knows it."""
    from sklearn_reclink.metrics import linkage_ceiling

    for one in attacks:
        if not one.sampled and hasattr(one.linker, "ceiling_"):
            return int(one.linker.ceiling_)
    return round(linkage_ceiling(X, Y) * len(X))
