"""Which categories the points of a node hold, as a set of 64 bits.

A category is coded by a multiple of twice its cap (`data.mixed`), and level ``l`` owns bit ``l``
modulo 64. A query whose bit is not in the set of a node is at the cap from all of its points there;
the levels that lie between others and are not in the node are ruled out too, as no interval does.
Of more than 64 levels some share a bit: the bound is then too low, and still a bound.
"""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, forceinline=True, error_model="numpy")
def bit_of(code: float, cap: float) -> Any:
    """The bit of a category; none for a missing one."""
    if code != code:
        return np.uint64(0)
    return np.uint64(1) << np.uint64(int(np.floor(code / (2 * cap) + 0.5)) & 63)


@njit(cache=True, nogil=True)
def codes_of(right: Any, begin: Any, end: Any, points: Any, caps: Any, categories: Any) -> Any:
    """The set of every node and category, (n_nodes, n_categories).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.tree.codes import codes_of
    >>> leaf, points = np.array([0]), np.array([[0.0], [6.0]])
    >>> codes_of(leaf, leaf, np.array([2]), points, np.array([1.0]), np.array([0]))
    array([[9]], dtype=uint64)
    """
    codes = np.zeros((right.shape[0], categories.shape[0]), np.uint64)
    for node in range(right.shape[0] - 1, -1, -1):
        for j in range(categories.shape[0]):
            k = categories[j]
            if right[node] != 0:
                codes[node, j] = codes[node + 1, j] | codes[right[node], j]
                continue
            for p in range(begin[node], end[node]):
                codes[node, j] |= bit_of(points[p, k], caps[k])
    return codes
