"""Disclosure risk of a masked file.

*Re-identification.* Record ``i`` is re-identified iff its own masked record is strictly nearer than
every other; a tie does not count. The *expected* rate counts a tie of ``t`` records as ``1 / t``:
the share that an intruder finds who picks among them at random.

*Ceiling.* The number of records for which no other masked record is at least as near in every
variable: no weighted mean, OWA or Choquet distance links more. If ``m_i`` others are, record ``i``
is at best tied with all of them, so no such distance has an expected rate above the mean of
``1 / (1 + m_i)``: the *expected* ceiling.

*Interval disclosure* (Domingo-Ferrer and Torra, 2001). The intruder knows which masked record is
whose, and reads each masked value as an interval. Value ``x_ik`` is disclosed if it lies in the
interval around ``y_ik``, which for a width of ``p`` percent ends at

==========  ====================================================================================
``"rank"``  the masked values of variable ``k`` that are ``p`` percent of the records further
            down and further up in their order than ``y_ik``, at most the lowest and highest
``"sd"``    ``y_ik - p/100 sd(X_k)`` and ``y_ik + p/100 sd(X_k)``
==========  ====================================================================================
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from sklearn_reclink.data.kinds import NUMERIC
from sklearn_reclink.data.mixed import learn_mixed_view
from sklearn_reclink.data.ranks import learn_ranks
from sklearn_reclink.data.views import chosen_views, learn_scales, spread
from sklearn_reclink.metrics._files import average, read_codes, read_files
from sklearn_reclink.metrics.record_space import index_of
from sklearn_reclink.search import Index

# The widths, in percent, that Domingo-Ferrer and Torra average over.
INTERVAL_WIDTHS = tuple(range(1, 11))


def reidentification_rate(
    links: Any, *, n_tied: Any = None, own: Any = None, sample_weight: Any = None
) -> float:
    """Share of records linked to their own masked record and to no other.

    Parameters
    ----------
    links : array-like of int of shape (n_records,)
        Row of the masked record to which each original record is linked, as `predict` returns it;
        negative for a record that is not linked.
    n_tied : array-like of int of shape (n_records,), default=None
        Number of masked records tied as nearest, `Links.n_tied`. A record with more than 1 is not
        re-identified. By default no link counts as a tie: then a record may be counted only because
        it comes first in the file, although others are as near.
    own : array-like of int of shape (n_records,), default=None
        Row of each record's own masked version, by default its own row number.
    sample_weight : array-like of shape (n_records,), default=None
        Weights of the records in the share.

    Returns
    -------
    float

    See Also
    --------
    expected_reidentification_rate : Ties count in part.

    Examples
    --------
    >>> from sklearn_reclink.metrics import reidentification_rate
    >>> reidentification_rate([0, 1, 1, 3])
    0.75
    >>> reidentification_rate([0, 1, 1, 3], n_tied=[1, 2, 2, 1])
    0.5
    """
    rows = _integers(links, "links")
    own_rows = np.arange(len(rows)) if own is None else _integers(own, "own")
    check_consistent_length(rows, own_rows)
    found = rows == own_rows
    if n_tied is not None:
        found &= _counts_of_tied(n_tied, rows) == 1
    return float(np.average(found, weights=sample_weight))


def expected_reidentification_rate(
    own_tied: Any, n_tied: Any, *, sample_weight: Any = None
) -> float:
    """Expected rate of an intruder who picks at random among the tied nearest records.

    Parameters
    ----------
    own_tied : array-like of bool of shape (n_records,)
        Whether a record's own masked version is nearest, alone or tied: `Links.own_tied`.
    n_tied : array-like of int of shape (n_records,)
        Number of masked records tied as nearest, 1 where there is no tie: `Links.n_tied`.
    sample_weight : array-like of shape (n_records,), default=None
        Weights of the records.

    Returns
    -------
    float
        At least `reidentification_rate`.

    Examples
    --------
    >>> from sklearn_reclink.metrics import expected_reidentification_rate
    >>> expected_reidentification_rate([True, True, True, False], [1, 2, 2, 1])
    0.5
    """
    nearest = np.asarray(own_tied, dtype=bool)
    return float(np.average(nearest / _counts_of_tied(n_tied, nearest), weights=sample_weight))


def linkage_ceiling(
    X: Any,
    y: Any,
    *,
    standardize: str | Sequence[str | None] | None = "separate",
    expected: bool = False,
) -> float:
    """Largest re-identification rate that any monotone distance can have.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, aligned. They may hold categories and missing
        values. The type of a column says which kind it is, as in the linkers; give codes that are
        categories such a type.
    standardize : {"separate", "difference", "rank"}, None or several of them, default="separate"
        How differences are taken, as in the linkers; if several are given, the largest rate is
        returned.
    expected : bool, default=False
        Bound the expected rate instead, in which a tie of t records counts as 1 / t. All pairs of
        records are compared.

    Returns
    -------
    float
        Share of records for which no other masked record is as near or nearer in every variable;
        if ``expected``, a record with m such others counts as 1 / (1 + m). It bounds weighted
        means, OWA and Choquet integrals, but not Mahalanobis and bilinear distances. If values are
        missing, it bounds the distances that learn what a missing value costs.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import linkage_ceiling
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> Y = np.array([[0.0], [1.5], [1.5], [9.0]])  # the middle two were averaged
    >>> linkage_ceiling(X, Y)
    0.5
    >>> linkage_ceiling(X, Y, expected=True)
    0.75
    """
    variables, a, b = read_codes(X, y)
    kinds, names = variables.kinds, variables.names
    is_mixed = set(kinds) != {NUMERIC} or bool(np.isnan(a).any() or np.isnan(b).any())
    ceilings = []
    for view in chosen_views(standardize):
        if is_mixed:
            index, _ = index_of(learn_mixed_view(a, b, b, kinds, view, names), a, b)
        else:
            scales = learn_ranks(a, b) if view == "rank" else learn_scales(a, b, view, names)
            index = Index(*scales.coordinates(a, b))
        ceilings.append((1 / (1 + index.n_dominators)).sum() if expected else index.ceiling)
    return float(max(ceilings) / len(a))


def interval_disclosure(
    X: Any,
    y: Any,
    *,
    widths: float | Iterable[float] = INTERVAL_WIDTHS,
    kind: str = "rank",
    multioutput: str = "uniform_average",
) -> Any:
    """Share of original values that lie in an interval around their masked value.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, aligned and in the same
        units.
    widths : float or iterable of float, default=(1, 2, ..., 10)
        How far an interval reaches to each side, in percent of the records or of the standard
        deviation. The shares for several widths are averaged.
    kind : {"rank", "sd"}, default="rank"
        Intervals of ranks among the masked values, or of standard deviations of the original.
    multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
        The mean over the variables, or one share each.

    Returns
    -------
    float or ndarray of shape (n_features,)
        From 0, no value is disclosed, to 1, all are.

    References
    ----------
    J. Domingo-Ferrer and V. Torra (2001), A quantitative comparison of disclosure control methods
    for microdata, in Confidentiality, Disclosure and Data Access, 111-133.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import interval_disclosure
    >>> X = np.arange(100.0)[:, None]
    >>> interval_disclosure(X, X + 3.0, widths=2)  # 3 of 100 ranks would be needed
    0.0
    >>> interval_disclosure(X, X + 3.0, widths=3)  # the lowest 3 are below all masked values
    0.97
    >>> interval_disclosure(X, X + 3.0, kind="sd", widths=20)
    1.0
    """
    original, masked = read_files(X, y)
    if kind not in _DISCLOSED:
        raise ValueError(f'kind is {kind!r}: it must be "rank" or "sd"')
    percents = np.atleast_1d(np.asarray(widths, dtype=float))
    if percents.size == 0 or not np.all(percents >= 0):
        raise ValueError(f"widths are {widths!r}: give one or more numbers of at least 0")
    shares = [_DISCLOSED[kind](original, masked, percent).mean(axis=0) for percent in percents]
    return average(np.mean(shares, axis=0), multioutput)


def _in_rank_interval(original: np.ndarray, masked: np.ndarray, percent: float) -> np.ndarray:
    reach = int(percent * len(masked) / 100)
    inside = np.empty(original.shape, dtype=bool)
    for k in range(original.shape[1]):
        ordered = np.sort(masked[:, k])
        # tied values share the ranks of all of them, whatever their order in the file
        first = np.searchsorted(ordered, masked[:, k], side="left")
        last = np.searchsorted(ordered, masked[:, k], side="right") - 1
        lowest = ordered[np.maximum(first - reach, 0)]
        highest = ordered[np.minimum(last + reach, len(ordered) - 1)]
        inside[:, k] = (lowest <= original[:, k]) & (original[:, k] <= highest)
    return inside


def _in_sd_interval(original: np.ndarray, masked: np.ndarray, percent: float) -> np.ndarray:
    return np.asarray(np.abs(original - masked) <= percent / 100 * spread(original))


_DISCLOSED = {"rank": _in_rank_interval, "sd": _in_sd_interval}


def _integers(values: Any, name: str) -> np.ndarray:
    numbers = check_array(values, dtype=None, ensure_2d=False, input_name=name)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(
            f"{name} has shape {numbers.shape} and dtype {numbers.dtype}: it must be one integer "
            "per record"
        )
    return np.asarray(numbers)


def _counts_of_tied(n_tied: Any, records: np.ndarray) -> np.ndarray:
    counts = _integers(n_tied, "n_tied")
    check_consistent_length(counts, records)
    if counts.min() < 1:
        raise ValueError(
            f"n_tied is {counts.min()} in row {counts.argmin()}: it counts the nearest record, so "
            "it is 1 or more"
        )
    return counts
