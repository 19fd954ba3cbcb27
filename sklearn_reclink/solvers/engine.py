"""Can these rows be satisfied together? The compiled feasibility engine.

Given unit rows ``r`` of records (right-hand side 1) and of the domain (right-hand side 0)::

    minimise  |theta|^2 / 2   subject to   r_m . theta >= b_m   for all m

by the dual active-set method of Goldfarb and Idnani (1983) with the identity as Hessian.
A feasible system ends in the ``theta`` of largest margin: ``1 / |theta|`` is the largest
``t`` with ``r . theta >= t`` on all record rows and ``|theta| <= 1``. An infeasible one ends
in multipliers ``lambda >= 0`` of at most ``p + 1`` rows with ``sum lambda_m r_m = 0``: a
certificate (Farkas) that does not depend on how it was found.

Notation: ``Q R`` factors the active rows (as columns); ``d = Q' n`` for an entering row ``n``;
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
_SLACK = 1e-9


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _most_violated(rows, rhs, wanted, theta):  # type: ignore[no-untyped-def]
    worst, where = np.inf, -1
    p = rows.shape[1]
    for m in range(wanted.shape[0]):
        index = wanted[m]
        slack = -rhs[index]
        for k in range(p):
            slack += rows[index, k] * theta[k]
        if slack < worst:
            worst, where = slack, index
    return worst, where


@njit(cache=True, nogil=True)
def _drop(Q, R, active, u, q, position):  # type: ignore[no-untyped-def]
    """Remove one active row and make R triangular again."""
    p = Q.shape[0]
    for j in range(position, q - 1):
        active[j] = active[j + 1]
        u[j] = u[j + 1]
        for i in range(j + 2):
            R[i, j] = R[i, j + 1]
    for j in range(position, q - 1):
        a, b = R[j, j], R[j + 1, j]
        if b == 0.0:
            continue
        h = np.hypot(a, b)
        c, s = a / h, b / h
        for k in range(j, q - 1):
            x, y = R[j, k], R[j + 1, k]
            R[j, k] = c * x + s * y
            R[j + 1, k] = c * y - s * x
        for i in range(p):
            x, y = Q[i, j], Q[i, j + 1]
            Q[i, j] = c * x + s * y
            Q[i, j + 1] = c * y - s * x


@njit(cache=True, nogil=True)
def _add(Q, R, d, q):  # type: ignore[no-untyped-def]
    """Append a row with coordinates ``d``: rotate its tail into one coordinate."""
    p = Q.shape[0]
    for j in range(p - 1, q, -1):
        b = d[j]
        if b == 0.0:
            continue
        a = d[j - 1]
        h = np.hypot(a, b)
        c, s = a / h, b / h
        d[j - 1], d[j] = h, 0.0
        for i in range(p):
            x, y = Q[i, j - 1], Q[i, j]
            Q[i, j - 1] = c * x + s * y
            Q[i, j] = c * y - s * x
    for i in range(q + 1):
        R[i, q] = d[i]


@njit(cache=True, nogil=True)
def least_norm(rows, rhs, wanted):  # type: ignore[no-untyped-def]
    """Solve over the wanted rows.

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
    q = 0
    for _ in range(100 * (p + 10)):
        slack, entering = _most_violated(rows, rhs, wanted, theta)
        if entering < 0 or slack >= -_SLACK:
            return FEASIBLE, theta, active[:q].copy(), u[:q].copy()
        u_entering = 0.0
        while True:
            for j in range(p):
                total = 0.0
                for i in range(p):
                    total += Q[i, j] * rows[entering, i]
                d[j] = total
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
            spanned = length <= _SPAN * _SPAN
            if spanned and leaving < 0:
                support = np.empty(q + 1, np.int64)
                multipliers = np.empty(q + 1)
                for j in range(q):
                    support[j], multipliers[j] = active[j], max(-decay[j], 0.0)
                support[q], multipliers[q] = entering, 1.0
                return INFEASIBLE, theta, support, multipliers
            full = np.inf
            if not spanned:
                for i in range(p):
                    total = 0.0
                    for j in range(q, p):
                        total += Q[i, j] * d[j]
                    z[i] = total
                slack = -rhs[entering]
                for i in range(p):
                    slack += rows[entering, i] * theta[i]
                full = max(-slack, 0.0) / length
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
