from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink.likelihood.fellegi_sunter import (
    PatternCounts,
    _step,
    choose_tolerance,
    count_patterns,
    expectation_maximisation,
)

M, U, SHARE = np.array([0.95, 0.9, 0.8, 0.7]), np.array([0.1, 0.2, 0.05, 0.3]), 0.02


def all_patterns(n_features):
    return (np.arange(2**n_features)[:, None] >> np.arange(n_features)) & 1 == 1


def expected_counts(n_pairs=10_000_000):
    """Counts as the model has them on average."""
    patterns = all_patterns(4)
    match, other = (np.where(patterns, p, 1 - p).prod(axis=1) for p in (M, U))
    return PatternCounts(patterns, n_pairs * (SHARE * match + (1 - SHARE) * other))


def estimate(found, share=0.01, *, fixed_share=False, max_iter=20_000, tol=1e-10):
    return expectation_maximisation(
        found, share, fixed_share=fixed_share, max_iter=max_iter, tol=tol
    )


@pytest.fixture
def files():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(30, 3)).astype(float)
    return X, np.where(rng.random(X.shape) < 0.2, rng.integers(4, size=X.shape), X)


def test_patterns_are_those_of_a_plain_count(files):
    X, Y = files
    tolerance = np.array([0.0, 1.0, 0.5])
    found = count_patterns(X, Y[:20], tolerance)
    agree = np.abs(X[:, None] - Y[None, :20]) <= tolerance
    patterns, counts = np.unique(agree.reshape(-1, 3), axis=0, return_counts=True)
    plain = {tuple(p): c for p, c in zip(patterns.tolist(), counts.tolist(), strict=True)}
    ours = {
        tuple(p): c for p, c in zip(found.patterns.tolist(), found.counts.tolist(), strict=True)
    }
    assert ours == plain
    assert found.n_pairs == 600
    np.testing.assert_allclose(found.agreement, agree.mean(axis=(0, 1)))


@pytest.mark.parametrize("limits", [{"block_pairs": 100}, {"max_counters": 2}], ids=str)
def test_counts_depend_neither_on_blocks_nor_on_how_patterns_are_kept(files, limits):
    whole = count_patterns(*files, np.zeros(3))
    other = count_patterns(*files, np.zeros(3), **limits)
    np.testing.assert_array_equal(other.patterns, whole.patterns)
    np.testing.assert_array_equal(other.counts, whole.counts)


def test_more_variables_than_a_pattern_can_hold():
    with pytest.raises(ValueError, match=r"63 variables: .* 62 at most"):
        count_patterns(np.eye(63), np.eye(63), np.zeros(63))
    assert count_patterns(np.eye(62), np.eye(62), np.zeros(62)).n_pairs == 62**2


def test_parameters_of_the_model_are_found():
    found = estimate(expected_counts())
    assert found.converged
    np.testing.assert_allclose(found.m, M, atol=1e-4)
    np.testing.assert_allclose(found.u, U, atol=1e-4)
    assert found.match_share == pytest.approx(SHARE, abs=1e-5)
    np.testing.assert_allclose(found.weights[:, 1], np.log2(found.m / found.u))


def log_likelihood(counts, found):
    return _step(counts, np.r_[found.m, found.u, found.match_share])[1]


def test_no_iteration_lowers_the_likelihood():
    counts = expected_counts()
    likelihoods = [log_likelihood(counts, estimate(counts, max_iter=n)) for n in range(1, 15)]
    assert np.all(np.diff(likelihoods) >= -1e-9 * np.abs(likelihoods[1:]))
    assert likelihoods[-1] > likelihoods[0]


def test_a_known_share_stays():
    found = estimate(expected_counts(), SHARE, fixed_share=True)
    assert found.match_share == SHARE
    np.testing.assert_allclose(found.m, M, atol=1e-4)


def test_unfinished_search_says_so():
    found = estimate(expected_counts(), max_iter=3)
    assert not found.converged and found.n_iter == 3


def test_variables_that_always_or_never_agree_weigh_nothing():
    counts = expected_counts()
    constant = np.tile([True, False], (len(counts.patterns), 1))
    wider = PatternCounts(np.column_stack([counts.patterns, constant]), counts.counts)
    found, plain = estimate(wider), estimate(counts)
    assert np.isfinite(found.weights).all()
    np.testing.assert_allclose(found.weights[4, 1], 0, atol=1e-9)  # agreement is all there is
    np.testing.assert_allclose(found.weights[5, 0], 0, atol=1e-9)
    np.testing.assert_allclose(found.m[:4], plain.m, atol=1e-5)


