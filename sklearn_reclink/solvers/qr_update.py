"""The factors ``Q' R`` of the active rows, updated as a row enters or leaves (compiled).

The active rows are the columns of ``Q' R``; ``Q`` is orthogonal, held by rows so that all loops run
along memory, and ``R`` upper triangular. Rows enter and leave by Givens rotations.
"""

from typing import Any

import numpy as np
from numba import njit

# Of kernels that only other kernels call: they need no entry for Python, and no cache of their own.
INTERNAL: dict[str, Any] = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_TINY = 1e-140  # a rotation of smaller numbers would underflow


@njit(**INTERNAL)
def _rotate(matrix, i, n, c, s):  # type: ignore[no-untyped-def]
    """Rotate the first ``n`` entries of rows ``i`` and ``i + 1`` of a matrix."""
    for j in range(n):
        x, y = matrix[i, j], matrix[i + 1, j]
        matrix[i, j] = c * x + s * y
        matrix[i + 1, j] = c * y - s * x


@njit(**INTERNAL)
def drop(Q, R, active, u, q, position):  # type: ignore[no-untyped-def]
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
        _rotate(R, j, q - 1, c, s)  # what it makes below the diagonal is never read
        _rotate(Q, j, Q.shape[0], c, s)


@njit(**INTERNAL)
def add(Q, R, d, q):  # type: ignore[no-untyped-def]
    """Append a row with coordinates ``d``: rotate its tail into one coordinate."""
    for j in range(Q.shape[0] - 1, q, -1):
        a, b = d[j - 1], d[j]
        h = np.sqrt(a * a + b * b)
        if b == 0.0 or h <= _TINY:
            continue
        d[j - 1], d[j] = h, 0.0
        _rotate(Q, j - 1, Q.shape[0], a / h, b / h)
    for i in range(q + 1):
        R[i, q] = d[i]


@njit(fastmath={"reassoc", "contract"}, **INTERNAL)
def coordinates(Q, rows, m, d):  # type: ignore[no-untyped-def]
    """Fill in ``d = Q rows[m]``."""
    for j in range(Q.shape[0]):
        total = 0.0
        for i in range(Q.shape[0]):
            total += Q[j, i] * rows[m, i]
        d[j] = total
