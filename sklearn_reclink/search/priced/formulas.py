"""Distances of families for the walk with prices: the formulas of `search.tree`.

The bound of a box is lowered by what rounding and ties may move (`tree.formulas`), so that no point
that could be tied is left out.
"""

from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.search.priced.walk import use
from sklearn_reclink.search.tree.formulas import bound_of_box, distance_of


class FormulaModel(NamedTuple):
    """What the walk takes of a `Formula`, and its `Tolerance`."""

    bound: int
    weights: np.ndarray
    distance: int
    theta: np.ndarray
    terms: np.ndarray
    relative: float
    absolute: float
    rounding: float


def _bound_of_box(
    model: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any, order: Any
) -> Any:
    n = queries.shape[1]
    value = bound_of_box(model.bound, model.weights, queries, i, low, high, node, c[:n], order)
    if model.rounding > 0:
        root = max(np.sqrt(value) - model.rounding, 0.0)
        value = root * root
    return value - min(model.absolute, model.relative * value)


def _value_of_point(
    model: Any, exact: Any, i: int, points: Any, p: int, cut: float, c: Any, order: Any
) -> Any:
    n = points.shape[1]
    return distance_of(
        model.distance, model.bound, model.theta, model.terms, exact, i, points, p, c[:n], order
    )


use(FormulaModel, _bound_of_box, _value_of_point)