def test_tolerance_is_equality_where_most_values_stay_and_covers_noise_else():
    rng = np.random.default_rng(0)
    levels = rng.integers(20, size=500).astype(float)
    kept = np.where(rng.random(500) < 0.1, rng.integers(20, size=500), levels)
    noisy = levels + rng.uniform(-0.4, 0.4, size=500)
    tolerance = choose_tolerance(
        np.column_stack([levels, levels, levels]), np.column_stack([levels, kept, noisy])
    )
    assert tolerance[0] == tolerance[1] == 0.0
    assert 0.3 < tolerance[2] <= 0.4


def with_gaps(files):
    rng = np.random.default_rng(1)
    return [np.where(rng.random(file.shape) < 0.15, np.nan, file) for file in files]


@pytest.mark.parametrize("limits", [{}, {"block_pairs": 100}, {"max_counters": 2}], ids=str)
def test_patterns_with_missing_values_are_those_of_a_plain_count(files, limits):
    X, Y = with_gaps(files)
    found = count_patterns(X, Y, np.full(3, 0.5), **limits)
    differences = (X[:, None] - Y).reshape(-1, 3)
    agree, known = np.abs(differences) <= 0.5, ~np.isnan(differences)
    plain, counts = np.unique(np.hstack([agree, known]), axis=0, return_counts=True)
    ours = np.hstack([found.patterns, found.known])
    order = np.lexsort(ours.T[::-1])
    np.testing.assert_array_equal(ours[order], plain)
    np.testing.assert_array_equal(found.counts[order], counts)
    np.testing.assert_allclose(found.agreement, agree.sum(axis=0) / known.sum(axis=0))


def test_missing_values_change_no_estimate():
    """Patterns in which a third of all comparisons is left out at random have the same model."""
    whole, known = expected_counts(), all_patterns(4)
    shares = np.where(known, 2 / 3, 1 / 3).prod(axis=1)
    n_known = len(known)
    partial = PatternCounts(
        np.repeat(whole.patterns, n_known, axis=0) & np.tile(known, (n_known, 1)),
        np.outer(whole.counts, shares).ravel(),
        np.tile(known, (n_known, 1)),
    )
    found = estimate(partial)
    np.testing.assert_allclose(found.m, M, atol=1e-3)
    np.testing.assert_allclose(found.u, U, atol=1e-3)


def test_files_without_missing_values_have_the_estimate_they_had():
    counts = expected_counts()
    told = PatternCounts(counts.patterns, counts.counts, np.ones_like(counts.patterns))
    ours, plain = estimate(told), estimate(counts)
    np.testing.assert_allclose(ours.weights, plain.weights, rtol=1e-6)
    assert count_patterns(np.eye(3), np.eye(3), np.zeros(3)).known is None


def test_variables_with_missing_values_count_twice():
    X = np.eye(40)
    X[0] = np.nan
    with pytest.raises(ValueError, match=r"40 variables, 40 of them with missing values"):
        count_patterns(X, X, np.zeros(40))


def test_tolerance_is_chosen_from_the_values_present():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1))
    y = x + 0.1 * rng.normal(size=(300, 1))
    expected = choose_tolerance(x[50:], y[50:])
    x[:25], y[25:50] = np.nan, np.nan
    assert choose_tolerance(x, y) == pytest.approx(expected, rel=0.2)
    assert choose_tolerance(np.full((3, 1), np.nan), y[:3]).tolist() == [0.0]


def test_estimates_are_those_of_recordlinkage():
    pd = pytest.importorskip("pandas")
    recordlinkage = pytest.importorskip("recordlinkage")
    rng = np.random.default_rng(0)
    X = rng.integers([5, 10, 20, 8], size=(150, 4)).astype(float)
    Y = np.where(rng.random(X.shape) < 0.15, rng.integers([5, 10, 20, 8], size=X.shape), X)
    ours = estimate(count_patterns(X, Y, np.zeros(4)))
    agree = (X[:, None] == Y[None]).reshape(-1, 4).astype(int)
    pairs = pd.MultiIndex.from_product([range(150), range(150)])
    rival = recordlinkage.ECMClassifier(max_iter=20_000, atol=1e-10)
    rival.fit(pd.DataFrame(agree, index=pairs, columns=list("abcd")))
    theirs = [
        [probabilities[k][1] for k in "abcd"] for probabilities in (rival.m_probs, rival.u_probs)
    ]
    # they stop at a relative change of 1e-5
    np.testing.assert_allclose(ours.m, theirs[0], rtol=1e-3)
    np.testing.assert_allclose(ours.u, theirs[1], rtol=1e-3)
    assert ours.match_share == pytest.approx(rival.p, rel=1e-3)
