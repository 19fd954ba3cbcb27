"""Queries of a tree: who is nearest, and who is at most as far as a given distance.

Both are one walk, nearer child first, that leaves out the boxes whose guide is beyond the reach of
the distance asked. The judge decides on every point within reach, so no answer depends on the
shape of the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.trees.formulas import aggregate, farther, judge, reach


@njit(cache=True, nogil=True)
def _box(tree: Any, formula: Any, query: Any, node: int, c: Any, order: Any) -> Any:
    """The guide of the point of a box that is nearest to the query in every variable."""
    for k in range(query.shape[0]):
        value = query[k]
        outside = max(tree.low[node, k] - value, value - tree.high[node, k], 0.0)
        c[k] = outside * outside
    return aggregate(formula.guide, formula.weights, c, order)


@njit(cache=True, nogil=True)
def _next_leaf(
    tree: Any, formula: Any, query: Any, limit: float, stack: Any, bounds: Any, top: int,
    c: Any, order: Any,
) -> Any:  # fmt: skip
    """Pop the stack down to the next leaf within the limit: the leaf, or -1, and the new top."""
    while top > 0:
        top -= 1
        if bounds[top] > limit:
            continue
        node = stack[top]
        while tree.right[node] != 0:
            near, far = node + 1, tree.right[node]
            near_bound = _box(tree, formula, query, near, c, order)
            far_bound = _box(tree, formula, query, far, c, order)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if near_bound > limit:
                node = -1
                break
            if far_bound <= limit:
                stack[top] = far
                bounds[top] = far_bound
                top += 1
            node = near
        if node >= 0:
            return node, top
    return -1, 0


@njit(cache=True, nogil=True)
def _guide(tree: Any, formula: Any, query: Any, point: int, c: Any, order: Any) -> Any:
    for k in range(query.shape[0]):
        difference = query[k] - tree.points[point, k]
        c[k] = difference * difference
    return aggregate(formula.guide, formula.weights, c, order)


@njit(cache=True, nogil=True)
def leaf_of(tree: Any, formula: Any, queries: Any) -> Any:
    """The leaf that the walk of every query reaches first."""
    n_queries, n_features = queries.shape
    leaves = np.empty(n_queries, np.int64)
    stack = np.zeros(tree.depth + 1, np.int64)
    bounds = np.zeros(tree.depth + 1)
    c = np.empty(n_features)
    order = np.empty(n_features, np.int64)
    for i in range(n_queries):
        stack[0] = 0
        bounds[0] = 0.0
        leaves[i], _ = _next_leaf(tree, formula, queries[i], np.inf, stack, bounds, 1, c, order)
    return leaves


@njit(cache=True, nogil=True)
def distances_to(tree: Any, formula: Any, exact: Any, rows: Any) -> Any:
    """Distance and magnitude of every query and the row named beside it."""
    n_queries, n_judged = exact.shape
    values = np.empty(n_queries)
    magnitudes = np.empty(n_queries)
    c = np.empty(n_judged)
    order = np.empty(n_judged, np.int64)
    for i in range(n_queries):
        point = tree.exact[tree.place[rows[i]]]
        values[i], magnitudes[i] = judge(formula, exact[i], point, c, order)
    return values, magnitudes


@njit(cache=True, nogil=True)
def at_most_as_far(
    tree: Any, formula: Any, queries: Any, exact: Any, skip: Any, values: Any, magnitudes: Any,
    found: Any, each: int, most: int,
) -> Any:  # fmt: skip
    """Count the rows that a record at the given distance is not strictly nearer than.

    Parameters
    ----------
    queries, exact : arrays of shape (n_queries, n_features), (n_queries, n_judged)
    skip : array of shape (n_queries,)
        A row that does not count, or -1.
    values, magnitudes : arrays of shape (n_queries,)
        The distance, as the judge gives it.
    found : array of shape (n_queries, n_listed)
        Filled with the first rows found, in no order, then -1. May have no columns.
    each : int
        Of equal points so many rows are listed, the lowest ones.
    most : int
        The search of a query ends when it has counted so many.

    Returns
    -------
    counts, lowest : arrays of shape (n_queries,)
        Number of rows, and the lowest of them (-1 if none).
    """
    n_queries, n_features = queries.shape
    counts = np.zeros(n_queries, np.int64)
    lowest = np.full(n_queries, -1, np.int64)
    found[:] = -1
    stack = np.zeros(tree.depth + 1, np.int64)
    bounds = np.zeros(tree.depth + 1)
    c = np.empty(n_features)
    c_judge = np.empty(exact.shape[1])
    order = np.empty(max(n_features, exact.shape[1]), np.int64)
    for i in range(n_queries):
        limit = reach(formula, values[i])
        query = queries[i]
        own = tree.place[skip[i]] if skip[i] >= 0 else -1
        count = 0
        listed = 0
        point, stop, top = 0, 0, 1
        stack[0] = 0
        bounds[0] = 0.0
        if own >= 0 and tree.first[own + 1] - tree.first[own] > most:
            point, stop, top = own, own + 1, 0  # its equals are enough
        while count < most:
            if point == stop:
                node, top = _next_leaf(tree, formula, query, limit, stack, bounds, top, c, order)
                if node < 0:
                    break
                point, stop = tree.begin[node], tree.end[node]
            begin, end = tree.first[point], tree.first[point + 1]
            equals = end - begin - (point == own)
            if equals > 0 and _guide(tree, formula, query, point, c, order) <= limit:
                value, magnitude = judge(formula, exact[i], tree.exact[point], c_judge, order)
                if not farther(value, magnitude, values[i], magnitudes[i]):
                    row = tree.rows[begin]
                    if row == skip[i]:
                        row = tree.rows[begin + 1]
                    if lowest[i] < 0 or row < lowest[i]:
                        lowest[i] = row
                    room = min(found.shape[1], listed + each)
                    for m in range(begin, end):
                        if listed >= room:
                            break
                        if tree.rows[m] != skip[i]:
                            found[i, listed] = tree.rows[m]
                            listed += 1
                    count += equals
            point += 1
        counts[i] = count
    return counts, lowest


@njit(cache=True, nogil=True)
def nearest_points(
    tree: Any, formula: Any, queries: Any, exact: Any, guess: Any, skip: Any, k: int
) -> Any:
    """The k nearest distinct points of every query.

    Parameters
    ----------
    queries, exact : arrays of shape (n_queries, n_features), (n_queries, n_judged)
    guess : array of shape (n_queries,)
        A row that may be near, or -1: any row is right, a near one saves time.
    skip : array of shape (n_queries,)
        A row that does not count (its equals do), or -1.
    k : int
        Number of points.

    Returns
    -------
    rows : array of shape (n_queries, k)
        The lowest row of each point, nearest first and then by row; -1 where there is none.
    values, magnitudes : arrays of shape (n_queries, k)
    close : array of bool of shape (n_queries,)
        False if no two of the points, nor the last of them and any other, can be tied.
    """
    n_queries, n_features = queries.shape
    rows = np.full((n_queries, k), -1, np.int64)
    values = np.full((n_queries, k), np.inf)
    magnitudes = np.full((n_queries, k), np.inf)
    close = np.zeros(n_queries, np.bool_)
    stack = np.zeros(tree.depth + 1, np.int64)
    bounds = np.zeros(tree.depth + 1)
    c = np.empty(n_features)
    c_judge = np.empty(exact.shape[1])
    order = np.empty(max(n_features, exact.shape[1]), np.int64)
    for i in range(n_queries):
        query = queries[i]
        own = tree.place[skip[i]] if skip[i] >= 0 else -1
        limit = np.inf
        beyond = np.inf  # the nearest point that is not among the k
        tried = tree.place[guess[i]] if guess[i] >= 0 else -1
        point, stop, top = 0, 0, 1
        if tried >= 0:
            point, stop = tried, tried + 1
        stack[0] = 0
        bounds[0] = 0.0
        walking = False
        while True:
            if point == stop:
                node, top = _next_leaf(tree, formula, query, limit, stack, bounds, top, c, order)
                if node < 0:
                    break
                point, stop = tree.begin[node], tree.end[node]
                walking = True
            begin = tree.first[point]
            counts = tree.first[point + 1] - begin > (point == own)
            if walking and point == tried:
                counts = False
            if counts and _guide(tree, formula, query, point, c, order) <= limit:
                value, magnitude = judge(formula, exact[i], tree.exact[point], c_judge, order)
                row = tree.rows[begin]
                if row == skip[i]:
                    row = tree.rows[begin + 1]
                slot = k
                while slot > 0 and (
                    value < values[i, slot - 1]
                    or (value == values[i, slot - 1] and row < rows[i, slot - 1])
                ):
                    slot -= 1
                if slot < k:
                    beyond = min(beyond, values[i, k - 1])
                    for m in range(k - 1, slot, -1):
                        values[i, m] = values[i, m - 1]
                        magnitudes[i, m] = magnitudes[i, m - 1]
                        rows[i, m] = rows[i, m - 1]
                    values[i, slot] = value
                    magnitudes[i, slot] = magnitude
                    rows[i, slot] = row
                    limit = reach(formula, values[i, k - 1])
                else:
                    beyond = min(beyond, value)
            point += 1
        for m in range(k):
            after = values[i, m + 1] if m + 1 < k else beyond
            if after < np.inf and after <= reach(formula, values[i, m]):
                close[i] = True
    return rows, values, magnitudes, close
