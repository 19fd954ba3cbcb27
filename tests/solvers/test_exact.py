"""The exact solver against enumeration in exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.cones import Orthant
from sklearn_reclink.solvers import solve
from sklearn_reclink.solvers.problem import LinkageProblem, Status, linkage_problem
from tests.exact_arithmetic import best_subset, unit_rows, weighted_mean_rows


@st.composite
def integer_files(draw, n_features=(2, 4), n_records=(2, 8), largest=6):
    n = draw(st.integers(*n_features))
    size = draw(st.integers(*n_records))
    cell = st.integers(0, largest)
    row = st.lists(cell, min_size=n, max_size=n)
    files = st.lists(row, min_size=size, max_size=size)
    original = draw(files)
    if draw(st.booleans()):  # masked near the original: many records link
        noise = st.lists(st.integers(-1, 1), min_size=n, max_size=n)
        shifts = draw(st.lists(noise, min_size=size, max_size=size))
        masked = [
            [x + d for x, d in zip(a, s, strict=True)]
            for a, s in zip(original, shifts, strict=True)
        ]
    else:
        masked = draw(files)
    return original, masked


def weighted_mean_problem(original, masked) -> LinkageProblem:
    return linkage_problem(
        np.array(original, float),
        np.array(masked, float),
        WeightedMean(),
        Orthant(len(original[0])),
    )


@settings(max_examples=300, deadline=None)
@given(integer_files())
def test_weighted_mean_optimum_equals_exact_enumeration(files):
    original, masked = files
    best = best_subset(weighted_mean_rows(original, masked), unit_rows(len(original[0])))
    solution = solve(weighted_mean_problem(original, masked), random_state=0)
    assert solution.status == Status.OPTIMAL
    assert solution.n_linked == solution.bound == len(best)


def test_solution_is_a_recount():
    rng = np.random.default_rng(3)
    original = rng.integers(0, 30, (40, 3)).astype(float)
    problem = linkage_problem(
        original, original + rng.integers(-3, 4, (40, 3)), WeightedMean(), Orthant(3)
    )
    solution = solve(problem, random_state=0)
    assert problem.linked(solution.theta).sum() == solution.n_linked == solution.bound


@pytest.mark.parametrize("seed", range(5))
def test_optimum_does_not_depend_on_the_seed_nor_on_the_order_of_records(seed):
    rng = np.random.default_rng(0)
    original = rng.normal(size=(60, 4))
    masked = original + rng.normal(scale=0.5, size=(60, 4))
    order = np.random.default_rng(seed).permutation(60)
    reference = solve(linkage_problem(original, masked, WeightedMean(), Orthant(4)), random_state=0)
    shuffled = linkage_problem(original[order], masked[order], WeightedMean(), Orthant(4))
    assert solve(shuffled, random_state=seed).bound == reference.bound
    assert reference.status == Status.OPTIMAL


def test_time_limit_returns_a_valid_bound():
    rng = np.random.default_rng(0)
    original = rng.lognormal(sigma=2, size=(300, 6))
    masked = original * rng.lognormal(sigma=1, size=(300, 6))
    problem = linkage_problem(original, masked, WeightedMean(), Orthant(6))
    solution = solve(problem, time_limit=0.2, random_state=0)
    assert solution.status == Status.TIME_LIMIT
    assert problem.linked(solution.theta).sum() == solution.n_linked < solution.bound
