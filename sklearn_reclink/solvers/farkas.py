"""Do rows combine to zero, exactly? Checks without any tolerance.

Given the rows of a certificate of infeasibility and multipliers, floats that an active set ended
with: is there an exact combination of the rows to zero whose multipliers are not negative? Then no
``theta`` makes all rows positive, however little. ``u = 2**-53``.

*By a combination close by* (`combines_nearby`). Is there an exact combination ``B lambda = 0`` with
``lambda >= 0`` near the computed one, the rows being the columns of ``B``? Let ``G`` be about a
right inverse of ``B`` and ``|B G - I| <= k < 1`` in the maximum norm, all roundings included. Then
``B G`` has an inverse of norm at most ``1 / (1 - k)``, and ``lambda - G (B G)^-1 B lambda`` is an
exact combination. It differs from ``lambda`` by at most ``|G| |B lambda| / (1 - k)``; if that is
below ``lambda`` everywhere, it is positive.

*By elimination* (`exact_support`). Floating-point numbers are rationals, so elimination over the
integers (Bareiss) decides without rounding whether ``sum_j lambda_j r_j = 0`` with ``lambda >= 0``
and ``lambda_m = 1``. It is the last resort, for the ties of rounded or repeated data.

*Against a cone* (`opposing_combination`). Rows of records alone contradict a cone of infinitely
many rows if their total, computed in integers, is in minus its dual (`Family.opposes`).
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.families import Family
from sklearn_reclink.families.integers import near_integers
from sklearn_reclink.solvers.qr_update import INTERNAL

_UNIT = 2.0**-53
_LARGEST_INTEGER = 2**900  # that is divided by as a float
# Largest entries within these are scaled to 1, of equations and of unknowns. What underflows by the
# first comes to less than _TINY by the second.
_LARGEST, _LEAST, _TINY = 2.0**960, 2.0**-150, 2.0**-900


@njit(cache=True, nogil=True)
def combines_nearby(rows, sizes, multipliers):  # type: ignore[no-untyped-def]
    """Whether an exact combination of the rows to zero has multipliers near these (compiled).

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_parameters)
    sizes : ndarray of shape (n_rows, n_parameters)
        Of the numbers whose rounding the rows carry: they are right to ``4 u sizes``.
    multipliers : ndarray of shape (n_rows,)
    """
    n_unknowns: Any = rows.shape[0]
    n: Any = np.int64(0)  # equations: the parameters that some row has
    columns, errors = np.empty((n_unknowns, n_unknowns)), np.empty((n_unknowns, n_unknowns))
    for k in range(rows.shape[1]):
        used, largest = False, 0.0
        for j in range(n_unknowns):
            used = used or sizes[j, k] != 0.0
            largest = max(largest, abs(rows[j, k]))
        if not used:
            continue
        if n + 1 >= n_unknowns or not 1 / _LARGEST <= largest < _LARGEST:
            return False
        # powers of two bring every equation and every unknown to the size of 1
        scale = math.ldexp(1.0, -math.frexp(largest)[1])
        for j in range(n_unknowns):
            columns[n, j], errors[n, j] = rows[j, k] * scale, sizes[j, k] * scale
        n += 1
    if n + 1 != n_unknowns:
        return False
    found = np.empty(n_unknowns)
    for j in range(n_unknowns):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(columns[i, j]))
        if not _LEAST <= largest:
            return False
        exponent = math.frexp(largest)[1]
        scale = math.ldexp(1.0, -exponent)
        for i in range(n):
            columns[i, j] *= scale
            errors[i, j] = 4 * errors[i, j] * scale + (n_unknowns + 4) * abs(columns[i, j])
            errors[i, j] = 2 * _UNIT * errors[i, j] + _TINY
        found[j] = math.ldexp(multipliers[j], exponent)
        if not 0.0 < found[j] < np.inf:
            return False
    # the unknown of the largest multiplier comes last: the inverse leaves it as it is
    last: Any = np.int64(0)
    for j in range(n_unknowns):
        if found[j] > found[last]:
            last = j
    largest = found[last]
    found[last], found[n] = found[n], largest
    residual = 0.0
    for i in range(n):
        columns[i, last], columns[i, n] = columns[i, n], columns[i, last]
        errors[i, last], errors[i, n] = errors[i, n], errors[i, last]
        total, rounding = 0.0, _TINY
        for j in range(n_unknowns):
            total += columns[i, j] * (found[j] / largest)
            rounding += errors[i, j] * (found[j] / largest)
        if not rounding < np.inf:
            return False
        residual = max(residual, abs(total) + rounding)
    inverse = np.empty((n, n))
    lack = _invert(columns, errors, inverse)
    if not lack < 0.5:
        return False
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += abs(inverse[i, j])
        if not 2 * total * (residual / (1 - lack)) < found[i] / largest:
            return False
    return True


@njit(**INTERNAL)
def _invert(columns, errors, inverse):  # type: ignore[no-untyped-def]
    """``inverse`` becomes ``G``, about that of the first ``n`` columns ``B``; ``|B G - I|``.

    By elimination with partial pivoting; infinity if there is none. ``errors`` bound those of ``B``
    and twice the rounding of products.
    """
    n = inverse.shape[0]
    left = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            left[i, j], inverse[i, j] = columns[i, j], 0.0
        inverse[i, i] = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(left[i, k]) > abs(left[pivot, k]):
                pivot = i
        value = left[pivot, k]
        if value == 0.0:
            return np.inf
        for j in range(n):
            left[k, j], left[pivot, j] = left[pivot, j], left[k, j]
            inverse[k, j], inverse[pivot, j] = inverse[pivot, j], inverse[k, j]
        for j in range(n):
            left[k, j] /= value
            inverse[k, j] /= value
        for i in range(n):
            factor = left[i, k]
            if i == k or factor == 0.0:
                continue
            for j in range(n):
                left[i, j] -= factor * left[k, j]
                inverse[i, j] -= factor * inverse[k, j]
    lack = 0.0
    products, bounds = np.empty(n), np.empty(n)
    for i in range(n):
        for j in range(n):
            products[j], bounds[j] = 0.0, 0.0
        products[i] = -1.0
        for k in range(n):
            for j in range(n):
                products[j] += columns[i, k] * inverse[k, j]
                bounds[j] += errors[i, k] * abs(inverse[k, j])
        total = 0.0
        for j in range(n):
            total += abs(products[j]) + bounds[j]
        if not total < np.inf:
            return np.inf
        lack = max(lack, total)
    return lack


def exact_support(columns: Sequence[Sequence[int]]) -> np.ndarray | None:
    """Which rows have a positive multiplier in an exact combination to zero; None if there is none.

    Parameters
    ----------
    columns : sequence of rows of integers
        The last row is the one that must take part.
    """
    found = combination_to_zero(columns)
    return None if found is None else np.array([multiplier > 0 for multiplier in found])


def combination_to_zero(
    columns: Sequence[Sequence[int]], near: Sequence[int] | None = None
) -> list[int] | None:
    """Integers, none negative, that combine the columns to zero; the last column leads.

    By fraction-free elimination (Bareiss). Unknowns that the equations leave free are as in
    ``near``, up to a common factor: by default 0, and 1 for the last. None if the solution that
    this makes has a negative entry, or if the last unknown can only be 0.
    """
    n_unknowns = len(columns)
    near = [0] * (n_unknowns - 1) + [1] if near is None else near
    table = [list(row) for row in zip(*columns, strict=True)]
    pivots: list[int] = []
    divisor = 1
    for unknown in range(n_unknowns - 1):
        place = len(pivots)
        found = next((i for i in range(place, len(table)) if table[i][unknown]), None)
        if found is None:
            continue
        table[place], table[found] = table[found], table[place]
        chosen = table[place]
        pivot = chosen[unknown]
        for i, equation in enumerate(table):
            if i != place:
                factor = equation[unknown]
                table[i] = [
                    (value * pivot - factor * other) // divisor
                    for value, other in zip(equation, chosen, strict=True)
                ]
        divisor = pivot
        pivots.append(unknown)
    if any(equation[-1] for equation in table[len(pivots) :]):
        return None
    free = [unknown for unknown in range(n_unknowns) if unknown not in pivots]
    sign = 1 if divisor > 0 else -1
    result = [sign * divisor * value for value in near]
    for equation, unknown in zip(table, pivots, strict=False):
        result[unknown] = -sign * sum(equation[k] * near[k] for k in free)
    if min(result) < 0:
        return None
    common = math.gcd(*result)
    return [value // common for value in result]


def opposing_combination(
    family: Family, rows: Sequence[Sequence[int]], sizes: np.ndarray
) -> list[int] | None:
    """Integers, none negative, whose combination of rows of records opposes the cone, exactly.

    They are looked for near the multipliers that give the rows these ``sizes`` (the largest entry
    of each); where the total meets a border of the cone, near them on that border.
    """
    largest = [max(map(abs, row)) for row in rows]
    if not rows or not 0 < min(largest) <= max(largest) < _LARGEST_INTEGER:
        return None
    multipliers = sizes / np.array(largest, dtype=float)
    if not (np.isfinite(multipliers).all() and multipliers.min() >= 0 < multipliers.max()):
        return None  # beyond the range of floats
    near = near_integers((multipliers / multipliers.max()).tolist())
    if _opposes(family, rows, near):
        return near
    order = np.argsort(-multipliers, kind="stable")
    order = np.roll(order, -1).tolist()  # the largest is last, before it the smallest
    for equations in family.borders(rows, multipliers):
        columns = [[equation[k] for equation in equations] for k in order]
        found = combination_to_zero(columns, [near[k] for k in order])
        if found is not None:
            found = [found[place] for place in np.argsort(order).tolist()]
            if _opposes(family, rows, found):
                return found
    return None


def _opposes(family: Family, rows: Sequence[Sequence[int]], multipliers: Sequence[int]) -> bool:
    return family.opposes([sum(map(mul, multipliers, each)) for each in zip(*rows, strict=True)])
