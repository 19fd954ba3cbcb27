"""Exact search among masked records by a KD-tree, for every monotone distance.

This package knows coordinates, a formula and the rule of `ties`; no file, no estimator. One tree
serves all parameters: it depends on the points alone. `building` makes it, ``formulas`` holds the
compiled distances and the bound of a box, ``walks`` the two searches, ``boxes`` one more question:
is anyone at least as near in every variable? A `Tree` and a `Formula` are named tuples of arrays:
they can be pickled, and the compiled functions take them as they are. All compiled functions
release the interpreter's lock. Importing any module of this package imports numba.
"""
