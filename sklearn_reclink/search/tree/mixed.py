"""Compiled distances of mixed files: categories, missing values and extra coordinates.

The differences are those of `families.differences`: a category differs by its cap or not at all, a
missing value (NaN) not at all. A box that holds a missing value of some coordinate reaches from
minus to plus infinity there, so it is at distance 0; the codes of categories are at least their cap
apart, so what lies outside of a box of codes is at the cap. The weighted squares of the extra
coordinates, the last ones, are added to the formula of the others.

*Patterns.* Most nodes hold points that lack the same coordinates. A walk that enters such a pattern
works out once, for its query, which variables are compared and what missing values cost::

    scale_j     of a number its weight, of a category its weight times its squared cap (weights are
                1 where the bound is not a sum); 0 if either side lacks the variable
    cost        the extra coordinates that are the same for all of the points
    varying     the other ones: the query lacks a value, and its cost depends on that of the point

Here numbers come first and then categories, whose sets (`codes`) say whether a node holds that of
the query. The boxes below are then as quick to look at as those of a file of numbers.

`bound_of_point` and `distance_of` take both kinds of files. ``mixed`` is True, or None for a file
of numbers: the compiler leaves out the branch that the type of an argument rules out.
"""

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.families.formula import SAME, SUM
from sklearn_reclink.search.tree import formulas
from sklearn_reclink.search.tree.codes import bit_of


@njit(cache=True, nogil=True, forceinline=True)
def squared(a: float, b: float, cap: float) -> Any:
    """The squared difference of two coordinates."""
    difference = abs(a - b)
    if difference != difference:
        return 0.0
    difference = min(difference, cap)
    return difference * difference


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
def bound_of_mixed_box(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any,
    order: Any, extra: Any, caps: Any,
) -> Any:  # fmt: skip
    """The bound of query ``i`` and the point of a box that is nearest to it in every variable."""
    n = low.shape[1] - extra.shape[0]
    value = 0.0
    if bound == SUM:
        for k in range(n):
            value += weights[k] * _outside(queries[i, k], low[node, k], high[node, k], caps[k])
    else:
        for k in range(n):
            c[k] = _outside(queries[i, k], low[node, k], high[node, k], caps[k])
        value = formulas.aggregate(bound, weights, c[:n], order)
    for e in range(extra.shape[0]):
        k = n + e
        value += extra[e] * _outside(queries[i, k], low[node, k], high[node, k], caps[k])
    return value


NOWHERE = -2  # of a walk that begins


@njit(cache=True, nogil=True)
def nowhere(n_features: int, caps: Any, n_extra: int) -> Any:
    """Room for the pattern that a walk is in, for its query; overwritten in place.

    The query (n_variables,), 0 where it is not compared; ``scale`` (n_variables,) and last, the
    cost; the bits of its categories (n_categories,); the pattern, the number of ``varying``
    coordinates, and these (2 + n_extra,). And the variables, numbers first (n_variables,).
    """
    n = n_features - n_extra
    variables = np.zeros(n, np.int64)
    n_numbers = 0
    for k in range(min(n, caps.shape[0])):
        if caps[k] == np.inf:
            variables[n_numbers] = k
            n_numbers += 1
    place = n_numbers
    for k in range(min(n, caps.shape[0])):
        if caps[k] < np.inf:
            variables[place] = k
            place += 1
    bits = np.zeros(n - n_numbers, np.uint64)
    return np.zeros(n), np.zeros(n + 1), bits, np.full(2 + n_extra, NOWHERE), variables


@njit(cache=True, nogil=True, forceinline=True)
def enter(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, extra: Any,
    caps: Any, pattern: int, query: Any, scale: Any, bits: Any, inside: Any, variables: Any,
) -> Any:  # fmt: skip
    """Enter the pattern that begins at a node, or none (-1)."""
    inside[0] = pattern
    n = query.shape[0] if pattern >= 0 else 0
    n_numbers = n - bits.shape[0]
    for j in range(n):
        k = variables[j]
        here = queries[i, k]
        known = here == here and low[node, k] > -np.inf
        query[j] = here if known else 0.0
        scale[j] = 0.0 if not known else weights[k] if bound == SUM else 1.0
        if j >= n_numbers:
            scale[j] *= caps[k] * caps[k]
            bits[j - n_numbers] = bit_of(query[j], caps[k])
    cost, varying = 0.0, 0
    for e in range(extra.shape[0] if n > 0 else 0):
        here, least, most = queries[i, n + e], low[node, n + e], high[node, n + e]
        if here == here and least > -np.inf:
            if least == most:
                cost += extra[e] * (here - least) ** 2
            else:
                inside[2 + varying] = e
                varying += 1
    scale[n], inside[1] = cost, varying


