"""What a record asks of its impostors, the masked records other than its own.

Every question takes a batch of original records and the rows of their own masked records; a batch
is one call of a compiled function that holds no lock, so batches run side by side in threads.
Batches in the order of ``tree.rows`` are quickest: neighbours walk the same branches.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.search.tree.building import Tree
from sklearn_reclink.search.tree.formulas import Formula
from sklearn_reclink.search.tree.walks import at_most_as_far, distances_to, nearest_points


def beaten(tree: Tree, formula: Formula, queries: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Whether some impostor is at most as far as the own record, ties included.

    Parameters
    ----------
    tree : Tree
        The masked file.
    formula : Formula
        The distance.
    queries : ndarray of shape (n_queries, n_features)
        Original records, in the coordinates of the tree.
    own : ndarray of int of shape (n_queries,)
        Row of the masked file that is each record's own.

    Returns
    -------
    ndarray of bool of shape (n_queries,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree import SUM, beaten, build, monotone_formula
    >>> tree = build(np.array([[0.0], [1.5], [1.5], [9.0]]))
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> beaten(tree, monotone_formula(SUM, np.ones(1)), X, np.arange(4))
    array([False,  True,  True, False])
    """
    return impostors_at_most_as_far(tree, formula, queries, own, listed=0, most=1)[0] > 0


def impostors_at_most_as_far(
    tree: Tree,
    formula: Formula,
    queries: np.ndarray,
    own: np.ndarray,
    *,
    listed: int,
    most: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The impostors at most as far as the own record, ties included.

    Parameters
    ----------
    tree, formula, queries, own
        As in `beaten`.
    listed : int
        Number of impostors to list for each record.
    most : int, default=None
        Stop counting a record's impostors there. None counts them all.

    Returns
    -------
    counts : ndarray of int of shape (n_queries,)
    found : ndarray of int of shape (n_queries, listed)
        Rows of impostors, in no order, then -1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree import (
    ...     SUM, build, impostors_at_most_as_far, monotone_formula)
    >>> tree = build(np.array([[0.0], [1.5], [1.5], [9.0]]))
    >>> counts, rows = impostors_at_most_as_far(
    ...     tree, monotone_formula(SUM, np.ones(1)), np.array([[1.0]]), np.array([2]), listed=3)
    >>> counts, np.sort(rows)
    (array([1]), array([[-1, -1,  1]]))
    """
    queries = np.ascontiguousarray(queries, dtype=float)
    values, magnitudes = distances_to(tree, formula, queries, own)
    found = np.empty((len(queries), listed), dtype=np.int64)
    limit = len(tree.rows) if most is None else most
    counts, _ = at_most_as_far(
        tree, formula, queries, queries, own, values, magnitudes, found, listed, limit
    )
    return counts, found


def nearest_impostor(
    tree: Tree, formula: Formula, queries: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest masked record that is not the own one, and its squared distance.

    Returns
    -------
    rows : ndarray of int of shape (n_queries,)
        The lowest of those at exactly the smallest distance; -1 if there is no other record.
    values : ndarray of shape (n_queries,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree import SUM, build, monotone_formula, nearest_impostor
    >>> tree = build(np.array([[0.0], [1.5], [1.5], [9.0]]))
    >>> nearest_impostor(
    ...     tree, monotone_formula(SUM, np.ones(1)), np.array([[1.0]]), np.array([2]))
    (array([1]), array([0.25]))
    """
    queries = np.ascontiguousarray(queries, dtype=float)
    nobody = np.full(len(queries), -1)
    rows, values, _, _ = nearest_points(tree, formula, queries, queries, nobody, own, 1)
    return rows[:, 0], values[:, 0]
