"""A KD-tree of distinct points, in plain arrays.

Nodes are stored parent first: the left child of node ``v`` is ``v + 1``, its right child is
``right[v]``, and a leaf has ``right[v] == 0``. Every node keeps the smallest box around its points.

A node is cut at the median of its longest side, times ``stretch``. Equal coordinates stay on one
side of the cut, so equal points end in the same leaf, where they are collapsed into one point
with several rows: a group of microaggregation costs as much as one record, and a leaf of equal
points needs no cut. Every two cuts halve the points or use up a side, so the tree is
never deeper than ``2 (log2 N + n)`` or so.

*Mixed files.* A node in which some points lack a coordinate (NaN) and others do not is cut there
first; until then its box is unbounded along it. Below, all points lack the same coordinates: a
*pattern*, numbered by the node where it begins. The codes of a category that are left in a node
differ by its cap at most, and so long is the side.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.search.tree.codes import codes_of

_NO_BOXES, _NO_CODES = np.empty((0, 0)), np.empty((0, 0), dtype=np.uint64)


class Tree(NamedTuple):
    """Points packed leaf by leaf, and the boxes around them."""

    points: np.ndarray  # (n_distinct, n_features), leaf by leaf; of a mixed file see `apart`
    exact: np.ndarray  # (n_distinct, n_exact), coordinates of the distance; may be `points`
    first: np.ndarray  # (n_distinct + 1,): the rows of point p are rows[first[p]:first[p + 1]]
    rows: np.ndarray  # (n_points,): row numbers, ascending for each point
    place: np.ndarray  # (n_points,): the point of every row
    right: np.ndarray  # (n_nodes,): right child, 0 for a leaf
    begin: np.ndarray  # (n_nodes,)
    end: np.ndarray  # (n_nodes,): the points of node v are begin[v]:end[v]
    low: np.ndarray  # (n_nodes, n_features)
    high: np.ndarray  # (n_nodes, n_features)
    pattern: np.ndarray  # (n_nodes,): which coordinates its points lack, -1 if they differ in it
    boxes: np.ndarray = _NO_BOXES  # (n_nodes, 2 n_numbers) of a mixed file: low, high side by side
    codes: np.ndarray = _NO_CODES  # (n_nodes, n_categories) of a mixed file, see `codes`
    depth: int = 0


def build(
    points: np.ndarray,
    *,
    exact: np.ndarray | None = None,
    stretch: np.ndarray | None = None,
    caps: np.ndarray | None = None,
    n_extra: int = 0,
    leaf: int = 8,
    join: bool = True,
) -> Tree:
    """Build a tree.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        Coordinates of the bound.
    exact : ndarray of shape (n_points, n_exact), default=None
        Coordinates of the distance, if others. Points are equal when these are.
    stretch : ndarray of shape (n_features,), default=None
        Weight of each side when the longest is chosen to be cut.
    caps : ndarray of shape (n_features,), default=None
        The longest that a side can be, in a file with categories.
    n_extra : int, default=0
        How many of the last coordinates are extra ones, see `families.missing`.
    leaf : int, default=8
        Most distinct points of a leaf.
    join : bool, default=True
        Whether equal points become one, in time that grows with the square of the leaf.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree.building import build
    >>> tree = build(np.array([[0.0], [2.0], [0.0]]))
    >>> tree.points.ravel(), tree.rows, tree.place
    (array([0., 2.]), array([0, 2, 1]), array([0, 1, 0]))
    """
    points = np.ascontiguousarray(points, dtype=float)
    exact = points if exact is None else np.ascontiguousarray(exact, dtype=float)
    stretch = np.ones(points.shape[1]) if stretch is None else np.asarray(stretch, dtype=float)
    sides = np.full(points.shape[1], np.inf) if caps is None else np.asarray(caps, dtype=float)
    gaps = bool(np.isnan(points).any())
    rows = np.arange(len(points))
    packed = points.copy()
    right, begin, end, low, high, pattern, depth = _cut(packed, rows, stretch, sides, gaps, leaf)
    largest = 0.0 if not join else np.inf if exact is points else leaf
    first, place = _collapse(exact, rows, right, begin, end, largest)
    joined = len(first) <= len(rows)
    rows = np.argsort(place, kind="stable") if joined else rows
    chosen = rows[first[:-1]]
    packed = points[chosen] if joined else packed
    located = packed if exact is points else exact[chosen]
    tree = Tree(
        packed, located, first, rows, place, right, begin, end, low, high, pattern, depth=depth
    )
    return tree if caps is None else _of_mixed_file(tree, sides, n_extra)


def _of_mixed_file(tree: Tree, caps: np.ndarray, n_extra: int) -> Tree:
    """The tree with the points, boxes and codes of a mixed file, see `apart`."""
    numbers, categories = apart(caps[: tree.points.shape[1] - n_extra])
    sides = tree.low[:, numbers], tree.high[:, numbers]
    return tree._replace(
        points=np.nan_to_num(tree.points[:, np.append(numbers, categories)]),
        boxes=np.stack(sides, axis=2).reshape(len(tree.low), -1),
        codes=codes_of(tree.right, tree.begin, tree.end, tree.exact, caps, categories),
    )


def apart(caps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and categories of a mixed file, which have a cap.

    The coordinates of its points are in this order, without extra ones, and 0 where missing.
    """
    return np.flatnonzero(np.isinf(caps)), np.flatnonzero(np.isfinite(caps))


