"""Is a masked record at least as near as the own one in every variable?

Such a record lies in the box ``|a_k - b_k| <= |a_k - own_k|`` around the original record, ties
included: with ``c = (a_k - b_k)^2`` and ``o = (a_k - own_k)^2``, ``c - o <= tolerance (c + o)``.
The walk leaves out the nodes whose box keeps clear of it along some axis, and ends at the first
record found.
"""

from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.search.tree.mixed import squared


@njit(cache=True, nogil=True)
def someone_in_box(tree: Any, queries: Any, own: Any, tolerance: float, caps: Any) -> Any:
    """Whether each query has a row other than its own in its box.

    Parameters
    ----------
    tree : Tree
    queries : array of shape (n_queries, n_features)
        Original records, in the coordinates of the tree.
    own : array of int of shape (n_queries,)
        The row of each query's own record.
    tolerance : float
        Of the rule of `ties`.
    caps : array of shape (n_features,) or (0,)
        Of `families.differences`; empty for a file of numbers.

    Returns
    -------
    array of bool of shape (n_queries,)
    """
    n_queries, n_features = queries.shape
    answers = np.zeros(n_queries, np.bool_)
    stack = np.empty(tree.depth + 2, np.int64)
    reach = np.empty(n_features)
    squares = np.empty(n_features)
    right, low, high, begin, end = tree.right, tree.low, tree.high, tree.begin, tree.end
    points, first, place = tree.exact, tree.first, tree.place
    mixed = caps.shape[0] > 0
    for i in range(n_queries):
        mine = place[own[i]]
        if first[mine + 1] - first[mine] > 1:
            answers[i] = True
            continue
        for k in range(n_features):
            if mixed:
                squares[k] = squared(queries[i, k], points[mine, k], caps[k])
            else:
                squares[k] = (queries[i, k] - points[mine, k]) ** 2
            reach[k] = np.sqrt(squares[k]) * (1 + 4 * tolerance)
        stack[0], top = 0, 1
        while top > 0 and not answers[i]:
            top -= 1
            node = stack[top]
            clear = False
            for k in range(n_features):
                q = queries[i, k]
                if low[node, k] - q > reach[k] or q - high[node, k] > reach[k]:
                    clear = not mixed or caps[k] > reach[k]
                    if clear:
                        break
            if clear:
                continue
            if right[node] != 0:
                stack[top], stack[top + 1] = right[node], node + 1
                top += 2
                continue
            for point in range(begin[node], end[node]):
                if point == mine:
                    continue
                inside = True
                for k in range(n_features):
                    if mixed:
                        other = squared(queries[i, k], points[point, k], caps[k])
                    else:
                        other = (queries[i, k] - points[point, k]) ** 2
                    if other - squares[k] > tolerance * (other + squares[k]):
                        inside = False
                        break
                if inside:
                    answers[i] = True
                    break
    return answers
