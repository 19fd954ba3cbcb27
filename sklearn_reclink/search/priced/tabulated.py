"""Distances that are sums over coordinates of tabulated functions of ``|a_c - b_c|``, and squares.

``d(a, b) = sum over later coordinates of (a_c - b_c)^2 - sum over the first ones of
g_c(|a_c - b_c|)``, with ``g_c`` linear between the entries of its table and constant beyond them.
The bound of a box takes for ``g_c`` its largest value at the box's least difference or beyond.
"""

from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.search.priced.walk import use


class Tabulated(NamedTuple):
    """Tables of the first coordinates, one after the other."""

    logs: np.ndarray
    ceilings: np.ndarray  # the largest entry at or after each
    starts: np.ndarray  # (n_tables + 1,)
    per_step: np.ndarray  # (n_tables,)
    rest: np.ndarray  # (n_tables + 1,): sum of the largest entries of this table and later ones
    slack: float  # more than rounding can move a distance


def tabulated(logs: list[np.ndarray], steps: np.ndarray) -> Tabulated:
    """Tables as compiled code takes them."""
    highest = np.array([table.max() for table in logs])
    sizes = [len(table) for table in logs]
    ceilings = [np.maximum.accumulate(table[::-1])[::-1] for table in logs]
    everything = [np.zeros(0), *logs]
    return Tabulated(
        np.concatenate(everything),
        np.concatenate([np.zeros(0), *ceilings]),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        1 / np.asarray(steps, dtype=float),
        np.append(np.cumsum(highest[::-1])[::-1], 0.0),
        1e-10 * (1.0 + float(sum(np.abs(table).max() for table in logs))),
    )


def _bound_of_box(
    model: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any, order: Any
) -> Any:
    value = -model.slack
    n_tables = model.per_step.shape[0]
    for k in range(n_tables):
        here = queries[i, k]
        outside = max(low[node, k] - here, here - high[node, k], 0.0) * model.per_step[k]
        start, last = model.starts[k], model.starts[k + 1] - 1
        value -= model.ceilings[last if outside >= last - start else start + int(outside)]
    for k in range(n_tables, low.shape[1]):
        here = queries[i, k]
        outside = max(low[node, k] - here, here - high[node, k], 0.0)
        value += outside * outside
    return value


def _value_of_point(
    model: Any, exact: Any, i: int, points: Any, p: int, cut: float, c: Any, order: Any
) -> Any:
    total = 0.0
    n_tables = model.per_step.shape[0]
    for k in range(n_tables):
        place = abs(exact[i, k] - points[p, k]) * model.per_step[k]
        start, last = model.starts[k], model.starts[k + 1] - 1
        if place >= last - start:
            total += model.logs[last]
        else:
            below = int(place)
            entry = model.logs[start + below]
            total += entry + (place - below) * (model.logs[start + below + 1] - entry)
        if -(total + model.rest[k + 1]) > cut + model.slack:
            return np.inf, np.inf
    squares = 0.0
    for k in range(n_tables, points.shape[1]):
        difference = exact[i, k] - points[p, k]
        squares += difference * difference
    value = -(total - squares)
    return value, abs(value)


use(Tabulated, _bound_of_box, _value_of_point, forceinline=True)
