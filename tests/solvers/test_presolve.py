"""Reductions change no optimum (law 4), and the ceiling is what it says (law 7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import OWA, Bilinear, Choquet, WeightedMean
from sklearn_reclink.families.cones import MonotoneCapacities, Orthant, SymmetricMatrices
from sklearn_reclink.solvers.presolve import beaten_records, linkage_ceiling, presolve
from sklearn_reclink.solvers.problem import LinkageProblem, linkage_problem
from tests.exact_arithmetic import best_subset

FAMILIES = {
    "weighted mean": (WeightedMean(), Orthant),
    "owa": (OWA(), Orthant),
    "choquet": (Choquet(), MonotoneCapacities),
}
every_family = pytest.mark.parametrize("family", FAMILIES)


def small_problem(family: str, original, masked) -> LinkageProblem:
    distance, domain = FAMILIES[family]
    original, masked = np.array(original, dtype=float), np.array(masked, dtype=float)
    return linkage_problem(original, masked, distance, domain(original.shape[1]))


@st.composite
def integer_files(draw):
    """Two files of small integers, the masked one near the original half of the time."""
    n_records, n_features = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 6, (n_records, n_features))
    if draw(st.booleans()):
        return original, original + rng.integers(-1, 2, original.shape)
    return original, rng.integers(0, 6, original.shape)


def integer_rows(problem: LinkageProblem, record: int, impostors) -> list[list[int]]:
    """Rows of integer files; features of integers are integers, and exact in floating point."""
    impostors = np.asarray(impostors, dtype=np.int64)
    if not len(impostors):
        return []
    rows, _ = problem.rows(np.full(len(impostors), record), impostors)
    assert np.array_equal(rows, np.round(rows))
    return rows.astype(int).tolist()


def domain_rows(problem: LinkageProblem) -> list[list[int]]:
    """The rows of these domains have entries of one size: their signs are the same cone."""
    return np.sign(problem.domain.rows).astype(int).tolist()


def enumerated_optimum(problem: LinkageProblem) -> int:
    every = range(problem.n_records)
    rows = [integer_rows(problem, i, [j for j in every if j != i]) for i in every]
    return len(best_subset(rows, domain_rows(problem)))


@every_family
@settings(max_examples=60, deadline=None)
@given(files=integer_files())
def test_law_4_reduction_preserves_optimum(family, files):
    problem = small_problem(family, *files)
    left = presolve(problem)
    kept = [integer_rows(problem, i, left.impostors[left.records == i]) for i in left.open]
    reduced = len(best_subset(kept, domain_rows(problem)))
    assert left.complete
    assert len(left.always) + reduced == enumerated_optimum(problem)


@every_family
@settings(max_examples=40, deadline=None)
@given(files=integer_files())
def test_every_record_is_never_always_or_open(family, files):
    problem = small_problem(family, *files)
    left = presolve(problem)
    everyone = np.concatenate([left.never, left.always, left.open])
    assert sorted(everyone) == list(range(problem.n_records))
    assert set(left.records) == set(left.open)
    assert np.all(left.records != left.impostors)


@every_family
@settings(max_examples=40, deadline=None)
@given(files=integer_files(), seed=st.integers(0, 2**32 - 1))
def test_never_and_always_hold_for_all_parameters(family, files, seed):
    problem = small_problem(family, *files)
    left = presolve(problem)
    for i in left.never:  # not even alone
        rows = integer_rows(problem, i, [j for j in range(problem.n_records) if j != i])
        assert best_subset([rows], domain_rows(problem)) == ()
    rng = np.random.default_rng(seed)
    for _ in range(5):
        weights = rng.dirichlet(np.full(problem.n_parameters, 0.3))
        linked = problem.linked(problem.domain.repair(weights))
        assert linked[left.always].all()
        assert not linked[left.never].any()


@settings(max_examples=100, deadline=None)
@given(files=integer_files())
def test_law_7_ceiling_equals_brute_force(files):
    original, masked = files
    beaten = [
        any(
            all((a - other) ** 2 <= (a - masked[i]) ** 2)
            for j, other in enumerate(masked)
            if j != i
        )
        for i, a in enumerate(original)
    ]
    np.testing.assert_array_equal(
        beaten_records(original.astype(float), masked.astype(float)), beaten
    )
    ceiling = linkage_ceiling(original.astype(float), masked.astype(float))
    assert ceiling == len(original) - sum(beaten)


@every_family
@settings(max_examples=30, deadline=None)
@given(files=integer_files())
def test_law_7_no_monotone_attacker_passes_the_ceiling(family, files):
    problem = small_problem(family, *files)
    assert enumerated_optimum(problem) <= linkage_ceiling(problem.original, problem.masked)


def test_record_beaten_in_every_variable_is_never_linked():
    #         own differs by (2, 2); the impostor by (1, 2): at most as far in both
    problem = small_problem("weighted mean", [[0, 0], [9, 9]], [[2, 2], [1, 2]])
    left = presolve(problem)
    np.testing.assert_array_equal(left.never, [0, 1])


def test_record_nearer_in_every_variable_is_always_linked():
    problem = small_problem("weighted mean", [[0, 0], [9, 9]], [[1, 1], [8, 8]])
    left = presolve(problem)
    np.testing.assert_array_equal(left.always, [0, 1])
    assert len(left.records) == 0


def test_equal_difference_in_one_variable_is_not_harmless():
    # with all weight on the first variable the two masked records tie
    problem = small_problem("weighted mean", [[0, 0], [9, 9]], [[1, 1], [1, 8]])
    left = presolve(problem)
    assert 0 in left.open
    assert left.impostors[left.records == 0].tolist() == [1]


def test_dominated_row_goes_and_of_equal_ones_the_first_stays():
    #          own (1, 1)  (0, 2)  dominated by it  equal to (0, 2)  (2, 0)
    masked = [[1, 1], [0, 2], [0, 3], [0, 2], [2, 0]]
    original = [[0, 0]] + [[50 * i, 70 * i] for i in range(1, 5)]
    left = presolve(small_problem("weighted mean", original, masked))
    assert sorted(left.impostors[left.records == 0].tolist()) == [1, 4]


def test_difference_within_rounding_is_a_tie_and_beats():
    original = np.array([[1.0, 1.0], [5.0, 5.0]])
    masked = np.array([[2.0, 2.0], [2.0 + 1e-14, 2.0]])
    assert beaten_records(original, masked)[0]
    masked[1] += 1e-9
    assert not beaten_records(original, masked)[0]


def test_one_group_of_equal_masked_records_leaves_a_ceiling_of_zero():
    masked = np.repeat([[1.0, 2.0], [8.0, 9.0]], 3, axis=0)
    assert linkage_ceiling(np.random.default_rng(0).normal(size=(6, 2)), masked) == 0


def test_distance_that_is_not_monotone_loses_duplicates_alone():
    masked = np.array([[1.0, 1.0], [2.0, 0.0], [1.0, 1.0], [3.0, 5.0]])
    problem = linkage_problem(np.zeros((4, 2)), masked, Bilinear(), SymmetricMatrices(2))
    left = presolve(problem)
    np.testing.assert_array_equal(left.never, [0, 2])
    np.testing.assert_array_equal(left.open, [1, 3])
    assert not left.complete
    assert len(left.always) == len(left.records) == 0


def test_file_with_ties_everywhere_has_no_open_record():
    original = np.array([[2, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]], dtype=float)
    masked = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [4, 0, 0]], dtype=float)
    problem = small_problem("weighted mean", original, masked)
    assert enumerated_optimum(problem) == linkage_ceiling(original, masked) == 0
