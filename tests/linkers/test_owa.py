import numpy as np
import pytest

from sklearn_reclink import ChoquetLinker, EuclideanLinker, OWALinker
from sklearn_reclink.capacity import subset_sizes


def test_weights_are_those_of_ranks(files):
    X, Y = files
    linker = OWALinker(random_state=0).fit(X, Y)
    assert linker.weights_.shape == (4,)
    assert linker.weights_.sum() == pytest.approx(1)
    assert np.all(linker.weights_ >= 0)
    assert EuclideanLinker().fit(X, Y).n_linked_ <= linker.n_linked_ <= linker.ceiling_


def test_owa_equals_choquet_with_symmetric_capacity(files):
    X, Y = files
    owa = OWALinker(random_state=0).fit(X, Y)
    choquet = ChoquetLinker(random_state=0).fit(X, Y)
    assert owa.n_linked_ <= choquet.n_linked_
    choquet.capacity_ = np.append(0.0, np.cumsum(owa.weights_))[subset_sizes(4)]
    distances, rows = owa.kneighbors(X)
    expected, expected_rows = choquet.kneighbors(X)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(rows, expected_rows)


def test_first_weight_alone_is_the_largest_difference(files):
    X, Y = files
    linker = OWALinker(standardize=None, random_state=0).fit(X, Y)
    linker.weights_ = np.array([1.0, 0.0, 0.0, 0.0])
    distances, _ = linker.kneighbors(X[:1], n_neighbors=60)
    np.testing.assert_array_equal(distances[0], np.sort(np.max((X[0] - Y) ** 2, axis=1)))


def test_constant_column_takes_the_last_rank(files):
    X, Y = files
    wide = [np.insert(file, 1, 3.0, axis=1) for file in files]
    linker, expected = OWALinker(random_state=0).fit(*wide), OWALinker(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(linker.weights_, np.append(expected.weights_, 0.0))
    assert linker.n_linked_ == expected.n_linked_
