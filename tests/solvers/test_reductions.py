"""Each reduction at its border, and what is left where there is no room or time for rows."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sklearn_reclink.families import Bilinear
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.presolve import MOST_PAIRS, _fronts_of, presolve
from tests.problems import problem_of


def front(own, *others, places=(0.0, 16.0)):
    """Which masked records, of these differences, are rows of a record, wherever that is."""
    found = []
    for place in places:
        masked = place + np.array([own, *others], dtype=float)
        index = Index(np.full((1, masked.shape[1]), place), masked)
        found.append(_fronts_of(index, np.array([0]), np.inf)[0].tolist())
    assert found.count(found[0]) == len(places)
    return found[0]


@pytest.mark.parametrize(("excess", "rows"), [(0, [1]), (3.9e-12, [1]), (4.1e-12, []), (1, [])])
def test_an_impostor_is_harmless_if_clearly_farther_in_every_variable(excess, rows):
    farther = np.sqrt(1 + excess)
    assert front([1], [farther]) == rows
    assert front([1], [-farther]) == rows
    assert front([1, 1], [farther, 3]) == rows
    assert front([1, 1], [3, farther]) == rows
    assert front([1, 1, 1], [3, farther, 3]) == rows


def test_a_difference_of_zero_is_clearly_less_than_any_other():
    assert front([0, 0], [1e-100, 1e-100], places=[0.0]) == []
    assert front([0, 0], [1e-100, 0], places=[0.0]) == [1]


def test_a_dominated_row_goes():
    assert front([2, 2], [1, 3], [3, 1]) == [1, 2]  # neither dominates
    assert front([2, 2], [1, 4], [1, 3]) == [2]
    assert front([2, 2], [1, 3], [1, 4], [0, 3]) == [3]
    assert front([2, 2], [1, 3], [-1, -3], [1, 3]) == [1]  # equal ones: the first
    assert front([2, 2, 2], [1, 3, 5], [5, 1, 3], [3, 5, 1]) == [1, 2, 3]
    assert front([2, 2, 2], [1, 3, 5], [5, 1, 3], [5, 2, 3]) == [1, 2]  # by the second
    assert front([2, 2, 2], [1, 3, 5], [5, 1, 3], [1, 3, 6]) == [1, 2]  # by the first


def test_rows_come_nearest_first():
    assert front([3, 3], [0, 5], [4, 0], [3.5, 2]) == [2, 3, 1]
    assert front([3, 3], [4, 0], [0, 4]) == [1, 2]  # equally near: in their order
    assert front([9], [1], [2]) == [1]


def test_fronts_of_several_records_stand_one_after_another():
    rng = np.random.default_rng(0)
    original = rng.integers(0, 6, size=(9, 2)).astype(float)
    masked = original + rng.integers(-2, 3, size=original.shape)
    index = Index(original, masked)
    together = _fronts_of(index, np.arange(9), np.inf)
    alone = [_fronts_of(index, np.array([i]), np.inf)[0] for i in range(9)]
    assert [one.tolist() for one in together] == [one.tolist() for one in alone]
    assert sum(len(one) > 1 for one in alone) > 3


def test_the_own_record_is_no_row_whatever_its_place():
    masked = np.array([[5.0, 0.0], [1.0, 1.0], [0.0, 5.0]])
    index = Index(np.zeros((3, 2)), masked)
    fronts = _fronts_of(index, np.array([1, 2]), np.inf)
    assert [one.tolist() for one in fronts] == [[0, 2], [1, 0]]


@pytest.mark.parametrize(
    ("n_masked", "n_features", "n_records", "n_batches"),
    [
        (5000, 1, 2, 1),  # 2**26 // 5000**2 = 2 at once
        (5000, 1, 5, 3),
        (1024, 64, 2, 1),  # 2**20 // (8 * 1024 * 64) = 2 at once
        (1024, 64, 3, 2),
        (9000, 1, 2, 2),  # never fewer than one
    ],
)
def test_records_are_taken_by_batches(monkeypatch, n_masked, n_features, n_records, n_batches):
    batches = []

    def first_two(original, masked, caps, records, impostors, ends, sizes):
        assert np.diff(ends, prepend=0).tolist() == [n_masked - 1] * len(records)
        batches.append(records.tolist())
        impostors.reshape(len(records), n_masked - 1)[:, :2], sizes[:] = [7, 8], 2

    monkeypatch.setattr("sklearn_reclink.solvers.presolve._fronts", first_two)
    masked = np.ones((n_masked, n_features))
    index = Index(np.zeros_like(masked), masked)
    fronts = _fronts_of(index, np.arange(n_records), np.inf)
    assert [one.tolist() for one in fronts] == [[7, 8]] * n_records
    assert len(batches) == n_batches
    assert [i for batch in batches for i in batch] == list(range(n_records))


FILES = [[0, 0], [9, 9], [20, 20]], [[2, 2], [1, 2], [19, 21]]


@pytest.mark.parametrize(("most_pairs", "complete"), [(8, False), (9, True), (10, True)])
def test_rows_are_held_up_to_so_many_pairs(most_pairs, complete):
    left = presolve(problem_of("weighted mean", *FILES), most_pairs=most_pairs)
    assert left.complete == complete
    assert left.never.tolist() == [0, 1]
    assert left.always.tolist() == [2] * complete
    assert left.open.tolist() == [2] * (not complete)
    assert len(left.records) == len(left.impostors) == 0


def test_the_default_holds_five_thousand_records():
    assert MOST_PAIRS == 5000**2


@pytest.mark.parametrize(("deadline", "complete"), [(99.0, False), (100.0, False), (101.0, True)])
def test_rows_are_given_up_at_the_deadline(monkeypatch, deadline, complete):
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    left = presolve(problem_of("weighted mean", *FILES), deadline=deadline)
    assert left.complete == complete
    assert left.never.tolist() == [0, 1] and len(left.open) == (not complete)


def test_rows_of_several_records_stand_together():
    original = [[0, 0], [10, 10], [30, 30]]
    masked = [[2, 2], [9, 9], [31, 28], [0, 4], [4, 0], [30, 25], [25, 31]]
    left = presolve(problem_of("weighted mean", original, masked))
    assert left.never.tolist() == [] and left.always.tolist() == [1]
    assert left.open.tolist() == [0, 2] and left.complete
    rows = list(zip(left.records.tolist(), left.impostors.tolist(), strict=True))
    assert rows == [(0, 3), (0, 4), (2, 5), (2, 6)]


def test_an_impostor_of_a_pool_with_the_same_values_defeats_a_record_of_any_family():
    masked = [[1.0, 1.0], [2.0, 0.0], [3.0, 3.0], [2.0, 0.0], [7.0, 7.0], [7.0, 7.0]]
    left = presolve(problem_of(Bilinear, np.zeros((3, 2)), masked))
    assert left.never.tolist() == [1] and left.open.tolist() == [0, 2]
    assert not left.complete and len(left.always) == len(left.records) == len(left.impostors) == 0
    with pytest.raises(AttributeError):
        left.complete = True
