"""Compiled parts of HLMS: the step of a block, the monotonicity repair and the line search.

A capacity ``mu`` is a vector of ``2^n`` values by dyadic index. For squared differences ``c`` the
Choquet integral is ``sum_k increments[k] * mu[subsets[k]]``: with ``c`` in ascending order, the
increments are ``c_(k) - c_(k-1)`` and ``subsets[k]`` is ``A_(k)``, the ``n - k + 1`` largest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.search.ties import TIE_TOLERANCE

RELATIVE_FLOOR = 1e-4  # of a relative step, so that a capacity at 0 can leave it


@njit(cache=True, nogil=True)
def expand(first: Any, second: Any, increments: Any, subsets: Any) -> Any:
    """Increments and subsets of the squared differences of two records."""
    n = first.shape[0]
    for k in range(n):
        difference = first[k] - second[k]
        value = difference * difference
        place = k
        while place > 0 and increments[place - 1] > value:
            increments[place] = increments[place - 1]
            subsets[place] = subsets[place - 1]
            place -= 1
        increments[place] = value
        subsets[place] = 1 << k
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
def beats_everywhere(record: Any, impostor: Any, own: Any) -> Any:
    """Law 7: an impostor at most as far in every variable is so for every capacity."""
    for k in range(record.shape[0]):
        other, mine = (record[k] - impostor[k]) ** 2, (record[k] - own[k]) ** 2
        if other - mine > TIE_TOLERANCE * (other + mine):
            return False
    return True


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
    capacity: Any, original: Any, masked: Any, block: Any, impostors: Any, hopeless: Any,
    rate: float, floor: float, by_size: Any,
) -> Any:  # fmt: skip
    """One step of the capacity, in place, for every record of a block that is not linked.

    ``impostors[r]`` are masked rows near record ``block[r]``, then -1; those at most as far as its
    own, by the capacity of the moment, give the gradient.
    """
    n = original.shape[1]
    increments, own_increments = np.empty(n), np.empty(n)
    subsets, own_subsets = np.empty(n, np.int64), np.empty(n, np.int64)
    gradient, row = np.empty_like(capacity), np.empty_like(capacity)
    for r in range(block.shape[0]):
        i = block[r]
        if hopeless[i]:
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
            if beats_everywhere(original[i], masked[j], masked[i]):
                hopeless[i] = True
                break
            n_steps += add_gradient(
                gradient, capacity, floor, increments, subsets, own_increments, own_subsets, row
            )
        if n_steps and not hopeless[i]:
            for subset in range(capacity.shape[0]):
                scale = max(capacity[subset], floor)
                row[subset] = capacity[subset] + rate * scale * gradient[subset] / n_steps
            move(capacity, row, by_size)


@njit(cache=True, nogil=True)
def extend_rows(
    original: Any, masked: Any, sample: Any, impostors: Any, rows: Any, n_rows: Any,
    increments: Any, subsets: Any, hopeless: Any,
) -> Any:  # fmt: skip
    """Add impostors to the rows held of each record of a sample; the oldest give way.

    ``rows[s]`` are masked rows, ``n_rows[s]`` how many were ever added; ``increments[s, 0]`` and
    ``subsets[s, 0]`` belong to the own record, ``[s, m + 1]`` to ``rows[s, m]``.
    """
    held = rows.shape[1]
    for s in range(sample.shape[0]):
        i = sample[s]
        if n_rows[s] == 0:
            expand(original[i], masked[i], increments[s, 0], subsets[s, 0])
        for j in impostors[s]:
            if j < 0 or hopeless[i]:
                break
            known = False
            for m in range(min(n_rows[s], held)):
                if rows[s, m] == j:
                    known = True
                    break
            if known:
                continue
            if beats_everywhere(original[i], masked[j], masked[i]):
                hopeless[i] = True
            place = n_rows[s] % held
            rows[s, place] = j
            expand(original[i], masked[j], increments[s, place + 1], subsets[s, place + 1])
            n_rows[s] += 1


@njit(cache=True, nogil=True)
def margins_of(capacity: Any, n_rows: Any, increments: Any, subsets: Any, margins: Any) -> Any:
    """Fill in ``d_j - d_i`` of all rows of a sample; linear in the capacity."""
    held = margins.shape[1]
    for s in range(n_rows.shape[0]):
        own = integral(capacity, increments[s, 0], subsets[s, 0])
        for m in range(min(n_rows[s], held)):
            margins[s, m] = integral(capacity, increments[s, m + 1], subsets[s, m + 1]) - own


@njit(cache=True, nogil=True)
def n_linked(
    capacity: Any, sample: Any, n_rows: Any, increments: Any, subsets: Any, hopeless: Any
) -> Any:
    """How many records of a sample their rows leave linked."""
    total = 0
    for s in range(sample.shape[0]):
        linked = not hopeless[sample[s]]
        own = integral(capacity, increments[s, 0], subsets[s, 0])
        for m in range(1, min(n_rows[s], increments.shape[1] - 1) + 1):
            value = integral(capacity, increments[s, m], subsets[s, m])
            linked &= value - own > TIE_TOLERANCE * (value + own)
        total += linked
    return total


@njit(cache=True, nogil=True)
def linked_interval(margins: Any, slopes: Any) -> Any:
    """Where in [0, 1] all ``margins + s * slopes`` are positive; (1, 0) if nowhere."""
    low, high = 0.0, 1.0
    for m in range(margins.shape[0]):
        if slopes[m] == 0.0:
            if margins[m] <= 0.0:
                return 1.0, 0.0
        elif slopes[m] > 0.0:
            low = max(low, -margins[m] / slopes[m])
        else:
            high = min(high, -margins[m] / slopes[m])
        if low >= high:
            return 1.0, 0.0
    return low, high


@njit(cache=True, nogil=True)
def deepest(low: Any, high: Any) -> Any:
    """The most open intervals that share a point, and the middle of the widest such stretch."""
    low, high = np.sort(low), np.sort(high)
    n = low.shape[0]
    most, where, width, depth = 0, 0.0, 0.0, 0
    i, j = 0, 0
    while i < n:
        if low[i] >= high[j]:
            depth -= 1
            j += 1
            continue
        depth += 1
        begin = low[i]
        i += 1
        end = min(high[j], low[i]) if i < n else high[j]
        if end > begin and (depth > most or (depth == most and end - begin > width)):
            most, where, width = depth, 0.5 * (begin + end), end - begin
    return most, where


@njit(cache=True, nogil=True)
def search_lines(
    capacity: Any, sample: Any, n_rows: Any, increments: Any, subsets: Any, hopeless: Any,
    draws: Any, by_size: Any, reaches: Any,
) -> Any:  # fmt: skip
    """Move the capacity, in place, by one exact line search for every row of random ``draws``.

    The lines go, in turn, to the HLMS step of a lost record and to one value of the capacity put
    at 0 or 1, both after `move`. A move that loses no link, by the rows held, is made.
    """
    n_sample, held = sample.shape[0], increments.shape[1] - 1
    size = capacity.shape[0]
    gradient, wanted, target = np.empty(size), np.empty(size), np.empty(size)
    low, high = np.empty(n_sample), np.empty(n_sample)
    lost = np.empty(n_sample, np.int64)
    margins, slopes = np.empty((n_sample, held)), np.empty((n_sample, held))
    margins_of(capacity, n_rows, increments, subsets, margins)
    for t in range(draws.shape[0]):
        n_lost, n_before = 0, 0
        for s in range(n_sample):
            if not hopeless[sample[s]]:
                if np.all(margins[s, : min(n_rows[s], held)] > 0.0):
                    n_before += 1
                else:
                    lost[n_lost] = s
                    n_lost += 1
        if n_lost == 0 or size == 2:
            return
        wanted[:] = capacity
        if t % 2 == 0:
            s = lost[int(draws[t, 0] * n_lost)]
            gradient[:] = 0.0
            n_steps = 0
            for m in range(min(n_rows[s], held)):
                if margins[s, m] <= 0.0:
                    n_steps += add_gradient(
                        gradient, capacity, RELATIVE_FLOOR, increments[s, m + 1],
                        subsets[s, m + 1], increments[s, 0], subsets[s, 0], target,
                    )  # fmt: skip
            reach = reaches[int(draws[t, 1] * reaches.shape[0])] / max(n_steps, 1)
            for subset in range(size):
                wanted[subset] += reach * max(capacity[subset], RELATIVE_FLOOR) * gradient[subset]
        else:
            wanted[1 + int(draws[t, 0] * (size - 2))] = 1.0 if draws[t, 1] < 0.5 else 0.0
        target[:] = capacity
        move(target, wanted, by_size)
        target -= capacity
        margins_of(target, n_rows, increments, subsets, slopes)
        n_linked = 0
        for s in range(n_sample):
            if not hopeless[sample[s]]:
                known = min(n_rows[s], held)
                begin, end = linked_interval(margins[s, :known], slopes[s, :known])
                if begin < end:
                    low[n_linked], high[n_linked] = begin, end
                    n_linked += 1
        most, where = deepest(low[:n_linked], high[:n_linked])
        if most >= n_before:
            capacity += where * target
            lift(capacity)
            margins_of(capacity, n_rows, increments, subsets, margins)
