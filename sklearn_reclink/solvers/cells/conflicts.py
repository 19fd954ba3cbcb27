"""How many undecided records a cell must lose, by conflicts inside it (`search`).

Two records are in conflict in a cell if ``r + c s <= 0`` at all corners for rows ``r`` of the one
and ``s`` of the other and some ``c >= 0``: a combination that no point of the cell makes positive.
Larger conflicts are certificates of the active-set method. Notation as in `splitting`.
"""

import numpy as np
from numba import njit

from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, solve
from sklearn_reclink.solvers.cells.splitting import largest_multiple

_SLACK = 0.02  # of the tie tolerance, for the residual of a certificate


@njit(nogil=True, inline="always")
def list_records(above, index, owners, begin, end, p, starts, common, order):  # type: ignore[no-untyped-def]
    """Rows of the undecided records, the corners where all of them are positive, and an order.

    Records positive at many corners come first: they are in few conflicts, and the cliques grow
    around those that are in many. Returns the number of records.
    """
    n = -1
    for k in range(begin, end):
        if k == begin or owners[index[k]] != owners[index[k - 1]]:
            n += 1
            starts[n], common[n] = k, (1 << p) - 1
        common[n] &= above[k]
    n += 1
    starts[n] = end
    place = 0
    for size in range(p, -1, -1):
        for i in range(n - 1, -1, -1):
            ones = 0
            for v in range(p):
                ones += common[i] >> v & 1
            if ones == size:
                order[place] = i
                place += 1
    return n


@njit(nogil=True, inline="always")
def _in_conflict(values, above, first_i, last_i, first_j, last_j):  # type: ignore[no-untyped-def]
    found = False
    for i in range(first_i, last_i):
        for j in range(first_j, last_j):
            if above[i] & above[j] == 0 and largest_multiple(values, -1.0, i, j) >= 0.0:
                found = True
                break
        if found:
            break
    return found


@njit(nogil=True, inline="always")
def cover_by_cliques(values, above, starts, common, order, n, enough, head, link):  # type: ignore[no-untyped-def]
    """Partition records greedily into cliques of conflicts; a clique loses all but one.

    ``head[c]`` is the last record of clique ``c`` and ``link`` leads to the one before.
    Returns the losses, at most ``enough``, and the number of cliques.
    """
    losses, n_cliques = 0, 0
    for place in range(n):
        if losses >= enough:
            break
        i = order[place]
        joined = -1
        for c in range(n_cliques):
            member = head[c]
            while member >= 0:
                if common[i] & common[member] != 0 or not _in_conflict(
                    values, above, starts[i], starts[i + 1], starts[member], starts[member + 1]
                ):
                    break
                member = link[member]
            if member < 0:
                joined = c
                break
        if joined >= 0:
            link[i] = head[joined]
            head[joined] = i
            losses += 1
        else:
            link[i] = -1
            head[n_cliques] = i
            n_cliques += 1
    return losses, n_cliques


@njit(cache=True, nogil=True)
def stands(system, sizes, p, support, multipliers, n_support):  # type: ignore[no-untyped-def]
    """Whether the combined rows are at most 0 at all corners, up to what ties allow."""
    largest = 0.0
    for q in range(n_support):
        if not multipliers[q] >= 0.0:
            return False
        if support[q] >= p:
            largest = max(largest, multipliers[q])
    if not 0.0 < largest < np.inf:
        return False
    for v in range(p):
        total, allowed = 0.0, 0.0
        for q in range(n_support):
            if support[q] >= p:
                total += multipliers[q] * system[support[q], v]
                allowed += multipliers[q] * sizes[support[q], v]
        if total > _SLACK * allowed:
            return False
    return True


@njit(nogil=True, inline="always")
def disjoint_conflicts(  # type: ignore[no-untyped-def]
    values, index, ties, corners, starts, head, link, n_cliques, enough, point,
    system, sizes, right, record, wanted, nothing,
):  # fmt: skip
    """Conflicts that share no record, among the records of no clique; at most ``enough``.

    In the coordinates of the corners the cell is the orthant, so its rows are those of the
    identity. If the records left over can be linked together, ``point`` says where.
    """
    p = values.shape[1]
    zero = np.int64(0)
    for v in range(p):
        for j in range(p):
            system[v, j], sizes[v, j] = 0.0, 0.0
        system[v, v] = 1.0
        right[v], record[v] = 0.0, -1
    n = p
    for c in range(n_cliques):
        i = head[c]
        if link[i] >= 0:
            continue
        for k in range(starts[i], starts[i + 1]):
            norm = 0.0
            for v in range(p):
                norm += values[k, v] * values[k, v]
            norm = np.sqrt(norm)
            if norm == 0.0:
                continue
            for v in range(p):
                system[n, v] = values[k, v] / norm
                sizes[n, v] = 0.0
                for j in range(p):
                    sizes[n, v] += ties[index[k], j] * corners[v, j] / norm
            right[n], record[n] = 1.0, i
            n += 1
    for k in range(n):
        wanted[k] = k
    found = 0
    while found < enough:
        status, size, theta, active, u = solve(system, right, wanted, n, nothing, zero)
        if status == FEASIBLE:
            for v in range(p):
                point[v] = max(theta[v], 0.0)
        if status != INFEASIBLE or not stands(system, sizes, p, active, u, size):
            break
        found += 1
        left = 0
        for k in range(n):
            used = False
            for m in range(size):
                if record[wanted[k]] >= 0 and record[wanted[k]] == record[active[m]]:
                    used = used or u[m] > 0.0
            if not used:
                wanted[left] = wanted[k]
                left += 1
        n = left
    return found
