"""An intruder who knows some pairs and sees the whole masked file."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.data.reading import impostors_beyond
from sklearn_reclink.linkers import ALL_LINKERS


@pytest.fixture(scope="module")
def files() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X + rng.normal(size=X.shape) * [0.05, 0.3, 0.6]


@pytest.mark.parametrize("Linker", ALL_LINKERS, ids=lambda Linker: Linker.__name__)
def test_known_pairs_are_linked_within_the_whole_pool(Linker, files):
    X, Y = files
    known = np.array([40, 3, 17, 22, 51, 8, 33, 59, 12, 5])
    linker = Linker(random_state=0, standardize=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linker.fit(X[known], Y[known], pool=Y)
    np.testing.assert_array_equal(linker.masked_, Y)
    found = linker.predict(X[known])
    assert linker.n_linked_ == np.count_nonzero(found == known)  # no ties here
    assert linker.n_linked_ <= linker.bound_ <= len(known)
    assert linker.n_linked_ <= linker.score(X[known], Y[known]) * len(known)


def test_pool_of_the_masked_file_itself_changes_nothing(files):
    X, Y = files
    alone = WeightedMeanLinker(random_state=0).fit(X, Y)
    shuffled = np.random.default_rng(1).permutation(len(Y))
    pooled = WeightedMeanLinker(random_state=0).fit(X, Y, pool=Y[shuffled])
    assert (pooled.n_linked_, pooled.bound_) == (alone.n_linked_, alone.bound_)
    np.testing.assert_array_equal(shuffled[pooled.predict(X)], alone.predict(X))


def test_record_of_the_masked_file_missing_in_the_pool_is_named(files):
    X, Y = files
    with pytest.raises(ValueError, match="row 4 of y is not in the pool"):
        WeightedMeanLinker().fit(X[:9], Y[:9], pool=np.delete(Y, 4, axis=0))


def test_equal_records_are_taken_from_the_pool_as_often_as_they_are_known():
    pool = np.array([[1.0], [2.0], [1.0], [1.0], [3.0]])
    known = np.array([[1.0], [3.0], [1.0]])
    np.testing.assert_array_equal(impostors_beyond(known, pool), [[2.0], [1.0]])
    with pytest.raises(ValueError, match="fewer times than in y"):
        impostors_beyond(np.array([[2.0], [2.0]]), pool)
