from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink import EuclideanLinker, MahalanobisLinker
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import (
    average_record_linkage,
    domingo_ferrer_torra_score,
    linkage_loss_score,
    matrix_mean_square_difference,
)

# Table 5 of the 2015 paper: average record linkage, PIL and score, in percent
TABLE_5 = [
    (42.127, 23.85, 32.99),
    (33.47, 28.40, 30.94),
    (32.37, 31.80, 32.09),
    (26.01, 31.92, 28.96),
    (35.42, 36.91, 36.16),
    (30.65, 37.76, 34.21),
]
shares = st.floats(0, 1)


@pytest.mark.parametrize(("linkage", "loss", "score"), TABLE_5)
def test_score_of_the_papers_table(linkage, loss, score):
    assert 100 * linkage_loss_score(linkage / 100, loss / 100) == pytest.approx(score, abs=0.0101)


@settings(deadline=None)
@given(shares, shares, shares, shares)
def test_score_of_domingo_ferrer_and_torra_is_a_share_and_grows(loss, distance, probability, ident):
    def score(**changed):
        parts = {
            "information_loss": loss,
            "distance_linkage": distance,
            "probabilistic_linkage": probability,
            "interval_disclosure": ident,
        }
        return domingo_ferrer_torra_score(**(parts | changed))

    assert 0 <= score() <= 1
    for part, weight in [
        ("information_loss", 1 / 2),
        ("distance_linkage", 1 / 8),
        ("probabilistic_linkage", 1 / 8),
        ("interval_disclosure", 1 / 4),
    ]:
        assert score(**{part: 1.0}) - score(**{part: 0.0}) == pytest.approx(weight)


def test_percentages_are_refused():
    with pytest.raises(ValueError, match=r"record_linkage is 42\.1: .* divide a percentage"):
        linkage_loss_score(42.1, 0.2)
    with pytest.raises(ValueError, match="information_loss is -1"):
        domingo_ferrer_torra_score(
            information_loss=-1, distance_linkage=0, probabilistic_linkage=0, interval_disclosure=0
        )


def test_average_record_linkage_is_the_mean_over_numbers_of_variables():
    X = np.random.default_rng(0).normal(size=(50, 3))
    Y = Microaggregation(groups=[[0, 1], [2]], k=3).fit_transform(X)

    def rate(*known):
        files = X[:, known], Y[:, known]
        return EuclideanLinker().fit(*files).score(*files)

    one = np.mean([rate(0), rate(1), rate(2)])
    two = np.mean([rate(0, 1), rate(0, 2), rate(1, 2)])
    average = average_record_linkage(EuclideanLinker(), X, Y)
    assert average == pytest.approx(np.mean([one, two, rate(0, 1, 2)]))
    assert average_record_linkage(EuclideanLinker(), X, Y, n_known=[3]) == rate(0, 1, 2)
    both = average_record_linkage([EuclideanLinker(), MahalanobisLinker()], X, Y)
    other = average_record_linkage(MahalanobisLinker(), X, Y)
    assert both == pytest.approx((average + other) / 2)


def test_average_record_linkage_with_constant_variables():
    X = np.column_stack([np.arange(5.0), np.ones(5)])
    assert average_record_linkage(EuclideanLinker(), X, X) == (0.5 + 1) / 2
    with pytest.raises(ValueError, match=r"n_known is \[3\]: .* from 1 to 2"):
        average_record_linkage(EuclideanLinker(), X, X, n_known=[3])


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(0, 99), st.floats(0.01, 100))
def test_matrix_difference_laws(n_features, seed, scale):
    rng = np.random.default_rng(seed)
    first, second = (a + a.T for a in rng.normal(size=(2, n_features, n_features)))
    difference = matrix_mean_square_difference(first, second)
    assert difference == matrix_mean_square_difference(second, first) >= 0
    assert matrix_mean_square_difference(first, first) == 0
    assert matrix_mean_square_difference(scale * first, scale * second) == pytest.approx(
        scale**2 * difference
    )
    normalised = matrix_mean_square_difference(first, second, normalize=True)
    assert normalised <= 4 / len(np.triu_indices(n_features)[0])
    assert matrix_mean_square_difference(first, scale * second, normalize=True) == pytest.approx(
        normalised
    )


def test_matrices_that_do_not_compare():
    with pytest.raises(ValueError, match=r"second, of shape .* not a symmetric"):
        matrix_mean_square_difference(np.eye(2), [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="same variables"):
        matrix_mean_square_difference(np.eye(2), np.eye(3))
