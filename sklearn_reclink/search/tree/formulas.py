"""How a distance is evaluated inside the tree: a guide that prunes and a judge that decides.

The *guide* is a monotone aggregation ``g`` of the squared differences ``c_k`` of the tree's
coordinates, at most the distance. The guide of a box, taken at the smallest ``c_k`` that the box
allows, is at most the guide of any point in it: that is the whole bound of the search, for every
monotone ``g``::

    SUM       sum_k w_k c_k
    OWA       sum_k w_k c_(k),                    c_(1) >= ... >= c_(n)
    CHOQUET   sum_k (c_(k) - c_(k-1)) mu(A_(k)),  c_(1) <= ... <= c_(n),  A_(k) those of c_(k), ...

The *judge* gives the distance ``d`` and its magnitude ``D`` (see `ties`), with the operations of
the distance's own ``evaluate`` in the same order, so that both give the same floats. It may be the
guide's formula (``SAME``, then ``D = d``), or::

    MOEBIUS    sum_A m(A) min_{k in A} c_k                  ``terms`` are the subsets A
    QUADRATIC  sum_{k <= l} theta_kl diff_k diff_l          on coordinates of its own

Only points within `reach` of the distance asked are judged. Where ``D <= kappa d`` for all pairs
and ``D <= cap`` for all pairs of the two files, ``d_j`` can be tied with ``d`` or below it only if
``d_j <= d + TIE (D_j + D)``, so ``d_j`` is at most ``d + min(4 TIE kappa d, 4 TIE cap)`` while
``TIE kappa <= 1/8``; twice the room rounding needs. `blur` bounds the rounding of mapped
coordinates, which moves ``sqrt(g)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.search.ties import TIE_TOLERANCE

SUM, OWA, CHOQUET = 0, 1, 2
SAME, MOEBIUS, QUADRATIC = 0, 1, 2


class Formula(NamedTuple):
    """A guide, a judge, and how far apart they may be."""

    guide: int
    weights: np.ndarray  # of the guide: (n,), a capacity has (2^n,)
    judge: int
    theta: np.ndarray  # of the judge
    terms: np.ndarray  # subsets of a Moebius judge, smaller ones first
    relative: float
    absolute: float
    blur: float


def monotone_formula(guide: int, weights: np.ndarray) -> Formula:
    """A distance that is its own guide.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree import SUM, monotone_formula
    >>> monotone_formula(SUM, np.array([0.5, 0.5])).relative
    4e-12
    """
    weights = np.ascontiguousarray(weights, dtype=float)
    nothing = np.zeros(0, dtype=np.int64)
    return Formula(guide, weights, SAME, weights, nothing, 4 * TIE_TOLERANCE, np.inf, 0.0)


# The functions below are called for every box and point: they take arrays and positions, since a
# slice or a field of a tuple costs more than the arithmetic.


@njit(cache=True, nogil=True, forceinline=True)
def aggregate(guide: int, weights: Any, c: Any, order: Any) -> Any:
    """The guide of squared differences ``c``, which it may reorder; ``order`` is scratch."""
    n = c.shape[0]
    value = 0.0
    if guide == SUM:
        for k in range(n):
            value += weights[k] * c[k]
    elif guide == OWA:
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
            entry = c[k]
            place = k
            while place > 0 and c[place - 1] > entry:
                c[place] = c[place - 1]
                order[place] = order[place - 1]
                place -= 1
            c[place] = entry
            order[place] = 1 << k
        subset = (1 << n) - 1
        before = 0.0
        for k in range(n):
            value += (c[k] - before) * weights[subset]
            before = c[k]
            subset ^= order[k]
    return value


@njit(cache=True, nogil=True, forceinline=True)
def guide_of_point(
    guide: int, weights: Any, queries: Any, i: int, points: Any, p: int, c: Any, order: Any
) -> Any:
    """The guide of query ``i`` and point ``p``."""
    if guide == SUM:
        value = 0.0
        for k in range(points.shape[1]):
            difference = queries[i, k] - points[p, k]
            value += weights[k] * (difference * difference)
        return value
    for k in range(points.shape[1]):
        difference = queries[i, k] - points[p, k]
        c[k] = difference * difference
    return aggregate(guide, weights, c, order)


@njit(cache=True, nogil=True, forceinline=True)
def guide_of_box(
    guide: int, weights: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any,
    order: Any,
) -> Any:  # fmt: skip
    """The guide of query ``i`` and the point of a box that is nearest to it in every variable."""
    if guide == SUM:
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
    return aggregate(guide, weights, c, order)


@njit(cache=True, nogil=True)
def judge(
    kind: int, guide: int, theta: Any, terms: Any, exact: Any, i: int, points: Any, p: int,
    c: Any, order: Any,
) -> Any:  # fmt: skip
    """Distance and magnitude of query ``i`` and point ``p``, in the judge's coordinates."""
    n = points.shape[1]
    if kind == SAME:
        value = guide_of_point(guide, theta, exact, i, points, p, c, order)
        return value, value
    value = 0.0
    magnitude = 0.0
    if kind == QUADRATIC:
        for k in range(n):
            c[k] = exact[i, k] - points[p, k]
        m = 0
        for k in range(n):
            for other in range(k, n):
                term = theta[m] * (c[k] * c[other])
                value += term
                magnitude += abs(term)
                m += 1
        return value, magnitude
    for k in range(n):
        difference = exact[i, k] - points[p, k]
        c[k] = difference * difference
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


@njit(cache=True, nogil=True, forceinline=True)
def tie_limit(relative: float, absolute: float, value: float) -> Any:
    """The largest distance that may be tied with a distance of this value."""
    if relative < np.inf:
        return value + min(absolute, relative * value)
    return value + absolute


@njit(cache=True, nogil=True, forceinline=True)
def reach(relative: float, absolute: float, blur: float, value: float) -> Any:
    """The largest guide of a point that may be tied with a distance of this value or below it."""
    value = max(tie_limit(relative, absolute, value), 0.0)
    if blur > 0:
        root = np.sqrt(value) + blur
        value = root * root
    return value


@njit(cache=True, nogil=True, forceinline=True)
def farther(value: float, magnitude: float, own: float, own_magnitude: float) -> Any:
    """The rule of `ties`: whether the own record is strictly nearer than this one."""
    return value - own > TIE_TOLERANCE * (magnitude + own_magnitude)


@njit(cache=True, nogil=True)
def tie_limits(formula: Any, values: Any) -> Any:
    """`tie_limit` of every value."""
    relative, absolute = formula.relative, formula.absolute
    limits = np.empty_like(values)
    for i in range(values.shape[0]):
        limits[i] = tie_limit(relative, absolute, values[i])
    return limits
