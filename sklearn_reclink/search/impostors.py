"""The nearest impostors of some records, from one tree for all parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink.families import Distance
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree_search import formula_of

if TYPE_CHECKING:
    from sklearn_reclink.search.tree import Tree


def nearest_impostors(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    tree: Tree,
    records: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest impostor of each record, and how much farther it is than the own record.

    Parameters
    ----------
    distance, theta
        A monotone distance.
    original, masked : ndarray of shape (n_records, n_features), (n_masked, n_features)
    tree : Tree
        Of the masked records as they are.
    records : ndarray of int of shape (n_asked,)

    Returns
    -------
    impostors : ndarray of int of shape (n_asked,)
    margins : ndarray of shape (n_asked,)
        Less what the rule of `ties` demands: at most 0 for a tie.
    """
    from sklearn_reclink.search.tree import distances_to, nearest_points

    aggregation = distance.aggregation(theta, original.shape[1])
    assert aggregation is not None and aggregation.root is None, "the distance is not monotone"
    formula = formula_of(aggregation, original, masked)
    queries = original[records]
    nobody = np.full(len(records), -1, dtype=np.int64)
    rows, values, magnitudes, _ = nearest_points(
        tree, formula, queries, queries, nobody, records, 1
    )
    own, own_magnitudes = distances_to(tree, formula, queries, records)
    demanded = TIE_TOLERANCE * (magnitudes[:, 0] + own_magnitudes)
    return rows[:, 0], values[:, 0] - own - demanded
