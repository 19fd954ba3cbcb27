from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import (
    correlation_change,
    covariance_change,
    il1s,
    probabilistic_information_loss,
    probabilistic_loss,
)
from tests.metrics.files import permuted, tables

LOSSES = [il1s, covariance_change, correlation_change, probabilistic_information_loss]
every_loss = pytest.mark.parametrize("loss", LOSSES)


@every_loss
@settings(deadline=None)
@given(tables(1))
def test_a_file_that_is_not_masked_loses_nothing(loss, files):
    (X,) = files
    assert loss(X, X) == 0.0


@every_loss
@settings(deadline=None)
@given(tables(), st.integers(-5, 5), st.sampled_from([0.25, 2.0, 8.0]), st.integers(0, 99))
def test_loss_is_kept_by_units_and_order(loss, files, shift, scale, seed):
    X, Y = files
    value = loss(X, Y)
    assert value >= 0
    assert loss(scale * X + shift, scale * Y + shift) == pytest.approx(value, abs=1e-6)
    assert loss(permuted(X, seed), permuted(Y, seed)) == pytest.approx(value, abs=1e-6)


@settings(deadline=None)
@given(tables())
def test_correlations_change_by_two_at_most_in_any_units(files):
    X, Y = files
    change = correlation_change(X, Y)
    assert 0 <= change <= 2 + 1e-12
    assert correlation_change(X, 3 * Y + 7) == pytest.approx(change)


@settings(deadline=None)
@given(tables())
def test_probabilistic_losses_are_shares(files):
    parts = probabilistic_loss(*files)
    values = [parts.means, parts.variances, parts.quantiles, parts.loss]
    if files[0].shape[1] > 1:
        values += [parts.covariances, parts.correlations]
        assert parts.loss == pytest.approx((sum(values) - parts.loss) / 5)
    else:
        assert np.isnan([parts.covariances, parts.correlations]).all()
    assert all(0 <= value <= 1 for value in values)


def test_il1s_by_hand():
    X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    Y = X + np.array([[1.0, 0.0], [0.0, 0.0], [-2.0, 0.0]])
    np.testing.assert_allclose(il1s(X, Y, multioutput="raw_values"), [1 / (2 * np.sqrt(2)), 0.0])
    assert il1s(X, Y + np.eye(3, 2, k=1)) == np.inf  # constant, and changed


def test_relative_covariance_change_by_hand():
    X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    # entries 1, 0.5 and 1 become 4, 1 and 1
    assert covariance_change(X, X * [2.0, 1.0], relative=True) == pytest.approx((3 + 1 + 0) / 3)


def test_losses_match_columns_by_name():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    Y = Microaggregation(k=3).fit_transform(X.to_numpy())
    named = pd.DataFrame(Y, columns=["a", "b"])[["b", "a"]]
    for loss in LOSSES:
        assert loss(X, named) == pytest.approx(loss(X.to_numpy(), Y), rel=1e-12)


def test_losses_refuse_files_of_other_people():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    for loss in LOSSES:
        with pytest.raises(ValueError, match="different indexes"):
            loss(X, X[::-1])


def test_loss_of_a_mean_is_its_normal_probability():
    X = np.random.default_rng(0).normal(size=(500, 1))
    change = 0.05
    surprise = change / (X.std() / np.sqrt(500))
    assert probabilistic_loss(X, X + change).means == pytest.approx(
        2 * (stats.norm.cdf(surprise) - 0.5)
    )


@pytest.mark.parametrize("part", ["means", "variances", "covariances", "correlations", "quantiles"])
def test_a_true_sample_loses_half_on_average(part):
    """Of a statistic with the sd the formula claims, 2 P(0 <= Z <= |z|) is uniform."""
    rng = np.random.default_rng(1)
    X = rng.exponential(size=(2000, 3)) @ np.array([[1, 0.5, 0.2], [0, 1, 0.3], [0, 0, 1]])
    losses = [
        getattr(probabilistic_loss(X, X[rng.integers(len(X), size=len(X))]), part)
        for _ in range(60)
    ]
    assert np.mean(losses) == pytest.approx(0.5, abs=0.08)


def test_stronger_microaggregation_loses_more():
    X = np.random.default_rng(0).normal(size=(200, 3))
    masked = [Microaggregation(k=k).fit_transform(X) for k in (2, 5, 20)]
    for loss in (il1s, covariance_change, probabilistic_information_loss):
        assert loss(X, masked[0]) < loss(X, masked[1]) < loss(X, masked[2])
