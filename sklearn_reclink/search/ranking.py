"""The order of candidates, ties included.

Repeat: the nearest candidate not yet ranked, the lowest row among equals, leads; it and all that
it is not strictly nearer than come next, in the order of their rows.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.search.ties import strictly_nearer


def rank(
    values: np.ndarray, magnitudes: np.ndarray, rows: np.ndarray, n_neighbors: int
) -> np.ndarray:
    """Positions of the first candidates of one record, in their order.

    Parameters
    ----------
    values, magnitudes : ndarray of shape (n_candidates,)
    rows : ndarray of int of shape (n_candidates,)
    n_neighbors : int

    Returns
    -------
    ndarray of int of shape (n_neighbors,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.ranking import rank
    >>> values = np.array([0.3, 0.1 + 0.2, 0.1])
    >>> rank(values, values, np.array([8, 5, 9]), 3)
    array([2, 1, 0])
    """
    last = np.partition(values, n_neighbors - 1)[n_neighbors - 1]
    # no leader is beyond the last, so none of the others is tied with a leader
    largest = magnitudes[values <= last].max()
    left = np.flatnonzero(~strictly_nearer(last, largest, values, magnitudes))
    left = left[np.lexsort((rows[left], values[left]))]
    ranked: list[int] = []
    while len(ranked) < n_neighbors:
        leader = left[0]
        tied = ~strictly_nearer(values[leader], magnitudes[leader], values[left], magnitudes[left])
        together = left[tied]
        ranked.extend(together[np.argsort(rows[together])])
        left = left[~tied]
    return np.array(ranked[:n_neighbors], dtype=np.intp)
