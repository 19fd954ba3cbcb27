"""Least-cost matching of all rows of a sparse bipartite graph by shortest augmenting paths.

``u_i + v_j <= c_ij`` holds throughout, with equality on matched pairs, ``v_j <= 0``, and
``v_j = 0`` for columns not matched: the certificate of an optimum. Costs are not negative, so
``u = v = 0`` is a start without links. Each row in turn is matched along a path that is shortest in
the reduced costs ``c_ij - u_i - v_j >= 0`` (Dijkstra).
"""

import heapq

import numpy as np
from numba import njit


@njit(cache=True)
def match_rows(
    starts: np.ndarray,
    columns: np.ndarray,
    costs: np.ndarray,
    links: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Match every row that can be; pairs are in compressed rows.

    The start is a matching with its dual, both overwritten: no links and zeros, or what an earlier
    call gave, if every column is matched in the end.

    Returns
    -------
    links : ndarray of int of shape (n_rows,)
        Column of each row, -1 where the pairs leave it none.
    u, v : ndarray of shape (n_rows,), (n_columns,)
        The dual, valid if every row is matched.
    """
    n_rows, n_columns = len(starts) - 1, len(v)
    holder = np.full(n_columns, -1, dtype=np.int64)
    for row in range(n_rows):
        if links[row] >= 0:
            holder[links[row]] = row
    length = np.full(n_columns, np.inf)
    before = np.full(n_columns, -1, dtype=np.int64)
    done = np.zeros(n_columns, dtype=np.bool_)
    for first in range(n_rows):
        if links[first] >= 0:
            continue
        touched = [np.int64(0) for _ in range(0)]
        settled = [np.int64(0) for _ in range(0)]
        heap = [(0.0, np.int64(0)) for _ in range(0)]
        row, reached, end = first, 0.0, -1
        while True:
            for pair in range(starts[row], starts[row + 1]):
                column = columns[pair]
                if done[column]:
                    continue
                through = reached + max(costs[pair] - u[row] - v[column], 0.0)
                if through < length[column]:
                    if length[column] == np.inf:
                        touched.append(column)
                    length[column] = through
                    before[column] = row
                    heapq.heappush(heap, (through, column))
            column = -1
            while len(heap) > 0:
                reached, column = heapq.heappop(heap)
                if not done[column]:
                    break
                column = -1
            if column < 0:
                break
            done[column] = True
            settled.append(column)
            if holder[column] < 0:
                end = column
                break
            row = holder[column]
        if end >= 0:
            u[first] += reached
            for column in settled:
                if column != end:
                    u[holder[column]] += reached - length[column]
                    v[column] -= reached - length[column]
            column = end
            while True:
                row = before[column]
                holder[column] = row
                column, links[row] = links[row], column
                if row == first:
                    break
        for column in touched:
            length[column] = np.inf
            done[column] = False
    return links, u, v
