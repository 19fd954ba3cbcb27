"""What an audit found.

An attacker finds a share of the people *strictly*: their own masked record is nearer than every
other. One who also picks at random among records that are equally near finds a share that is
*expected*, and no smaller. The *risk* is the largest of all these shares, strict or expected, in
the whole file or among people the attacker has not seen (the strongest attacker only samples a long
file), and of what a sweep over the intruder's knowledge finds, if one was made. Limits, comparisons
and the verdict use the risk::

    risk = max over attackers, estimates and the sweep of max(strict rate, expected rate)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, HeldOut, Outcome
from sklearn_reclink.auditing._attackers import Attacker
from sklearn_reclink.auditing._findings import Finding
from sklearn_reclink.auditing._methods import Source
from sklearn_reclink.auditing._output import audit_as_dict, audit_text
from sklearn_reclink.auditing._population import Population
from sklearn_reclink.auditing._records import RecordsAtRisk
from sklearn_reclink.auditing._running import OUT_OF_MEMORY, OUT_OF_TIME
from sklearn_reclink.auditing._variables import VariableContributions
from sklearn_reclink.auditing.formatting import PEOPLE, Unit
from sklearn_reclink.auditing.writing import write_files
from sklearn_reclink.certificates import certificate_json
from sklearn_reclink.certificates.tables import variables_of

if TYPE_CHECKING:
    from sklearn_reclink.auditing._attributes import SecretDisclosure
    from sklearn_reclink.auditing._scenario_result import Scenarios
    from sklearn_reclink.data.kinds import Variables
    from sklearn_reclink.metrics import LinkageCurve

_ABOVE_CHANCE = 1.5  # times as often right as a random guess


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
    skipped : dict of Attacker to str
        Attackers that did not run on the whole file, and why.
    ceiling : int
        No weighted mean, OWA or Choquet distance finds more people than this, in any of three
        standardisations: ``"separate"``, ``"difference"``, ``"rank"``.
    contributions : VariableContributions
        What each variable, and each pair of them, gives away.
    records : RecordsAtRisk
        The records at risk.
    notes : tuple of str
        Warnings about the files.
    limit : float or None
        The largest risk that is accepted.
    settings : dict
        How the audit was made.
    X, Y : ndarray of shape (n_records, n_features)
        The files, columns in the order of ``names``; categories by their number, NaN for missing.
    n_masked : int
        Number of masked records among which people are sought, those of others included.
    variables : Variables or None
        Kinds and categories of the variables; None for numbers without missing values.
    scenarios : Scenarios or None
        What intruders who know only some of the variables find, if that was asked for.
    curve : LinkageCurve or None
        Recall and precision of the strongest attacker, if the files do not hold the same people.
    sources : tuple of Source
        The files on disk, with their hashes; empty for tables in memory.
    unit : Unit
        What one record describes, in words.
    left_out : tuple of str
        Variables of the files that were not compared.
    findings : tuple of Finding
        Columns that masking left unchanged or nearly unchanged, made constant or emptied, the worst
        first.
    secrets : tuple of SecretDisclosure
        What the release reveals about variables that the intruder does not know.
    population : Population or None
        How many people in the population the people found stand for, if weights were given.
    named : bool
        Whether the attackers were named: no limit is met unless each of them was tried.

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
    skipped: dict[Attacker, str]
    ceiling: int
    contributions: VariableContributions
    records: RecordsAtRisk
    notes: tuple[str, ...]
    limit: float | None
    settings: dict[str, Any]
    X: np.ndarray
    Y: np.ndarray
    n_masked: int
    variables: Variables | None = None
    scenarios: Scenarios | None = None
    curve: LinkageCurve | None = None
    sources: tuple[Source, ...] = ()
    unit: Unit = PEOPLE
    left_out: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    secrets: tuple[SecretDisclosure, ...] = ()
    population: Population | None = None
    named: bool = False

    @property
    def n_records(self) -> int:
        """Number of people."""
        return len(self.X)

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing in either file."""
        return bool(np.isnan(self.X).any() or np.isnan(self.Y).any())

    @cached_property
    def worst(self) -> Attack:
        """The attack that finds the most people in the whole file; the cheapest if several do."""
        return max(self.attacks, key=lambda one: one.n_found)

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """The proof of the attacker that finds the most people, among those that have one."""
        whole = [one for one in self.attacks if one.status != "sampled"]
        certified = [one for one in whole if getattr(one.linker, "certificate_", None)]
        if not certified:
            return None
        best = max(certified, key=lambda one: one.n_found).linker
        found = {**best.certificate_, "columns": list(self.names)}
        if "variables" in found and self.variables is not None:  # it was fitted on their numbers
            kinds, categories = self.variables.kinds, self.variables.categories
            found["variables"] = variables_of(kinds, categories, [self.X, best.masked_])
        return found

    @property
    def certificate_text(self) -> str:
        """The proof as one line of JSON, as the command line writes it."""
        assert self.certificate is not None
        return certificate_json(self.certificate) + "\n"

    @property
    def certificate_hash(self) -> str | None:
        """SHA-256 of the proof as it is written."""
        if self.certificate is None:
            return None
        return hashlib.sha256(self.certificate_text.encode()).hexdigest()

    @cached_property
    def estimate(self) -> HeldOut | None:
        """The attack that finds the largest share of people it has not seen."""
        return max(self.estimates, key=lambda one: (one.rate, one.risk), default=None)

    @property
    def _outcomes(self) -> list[Outcome]:
        return [*self.attacks, *self.estimates]

    @cached_property
    def strongest(self) -> Outcome:
        """Where the risk comes from: the attack or estimate with the largest risk."""
        return max(self._outcomes, key=lambda one: (one.risk, one.rate))

    @property
    def risk(self) -> float:
        """Largest share of people found by any attacker, who may guess among ties."""
        return max(self.strongest.risk, self.sweep_risk)

    @property
    def sweep_risk(self) -> float:
        """Largest share found in the sweep over the intruder's knowledge; 0 without a sweep."""
        return 0.0 if self.scenarios is None else self.scenarios.largest_risk

    @property
    def strict_rate(self) -> float:
        """Largest share of people found by any attacker without guessing."""
        return max(one.rate for one in self._outcomes)

    @property
    def expected_rate(self) -> float:
        """Largest share found on average by picking at random among tied records."""
        return max(one.expected_rate for one in self._outcomes)

    @property
    def rests_on_estimate(self) -> bool:
        """Whether the risk is that of people who were not learned from."""
        if self.scenarios is not None and self.sweep_risk > self.strongest.risk:
            return self.scenarios.largest_is_estimate
        return isinstance(self.strongest, HeldOut)

    @property
    def out_of_time(self) -> list[Attacker]:
        """Attackers that could run, but for the time limit or memory."""
        return [
            one for one, reason in self.skipped.items() if reason in (OUT_OF_TIME, OUT_OF_MEMORY)
        ]

    @property
    def untried(self) -> list[Attacker]:
        """Attackers that looked for nobody: time or memory ran out, or the file is too large."""
        seeking = {one.attacker for one in self.estimates}
        return [one for one in self.skipped if one not in seeking]

    @property
    def missing(self) -> list[Attacker]:
        """Attackers without which no limit is met: those out of time, or all untried if named."""
        return self.untried if self.named else self.out_of_time

    @property
    def at_chance(self) -> bool:
        """Whether nobody is singled out, and guesses are right no more often than random ones."""
        return self.strict_rate == 0 and self.risk * self.n_masked < _ABOVE_CHANCE

    @property
    def learning_helps(self) -> bool:
        """Whether a learned distance finds more people than the Euclidean and Mahalanobis ones."""
        learned = [one.n_found for one in self.attacks if one.attacker.time_weight > 0]
        plain = [one.n_found for one in self.attacks if one.status == "fixed"]
        return max(learned, default=0) > max(plain, default=0)

    @property
    def above_limit(self) -> bool:
        """Whether the risk is above the limit."""
        return self.limit is not None and self.risk > self.limit

    @property
    def within_limit(self) -> bool:
        """Whether the risk is within the limit, and no attacker is missing."""
        return self.limit is not None and not self.above_limit and not self.missing

    @property
    def unsettled(self) -> bool:
        """Whether the risk found is within the limit, but an attacker is missing."""
        return self.limit is not None and not self.above_limit and not self.within_limit

    @property
    def monotone_bound(self) -> int:
        """Proven: no weighted mean, OWA or Choquet distance finds more people than this."""
        choquet = [one for one in self.attacks if one.attacker.name == "choquet"]
        free = [one.bound for one in choquet if one.linker.k_additive is None]
        return min([self.ceiling, *(bound for bound in free if bound is not None)])

    def with_sources(self, original: str | Path, masked: str | Path) -> Audit:
        """The same audit, with the hashes of the files on disk that it was made from.

        Parameters
        ----------
        original, masked : str or Path
            The files.

        Returns
        -------
        Audit
        """
        sources = Source.of("original", Path(original)), Source.of("masked", Path(masked))
        return replace(self, sources=sources)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        return audit_as_dict(self)

    def to_text(self) -> str:
        """The verdict and the tables for a terminal."""
        return audit_text(self)

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
        from sklearn_reclink.auditing._html import render_audit

        return render_audit(self, include_values=include_values)

    def save_records(self, path: str | Path, *, include_values: bool = False) -> None:
        """Write the records at risk as CSV, whole or not at all.

        An existing file is overwritten; a symbolic link is refused.

        Parameters
        ----------
        path : str or Path
            Where to write.
        include_values : bool, default=False
            Whether to add their original and masked values.
        """
        text = self.records.to_csv(self.values() if include_values else None)
        write_files({Path(path): text})

    def values(self) -> dict[str, np.ndarray]:
        """Original and masked values by column."""
        files = {"original": self.X, "masked": self.Y}
        return {
            f"{file}: {name}": self._labelled(k, table[:, k])
            for k, name in enumerate(self.names)
            for file, table in files.items()
        }

    def _labelled(self, k: int, column: np.ndarray) -> np.ndarray:
        """Categories by their names, and empty text for missing values."""
        if self.variables is None:
            return column
        levels = self.variables.categories[k]
        shown = [
            "" if np.isnan(value) else levels[int(value)] if levels is not None else f"{value:g}"
            for value in column
        ]
        return np.array(shown, dtype=object)
