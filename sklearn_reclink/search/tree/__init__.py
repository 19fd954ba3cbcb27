"""Exact search among masked records by a KD-tree, for every monotone distance.

The room knows coordinates, an aggregation and the rule of `ties`; no file, no estimator. One tree
serves all parameters: it depends on the points alone::

    tree = build(points)                                    # (n_points, n_features)
    formula = monotone_formula(CHOQUET, capacity)           # or SUM, OWA with n weights
    beaten(tree, formula, queries, own)                     # is someone at most as far as own?
    nearest_impostor(tree, formula, queries, own)           # nearest j != own: rows, distances
    impostors_at_most_as_far(tree, formula, queries, own, listed=20)    # counts, rows

``own`` are rows of ``points``, one a query; distances are squared. A `Tree` and a `Formula` are
named tuples of arrays: they can be pickled, and the compiled functions take them as they are. All
compiled functions release the interpreter's lock.

``formulas`` defines the distances and the bound of a box, ``building`` the tree, ``searching``
the two walks, ``impostors`` the questions above, ``boxes`` one more: is anyone nearer in every
variable? Importing the room imports numba.
"""

from sklearn_reclink.search.tree.boxes import someone_in_box
from sklearn_reclink.search.tree.building import Tree, build
from sklearn_reclink.search.tree.formulas import (
    CHOQUET,
    MOEBIUS,
    OWA,
    QUADRATIC,
    SAME,
    SUM,
    Formula,
    monotone_formula,
    tie_limits,
)
from sklearn_reclink.search.tree.impostors import beaten, impostors_at_most_as_far, nearest_impostor
from sklearn_reclink.search.tree.walks import at_most_as_far, distances_to, leaf_of, nearest_points

__all__ = [
    "CHOQUET",
    "MOEBIUS",
    "OWA",
    "QUADRATIC",
    "SAME",
    "SUM",
    "Formula",
    "Tree",
    "at_most_as_far",
    "beaten",
    "build",
    "distances_to",
    "impostors_at_most_as_far",
    "leaf_of",
    "monotone_formula",
    "nearest_impostor",
    "nearest_points",
    "someone_in_box",
    "tie_limits",
]
