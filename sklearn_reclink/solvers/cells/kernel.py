"""Compiled parts of the proof by cells (`cells` has the mathematics).

Notation: a *cell* is the cone of the ``p`` rays ``corners[v]``; ``values[k, v]`` is the value of
its ``k``-th undecided row there, with bit ``v`` of ``above[k]`` or ``below[k]`` set where that is
positive or negative. ``index[k]`` is the row, ``owners[index[k]]`` its record; the rows of a
record stand together. All open cells of a depth-first search lie one behind the other in
these arrays, from ``begin[c]`` to ``end[c]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sklearn_reclink.solvers.cells.conflicts import (
    cover_by_cliques,
    disjoint_conflicts,
    list_records,
)

# Every generation of corners adds three roundings, and all of them together must stay within
# a tenth of the tie tolerance: 3 * 200 * 2**-53 = 0.07e-12.
DEEPEST = 200
_NEAREST_SPLIT = 1e-6
_MOST_STUCK = 32
_MOST_ROWS = 1600  # a cell with more undecided rows is split before conflicts are looked for


@njit(cache=True, nogil=True)
def count_linked(rows, owners, theta):  # type: ignore[no-untyped-def]
    """How many records have all of their rows positive at ``theta``."""
    count, k, n = 0, 0, rows.shape[0]
    while k < n:
        owner, linked = owners[k], True
        while k < n and owners[k] == owner:
            if linked:
                value = 0.0
                for j in range(theta.shape[0]):
                    value += rows[k, j] * theta[j]
                linked = value > 0.0
            k += 1
        if linked:
            count += 1
    return count


@njit(cache=True, nogil=True)
def _count_inside(values, index, owners, begin, end, point):  # type: ignore[no-untyped-def]
    """How many undecided records the combination ``point`` of the corners links."""
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


@njit(cache=True, nogil=True)
def _copy_row(values, above, below, index, source, target):  # type: ignore[no-untyped-def]
    for v in range(values.shape[1]):
        values[target, v] = values[source, v]
    above[target], below[target] = above[source], below[source]
    index[target] = index[source]


@njit(cache=True, nogil=True)
def _child(  # type: ignore[no-untyped-def]
    values, above, below, index, owners, begin, end, target, replaced, a, b, s
):
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


@njit(cache=True, nogil=True)
def _implied(values, i, j):  # type: ignore[no-untyped-def]
    """Whether row ``i`` is at least ``c`` times row ``j`` at all corners, for some ``c > 0``."""
    low, high = 0.0, np.inf
    for v in range(values.shape[1]):
        x, y = values[i, v], values[j, v]
        if y > 0.0:
            high = min(high, x / y)
        elif y < 0.0:
            low = max(low, x / y)
        elif x < 0.0:
            return False
        if low > high:
            return False
    return high > 0.0


@njit(cache=True, nogil=True)
def _drop_implied(values, above, below, index, owners, begin, end):  # type: ignore[no-untyped-def]
    """Drop the rows that another row of their record implies in this cell; the new end."""
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
                    and _implied(values, last, m)
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
                    and _implied(values, m, last)
                ):
                    continue
                if kept < m:
                    _copy_row(values, above, below, index, m, kept)
                kept += 1
            if kept < last:
                _copy_row(values, above, below, index, last, kept)
            last = kept + 1
    return last


@njit(cache=True, nogil=True)
def _choose_edge(above, below, index, owners, begin, end, score):  # type: ignore[no-untyped-def]
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


@njit(cache=True, nogil=True)
def _median(x, n):  # type: ignore[no-untyped-def]
    """The element of rank ``n // 2`` of the first ``n`` (Hoare's selection, in place)."""
    first, last, rank = 0, n - 1, n // 2
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


@njit(cache=True, nogil=True)
def _copy_cell(source, target):  # type: ignore[no-untyped-def]
    for v in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[v, j] = source[v, j]


