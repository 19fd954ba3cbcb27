"""Learned error densities, their weights, and the linker that uses them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_reclink import DensityLinker, EuclideanLinker
from sklearn_reclink.likelihood.error_density import learn_error_density
from sklearn_reclink.likelihood.pair_likelihood import likeliest_weights
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping
from sklearn_reclink.rules import RULES
from tests.linkers.test_common import FIT_ON_ONE_COLUMN, SELF_MASKING

WHOLE_FILE = "a link depends on all original records at hand"
SelfMasking = SELF_MASKING[DensityLinker]


@parametrize_with_checks(
    [DensityLinker(rule=rule) for rule in ("nearest", "balanced")],
    expected_failed_checks=lambda linker: FIT_ON_ONE_COLUMN,
)
def test_linker_passes_checks_but_for_one_column_y(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [SelfMasking(rule=rule) for rule in RULES],
    expected_failed_checks=lambda linker: {
        "density": {"check_methods_subset_invariance": WHOLE_FILE},
    }.get(linker.rule, {}),
)
def test_self_masking_linker_passes_checks(estimator, check):
    check(estimator)


def split(masker, n_known=150, n_records=500, n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    mixing = np.eye(n_features) + 0.3 * rng.normal(size=(n_features, n_features))
    X = np.exp(rng.normal(size=(n_records, n_features)) @ mixing)
    Y = masker.fit_transform(X)
    return X[:n_known], Y[:n_known], X[n_known:], Y[n_known:]


@pytest.fixture(scope="module")
def swapped():
    return split(RankSwapping(p=8, random_state=0))


def test_error_density_sums_to_one_within_the_largest_difference():
    errors = np.random.default_rng(0).standard_t(2, size=300)
    density = learn_error_density(errors, largest=60.0)
    places = np.linspace(-60, 60, 200_001)
    assert np.trapezoid(np.exp(density(places)), places) == pytest.approx(1.0, abs=0.02)


def test_error_density_is_even_and_never_zero():
    density = learn_error_density(np.array([0.1, 0.2, 0.25, 0.4]), largest=3.0)
    places = np.array([0.0, 0.2, 1.0, 100.0])
    np.testing.assert_array_equal(density(places), density(-places))
    assert np.isfinite(density(places)).all()


def test_left_out_density_is_that_of_the_others():
    errors = np.random.default_rng(1).normal(size=40)
    density = learn_error_density(errors, largest=8.0)
    h = density.bandwidth
    for i, found in enumerate(density.left_out(errors)):
        others = np.delete(errors, i)
        mirrored = np.concatenate([others, -others])
        kernels = np.exp(-0.5 * ((errors[i] - mirrored) / h) ** 2) / (h * np.sqrt(2 * np.pi))
        expected = 40 / 41 * kernels.mean() + density.floor
        assert np.exp(found) == pytest.approx(expected, rel=0.02, abs=2e-3)


@pytest.mark.parametrize("errors", [np.zeros(10), np.r_[np.zeros(9), 1.0], np.full(10, 0.3)])
def test_errors_without_spread_have_a_density(errors):
    density = learn_error_density(errors, largest=2.0)
    assert np.isfinite(density.logs).all()
    assert density(errors[:1]) > density(np.array([1.7]))
    assert np.isfinite(density.left_out(errors)).all()


def test_weights_prefer_the_table_that_tells_the_pairs():
    rng = np.random.default_rng(0)
    telling = 4 * np.eye(30) + rng.normal(size=(30, 30))
    weights = likeliest_weights(np.array([telling, rng.normal(size=(30, 30))]))
    assert weights[0] > 0.5 > 0.2 > weights[1] >= 0


@pytest.mark.parametrize("rule", RULES)
def test_score_link_and_predict_agree(rule, swapped):
    X, Y, X_new, Y_new = swapped
    linker = DensityLinker(rule=rule).fit(X, Y)
    assert linker.score(X, Y) * len(X) == linker.n_linked_
    found = linker.link(X_new, Y_new)
    assert linker.score(X_new, Y_new) == found.rate <= found.expected_rate
    rows = linker.predict(X_new, Y_new)
    np.testing.assert_array_equal(rows, found.links)
    assert (rows[found.reidentified] == np.flatnonzero(found.reidentified)).all()
    if rule != "one_to_one":
        _, neighbours = linker.kneighbors(X_new, 3, Y_new)
        np.testing.assert_array_equal(neighbours[:, 0], rows)
    else:
        assert len(np.unique(rows)) == len(rows)


@pytest.mark.parametrize(
    "masker",
    [
        RankSwapping(p=8, random_state=0),
        AdditiveNoise(p=25, random_state=0),
        Microaggregation(groups=2, k=5, standardize=True),
    ],
    ids=str,
)
def test_it_carries_over_where_the_plain_distance_does_not(masker):
    X, Y, X_new, Y_new = split(masker)
    plain = EuclideanLinker().fit(X, Y).score(X_new, Y_new)
    assert DensityLinker().fit(X, Y).score(X_new, Y_new) > plain + 0.02


def test_ranks_of_the_whole_files_are_better_than_those_of_a_part(swapped):
    X, Y, X_new, Y_new = swapped
    files = np.concatenate([X, X_new]), np.concatenate([Y, Y_new])[::-1]
    part = DensityLinker().fit(X, Y).score(X_new, Y_new)
    assert DensityLinker().fit(X, Y, pool=files[1], reference=files[0]).score(X_new, Y_new) > part


def test_swapping_is_seen_in_ranks_and_noise_in_values(swapped):
    X, Y, *_ = swapped
    assert DensityLinker().fit(X, Y).weights_.argmax() == 1
    X, Y, *_ = split(AdditiveNoise(p=25, random_state=0))
    value, rank, joint = DensityLinker().fit(X, Y).weights_
    assert value + joint > 2 * rank


def test_a_key_variable_gives_everyone_away():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    Y = np.column_stack([X[:, 0], rng.permuted(X[:, 1:], axis=0)])
    assert DensityLinker().fit(X, Y).score(X, Y) == 1.0


def test_equal_masked_records_are_never_told_apart():
    X = np.random.default_rng(0).normal(size=(90, 3))
    Y = Microaggregation(k=3).fit_transform(X)
    for rule in RULES:
        assert DensityLinker(rule=rule).fit(X, Y).n_linked_ == 0


def test_units_of_either_file_change_no_rate(swapped):
    X, Y, X_new, Y_new = swapped
    rate = DensityLinker().fit(X, Y).score(X_new, Y_new)
    scale = np.array([2.0, 64.0, 0.25, 8.0])
    assert DensityLinker().fit(scale * X, Y).score(scale * X_new, Y_new) == rate


def test_one_to_one_links_do_not_depend_on_the_order_of_different_records(swapped):
    X, Y, X_new, Y_new = swapped
    linker = DensityLinker(rule="one_to_one").fit(X, Y)
    order = np.random.default_rng(0).permutation(len(X_new))
    links = linker.predict(X_new, Y_new)
    np.testing.assert_array_equal(linker.predict(X_new[order], Y_new), links[order])


def test_a_constant_column_changes_nothing(swapped):
    X, Y, X_new, Y_new = swapped
    wide = [np.column_stack([table, np.ones(len(table))]) for table in swapped]
    assert DensityLinker().fit(*wide[:2]).score(*wide[2:]) == pytest.approx(
        DensityLinker().fit(X, Y).score(X_new, Y_new)
    )
    with pytest.raises(ValueError, match="every column is constant"):
        DensityLinker().fit(np.ones((5, 1)), np.arange(5.0)[:, None])


def test_more_originals_than_masked_records_and_the_reverse(swapped):
    X, Y, X_new, Y_new = swapped
    for rule in RULES:
        linker = DensityLinker(rule=rule).fit(X, Y)
        few = linker.predict(X_new[:30], Y_new)
        many = linker.predict(X_new, Y_new[:30])
        assert few.shape == (30,)
        assert (few >= 0).all()
        assert many.max() < 30
        if rule == "one_to_one":
            assert np.count_nonzero(many >= 0) == 30


def test_data_frames_clone_pickle_and_grid_search(swapped):
    names = list("abcd")
    X, Y, X_new, Y_new = (pd.DataFrame(table, columns=names) for table in swapped)
    linker = DensityLinker(rule="density").fit(X, Y[names[::-1]])
    rate = linker.score(X_new, Y_new)
    assert rate == DensityLinker(rule="density").fit(*swapped[:2]).score(*swapped[2:])
    assert pickle.loads(pickle.dumps(linker)).score(X_new, Y_new) == rate
    assert clone(linker).get_params() == linker.get_params()
    assert linker.score(pl.from_pandas(X_new), pl.from_pandas(Y_new)) == rate
    search = GridSearchCV(DensityLinker(), {"rule": ["nearest", "balanced"]}, cv=2)
    assert search.fit(X, Y).best_params_ == {"rule": "balanced"}


def test_more_pairs_than_it_learns_from_are_drawn(swapped):
    X, Y, *_ = swapped
    first, second = (
        DensityLinker(max_pairs=80, random_state=seed).fit(X, Y).weights_ for seed in (0, 1)
    )
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "all"}, "'rule' parameter"),
        ({"views": ["rank", "value", "smell"]}, "name some of"),
        ({"views": []}, "name some of"),
        ({"max_pairs": 1}, "'max_pairs' parameter"),
    ],
)
def test_errors_say_what_is_needed(parameters, message, swapped):
    with pytest.raises(ValueError, match=message):
        DensityLinker(**parameters).fit(*swapped[:2])


def test_it_needs_a_masked_file_and_a_fit(swapped):
    with pytest.raises(ValueError, match="requires y to be passed"):
        DensityLinker().fit(swapped[0])
    with pytest.raises(NotFittedError):
        DensityLinker().predict(swapped[0])


def test_rows_in_another_order_are_warned_of(swapped):
    X, Y, *_ = swapped
    with pytest.warns(UserWarning, match="resembles row i of X no more"):
        DensityLinker(rule="nearest").fit(X, np.random.default_rng(0).permutation(Y))
