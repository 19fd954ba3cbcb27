"""The papers' program: its size, its optimum where it is sound, and the links that it invents."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.data.views import learn_scales
from sklearn_reclink.families import Choquet, WeightedMean
from sklearn_reclink.families.cones import MonotoneCapacities, Orthant
from sklearn_reclink.solvers import solve
from sklearn_reclink.solvers.milp import (
    n_paper_constraints,
    papers_program,
    solve_papers_program,
)
from sklearn_reclink.solvers.problem import LinkageProblem, linkage_problem
from tests.exact_arithmetic import best_subset, unit_rows, weighted_mean_rows
from tests.papers import FILES


def weighted_mean_problem(original, masked) -> LinkageProblem:
    original, masked = np.array(original, dtype=float), np.array(masked, dtype=float)
    return linkage_problem(original, masked, WeightedMean(), Orthant(original.shape[1]))


def separated_files(seed: int) -> tuple[list[list[int]], list[list[int]]]:
    """Small integers: every row is 0 or at least 1 in size, far above a solver's tolerances."""
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 7, (6, 3))
    return original.tolist(), (original + rng.integers(-2, 3, original.shape)).tolist()


@pytest.mark.parametrize(("n_records", "n_features"), [(5, 3), (12, 4), (30, 6)])
def test_size_is_that_of_the_papers(n_records, n_features):
    rng = np.random.default_rng(0)
    problem = weighted_mean_problem(*rng.normal(size=(2, n_records, n_features)))
    # Table 2 of the 2015 paper: N (N - 1) + N + n + 1, the N being the K_i in {0, 1}
    expected = n_records * (n_records - 1) + n_records + n_features + 1
    assert n_paper_constraints(problem) == expected
    program = papers_program(problem)
    assert program.matrix.shape == (expected - n_records, n_features + n_records)
    assert program.integer.sum() == n_records
    np.testing.assert_array_equal(program.integer[:n_features], False)


def test_constant_is_above_every_violation():
    problem = weighted_mean_problem(*separated_files(0))
    program = papers_program(problem)
    constants = np.unique(program.matrix.toarray()[: 6 * 5, 3:])
    rows = program.matrix.toarray()[: 6 * 5, :3]
    assert constants.tolist() == [0.0, np.abs(rows).max() + 1]


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_the_exact_optimum_on_well_separated_problems(seed):
    original, masked = separated_files(seed)
    problem = weighted_mean_problem(original, masked)
    reference = solve_papers_program(problem, strictness=1e-3)
    expected = len(best_subset(weighted_mean_rows(original, masked), unit_rows(3)))
    assert reference.optimal
    assert reference.claimed_links == reference.recounted_links == expected
    assert solve(problem, random_state=0).n_linked == expected


@pytest.mark.parametrize("seed", range(3))
def test_choquet_program_agrees_with_the_exact_optimum(seed):
    original, masked = (np.array(file, dtype=float) for file in separated_files(seed))
    problem = linkage_problem(original, masked, Choquet(), MonotoneCapacities(3))
    reference = solve_papers_program(problem, strictness=1e-3)
    assert reference.claimed_links == reference.recounted_links
    assert reference.recounted_links == solve(problem, random_state=0).n_linked


def test_strictness_of_zero_claims_ties_as_links():
    # both records tie for all weights: nobody is re-identified, yet ">= 0" holds
    problem = weighted_mean_problem([[0, 0], [0, 0]], [[1, 1], [1, 1]])
    reference = solve_papers_program(problem, strictness=0.0)
    assert (reference.claimed_links, reference.recounted_links) == (2, 0)


def test_written_program_is_read_back_with_the_same_optimum(tmp_path):
    problem = weighted_mean_problem(*separated_files(1))
    program = papers_program(problem, strictness=1e-3)
    path = tmp_path / "program.mps"
    program.write_mps(str(path))
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    assert (highs.getNumRow(), highs.getNumCol()) == program.matrix.shape
    highs.run()
    misses = round(highs.getInfo().objective_function_value)
    assert 6 - misses == solve_papers_program(problem, strictness=1e-3).claimed_links


def test_no_point_in_time_is_no_solution():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(60, 4))
    problem = weighted_mean_problem(original, original + rng.normal(size=original.shape))
    reference = solve_papers_program(problem, time_limit=0.0)
    assert reference.theta is None or not reference.optimal
    assert reference.recounted_links <= problem.n_records


@pytest.mark.census
def test_papers_program_claims_links_that_do_not_exist(census):
    X, Y = FILES["M4-33"].draw(census, 0)
    scales = learn_scales(X, Y, "separate")
    problem = weighted_mean_problem(scales.original(X), scales.masked(Y))
    reference = solve_papers_program(problem, strictness=1e-6)
    proven = WeightedMeanLinker(random_state=0).fit(X, Y)
    claimed, recounted = reference.claimed_links, reference.recounted_links
    print(f"claimed {claimed}, recounted {recounted}, proven optimum {proven.bound_}")
    assert reference.optimal  # so says the solver
    assert claimed > recounted
    assert proven.n_linked_ == proven.bound_ == 383
    assert recounted <= proven.bound_ < claimed
