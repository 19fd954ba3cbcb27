"""The least ``distance + price`` of every query, best box first.

Boxes wait in a heap by the least value that they can hold. When the next one can hold nothing below
the ``k``-th value found, the answer is exact. A walk that has looked at ``budget`` points ends
early, and says from which value on points may be missing.

*The sum* ``sum_p count_p exp(-value_p / scale)`` over all points goes with it: points looked at are
added as they are, and of a small box left out one point, drawn by a hash, stands for all. Points
and boxes sure to be below ``e^-7`` of the ``k``-th term are not looked at.

*Distances.* The walk is compiled once for each type of ``model``; `use` says which functions are
that of the type. They are chosen by types and not by closures, which numba's cache on disk would
not find again.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

_NEGLECTED = 7.0  # in units of the scale
_TINY = 0.001  # a box that can be no larger part of the sum is left out
_COARSE = 0.01  # one that may be a larger part is divided, a leaf summed up


@njit(cache=True, nogil=True)
def _push(keys: Any, nodes: Any, size: int, key: float, node: int) -> Any:
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place], nodes[place] = keys[parent], nodes[parent]
        place = parent
    keys[place], nodes[place] = key, node


@njit(cache=True, nogil=True)
def _pop(keys: Any, nodes: Any, size: int) -> Any:
    """Take the first of ``size`` entries away, and return it."""
    key, node = keys[0], nodes[0]
    last_key, last_node = keys[size - 1], nodes[size - 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size - 1:
            break
        if child + 1 < size - 1 and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= last_key:
            break
        keys[place], nodes[place] = keys[child], nodes[child]
        place = child
    keys[place], nodes[place] = last_key, last_node
    return key, node


def bound_of_box(
    model: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any, order: Any
) -> Any:
    """At most the distance of query ``i`` and any point of the box."""
    raise NotImplementedError


def value_of_point(
    model: Any, exact: Any, i: int, points: Any, p: int, cut: float, c: Any, order: Any
) -> Any:
    """Distance and magnitude of query ``i`` and a point; beyond ``cut`` it may say infinity."""
    raise NotImplementedError


def use(kind: type, bound: Callable[..., Any], value: Callable[..., Any], **options: Any) -> None:
    """Compile these as `bound_of_box` and `value_of_point` of a type of models, a named tuple.

    ``c`` and ``order`` are room for as many numbers as a record has, the same in all calls with one
    array of queries; ``order`` is -1 at first.
    """
    compiled: Any = {"nogil": True, **options}

    @overload(bound_of_box, jit_options=compiled)
    def choose_bound(
        model: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any, order: Any
    ) -> Any:
        return bound if model.instance_class is kind else None

    @overload(value_of_point, jit_options=compiled)
    def choose_value(
        model: Any, exact: Any, i: int, points: Any, p: int, cut: float, c: Any, order: Any
    ) -> Any:
        return value if model.instance_class is kind else None


@njit(cache=True, nogil=True)
def walk(
    tree: Any, model: Any, queries: Any, exact: Any, prices: Any, node_prices: Any,
    skip: Any, limits: Any, k: int, budget: int, scale: float, depth: float,
) -> Any:  # fmt: skip
    """Places, values and magnitudes of the ``k`` least values of every query, ascending.

    And the value from which on points may be missing, and the logarithm of the sum. Points more
    than ``depth`` above the least value may be missing as well.
    """
    n_queries = queries.shape[0]
    places = np.full((n_queries, k), -1, np.int64)
    values = np.full((n_queries, k), np.inf)
    magnitudes = np.full((n_queries, k), np.inf)
    beyond = np.empty(n_queries)
    sums = np.full(n_queries, -np.inf)
    begin, end, low, high = tree.begin, tree.end, tree.low, tree.high
    located, counts, node_counts = tree.exact, tree.counts, tree.node_counts
    n_nodes = begin.shape[0]
    first_leaf = n_nodes // 2
    keys = np.empty(n_nodes + 1)
    nodes = np.empty(n_nodes + 1, np.int64)
    width = max(queries.shape[1], exact.shape[1])
    c = np.empty(width)
    order = np.full(width, -1)
    summed = scale > 0
    for i in range(n_queries):
        size, looked = 1, 0
        keys[0], nodes[0] = -np.inf, 0
        limit = limits[i]
        least, total = np.inf, 0.0  # the sum, as total * exp(-least / scale)
        ended = np.inf
        while size > 0:
            key, node = _pop(keys, nodes, size)
            size -= 1
            if key > limit or looked >= budget:
                if key <= limit:
                    ended = key
                _push(keys, nodes, size, key, node)
                size += 1
                break
            if node < first_leaf:
                for child in range(2 * node + 1, 2 * node + 3):
                    bound = node_prices[child] + bound_of_box(
                        model, queries, i, low, high, child, c, order
                    )
                    if summed or bound <= limit:
                        _push(keys, nodes, size, bound, child)
                        size += 1
                continue
            looked += end[node] - begin[node]
            for p in range(begin[node], end[node]):
                if p == skip[i]:
                    continue
                cut = limit + _NEGLECTED * scale if summed else limit
                distance, magnitude = value_of_point(
                    model, exact, i, located, p, cut - prices[p], c, order
                )
                value = distance + prices[p]
                if summed and value < np.inf:
                    if value < least:
                        total = total * np.exp((value - least) / scale) + counts[p]
                        least = value
                    else:
                        total += counts[p] * np.exp((least - value) / scale)
                if value <= limit and value < values[i, k - 1]:
                    slot = k - 1
                    while slot > 0 and value < values[i, slot - 1]:
                        values[i, slot] = values[i, slot - 1]
                        magnitudes[i, slot] = magnitudes[i, slot - 1]
                        places[i, slot] = places[i, slot - 1]
                        slot -= 1
                    values[i, slot] = value
                    magnitudes[i, slot] = magnitude + abs(prices[p])
                    places[i, slot] = p
                    limit = min(limit, values[i, k - 1], values[i, 0] + depth)
        beyond[i] = min(limit, ended)
        if summed:
            m = 0
            while m < size:
                bound, node = keys[m], nodes[m]
                mass = node_counts[node] * np.exp((least - bound) / scale)
                if bound > limit + _NEGLECTED * scale or mass < _TINY * total:
                    m += 1
                elif node < first_leaf and mass > _COARSE * total:
                    for child in range(2 * node + 1, 2 * node + 3):
                        place = m if child == 2 * node + 1 else size
                        nodes[place] = child
                        keys[place] = node_prices[child] + bound_of_box(
                            model, queries, i, low, high, child, c, order
                        )
                    size += 1
                else:
                    n_points = end[node] - begin[node]
                    n_drawn, drawn = 1, (i * 40503 + node * 2654435761) % n_points
                    if mass > _COARSE * total:
                        n_drawn, drawn = n_points, 0
                    for p in range(begin[node] + drawn, begin[node] + drawn + n_drawn):
                        value, _ = value_of_point(model, exact, i, located, p, np.inf, c, order)
                        count = counts[p] if n_drawn > 1 else node_counts[node]
                        total += count * np.exp((least - value - prices[p]) / scale)
                    m += 1
            if total > 0:
                sums[i] = np.log(total) - least / scale
    return places, values, magnitudes, beyond, sums


@njit(cache=True, nogil=True)
def distances(tree: Any, model: Any, exact: Any, records: Any, places: Any) -> Any:
    """Distances and magnitudes of pairs of a query and a point."""
    values = np.empty(len(records))
    magnitudes = np.empty(len(records))
    c = np.empty(exact.shape[1])
    order = np.full(exact.shape[1], -1)
    for m in range(len(records)):
        values[m], magnitudes[m] = value_of_point(
            model, exact, records[m], tree.exact, places[m], np.inf, c, order
        )
    return values, magnitudes
