"""Compiled distances of mixed files: categories, missing values and extra coordinates.

The differences are those of `families.differences`: a category differs by its cap or not at all, a
missing value (NaN) not at all. A box that holds a missing value of some coordinate reaches from
minus to plus infinity there, so it is at distance 0; the codes of categories are at least their cap
apart, so what lies outside of a box of codes is at the cap. The weighted squares of the extra
coordinates, the last ones, are added to the formula of the others. They add nothing unless the
query lacks a value, which makes one of its extra coordinates 0, or the points of the box do.

`PLAIN` and `MIXED` are the same three functions for both kinds of files. A walk is compiled for one
of them, so that a file of numbers pays nothing for the others.
"""

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.families.formula import SAME, SUM
from sklearn_reclink.search.tree import formulas


@njit(cache=True, nogil=True, forceinline=True)
def squared(a: float, b: float, cap: float) -> Any:
    """The squared difference of two coordinates."""
    difference = abs(a - b)
    if difference != difference:
        return 0.0
    difference = min(difference, cap)
    return difference * difference


@njit(cache=True, nogil=True, forceinline=True)
def lacks_a_value(queries: Any, i: int, extra: Any) -> Any:
    """Whether query ``i`` lacks a value that costs something."""
    for e in range(extra.shape[0]):
        if queries[i, queries.shape[1] - 1 - e] == 0.0:
            return True
    return False


@njit(cache=True, nogil=True, forceinline=True)
def bound_of_point(
    bound: int, weights: Any, queries: Any, i: int, points: Any, p: int, c: Any, order: Any,
    extra: Any, caps: Any,
) -> Any:  # fmt: skip
    """The bound of query ``i`` and point ``p``; extra coordinates can only add to it."""
    n = points.shape[1] - extra.shape[0]
    if bound == SUM:
        value = 0.0
        for k in range(n):
            value += weights[k] * squared(queries[i, k], points[p, k], caps[k])
        return value
    for k in range(n):
        c[k] = squared(queries[i, k], points[p, k], caps[k])
    return formulas.aggregate(bound, weights, c[:n], order)


@njit(cache=True, nogil=True, forceinline=True)
def _outside(here: float, low: float, high: float, cap: float) -> Any:
    """The squared difference of a coordinate and an interval."""
    outside = 0.0
    if here < low:
        outside = min(low - here, cap)
    elif here > high:
        outside = min(here - high, cap)
    return outside * outside


@njit(cache=True, nogil=True, forceinline=True)
def bound_of_box(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any,
    order: Any, extra: Any, caps: Any, costs: bool,
) -> Any:  # fmt: skip
    """The bound of query ``i`` and the point of a box that is nearest to it in every variable.

    ``costs`` says whether extra coordinates may add to it.
    """
    n = low.shape[1] - extra.shape[0]
    value = 0.0
    if bound == SUM:
        for k in range(n):
            value += weights[k] * _outside(queries[i, k], low[node, k], high[node, k], caps[k])
    else:
        for k in range(n):
            c[k] = _outside(queries[i, k], low[node, k], high[node, k], caps[k])
        value = formulas.aggregate(bound, weights, c[:n], order)
    if costs:
        for e in range(extra.shape[0]):
            k = n + e
            value += extra[e] * _outside(queries[i, k], low[node, k], high[node, k], caps[k])
    return value


@njit(cache=True, nogil=True)
def distance_of(
    kind: int, bound: int, theta: Any, terms: Any, exact: Any, i: int, points: Any, p: int,
    c: Any, order: Any, extra: Any, caps: Any,
) -> Any:  # fmt: skip
    """Distance and magnitude of query ``i`` and point ``p``."""
    n = c.shape[0] - extra.shape[0]
    if kind == SAME:
        value = bound_of_point(bound, theta, exact, i, points, p, c, order, extra, caps)
        for e in range(extra.shape[0]):
            value += extra[e] * squared(exact[i, n + e], points[p, n + e], caps[n + e])
        return value, value
    for k in range(c.shape[0]):
        c[k] = squared(exact[i, k], points[p, k], caps[k])
    value, magnitude = 0.0, 0.0
    for m in range(terms.shape[0]):
        if theta[m] != 0:
            smallest = np.inf
            for k in range(n):
                if terms[m] >> k & 1 and c[k] < smallest:
                    smallest = c[k]
            term = theta[m] * smallest
            value += term
            magnitude += abs(term)
    for e in range(extra.shape[0]):
        value += extra[e] * c[n + e]
        magnitude += extra[e] * c[n + e]
    return value, magnitude


@njit(cache=True, nogil=True, forceinline=True)
def _plain_point(
    bound: int, weights: Any, queries: Any, i: int, points: Any, p: int, c: Any, order: Any,
    extra: Any, caps: Any,
) -> Any:  # fmt: skip
    return formulas.bound_of_point(bound, weights, queries, i, points, p, c, order)


@njit(cache=True, nogil=True, forceinline=True)
def _plain_box(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any,
    order: Any, extra: Any, caps: Any, costs: bool,
) -> Any:  # fmt: skip
    return formulas.bound_of_box(bound, weights, queries, i, low, high, node, c, order)


@njit(cache=True, nogil=True, forceinline=True)
def _plain_distance(
    kind: int, bound: int, theta: Any, terms: Any, exact: Any, i: int, points: Any, p: int,
    c: Any, order: Any, extra: Any, caps: Any,
) -> Any:  # fmt: skip
    return formulas.distance_of(kind, bound, theta, terms, exact, i, points, p, c, order)


PLAIN = _plain_point, _plain_box, _plain_distance
MIXED = bound_of_point, bound_of_box, distance_of