@njit(cache=True, nogil=True, forceinline=True)
def _swap(points: Any, rows: Any, i: int, j: int) -> Any:
    rows[i], rows[j] = rows[j], rows[i]
    for k in range(points.shape[1]):
        points[i, k], points[j, k] = points[j, k], points[i, k]


@njit(cache=True, nogil=True)
def _select(points: Any, rows: Any, axis: int, begin: int, end: int, middle: int) -> Any:
    """Bring the middle-th smallest of begin:end along an axis to its place, others around it."""
    low, high = begin, end - 1
    while low < high:
        pivot = points[(low + high) // 2, axis]
        i, j = low, high
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                _swap(points, rows, i, j)
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def _part(
    points: Any, rows: Any, axis: int, begin: int, end: int, cut: float, inclusive: bool
) -> Any:
    """Bring the points below the cut (or at it, if inclusive) to the front; where they end."""
    front = begin
    for i in range(begin, end):
        value = points[i, axis]
        if value < cut or (inclusive and value == cut):
            if i != front:
                _swap(points, rows, i, front)
            front += 1
    return front


@njit(cache=True, nogil=True)
def _cut(points: Any, rows: Any, stretch: Any, caps: Any, gaps: bool, leaf: int) -> Any:
    """Bring points and rows into the order of the leaves; the nodes, parent first."""
    n_points, n_features = points.shape
    capacity = max(1024, 4 * n_points // max(1, leaf))
    right = np.zeros(capacity, np.int64)
    begin = np.zeros(capacity, np.int64)
    end = np.zeros(capacity, np.int64)
    low = np.empty((capacity, n_features))
    high = np.empty((capacity, n_features))
    pattern = np.zeros(capacity, np.int64)
    extents = np.empty(n_features)
    lacking = np.zeros(n_features, np.int64)
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
            pattern = np.concatenate((pattern, np.zeros_like(pattern)))
        node = n_nodes
        n_nodes += 1
        if parent >= 0:
            right[parent] = node
        begin[node], end[node] = start, stop
        for k in range(n_features):
            low[node, k] = np.inf
            high[node, k] = -np.inf
        if gaps:
            lacking[:] = 0
            for i in range(start, stop):
                for k in range(n_features):
                    value = points[i, k]
                    if value != value:
                        lacking[k] += 1
                    else:
                        low[node, k] = min(low[node, k], value)
                        high[node, k] = max(high[node, k], value)
        else:
            for i in range(start, stop):
                for k in range(n_features):
                    low[node, k] = min(low[node, k], points[i, k])
                    high[node, k] = max(high[node, k], points[i, k])
        partly = -1  # a coordinate that some of the points lack
        for k in range(n_features):
            extents[k] = min(high[node, k] - low[node, k], caps[k])
            if lacking[k] > 0:
                extents[k] = 0.0
                low[node, k], high[node, k] = -np.inf, np.inf
                if lacking[k] < stop - start:
                    partly = k
        if partly >= 0:
            pattern[node] = -1
        elif node > 0:
            above = parent if parent >= 0 else node - 1
            pattern[node] = pattern[above] if pattern[above] >= 0 else node
        if stop - start <= leaf:
            continue
        if partly >= 0:
            front = start
            for i in range(start, stop):
                if points[i, partly] != points[i, partly]:
                    _swap(points, rows, i, front)
                    front += 1
            stack.append((front, stop, node, level + 1))
            stack.append((start, front, -1, level + 1))
            continue
        axis = 0
        widest = 0
        for k in range(n_features):
            if extents[k] * stretch[k] > extents[axis] * stretch[axis]:
                axis = k
            if extents[k] > extents[widest]:
                widest = k
        if extents[axis] == 0.0:
            axis = widest  # sides of no weight may still part the points of a crowd
        if extents[axis] == 0.0:
            continue
        middle = (start + stop) // 2
        _select(points, rows, axis, start, stop, middle)
        cut = points[middle, axis]
        inclusive = cut == low[node, axis]
        # after the selection only what equals the cut may be on the wrong side
        if inclusive:
            front = _part(points, rows, axis, middle, stop, cut, True)
        else:
            front = _part(points, rows, axis, start, middle, cut, False)
        stack.append((front, stop, node, level + 1))
        stack.append((start, front, -1, level + 1))  # node + 1: the next one made
    return (
        right[:n_nodes].copy(),
        begin[:n_nodes].copy(),
        end[:n_nodes].copy(),
        low[:n_nodes].copy(),
        high[:n_nodes].copy(),
        pattern[:n_nodes].copy(),
        depth,
    )


@njit(cache=True, nogil=True)
def _collapse(exact: Any, rows: Any, right: Any, begin: Any, end: Any, largest: float) -> Any:
    """Join the equal points of every leaf and number the points anew; the nodes follow.

    A leaf above the largest, equal for the bound but not for the distance, is left as it is.
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
        front = start
        while front < stop:  # gather the rows equal to the one in front
            leader = rows[front]
            first[made] = front
            tail = front + 1
            for i in range(front + 1, stop if stop - start <= largest else front + 1):
                row = rows[i]
                same = True
                for k in range(exact.shape[1]):
                    mine, its = exact[row, k], exact[leader, k]
                    if mine != its and (mine == mine or its == its):  # NaN equals NaN
                        same = False
                        break
                if same:
                    rows[i], rows[tail] = rows[tail], row
                    tail += 1
            for i in range(front, tail):
                place[rows[i]] = made
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
