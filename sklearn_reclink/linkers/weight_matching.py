"""One-to-one links of largest total weight, and which of them are certain.

    maximise   sum of w_ij x_ij     subject to   sum_j x_ij <= 1,  sum_i x_ij <= 1,  x_ij in {0, 1}

over candidate pairs with ``w_ij > 0``; a record may stay without a link. The dual has a value
``u_i >= 0`` for every record and a price ``v_j >= 0`` for every masked record with ``u_i + v_j >=
w_ij``. The lowest prices are found from an optimal matching ``s``::

    v_j = max over i of (w_ij - u_i),    u_i = w_i,s(i) - v_s(i)   (0 for a record without link)

*Ties.* A matching is optimal iff it uses *tight* pairs only, ``u_i + v_j = w_ij``, and leaves out
only records of value 0 and masked records of price 0 (complementary slackness). Draw an arrow from
record ``i`` to the record whose masked record it could take by a tight pair, and one node for all
that is left out, entered by records that could take a free masked record or stay without, left
towards records that could lose theirs. Two optimal matchings differ by cycles of these arrows. So
a record has another link, or none, in some optimal matching iff it shares a strongly connected
component with where a tight pair leads it; else its link is the same in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

# Sums of weights along a cycle that differ by less than this part of the largest weight are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Matching:
    """One-to-one links of largest total weight.

    Attributes
    ----------
    links : ndarray of int of shape (n_records,)
        Masked record of each record in one optimal matching, -1 for none.
    n_tied : ndarray of int of shape (n_records,)
        Number of masked records that a record has in some optimal matching, to be without one
        counted as one more; 1 if its link is certain.
    rows, columns : ndarray of int of shape (n_pairs,)
        The pairs of some optimal matching.
    """

    links: np.ndarray
    n_tied: np.ndarray
    rows: np.ndarray
    columns: np.ndarray

    def may_have(self, columns: np.ndarray) -> np.ndarray:
        """Whether each record has the named masked record in some optimal matching."""
        found = np.zeros(len(self.links), dtype=bool)
        found[self.rows[self.columns == columns[self.rows]]] = True
        return found


def maximum_weight_matching(
    rows: np.ndarray,
    columns: np.ndarray,
    weights: np.ndarray,
    shape: tuple[int, int],
    random_state: np.random.RandomState,
) -> Matching:
    """Match records one-to-one by candidate pairs of positive weight.

    Parameters
    ----------
    rows, columns : ndarray of int of shape (n_pairs,)
        Record and masked record of each candidate pair.
    weights : ndarray of shape (n_pairs,)
        Their weights, all above 0.
    shape : tuple of int
        Number of records and of masked records.
    random_state : RandomState instance
        Which optimal matching is returned does not depend on the order of the files.

    Returns
    -------
    Matching

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.linkers.weight_matching import maximum_weight_matching
    >>> rows, columns = np.array([0, 0, 1, 2]), np.array([0, 1, 0, 2])
    >>> weights = np.array([5.0, 4.0, 3.0, 1.0])
    >>> maximum_weight_matching(rows, columns, weights, (3, 3), np.random.RandomState(0)).links
    array([1, 0, 2])
    """
    links = _one_optimum(rows, columns, weights, shape, random_state)
    if not len(rows):
        empty = np.empty(0, dtype=np.int64)
        return Matching(links, np.ones(shape[0], dtype=np.int64), empty, empty)
    value, price = _dual(rows, columns, weights, links, shape)
    slack = value[rows] + price[columns] - weights
    tolerance = _ROUNDING * weights.max()
    tight = slack <= tolerance
    return _ties(links, rows[tight], columns[tight], value <= tolerance, price <= tolerance, shape)


def _one_optimum(
    rows: np.ndarray,
    columns: np.ndarray,
    weights: np.ndarray,
    shape: tuple[int, int],
    random_state: np.random.RandomState,
) -> np.ndarray:
    n_records, n_masked = shape
    row_order, column_order = (random_state.permutation(size) for size in shape)
    own = np.arange(n_records)
    # a column of its own for every record: no link. All pairs weigh 1 more, as every record has one
    graph = sparse.coo_array(
        (
            np.concatenate([weights + 1, np.ones(n_records)]),
            (
                np.concatenate([row_order[rows], own]),
                np.concatenate([column_order[columns], n_masked + own]),
            ),
        ),
        shape=(n_records, n_masked + n_records),
    )
    _, found = csgraph.min_weight_full_bipartite_matching(graph.tocsr(), maximize=True)
    original_column = np.concatenate([np.argsort(column_order), np.full(n_records, -1)])
    return np.asarray(original_column[found][row_order])


def _dual(
    rows: np.ndarray,
    columns: np.ndarray,
    weights: np.ndarray,
    links: np.ndarray,
    shape: tuple[int, int],
) -> tuple[np.ndarray, np.ndarray]:
    """Values of the records and lowest prices of the masked records."""
    order = np.argsort(columns, kind="stable")
    rows, columns, weights = rows[order], columns[order], weights[order]
    starts = np.flatnonzero(np.r_[True, columns[1:] != columns[:-1]])
    reached = columns[starts]
    linked = links >= 0
    own_weight = np.zeros(shape[0])
    is_link = links[rows] == columns
    own_weight[rows[is_link]] = weights[is_link]
    value, price = own_weight.copy(), np.zeros(shape[1])
    tolerance = _ROUNDING * weights.max()
    for _ in range(shape[0] + 1):
        lowest = np.maximum(np.maximum.reduceat(weights - value[rows], starts), 0)
        if np.all(lowest <= price[reached] + tolerance / shape[0]):
            return value, price
        price[reached] = np.maximum(price[reached], lowest)
        value[linked] = own_weight[linked] - price[links[linked]]
    raise RuntimeError("prices do not settle: the matching is not optimal. Please report this")


def _ties(
    links: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    worthless: np.ndarray,
    free: np.ndarray,
    shape: tuple[int, int],
) -> Matching:
    """What tight pairs, records of value 0 and masked records of price 0 leave open."""
    n_records, n_masked = shape
    outside = n_records
    linked = links >= 0
    node = np.where(linked, np.arange(n_records), outside)
    holder = np.full(n_masked, outside)
    holder[links[linked]] = np.flatnonzero(linked)
    may_stop = np.flatnonzero(linked & worthless)
    may_lose = np.flatnonzero(linked)[free[links[linked]]]
    tails = np.concatenate([node[rows], may_stop, np.full(len(may_lose), outside)])
    heads = np.concatenate([holder[columns], np.full(len(may_stop), outside), may_lose])
    arrows = sparse.coo_array(
        (np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n_records + 1,) * 2
    )
    _, component = csgraph.connected_components(arrows.tocsr(), connection="strong")
    possible = component[node[rows]] == component[holder[columns]]
    rows, columns = rows[possible], columns[possible]
    n_tied = np.bincount(rows, minlength=n_records)
    n_tied += ~linked
    n_tied[may_stop] += component[may_stop] == component[outside]
    return Matching(links, n_tied, rows, columns)
