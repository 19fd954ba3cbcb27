"""Records of a cell in conflict two by two, found as the search of the fit finds them.

Two records are in conflict if ``r + c s <= 0`` at all corners, for rows r of the one and s of the
other and some ``c > 0``. Notation as in `solvers.cells.splitting`.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.solvers.cells.conflicts import cover_by_cliques, list_records


class Clique(NamedTuple):
    """Its records, and for each two of them two rows and the factor of the second."""

    records: list[int]
    pairs: list[tuple[int, int, float]]


@njit(cache=True, nogil=True)
def _greedy(values, above, index, owners, starts, common, order, head, link, enough):  # type: ignore[no-untyped-def]
    n = list_records(
        above, index, owners, 0, index.shape[0], values.shape[1], starts, common, order
    )
    return cover_by_cliques(values, above, starts, common, order, n, enough, head, link)


def greedy_cliques(values: np.ndarray, rows: np.ndarray, owners: np.ndarray) -> list[Clique]:
    """Cliques without common records.

    Parameters
    ----------
    values : ndarray of shape (n_undecided, n_corners)
        Of the undecided rows; those of a record are adjacent.
    rows : ndarray of int of shape (n_undecided,)
        Which rows they are.
    owners : ndarray of int of shape (n_rows,)
        The records of all rows.
    """
    bits = 1 << np.arange(values.shape[1])
    above = ((values > 0) * bits).sum(axis=1)
    size = len(np.unique(owners[rows]))
    starts, common = np.empty(size + 1, np.int64), np.empty(size, np.int64)
    order, head, link = (np.empty(size, np.int64) for _ in range(3))
    _, n_cliques = _greedy(
        values, above, rows, owners, starts, common, order, head, link, np.int64(size)
    )
    found = []
    for first in head[:n_cliques].tolist():
        members = [first]
        while link[members[-1]] >= 0:
            members.append(int(link[members[-1]]))
        pairs = [_pair(values, starts, i, j) for i, j in combinations(members, 2)]
        if pairs and None not in pairs:
            named = [(int(rows[a]), int(rows[b]), c) for a, b, c in pairs]  # type: ignore[misc]
            found.append(Clique([int(owners[rows[starts[i]]]) for i in members], named))
    return found


def _pair(values: np.ndarray, starts: np.ndarray, i: int, j: int) -> tuple[int, int, float] | None:
    """Rows of two records, and the factor of the second, that no point makes both positive."""
    first, second = np.arange(starts[i], starts[i + 1]), np.arange(starts[j], starts[j + 1])
    r, s = values[first][:, None, :], values[second][None, :, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = -r / s
        low = np.where(s < 0, ratio, 0.0).max(axis=2)
        high = np.where(s > 0, ratio, np.inf).min(axis=2)
        high = np.where(((s == 0) & (r > 0)).any(axis=2), -1.0, high)
        gap = np.where((high > 0) & (high < np.inf), 1 - low / high, -1.0)
    a, b = divmod(int(np.argmax(gap)), gap.shape[1])
    if gap[a, b] < 0:
        return None
    return int(first[a]), int(second[b]), float((low[a, b] + high[a, b]) / 2)
