"""Compiled parts of the proof by cells: which rows a cell leaves undecided, and where to split it.

Notation: a *cell* is the simplicial cone of the ``p`` rays ``corners[v]``; ``values[k, v]`` is the
value of its ``k``-th undecided row there, with bit ``v`` of ``above[k]`` or ``below[k]`` set where
that is positive or negative. ``index[k]`` is the row, ``owners[index[k]]`` its record; the rows
of a record are adjacent. All open cells of a depth-first search lie one behind the other in
these arrays, from ``begin[c]`` to ``end[c]``.

Functions with a single caller are inlined before they are compiled: compiling them apart would
take longer.
"""

import numpy as np
from numba import njit

from sklearn_reclink.solvers.qr_update import INTERNAL

_NEAREST_SPLIT = 1e-6


@njit(cache=True, nogil=True)
def undecided_rows(weak, owners, rows, corners, values, above, below, index):  # type: ignore[no-untyped-def]
    """Fill in the rows that a cell does not decide, with their values and signs at its corners.

    Returns how many they are, and the number of records linked throughout and undecided.
    """
    p = weak.shape[1]
    k, last, linked, undecided = 0, 0, 0, 0
    while k < rows.shape[0]:
        owner, first, lost = owners[rows[k]], last, False
        while k < rows.shape[0] and owners[rows[k]] == owner:
            index[last], above[last], below[last] = rows[k], 0, 0
            for v in range(p):
                value = 0.0
                for j in range(p):
                    value += weak[rows[k], j] * corners[v, j]
                values[last, v] = value
                if value > 0.0:
                    above[last] |= 1 << v
                elif value < 0.0:
                    below[last] |= 1 << v
            lost = lost or above[last] == 0
            last += below[last] != 0
            k += 1
        if lost:
            last = first
        linked += not lost and last == first
        undecided += last > first
    return last, linked, undecided


@njit(**INTERNAL)
def count_linked(values, index, owners, begin, end, point):  # type: ignore[no-untyped-def]
    """How many of the records from ``begin`` to ``end`` have only positive rows at ``point``."""
    count, k = 0, begin
    while k < end:
        owner, linked = owners[index[k]], True
        while k < end and owners[index[k]] == owner:
            if linked:
                value = 0.0
                for v in range(point.shape[0]):
                    value += point[v] * values[k, v]
                linked = value > 0.0
            k += 1
        if linked:
            count += 1
    return count


@njit(**INTERNAL)
def _copy_row(values, above, below, index, source, target):  # type: ignore[no-untyped-def]
    for v in range(values.shape[1]):
        values[target, v] = values[source, v]
    above[target], below[target] = above[source], below[source]
    index[target] = index[source]


@njit(nogil=True, inline="always")
def child(values, above, below, index, owners, begin, end, target, replaced, a, b, s):  # type: ignore[no-untyped-def]
    """The rows still undecided once a corner moves to ``(1 - s) corner_a + s corner_b``.

    Returns where they end, the records newly linked in the whole cell, and those undecided.
    """
    bit = 1 << replaced
    k, last, linked, undecided = begin, target, 0, 0
    while k < end:
        owner, first, lost = owners[index[k]], last, False
        while k < end and owners[index[k]] == owner:
            if not lost:
                value = (1.0 - s) * values[k, a] + s * values[k, b]
                positive, negative = above[k] & ~bit, below[k] & ~bit
                if value > 0.0:
                    positive |= bit
                elif value < 0.0:
                    negative |= bit
                if positive == 0:
                    lost = True
                elif negative != 0:
                    _copy_row(values, above, below, index, k, last)
                    values[last, replaced] = value
                    above[last], below[last] = positive, negative
                    last += 1
            k += 1
        if lost:
            last = first
        elif last == first:
            linked += 1
        else:
            undecided += 1
    return last, linked, undecided


@njit(**INTERNAL)
def largest_multiple(values, sign, i, j):  # type: ignore[no-untyped-def]
    """The largest ``c >= 0`` with ``sign * row i >= c * row j`` at all corners; -1 for none."""
    low, high = 0.0, np.inf
    for v in range(values.shape[1]):
        x, y = sign * values[i, v], values[j, v]
        if y > 0.0:
            high = min(high, x / y)
        elif y < 0.0:
            low = max(low, x / y)
        elif x < 0.0:
            return -1.0
        if low > high:
            return -1.0
    return high


@njit(nogil=True, inline="always")
def drop_implied(values, above, below, index, owners, begin, end):  # type: ignore[no-untyped-def]
    """Drop the rows that another row of their record implies in this cell; the new end.

    A row implies every row that is at least ``c > 0`` times itself at all corners.
    """
    k, last = begin, begin
    while k < end:
        owner, first = owners[index[k]], last
        while k < end and owners[index[k]] == owner:
            _copy_row(values, above, below, index, k, last)
            positive, negative = above[k], below[k]
            k += 1
            implied = False
            for m in range(first, last):
                if (
                    above[m] & ~positive == 0
                    and negative & ~below[m] == 0
                    and largest_multiple(values, 1.0, last, m) > 0.0
                ):
                    implied = True
                    break
            if implied:
                continue
            kept = first
            for m in range(first, last):
                if (
                    positive & ~above[m] == 0
                    and below[m] & ~negative == 0
                    and largest_multiple(values, 1.0, m, last) > 0.0
                ):
                    continue
                if kept < m:
                    _copy_row(values, above, below, index, m, kept)
                kept += 1
            if kept < last:
                _copy_row(values, above, below, index, last, kept)
            last = kept + 1
    return last


@njit(nogil=True, inline="always")
def choose_edge(above, below, index, owners, begin, end, score):  # type: ignore[no-untyped-def]
    """The edge on which the most rows change sign, every record having one vote."""
    p = score.shape[0]
    for a in range(p):
        for b in range(p):
            score[a, b] = 0.0
    k = begin
    while k < end:
        last = k
        while last < end and owners[index[last]] == owners[index[k]]:
            last += 1
        vote = 1.0 / (last - k)
        while k < last:
            for a in range(p):
                if above[k] >> a & 1:
                    for b in range(p):
                        if below[k] >> b & 1:
                            score[max(a, b), min(a, b)] += vote
            k += 1
    best, first, second = -1.0, 0, 0
    for a in range(p):
        for b in range(a):
            if score[a, b] > best:
                best, first, second = score[a, b], a, b
    return first, second


@njit(nogil=True, inline="always")
def _median(x, n):  # type: ignore[no-untyped-def]
    """The element of rank ``n // 2`` of the first ``n`` (Hoare's selection, in place)."""
    first, last, rank = 0, n - 1, n >> 1
    while first < last:
        pivot, i, j = x[rank], first, last
        while i <= j:
            while x[i] < pivot:
                i += 1
            while pivot < x[j]:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        if j < rank:
            first = i
        if rank < i:
            last = j
    return x[rank]


@njit(nogil=True, inline="always")
def choose_split(values, above, below, begin, end, a, b, places):  # type: ignore[no-untyped-def]
    """The median of the places where rows change sign between two corners."""
    n = 0
    for k in range(begin, end):
        if (above[k] >> a & 1 and below[k] >> b & 1) or (above[k] >> b & 1 and below[k] >> a & 1):
            places[n] = values[k, a] / (values[k, a] - values[k, b])
            n += 1
    split = 0.5
    if n > 0:
        split = min(max(_median(places, n), _NEAREST_SPLIT), 1.0 - _NEAREST_SPLIT)
    return split
