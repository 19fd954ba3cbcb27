"""Nearest records of a release whose rows belong to nobody: synthetic, shuffled or resampled files.

No row of such a release is known to be a person's own, so there are no links to count and no
linkage truth. What can be measured is whether the release is nearer to the people that it was made
from than to others. With ``d_1 <= d_2`` the distances (`record_space`) of a person to the nearest
and the second nearest record of the release:

==================  ==============================================================================
DCR                 ``d_1``, the distance to the closest record
NNDR                ``d_1 / d_2``, the ratio of nearest neighbour distances; 1 if both are 0
copied              the share of people all of whose values stand in one record of the release
near                the share of people with ``d_1 <= t``, t the 5th percentile of the holdout's
nearer              how often ``d_1`` of an original is below that of a holdout person, ties half
identifiable        the share of originals nearer to the release than to every other original
==================  ==============================================================================

*The holdout* is the control: people of the same population whom the release was not made from. A
release that reflects the population alone is as near to them as to the originals. So each share
``a`` of the originals is set against the share ``c`` of the holdout: ``(a - c) / (1 - c)`` with the
interval of `_success`. *Nearer* is the area under the ROC curve of ``d_1``, 50 % without copying;
its interval of 95 % is ``p -+ 1.96 sqrt(var(V) / n + var(W) / m)`` (DeLong), V the share of holdout
people farther than each of n originals, W the share of originals nearer than each of m holdout
people. A part of the originals cannot serve as a holdout: the release was made from all of them.

*Identifiable* (Yoon, Drumright and van der Schaar, 2020) needs no holdout. If the N records of the
release were new draws from the population of the n originals, the nearest of the ``N + n - 1``
others of a person would be a released one with probability ``e = N / (N + n - 1)``, less with ties.
The excess is ``(share - e) / (1 - e)``. A release of poor quality is far from everybody and has a
low share even if it holds copies, so a low share proves nothing.

The intervals take people as independent. A record of the release that is near to several of them
makes the intervals somewhat too narrow.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_reclink.metrics._success import Excess, SuccessRate, Z, wilson_interval
from sklearn_reclink.metrics._told_secrets import classes_of
from sklearn_reclink.metrics.record_space import UnalignedFiles

NEAR = 0.05  # share of the holdout that is called near


@dataclass(frozen=True, eq=False)
class NearestRecords:
    """How near a release is to the people it was made from, and to others.

    Attributes
    ----------
    distance : ndarray of shape (n_records,)
        Distance of each original to the closest record of the release (DCR).
    ratio : ndarray of shape (n_records,)
        That distance divided by the one to the second closest (NNDR).
    to_other_original : ndarray of shape (n_records,)
        Distance of each original to the closest other original.
    copied : ndarray of bool of shape (n_records,)
        Whether all values of each original occur in one record of the release.
    unique : ndarray of bool of shape (n_records,)
        Whether no other original has the same values.
    n_released : int
        Number of records of the release.
    holdout_distance, holdout_ratio, holdout_copied : ndarray of shape (n_holdout,) or None
        The same for the holdout; None without one.
    n_in_holdout : int
        Number of unique originals that also occur in the holdout; a large number suggests that it
        is not a real holdout.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import nearest_records
    >>> rng = np.random.default_rng(0)
    >>> X, new, holdout = rng.normal(size=(3, 200, 3))
    >>> found = nearest_records(X, np.r_[X[:40], new[40:]], holdout)  # a fifth is copied
    >>> found.copied_share.share, round(found.near.risk, 2)
    (0.2, 0.19)
    """

    distance: np.ndarray
    ratio: np.ndarray
    to_other_original: np.ndarray
    copied: np.ndarray
    unique: np.ndarray
    n_released: int
    holdout_distance: np.ndarray | None = None
    holdout_ratio: np.ndarray | None = None
    holdout_copied: np.ndarray | None = None
    n_in_holdout: int = 0

    @property
    def copied_share(self) -> SuccessRate:
        """Share of the originals all of whose values occur in one record of the release."""
        return _share(self.copied)

    @property
    def unique_copied(self) -> SuccessRate:
        """The same for originals that no other original equals, as a share of all originals."""
        return _share(self.copied & self.unique)

    @property
    def copied_excess(self) -> Excess | None:
        """Copied originals beyond copied people of the holdout; None without one."""
        return None if self.holdout_copied is None else _excess(self.copied, self.holdout_copied)

    @property
    def near_threshold(self) -> float | None:
        """The distance within which a person is near; None without a holdout."""
        if self.holdout_distance is None:
            return None
        return float(np.quantile(self.holdout_distance, NEAR, method="inverted_cdf"))

    @property
    def near(self) -> Excess | None:
        """Near originals beyond near people of the holdout; None without one."""
        if self.holdout_distance is None:
            return None
        limit = self.near_threshold
        return _excess(self.distance <= limit, self.holdout_distance <= limit)

    @cached_property
    def nearer(self) -> tuple[float, float, float] | None:
        """How often an original is nearer to the release than a holdout person, and its interval.

        The share and the ends of its 95 % interval; None without a holdout.
        """
        if self.holdout_distance is None:
            return None
        return _area(self.distance, self.holdout_distance)

    @property
    def identifiable(self) -> SuccessRate:
        """Share of the originals nearer to the release than to every other original."""
        return _share(self.distance < self.to_other_original)

    @property
    def identifiable_expected(self) -> float:
        """What new draws from the population would give."""
        return self.n_released / (self.n_released + len(self.distance) - 1)

    @property
    def identifiable_excess(self) -> tuple[float, float, float]:
        """The excess over that, as a share of the rest, and the ends of its 95 % interval."""
        expected, found = self.identifiable_expected, self.identifiable
        low, middle, high = (
            (share - expected) / (1 - expected)
            for share in (found.interval[0], found.share, found.interval[1])
        )
        return middle, low, high


def nearest_records(
    X: Any,
    y: Any,
    holdout: Any = None,
    *,
    categorical_features: Any = None,
    ordinal_features: Any = None,
    n_jobs: int | None = None,
) -> NearestRecords:
    """Distances of people to a release that is not aligned with them.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features), (n_released, n_features)
        The original file and the release. They may differ in length.
    holdout : array-like or dataframe of shape (n_holdout, n_features), default=None
        People of the same population whom the release was not made from. Without them nobody can
        tell whether the release is near to people because it copies them.
    categorical_features, ordinal_features : array-like or dict, default=None
        Columns of categories and of ordered levels, as in the linkers.
    n_jobs : int, default=None
        Number of joblib workers.

    Returns
    -------
    NearestRecords

    See Also
    --------
    sklearn_reclink.inspection.NearestRecordsDisplay : Plots it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import nearest_records
    >>> X = np.array([[0.0], [3.0], [4.0], [9.0]])
    >>> found = nearest_records(X, np.array([[0.0], [1.0], [9.5]]))
    >>> found.copied, found.identifiable.n_right
    (array([ True, False, False, False]), 2)
    """
    files = UnalignedFiles.read(
        X,
        y,
        holdout,
        n_jobs=n_jobs,
        categorical_features=categorical_features,
        ordinal_features=ordinal_features,
    )
    return distances_of(files)


def distances_of(files: UnalignedFiles) -> NearestRecords:
    """The same of files that were read."""
    original, release, holdout = files.original, files.release, files.holdout
    distance, ratio = _nearest_two(files, original)
    others = (None, None) if holdout is None else _nearest_two(files, holdout)
    held = [release, original, *([] if holdout is None else [holdout])]
    classes = np.split(classes_of(np.concatenate(held))[1], np.cumsum(list(map(len, held)))[:-1])
    unique = np.bincount(classes[1])[classes[1]] == 1
    in_holdout = 0 if holdout is None else int(np.isin(classes[1][unique], classes[2]).sum())
    return NearestRecords(
        distance=distance,
        ratio=ratio,
        to_other_original=files.nearest(original, original, 2)[0][:, 1],
        copied=np.isin(classes[1], classes[0]),
        unique=unique,
        n_released=len(release),
        holdout_distance=others[0],
        holdout_ratio=others[1],
        holdout_copied=None if holdout is None else np.isin(classes[2], classes[0]),
        n_in_holdout=in_holdout,
    )


def _nearest_two(files: UnalignedFiles, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance to the closest record, and its ratio to that of the second closest."""
    found = files.nearest(people, files.release, 2)[0]
    ratio = np.ones(len(people))
    np.divide(found[:, 0], found[:, 1], out=ratio, where=found[:, 1] > 0)
    return found[:, 0], ratio


def _share(right: np.ndarray) -> SuccessRate:
    return SuccessRate(int(np.count_nonzero(right)), len(right))


def _excess(attack: np.ndarray, control: np.ndarray) -> Excess:
    return Excess(_share(attack), _share(control))


def _area(lower: np.ndarray, upper: np.ndarray) -> tuple[float, float, float]:
    """How often one sample is below another, ties half, with DeLong's interval."""
    shares = []
    for values, others in ((lower, np.sort(upper)), (upper, np.sort(lower))):
        below = np.searchsorted(others, values, side="left")
        not_above = np.searchsorted(others, values, side="right")
        shares.append((below + not_above) / (2 * len(others)))
    farther, nearer = 1 - shares[0], shares[1]
    middle = float(farther.mean())
    if middle in (0.0, 1.0):  # no spread to judge by
        n_least = min(len(lower), len(upper))
        return (middle, *wilson_interval(int(middle) * n_least, n_least))
    reach = Z * np.sqrt(farther.var(ddof=1) / len(lower) + nearer.var(ddof=1) / len(upper))
    return middle, max(middle - float(reach), 0.0), min(middle + float(reach), 1.0)
