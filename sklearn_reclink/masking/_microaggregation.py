"""Microaggregation: release group means in place of values.

MDAV-generic (Domingo-Ferrer and Torra, 2005) splits the records ``R`` into groups of at
least k:

1. While ``|R| >= 3k``: let r be the record of R farthest from the centroid of R. Group r with
   its k - 1 nearest. Let s be the record farthest from r among those left. Group s with its
   k - 1 nearest. Take both groups out of R.
2. If ``2k <= |R| < 3k``: group the record farthest from the centroid with its k - 1 nearest.
3. The rest is one group.

Distances are Euclidean; among equals the lowest row index is taken.
"""

from collections import Counter
from collections.abc import Hashable, Sequence, Sized
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import NumericMasker, by_powers_of_two, listed
from sklearn_reclink.masking.columns import Table


def mdav(Z: ArrayLike, k: int) -> np.ndarray:
    """Group records into sets of k to 2k - 1 similar ones by MDAV-generic.

    Parameters
    ----------
    Z : array-like of shape (n_records, n_features)
        The records, finite.
    k : int
        The least size of a group.

    Returns
    -------
    labels : ndarray of shape (n_records,)
        The group of each record, numbered from 0 in the order in which MDAV forms them.

    Notes
    -----
    Time grows with ``n_records ** 2 / k``, memory with ``n_records``.

    Examples
    --------
    >>> from sklearn_reclink.masking import mdav
    >>> mdav([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3)
    array([1, 0, 1, 0, 1, 0])
    """
    records = np.array(Z, dtype=np.float64, ndmin=2)
    if records.ndim != 2 or not np.isfinite(records).all():
        raise ValueError("mdav needs a 2-D array of finite numbers: one row per record.")
    if k < 1:
        raise ValueError(f"k={k}: a group needs at least one record.")
    check_k_records(records, k)
    from sklearn_reclink.masking._mdav_kernel import group

    # a power of two rounds nothing and keeps the squares from overflowing
    _, exponent = np.frexp(np.abs(records).max(initial=0.0))
    columns = np.ascontiguousarray(np.ldexp(records, -exponent).T)
    return np.asarray(group(columns, k), dtype=np.intp)


def check_k_records(X: Sized, k: int) -> None:
    """Raise if the file has fewer than k records."""
    if len(X) < k:
        raise ValueError(
            f"Found {len(X)} sample(s), fewer than k={k}: no group of that many records can be "
            "formed. Give more records or a smaller k."
        )


