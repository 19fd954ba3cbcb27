"""Compiled distances: the bound of a box or point that prunes, and the distance that decides.

`families.formula` defines both. Only points within `reach` of the distance asked are evaluated.
Where ``D <= kappa d`` for all pairs and ``D <= cap`` for all pairs of the two files, ``d_j`` can be
tied with ``d`` or below it only if ``d_j <= d + TIE (D_j + D)``, so ``d_j`` is at most
``d + min(4 TIE kappa d, 4 TIE cap)`` while ``TIE kappa <= 1/8``; twice the room rounding needs.
`Tolerance.rounding` bounds the rounding of mapped coordinates, which moves the root of the bound.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.families.bilinear import CANCELLED, TERMS_SHARE
from sklearn_reclink.families.compensated import SPLITTER
from sklearn_reclink.families.formula import OWA, QUADRATIC, SAME, SUM, Formula
from sklearn_reclink.search.ties import TIE_TOLERANCE


class Tolerance(NamedTuple):
    """How far beyond a distance a point may be and still be tied with it."""

    relative: float
    absolute: float
    rounding: float


# The functions below are called for every box and point: they take arrays and positions, since a
# slice or a field of a tuple costs more than the arithmetic.


@njit(cache=True, nogil=True, forceinline=True)
def insert(values: Any, labels: Any, n: int, value: float, label: int) -> Any:
    """Put a value with its label among the first ``n``, which ascend."""
    place = n
    while place > 0 and values[place - 1] > value:
        values[place] = values[place - 1]
        labels[place] = labels[place - 1]
        place -= 1
    values[place] = value
    labels[place] = label


@njit(cache=True, nogil=True, forceinline=True)
def aggregate(bound: int, weights: Any, c: Any, order: Any) -> Any:
    """The bound of squared differences ``c``, which it may reorder; ``order`` is scratch."""
    n = c.shape[0]
    value = 0.0
    if bound == SUM:
        for k in range(n):
            value += weights[k] * c[k]
    elif bound == OWA:
        for k in range(1, n):
            entry = c[k]
            place = k
            while place > 0 and c[place - 1] < entry:
                c[place] = c[place - 1]
                place -= 1
            c[place] = entry
        for k in range(n):
            value += weights[k] * c[k]
    else:
        order[0] = 1
        for k in range(1, n):
            insert(c, order, k, c[k], 1 << k)
        subset = (1 << n) - 1
        before = 0.0
        for k in range(n):
            value += (c[k] - before) * weights[subset]
            before = c[k]
            subset ^= order[k]
    return value


@njit(cache=True, nogil=True, forceinline=True)
def bound_of_point(
    bound: int, weights: Any, queries: Any, i: int, points: Any, p: int, c: Any, order: Any
) -> Any:
    """The bound of query ``i`` and point ``p``."""
    if bound == SUM:
        value = 0.0
        for k in range(points.shape[1]):
            difference = queries[i, k] - points[p, k]
            value += weights[k] * (difference * difference)
        return value
    for k in range(points.shape[1]):
        difference = queries[i, k] - points[p, k]
        c[k] = difference * difference
    return aggregate(bound, weights, c, order)


@njit(cache=True, nogil=True, forceinline=True)
def bound_of_box(
    bound: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any,
    order: Any,
) -> Any:  # fmt: skip
    """The bound of query ``i`` and the point of a box that is nearest to it in every variable."""
    if bound == SUM:
        value = 0.0
        for k in range(low.shape[1]):
            here = queries[i, k]
            outside = max(low[node, k] - here, here - high[node, k], 0.0)
            value += weights[k] * (outside * outside)
        return value
    for k in range(low.shape[1]):
        here = queries[i, k]
        outside = max(low[node, k] - here, here - high[node, k], 0.0)
        c[k] = outside * outside
    return aggregate(bound, weights, c, order)


@njit(cache=True, nogil=True)
def _product(x: float, y: float) -> Any:
    """As `families.compensated`."""
    product = x * y
    scaled = SPLITTER * x
    x_high = scaled - (scaled - x)
    x_low = x - x_high
    scaled = SPLITTER * y
    y_high = scaled - (scaled - y)
    y_low = y - y_high
    lost = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
    return product, lost


@njit(cache=True, nogil=True)
def _lost(x: float, y: float, total: float) -> Any:
    """What the rounding of ``x + y`` to the total lost."""
    second = total - x
    return (x - (total - second)) + (y - second)


@njit(cache=True, nogil=True)
def _quadratic(theta: Any, exact: Any, i: int, points: Any, p: int, c: Any) -> Any:
    """`families.compensated.quadratic` of one pair, with the same operations."""
    total, lost, m = 0.0, 0.0, 0
    for k in range(c.shape[0]):
        low = _lost(exact[i, k], -points[p, k], c[k])
        for other in range(k, c.shape[0]):
            if theta[m] != 0.0:
                inner, inner_lost = _product(c[k], c[other])
                other_low = _lost(exact[i, other], -points[p, other], c[other])
                inner_lost = inner_lost + (c[k] * other_low + low * c[other])
                term, term_lost = _product(theta[m], inner)
                after = total + term
                lost += _lost(total, term, after) + (term_lost + theta[m] * inner_lost)
                total = after
            m += 1
    return total + lost


@njit(cache=True, nogil=True, forceinline=True)
def minima(theta: Any, terms: Any, c: Any, n: int) -> Any:
    """The weighted sum of the least ``c`` of every set of variables, and its magnitude."""
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
    return value, magnitude


@njit(cache=True, nogil=True)
def distance_of(
    kind: int, bound: int, theta: Any, terms: Any, exact: Any, i: int, points: Any, p: int,
    c: Any, order: Any,
) -> Any:  # fmt: skip
    """Distance and magnitude of query ``i`` and point ``p``, in the coordinates of the distance."""
    n = points.shape[1]
    if kind == SAME:
        value = bound_of_point(bound, theta, exact, i, points, p, c, order)
        return value, value
    if kind == QUADRATIC:
        value, magnitude = 0.0, 0.0
        for k in range(n):
            c[k] = exact[i, k] - points[p, k]
        m = 0
        for k in range(n):
            for other in range(k, n):
                term = theta[m] * (c[k] * c[other])
                value += term
                magnitude += abs(term)
                m += 1
        if (m + 5) * CANCELLED * magnitude > abs(value):
            value = _quadratic(theta, exact, i, points, p, c)
        return value, max(abs(value), TERMS_SHARE * magnitude)
    for k in range(n):
        difference = exact[i, k] - points[p, k]
        c[k] = difference * difference
    return minima(theta, terms, c, n)


@njit(cache=True, nogil=True, forceinline=True)
def tie_limit(relative: float, absolute: float, value: float) -> Any:
    """The largest distance that may be tied with a distance of this value."""
    if relative < np.inf:
        return value + min(absolute, relative * value)
    return value + absolute


@njit(cache=True, nogil=True, forceinline=True)
def reach(relative: float, absolute: float, rounding: float, value: float) -> Any:
    """The largest bound of a point that may be tied with a distance of this value or below it."""
    value = max(tie_limit(relative, absolute, value), 0.0)
    if rounding > 0:
        root = np.sqrt(value) + rounding
        value = root * root
    return value


@njit(cache=True, nogil=True, forceinline=True)
def farther(value: float, magnitude: float, own: float, own_magnitude: float) -> Any:
    """The rule of `ties`: whether the own record is strictly nearer than this one."""
    return value - own > TIE_TOLERANCE * (magnitude + own_magnitude)


@njit(cache=True, nogil=True)
def tie_limits(tolerance: Any, values: Any) -> Any:
    """`tie_limit` of every value."""
    relative, absolute = tolerance.relative, tolerance.absolute
    limits = np.empty_like(values)
    for i in range(values.shape[0]):
        limits[i] = tie_limit(relative, absolute, values[i])
    return limits


def tolerance_of(found: Formula, original: np.ndarray, masked: np.ndarray) -> Tolerance:
    """How far ties reach, for a distance and two files."""
    absolute, rounding = np.inf, 0.0
    small = found.condition * TIE_TOLERANCE <= 1 / 8
    if found.norm < np.inf:
        columns = list(zip(original.T, masked.T, strict=True))  # numpy is slow across short rows
        low, high = (
            np.array([extreme(*map(extreme.reduce, both)) for both in columns])
            for extreme in (np.fmin, np.fmax)
        )
        squares, n = np.nan_to_num(high - low) ** 2, len(low) - len(found.extra)
        largest = found.norm * float(squares[:n].sum()) + float(found.extra @ squares[n:])
        absolute = 4 * TIE_TOLERANCE * largest
    if found.root.size:  # of a quadratic form, which has a norm
        size = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)))
        unit = 8 * (len(low) + 4) * np.finfo(float).eps
        rounding = float(unit * np.linalg.norm(found.root) * size)
    relative = 4 * TIE_TOLERANCE * found.condition if small else np.inf
    return Tolerance(float(relative), float(absolute), rounding)
