"""Queries of a tree: who is nearest, and who is at most as far as a given distance.

Both are one walk, nearer child first, that leaves out the boxes whose bound is beyond the reach of
the distance asked. The distance decides on every point within reach, so no answer depends on the
shape of the tree.
"""

from typing import Any

import numpy as np

from sklearn_reclink.families.formula import CHOQUET, OWA, SUM, Formula
from sklearn_reclink.search.tree.building import Tree
from sklearn_reclink.search.tree.descent import next_leaf, njit_named
from sklearn_reclink.search.tree.formulas import Tolerance, farther, reach, tie_limit
from sklearn_reclink.search.tree.mixed import NOWHERE, bound_of_point, distance_of, nowhere


def at_most_as_far(
    tree: Tree,
    formula: Formula,
    tolerance: Tolerance,
    queries: np.ndarray,
    exact: np.ndarray,
    skip: np.ndarray,
    values: np.ndarray,
    magnitudes: np.ndarray,
    found: np.ndarray,
    each: int,
    most: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Count the rows that a record at the given distance is not strictly nearer than.

    Parameters
    ----------
    queries, exact : arrays of shape (n_queries, n_features), (n_queries, n_exact)
    skip : array of shape (n_queries,)
        A row that does not count, or -1.
    values, magnitudes : arrays of shape (n_queries,)
        The distance, as `distances_to` gives it.
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
    counts, lowest = _WALKS[formula.is_mixed][formula.bound][0](
        tree, formula, tolerance, queries, exact, skip, values, magnitudes, found, each, most
    )
    return counts, lowest


def nearest_points(
    tree: Tree,
    formula: Formula,
    tolerance: Tolerance,
    queries: np.ndarray,
    exact: np.ndarray,
    guess: np.ndarray,
    skip: np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The k nearest distinct points of every query.

    Parameters
    ----------
    queries, exact : arrays of shape (n_queries, n_features), (n_queries, n_exact)
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
    rows, values, magnitudes, close = _WALKS[formula.is_mixed][formula.bound][1](
        tree, formula, tolerance, queries, exact, guess, skip, k
    )
    return rows, values, magnitudes, close


def _walks(bound: int, mixed: bool | None) -> tuple[Any, Any]:
    """Both walks compiled for one bound, which then costs no branch in the loops."""
    compiled = njit_named(f"{bound}_{mixed}")

    @compiled
    def at_most(
        tree: Any, formula: Any, tolerance: Any, queries: Any, exact: Any, skip: Any, values: Any,
        magnitudes: Any, found: Any, each: int, most: int,
    ) -> Any:  # fmt: skip
        n_queries, n_features = queries.shape
        counts = np.zeros(n_queries, np.int64)
        lowest = np.full(n_queries, -1, np.int64)
        found[:] = -1
        stack = np.zeros(tree.depth + 1, np.int64)
        bounds = np.zeros(tree.depth + 1)
        c = np.empty(n_features)
        c_exact = np.empty(exact.shape[1])
        order = np.empty(max(n_features, exact.shape[1]), np.int64)
        right, low, high = tree.right, tree.low, tree.high
        pattern, boxes, codes = tree.pattern, tree.boxes, tree.codes
        begin, end, points, located = tree.begin, tree.end, tree.points, tree.exact
        first, rows_of, place = tree.first, tree.rows, tree.place
        weights, extra, caps = formula.weights, formula.extra, formula.caps
        kind, theta, terms = formula.distance, formula.theta, formula.terms
        relative, absolute, rounding = tolerance.relative, tolerance.absolute, tolerance.rounding
        query, scale, bits, inside, variables = nowhere(n_features, caps, extra.shape[0])
        for i in range(n_queries):
            inside[0] = NOWHERE
            limit = reach(relative, absolute, rounding, values[i])
            own = place[skip[i]] if skip[i] >= 0 else -1
            count = 0
            listed = 0
            point, stop, top = 0, 0, 1
            stack[0] = 0
            bounds[0] = 0.0
            if own >= 0 and first[own + 1] - first[own] > most:
                point, stop, top = own, own + 1, 0  # its equals are enough
            while count < most:
                if point == stop:
                    node, top = next_leaf(
                        mixed, right, low, high, bound, weights, queries, i, limit, stack, bounds,
                        top, c, order, extra, caps, pattern, boxes, codes, query, scale, bits,
                        inside, variables,
                    )  # fmt: skip
                    if node < 0:
                        break
                    point, stop = begin[node], end[node]
                start, after = first[point], first[point + 1]
                equals = after - start - (point == own)
                if equals > 0 and limit >= bound_of_point(
                    mixed, bound, weights, queries, i, points, point, c, order, query, scale, bits,
                    inside, variables,
                ):  # fmt: skip
                    value, magnitude = distance_of(
                        mixed, kind, bound, theta, terms, exact, i, located, point, c_exact, order,
                        extra, caps,
                    )  # fmt: skip
                    if not farther(value, magnitude, values[i], magnitudes[i]):
                        row = rows_of[start]
                        if row == skip[i]:
                            row = rows_of[start + 1]
                        if lowest[i] < 0 or row < lowest[i]:
                            lowest[i] = row
                        room = min(found.shape[1], listed + each)
                        for m in range(start, after):
                            if listed >= room:
                                break
                            if rows_of[m] != skip[i]:
                                found[i, listed] = rows_of[m]
                                listed += 1
                        count += equals
                point += 1
            counts[i] = count
        return counts, lowest

    @compiled
    def nearest(
        tree: Any, formula: Any, tolerance: Any, queries: Any, exact: Any, guess: Any, skip: Any,
        k: int,
    ) -> Any:  # fmt: skip
        n_queries, n_features = queries.shape
        rows = np.full((n_queries, k), -1, np.int64)
        values = np.full((n_queries, k), np.inf)
        magnitudes = np.full((n_queries, k), np.inf)
        close = np.zeros(n_queries, np.bool_)
        stack = np.zeros(tree.depth + 1, np.int64)
        bounds = np.zeros(tree.depth + 1)
        c = np.empty(n_features)
        c_exact = np.empty(exact.shape[1])
        order = np.empty(max(n_features, exact.shape[1]), np.int64)
        right, low, high = tree.right, tree.low, tree.high
        pattern, boxes, codes = tree.pattern, tree.boxes, tree.codes
        begin, end, points, located = tree.begin, tree.end, tree.points, tree.exact
        first, rows_of, place = tree.first, tree.rows, tree.place
        weights, extra, caps = formula.weights, formula.extra, formula.caps
        kind, theta, terms = formula.distance, formula.theta, formula.terms
        relative, absolute, rounding = tolerance.relative, tolerance.absolute, tolerance.rounding
        query, scale, bits, inside, variables = nowhere(n_features, caps, extra.shape[0])
        for i in range(n_queries):
            inside[0] = NOWHERE
            own = place[skip[i]] if skip[i] >= 0 else -1
            limit = np.inf
            beyond = np.inf  # the nearest point that is not among the k
            tried = place[guess[i]] if guess[i] >= 0 else -1
            point, stop, top = 0, 0, 1
            if tried >= 0:
                point, stop = tried, tried + 1
            stack[0] = 0
            bounds[0] = 0.0
            walking = False
            while True:
                if point == stop:
                    node, top = next_leaf(
                        mixed, right, low, high, bound, weights, queries, i, limit, stack, bounds,
                        top, c, order, extra, caps, pattern, boxes, codes, query, scale, bits,
                        inside, variables,
                    )  # fmt: skip
                    if node < 0:
                        break
                    point, stop = begin[node], end[node]
                    walking = True
                start = first[point]
                counts = first[point + 1] - start > (point == own)
                if walking and point == tried:
                    counts = False
                if counts and limit >= bound_of_point(
                    mixed, bound, weights, queries, i, points, point, c, order, query, scale, bits,
                    inside, variables,
                ):  # fmt: skip
                    value, magnitude = distance_of(
                        mixed, kind, bound, theta, terms, exact, i, located, point, c_exact, order,
                        extra, caps,
                    )  # fmt: skip
                    row = rows_of[start]
                    if row == skip[i]:
                        row = rows_of[start + 1]
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
                        limit = reach(relative, absolute, rounding, values[i, k - 1])
                    else:
                        beyond = min(beyond, value)
                point += 1
            for m in range(k):
                after = values[i, m + 1] if m + 1 < k else beyond
                if after < np.inf and after <= tie_limit(relative, absolute, values[i, m]):
                    close[i] = True
        return rows, values, magnitudes, close

    return at_most, nearest


_WALKS = {
    bool(mixed): [_walks(bound, mixed) for bound in (SUM, OWA, CHOQUET)] for mixed in (None, True)
}
