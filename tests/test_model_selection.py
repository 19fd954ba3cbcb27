"""Rates of known and other records in pools of one size."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import DensityLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.model_selection import train_test_linkage


@pytest.fixture(scope="module")
def files():
    return make_noisy_files(240, noise=[0.3] * 3, random_state=0)


def test_nothing_learned_nothing_overfitted_in_pools_of_one_size(files):
    study = train_test_linkage(
        EuclideanLinker(standardize=None), *files, train_size=60, n_splits=40, random_state=0
    )
    assert (study.n_train, study.n_test, study.pool_size) == (60, 180, 60)
    assert abs(study.overfitting) < 0.02


def test_rates_are_the_linkers_scores(files):
    X, Y = files
    study = train_test_linkage(
        EuclideanLinker(), X, Y, train_size=0.25, pool_size=50, n_splits=1, random_state=0
    )
    order = np.random.RandomState(0).permutation(len(X))
    linker = EuclideanLinker().fit(X[order[:60]], Y[order[:60]])
    assert study.train_rates[0] == linker.score(X[order[:50]], Y[order[:50]])
    assert study.test_rates[0] == linker.score(X[order[60:110]], Y[order[60:110]])


def test_seen_pool_is_the_whole_masked_file(files):
    X, Y = files
    study = train_test_linkage(
        EuclideanLinker(standardize=None), X, Y, score_pool="seen", train_size=60, random_state=0
    )
    assert study.pool_size == len(X)
    whole = EuclideanLinker(standardize=None).fit(X, Y).score(X, Y)
    np.testing.assert_allclose(0.25 * study.train_rates + 0.75 * study.test_rates, whole)


def test_a_learned_distance_overfits_and_shrinkage_less_so(files):
    free, shrunk = (
        train_test_linkage(
            WeightedMeanLinker(shrinkage=s, random_state=0), *files, train_size=30, random_state=0
        ).overfitting
        for s in (0.0, 1.0)
    )
    assert free > shrunk


def test_data_frames_fit_params_and_table(files):
    X, Y = (pd.DataFrame(table, columns=list("abc")) for table in files)
    study = train_test_linkage(
        DensityLinker(),
        X,
        Y,
        train_size=100,
        n_splits=2,
        fit_params={"pool": Y, "reference": X},
        random_state=0,
    )
    assert study.to_frame().shape == (2, 5)
    assert (study.test_rates > 0.5).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_size": 239}, "at least 2 must be known"),
        ({"train_size": 1}, "at least 2 must be known"),
        ({"train_size": 60, "pool_size": 61}, "from 2 to 60"),
        ({"train_size": 60, "pool_size": 50, "score_pool": "seen"}, "the whole file"),
        ({"train_size": 60, "score_pool": "all"}, '"own" or "seen"'),
        ({"train_size": 60, "n_splits": 0}, "at least 1"),
    ],
)
def test_errors_say_what_is_needed(options, message, files):
    with pytest.raises(ValueError, match=message):
        train_test_linkage(EuclideanLinker(), *files, **options)
