"""Trees of both files for one distance, for searches with prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.search.index import DistancePairs
from sklearn_reclink.search.priced.search import PricedSearch
from sklearn_reclink.search.priced.tree import build, over_nodes


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Two files in the coordinates of a distance that trees can bound.

    Attributes
    ----------
    model : tuple
        The distance as plain arrays.
    bounding, exact : sequence of two ndarrays of shape (n_records, n_coordinates)
        Original and masked file, in the coordinates of the bound and of the distance.
    scales : ndarray of shape (n_coordinates,)
        How much a unit of each coordinate of the bound matters.
    relative, absolute : float
        How far ties reach beyond a distance ``d``: ``min(relative * d, absolute)``.
    flipped_model : tuple or None
        The distance for searches among the original records, if it is not symmetric.
    cut : sequence of two ndarrays of shape (n_records, n_cut), or None
        Coordinates whose longest sides are cut, if others than those of the bound, scaled.
    classes : sequence of two ndarrays of int of shape (n_records, n_categories), or None
        Classes of the categories whose sets boxes know (`mixed_tables`).
    """

    model: Any
    bounding: Sequence[np.ndarray]
    exact: Sequence[np.ndarray]
    scales: np.ndarray
    relative: float = 0.0
    absolute: float = 0.0
    flipped_model: Any = None
    cut: Sequence[np.ndarray] | None = None
    classes: Sequence[np.ndarray] | None = None


def plant(
    found: Coordinates, *, flipped: bool = False, distinct: bool = True, leaf: int = 16
) -> PricedSearch:
    """The search of the masked records of every original record, all prices 0.

    Parameters
    ----------
    found : Coordinates
    flipped : bool, default=False
        Search the original records of every masked record instead.
    distinct : bool, default=True
        Whether equal records are one point, with one price.
    leaf : int, default=16
        Points of a leaf.
    """
    asked, held = (1, 0) if flipped else (0, 1)
    exact = found.exact[held]
    first, groups = np.arange(len(exact)), np.arange(len(exact))
    if distinct:
        first, groups = distinct_rows(exact + 0.0)  # no -0
    tree = build(
        found.bounding[held][first],
        found.scales,
        exact=None if found.bounding[held] is exact else exact[first],
        counts=np.bincount(groups, minlength=len(first)),
        cut=None if found.cut is None else found.cut[held][first],
        leaf=leaf,
    )
    model = found.model if found.flipped_model is None or not flipped else found.flipped_model
    if found.classes is not None:
        bits = np.uint64(1) << found.classes[held][first][tree.rows]
        model = model._replace(sets=over_nodes(np.bitwise_or, bits, tree.begin))
    nothing = np.zeros(len(first)), np.zeros(len(tree.begin))
    return PricedSearch(
        model,
        tree,
        found.bounding[asked],
        found.exact[asked],
        groups,
        *nothing,
        relative=found.relative,
        absolute=found.absolute,
    )


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of every kind of rows that are equal as bytes, and the kind of every row."""
    if rows.shape[1] == 0:
        return np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    whole = np.ascontiguousarray(rows)
    as_bytes = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    _, first, groups = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, groups


def coordinates_of(pairs: DistancePairs) -> Coordinates | None:
    """The coordinates of a distance that a tree can bound, else None."""
    found = pairs.family.formula(pairs.theta)
    if found is None or not found.weights.any() or found.is_mixed:
        return None
    from sklearn_reclink.search.priced.formulas import FormulaModel
    from sklearn_reclink.search.tree.formulas import tolerance_of

    files: Sequence[np.ndarray] = (pairs.original, pairs.masked)
    tolerance = tolerance_of(found, *files)
    if not np.isfinite(min(tolerance.relative, tolerance.absolute)):
        return None
    bounding, scales = files, np.ones(pairs.masked.shape[1])
    if found.root.size:
        centre = pairs.masked.mean(axis=0)
        bounding = [(file - centre) @ found.root for file in files]
        scales = np.sqrt(found.weights)
    elif len(found.weights) == len(scales):
        scales = np.sqrt(np.maximum(found.weights, 0.0))
    parts = found.bound, found.weights, found.distance, found.theta, found.terms
    model = FormulaModel(*parts, *tolerance)
    return Coordinates(model, bounding, files, scales, tolerance.relative, tolerance.absolute)
