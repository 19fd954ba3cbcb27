"""Which subsets of a lattice to draw, which lines between them, and where.

Of a large lattice a part is drawn: subsets that weigh enough, or whose Moebius coefficient is
large enough, and always the set of all variables. Lines join a subset to the smallest subsets drawn
that contain it; on the whole lattice these are the steps of one variable.
"""

import numpy as np

from sklearn_reclink.capacity import capacity_to_mobius, n_variables, subset_sizes

# A row of more subsets than this is drawn as two, one a little above the other.
MAX_IN_ROW = 10


def choose_subsets(
    capacity: np.ndarray, by: str, threshold: float | None, max_nodes: int
) -> np.ndarray:
    """Subsets to draw, by dyadic index: at most ``max_nodes`` that reach the threshold.

    Among equals, smaller subsets come first: they are what the larger ones owe their weight to.
    """
    score = capacity if by == "capacity" else np.abs(capacity_to_mobius(capacity))
    if threshold is None:
        threshold = 0.0 if by == "capacity" else 1e-9
    full = len(capacity) - 1
    reach = np.flatnonzero(score[:full] >= threshold)
    sizes = subset_sizes(n_variables(capacity))
    # rounding must not decide which of two equal weights is drawn
    order = np.lexsort([reach, sizes[reach], -score[reach].round(9)])
    return np.sort(np.append(reach[order[: max_nodes - 1]], full))


def cover_edges(subsets: np.ndarray) -> np.ndarray:
    """Pairs of positions ``(a, b)`` in ``subsets``, a within b and nothing drawn in between."""
    within = (subsets[:, None] & subsets == subsets[:, None]) & (subsets[:, None] != subsets)
    steps = within.astype(np.float32)
    return np.argwhere(within & ~(steps @ steps > 0))


def place(subsets: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Positions of subsets: rows by size, the smallest at the bottom, and few crossings.

    Returns
    -------
    x, y : ndarray of shape (n_subsets,)
        Columns are 1 apart in the widest row, rows 1 apart.
    sizes : list of int
        Size of the subsets of each row, from the bottom.
    """
    sizes = np.bitwise_count(subsets).astype(int)
    present = sorted(set(sizes.tolist()))
    rows = [np.flatnonzero(sizes == size) for size in present]
    widest = max(len(row) if len(row) <= MAX_IN_ROW else len(row) / 2 + 0.5 for row in rows)
    x = np.zeros(len(subsets))
    for row in rows:
        x[row] = _spread(len(row), widest)
    neighbours = [
        np.concatenate([edges[edges[:, 0] == a, 1], edges[edges[:, 1] == a, 0]])
        for a in range(len(subsets))
    ]
    for sweep in (rows, rows[::-1]) * 3:
        for row in sweep:
            pull = [x[neighbours[a]].mean() if len(neighbours[a]) else x[a] for a in row]
            x[row[np.argsort(np.round(pull, 9), kind="stable")]] = _spread(len(row), widest)
    y = np.searchsorted(present, sizes).astype(float)
    for row in rows:
        if len(row) > MAX_IN_ROW:
            y[row[np.argsort(x[row])]] += 0.17 * (-1.0) ** np.arange(len(row))
    return x, y, present


def _spread(n_nodes: int, widest: float) -> np.ndarray:
    """Even positions around 0, as far apart as a row of the width allows, at most 2."""
    step = (widest - 1) / max(n_nodes - 1, 1)
    if n_nodes <= MAX_IN_ROW:
        step = np.clip(step, 1.0, 2.0)
    return np.asarray((np.arange(n_nodes) - (n_nodes - 1) / 2) * step)
