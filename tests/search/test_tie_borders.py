"""The rule for ties at its border, with magnitudes that are not the distances themselves."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink.search.ties import (
    BOX_TOLERANCE,
    TIE_TOLERANCE,
    at_most_as_far,
    compared,
    linked,
    margin,
    rank,
    strictly_nearer,
    tied_with_nearest,
)

EIGHT = 8 * TIE_TOLERANCE  # exactly, as 8 is a power of two


@pytest.mark.parametrize("magnitudes", [(0.0, 8.0), (8.0, 0.0), (3.0, 5.0), (7.0, 1.0)])
@pytest.mark.parametrize("own", [0.0, -EIGHT / 2, EIGHT, -EIGHT])
def test_a_gap_of_the_tolerance_is_a_tie_and_one_bit_more_is_none(own, magnitudes):
    mine, others = magnitudes
    at, above = own + EIGHT, own + EIGHT * (1 + 2**-50)
    assert not strictly_nearer(own, mine, at, others)
    assert strictly_nearer(own, mine, above, others)
    assert not strictly_nearer(own, mine, own + EIGHT * (1 - 2**-50), others)
    assert not strictly_nearer(above, mine, own, others)
    assert margin(own, mine, at, others) == 0
    assert margin(own, mine, above, others) > 0 > margin(own, mine, own, others)


def test_the_tolerance_and_the_margin():
    assert TIE_TOLERANCE == 1e-12
    assert margin(1.0, 2e12, 50.0, 3e12) == pytest.approx(49 - 5, rel=1e-15)
    np.testing.assert_allclose(
        margin(np.array([1.0, 4.0]), 1e12, np.array([9.0, 2.0]), 2e12), [5.0, -5.0]
    )


def test_a_variable_is_at_most_as_far_up_to_half_the_tolerance():
    assert BOX_TOLERANCE == 5e-13
    gap = 1e-12  # of numbers of sum 2
    pairs = [(1, 1), (1, 1 + gap * 0.999), (3, 2), (0, 0), (7e9, 7e9 * (1 + gap * 0.999))]
    farther = [(1, 1 + gap * 1.001), (2, 3), (0, 5e-324), (0, 1), (7e9, 7e9 * (1 + gap * 1.001))]
    own, other = np.array(pairs + farther, dtype=float).T
    assert at_most_as_far(own, other).tolist() == [True] * 5 + [False] * 5


def test_a_record_is_linked_if_strictly_nearer_than_every_other():
    values = np.array([[1.0, 3.0, 2.0], [3.0, 1.0, 2.0], [2.0, 1.0, 2.0], [1.0, 1.0, 5.0]])
    own = np.array([0, 0, 1, 1])
    assert linked(own, values, values).tolist() == [True, False, True, False]
    one = np.array([[1.0, 1.0 + 1e-9]])
    for magnitudes, expected in (([1, 1], True), ([1e6, 1], False), ([1, 1e6], False)):
        assert linked(np.array([0]), one, np.array([magnitudes], dtype=float))[0] == expected
    assert linked(np.array([0]), np.array([[7.0]]), np.array([[7.0]])).tolist() == [True]


def test_candidates_tied_with_the_nearest():
    values = np.array([[2.0, 1.0, 1.0 + 1e-13, 1.0 + 1e-9], [5.0, 7.0, 6.0, 5.0]])
    tied, nearest = tied_with_nearest(values, values)
    assert tied.tolist() == [[False, True, True, False], [True, False, False, True]]
    assert nearest.tolist() == [1.0, 5.0]
    magnitudes = np.ones((2, 4))
    magnitudes[0, 1] = 1e6  # of the nearest: the last is tied with it, too
    magnitudes[1, 2] = 1e13  # of another one: it is tied
    tied, nearest = tied_with_nearest(values, magnitudes)
    assert tied.tolist() == [[False, True, True, True], [True, False, True, True]]
    assert nearest.tolist() == [1.0, 5.0]


def test_records_are_compared_with_their_own():
    values = np.array([[1.0, 3.0, 2.0], [3.0, 1.0, 1.0], [2.0, 2.0, 5.0], [4.0, 1.0, 6.0]])
    found = compared(np.array([0, 1, 1, 0]), values.copy(), values.copy())
    assert [one.tolist() for one in found] == [
        [0, 1, 0, 1],  # linked to
        [1.0, 1.0, 2.0, 1.0],  # the nearest
        [1.0, 1.0, 2.0, 4.0],  # their own
        [2.0, 1.0, 2.0, 1.0],  # the nearest of the others
        [1, 2, 2, 1],  # how many are tied with the nearest
        [True, False, False, False],
        [True, True, True, False],
    ]


def test_candidates_that_are_tied_come_in_the_order_of_their_rows():
    values = np.array([3.0, 1.0 + 1e-13, 2.0, 1.0, 2.0 + 1e-13])
    rows = np.array([4, 1, 9, 2, 7])
    order = [1, 3, 4, 2, 0]
    for n_neighbors in range(1, 6):
        assert rank(values, values, rows, n_neighbors).tolist() == order[:n_neighbors]
    # a large magnitude ties a far candidate of a low row with the nearest
    magnitudes = np.array([1e13, 1.0, 1.0, 1.0, 1.0])
    assert rank(values, magnitudes, np.array([0, 1, 9, 2, 7]), 2).tolist() == [0, 1]
    # so does that of the leader itself, or of one before the last
    leading = magnitudes[[1, 1, 1, 0, 1]]
    for n_neighbors in (1, 2):
        found = rank(values, leading, np.array([0, 1, 9, 2, 7]), n_neighbors)
        assert found.tolist() == [0, 1][:n_neighbors]
    assert rank(values, np.ones(5), rows, 3).tolist() == order[:3]


def test_a_leader_is_the_nearest_and_of_equals_the_lowest_row():
    """A chain: the first ties with the second, the second with the third, not the first with it."""
    values = np.array([1 + 3e-12, 1 + 1.5e-12, 1.0])
    assert rank(values, values, np.array([0, 1, 2]), 3).tolist() == [1, 2, 0]
    equal = np.array([1.0, 1.0, 1.0])
    magnitudes = np.array([1.0, 1.0, 1e9])
    assert rank(equal, magnitudes, np.array([5, 3, 4]), 3).tolist() == [1, 2, 0]


@pytest.mark.parametrize("n_neighbors", [1, 2, 57, 400, 999, 1000])
def test_the_first_of_many_candidates(n_neighbors):
    values = np.random.default_rng(0).permutation(1000).astype(float)
    found = rank(values, values, np.arange(1000), n_neighbors)
    np.testing.assert_array_equal(found, np.argsort(values)[:n_neighbors])
