"""The nearest masked record by a quadratic form, compiled.

With ``M`` symmetric, ``(a - b)'M(a - b) = a'Ma - 2 a'Mb + b'Mb``. The first term is the same for
all candidates of a record and is left out; the last is the same for all records.
"""

import numpy as np
from numba import njit

LANES = 16  # least values that are found side by side


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def nearest_others(matrices, original, columns, own):  # type: ignore[no-untyped-def]
    """Of each record the nearest candidate but its own, and how much farther it is.

    Parameters
    ----------
    matrices : ndarray of shape (n_matrices, n_features, n_features)
    original : ndarray of shape (n_records, n_features)
    columns : ndarray of shape (n_features, n_masked)
        The candidates, a variable at a time.
    own : ndarray of int of shape (n_records,)

    Returns
    -------
    impostors, margins : ndarray of shape (n_matrices, n_records)
    terms : float
        No distance here has larger terms in sum, whatever their signs.
    """
    n_features, n_masked = columns.shape
    shape = (matrices.shape[0], original.shape[0])
    impostors, margins = np.empty(shape, np.int64), np.empty(shape)
    n_padded = -(-n_masked // LANES) * LANES
    norms, values, part = np.empty(n_masked), np.full(n_padded, np.inf), np.empty(LANES)
    size, terms = np.zeros(n_features), 0.0
    for k in range(n_features):
        for j in range(n_masked):
            size[k] = max(size[k], abs(columns[k, j]))
        largest = 0.0
        for i in range(shape[1]):
            largest = max(largest, abs(original[i, k]))
        size[k] += largest
    for t in range(shape[0]):
        norms[:] = 0.0
        total = 0.0
        for k in range(n_features):
            for m in range(n_features):
                entry = matrices[t, k, m]
                total += abs(entry) * size[k] * size[m]
                for j in range(n_masked):
                    norms[j] += entry * columns[k, j] * columns[m, j]
        terms = max(terms, total)
        for i in range(shape[1]):
            for j in range(n_masked):
                values[j] = norms[j]
            for k in range(n_features):
                slope = 0.0
                for m in range(n_features):
                    slope -= 2.0 * matrices[t, k, m] * original[i, m]
                for j in range(n_masked):
                    values[j] += slope * columns[k, j]
            own_value = values[own[i]]
            values[own[i]] = np.inf
            part[:] = np.inf
            for j in range(0, n_padded, LANES):
                for lane in range(LANES):
                    part[lane] = min(part[lane], values[j + lane])
            least = np.inf
            for lane in range(LANES):
                least = min(least, part[lane])
            nearest = 0
            while values[nearest] != least:
                nearest += 1
            impostors[t, i] = nearest
            margins[t, i] = least - own_value
    return impostors, margins, terms