@njit(cache=True, nogil=True, forceinline=True)
def bound_in_pattern(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, boxes: Any, codes: Any,
    node: int, c: Any, order: Any, extra: Any, caps: Any, query: Any, scale: Any, bits: Any,
    inside: Any, variables: Any, cost: float, n_varying: int,
) -> Any:  # fmt: skip
    """`bound_of_mixed_box` of a node of the pattern entered, with the categories it holds."""
    n_categories = bits.shape[0]
    n_numbers = query.shape[0] - n_categories
    value = cost
    for j in range(n_numbers):
        here = query[j]
        outside = max(boxes[node, 2 * j] - here, here - boxes[node, 2 * j + 1], 0.0)
        if bound == SUM:
            value += scale[j] * (outside * outside)
        else:
            c[variables[j]] = scale[j] * (outside * outside)
    for m in range(n_categories):
        j = n_numbers + m
        square = scale[j] if codes[node, m] & bits[m] == 0 else 0.0
        if bound == SUM:
            value += square
        else:
            c[variables[j]] = square
    if bound != SUM:
        value += formulas.aggregate(bound, weights, c[: query.shape[0]], order)
    for m in range(n_varying):
        e = inside[2 + m]
        k = query.shape[0] + e
        value += extra[e] * _outside(queries[i, k], low[node, k], high[node, k], caps[k])
    return value


@njit(cache=True, nogil=True, forceinline=True)
def _mixed_point(
    bound: int, weights: Any, queries: Any, i: int, points: Any, p: int, c: Any, order: Any,
    query: Any, scale: Any, bits: Any, inside: Any, variables: Any,
) -> Any:  # fmt: skip
    """The bound of the query and point ``p`` of the pattern entered; 0 outside of patterns."""
    n = query.shape[0] if inside[0] >= 0 else 0
    n_numbers = n - bits.shape[0]
    value = scale[n] if n > 0 else 0.0
    for j in range(n):
        difference = query[j] - points[p, j]
        square = difference * difference
        if j >= n_numbers:
            square = 0.0 if difference == 0.0 else 1.0
        if bound == SUM:
            value += scale[j] * square
        else:
            c[variables[j]] = scale[j] * square
    if bound != SUM and n > 0:
        value += formulas.aggregate(bound, weights, c[:n], order)
    return value


@njit(cache=True, nogil=True)
def _mixed_distance(
    kind: int, bound: int, theta: Any, terms: Any, exact: Any, i: int, points: Any, p: int,
    c: Any, order: Any, extra: Any, caps: Any,
) -> Any:  # fmt: skip
    """Distance and magnitude of query ``i`` and point ``p``."""
    n = c.shape[0] - extra.shape[0]
    if kind == SAME:
        for k in range(n):
            c[k] = squared(exact[i, k], points[p, k], caps[k])
        value = formulas.aggregate(bound, theta, c[:n], order)
        for e in range(extra.shape[0]):
            value += extra[e] * squared(exact[i, n + e], points[p, n + e], caps[n + e])
        return value, value
    for k in range(c.shape[0]):
        c[k] = squared(exact[i, k], points[p, k], caps[k])
    value, magnitude = formulas.minima(theta, terms, c, n)
    for e in range(extra.shape[0]):
        value += extra[e] * c[n + e]
        magnitude += extra[e] * c[n + e]
    return value, magnitude


@njit(cache=True, nogil=True, forceinline=True)
def bound_of_point(
    mixed: bool | None, bound: int, weights: Any, queries: Any, i: int, points: Any, p: int,
    c: Any, order: Any, query: Any, scale: Any, bits: Any, inside: Any, variables: Any,
) -> Any:  # fmt: skip
    """The bound of query ``i`` and point ``p``."""
    if mixed is None:
        value = formulas.bound_of_point(bound, weights, queries, i, points, p, c, order)
    else:
        value = _mixed_point(
            bound, weights, queries, i, points, p, c, order, query, scale, bits, inside, variables
        )
    return value


@njit(cache=True, nogil=True, forceinline=True)
def distance_of(
    mixed: bool | None, kind: int, bound: int, theta: Any, terms: Any, exact: Any, i: int,
    points: Any, p: int, c: Any, order: Any, extra: Any, caps: Any,
) -> Any:  # fmt: skip
    """Distance and magnitude of query ``i`` and point ``p``."""
    if mixed is None:
        value, magnitude = formulas.distance_of(
            kind, bound, theta, terms, exact, i, points, p, c, order
        )
    else:
        value, magnitude = _mixed_distance(
            kind, bound, theta, terms, exact, i, points, p, c, order, extra, caps
        )
    return value, magnitude
