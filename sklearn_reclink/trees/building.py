"""A KD-tree of distinct points, in plain arrays.

Nodes are stored parent first: the left child of node ``v`` is ``v + 1``, its right child is
``right[v]``, and a leaf has ``right[v] == 0``. Every node keeps the smallest box around its points.

A node is cut at the median of its longest side, times ``stretch``. Equal coordinates stay on one
side of the cut, so equal points end in the same leaf, where they are collapsed into one point
with several rows: a group of microaggregation costs as much as one record, and a leaf of equal
points needs no cut. Every two cuts halve the points or use up a side, so the tree is
never deeper than ``2 (log2 N + n)`` or so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit


class Tree(NamedTuple):
    """Points packed leaf by leaf, and the boxes around them."""

    points: np.ndarray  # (n_distinct, n_features), leaf by leaf
    exact: np.ndarray  # (n_distinct, n_judged), the judge's coordinates; may be `points`
    first: np.ndarray  # (n_distinct + 1,): the rows of point p are rows[first[p]:first[p + 1]]
    rows: np.ndarray  # (n_points,): row numbers, ascending for each point
    place: np.ndarray  # (n_points,): the point of every row
    right: np.ndarray  # (n_nodes,): right child, 0 for a leaf
    begin: np.ndarray  # (n_nodes,)
    end: np.ndarray  # (n_nodes,): the points of node v are begin[v]:end[v]
    low: np.ndarray  # (n_nodes, n_features)
    high: np.ndarray  # (n_nodes, n_features)
    depth: int


def build(
    points: np.ndarray,
    *,
    exact: np.ndarray | None = None,
    stretch: np.ndarray | None = None,
    leaf: int = 16,
) -> Tree:
    """Build a tree.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        Coordinates of the guide.
    exact : ndarray of shape (n_points, n_judged), default=None
        Coordinates of the judge, if others. Points are equal when these are.
    stretch : ndarray of shape (n_features,), default=None
        Weight of each side when the longest is chosen to be cut.
    leaf : int, default=16
        Most distinct points of a leaf.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.trees import build
    >>> tree = build(np.array([[0.0], [2.0], [0.0]]))
    >>> tree.points.ravel(), tree.rows, tree.place
    (array([0., 2.]), array([0, 2, 1]), array([0, 1, 0]))
    """
    points = np.ascontiguousarray(points, dtype=float)
    exact = points if exact is None else np.ascontiguousarray(exact, dtype=float)
    stretch = np.ones(points.shape[1]) if stretch is None else np.asarray(stretch, dtype=float)
    rows = np.arange(len(points))
    right, begin, end, low, high, depth = _cut(points, rows, stretch, leaf)
    first, place = _collapse(exact, rows, right, begin, end, np.inf if exact is points else leaf)
    chosen = rows[first[:-1]]
    packed = points[chosen]
    return Tree(
        packed,
        packed if exact is points else exact[chosen],
        first,
        rows,
        place,
        right,
        begin,
        end,
        low,
        high,
        depth,
    )


@njit(cache=True, nogil=True)
def _select(values: Any, rows: Any, begin: int, end: int, middle: int) -> Any:
    """Bring the middle-th smallest of values[begin:end] to its place, with its row."""
    low, high = begin, end - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def _part(values: Any, rows: Any, begin: int, end: int, cut: float, inclusive: bool) -> Any:
    """Bring the values below the cut (or at it, if inclusive) to the front; how many."""
    front = begin
    for i in range(begin, end):
        if values[i] < cut or (inclusive and values[i] == cut):
            values[i], values[front] = values[front], values[i]
            rows[i], rows[front] = rows[front], rows[i]
            front += 1
    return front


@njit(cache=True, nogil=True)
def _cut(points: Any, rows: Any, stretch: Any, leaf: int) -> Any:
    """Order the rows leaf by leaf; the nodes, parent first."""
    n_points, n_features = points.shape
    capacity = max(1024, 8 * n_points // max(1, leaf))
    right = np.zeros(capacity, np.int64)
    begin = np.zeros(capacity, np.int64)
    end = np.zeros(capacity, np.int64)
    low = np.empty((capacity, n_features))
    high = np.empty((capacity, n_features))
    values = np.empty(n_points)
    stack = [(0, n_points, -1, 1)]
    n_nodes = 0
    depth = 1
    while len(stack) > 0:
        start, stop, parent, level = stack.pop()
        depth = max(depth, level)
        if n_nodes == capacity:
            capacity *= 2
            right = np.concatenate((right, np.zeros_like(right)))
            begin = np.concatenate((begin, np.zeros_like(begin)))
            end = np.concatenate((end, np.zeros_like(end)))
            low = np.concatenate((low, np.empty_like(low)))
            high = np.concatenate((high, np.empty_like(high)))
        node = n_nodes
        n_nodes += 1
        if parent >= 0:
            right[parent] = node
        begin[node], end[node] = start, stop
        for k in range(n_features):
            low[node, k] = np.inf
            high[node, k] = -np.inf
        for i in range(start, stop):
            for k in range(n_features):
                value = points[rows[i], k]
                low[node, k] = min(low[node, k], value)
                high[node, k] = max(high[node, k], value)
        axis = 0
        longest = 0.0
        widest = 0
        for k in range(n_features):
            extent = high[node, k] - low[node, k]
            if extent * stretch[k] > longest:
                longest = extent * stretch[k]
                axis = k
            if extent > high[node, widest] - low[node, widest]:
                widest = k
        if longest == 0:  # sides of no weight may still part the points of a crowd
            axis = widest
        if stop - start <= leaf or high[node, axis] == low[node, axis]:
            continue
        for i in range(start, stop):
            values[i] = points[rows[i], axis]
        middle = (start + stop) // 2
        _select(values, rows, start, stop, middle)
        cut = values[middle]
        front = _part(values, rows, start, stop, cut, cut == low[node, axis])
        stack.append((front, stop, node, level + 1))
        stack.append((start, front, -1, level + 1))  # node + 1: the next one made
    return (
        right[:n_nodes].copy(),
        begin[:n_nodes].copy(),
        end[:n_nodes].copy(),
        low[:n_nodes].copy(),
        high[:n_nodes].copy(),
        depth,
    )


@njit(cache=True, nogil=True)
def _collapse(exact: Any, rows: Any, right: Any, begin: Any, end: Any, largest: float) -> Any:
    """Join the equal points of every leaf and number the points anew; the nodes follow.

    A leaf above the largest, equal for the guide but not for the judge, is left as it is.
    """
    n_points = rows.shape[0]
    first = np.empty(n_points + 1, np.int64)
    place = np.empty(n_points, np.int64)
    made = 0
    new_begin = np.zeros_like(begin)
    for node in range(right.shape[0]):
        new_begin[node] = made
        if right[node] != 0:
            continue
        start, stop = begin[node], end[node]
        rows[start:stop] = np.sort(rows[start:stop])
        front = start
        while front < stop:  # gather the rows equal to the one in front, in their order
            leader = rows[front]
            first[made] = front
            place[leader] = made
            tail = front + 1
            for i in range(front + 1, stop if stop - start <= largest else front + 1):
                row = rows[i]
                same = True
                for k in range(exact.shape[1]):
                    if exact[row, k] != exact[leader, k]:
                        same = False
                        break
                if same:
                    for back in range(i, tail, -1):
                        rows[back] = rows[back - 1]
                    rows[tail] = row
                    place[row] = made
                    tail += 1
            front = tail
            made += 1
    first[made] = n_points
    for node in range(right.shape[0] - 1, -1, -1):
        begin[node] = new_begin[node]
        if right[node] == 0:
            end[node] = made if node + 1 == right.shape[0] else new_begin[node + 1]
        else:
            end[node] = end[right[node]]
    return first[: made + 1].copy(), place
