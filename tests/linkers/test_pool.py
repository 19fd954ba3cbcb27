"""An intruder who knows some pairs and sees the whole masked file."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_validate as scikit_learn_cross_validate

from sklearn_reclink import (
    EuclideanLinker,
    Pool,
    WeightedMeanLinker,
)
from sklearn_reclink.data.pool import own_first
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.linkers import ALL_LINKERS
from tests.soundness.claims import LINKERS


def cross_validate(linker, X, Y, pool):
    options = {"cv": 3, "return_estimator": True, "error_score": "raise"}
    found = scikit_learn_cross_validate(linker, X, Y, params={"pool": pool}, **options)
    return found["estimator"]


def grid_search(linker, X, Y, pool):
    grid = {"standardize": ["separate", None]}
    search = GridSearchCV(linker, grid, cv=3, error_score="raise")
    return [search.fit(X, Y, pool=pool).best_estimator_]


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
    assert linker.bound_ is None or linker.n_linked_ <= linker.bound_ <= len(known)
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
    found = own_first(known, pool, may_be_cut=True)
    np.testing.assert_array_equal(found, [*known, [2.0], [1.0]])
    with pytest.raises(ValueError, match="fewer times than in y"):
        own_first(np.array([[2.0], [2.0]]), pool, may_be_cut=True)


@pytest.mark.parametrize("Linker", ALL_LINKERS, ids=lambda Linker: Linker.__name__)
def test_score_of_the_pairs_and_the_pool_of_fit_is_the_count_of_fit(Linker, files):
    X, Y = files
    linker = Linker(random_state=0, standardize=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linker.fit(X[:25], Y[:25], pool=Y)
    assert round(linker.score(X[:25], Y[:25], pool=Y) * 25, 9) == linker.n_linked_
    assert linker.link(X[:25], Y[:25], pool=Y).n_linked == linker.n_linked_


@pytest.mark.parametrize("search", [cross_validate, grid_search], ids=["cross_validate", "grid"])
def test_pool_through_cross_validation_is_whole_or_refused(search, files):
    X, Y = files
    for pool in (Pool(Y), Pool(np.vstack([Y, Y + 0.3])), np.vstack([Y, Y + 0.3])):
        found = search(EuclideanLinker(), X, Y, pool)
        assert {len(linker.masked_) for linker in found} == {len(getattr(pool, "records", pool))}
    with pytest.raises(ValueError, match=r"cut it into folds: pass Pool"):
        search(EuclideanLinker(), X, Y, Y)
    with pytest.raises(ValueError, match=r"is not in the pool.*pass Pool"):
        search(EuclideanLinker(), X, Y, Y[::-1])


@pytest.mark.parametrize("n_masked", [5_001, 8_000, 100_000])
@pytest.mark.parametrize("linker", LINKERS.values(), ids=LINKERS)
def test_exact_linkers_search_among_many_masked_records(linker, n_masked):
    X, Y = make_noisy_files(n_masked, noise=[0.01] * 3, random_state=0)
    known = slice(400)
    linker = clone(linker).set_params(random_state=0, time_limit=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        linker.fit(X[known], Y[known], pool=Y)
    assert 0 < linker.n_linked_ <= linker.bound_ <= 400
    assert round(linker.score(X[known], Y[known], pool=Y) * 400, 9) == linker.n_linked_
