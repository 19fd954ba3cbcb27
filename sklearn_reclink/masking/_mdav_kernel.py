"""The loops of MDAV, compiled. Imported on first use, because numba is slow to import.

``Z`` holds the records not yet grouped in its first ``m`` columns, one variable a row, in
their original order: the first of equals is then the lowest row index. Squared distances to
the centroid ``S / m`` are compared as ``|m z - S|^2``, which has no division in it, so ties
between integer values are seen as ties.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def _squared_distances(Z, m, scale, point, distance):  # type: ignore[no-untyped-def]
    distance[:m] = 0.0
    for c in range(Z.shape[0]):
        z = Z[c]
        target = point[c]
        for i in range(m):
            gap = scale * z[i] - target
            distance[i] += gap * gap


@njit(cache=True)
def _farthest(distance, m):  # type: ignore[no-untyped-def]
    best = 0
    for i in range(1, m):
        if distance[i] > distance[best]:
            best = i
    return best


@njit(cache=True)
def _nearest(distance, m, members, nearest):  # type: ignore[no-untyped-def]
    last = members.size - 1
    nearest[:] = np.inf
    for i in range(m):
        value = distance[i]
        if value < nearest[last]:
            t = last
            while t > 0 and nearest[t - 1] > value:
                nearest[t] = nearest[t - 1]
                members[t] = members[t - 1]
                t -= 1
            nearest[t] = value
            members[t] = i


@njit(cache=True)
def group(Z, k):  # type: ignore[no-untyped-def]
    """Label each column of ``Z`` with its group; ``Z`` is overwritten."""
    n_features, n_records = Z.shape
    labels = np.empty(n_records, np.int64)
    rows = np.arange(n_records)
    distance = np.empty(n_records)
    point = np.empty(n_features)
    members = np.empty(k, np.int64)
    nearest = np.empty(k)
    label = 0
    m = n_records

    while m >= 2 * k:
        n_new = 2 if m >= 3 * k else 1
        for c in range(n_features):
            point[c] = Z[c, :m].sum()
        _squared_distances(Z, m, float(m), point, distance)
        seed = _farthest(distance, m)

        for _ in range(n_new):
            point[:] = Z[:, seed]
            _squared_distances(Z, m, 1.0, point, distance)
            # the seed, being the first of its equals, is among its own nearest
            _nearest(distance, m, members, nearest)
            for i in members:
                labels[rows[i]] = label
                distance[i] = -1.0
            label += 1

            # s is the farthest from r of the records that r's group leaves
            farthest = _farthest(distance, m)
            kept = 0
            for i in range(m):
                if distance[i] >= 0.0:
                    if i == farthest:
                        seed = kept
                    for c in range(n_features):
                        Z[c, kept] = Z[c, i]
                    rows[kept] = rows[i]
                    kept += 1
            m = kept

    labels[rows[:m]] = label
    return labels
