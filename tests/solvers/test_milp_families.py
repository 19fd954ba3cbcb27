"""The papers' program of every family: its size by their tables, and its optimum."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from sklearn_reclink.families import (
    OWA,
    Bilinear,
    Choquet,
    KAdditiveChoquet,
    NonnegativeBilinear,
    SemidefiniteBilinear,
    SubmodularChoquet,
    SubmodularKAdditiveChoquet,
    WeightedMean,
)
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.exact import solve
from sklearn_reclink.solvers.milp import (
    n_paper_constraints,
    papers_program,
    solve_milp,
)
from sklearn_reclink.solvers.problem import Problem

FAMILIES = {
    "d2WM": lambda a, b: WeightedMean(a.shape[1]),
    "OWA": lambda a, b: OWA(a.shape[1]),
    "d2CI": lambda a, b: Choquet(a.shape[1]),
    "d2CI_m": lambda a, b: SubmodularChoquet(a.shape[1]),
    "2-additive": lambda a, b: KAdditiveChoquet(a.shape[1], 2),
    "2-additive_m": lambda a, b: SubmodularKAdditiveChoquet(a.shape[1], 2),
    "d2SB_NC": lambda a, b: Bilinear(a.shape[1]),
    "d2SB": NonnegativeBilinear,
}


def problem_of(family, original, masked):
    return Problem(FAMILIES[family](original, masked), Index(original, masked))


def files(seed, n_records=6, n_features=3):
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 7, (n_records, n_features)).astype(float)
    return original, original + rng.integers(-2, 3, original.shape)


@pytest.mark.parametrize(("n_records", "n_features"), [(5, 2), (8, 3), (12, 5)])
def test_constraint_counts_are_those_of_the_2015_paper(n_records, n_features):
    N, n = n_records, n_features
    general = N * (N - 1) + N
    subsets = sum(comb(n, k) * k for k in range(2, n + 1))
    expected = {
        "d2WM": general + n + 1,  # Table 2
        "d2CI": general + 2 + subsets,
        "d2CI_m": general + 2 + subsets + comb(n, 2),  # Table 3
        "d2SB_NC": general,  # section 5.3
        "d2SB": general + N**2,
    }
    rng = np.random.default_rng(0)
    original, masked = rng.normal(size=(2, N, n))
    # what the papers count and a program need not state as a row: K_i in {0, 1}, mu(empty) = 0;
    # and what it states beyond their count: mu >= 0 of single variables
    unstated = {"d2WM": N, "d2CI": N + 1 - n, "d2SB_NC": N, "d2SB": N}
    for family, count in expected.items():
        problem = problem_of(family, original, masked)
        assert n_paper_constraints(problem) == count
        if family in unstated:
            stated = sum(part.size for part in papers_program(problem).model.constraints)
            assert stated == count - unstated[family]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", FAMILIES)
def test_program_agrees_with_the_solver_on_well_separated_problems(family, seed):
    problem = problem_of(family, *files(seed))
    found = solve_milp(problem, strictness=1e-3)
    solution = solve(problem, rng=np.random.default_rng(0))
    assert found.optimal
    assert found.claimed_links == found.recounted_links == solution.n_linked
    assert solution.n_linked == solution.bound


@pytest.mark.parametrize("family", FAMILIES)
def test_constant_exceeds_every_violation(family):
    original, masked = files(0)
    problem = problem_of(family, original, masked)
    program = papers_program(problem)
    rng = np.random.default_rng(0)
    lower, upper = problem.family.box
    for _ in range(300):
        theta = problem.family.repair(rng.uniform(lower, upper))
        scale = theta @ problem.family.normaliser or np.abs(theta).max()
        assert np.max(-program.rows @ (theta / scale)) < program.constant


def test_no_scale_and_no_strictness_link_everyone_by_zero_parameters():
    problem = problem_of("d2SB_NC", *files(0))
    vacuous = solve_milp(problem, strictness=0.0)
    assert vacuous.claimed_links == 6 >= vacuous.recounted_links
    assert (
        solve_milp(problem).recounted_links == solve(problem, rng=np.random.default_rng(0)).n_linked
    )


def test_semidefinite_matrices_have_no_linear_program():
    original, masked = files(0)
    problem = Problem(SemidefiniteBilinear(3), Index(original, masked))
    with pytest.raises(ValueError, match="infinitely many rows"):
        papers_program(problem)