@njit(cache=True, nogil=True)
def _choose_split(values, above, below, begin, end, a, b):  # type: ignore[no-untyped-def]
    """The median of the places where rows change sign between two corners."""
    places = np.empty(end - begin)
    n = 0
    for k in range(begin, end):
        if (above[k] >> a & 1 and below[k] >> b & 1) or (above[k] >> b & 1 and below[k] >> a & 1):
            places[n] = values[k, a] / (values[k, a] - values[k, b])
            n += 1
    if n == 0:
        return 0.5
    return min(max(_median(places, n), _NEAREST_SPLIT), 1.0 - _NEAREST_SPLIT)


@njit(cache=True, nogil=True)
def _enlarged(array, size):  # type: ignore[no-untyped-def]
    """The same one-dimensional array with room for more."""
    larger = np.empty(size, array.dtype)
    for k in range(array.shape[0]):
        larger[k] = array[k]
    return larger


@njit(cache=True, nogil=True)
def _enlarged_rows(array, size):  # type: ignore[no-untyped-def]
    larger = np.empty((size, array.shape[1]))
    for k in range(array.shape[0]):
        for v in range(array.shape[1]):
            larger[k, v] = array[k, v]
    return larger


@njit(cache=True, nogil=True)
def _offer(rows, owners, corners, point, best, best_theta):  # type: ignore[no-untyped-def]
    """Count a point of a cell; the best count so far."""
    p = rows.shape[1]
    theta = np.zeros(p)
    for v in range(p):
        for j in range(p):
            theta[j] += point[v] * corners[v, j]
    count = count_linked(rows, owners, theta)
    if count > best:
        for j in range(p):
            best_theta[j] = theta[j]
        return count
    return best


