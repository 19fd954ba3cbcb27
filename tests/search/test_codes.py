"""Sets of categories in trees: many levels share bits, and answers stay those of all pairs."""

import numpy as np
import pytest

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.search import Index
from sklearn_reclink.search.tree.building import build


def _files(n_levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_levels)
    X = np.column_stack([2.0 * rng.integers(0, n_levels, 400), rng.normal(size=400)])
    Y = X + [0.0, 0.2] * rng.normal(size=X.shape)
    anew = rng.random(400) < 0.2
    Y[anew, 0] = 2.0 * rng.integers(0, n_levels, np.count_nonzero(anew))
    for file in (X, Y):
        file[rng.random(file.shape) < 0.05] = np.nan
    return X, Y, np.array([1.0, np.inf])


@pytest.mark.parametrize("n_levels", [2, 64, 300])
def test_links_of_many_levels(n_levels):
    X, Y, caps = _files(n_levels)
    family, theta = mixed_family(WeightedMean(2), caps, np.empty((0, 2), int)), np.array([0.4, 0.6])
    dense, tree = Index(X, Y, caps=caps), Index(X, Y, caps=caps, dense_pairs=0)
    np.testing.assert_array_equal(dense.linked(family, theta), tree.linked(family, theta))
    np.testing.assert_array_equal(dense.link(family, theta).links, tree.link(family, theta).links)


def test_every_node_holds_the_bits_of_its_points():
    _, Y, caps = _files(300)
    tree = build(Y, caps=caps)
    for node, codes in enumerate(tree.codes[:, 0]):
        levels = tree.exact[tree.begin[node] : tree.end[node], 0] / 2
        bits = {1 << int(level) % 64 for level in levels[~np.isnan(levels)]}
        assert int(codes) == sum(bits)
