"""Down a tree to the leaves that a query may have to look at.

What a walk calls for a leaf or a point has one way out and raises nothing: the compiler then leaves
out the counting of references to arrays, which would take longer than the arithmetic.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from sklearn_reclink.families.formula import Formula
from sklearn_reclink.search.tree.building import Tree
from sklearn_reclink.search.tree.formulas import bound_of_box
from sklearn_reclink.search.tree.mixed import (
    NOWHERE,
    bound_in_pattern,
    bound_of_mixed_box,
    distance_of,
    enter,
    nowhere,
)


def njit_named(name: str, **options: Any) -> Callable[[Any], Any]:
    """Compile a function that is made several times, each with a name of its own.

    The names of compiled code count from 1 in every process: functions of one name that two
    processes had cached would be taken for each other by a third. A function that is made may close
    over numbers only: the cache knows it by what it closes over, and would never find one again
    that closes over compiled functions.
    """

    def compiled(function: Any) -> Any:
        function.__qualname__ += f"_{name}"
        return njit(cache=True, nogil=True, **options)(function)

    return compiled


# The choice of the nearer child is written out in each walk: as a function of its own, even an
# inlined one, it makes a walk take 1.6 times as long.


@njit(cache=True, nogil=True, forceinline=True)
def _next_plain_leaf(
    right: Any, low: Any, high: Any, bound: int, weights: Any, queries: Any, i: int, limit: float,
    stack: Any, bounds: Any, top: int, c: Any, order: Any,
) -> Any:  # fmt: skip
    """Pop the stack down to the next leaf within the limit: the leaf, or -1, and the top."""
    node = -1
    while top > 0 and node < 0:
        top -= 1
        if bounds[top] > limit:
            continue
        node = stack[top]
        while right[node] != 0:
            near, far = node + 1, right[node]
            near_bound = bound_of_box(bound, weights, queries, i, low, high, near, c, order)
            far_bound = bound_of_box(bound, weights, queries, i, low, high, far, c, order)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if near_bound > limit:
                node = -1
                break
            if far_bound <= limit:
                stack[top] = far
                bounds[top] = far_bound
                top += 1
            node = near
    return node, top


@njit(cache=True, nogil=True, forceinline=True)
def _next_mixed_leaf(
    right: Any, low: Any, high: Any, bound: int, weights: Any, queries: Any, i: int, limit: float,
    stack: Any, bounds: Any, top: int, c: Any, order: Any, extra: Any, caps: Any, pattern: Any,
    boxes: Any, codes: Any, query: Any, scale: Any, bits: Any, inside: Any, variables: Any,
) -> Any:  # fmt: skip
    """The same in a mixed file; the pattern of the leaf is entered."""
    node = -1
    while top > 0 and node < 0:
        top -= 1
        if bounds[top] > limit:
            continue
        node = stack[top]
        while pattern[node] < 0 and right[node] != 0:
            # those who lack a value are on the left: the few, if it costs nothing
            near, far = right[node], node + 1
            near_bound = bound_of_mixed_box(
                bound, weights, queries, i, low, high, near, c, order, extra, caps
            )
            far_bound = bound_of_mixed_box(
                bound, weights, queries, i, low, high, far, c, order, extra, caps
            )
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if near_bound > limit:
                node = -1
                break
            if far_bound <= limit:
                stack[top] = far
                bounds[top] = far_bound
                top += 1
            node = near
        if node < 0:
            continue
        if pattern[node] != inside[0]:
            enter(
                bound, weights, queries, i, low, high, node, extra, caps, pattern[node], query,
                scale, bits, inside, variables,
            )  # fmt: skip
        cost, n_varying = scale[query.shape[0]], inside[1]
        while right[node] != 0:
            near, far = node + 1, right[node]
            near_bound = bound_in_pattern(
                bound, weights, queries, i, low, high, boxes, codes, near, c, order, extra, caps,
                query, scale, bits, inside, variables, cost, n_varying,
            )  # fmt: skip
            far_bound = bound_in_pattern(
                bound, weights, queries, i, low, high, boxes, codes, far, c, order, extra, caps,
                query, scale, bits, inside, variables, cost, n_varying,
            )  # fmt: skip
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if near_bound > limit:
                node = -1
                break
            if far_bound <= limit:
                stack[top] = far
                bounds[top] = far_bound
                top += 1
            node = near
    return node, top


@njit(cache=True, nogil=True, forceinline=True)
def next_leaf(
    mixed: bool | None, right: Any, low: Any, high: Any, bound: int, weights: Any, queries: Any,
    i: int, limit: float, stack: Any, bounds: Any, top: int, c: Any, order: Any, extra: Any,
    caps: Any, pattern: Any, boxes: Any, codes: Any, query: Any, scale: Any, bits: Any, inside: Any,
    variables: Any,
) -> Any:  # fmt: skip
    """The next leaf in a file of numbers, or in a mixed one."""
    if mixed is None:
        node, top = _next_plain_leaf(
            right, low, high, bound, weights, queries, i, limit, stack, bounds, top, c, order
        )
    else:
        node, top = _next_mixed_leaf(
            right, low, high, bound, weights, queries, i, limit, stack, bounds, top, c, order,
            extra, caps, pattern, boxes, codes, query, scale, bits, inside, variables,
        )  # fmt: skip
    return node, top


def _loops(mixed: bool | None) -> tuple[Any, Any]:
    """Two loops over queries, compiled for one kind of file."""
    name = "mixed" if mixed else "plain"

    @njit_named(name)
    def first_leaves(tree: Any, formula: Any, queries: Any) -> Any:
        n_queries, n_features = queries.shape
        leaves = np.empty(n_queries, np.int64)
        stack, bounds = np.zeros(tree.depth + 1, np.int64), np.zeros(tree.depth + 1)
        c, order = np.empty(n_features), np.empty(n_features, np.int64)
        right, low, high = tree.right, tree.low, tree.high
        bound, weights, extra, caps = formula.bound, formula.weights, formula.extra, formula.caps
        query, scale, bits, inside, variables = nowhere(n_features, caps, extra.shape[0])
        for i in range(n_queries):
            inside[0] = NOWHERE
            stack[0] = 0
            bounds[0] = 0.0
            leaves[i], _ = next_leaf(
                mixed, right, low, high, bound, weights, queries, i, np.inf, stack, bounds, 1, c,
                order, extra, caps, tree.pattern, tree.boxes, tree.codes, query, scale, bits,
                inside, variables,
            )  # fmt: skip
        return leaves

    @njit_named(name)
    def distances(tree: Any, formula: Any, exact: Any, rows: Any) -> Any:
        n_queries, n_exact = exact.shape
        values, magnitudes = np.empty(n_queries), np.empty(n_queries)
        c = np.empty(n_exact)
        order = np.empty(n_exact, np.int64)
        place, located = tree.place, tree.exact
        kind, bound, theta, terms = formula.distance, formula.bound, formula.theta, formula.terms
        extra, caps = formula.extra, formula.caps
        for i in range(n_queries):
            values[i], magnitudes[i] = distance_of(
                mixed, kind, bound, theta, terms, exact, i, located, place[rows[i]], c, order,
                extra, caps,
            )  # fmt: skip
        return values, magnitudes

    return first_leaves, distances


_LOOPS = _loops(mixed=None), _loops(mixed=True)


def leaf_of(tree: Tree, formula: Formula, queries: np.ndarray) -> np.ndarray:
    """The leaf that the walk of every query reaches first."""
    return np.asarray(_LOOPS[formula.is_mixed][0](tree, formula, queries))


def distances_to(
    tree: Tree, formula: Formula, exact: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Distance and magnitude of every query and the row named beside it."""
    found: tuple[np.ndarray, np.ndarray] = _LOOPS[formula.is_mixed][1](tree, formula, exact, rows)
    return found
