"""Boxes around points, from scikit-learn's KD-tree, in the arrays that compiled code takes.

The tree is complete: the children of node ``v`` are ``2 v + 1`` and ``2 v + 2``, and the second
half of the nodes are leaves. scikit-learn cuts at the median of the longest side of *scaled*
points, which say how much a side matters; the boxes are those of the points themselves.
"""

from typing import NamedTuple

import numpy as np
from sklearn.neighbors import KDTree


class BoxTree(NamedTuple):
    """Points packed leaf by leaf, and the boxes around them."""

    points: np.ndarray  # (n_points, n_coordinates), of the bound
    exact: np.ndarray  # (n_points, n_exact), of the distance; may be `points`
    counts: np.ndarray  # (n_points,): how many records each point stands for
    rows: np.ndarray  # (n_points,): the row of each point
    place: np.ndarray  # (n_points,): the point of each row
    begin: np.ndarray  # (n_nodes,)
    end: np.ndarray  # (n_nodes,): the points of node v are begin[v]:end[v]
    low: np.ndarray  # (n_nodes, n_coordinates)
    high: np.ndarray
    node_counts: np.ndarray  # (n_nodes,)


def build(
    points: np.ndarray,
    scales: np.ndarray,
    *,
    exact: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    cut: np.ndarray | None = None,
    leaf: int = 16,
) -> BoxTree:
    """Build a tree.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_coordinates)
    scales : ndarray of shape (n_coordinates,)
        Lengths of the sides are multiplied by these when the longest is chosen to be cut.
    exact : ndarray of shape (n_points, n_exact), default=None
        Coordinates of the distance, if others.
    counts : ndarray of shape (n_points,), default=None
        Number of records of each point, by default 1.
    cut : ndarray of shape (n_points, n_cut), default=None
        The points whose longest sides are cut, by default the scaled ones.
    leaf : int, default=16
        A leaf has so many points, or up to twice as many.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.priced.tree import build
    >>> tree = build(np.array([[3.0], [0.0], [2.0], [1.0]]), np.ones(1), leaf=1)
    >>> tree.low.ravel(), tree.high.ravel()
    (array([0., 0., 2.]), array([3., 1., 3.]))
    """
    _, rows, nodes, _ = KDTree(points * scales if cut is None else cut, leaf_size=leaf).get_arrays()
    rows = np.array(rows)
    begin, end = (np.array(nodes[part], dtype=np.int64) for part in ("idx_start", "idx_end"))
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    packed = np.ascontiguousarray(points[rows])
    located = packed if exact is None else np.ascontiguousarray(exact[rows])
    weights = np.ones(len(rows)) if counts is None else counts[rows].astype(float)
    return BoxTree(
        packed,
        located,
        weights,
        rows,
        place,
        begin,
        end,
        over_nodes(np.minimum, packed, begin),
        over_nodes(np.maximum, packed, begin),
        over_nodes(np.add, weights, begin),
    )


def over_nodes(combine: np.ufunc, values: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """Combine the values of the points of every node, (n_nodes, ...)."""
    n_nodes = len(begin)
    found = np.empty((n_nodes, *values.shape[1:]), dtype=values.dtype)
    first = n_nodes // 2
    found[first:] = combine.reduceat(values, begin[first:], axis=0)
    while first:
        parents, children = slice(first // 2, first), slice(first, 2 * first + 1)
        found[parents] = combine(found[children][::2], found[children][1::2])
        first //= 2
    return found
