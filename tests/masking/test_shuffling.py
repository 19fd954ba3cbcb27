"""Laws of data shuffling."""

import numpy as np
import pytest

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import DataShuffling, RankSwapping
from sklearn_reclink.metrics import probabilistic_information_loss


def test_without_noise_nothing_changes():
    X = make_microdata(200, 3, tail="heavy", random_state=0)
    assert (DataShuffling(p=0, random_state=0).fit_transform(X) == X).all()


@pytest.mark.parametrize("p", [10, 60, 100])
def test_each_variable_keeps_its_values_and_missing_cells_stay(p):
    X = make_microdata(200, 3, random_state=1)
    X[::7, 1] = np.nan
    Y = DataShuffling(p=p, random_state=0).fit_transform(X)
    assert (np.isnan(X) == np.isnan(Y)).all()
    assert np.array_equal(np.sort(X, axis=0), np.sort(Y, axis=0), equal_nan=True)
    assert not np.array_equal(X, Y, equal_nan=True)


def test_correlations_are_kept_where_rank_swapping_loses_them():
    X = make_microdata(600, 4, random_state=2)
    Y = DataShuffling(p=100, random_state=0).fit_transform(X)
    swapped = RankSwapping(p=100, random_state=0).fit_transform(X)
    assert np.abs(np.corrcoef(X.T) - np.corrcoef(Y.T)).max() < 0.02
    assert probabilistic_information_loss(X, Y) < 0.1 < probabilistic_information_loss(X, swapped)


@pytest.mark.parametrize("p", [0, 50])
def test_at_least_k_records_are_released_alike(p):
    X = make_microdata(150, 3, random_state=3)
    Y = DataShuffling(p=p, k=7, random_state=0).fit_transform(X)
    _, counts = np.unique(Y, axis=0, return_counts=True)
    assert counts.min() >= 7
    np.testing.assert_allclose(X.mean(axis=0), Y.mean(axis=0))


def test_all_noise_makes_records_independent_of_their_originals():
    X = make_microdata(1000, 2, random_state=4)
    Y = DataShuffling(p=100, random_state=0).fit_transform(X)
    for k in range(2):
        assert abs(np.corrcoef(X[:, k], Y[:, k])[0, 1]) < 0.1


@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([np.arange(30.0), np.ones(30)]),  # a constant
        np.repeat(np.arange(30.0)[:, None], 3, axis=1),  # copies of one variable
        np.arange(12.0).reshape(3, 4),  # more variables than records allow
        np.arange(5.0)[:, None],
    ],
    ids=["constant", "copies", "few records", "one variable"],
)
@pytest.mark.parametrize("k", [1, 2])
def test_degenerate_files_are_masked(X, k):
    Y = DataShuffling(p=50, k=k, random_state=0).fit_transform(X)
    assert Y.shape == X.shape
    assert np.isfinite(Y).all()
