"""Univariate microaggregation: each variable is sorted and averaged on its own.

*Individual ranking* cuts the sorted values of a variable into runs of k, the last taking what is
left over. The *optimal* cut has the least sum of squares within runs; its runs have k to 2k - 1
values, so it is a shortest path over the cuts (Hansen and Mukherjee, 2003)::

    cost[e] = min over s, k <= e - s <= 2k - 1, of cost[s] + SSE(values[s:e])
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import NumericMasker
from sklearn_reclink.masking._microaggregation import check_k_records, group_means
from sklearn_reclink.masking.columns import Table


def runs_of_k(n_records: int, k: int) -> np.ndarray:
    """Label sorted values in runs of k; the last run takes what is left over.

    Examples
    --------
    >>> from sklearn_reclink.masking._univariate import runs_of_k
    >>> runs_of_k(7, 3)
    array([0, 0, 0, 1, 1, 1, 1])
    """
    labels = np.arange(n_records) // k
    return np.minimum(labels, max(n_records // k - 1, 0))


def optimal_runs(values: np.ndarray, k: int) -> np.ndarray:
    """Label sorted values in runs of at least k with the least sum of squares within runs.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        Ascending; at least k of them.
    k : int
        The least length of a run.

    Returns
    -------
    labels : ndarray of shape (n_records,)
        The run of each value, numbered from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._univariate import optimal_runs
    >>> optimal_runs(np.array([0.0, 0.1, 5.0, 5.1, 5.2, 9.0, 9.1]), 2)
    array([0, 0, 1, 1, 1, 2, 2])
    """
    n_records = len(values)
    spread = values[-1] / 2 - values[0] / 2
    centred = (values / 2 - values[n_records // 2] / 2) / (spread if spread > 0 else 1.0)
    totals = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    cost = np.full(n_records + 1, np.inf)
    cost[0] = 0.0
    cut = np.zeros(n_records + 1, dtype=np.intp)
    for end in range(k, n_records + 1):
        starts = np.arange(max(0, end - 2 * k + 1), end - k + 1)
        sizes = end - starts
        within = squares[end] - squares[starts] - (totals[end] - totals[starts]) ** 2 / sizes
        paths = cost[starts] + np.maximum(within, 0.0)
        best = int(paths.argmin())
        cost[end], cut[end] = paths[best], starts[best]
    first, end = np.zeros(n_records, dtype=np.intp), n_records
    while end > 0:
        end = int(cut[end])
        first[end] = 1
    return np.cumsum(first) - 1


@dataclass(eq=False, repr=False)
class UnivariateMicroaggregation(NumericMasker):
    """Mask a file by microaggregation of every variable on its own (individual ranking).

    Each value becomes the mean of k or more values next to it in rank. This changes a file little
    and hides little: k people share a value in each variable, but rarely in all of them.

    Parameters
    ----------
    k : int, default=3
        The least number of values averaged.
    optimal : bool, default=False
        Choose the runs of k to 2k - 1 values with the least sum of squares within. By default
        all runs have k values, except the last, which has up to 2k - 1.
    %(keep_integers numeric_columns)s

    Attributes
    ----------
    %(columns_)s

    See Also
    --------
    Microaggregation : Groups of several variables at a time.

    Notes
    -----
    A missing value stays missing; the runs are those of the values present.

    References
    ----------
    Hansen, S. L. and Mukherjee, S. (2003). A polynomial algorithm for optimal univariate
    microaggregation. IEEE Transactions on Knowledge and Data Engineering, 15(4), 1043-1044.

    Examples
    --------
    >>> from sklearn_reclink.masking import UnivariateMicroaggregation
    >>> X = [[20.0, 900.0], [64.0, 100.0], [22.0, 140.0], [60.0, 800.0]]
    >>> UnivariateMicroaggregation(k=2).fit_transform(X)
    array([[ 21., 850.],
           [ 62., 120.],
           [ 21., 120.],
           [ 62., 850.]])
    """

    k: int = 3
    _: KW_ONLY
    optimal: bool = False
    keep_integers: bool = False
    columns: Any = None

    _allows_missing = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NumericMasker._parameter_constraints,
        "k": [Interval(Integral, 1, None, closed="left")],
        "optimal": ["boolean"],
    }

    def _check(self, table: Table) -> None:
        check_k_records(table, self.k)
        for column in table.at(self.columns_):
            if len(table) > (~column.missing).sum() < self.k:
                raise ValueError(
                    f"column {column.name!r} has {(~column.missing).sum()} values, fewer than "
                    f"k={self.k}: suppress it, or name the other columns with columns="
                )

    def _mask(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([self._mask_one(column) for column in X.T])

    def _mask_one(self, column: np.ndarray) -> np.ndarray:
        present = ~np.isnan(column)
        values = column[present]
        order = np.argsort(values, kind="stable")
        labels = np.empty_like(order)
        labels[order] = (
            optimal_runs(values[order], self.k) if self.optimal else runs_of_k(len(order), self.k)
        )
        masked = column.copy()
        masked[present] = group_means(values[:, None], labels)[:, 0]
        return masked
