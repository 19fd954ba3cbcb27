"""Reductions change no optimum (law 4), and the ceiling is what it says (law 7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import Bilinear
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem
from tests.exact_arithmetic import best_subset
from tests.problems import cone_rows, integer_rows, problem_of, random_integer_files

every_family = pytest.mark.parametrize("family", ["weighted mean", "owa", "choquet"])
by_either = pytest.mark.parametrize("dense_pairs", [0, 4_000_000], ids=["a tree", "all pairs"])


def enumerated_optimum(problem: Problem) -> int:
    rows = [integer_rows(problem, i) for i in range(problem.index.n_records)]
    return len(best_subset(rows, cone_rows(problem)))


@every_family
@settings(max_examples=60, deadline=None)
@given(files=random_integer_files())
def test_law_4_reduction_preserves_optimum(family, files):
    problem = problem_of(family, *files)
    left = presolve(problem)
    kept = [integer_rows(problem, i, left.impostors[left.records == i]) for i in left.open]
    reduced = len(best_subset(kept, cone_rows(problem)))
    assert left.complete
    assert len(left.always) + reduced == enumerated_optimum(problem)


@every_family
@settings(max_examples=40, deadline=None)
@given(files=random_integer_files())
def test_every_record_is_never_always_or_open(family, files):
    left = presolve(problem_of(family, *files))
    everyone = np.concatenate([left.never, left.always, left.open])
    assert sorted(everyone) == list(range(len(files[0])))
    assert set(left.records) == set(left.open)
    assert np.all(left.records != left.impostors)


@every_family
@settings(max_examples=40, deadline=None)
@given(files=random_integer_files(), seed=st.integers(0, 2**32 - 1))
def test_never_and_always_hold_for_all_parameters(family, files, seed):
    problem = problem_of(family, *files)
    left = presolve(problem)
    for i in left.never:  # not even alone
        assert best_subset([integer_rows(problem, i)], cone_rows(problem)) == ()
    rng = np.random.default_rng(seed)
    for _ in range(5):
        weights = rng.dirichlet(np.full(problem.family.n_parameters, 0.3))
        linked = problem.index.linked(problem.family, problem.family.repair(weights))
        assert linked[left.always].all()
        assert not linked[left.never].any()


@by_either
@settings(max_examples=100, deadline=None)
@given(files=random_integer_files())
def test_law_7_ceiling_equals_brute_force(dense_pairs, files):
    original, masked = files
    beaten = [
        any(
            all((a - other) ** 2 <= (a - masked[i]) ** 2)
            for j, other in enumerate(masked)
            if j != i
        )
        for i, a in enumerate(original)
    ]
    index = Index(original, masked, dense_pairs=dense_pairs)
    np.testing.assert_array_equal(index.dominated, beaten)
    assert index.ceiling == len(original) - sum(beaten)


@every_family
@settings(max_examples=30, deadline=None)
@given(files=random_integer_files())
def test_law_7_no_monotone_attacker_passes_the_ceiling(family, files):
    problem = problem_of(family, *files)
    assert enumerated_optimum(problem) <= problem.index.ceiling


def test_record_dominated_in_every_variable_is_never_linked():
    #         own differs by (2, 2); the impostor by (1, 2): at most as far in both
    problem = problem_of("weighted mean", [[0, 0], [9, 9]], [[2, 2], [1, 2]])
    left = presolve(problem)
    np.testing.assert_array_equal(left.never, [0, 1])


def test_record_nearer_in_every_variable_is_always_linked():
    problem = problem_of("weighted mean", [[0, 0], [9, 9]], [[1, 1], [8, 8]])
    left = presolve(problem)
    np.testing.assert_array_equal(left.always, [0, 1])
    assert len(left.records) == 0


def test_equal_difference_in_one_variable_is_not_harmless():
    # with all weight on the first variable the two masked records tie
    problem = problem_of("weighted mean", [[0, 0], [9, 9]], [[1, 1], [1, 8]])
    left = presolve(problem)
    assert 0 in left.open
    assert left.impostors[left.records == 0].tolist() == [1]


def test_dominated_row_goes_and_of_equal_ones_the_first_stays():
    #          own (1, 1)  (0, 2)  dominated by it  equal to (0, 2)  (2, 0)
    masked = [[1, 1], [0, 2], [0, 3], [0, 2], [2, 0]]
    original = [[0, 0]] + [[50 * i, 70 * i] for i in range(1, 5)]
    left = presolve(problem_of("weighted mean", original, masked))
    assert sorted(left.impostors[left.records == 0].tolist()) == [1, 4]


@by_either
def test_difference_within_rounding_is_a_tie_and_dominates(dense_pairs):
    original = np.array([[1.0, 1.0], [5.0, 5.0]])
    masked = np.array([[2.0, 2.0], [2.0 + 1e-14, 2.0]])
    assert Index(original, masked, dense_pairs=dense_pairs).dominated[0]
    masked[1] += 1e-9
    assert not Index(original, masked, dense_pairs=dense_pairs).dominated[0]


@by_either
def test_one_group_of_equal_masked_records_leaves_a_ceiling_of_zero(dense_pairs):
    masked = np.repeat([[1.0, 2.0], [8.0, 9.0]], 3, axis=0)
    original = np.random.default_rng(0).normal(size=(6, 2))
    assert Index(original, masked, dense_pairs=dense_pairs).ceiling == 0


@every_family
@settings(max_examples=30, deadline=None)
@given(files=random_integer_files())
def test_rows_too_many_to_hold_leave_the_same_records_open(family, files):
    problem = problem_of(family, *files)
    held, grown = presolve(problem), presolve(problem, most_pairs=1)
    np.testing.assert_array_equal(grown.never, held.never)
    np.testing.assert_array_equal(grown.open, np.union1d(held.open, held.always))
    assert not grown.complete
    assert len(grown.always) == len(grown.records) == 0


def test_distance_that_is_not_monotone_loses_duplicates_alone():
    masked = np.array([[1.0, 1.0], [2.0, 0.0], [1.0, 1.0], [3.0, 5.0]])
    left = presolve(problem_of(Bilinear, np.zeros((4, 2)), masked))
    np.testing.assert_array_equal(left.never, [0, 2])
    np.testing.assert_array_equal(left.open, [1, 3])
    assert not left.complete
    assert len(left.always) == len(left.records) == 0


def test_file_with_ties_everywhere_has_no_open_record():
    original = np.array([[2, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]])
    masked = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [4, 0, 0]])
    problem = problem_of("weighted mean", original, masked)
    assert enumerated_optimum(problem) == problem.index.ceiling == 0
