"""Can these rows be satisfied together? The compiled feasibility engine.

Given unit rows ``r`` of records (right-hand side 1) and of the domain (right-hand side 0)::

    minimise  |theta|^2 / 2   subject to   r_m . theta >= b_m   for all m

by the dual active-set method of Goldfarb and Idnani (1983) with the identity as Hessian.
A feasible system ends in the ``theta`` of largest margin: ``1 / |theta|`` is the largest
``t`` with ``r . theta >= t`` on all record rows and ``|theta| <= 1``. An infeasible one ends
in multipliers ``lambda >= 0`` of at most ``p + 1`` rows with ``sum lambda_m r_m = 0``: a
certificate (Farkas) that does not depend on how it was found.

Notation: ``Q' R`` factors the active rows (as columns), ``Q`` held by rows so that all loops run
along memory; ``d = Q n`` for an entering row ``n``;
``z``, the part of ``n`` outside their span, is the step; ``decay`` is how fast the multipliers
of the active rows fall along it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FEASIBLE, INFEASIBLE, UNDECIDED = 1, 0, -1

# A unit row this close to the span of the active ones adds no dimension. The certificate is
# verified from scratch afterwards, so this decides speed and never soundness.
_SPAN = 1e-11
_TAKEN = 1e-6  # the same for rows to start from, which can wait
_SLACK = 1e-9
_ROUNDING = 1e-14
_LARGEST = 1e12
_SHORT = 32
_TINY = 1e-140  # a rotation of smaller numbers would underflow


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _slack(row, right, theta):  # type: ignore[no-untyped-def]
    slack = -right
    for k in range(row.shape[0]):
        slack += row[k] * theta[k]
    return slack


@njit(cache=True, nogil=True)
def _most_violated(rows, rhs, wanted, theta, short):  # type: ignore[no-untyped-def]
    """The row of least slack, from the short list if it still holds a violated one.

    A scan of all wanted rows refills the short list with rows among the worst that it met.
    """
    size = 0.0
    for k in range(theta.shape[0]):
        size += theta[k] * theta[k]
    violated = -_SLACK - _ROUNDING * np.sqrt(size)
    worst, where = violated, -1
    for m in range(short.shape[0]):
        if short[m] < 0:
            break
        slack = _slack(rows[short[m]], rhs[short[m]], theta)
        if slack < worst:
            worst, where = slack, short[m]
    if where >= 0:
        return where
    filled, last = 0, violated
    slacks = np.empty(short.shape[0])
    short[:] = -1
    for m in range(wanted.shape[0]):
        slack = _slack(rows[wanted[m]], rhs[wanted[m]], theta)
        if slack >= last:
            continue
        if filled < short.shape[0]:
            place = filled
            filled += 1
        else:
            place = int(np.argmax(slacks))
        short[place], slacks[place] = wanted[m], slack
        if filled == short.shape[0]:
            last = slacks.max()
        if slack < worst:
            worst, where = slack, wanted[m]
    return where


@njit(cache=True, nogil=True)
def _rotate(first, second, c, s):  # type: ignore[no-untyped-def]
    for i in range(first.shape[0]):
        x, y = first[i], second[i]
        first[i] = c * x + s * y
        second[i] = c * y - s * x


@njit(cache=True, nogil=True)
def _drop(Q, R, active, u, q, position):  # type: ignore[no-untyped-def]
    """Remove one active row and make R triangular again."""
    for j in range(position, q - 1):
        active[j] = active[j + 1]
        u[j] = u[j + 1]
        for i in range(j + 2):
            R[i, j] = R[i, j + 1]
    for j in range(position, q - 1):
        a, b = R[j, j], R[j + 1, j]
        h = np.sqrt(a * a + b * b)
        if h <= _TINY:
            continue
        c, s = a / h, b / h
        _rotate(R[j, j : q - 1], R[j + 1, j : q - 1], c, s)
        _rotate(Q[j], Q[j + 1], c, s)


@njit(cache=True, nogil=True)
def _add(Q, R, d, q):  # type: ignore[no-untyped-def]
    """Append a row with coordinates ``d``: rotate its tail into one coordinate."""
    for j in range(Q.shape[0] - 1, q, -1):
        a, b = d[j - 1], d[j]
        h = np.sqrt(a * a + b * b)
        if b == 0.0 or h <= _TINY:
            continue
        d[j - 1], d[j] = h, 0.0
        _rotate(Q[j - 1], Q[j], a / h, b / h)
    for i in range(q + 1):
        R[i, q] = d[i]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _coordinates(Q, row, d):  # type: ignore[no-untyped-def]
    for j in range(Q.shape[0]):
        total = 0.0
        for i in range(Q.shape[0]):
            total += Q[j, i] * row[i]
        d[j] = total


@njit(cache=True, nogil=True)
def _take_up(rows, rhs, start, theta, Q, R, active, u, d, z):  # type: ignore[no-untyped-def]
    """Make independent rows of ``start`` active, and those the optimum over them; how many.

    With all of them tight, ``theta = Q' y`` and ``R u = y`` where ``R' y = b``. Rows of a
    negative multiplier are dropped, the most negative first.
    """
    q = 0
    for m in start:
        _coordinates(Q, rows[m], d)
        length = 0.0
        for j in range(q, Q.shape[0]):
            length += d[j] * d[j]
        if length > _TAKEN * _TAKEN:
            _add(Q, R, d, q)
            active[q] = m
            q += 1
    while q > 0:
        for j in range(q):
            total = rhs[active[j]]
            for k in range(j):
                total -= R[k, j] * z[k]
            z[j] = total / R[j, j]
        worst, where = 0.0, -1
        for j in range(q - 1, -1, -1):
            total = z[j]
            for k in range(j + 1, q):
                total -= R[j, k] * u[k]
            u[j] = total / R[j, j]
            if u[j] < worst:
                worst, where = u[j], j
        if where < 0:
            break
        _drop(Q, R, active, u, q, where)
        q -= 1
    for j in range(q):
        for i in range(Q.shape[0]):
            theta[i] += Q[j, i] * z[j]
    return q


@njit(cache=True, nogil=True)
def least_norm(rows, rhs, wanted, start):  # type: ignore[no-untyped-def]
    """Solve over the wanted rows.

    Parameters
    ----------
    rows, rhs : ndarray of shape (n_rows, n_parameters) and (n_rows,)
    wanted : ndarray of int
    start : ndarray of int
        Wanted rows that may well be active in the end, such as the support of a similar
        question; empty to start from nothing.

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
    p = rows.shape[1]
    theta = np.zeros(p)
    Q, R = np.eye(p), np.zeros((p, p))
    active = np.empty(p + 1, np.int64)
    u = np.zeros(p + 1)
    d, decay, z = np.empty(p), np.empty(p + 1), np.empty(p)
    short = np.full(_SHORT, -1)
    q = _take_up(rows, rhs, start, theta, Q, R, active, u, d, z)
    for _ in range(100 * (p + 10)):
        entering = _most_violated(rows, rhs, wanted, theta, short)
        if entering < 0:
            return FEASIBLE, theta, active[:q].copy(), u[:q].copy()
        u_entering = 0.0
        while True:
            _coordinates(Q, rows[entering], d)
            length = 0.0
            for j in range(q, p):
                length += d[j] * d[j]
            for j in range(q - 1, -1, -1):
                total = d[j]
                for k in range(j + 1, q):
                    total -= R[j, k] * decay[k]
                decay[j] = total / R[j, j]
            partial, leaving = np.inf, -1
            for j in range(q):
                if decay[j] > 1e-14 and u[j] / decay[j] < partial:
                    partial, leaving = u[j] / decay[j], j
            full = np.inf
            if length > 0.0:
                full = max(-_slack(rows[entering], rhs[entering], theta), 0.0) / length
            # spanned, or so nearly that no parameters of a margin above ties get there
            spanned = length <= _SPAN * _SPAN or full * np.sqrt(length) > _LARGEST
            if spanned and leaving < 0:
                support = np.empty(q + 1, np.int64)
                multipliers = np.empty(q + 1)
                for j in range(q):
                    support[j], multipliers[j] = active[j], max(-decay[j], 0.0)
                support[q], multipliers[q] = entering, 1.0
                return INFEASIBLE, theta, support, multipliers
            if spanned:
                full = np.inf
            else:
                z[:] = 0.0
                for j in range(q, p):
                    for i in range(p):
                        z[i] += Q[j, i] * d[j]
            step = min(partial, full)
            for j in range(q):
                u[j] = max(u[j] - step * decay[j], 0.0)
            u_entering += step
            if not spanned:
                for i in range(p):
                    theta[i] += step * z[i]
            if full <= partial:
                _add(Q, R, d, q)
                active[q], u[q] = entering, u_entering
                q += 1
                break
            _drop(Q, R, active, u, q, leaving)
            q -= 1
    return UNDECIDED, theta, active[:q].copy(), u[:q].copy()