def group_means(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Replace each record by the mean of the records that share its label.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_features)
        The records.
    labels : ndarray of shape (n_records,)
        The group of each record, numbered from 0.

    Returns
    -------
    means : ndarray of shape (n_records, n_features)
        One row per record; all rows of a group are equal.
    """
    sizes = np.bincount(labels)
    # means of offsets from one member: a column that is constant in a group keeps its value
    anchor = np.zeros(len(sizes), dtype=np.intp)
    anchor[labels[::-1]] = np.arange(len(labels))[::-1]
    origin = X[anchor]  # (n_groups, n_features)
    offsets = X - origin[labels]
    totals = np.column_stack([np.bincount(labels, weights=column) for column in offsets.T])
    return np.asarray((origin + totals / sizes[:, None])[labels], dtype=np.float64)


@dataclass(eq=False, repr=False)
class Microaggregation(NumericMasker):
    """Mask a file by microaggregation: each value becomes the mean of a group of records.

    The variables are split into groups; within each group of variables the records are
    partitioned by MDAV into sets of k to 2k - 1 similar ones, and every record is released as the
    mean of its set. With more groups of variables the masked file is closer to the original, and it
    is easier to find a record again. With one group of all variables every released record is
    shared by at least k people (k-anonymity).

    Parameters
    ----------
    groups : int, list of lists of int or str, or None, default=None
        The groups of variables. None puts all variables in one group; an integer m takes m
        consecutive variables at a time, and the last group is smaller if m does not divide
        their number; a list names the variables of each group by position or by column name.
        Every variable that is masked is in one group.
    k : int or list of int, default=3
        The least number of records in a set, or one such number for each group of variables.
    standardize : bool, default=False
        Divide each variable by its standard deviation before the sets are formed. The released
        values are means of the raw values in both cases.
    %(keep_integers columns)s
        A column to mask that holds no numbers, or is in no group, is an error.

    Attributes
    ----------
    %(columns_)s
    groups_ : list of list of int
        The positions of the variables in each group.
    k_ : list of int
        The least number of records in a set, for each group.

    See Also
    --------
    UnivariateMicroaggregation : Each variable sorted and averaged on its own.

    Notes
    -----
    Missing values are refused: a set of similar records can be formed only from all of their
    values.

    References
    ----------
    Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and heterogeneous k-anonymity
    through microaggregation. Data Mining and Knowledge Discovery, 11(2), 195-212.

    Examples
    --------
    >>> from sklearn_reclink.masking import Microaggregation
    >>> X = [[20.0, 900.0], [64.0, 100.0], [22.0, 140.0], [60.0, 800.0]]
    >>> Microaggregation(groups=1, k=2).fit_transform(X)
    array([[ 21., 850.],
           [ 62., 120.],
           [ 21., 120.],
           [ 62., 850.]])
    """

    groups: int | Sequence[Sequence[int | str]] | None = None
    k: int | Sequence[int] = 3
    standardize: bool = False
    keep_integers: bool = False
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NumericMasker._parameter_constraints,
        "groups": [None, Interval(Integral, 1, None, closed="left"), "array-like"],
        "k": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "standardize": ["boolean"],
    }

    def _settle(self) -> None:
        self.groups_ = self._variable_groups()
        self.k_ = _group_sizes(self.k, len(self.groups_))

    def _variable_groups(self) -> list[list[int]]:
        """The positions of the variables of each group."""
        groups: Any = self.groups
        columns = self.columns_
        if groups is None or isinstance(groups, Integral):
            size = int(groups or len(columns)) or 1
            return [columns[start : start + size] for start in range(0, len(columns), size)]
        for group in groups:
            if isinstance(group, str | Integral) or len(group) == 0:
                raise ValueError(
                    f"groups holds {group!r}, where a non-empty list of variables is needed, "
                    "such as groups=[[0, 1], [2, 3]]."
                )
        positions = [[self._position(one, "groups") for one in group] for group in groups]
        called = getattr(self, "feature_names_in_", range(self.n_features_in_))
        _check_partition(positions, columns, called)
        return positions

    def _mask(self, X: np.ndarray) -> np.ndarray:
        Y = X.copy()
        scaled = X
        if self.standardize and len(X) > 1:
            scaled = by_powers_of_two(X)[0]
            sd = scaled.std(axis=0, ddof=1)
            scaled = scaled / np.where(sd > 0, sd, 1.0)
        for group, k in zip(self.groups_, self.k_, strict=True):
            variables = [self.columns_.index(place) for place in group]
            Y[:, variables] = group_means(X[:, variables], mdav(scaled[:, variables], k))
        return Y

    def _check(self, table: Table) -> None:
        check_k_records(table, max(self.k_, default=1))


def _check_partition(
    groups: list[list[int]], columns: Sequence[int], called: Sequence[Hashable]
) -> None:
    """Raise unless every column to mask, and no other, is in one group."""
    counts = Counter(place for group in groups for place in group)
    repeated = sorted(place for place, count in counts.items() if count > 1)
    if repeated:
        twice = listed([called[place] for place in repeated])
        raise ValueError(
            f"groups names the columns {twice} more than once: a variable is masked in one group "
            "only."
        )
    alone = [called[place] for place in columns if place not in counts]
    if alone:
        raise ValueError(
            f"the columns {listed(alone)} are in no group, so they would be released unmasked: add "
            "them to groups, or name only the columns to mask with columns="
        )
    beside = [called[place] for place in counts if place not in columns]
    if beside:
        raise ValueError(
            f"groups holds the columns {listed(beside)}, which columns= does not name: add them to "
            "columns, or take them out of groups"
        )


def _group_sizes(k: int | Sequence[int], n_groups: int) -> list[int]:
    sizes = [int(k)] * n_groups if isinstance(k, int | np.integer) else [int(size) for size in k]
    if len(sizes) != n_groups:
        raise ValueError(
            f"k has {len(sizes)} value(s) for {n_groups} group(s) of variables: give one k for "
            "all, or one for each group."
        )
    if min(sizes, default=1) < 1:
        raise ValueError(f"k={sizes}: every set needs at least one record.")
    return sizes
