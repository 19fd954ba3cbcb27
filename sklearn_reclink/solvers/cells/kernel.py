"""The compiled depth-first search below one cell. Notation as in `splitting`."""

from typing import NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.solvers.cells.conflicts import (
    cover_by_cliques,
    disjoint_conflicts,
    list_records,
)
from sklearn_reclink.solvers.cells.splitting import (
    child,
    choose_edge,
    choose_split,
    count_linked,
    drop_implied,
)
from sklearn_reclink.solvers.qr_update import INTERNAL

# Every generation of corners adds three roundings, and all of them together must stay within
# a tenth of the tie tolerance: 3 * 200 * 2**-53 = 0.07e-12.
DEEPEST = 200
_MOST_STUCK = 32
_MOST_ROWS = 1600  # a cell with more undecided rows is split before conflicts are looked for


class Problem(NamedTuple):
    """The rows of all records, in the coordinates of the generators."""

    weak: np.ndarray  # (n_rows, p): rows that decide what is lost
    clear: np.ndarray  # (n_rows, p): rows that decide what is linked
    ties: np.ndarray  # (n_rows, p): tie tolerances
    owners: np.ndarray  # (n_rows,): records numbered from 0, ascending
    every: np.ndarray  # (n_rows,): all rows
    free: int  # records without rows, which every point links
    complete: bool  # whether a record with only positive rows is linked


class Undecided(NamedTuple):
    """The undecided rows of the open cells, one cell behind the other."""

    values: np.ndarray  # (size, p)
    above: np.ndarray  # (size,)
    below: np.ndarray  # (size,)
    row: np.ndarray  # (size,)
    places: np.ndarray  # (size,): where rows change sign on an edge


class Stack(NamedTuple):
    """The open cells, and the cells that splitting does not settle.

    A cell is stuck when it is decided, but its middle does not clearly link as many records as
    the bound says; or when it is too small.
    """

    corners: np.ndarray  # (n_slots, p, p)
    begin: np.ndarray  # (n_slots,)
    end: np.ndarray  # (n_slots,)
    linked: np.ndarray  # (n_slots,): records linked throughout the cell
    bound: np.ndarray  # (n_slots,): records linked at most
    depth: np.ndarray  # (n_slots,): generations
    stuck: np.ndarray  # (_MOST_STUCK, p, p)
    stuck_bound: np.ndarray  # (_MOST_STUCK,)


def undecided(size: int, p: int) -> Undecided:
    """Room for some rows."""
    ints = np.empty((2, size), np.int64)
    return Undecided(
        np.empty((size, p)), ints[0], ints[1], np.empty(size, np.int32), np.empty(size)
    )


def stack(p: int) -> Stack:
    """Room for the open cells of a depth-first search."""
    n_slots = 2 * DEEPEST + 4
    begin, end, linked, bound, depth = (np.empty(n_slots, np.int64) for _ in range(5))
    stuck, stuck_bound = np.empty((_MOST_STUCK, p, p)), np.empty(_MOST_STUCK, np.int64)
    corners = np.empty((n_slots, p, p))
    return Stack(corners, begin, end, linked, bound, depth, stuck, stuck_bound)


@njit(**INTERNAL)
def _offer(clear, every, owners, free, corners, point, best, theta, best_theta):  # type: ignore[no-untyped-def]
    """Count a point of a cell; the best count so far."""
    p, first = clear.shape[1], np.int64(0)
    for j in range(p):
        theta[j] = 0.0
    for v in range(p):
        for j in range(p):
            theta[j] += point[v] * corners[v, j]
    count = free + count_linked(clear, every, owners, first, every.shape[0], theta)
    if count > best:
        for j in range(p):
            best_theta[j] = theta[j]
        best = count
    return best


