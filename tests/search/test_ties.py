"""The rule for "strictly nearer": what is a tie, and why a proof may rest on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_reclink.search.ties import (
    TIE_TOLERANCE,
    linked,
    rank,
    strictly_nearer,
    tied_with_nearest,
)

distances = st.floats(0, 1e12, allow_subnormal=False)


@given(distances)
def test_equal_distances_are_tied(d):
    assert not strictly_nearer(d, d, d, d)


@given(distances, distances)
def test_two_records_are_never_both_strictly_nearer(d, e):
    assert not (strictly_nearer(d, d, e, e) and strictly_nearer(e, e, d, d))
    if strictly_nearer(d, d, e, e):
        assert d < e


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1.0, 1e9, 1e200])
def test_distances_that_agree_to_twelve_digits_are_tied_at_any_scale(scale):
    near, apart = scale * (1 + TIE_TOLERANCE), scale * (1 + 5 * TIE_TOLERANCE)
    assert not strictly_nearer(scale, scale, near, near)
    assert strictly_nearer(scale, scale, apart, apart)


def test_zero_is_nearer_than_the_least_number_and_ties_with_zero():
    assert strictly_nearer(0.0, 0.0, 5e-324, 5e-324)
    assert not strictly_nearer(0.0, 0.0, 0.0, 0.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20), st.randoms())
def test_order_of_summation_makes_no_difference(terms, random):
    shuffled = random.sample(terms, len(terms))
    one, other = sum(terms), sum(shuffled)
    assert not strictly_nearer(one, one, other, other)


def test_difference_lost_in_cancellation_is_a_tie():
    # two distances whose terms are a million and cancel: their difference is rounding
    own, other = 1e6 - 1e6, (1e6 + 1e-9) - 1e6
    assert other > own
    assert not strictly_nearer(own, 2e6, other, 2e6)
    assert strictly_nearer(own, 0.0, other, other)


def test_rule_is_elementwise():
    own = np.array([1.0, 1.0, 2.0])
    other = np.array([2.0, 1.0, 1.0])
    np.testing.assert_array_equal(strictly_nearer(own, own, other, other), [True, False, False])
    np.testing.assert_array_equal(strictly_nearer(1.0, 1.0, other, other), [True, False, False])


@given(st.data())
def test_impostor_nearer_in_every_feature_is_never_beaten(data):
    size = data.draw(st.integers(1, 6))
    vector = st.lists(st.floats(0, 1e3), min_size=size, max_size=size).map(np.array)
    own, theta = data.draw(vector), data.draw(vector)
    other = own * np.array(
        data.draw(st.lists(st.floats(0, 1 + TIE_TOLERANCE), min_size=size, max_size=size))
    )
    assert not strictly_nearer(theta @ own, theta @ own, theta @ other, theta @ other)


@given(st.data())
def test_combined_rows_within_the_tolerance_defeat_all_parameters(data):
    # Farkas: sum lambda (phi_ij - phi_ii) <= TIE_TOLERANCE sum lambda (phi_ij + phi_ii)
    size = data.draw(st.integers(1, 4))
    vector = st.lists(st.integers(0, 50), min_size=size, max_size=size).map(
        lambda values: np.array(values, dtype=float)
    )
    first_own, first_other, theta = (data.draw(vector) for _ in range(3))
    row = first_other - first_own
    second_own, second_other = np.maximum(row, 0.0), np.maximum(-row, 0.0)  # the opposite row
    pairs = [(first_own, first_other), (second_own, second_other)]
    assert not all(
        strictly_nearer(theta @ own, theta @ own, theta @ other, theta @ other)
        for own, other in pairs
    )


def nearly_tied(rng, shape):
    """Distances of few different values, some of them moved by rounding or a little more."""
    moved = 1 + TIE_TOLERANCE * rng.choice([0, 0.1, 1, 1.5, 3, 5], shape)
    return rng.integers(1, 4, shape) * moved


def ranked_by_definition(values, rows, n_neighbors):
    left, ranked = list(range(len(values))), []
    while left:
        leader = min(left, key=lambda j: (values[j], rows[j]))
        lead = values[leader]
        tied = [j for j in left if not strictly_nearer(lead, lead, values[j], values[j])]
        ranked += sorted(tied, key=lambda j: rows[j])
        left = [j for j in left if j not in tied]
    return ranked[:n_neighbors]


@pytest.mark.parametrize("seed", range(40))
def test_candidates_are_ranked_by_the_definition(seed):
    rng = np.random.default_rng(seed)
    values = nearly_tied(rng, int(rng.integers(1, 15)))
    rows = rng.permutation(50)[: len(values)]
    for n_neighbors in range(1, len(values) + 1):
        expected = ranked_by_definition(values, rows, n_neighbors)
        assert rank(values, values, rows, n_neighbors).tolist() == expected


@pytest.mark.parametrize("seed", range(40))
def test_linked_and_tied_are_the_rule_for_every_pair(seed):
    rng = np.random.default_rng(seed)
    values = nearly_tied(rng, (12, int(rng.integers(1, 6))))
    own = rng.integers(0, values.shape[1], 12)
    tied, nearest = tied_with_nearest(values, values)
    for i, row in enumerate(values):
        mine, least = row[own[i]], row.min()
        others = np.delete(row, own[i])
        assert linked(own, values, values)[i] == all(
            strictly_nearer(mine, mine, other, other) for other in others
        )
        assert nearest[i] == least
        assert tied[i].tolist() == [not strictly_nearer(least, least, d, d) for d in row]
