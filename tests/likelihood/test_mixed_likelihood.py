"""Likelihood ratios of pairs with categories and missing values, and of numbers as before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal, norm

from sklearn_reclink.likelihood.error_density import learn_error_ratio
from sklearn_reclink.likelihood.joint_errors import JointErrors, learn_joint_errors
from sklearn_reclink.likelihood.mixed_likelihood import VIEWS, learn_mixed_likelihood
from sklearn_reclink.likelihood.pair_likelihood import learn_pair_likelihood


def pairs(n_pairs=200, missing=0.1, seed=0):
    """Two numbers, an ordinal variable and a category: values, ranks, categories."""
    rng = np.random.default_rng(seed)
    z = np.column_stack([rng.normal(size=(n_pairs, 2)), rng.integers(5, size=n_pairs) / 2])
    errors = 0.3 * rng.normal(size=(n_pairs, 1)) + 0.1 * rng.normal(size=(n_pairs, 2))
    noisy = z + np.column_stack([errors, 0.5 * rng.integers(-1, 2, size=n_pairs)])
    category = rng.integers(4, size=n_pairs).astype(float)
    files = []
    for values in (z, noisy):
        absent = rng.random((n_pairs, 4)) < missing
        shares = values.argsort(axis=0).argsort(axis=0) / n_pairs
        kept = np.where(rng.random(n_pairs) < 0.2, rng.integers(4, size=n_pairs), category)
        whole = np.column_stack([values, shares, 0 * values, kept])
        whole[np.column_stack([absent[:, :3]] * 3 + [absent[:, 3]])] = np.nan
        files.append(whole)
    return files


NUMERIC = np.array([True, True, False])


def test_ratio_of_normal_errors():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    ratio, _ = learn_error_ratio(x, x + 0.5 * rng.normal(size=1000))
    places = np.array([0.0, 0.5, 1.0])
    found = np.interp(places, ratio.step * np.arange(len(ratio.logs)), ratio.logs)
    truth = norm.logpdf(places, scale=0.5) - norm.logpdf(places, scale=1.5)
    np.testing.assert_allclose(found, truth, atol=0.2)


def test_ratio_left_out_is_that_of_the_others_and_nothing_where_missing():
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    b = a + 0.3 * rng.normal(size=300)
    a[:30], b[20:50] = np.nan, np.nan
    _, left_out = learn_error_ratio(a, b)
    assert (left_out[:50] == 0).all()
    for i in range(50, 300, 50):
        ratio, _ = learn_error_ratio(np.delete(a, i), np.delete(b, i))
        places = ratio.step * np.arange(len(ratio.logs))
        there = np.interp(abs(a[i] - b[i]), places, ratio.logs)
        assert left_out[i] == pytest.approx(there, abs=0.15)


@pytest.mark.parametrize("n_known", [0, 1])
def test_a_variable_hardly_ever_present_tells_nothing(n_known):
    a, b = np.full(20, np.nan), np.arange(20.0)
    a[:n_known] = 1.0
    ratio, left_out = learn_error_ratio(a, b)
    assert not ratio.logs.any() and not left_out.any()


def test_joint_ratio_is_that_of_the_variables_present():
    rng = np.random.default_rng(0)
    covariance = np.cov(rng.normal(size=(3, 10)))
    joint = JointErrors(covariance, np.array([2.0, 3.0, 4.0]))
    a, b = rng.normal(size=(6, 3)), rng.normal(size=(7, 3))
    a[0, 0] = a[1, :2] = b[2, 1] = b[3] = np.nan
    table = joint.table(a, b)
    for i, j in np.ndindex(6, 7):
        d = a[i] - b[j]
        o = ~np.isnan(d)
        expected = 0.0
        if o.any():
            expected = multivariate_normal.logpdf(d[o], cov=covariance[np.ix_(o, o)])
            expected += 0.5 * np.log(2 * np.pi * joint.variances[o]).sum()
        assert table[i, j] == pytest.approx(expected, abs=1e-9)


def test_joint_covariance_is_that_of_the_pairs_present():
    a, b = (file[:, :2] for file in pairs(2000, missing=0.2))
    joint, left_out = learn_joint_errors(a, b)
    np.testing.assert_allclose(joint.covariance, [[0.1, 0.09], [0.09, 0.1]], atol=0.015)
    own = np.array([joint.table(a[[i]], b[[i]])[0, 0] for i in range(100)])
    np.testing.assert_allclose(left_out[:100], own, atol=0.05)


def test_missing_values_add_nothing_to_the_views_of_errors():
    a, b = pairs()
    found = learn_mixed_likelihood(a, b, NUMERIC, VIEWS[:3])
    assert found.weights[3] == 0
    nobody = np.full((1, a.shape[1]), np.nan)
    assert not found.table(nobody, b).any() and not found.table(a, nobody).any()


def test_the_table_is_the_weighted_sum_over_variables():
    a, b = pairs()
    found = learn_mixed_likelihood(a, b, NUMERIC)
    total = 0.0
    for k, ratio in enumerate([*found.value_ratios, *found.rank_ratios]):
        sizes = np.abs(a[3, k] - b[5, k])
        logs = np.interp(sizes, ratio.step * np.arange(len(ratio.logs)), ratio.logs)
        total += found.weights[k // 3] * (0.0 if np.isnan(sizes) else logs)
    total += found.weights[2] * found.joint.table(a[[3], :2], b[[5], :2])[0, 0]
    for k, transitions in enumerate(found.transitions, start=6):
        codes = [np.nan_to_num(f[:, k], nan=-1).astype(int) for f in (a[[3]], b[[5]])]
        total += found.weights[3] * transitions.table(*codes)[0, 0]
    assert found.table(a[[3]], b[[5]])[0, 0] == pytest.approx(total)
    whole = found.table(a, b)
    assert whole[3, 5] == pytest.approx(total)
    np.testing.assert_array_equal(found.table(a[:7], b), whole[:7])


def test_views_without_variables_are_refused():
    a, b = (file[:, 9:] for file in pairs())  # the category alone
    nothing = np.empty(0, dtype=bool)
    assert learn_mixed_likelihood(a, b, nothing).weights[:3].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match='name "category" too'):
        learn_mixed_likelihood(a, b, nothing, ("value", "joint"))


def logs_before(errors, largest):
    """Step and table of an error density as they were before there were mixed files."""
    robust = float(np.median(np.abs(errors))) / 0.6745
    h = 0.9 * min(float(np.sqrt(np.mean(errors**2))), robust) * len(errors) ** -0.2
    n_steps = 8 * int(np.ceil(np.abs(errors).max() / h + 6)) + 1
    places = np.rint(np.abs(errors) / (h / 8)).astype(np.intp)
    counts = np.bincount(places, minlength=n_steps).astype(float)
    counts[0] *= 2
    kernel = np.exp(-0.5 * (np.arange(-48, 49) / 8) ** 2)
    mirrored = np.concatenate([counts[:0:-1], counts])
    smooth = np.convolve(mirrored, kernel, mode="same")[n_steps - 1 :]
    beyond = 1 / (len(errors) + 1)
    density = (1 - beyond) * smooth / (2 * len(errors) * h * np.sqrt(2 * np.pi))
    return h / 8, np.log(density + beyond / (2 * max(largest, h / 8 * n_steps)))


def table_before(original, masked, weights):
    """Log-likelihoods as they were before there were mixed files."""
    n_features = original.shape[1] // 2
    total = np.zeros((len(original), len(masked)))
    errors = original - masked
    for k in range(2 * n_features):
        a, b = original[:, k], masked[:, k]
        step, logs = logs_before(errors[:, k], max(a.max() - b.min(), b.max() - a.min()))
        logs = weights[k // n_features] * logs
        rises = np.append(np.diff(logs), 0.0)
        place = np.minimum(np.abs(a[:, None] - b) * (1 / step), len(logs) - 1)
        below = place.astype(np.int32)
        total += (place - below) * rises.take(below) + logs.take(below)
    values = np.ascontiguousarray(errors[:, :n_features])
    variances, axes = np.linalg.eigh(values.T @ values / len(values))
    half = np.sqrt(weights[2] / 2) * (axes / np.sqrt(variances))
    whitened = [np.einsum("ik,kl->il", file[:, :n_features], half) for file in (original, masked)]
    return total - cdist(*whitened, "sqeuclidean")


def test_files_of_numbers_have_the_table_they_had():
    a, b = (np.ascontiguousarray(file[:, [0, 1, 3, 4]]) for file in pairs(missing=0.0))
    found = replace(learn_pair_likelihood(a, b), weights=np.array([0.5, 0.3, 0.9]))
    np.testing.assert_array_equal(found.table(a, b), table_before(a, b, found.weights))