# every division here is by a number known not to be 0, so no code need be made to raise
@njit(cache=True, nogil=True, error_model="numpy")
def explore(problem, rows, stack, best, best_theta, n_open, n_stuck, budget):  # type: ignore[no-untyped-def]
    """Search the open cells depth first.

    Where the rows are not complete, a point that seems to link more than the incumbent has to be
    counted first: the search stops there, and all cells that may hold it stay open.

    Parameters
    ----------
    problem, rows, stack
        The arrays above; rows and stack are overwritten.
    best, best_theta : int, ndarray
        The incumbent; ``best_theta`` is overwritten by a better one.
    n_open, n_stuck : int
        How many cells of the stack are open and stuck.
    budget : float
        Work after which the cells still open are handed back.

    Returns
    -------
    best : int
        Records that ``best_theta`` links, by the rows, or the incumbent.
    n_open, n_stuck : int
    n_cells : int
        Cells searched.
    budget : float
        What is left of it. Where it is positive, cells are open, fewer than the most are stuck and
        no point has to be counted, ``rows`` must grow before the search can go on.
    """
    weak, clear, ties, owners, every, free, complete = problem
    values, above, below, index, places = rows
    corners, begin, end, linked, bound, depth, stuck, stuck_bound = stack
    p, n_records, most = weak.shape[1], owners[-1] + 1, _MOST_ROWS + weak.shape[1]
    score, cell, whole = np.empty((p, p)), np.empty((p, p)), np.empty((p, p))
    middle, point, theta = np.empty(p), np.empty(p), np.empty(p)
    for v in range(p):
        middle[v] = 1.0 / p
    starts, common = np.empty(n_records + 1, np.int64), np.empty(n_records, np.int64)
    order, head = np.empty(n_records, np.int64), np.empty(n_records, np.int64)
    link, nothing = np.empty(n_records, np.int64), np.empty(n_records - n_records, np.int64)
    system, sizes, right = np.empty((most, p)), np.empty((most, p)), np.empty(most)
    record, wanted = np.empty(most, np.int64), np.empty(most, np.int64)
    n_cells, seen = 0, best
    while n_open > 0 and n_stuck < stuck.shape[0] and budget > 0.0 and seen == best:
        n_open -= 1
        if bound[n_open] <= best:
            continue
        first, last = begin[n_open], end[n_open]
        if 3 * last > values.shape[0]:
            n_open += 1
            break
        n_cells += 1
        for v in range(p):
            for j in range(p):
                whole[v, j] = corners[n_open, v, j]
        if first == last:
            seen = _offer(clear, every, owners, free, whole, middle, best, theta, best_theta)
            if complete:
                best = seen
            elif seen > best:
                n_open += 1
                break
        if bound[n_open] > best and (first == last or depth[n_open] >= DEEPEST):
            for v in range(p):
                for j in range(p):
                    stuck[n_stuck, v, j] = whole[v, j]
            stuck_bound[n_stuck] = bound[n_open]
            n_stuck += 1
            continue
        a, b = choose_edge(above, below, index, owners, first, last, score)
        s = choose_split(values, above, below, first, last, a, b, places)
        linked_here, bound_here, depth_here = linked[n_open], bound[n_open], depth[n_open]
        target = last
        for side in range(2):
            replaced = a if side == 0 else b
            tail, more, n_undecided = child(
                values, above, below, index, owners, first, last, target, replaced, a, b, s
            )
            size = tail - target
            budget -= 500.0 + (last - first)
            budget -= size * size / 64.0 if size <= _MOST_ROWS else 8.0 * size
            most = linked_here + more + n_undecided
            if min(most, bound_here) <= best:
                continue
            for v in range(p):
                for j in range(p):
                    cell[v, j] = whole[v, j]
            for j in range(p):
                cell[replaced, j] = (1.0 - s) * whole[a, j] + s * whole[b, j]
            here = linked_here + more
            if here + count_linked(values, index, owners, target, tail, middle) > seen:
                seen = _offer(clear, every, owners, free, cell, middle, seen, theta, best_theta)
                if complete:
                    best = seen
            tail = drop_implied(values, above, below, index, owners, target, tail)
            gap = most - best
            if 0 < gap <= n_undecided // 2 and tail - target <= _MOST_ROWS:
                n_listed = list_records(
                    above, index, owners, target, tail, p, starts, common, order
                )
                losses, n_cliques = cover_by_cliques(
                    values, above, starts, common, order, n_listed, gap, head, link
                )
                if losses < gap:
                    point[0] = -1.0
                    losses += disjoint_conflicts(
                        values, index, ties, cell, starts, head, link, n_cliques, gap - losses,
                        point, system, sizes, right, record, wanted, nothing,
                    )  # fmt: skip
                    if (
                        point[0] >= 0.0
                        and here + count_linked(values, index, owners, target, tail, point) > seen
                    ):
                        seen = _offer(
                            clear, every, owners, free, cell, point, seen, theta, best_theta
                        )
                        if complete:
                            best = seen
                most -= losses
            if min(most, bound_here) > best:
                for v in range(p):
                    for j in range(p):
                        corners[n_open, v, j] = cell[v, j]
                begin[n_open], end[n_open], linked[n_open] = target, tail, here
                bound[n_open], depth[n_open] = min(most, bound_here), depth_here + 1
                n_open += 1
                target = tail
    return seen, n_open, n_stuck, n_cells, budget
