"""Line searches: the best step, impostors met, and parameters between starts and optimum."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sklearn_reclink.families import (
    Bilinear,
    Choquet,
    SemidefiniteBilinear,
    WeightedMean,
)
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.exact import solve
from sklearn_reclink.solvers.feasibility import Feasibility
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.line_search import MetImpostors, best_step, search_samples
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem, Status
from sklearn_reclink.solvers.starts import search_large
from tests.problems import problem_of


def files(n_records: int, seed: int = 0, grid: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_records, 3))
    Y = X + rng.normal(size=X.shape) * [0.05, 0.3, 1.0]
    return (np.round(2 * X), np.round(2 * Y)) if grid else (X, Y)


def climbed(problem, seconds=np.inf):
    """The best parameters that line searches find, and how many records they link."""
    best = [0, problem.family.centre]

    def offer(theta):
        count = int(linked(problem, theta).sum())
        better = problem.family.contains(theta) and count > best[0]
        if better:
            best[:] = count, theta
        return better

    records = np.arange(problem.index.n_records)
    search_samples(
        problem,
        records,
        best[1],
        offer,
        deadline=time.monotonic() + seconds,
        rng=np.random.default_rng(0),
    )
    return best


def linked(problem, theta):
    return problem.index.linked(problem.family, theta)


@pytest.mark.parametrize("seed", range(40))
def test_best_step_is_the_best_of_a_fine_grid(seed):
    rng = np.random.default_rng(seed)
    values, slopes = rng.normal(size=(2, 12, 3))
    slopes[rng.random(slopes.shape) < 0.2] = 0.0
    step, count = best_step(values, slopes, -2.0, 2.0)
    grid = np.append(np.linspace(-2, 2, 4001), step)
    counts = ((values + grid[:, None, None] * slopes) > 0).all(axis=2).sum(axis=1)
    assert -2 <= step <= 2
    assert counts[-1] == count == counts.max()


def test_best_step_where_nobody_can_be_linked():
    assert best_step(-np.ones((3, 2)), np.zeros((3, 2)), -1.0, 1.0) == (0.0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_best_step_on_a_grid_of_ties_is_the_enumerated_one(seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 6, size=rng.integers(1, 9)) / 8
    high = low + rng.integers(1, 5, size=len(low)) / 8
    slopes = np.tile([1.0, -1.0], (len(low), 1))
    step, count = best_step(np.column_stack([-low, high]), slopes, 0.0, 2.0)
    middles = np.arange(0.5, 12) / 8
    depths = np.count_nonzero((low < middles[:, None]) & (middles[:, None] < high), axis=1)
    assert count == depths.max() == np.count_nonzero((low < step) & (step < high))


def test_a_record_is_linked_where_all_its_rows_are_positive():
    values, slopes = np.array([[1.0, -1.0, 2.0]]), np.array([[-2.0, 4.0, 0.0]])
    assert best_step(values, slopes, 0.0, 1.0) == (0.375, 1)  # between 0.25 and 0.5
    assert best_step(np.array([[-1.0]]), np.array([[0.5]]), 0.0, 1.0)[1] == 0
    assert best_step(np.array([[0.0]]), np.array([[0.0]]), 0.0, 1.0)[1] == 0


def test_the_latest_impostors_are_held_once():
    met = MetImpostors(2, 2)
    for found in ([5, 7], [5, -1], [6, 8], [9, 7]):
        new, place = met.add(np.array(found))
        np.testing.assert_array_equal(met.impostors[new, place], np.array(found)[new])
    np.testing.assert_array_equal(met.impostors, [[9, 6], [7, 8]])


@pytest.mark.parametrize("family", [WeightedMean, Choquet, SemidefiniteBilinear])
def test_line_search_is_between_its_starts_and_the_proven_optimum(family):
    problem = problem_of(family, *files(80))
    proven = solve(problem, rng=np.random.default_rng(0))
    assert proven.status is Status.OPTIMAL
    count, theta = climbed(problem, seconds=1)
    assert count == linked(problem, theta).sum()
    start = linked(problem, problem.family.centre).sum()
    assert start < count <= proven.n_linked
    assert count >= 0.9 * proven.n_linked


def test_without_a_limit_the_search_ends_by_itself():
    count, _ = climbed(problem_of(WeightedMean, *files(200)))
    assert count > 0


def test_key_variable_is_proven_at_any_size():
    X, Y = files(200)
    Y[:, 0] = X[:, 0]
    problem = problem_of(WeightedMean, X, Y)
    found = solve(problem, rng=np.random.default_rng(0), most_pairs=0)
    assert (found.n_linked, found.bound, found.status) == (200, 200, Status.OPTIMAL)


def test_where_all_pairs_take_too_long_semidefinite_matrices_are_searched():
    problem = Problem(Bilinear(3), Index(*files(80)))
    presolved = presolve(problem)
    incumbent = Incumbent(problem, presolved, Feasibility(problem, presolved))
    incumbent.offer(problem.family.centre)
    first = incumbent.n_linked
    until = time.monotonic() + 0.5
    search_large(problem, incumbent, np.random.default_rng(0), until, None, all_pairs=False)
    assert incumbent.n_linked > first
    assert np.linalg.eigvalsh(Bilinear(3).unpack(incumbent.theta))[0] >= 0


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("family", [WeightedMean(3), Choquet(3)])
def test_nearest_impostors_by_tree_are_those_by_brute_force(grid, family):
    theta = np.abs(np.random.default_rng(1).normal(size=(2, family.n_parameters)))
    theta = np.array([family.repair(row) for row in np.sort(theta, axis=1)])
    records = np.arange(0, 150, 2)
    pair = files(150, grid=grid)
    _, by_all = Index(*pair).nearest_impostors(family, theta, records)
    impostors, by_tree = Index(*pair, dense_pairs=0).nearest_impostors(family, theta, records)
    assert (impostors != records).all()
    np.testing.assert_allclose(by_tree, by_all, atol=1e-9)
    np.testing.assert_array_equal(by_tree > 0, by_all > 0)


def test_masked_records_beyond_the_originals_are_impostors():
    X, Y = files(120)
    whole = problem_of(WeightedMean, X, Y)
    some = np.array([3, 40, 77, 100])
    others = np.delete(Y, some, axis=0)
    pool = np.concatenate([Y[some], others])
    part = problem_of(WeightedMean, X[some], pool)
    theta = np.ones(3)
    np.testing.assert_array_equal(linked(part, theta), linked(whole, theta)[some])
    never = presolve(whole).never
    np.testing.assert_array_equal(some[presolve(part).never], np.intersect1d(some, never))
    found = solve(part, rng=np.random.default_rng(0))
    assert found.status is Status.OPTIMAL
    assert found.n_linked == linked(part, found.theta).sum()
