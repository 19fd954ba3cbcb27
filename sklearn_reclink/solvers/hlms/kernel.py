"""Compiled parts of HLMS: the step of a block, the monotonicity repair and the margins.

A capacity ``mu`` is a vector of ``2^n`` values by dyadic index. For squared differences ``c`` the
Choquet integral is ``sum_k increments[k] * mu[subsets[k]]``: with ``c`` in ascending order, the
increments are ``c_(k) - c_(k-1)`` and ``subsets[k]`` is ``A_(k)``, the ``n - k + 1`` largest.
"""

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree.formulas import insert

RELATIVE_FLOOR = 1e-4  # of a relative step, so that a capacity at 0 can leave it


@njit(cache=True, nogil=True)
def expand(first: Any, second: Any, increments: Any, subsets: Any) -> Any:
    """Increments and subsets of the squared differences of two records."""
    n = first.shape[0]
    for k in range(n):
        difference = first[k] - second[k]
        insert(increments, subsets, k, difference * difference, 1 << k)
    for k in range(n - 2, -1, -1):
        subsets[k] += subsets[k + 1]
    for k in range(n - 1, 0, -1):
        increments[k] -= increments[k - 1]


@njit(cache=True, nogil=True)
def integral(capacity: Any, increments: Any, subsets: Any) -> Any:
    """The Choquet integral, of a capacity or of a difference of two."""
    value = 0.0
    for k in range(increments.shape[0]):
        value += increments[k] * capacity[subsets[k]]
    return value


@njit(cache=True, nogil=True)
def n_bits(size: int) -> Any:
    """Number of variables of ``size = 2^n`` subsets."""
    n = 0
    while 1 << n < size:
        n += 1
    return n


@njit(cache=True, nogil=True)
def move(capacity: Any, wanted: Any, by_size: Any) -> Any:
    """Move a capacity to wanted values as far as monotonicity allows, after Grabisch.

    Every value is moved in turn and stopped by its neighbours, the subsets of one variable more
    or less. Values that rise are taken from the largest subset down, values that fall from
    the smallest up, so none is stopped by a neighbour that would have moved on.
    """
    size = by_size.shape[0]
    n = n_bits(size)
    for place in range(size - 2, 0, -1):
        subset = by_size[place]
        value = wanted[subset]
        if value > capacity[subset]:
            for k in range(n):
                if not subset >> k & 1:
                    value = min(value, capacity[subset | 1 << k])
            capacity[subset] = max(value, capacity[subset])
    for place in range(1, size - 1):
        subset = by_size[place]
        value = wanted[subset]
        if value < capacity[subset]:
            for k in range(n):
                if subset >> k & 1:
                    value = max(value, capacity[subset ^ 1 << k])
            capacity[subset] = min(value, capacity[subset])


@njit(cache=True, nogil=True)
def lift(capacity: Any) -> Any:
    """Raise what rounding left below a subset, and cut what it left above 1."""
    size = capacity.shape[0]
    n = n_bits(size)
    for subset in range(1, size):  # a subset comes after all of its own
        value = min(max(capacity[subset], 0.0), 1.0)
        for k in range(n):
            if subset >> k & 1:
                value = max(value, capacity[subset ^ 1 << k])
        capacity[subset] = value


@njit(cache=True, nogil=True)
def add_gradient(
    gradient: Any, capacity: Any, floor: float, increments: Any, subsets: Any,
    own_increments: Any, own_subsets: Any, row: Any,
) -> Any:  # fmt: skip
    """Add the unit gradient of ``d_j - d_i`` in the scale of the step; whether there is one.

    ``mu(V) = 1`` is fixed, so the full set has no part in it.
    """
    row[:] = 0.0
    for k in range(increments.shape[0]):
        row[subsets[k]] += increments[k]
        row[own_subsets[k]] -= own_increments[k]
    row[-1] = 0.0
    square = 0.0
    for subset in range(row.shape[0]):
        row[subset] *= max(capacity[subset], floor)
        square += row[subset] * row[subset]
    if square == 0.0:
        return False
    norm = np.sqrt(square)
    for subset in range(row.shape[0]):
        gradient[subset] += row[subset] / norm
    return True


@njit(cache=True, nogil=True)
def step_through_block(
    capacity: Any, original: Any, masked: Any, block: Any, impostors: Any, dominated: Any,
    rate: float, floor: float, by_size: Any,
) -> Any:  # fmt: skip
    """One step of the capacity, in place, for every record of a block that is not linked.

    ``impostors[r]`` are masked rows near record ``block[r]``, then -1; those at most as far as its
    own, by the capacity of the moment, give the gradient.
    """
    n = original.shape[1]
    increments, own_increments = np.empty(n), np.empty(n)
    subsets, own_subsets = np.empty(n, np.int16), np.empty(n, np.int16)
    gradient, row = np.empty_like(capacity), np.empty_like(capacity)
    for r in range(block.shape[0]):
        i = block[r]
        if dominated[i]:
            continue
        expand(original[i], masked[i], own_increments, own_subsets)
        own = integral(capacity, own_increments, own_subsets)
        gradient[:] = 0.0
        n_steps = 0
        for j in impostors[r]:
            if j < 0:
                break
            expand(original[i], masked[j], increments, subsets)
            value = integral(capacity, increments, subsets)
            if value - own > TIE_TOLERANCE * (value + own):
                continue
            n_steps += add_gradient(
                gradient, capacity, floor, increments, subsets, own_increments, own_subsets, row
            )
        if n_steps:
            for subset in range(capacity.shape[0]):
                scale = max(capacity[subset], floor)
                row[subset] = capacity[subset] + rate * scale * gradient[subset] / n_steps
            move(capacity, row, by_size)


@njit(cache=True, nogil=True)
def expand_pairs(
    original: Any, masked: Any, records: Any, impostors: Any, increments: Any, subsets: Any
) -> Any:
    """Fill in increments and subsets of some pairs of an original and a masked record."""
    for m in range(records.shape[0]):
        expand(original[records[m]], masked[impostors[m]], increments[m], subsets[m])


@njit(cache=True, nogil=True)
def margins(
    capacity: Any, n_held: Any, own_increments: Any, own_subsets: Any, increments: Any,
    subsets: Any, values: Any,
) -> Any:  # fmt: skip
    """Fill in ``d_j - d_i`` of the impostors held, less what ties allow; linear in the capacity."""
    for s in range(n_held.shape[0]):
        own = (1.0 + TIE_TOLERANCE) * integral(capacity, own_increments[s], own_subsets[s])
        for m in range(n_held[s]):
            other = integral(capacity, increments[s, m], subsets[s, m])
            values[s, m] = (1.0 - TIE_TOLERANCE) * other - own
