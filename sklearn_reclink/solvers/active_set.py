"""Can these rows be satisfied together? A compiled active-set method.

Given unit rows ``r`` of records (right-hand side 1) and of the cone (right-hand side 0)::

    minimise  |theta|^2 / 2   subject to   r_m . theta >= b_m   for all m

by the dual active-set method of Goldfarb and Idnani (1983) with the identity as Hessian.
A feasible system ends in the ``theta`` of largest margin: ``1 / |theta|`` is the largest
``t`` with ``r . theta >= t`` on all record rows and ``|theta| <= 1``. An infeasible one ends
in multipliers ``lambda >= 0`` of at most ``p + 1`` rows with ``sum lambda_m r_m = 0``: a
certificate (Farkas) that does not depend on how it was found.

Notation: ``Q' R`` factors the active rows (as columns), ``Q`` stored by rows so that loops run
along memory; ``d = Q n`` for an entering row ``n``; ``z``, the part of ``n`` outside their span,
is the step; ``decay`` is how fast the multipliers ``u`` of the active rows fall along it.

The kernels index whole arrays: slices, reductions and list comprehensions would take most of
their compilation time. Counts start as ``np.int64(0)`` for the same reason: a literal 0 would be
a type of its own, for which callees are compiled once more.
"""

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.solvers.qr_update import INTERNAL, add, coordinates, drop

FEASIBLE, INFEASIBLE, UNDECIDED = 1, 0, -1

# A unit row this close to the span of the active ones adds no dimension. The certificate is
# verified from scratch afterwards, so this decides speed and never soundness.
_SPAN = 1e-11
_TAKEN = 1e-6  # the same for the rows of a warm start, which can wait
_SLACK = 1e-9
_ROUNDING = 1e-14
_LARGEST = 1e12
_SHORT = 32


@njit(fastmath={"reassoc", "contract"}, **INTERNAL)
def _slack(rows, rhs, m, theta):  # type: ignore[no-untyped-def]
    slack = -rhs[m]
    for k in range(theta.shape[0]):
        slack += rows[m, k] * theta[k]
    return slack


@njit(nogil=True, inline="always")
def _most_violated(rows, rhs, wanted, n_wanted, theta, short, slacks):  # type: ignore[no-untyped-def]
    """The row of least slack, from the short list if it still holds a violated one.

    A scan of all wanted rows refills the short list with rows among the worst that it met.
    """
    size = 0.0
    for k in range(theta.shape[0]):
        size += theta[k] * theta[k]
    violated = -_SLACK - _ROUNDING * np.sqrt(size)
    where: Any = np.int64(-1)
    worst, n_short = violated, short.shape[0]
    for m in range(n_short):
        if short[m] < 0:
            break
        slack = _slack(rows, rhs, short[m], theta)
        if slack < worst:
            worst, where = slack, short[m]
    if where < 0:
        for m in range(n_short):
            short[m] = -1
        filled, place, last = 0, 0, violated
        for m in range(n_wanted):
            slack = _slack(rows, rhs, wanted[m], theta)
            if slack >= last:
                continue
            if filled < n_short:
                place = filled
                filled += 1
            short[place], slacks[place] = wanted[m], slack
            if filled == n_short:
                place = 0
                for k in range(1, n_short):
                    if slacks[k] > slacks[place]:
                        place = k
                last = slacks[place]
            if slack < worst:
                worst, where = slack, wanted[m]
    return where


@njit(nogil=True, inline="always")
def _warm_start(rows, rhs, start, n_start, theta, Q, R, active, u, d, z):  # type: ignore[no-untyped-def]
    """Make independent rows of ``start`` active, and those the optimum over them; how many.

    With all of them tight, ``theta = Q' y`` and ``R u = y`` where ``R' y = b``. Rows of a
    negative multiplier are dropped, the most negative first.
    """
    q: Any = np.int64(0)
    p = theta.shape[0]
    for k in range(n_start):
        m = start[k]
        coordinates(Q, rows, m, d)
        length = 0.0
        for j in range(q, p):
            length += d[j] * d[j]
        if length > _TAKEN * _TAKEN:
            add(Q, R, d, q)
            active[q] = m
            q += 1
    while q > 0:
        for j in range(q):
            total = rhs[active[j]]
            for k in range(j):
                total -= R[k, j] * z[k]
            z[j] = total / R[j, j]
        where: Any = np.int64(-1)
        worst = 0.0
        for j in range(q - 1, -1, -1):
            total = z[j]
            for k in range(j + 1, q):
                total -= R[j, k] * u[k]
            u[j] = total / R[j, j]
            if u[j] < worst:
                worst, where = u[j], j
        if where < 0:
            break
        drop(Q, R, active, u, q, where)
        q -= 1
    for j in range(q):
        for i in range(p):
            theta[i] += Q[j, i] * z[j]
    return q


