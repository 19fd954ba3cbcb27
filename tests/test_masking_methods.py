"""Rank swapping, additive noise, JPEG and univariate microaggregation."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sklearn_reclink.masking import (
    AdditiveNoise,
    JPEGMasking,
    Microaggregation,
    RankSwapping,
    UnivariateMicroaggregation,
)
from sklearn_reclink.masking._jpeg import compress
from sklearn_reclink.masking._univariate import optimal_runs, runs_of_k
from tests.masking.test_conventions import OF_NUMBERS

ROUNDING = [masker for masker in OF_NUMBERS if "keep_integers" in masker.get_params()]
ROUNDING.remove(OF_NUMBERS[4])  # it makes no new values
ROUNDING.append(Microaggregation(groups=2))


@pytest.fixture
def numbers():
    return np.random.default_rng(0).lognormal(size=(90, 4))


@pytest.mark.parametrize("masker", OF_NUMBERS, ids=str)
@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_data_frames_are_kept(masker, frame, numbers):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[frame]
    table = make(dict(zip("abcd", numbers.T, strict=True)))
    Y = clone(masker).set_output(transform=frame).fit_transform(table)
    assert isinstance(Y, make)
    assert list(Y.columns) == list("abcd")
    np.testing.assert_array_equal(Y.to_numpy(), clone(masker).fit_transform(numbers))


@pytest.mark.parametrize("masker", ROUNDING, ids=str)
def test_whole_numbers_stay_whole_where_asked(masker, numbers):
    X = np.column_stack([np.rint(10 * numbers[:, :2]), numbers[:, 2:]])
    exact = clone(masker).set_params(keep_integers=False).fit_transform(X)
    whole = clone(masker).set_params(keep_integers=True).fit_transform(X)
    np.testing.assert_array_equal(whole[:, :2], np.rint(exact[:, :2]))
    np.testing.assert_array_equal(whole[:, 2:], exact[:, 2:])
    assert not np.array_equal(exact[:, :2], whole[:, :2])


@pytest.mark.parametrize("masker", OF_NUMBERS, ids=str)
def test_a_constant_variable_is_released_as_it_is(masker, numbers):
    numbers[:, 1] = 0.1
    np.testing.assert_array_equal(clone(masker).fit_transform(numbers)[:, 1], 0.1)


@pytest.mark.parametrize("masker", [RankSwapping(p=20), AdditiveNoise()], ids=str)
def test_random_state_decides_the_masked_file(masker, numbers):
    first, second, other = (
        clone(masker).set_params(random_state=seed).fit_transform(numbers) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.floats(0, 100), st.integers(0, 5))
def test_rank_swapping_permutes_each_variable_within_its_window(n_records, p, seed):
    X = np.random.default_rng(seed).permutation(n_records).astype(float)[:, None]
    Y = RankSwapping(p=p, random_state=seed).fit_transform(X)
    np.testing.assert_array_equal(np.sort(Y, axis=0), np.sort(X, axis=0))
    # distinct whole numbers from 0 are their own ranks
    assert np.abs(X - Y).max() <= int(p * n_records / 100)
    # an exchange: the partner of a partner is the value itself
    partner = dict(zip(X[:, 0], Y[:, 0], strict=True))
    assert all(partner[partner[value]] == value for value in partner)


def test_rank_swapping_leaves_at_most_the_stranded_unswapped():
    X = np.arange(2000.0)[:, None]
    Y = RankSwapping(p=2, random_state=0).fit_transform(X)
    assert np.mean(X == Y) < 0.05


def test_rank_swapping_swaps_variables_independently(numbers):
    X = np.repeat(numbers[:, :1], 2, axis=1)
    Y = RankSwapping(p=30, random_state=0).fit_transform(X)
    assert not np.array_equal(Y[:, 0], Y[:, 1])


@pytest.mark.parametrize("correlated", [False, True])
def test_noise_has_the_covariance_asked_for(correlated):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 2)) @ [[1.0, 30.0], [0.0, 10.0]]
    noise = AdditiveNoise(p=50, correlated=correlated, random_state=0).fit_transform(X) - X
    expected = 0.25 * np.cov(X.T)
    if not correlated:
        expected = np.diag(np.diag(expected))
    np.testing.assert_allclose(np.cov(noise.T), expected, atol=0.02 * expected.max())


def test_no_noise_at_zero_percent(numbers):
    np.testing.assert_array_equal(AdditiveNoise(p=0).fit_transform(numbers), numbers)


def test_jpeg_keeps_the_range_and_blurs_more_at_lower_quality(numbers):
    errors = []
    for quality in (95, 60, 10):
        Y = JPEGMasking(quality=quality).fit_transform(numbers)
        assert (Y >= numbers.min(axis=0)).all()
        assert (Y <= numbers.max(axis=0)).all()
        errors.append(np.abs(Y - numbers).mean())
    assert errors == sorted(errors)


def test_jpeg_does_not_depend_on_the_unit_of_a_variable(numbers):
    Y = JPEGMasking(quality=50).fit_transform(numbers)
    scaled = JPEGMasking(quality=50).fit_transform(1024 * numbers)
    np.testing.assert_allclose(scaled, 1024 * Y)


def test_an_image_cut_between_blocks_gives_the_same_pixels():
    pixels = np.random.default_rng(2).integers(0, 256, size=(60, 13), dtype=np.uint8)
    np.testing.assert_array_equal(compress(pixels, 70, most_rows=24), compress(pixels, 70))


def test_jpeg_refuses_more_variables_than_an_image_has_columns():
    with pytest.raises(ValueError, match="X has 70000 variables: an image has at most 65496"):
        JPEGMasking().fit(np.zeros((2, 70_000)))


def test_jpeg_names_the_package_where_pillow_is_missing(monkeypatch, numbers):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        JPEGMasking().fit_transform(numbers)


def test_individual_ranking_averages_runs_of_k_by_hand():
    X = np.array([[5.0], [1.0], [2.0], [9.0], [4.0], [3.0], [30.0]])
    Y = UnivariateMicroaggregation(k=3).fit_transform(X)
    np.testing.assert_array_equal(Y[:, 0], [12.0, 2.0, 2.0, 12.0, 12.0, 2.0, 12.0])
    assert runs_of_k(2, 3).tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=3, max_size=11), st.integers(1, 3))
def test_optimal_runs_have_the_least_sum_of_squares(values, k):
    values = np.sort(np.array(values, dtype=float))
    n_records = len(values)

    def within(labels):
        return sum(
            ((values[labels == run] - values[labels == run].mean()) ** 2).sum()
            for run in np.unique(labels)
        )

    found = optimal_runs(values, k)
    assert np.bincount(found).min() >= k
    best = min(
        within(np.searchsorted(cuts, np.arange(n_records), side="right"))
        for n_cuts in range(n_records // k)
        for cuts in itertools.combinations(range(1, n_records), n_cuts)
        if np.diff([0, *cuts, n_records]).min() >= k
    )
    assert within(found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("masker", "message"),
    [
        (RankSwapping(p=101), "'p' parameter"),
        (AdditiveNoise(p=-1), "'p' parameter"),
        (JPEGMasking(quality=0), "'quality' parameter"),
        (UnivariateMicroaggregation(k=91), "fewer than k=91"),
        (UnivariateMicroaggregation(k=0), "'k' parameter"),
    ],
    ids=str,
)
def test_errors_say_what_is_needed(masker, message, numbers):
    with pytest.raises(ValueError, match=message):
        masker.fit(numbers)