@njit(cache=True, nogil=True)
def explore(  # type: ignore[no-untyped-def]
    weak, clear, ties, owners, root, rows, linked_before, bound_before, depth_before,
    best, best_theta, budget,
):  # fmt: skip
    """Search depth first below one cell.

    Parameters
    ----------
    weak, clear, ties : ndarray of shape (n_rows, n_parameters)
        Rows that decide what is lost, rows that decide what is linked, tie tolerances.
    owners : ndarray of shape (n_rows,)
        Records numbered from 0, ascending.
    root : ndarray of shape (n_parameters, n_parameters)
        The corners of the cell.
    rows : ndarray of int
        Its undecided rows.
    linked_before, bound_before, depth_before : int
        What is known of it: records linked throughout, most records linked, generations.
    best, best_theta : int, ndarray
        The incumbent; ``best_theta`` is overwritten by a better one.
    budget : float
        Work after which the cells still open are handed back.

    Returns
    -------
    best, n_cells : int
    n_open : int
        The first of the following are open cells.
    corners, begin, end, linked, bound, depth : ndarray
    index : ndarray of int
        Their undecided rows are ``index[begin[c]:end[c]]``.
    n_stuck, stuck, stuck_bound : int, ndarray, ndarray
        Corners and bounds of cells that splitting does not settle: decided, but their middle
        does not link as many clearly; or too small.
    """
    p, n = weak.shape[1], rows.shape[0]
    values = np.empty((4 * n + 64, p))
    above, below = np.empty(4 * n + 64, np.int64), np.empty(4 * n + 64, np.int64)
    index = np.empty(4 * n + 64, np.int32)
    n_slots = 2 * DEEPEST + 4
    corners = np.empty((n_slots, p, p))
    begin, end = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64)
    linked, bound = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64)
    depth = np.empty(n_slots, np.int64)
    n_records = owners[-1] + 1
    starts, common = np.empty(n_records + 1, np.int64), np.empty(n_records, np.int64)
    order, head = np.empty(n_records, np.int64), np.empty(n_records, np.int64)
    link = np.empty(n_records, np.int64)
    stuck, stuck_bound = np.empty((_MOST_STUCK, p, p)), np.empty(_MOST_STUCK, np.int64)
    score, cell, whole = np.empty((p, p)), np.empty((p, p)), np.empty((p, p))
    corner, point, middle = np.empty(p), np.empty(p), np.full(p, 1.0 / p)

    for k in range(n):
        index[k], above[k], below[k] = rows[k], 0, 0
        for v in range(p):
            value = 0.0
            for j in range(p):
                value += weak[rows[k], j] * root[v, j]
            values[k, v] = value
            if value > 0.0:
                above[k] |= 1 << v
            elif value < 0.0:
                below[k] |= 1 << v
    # a child in which nothing moves: rows that the cell decides go
    a, b, s, first = 0, 0, 0.0, 0
    last, more, undecided = _child(values, above, below, index, owners, first, n, n, a, a, b, s)
    _copy_cell(root, corners[0])
    begin[0], end[0], linked[0] = n, last, linked_before + more
    bound[0] = min(bound_before, linked[0] + undecided)
    depth[0] = depth_before

    n_open, n_cells, n_stuck, work = 1, 0, 0, 0.0
    while n_open > 0 and n_stuck < _MOST_STUCK and work < budget:
        n_open -= 1
        if bound[n_open] <= best:
            continue
        n_cells += 1
        first, last = begin[n_open], end[n_open]
        if first == last:
            best = _offer(clear, owners, corners[n_open], middle, best, best_theta)
        if bound[n_open] > best and (first == last or depth[n_open] >= DEEPEST):
            _copy_cell(corners[n_open], stuck[n_stuck])
            stuck_bound[n_stuck] = bound[n_open]
            n_stuck += 1
            continue
        a, b = _choose_edge(above, below, index, owners, first, last, score)
        s = _choose_split(values, above, below, first, last, a, b)
        if 3 * last > values.shape[0]:
            size = 6 * last
            values = _enlarged_rows(values, size)
            above, below = _enlarged(above, size), _enlarged(below, size)
            index = _enlarged(index, size)
        linked_here, bound_here, depth_here = linked[n_open], bound[n_open], depth[n_open]
        for j in range(p):
            corner[j] = (1.0 - s) * corners[n_open, a, j] + s * corners[n_open, b, j]
        _copy_cell(corners[n_open], whole)
        target = last
        for replaced in (a, b):
            tail, more, undecided = _child(
                values, above, below, index, owners, first, last, target, replaced, a, b, s
            )
            size = tail - target
            work += 500.0 + (last - first) + size * size / 64.0
            most = linked_here + more + undecided
            if min(most, bound_here) <= best:
                continue
            for v in range(p):
                for j in range(p):
                    cell[v, j] = corner[j] if v == replaced else whole[v, j]
            here = linked_here + more
            if here + _count_inside(values, index, owners, target, tail, middle) > best:
                best = _offer(clear, owners, cell, middle, best, best_theta)
            tail = _drop_implied(values, above, below, index, owners, target, tail)
            gap = most - best
            if 0 < gap <= undecided // 2 and tail - target <= _MOST_ROWS:
                n_listed = list_records(
                    above, index, owners, target, tail, p, starts, common, order
                )
                losses, n_cliques = cover_by_cliques(
                    values, above, starts, common, order, n_listed, gap, head, link
                )
                if losses < gap:
                    point[0] = -1.0
                    losses += disjoint_conflicts(
                        values, index, ties, cell, starts, head, link, n_cliques,
                        gap - losses, point,
                    )  # fmt: skip
                    if (
                        point[0] >= 0.0
                        and here + _count_inside(values, index, owners, target, tail, point) > best
                    ):
                        best = _offer(clear, owners, cell, point, best, best_theta)
                most -= losses
            if min(most, bound_here) > best:
                _copy_cell(cell, corners[n_open])
                begin[n_open], end[n_open], linked[n_open] = target, tail, here
                bound[n_open], depth[n_open] = min(most, bound_here), depth_here + 1
                n_open += 1
                target = tail
    return (
        best, n_cells, n_open, corners, begin, end, linked, bound, depth, index,
        n_stuck, stuck, stuck_bound,
    )  # fmt: skip
