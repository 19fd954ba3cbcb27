"""Exact search among masked records by a KD-tree, for every monotone distance.

The room knows coordinates, a formula and the rule of `ties`; no file, no estimator. One tree
serves all parameters: it depends on the points alone. `building` makes it, ``formulas`` holds the
compiled distances and the bound of a box, ``walks`` the two searches, ``boxes`` one more question:
is anyone nearer in every variable? A `Tree` and a `Formula` are named tuples of arrays: they can
be pickled, and the compiled functions take them as they are. All compiled functions release the
interpreter's lock. Importing this package imports numba.
"""

from sklearn_reclink.search.tree.boxes import someone_in_box
from sklearn_reclink.search.tree.building import Tree, build
from sklearn_reclink.search.tree.formulas import Tolerance, tie_limits
from sklearn_reclink.search.tree.walks import (
    at_most_as_far,
    distances_to,
    leaf_of,
    nearest_points,
)

__all__ = [
    "Tolerance",
    "Tree",
    "at_most_as_far",
    "build",
    "distances_to",
    "leaf_of",
    "nearest_points",
    "someone_in_box",
    "tie_limits",
]
