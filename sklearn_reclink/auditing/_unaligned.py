"""The audit of a release whose rows belong to nobody: synthetic, shuffled or resampled files.

No row of the release is known to be a person's own. So nobody can be found, nothing is learned from
pairs, and no rate of links is reported. What is measured is whether the release is nearer to
the people it was made from than to people of a *holdout*, who are of the same population and took
no part in it (`metrics.nearest_records`, `metrics.singling_out`, `metrics.attribute_disclosure`).

*The risk*, which a limit is compared with, is never below 0::

    with a holdout       the larger of two excesses over the holdout, (a - c) / (1 - c):
                         of people copied exactly, and of people near to the release, which means
                         nearer than 95 % of the holdout
    without a holdout    the larger of the share of people who are unique in the original and copied
                         exactly, and of the excess of people who are nearer to the release than to
                         every other original over what new draws of the population would give

Without a holdout the risk rests on assumptions that the files cannot show to hold.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink.auditing._asked import Given, Search, Words
from sklearn_reclink.auditing._attributes import NEIGHBORS, SecretDisclosure, split_columns
from sklearn_reclink.auditing._holdout import check_holdout
from sklearn_reclink.auditing._methods import Source
from sklearn_reclink.auditing.formatting import Unit
from sklearn_reclink.auditing.writing import harmless

if TYPE_CHECKING:
    from sklearn_reclink.metrics import NearestRecords, SinglingOut


COPIED = "copied exactly, beyond the holdout"
NEAR = "near, beyond the holdout"
UNIQUE_COPIED = "unique and copied exactly"
IDENTIFIABLE = "nearer to the release than to others, beyond new draws"

NO_CONTROL = (
    "every record of the holdout is also in the release, so the holdout cannot show a "
    "difference and the risk is not known: compare more columns, or finer ones"
)


class Measure(NamedTuple):
    """A share that may be the risk: what it counts, its value and its interval of 95 %."""

    name: str
    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class UnalignedAudit:
    """What an audit found of a release whose rows belong to nobody. Made by `audit`.

    Attributes
    ----------
    masked_name : str
        What the release is called.
    names : tuple of str
        Names of the variables.
    n_records, n_released : int
        Number of records of the original file and of the release.
    n_holdout : int or None
        Number of people of the holdout; None without one.
    nearest : NearestRecords
        Distances to the release, copies, and how identifiable people are.
    singling_out : SinglingOut
        Descriptions taken from the release that fit exactly one person.
    secrets : tuple of SecretDisclosure
        What the release reveals about secret variables.
    notes : tuple of str
        What to check in the files.
    limit : float or None
        The largest risk that is accepted.
    settings : dict
        How the audit was made.
    unit : Unit
        What one record describes, in words.
    ids : sequence or None
        What to call the originals; by default their numbers from 1.
    sources : tuple of Source
        The files on disk that it was made from, if any.
    left_out : tuple of str
        Variables of the files that were not compared.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import audit
    >>> rng = np.random.default_rng(0)
    >>> X, new, holdout = rng.normal(size=(3, 300, 3))
    >>> synthetic = np.r_[X[:60], new[60:]]  # a fifth is copied
    >>> found = audit(X, synthetic, aligned=False, holdout=holdout)
    >>> found.nearest.copied_share.share, round(found.risk, 2)
    (0.2, 0.23)
    """

    masked_name: str
    names: tuple[str, ...]
    n_records: int
    n_released: int
    n_holdout: int | None
    nearest: NearestRecords
    singling_out: SinglingOut
    secrets: tuple[SecretDisclosure, ...]
    notes: tuple[str, ...]
    limit: float | None
    settings: dict[str, Any]
    unit: Unit
    ids: Sequence[Any] | None = None
    sources: tuple[Source, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The shares whose largest is the risk."""
        found = self.nearest
        if found.copied_excess is None or found.near is None:
            middle, low, high = found.identifiable_excess
            copied = found.unique_copied
            return (
                Measure(UNIQUE_COPIED, copied.share, copied.interval),
                Measure(IDENTIFIABLE, middle, (low, high)),
            )
        excesses = {NEAR: found.near, COPIED: found.copied_excess}
        return tuple(
            Measure(name, one.risk, one.interval)
            for name, one in excesses.items()
            if one.risk is not None and one.interval is not None
        )

    @property
    def largest(self) -> Measure | None:
        """The measure that is the risk; None if everybody of the holdout is copied as well."""
        return max(self.measures, key=lambda one: one.value, default=None)

    @property
    def risk(self) -> float:
        """The largest measure, and at least 0."""
        return 0.0 if self.largest is None else max(self.largest.value, 0.0)

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval of a measure lies above 0."""
        return any(one.interval[0] > 0 for one in self.measures)

    @property
    def unsettled(self) -> bool:
        """Whether there is a limit, but no risk to compare with it. Time is never the reason."""
        return self.limit is not None and self.largest is None

    @property
    def above_limit(self) -> bool:
        """Whether the risk is above the limit."""
        return self.limit is not None and self.risk > self.limit

    @property
    def rows_at_risk(self) -> np.ndarray:
        """Originals that are copied or near to the release, nearest first.

        Without a holdout, originals count as near if they are nearer to the release than to every
        other original.
        """
        found, limit = self.nearest, self.nearest.near_threshold
        near = found.distance < found.to_other_original
        if limit is not None:
            near = found.distance <= limit
        rows = np.flatnonzero(found.copied | near)
        return rows[np.argsort(found.distance[rows], kind="stable")]

    def with_sources(
        self, original: str | Path, masked: str | Path, holdout: str | Path | None = None
    ) -> UnalignedAudit:
        """The same audit, with the hashes of the files on disk that it was made from.

        Parameters
        ----------
        original, masked : str or Path
            The files.
        holdout : str, Path or None, default=None
            That of the holdout, if there is one.

        Returns
        -------
        UnalignedAudit
        """
        files = {"original": original, "masked": masked, "holdout": holdout}
        named = {role: Path(path) for role, path in files.items() if path is not None}
        return replace(self, sources=tuple(Source.of(*one) for one in named.items()))

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        from sklearn_reclink.auditing._unaligned_report import as_dict

        return as_dict(self)

    def to_text(self) -> str:
        """The verdict and the tables for a terminal."""
        from sklearn_reclink.auditing._unaligned_report import as_text

        return as_text(self)

    def to_html(self) -> str:
        """The report as one self-contained page."""
        from sklearn_reclink.auditing._html import render_unaligned

        return render_unaligned(self)

    def records_csv(self) -> str:
        """The originals that are copied or near, one line each, without values."""
        found, text = self.nearest, io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", "id", "copied", "distance_to_closest", "distance_ratio"])
        for row in self.rows_at_risk.tolist():
            name = str(row + 1) if self.ids is None else harmless(str(self.ids[row]))
            numbers = f"{found.distance[row]:.6g}", f"{found.ratio[row]:.6g}"
            writer.writerow([row + 1, name, int(found.copied[row]), *numbers])
        return text.getvalue()


def audit_unaligned(given: Given, search: Search, words: Words) -> UnalignedAudit:
    """Audit a release that is not aligned with the original; the options are those of `audit`."""
    from sklearn_reclink.metrics.attributes import TOLERANCE, unaligned_disclosure
    from sklearn_reclink.metrics.descriptions import N_ATTACKS, N_COLUMNS, singled_out_by
    from sklearn_reclink.metrics.record_distances import distances_of
    from sklearn_reclink.metrics.record_space import UnalignedFiles

    ids, told = given.ids, given.told
    files = UnalignedFiles.read(given.X, given.y, given.holdout, n_jobs=search.n_jobs, **told)
    check_holdout(files, search.seed)
    if ids is not None and len(ids) != len(files.original):
        raise ValueError(f"ids has {len(ids)} entries for {len(files.original)} records: one each")
    known, hidden = split_columns(files.names, given.secret)
    step = search.progress or (lambda what, done, total: None)
    step("nearest records", 0, 2 + len(hidden))
    nearest = distances_of(files)
    step("singling out", 1, 2 + len(hidden))
    singling_out = singled_out_by(files, N_COLUMNS, N_ATTACKS, search.seed)
    secrets = []
    for number, k in enumerate(hidden, start=2):
        step(f"secret {files.names[k]}", number, 2 + len(hidden))
        found = [unaligned_disclosure(files, k, known, n, TOLERANCE) for n in NEIGHBORS]
        secrets.append(SecretDisclosure(files.names[k], tuple(found)))
    return UnalignedAudit(
        masked_name=words.masked_name,
        names=files.names,
        n_records=len(files.original),
        n_released=len(files.release),
        n_holdout=None if files.holdout is None else len(files.holdout),
        nearest=nearest,
        singling_out=singling_out,
        secrets=tuple(secrets),
        notes=tuple([*_doubts(nearest), *files.variables.notes]),
        limit=words.limit,
        settings={"seed": search.seed, "seconds": time.monotonic() - search.begin},
        unit=words.unit,
        ids=ids,
        left_out=tuple(words.left_out),
    )


def _doubts(nearest: NearestRecords) -> list[str]:
    """Whether the holdout looks like one, and whether it can serve as a control."""
    if nearest.copied_excess is not None and nearest.copied_excess.risk is None:
        return [NO_CONTROL]
    n_same = nearest.n_in_holdout
    if nearest.holdout_distance is None or n_same * 20 <= len(nearest.holdout_distance):
        return []
    return [
        f"{n_same:,} records of the original are also in the holdout: if they are the same "
        "people, the holdout is not one, and the risk comes out too low"
    ]
