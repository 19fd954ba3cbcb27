"""Bounds by blocks: never below what parameters link, and the same from all kinds of workers."""

from __future__ import annotations

import os
import time
from math import comb
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.families import Bilinear, WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.blocks import search
from sklearn_reclink.solvers.blocks.confidence import confidence_bound
from sklearn_reclink.solvers.blocks.plan import Kind, Plan, make_plan
from sklearn_reclink.solvers.blocks.proof import BlockProof, Level
from sklearn_reclink.solvers.blocks.search import _Maker, bound_by_blocks, improve_by_blocks
from sklearn_reclink.solvers.blocks.workers import prove_blocks
from sklearn_reclink.solvers.problem import Problem, Solution, Status
from tests import problems


def bound_of(
    problem, theta=None, seed=0, *, size=30, number=10**6, excess=0.0, n_impostors=2, **options
):
    plan = Plan(Kind(size, n_impostors), number, excess)
    options = {"deadline": np.inf, "plan": plan} | options
    theta = problem.family.centre if theta is None else theta
    records = np.arange(problem.index.n_records)
    rng = np.random.default_rng(seed)
    return bound_by_blocks(problem, theta, records, rng=rng, **options)


@pytest.fixture(scope="module")
def noisy():
    """A weighted mean of a file, and its proven optimum."""
    problem = problems.problem_of("weighted mean", *problems.noisy_files(3, 150, 3))
    return problem, problems.solved(problem)


# -- confidence -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(("n_records", "n_sampled"), [(12, 5), (30, 11), (40, 40), (25, 1)])
def test_confidence_bound_is_too_low_at_most_as_often_as_its_level_allows(
    n_records, n_sampled, level
):
    bounds = [
        confidence_bound(n_records, n_sampled, found, level) for found in range(n_sampled + 1)
    ]
    for n_linked in range(n_records + 1):
        too_low = sum(
            comb(n_linked, found) * comb(n_records - n_linked, n_sampled - found)
            for found in range(n_sampled + 1)
            if bounds[found] < n_linked
        )
        assert too_low <= (1 - level) * comb(n_records, n_sampled) * (1 + 1e-9)