@njit(cache=True, nogil=True)
def solve(rows, rhs, wanted, n_wanted, start, n_start):  # type: ignore[no-untyped-def]
    """`least_norm` over the first ``n_wanted`` rows; the support is in the first ``q`` entries.

    Returns ``status, q, theta, active, u``.
    """
    p = rows.shape[1]
    theta, d, decay, z = np.empty(p), np.empty(p), np.empty(p), np.empty(p)
    active, u = np.empty(p + 1, np.int64), np.empty(p + 1)
    Q, R = np.empty((p, p)), np.empty((p, p))
    short, slacks = np.empty(_SHORT, np.int64), np.empty(_SHORT)
    for i in range(p):
        theta[i], u[i] = 0.0, 0.0
        for j in range(p):
            Q[i, j], R[i, j] = 0.0, 0.0
        Q[i, i] = 1.0
    for m in range(_SHORT):
        short[m] = -1
    q = _warm_start(rows, rhs, start, n_start, theta, Q, R, active, u, d, z)
    for _ in range(100 * (p + 10)):
        entering = _most_violated(rows, rhs, wanted, n_wanted, theta, short, slacks)
        if entering < 0:
            return FEASIBLE, q, theta, active, u
        u_entering = 0.0
        while True:
            coordinates(Q, rows, entering, d)
            length = 0.0
            for j in range(q, p):
                length += d[j] * d[j]
            for j in range(q - 1, -1, -1):
                total = d[j]
                for k in range(j + 1, q):
                    total -= R[j, k] * decay[k]
                decay[j] = total / R[j, j]
            leaving: Any = np.int64(-1)
            partial = np.inf
            for j in range(q):
                if decay[j] > 1e-14 and u[j] / decay[j] < partial:
                    partial, leaving = u[j] / decay[j], j
            full = np.inf
            if length > 0.0:
                full = max(-_slack(rows, rhs, entering, theta), 0.0) / length
            # spanned, or so nearly that no parameters of a margin above ties get there
            spanned = length <= _SPAN * _SPAN or full * np.sqrt(length) > _LARGEST
            if spanned and leaving < 0:
                for j in range(q):
                    u[j] = max(-decay[j], 0.0)
                active[q], u[q] = entering, 1.0
                return INFEASIBLE, q + 1, theta, active, u
            if spanned:
                full = np.inf
            step = min(partial, full)
            for j in range(q):
                u[j] = max(u[j] - step * decay[j], 0.0)
            u_entering += step
            if not spanned:
                for i in range(p):
                    z[i] = 0.0
                for j in range(q, p):
                    for i in range(p):
                        z[i] += Q[j, i] * d[j]
                for i in range(p):
                    theta[i] += step * z[i]
            if full <= partial:
                add(Q, R, d, q)
                active[q], u[q] = entering, u_entering
                q += 1
                break
            drop(Q, R, active, u, q, leaving)
            q -= 1
    return UNDECIDED, q, theta, active, u


def least_norm(
    rows: np.ndarray, rhs: np.ndarray, wanted: np.ndarray, start: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Find the parameters of least norm that satisfy the wanted rows.

    Parameters
    ----------
    rows, rhs : ndarray of shape (n_rows, n_parameters) and (n_rows,)
    wanted : ndarray of int
    start : ndarray of int
        Wanted rows that are likely to be active in the end, such as the support of a similar
        question; empty for a cold start.

    Returns
    -------
    status : int
        FEASIBLE, INFEASIBLE or UNDECIDED (the iteration limit).
    theta : ndarray of shape (n_parameters,)
    support : ndarray
        Rows with a multiplier.
    multipliers : ndarray
        Of the support: of the optimum, or of the certificate of infeasibility.
    """
    status, size, theta, active, u = solve(rows, rhs, wanted, len(wanted), start, len(start))
    return status, theta, active[:size], u[:size]


@njit(cache=True, nogil=True)
def thin_out_kernel(  # type: ignore[no-untyped-def]
    rows, rhs, wanted, groups, group_of, alive, needed, witnesses, support, multipliers
):
    """The loop of `thin_out`; the size of the last support."""
    chosen = np.empty(wanted.shape[0], np.int64)
    start = np.empty(support.shape[0], np.int64)
    size: Any = np.int64(0)
    for spared in range(alive.shape[0] - 1, -1, -1):
        if not alive[spared]:
            continue
        alive[spared] = False
        n_chosen: Any = np.int64(0)
        for m in range(wanted.shape[0]):
            if groups[m] < 0 or alive[groups[m]]:
                chosen[n_chosen] = wanted[m]
                n_chosen += 1
        n_start: Any = np.int64(0)
        for m in range(size):
            group = group_of[support[m]]
            if group < 0 or alive[group]:
                start[n_start] = support[m]
                n_start += 1
        status, q, theta, active, u = solve(rows, rhs, chosen, n_chosen, start, n_start)
        if status != INFEASIBLE:
            alive[spared] = True
            for k in range(theta.shape[0]):
                witnesses[spared, k] = theta[k]
            continue
        size = q
        for g in range(needed.shape[0]):
            needed[g] = False
        for m in range(size):
            support[m], multipliers[m] = active[m], u[m]
            if u[m] > 0.0 and group_of[active[m]] >= 0:
                needed[group_of[active[m]]] = True
        for g in range(alive.shape[0]):
            alive[g] = alive[g] and needed[g]
    return size


def thin_out(
    rows: np.ndarray, rhs: np.ndarray, wanted: np.ndarray, groups: np.ndarray, n_groups: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leave out groups of rows, the last first, while the others stay infeasible together.

    Parameters
    ----------
    rows, rhs
        As in `least_norm`.
    wanted : ndarray of int
        Rows that are infeasible together.
    groups : ndarray of int
        The group of each wanted row; rows of group -1 are never left out.

    Returns
    -------
    support, multipliers : ndarray
        The last certificate found; empty if no group could be left out.
    alive : ndarray of bool
        The groups that are left.
    witnesses : ndarray of shape (n_groups, n_parameters)
        Parameters that satisfy all groups alive but this one, for the groups alive.
    """
    p = rows.shape[1]
    alive, witnesses = np.ones(n_groups, dtype=bool), np.zeros((n_groups, p))
    group_of = np.full(len(rows), -1)
    group_of[wanted] = groups
    support, multipliers = np.empty(p + 1, np.int64), np.empty(p + 1)
    needed = np.empty(n_groups, dtype=bool)
    size = thin_out_kernel(
        rows, rhs, wanted, groups, group_of, alive, needed, witnesses, support, multipliers
    )
    return support[:size], multipliers[:size], alive, witnesses
