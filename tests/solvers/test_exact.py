"""The exact solver against enumeration in exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings

from sklearn_reclink.families import Choquet, WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.exact import ExactSearch, solve_exact
from sklearn_reclink.solvers.problem import Problem, Status
from sklearn_reclink.solvers.shares import Shares
from tests.exact_arithmetic import best_subset, unit_rows, weighted_mean_rows
from tests.problems import (
    FAMILIES,
    MONOTONE,
    integer_files,
    n_linked,
    noisy_files,
    problem_of,
    random_integer_files,
    solved,
)


@settings(max_examples=300, deadline=None)
@given(integer_files())
def test_weighted_mean_optimum_equals_exact_enumeration(files):
    original, masked = files
    best = best_subset(weighted_mean_rows(original, masked), unit_rows(len(original[0])))
    solution = solved(problem_of(WeightedMean, original, masked))
    assert solution.status == Status.OPTIMAL
    assert solution.n_linked == solution.bound == len(best)


def test_solution_is_a_recount():
    rng = np.random.default_rng(3)
    original = rng.integers(0, 30, (40, 3))
    problem = problem_of(WeightedMean, original, original + rng.integers(-3, 4, (40, 3)))
    solution = solved(problem)
    assert n_linked(problem, solution.theta) == solution.n_linked == solution.bound


@pytest.mark.parametrize("seed", range(5))
def test_optimum_does_not_depend_on_the_seed_nor_on_the_order_of_records(seed):
    rng = np.random.default_rng(0)
    original = rng.normal(size=(60, 4))
    masked = original + rng.normal(scale=0.5, size=(60, 4))
    order = np.random.default_rng(seed).permutation(60)
    reference = solved(problem_of(WeightedMean, original, masked))
    shuffled = problem_of(WeightedMean, original[order], masked[order])
    assert solved(shuffled, seed).bound == reference.bound
    assert reference.status == Status.OPTIMAL


def test_time_limit_returns_a_valid_bound():
    problem = problem_of(WeightedMean, *noisy_files(0, 300, 6, spread=2, noise=1))
    solution = solved(problem, time_limit=0.2)
    assert solution.status == Status.TIME_LIMIT
    assert n_linked(problem, solution.theta) == solution.n_linked < solution.bound


@pytest.mark.parametrize("name", MONOTONE)
@settings(max_examples=30, deadline=None)
@given(files=random_integer_files(n_records=(3, 9), n_features=(2, 3), noise=2))
def test_rows_that_a_tree_grows_give_the_same_optimum(name, files):
    best = solved(problem_of(name, *files))
    problem = problem_of(name, *files, dense_pairs=0)
    rng = np.random.default_rng(0)
    grown = solve_exact(problem, time_limit=60, rng=rng, most_pairs=1)
    assert (grown.n_linked, grown.bound) == (best.n_linked, best.bound)
    assert n_linked(problem, grown.theta) == grown.n_linked


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=10, deadline=None)
@given(files=random_integer_files(n_records=(3, 9), n_features=(2, 3), noise=2))
def test_search_told_of_links_found_elsewhere_bounds_the_larger_of_both(name, files):
    problem = problem_of(name, *files)
    best = solved(problem).n_linked
    for at_least in {0, best - 1, best, best + 1, problem.index.n_records + 1} - {-1}:
        for told in ("at_least", "enough"):
            solution = solved(problem, **{told: at_least})
            assert solution.status == Status.OPTIMAL
            assert best <= solution.bound <= max(best, at_least)
            assert at_least >= best or solution.n_linked == best
            assert n_linked(problem, solution.theta) == solution.n_linked


def test_links_found_elsewhere_shorten_the_proof():
    problem = problem_of(WeightedMean, *noisy_files(0, 300, 6, spread=2, noise=1))
    solution = solved(problem, time_limit=0.2)
    assert solved(problem, time_limit=0.2, at_least=solution.bound).status == Status.OPTIMAL


@pytest.mark.parametrize("caps", [None, np.array([np.inf, np.inf, 2.0])])
def test_a_mixed_file_starts_from_what_simpler_families_find(caps):
    rng = np.random.default_rng(1)
    original = np.column_stack([rng.normal(size=(40, 2)), 4.0 * rng.integers(0, 3, 40)])
    masked = original + np.column_stack([rng.normal(size=(40, 2)), np.zeros(40)])
    asked: list[float] = []
    search = ExactSearch(
        Problem(mixed_family(Choquet(3), caps), Index(original, masked, caps=caps)),
        time_limit=60.0,
        rng=rng,
        late_starts=lambda seconds: asked.append(seconds) or [],
        shares=Shares(before_late=1.0),
    )
    search.run()
    assert bool(asked) == (caps is not None)