def test_confidence_bound_grows_with_what_is_found_and_falls_with_the_sample():
    bounds = [confidence_bound(1000, 100, found, 0.99) for found in range(101)]
    assert (np.diff(bounds) >= 0).all()
    assert bounds[100] == 1000
    rates = [confidence_bound(10_000, n, 6 * n // 10, 0.99) for n in (100, 1000, 5000, 10_000)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 6000


# -- bounds ---------------------------------------------------------------------------------------


def test_equal_masked_records_that_lack_a_value_are_in_no_block(monkeypatch):
    masked = np.array([[1.0, np.nan], [1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    caps, asked = np.full(2, np.inf), []
    problem = Problem(mixed_family(Bilinear(2), caps), Index(masked + 1, masked, caps=caps))
    monkeypatch.setattr(
        search, "bound_by_blocks", lambda _, __, records, **___: asked.extend(records)
    )
    solution = Solution(problem.family.centre, 0, 4, Status.TIME_LIMIT)
    improve_by_blocks(problem, solution, deadline=60.0, rng=np.random.default_rng(0))
    assert asked == [2, 3]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", problems.FAMILIES)
def test_blocks_bound_the_optimum(name, seed):
    files = problems.tied_files(np.random.default_rng(seed), 24, 24)
    if name == "bilinear":  # ties leave its proofs open
        files = problems.noisy_files(seed, 24, 2)
    problem = problems.problem_of(name, *files)
    optimum = problems.solved(problem, time_limit=20.0).n_linked
    for size in (5, 24):
        found = bound_of(problem, seed=seed, size=size)
        assert found.n_finished == found.n_planned == found.n_blocks
        assert found.bound == found.confidence_bound >= optimum


@pytest.mark.parametrize("excess", [0.0, 0.05, 1.0])
def test_no_parameters_link_more_than_the_blocks_allow(noisy, excess):
    problem, solution = noisy
    found = bound_of(problem, solution.theta, size=40, excess=excess)
    rng = np.random.default_rng(1)
    near = solution.theta * rng.lognormal(sigma=0.3, size=(40, 3))
    far = rng.dirichlet(np.ones(3), size=40)
    most = max(problems.n_linked(problem, theta) for theta in (*near, *far))
    assert most <= solution.n_linked <= found.bound <= problem.index.n_records


def test_one_block_with_all_impostors_is_the_optimum(noisy):
    problem, solution = noisy
    found = bound_of(problem, solution.theta, size=150, n_impostors=149)
    assert found.bound == solution.n_linked == solution.bound


def test_a_sample_is_too_low_at_most_as_often_as_its_level_allows(noisy):
    problem, solution = noisy
    options = {"size": 30, "number": 2, "level": 0.9, "n_impostors": 4}
    found = [bound_of(problem, solution.theta, seed, **options) for seed in range(200)]
    assert {(one.bound, one.n_blocks, one.n_planned) for one in found} == {(None, 5, 2)}
    bounds = np.array([one.confidence_bound for one in found])
    assert np.count_nonzero(bounds < solution.n_linked) <= 20
    assert bounds.mean() < problem.index.n_records


def test_a_block_without_time_counts_with_its_size(noisy):
    problem, _ = noisy
    found = bound_of(problem, size=50, deadline=time.monotonic() - 1)
    assert found.bound == problem.index.n_records
    assert found.n_finished == 0


def test_blocks_end_at_the_deadline_and_keep_what_was_known():
    problem = problems.problem_of("weighted mean", *problems.noisy_files(0, 400, 4))
    theta = problem.family.centre
    solution = Solution(theta, problems.n_linked(problem, theta), 400, Status.TIME_LIMIT)
    bound_of(problem, size=200, number=1, excess=0.5)  # compiles
    begin = time.monotonic()
    rng = np.random.default_rng(0)
    found = improve_by_blocks(problem, solution, deadline=begin + 2.0, rng=rng)
    assert time.monotonic() - begin < 4.0
    assert solution.n_linked <= found.confidence_bound <= found.bound < 400
    assert found.confidence_level == 0.99
    assert improve_by_blocks(problem, solution, deadline=np.inf, rng=rng) is solution


# -- plans ----------------------------------------------------------------------------------------


def pilot(number, *levels, n_records=400):
    levels = tuple(Level(*level) for level in levels)
    return BlockProof(number, n_records, 300, 280, levels, finished=True, optimal=False)


def test_a_plan_weighs_time_against_excess_and_sample():
    kinds = [Kind(400, 4), Kind(800, 4)]
    pilots = [pilot(0, (0.1, 0.1), (0.04, 2.0)), pilot(1, (0.1, 0.5), (0.02, 8.0))]

    def planned(seconds):
        return make_plan(kinds, pilots, 100_000, time.monotonic() + seconds, 1)

    plans = [planned(seconds) for seconds in (1.0, 100.0, 1e6)]
    assert plans[0].kind == kinds[0]  # more records at once than large blocks would prove
    assert plans[-1].kind == kinds[1]
    assert plans[-1].number == 125  # all of them
    excesses = [plan.excess for plan in plans]
    assert excesses == sorted(excesses, reverse=True)
    assert plans[0].number >= 1
    assert make_plan(kinds, [], 100_000, time.monotonic() + 1, 1) is None


# -- workers --------------------------------------------------------------------------------------


class Killing(WeightedMean):
    """Kills the process of a worker that it meets, up to some times."""

    def __init__(self, n_features, folder: Path, times: int) -> None:
        super().__init__(n_features)
        self.folder, self.times, self.parent = folder, times, os.getpid()

    def features(self, differences):
        if os.getpid() != self.parent:
            for number in range(self.times):
                try:
                    (self.folder / str(number)).touch(exist_ok=False)
                except FileExistsError:
                    continue
                os._exit(1)
        return super().features(differences)


@pytest.fixture(scope="module")
def expected(noisy):
    with parallel_config(backend="sequential"):
        return bound_of(noisy[0])


def test_threads_and_processes_find_the_same_bound(noisy, expected):
    for backend in ("threading", "loky"):
        with parallel_config(backend=backend):
            assert bound_of(noisy[0], n_jobs=2) == expected


def test_a_killed_process_loses_no_block(noisy, expected, tmp_path):
    problem = Problem(Killing(3, tmp_path, times=1), noisy[0].index)
    with parallel_config(backend="loky"):
        assert bound_of(problem, n_jobs=2) == expected
    assert len(list(tmp_path.iterdir())) == 1


def test_a_block_that_keeps_killing_is_left_without_an_answer(noisy, tmp_path):
    problem = Problem(Killing(3, tmp_path, times=1000), noisy[0].index)
    blocks = [_Maker(problem, problem.family.centre).block(0, np.arange(20), Kind(20, 2))]
    with parallel_config(backend="loky"):
        assert prove_blocks(blocks * 2, [0.0], np.inf, n_jobs=2, most_losses=0) == {}


def test_a_dask_cluster_with_a_killed_worker_finds_the_same_bound(noisy, expected, tmp_path):
    distributed = pytest.importorskip("distributed")
    problem = Problem(Killing(3, tmp_path, times=1), noisy[0].index)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as client:
        with parallel_config(backend="dask", client=client, wait_for_workers_timeout=60):
            assert bound_of(problem, n_jobs=2) == expected
    assert len(list(tmp_path.iterdir())) == 1


def test_a_large_noisy_file_gets_a_bound_from_blocks():
    X = np.asarray(make_microdata(6000, 6, random_state=0), dtype=float)
    Y = X + np.random.default_rng(1).normal(size=X.shape) * 0.15 * X.std(axis=0)
    linker = WeightedMeanLinker(time_limit=10, random_state=0)
    with pytest.warns(ConvergenceWarning):
        linker.fit(X, Y)
    assert linker.confidence_level_ == 0.99
    assert linker.n_linked_ <= linker.confidence_bound_ <= linker.bound_ <= linker.ceiling_
    assert linker.confidence_bound_ < linker.ceiling_
