"""Feasibility checks against exact arithmetic: every *no* is true, every *yes* links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.solvers.feasibility import Feasibility
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem
from sklearn_reclink.solvers.row_cache import RowCache
from tests.exact_arithmetic import best_subset
from tests.problems import (
    cone_rows,
    integer_rows,
    noisy_files,
    problem_of,
    random_integer_files,
)

every_family = pytest.mark.parametrize("family", ["weighted mean", "owa", "choquet", "bilinear"])
near_files = random_integer_files((3, 6), (2, 3), largest=7, noise=2, always_near=True)


def can_be_linked(problem: Problem, records) -> bool:
    """In exact arithmetic, over all rows of the records."""
    rows = [integer_rows(problem, i) for i in records]
    return len(best_subset(rows, cone_rows(problem))) == len(rows)


def feasibility_of(family, original, masked) -> Feasibility:
    problem = problem_of(family, original, masked)
    return Feasibility(problem, presolve(problem))


@every_family
@settings(max_examples=30, deadline=None)
@given(files=near_files)
def test_answers_agree_with_exact_arithmetic(family, files):
    feasibility = feasibility_of(family, *files)
    problem = feasibility.problem
    for size in range(1, len(feasibility.open) + 1):
        for records in combinations(feasibility.open.tolist(), size):
            answer = feasibility.check(np.array(records))
            assert (answer.theta is None) != (answer.conflict is None)  # small integers: decided
            if answer.theta is not None:
                assert can_be_linked(problem, records)
                # zero: no row was needed, the centre links them
                theta = answer.theta if answer.theta.any() else problem.family.centre
                linked = problem.index.linked(problem.family, problem.family.repair(theta))
                assert linked[list(records)].all()
            else:
                assert set(answer.conflict.tolist()) <= set(records)
                assert not can_be_linked(problem, answer.conflict.tolist())


@every_family
@settings(max_examples=40, deadline=None)
@given(files=near_files)
def test_minimised_conflict_is_a_conflict_and_can_spare_nobody(family, files):
    feasibility = feasibility_of(family, *files)
    answer = feasibility.check(feasibility.open)
    if answer.conflict is None:
        return
    minimal = feasibility.minimise(answer.conflict).tolist()
    assert set(minimal) <= set(answer.conflict.tolist())
    assert not can_be_linked(feasibility.problem, minimal)
    if feasibility.problem.family.monotone:  # else rows not grown yet may shorten it further
        for record in minimal:
            assert can_be_linked(feasibility.problem, [i for i in minimal if i != record])


def three_records() -> Feasibility:
    """Records 0 and 1 want opposite weights; record 2 wants nothing in particular.

    Rows against each impostor: record 0 is linked iff w_0 > w_1, record 1 iff w_1 > w_0.
    """
    original = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 300.0], [0.0, 900.0], [50.0, 900.0]])
    masked = np.array([[1.0, 2.0], [102.0, 1.0], [1.0, 301.0], [2.0, 1.0], [101.0, 2.0]])
    return feasibility_of(WeightedMean, original, masked)


def test_hand_made_conflict_of_two():
    feasibility = three_records()
    assert feasibility.check(np.array([0])).theta is not None
    assert feasibility.check(np.array([1])).theta is not None
    assert feasibility.check(np.array([0, 1])).conflict.tolist() == [0, 1]
    assert feasibility.minimise(np.array([0, 1])).tolist() == [0, 1]


def test_nobody_wanted_is_no_conflict():
    feasibility = three_records()
    assert feasibility.check(np.empty(0, dtype=np.int64)).conflict is None


def test_pairs_are_held_once():
    feasibility = three_records()
    feasibility.check(np.array([0, 1]))
    cache = feasibility.cache
    before = len(cache.rows)
    known = np.flatnonzero(cache.owners == 0)
    assert len(known)
    assert cache.add_pairs(np.array([0, 0]), np.array([3, 3])) <= 1
    assert cache.add_pairs(np.array([0]), np.array([3])) == 0
    assert len(cache.rows) <= before + 1
    lengths = np.linalg.norm(cache.rows, axis=1)
    np.testing.assert_allclose(lengths, 1)


def test_combination_above_what_ties_allow_proves_nothing():
    feasibility = three_records()
    feasibility.check(np.array([0, 1]))
    cache = feasibility.cache
    rows = np.flatnonzero(cache.owners >= 0)[:1]
    assert cache.conflict_of(rows, np.ones(1)) is None


def test_impostor_at_the_opposite_difference_ties_for_every_matrix():
    # a_0 - b_0 = (-2, 1) and a_0 - b_2 = (2, -1): the row is zero, quick distances round it to more
    original = np.array([[0, 4], [4, 1], [0, 4], [0, 2], [1, 3]])
    masked = np.array([[2, 3], [6, 2], [-2, 5], [-1, 1], [0, 2]])
    feasibility = feasibility_of("bilinear", original, masked)
    assert feasibility.check(np.array([0])).conflict.tolist() == [0]


def test_products_that_underflow_prove_nothing():
    """Matrices that weigh the second variable by 2**1201 link both; in floats its squares are 0."""
    original = np.array([[0, 0], [10, 0], [20, 5], [30, 5]])
    masked = np.array([[1, 0], [10, 2.0**-601], [0, 2.0**-600], [11, 0]])
    problem = problem_of("bilinear", original, masked)
    cache = RowCache(problem)
    cache.add_pairs(np.array([0, 1]), np.array([2, 3]))
    np.testing.assert_array_equal(cache.raw, [[-1, 0, 0], [1, 0, 0]])
    assert cache.conflict_of(np.arange(2), np.ones(2)) is None
    masked[1:3, 1] = 0
    cache = RowCache(problem_of("bilinear", original, masked))
    cache.add_pairs(np.array([0, 1]), np.array([2, 3]))
    assert cache.conflict_of(np.arange(2), np.ones(2)).tolist() == [0, 1]


def test_a_part_holds_no_more_memory_than_its_own_rows():
    problem = problem_of("weighted mean", *noisy_files(0, 60))
    whole = Feasibility(problem, presolve(problem))
    for record in whole.open:
        everyone = np.delete(np.arange(60), record)
        whole.cache.add_pairs(np.repeat(record, 59), everyone)
    part = whole.part(whole.open[:2])
    assert len(part.cache.rows) < 150 < len(whole.cache.rows)
    assert part.cache._wide.shape[1] < 300
    np.testing.assert_array_equal(part.twin().cache.raw, problem.family.rows)
