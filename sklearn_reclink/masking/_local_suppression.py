"""Local suppression: take out cells until every combination of key variables is frequent enough.

*Keys* are here the key variables, those that an intruder may know.

*Convention.* A missing cell matches every value, as in sdcMicro and mu-Argus. Two records match if
they agree in every key that both have; the *frequency* f of a record is the number of records that
match it, itself included. The file is k-anonymous on the keys if every f is at least k.

Suppression only adds matches. The records with f < k are visited from the rarest; for each, with
``M_j`` the set of keys in which record j differs from it, suppressing the keys S makes it match the
records with ``M_j`` inside S. The cheapest S that reaches k is suppressed::

    min cost(S)   subject to   |{j : M_j inside S}| >= k

by counting over all sets of keys at once. At the end each suppressed cell is restored whose absence
turned out not to be needed, the most important first.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import Masker, listed
from sklearn_reclink.masking.columns import Table

# All sets of keys are counted for each rare record.
MOST_KEYS = 16


def differing_keys(codes: np.ndarray, row: int) -> np.ndarray:
    """The set of keys in which each record differs from one, bit b standing for key b."""
    sets = np.zeros(len(codes), dtype=np.int64)
    for key, own in enumerate(codes[row]):
        if own >= 0:
            column = codes[:, key]
            sets |= ((column != own) & (column >= 0)).astype(np.int64) << key
    return sets


def key_frequencies(codes: np.ndarray) -> np.ndarray:
    """The number of records that match each one; missing matches every value.

    Parameters
    ----------
    codes : ndarray of int of shape (n_records, n_keys)
        The level of each key, -1 where missing.

    Returns
    -------
    ndarray of int of shape (n_records,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._local_suppression import key_frequencies
    >>> key_frequencies(np.array([[0, 0], [0, 1], [0, -1], [1, 1]]))
    array([2, 2, 3, 1])
    """
    patterns, inverse, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    partial = (patterns < 0).any(axis=1)
    found = counts.copy()
    for one in np.flatnonzero(partial):
        matching = differing_keys(patterns, int(one)) == 0
        found[one] = counts[matching].sum()
        found[matching & ~partial] += counts[one]
    return np.asarray(found[inverse.ravel()])


def suppressed_cells(codes: np.ndarray, k: int, costs: np.ndarray) -> np.ndarray:
    """The cells to suppress so that every frequency is at least k.

    Parameters
    ----------
    codes : ndarray of int of shape (n_records, n_keys)
        The level of each key, -1 where missing.
    k : int
        The least frequency, at most the number of records.
    costs : ndarray of shape (n_keys,)
        The cost of a suppressed cell of each key, positive.

    Returns
    -------
    ndarray of bool of shape (n_records, n_keys)
    """
    released, n_keys = codes.copy(), codes.shape[1]
    frequency = key_frequencies(codes)
    every = np.arange(1 << n_keys)
    total = sum(((every >> key & 1) * cost for key, cost in enumerate(costs)), np.zeros(len(every)))
    cheapest = np.argsort(total, kind="stable")
    for row in np.argsort(frequency, kind="stable"):
        if frequency[row] >= k:
            continue
        sets = differing_keys(released, int(row))
        matches = np.bincount(sets, minlength=len(every)).reshape((2,) * n_keys)
        for axis in range(n_keys):  # sums over the subsets
            matches = np.cumsum(matches, axis=axis)
        chosen = cheapest[int((matches.ravel()[cheapest] >= k).argmax())]
        frequency[(sets != 0) & (sets & ~chosen == 0)] += 1
        frequency[row] = matches.ravel()[chosen]
        released[row, (chosen >> np.arange(n_keys) & 1).astype(bool)] = -1
    _restore(codes, released, frequency, k, costs)
    return np.asarray((released < 0) & (codes >= 0))


def _restore(
    codes: np.ndarray, released: np.ndarray, frequency: np.ndarray, k: int, costs: np.ndarray
) -> None:
    """Put back the cells without which every frequency still is at least k."""
    for key in np.argsort(-costs, kind="stable"):
        for row in np.flatnonzero((released[:, key] < 0) & (codes[:, key] >= 0)):
            column, own = released[:, key], codes[row, key]
            lost = (differing_keys(released, int(row)) == 0) & (column >= 0) & (column != own)
            if frequency[row] - lost.sum() >= k and (frequency[lost] > k).all():
                released[row, key] = own
                frequency[row] -= lost.sum()
                frequency[lost] -= 1


@dataclass(eq=False, repr=False)
class LocalSuppression(Masker):
    """Mask a file by suppressing cells until it is k-anonymous on its key variables.

    Parameters
    ----------
    k : int, default=3
        The least number of records that share each combination of the key variables. A missing
        value, in the file or by suppression, counts as any value: it matches all.
    importance : dict of float by column, or None, default=None
        What a suppressed cell of a key variable costs, 1 if not named here. The cost of each record
        is made as small as possible, so a variable of great importance is suppressed last. Among
        equally important ones the one with the most levels is suppressed first.
    columns : list of str or int, or None, default=None
        The key variables, by name or position, at most 16: those that an intruder may know. The
        other columns are released unchanged. By default all columns.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : int, ndarray of str
    columns_ : list of int
        The positions of the key variables.

    Notes
    -----
    Missing values stay missing. Suppressed cells are missing in the container's own way: NaN, NaT,
    null or NA. Whole numbers and booleans of a pandas column with suppressed cells become ``Int64``
    and ``boolean``; those of an array become floats.

    The choice is greedy, record by record, so more cells may be suppressed than necessary. Each set
    of cells is the cheapest for its record, and no single cell can be restored. Time grows with the
    number of rare records times the number of records.

    References
    ----------
    Templ, M., Kowarik, A. and Meindl, B. (2015). Statistical disclosure control for micro-data
    using the R package sdcMicro. Journal of Statistical Software, 67(4), 1-36.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_reclink.masking import LocalSuppression
    >>> X = pd.DataFrame({"sex": list("ffmmm"), "region": list("nnnns"), "income": range(5)})
    >>> LocalSuppression(k=2, columns=["sex", "region"]).fit_transform(X)
       sex region  income
    0    f      n       0
    1    f      n       1
    2    m      n       2
    3    m      n       3
    4    m    NaN       4
    """

    k: int = 3
    _: KW_ONLY
    importance: Any = None
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "k": [Interval(Integral, 1, None, closed="left")],
        "importance": [None, dict],
    }

    def _check(self, table: Table) -> None:
        if len(table) < self.k:
            raise ValueError(
                f"Found {len(table)} sample(s), fewer than k={self.k}: no combination can be that "
                "frequent. Give more records or a smaller k."
            )
        if len(self.columns_) > MOST_KEYS:
            raise ValueError(
                f"X has {len(self.columns_)} columns to use as key variables, and at most "
                f"{MOST_KEYS} can be: name the key variables with columns="
            )
        weights = self._by_position("importance")
        other = table.at([place for place in weights if place not in self.columns_])
        if other:
            raise ValueError(
                f"importance holds {listed(column.name for column in other)}, which columns= does "
                "not name as key variables"
            )
        if not all(0 < weight < np.inf for weight in weights.values()):
            raise ValueError("importance must hold positive numbers")

    def _mask_columns(self, table: Table) -> list[Any]:
        keys = table.at(self.columns_)
        codes = np.column_stack([key.levels[0] for key in keys])
        weights = self._by_position("importance")
        costs = np.array([float(weights.get(place, 1.0)) for place in self.columns_])
        # among equal costs: far too small to outweigh a cell
        n_levels = np.array([len(key.levels[1]) for key in keys])
        costs *= 1 + 1e-9 * (n_levels.max() - n_levels) / n_levels.max(initial=1)
        order, cells = np.lexsort(codes.T), np.zeros(codes.shape, dtype=bool)
        cells[order] = suppressed_cells(codes[order], self.k, costs)  # in any order of the rows
        rows = np.arange(len(table))
        return [key.take(np.where(gone, -1, rows)) for key, gone in zip(keys, cells.T, strict=True)]