@njit(cache=True, nogil=True)
def thin_out(rows, rhs, wanted, groups, n_groups):  # type: ignore[no-untyped-def]
    """Leave out groups of rows, the last first, while the others stay infeasible together.

    Parameters
    ----------
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
    witnesses = np.zeros((n_groups, rows.shape[1]))
    alive = np.ones(n_groups, np.bool_)
    support, multipliers = np.empty(0, np.int64), np.empty(0)
    group_of = np.full(rows.shape[0], -1)
    for m in range(wanted.shape[0]):
        group_of[wanted[m]] = groups[m]
    chosen = np.empty(wanted.shape[0], np.int64)
    start = support
    for spared in range(n_groups - 1, -1, -1):
        if not alive[spared]:
            continue
        alive[spared] = False
        size = 0
        for m in range(wanted.shape[0]):
            if groups[m] < 0 or alive[groups[m]]:
                chosen[size] = wanted[m]
                size += 1
        left = np.array([m for m in start if group_of[m] < 0 or alive[group_of[m]]], np.int64)
        status, theta, found, weights = least_norm(rows, rhs, chosen[:size], left)
        if status != INFEASIBLE:
            alive[spared] = True
            witnesses[spared] = theta
            continue
        support, multipliers = found, weights
        start = found
        needed = np.zeros(n_groups, np.bool_)
        for m in range(found.shape[0]):
            if weights[m] > 0.0 and group_of[found[m]] >= 0:
                needed[group_of[found[m]]] = True
        for g in range(n_groups):
            alive[g] = alive[g] and needed[g]
    return support, multipliers, alive, witnesses
