"""The proof by conflicts against the proof by cells, which shares only the active set with it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from sklearn_reclink.families import OWA, WeightedMean
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.covering import blocks
from sklearn_reclink.solvers.covering import search as module
from sklearn_reclink.solvers.covering.master import Cover
from sklearn_reclink.solvers.covering.search import CoveringSearch, Found, Node, Separator
from sklearn_reclink.solvers.feasibility import Feasibility
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem
from tests.problems import noisy_files, problem_of, solved


def noisy_problem(family, seed, n_records=70):
    return problem_of(family, *noisy_files(seed, n_records))


def covering_search(problem, seed, seconds=60.0, share_before_late=1.0):
    presolved = presolve(problem)
    feasibility = Feasibility(problem, presolved, time.monotonic() + seconds)
    incumbent = Incumbent(problem, presolved, feasibility)
    incumbent.offer(problem.family.centre)
    rng = np.random.default_rng(seed)
    return CoveringSearch(feasibility, incumbent, rng, share_before_late=share_before_late)


def search(problem, seed, seconds=60.0, share_before_late=1.0):
    covering = covering_search(problem, seed, seconds, share_before_late)
    losses = covering.run()
    n_never = len(covering.incumbent.presolved.never)
    return covering.incumbent, problem.index.n_records - n_never - losses


@pytest.mark.parametrize("family", [WeightedMean, OWA])
@pytest.mark.parametrize("share", [1.0, 0.0], ids=["at once", "one loss at a time"])
@pytest.mark.parametrize("seed", [0, 2, 3])
def test_branching_on_records_finds_the_optimum_of_the_cells(family, seed, share):
    problem = noisy_problem(family, seed)
    best = solved(problem)
    incumbent, bound = search(problem, seed, share_before_late=share)
    assert incumbent.n_linked == bound == best.n_linked == best.bound


@pytest.mark.parametrize("share", [1.0, 0.0], ids=["at once", "one loss at a time"])
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2])
def test_bound_is_valid_at_any_time(seconds, share):
    problem = noisy_problem(OWA, 0, n_records=150)
    best = solved(problem)
    incumbent, bound = search(problem, 0, seconds, share)
    assert incumbent.n_linked <= best.n_linked <= bound


@pytest.mark.parametrize("family", [WeightedMean, OWA])
@pytest.mark.parametrize("share", [1.0, 0.0], ids=["at once", "one loss at a time"])
@pytest.mark.parametrize("seed", [0, 2])
def test_blocks_lose_what_their_rows_say(family, share, seed, monkeypatch):
    for where, name, value in (
        (module, "_FAR", 0.0),
        (module, "_FEW", 0.5),
        (blocks, "_SLOW", np.inf),
        (blocks, "_NODES", 3),
        (blocks, "_FIRST_SIZE", 8),
    ):
        monkeypatch.setattr(where, name, value)
    problem = noisy_problem(family, seed, n_records=100)
    covering = covering_search(problem, seed, share_before_late=share)
    losses, best = covering.run(), solved(problem)
    n_never = len(covering.incumbent.presolved.never)
    assert problem.index.n_records - n_never - losses == best.n_linked
    index, every = problem.index, np.arange(problem.index.n_records)
    ranks = [(one[0], one[2]) for one in covering.master.pool.rows if one[2] > 1]
    assert ranks or (seed, share) != (0, 1.0)
    for block, rank in ranks:
        named = covering.open[block]
        masked = index.masked[np.r_[named, np.setdiff1d(every, named)]]
        alone = Problem(problem.family, Index(index.original[named], masked))
        assert len(named) - solved(alone).n_linked >= rank


@pytest.mark.parametrize("found", [0, 7, 100])
def test_a_block_whose_goal_is_wrong_has_a_true_row_all_the_same(found, monkeypatch):
    problem = noisy_problem(OWA, 0)
    covering = covering_search(problem, 0)
    n_never = len(covering.incumbent.presolved.never)
    best = problem.index.n_records - n_never - solved(problem).n_linked
    target = blocks.Target(covering.separators[0].feasibility, -1.0)
    monkeypatch.setattr(target, "_fewest", found)
    monkeypatch.setattr(target, "offer", lambda theta: False)
    covering.incumbent = target
    assert covering.run() == min(found, best)


def test_searches_of_blocks_end_when_the_search_is_stopped():
    covering = covering_search(noisy_problem(OWA, 0, n_records=150), 0)
    n_open, began = len(covering.open), threading.Event()

    class Endless(CoveringSearch):
        def _run(self):
            began.set()
            while not self._out_of_time():
                time.sleep(0.001)
            return super()._run()

    covering.blocks = blocks.Blocks(n_open, Endless)
    cover = Cover(np.zeros(n_open), np.zeros(n_open), 0)
    where = {"cover": cover, "pool": covering.master.pool, "theta": covering.incumbent.theta}
    rank = partial(covering.blocks.rank, covering.separators[0], np.arange(30), **where)
    with ThreadPoolExecutor(2) as workers:
        before = workers.submit(rank)
        assert began.wait(30)
        covering.stop()
        after = workers.submit(rank)  # one that was about to begin
        assert before.result(30)[1].bound == after.result(30)[1].bound == 0
    assert covering.run() == 0


def test_records_that_a_node_fixes_are_not_forced(monkeypatch):
    # a record fixed as lost has a reduced cost too; forced to be kept, it would close the node
    covering = covering_search(noisy_problem(OWA, 0), 0)
    n_open = len(covering.open)
    unit = 1 << 32
    dear = Cover(
        np.zeros(n_open), np.full(n_open, unit), covering.incumbent.losses * unit - unit // 2
    )
    seen = []

    def look(separator, *_):
        seen.append(separator.feasibility.forced)
        return Found()

    monkeypatch.setattr(Separator, "regrow", look)
    monkeypatch.setattr(Separator, "pull", look)
    covering._separate(dear, Node(0, 0, lost=(3, 5), kept=(7,)))
    expected = np.delete(covering.open, [3, 5, 7])
    assert len(seen) == 4
    assert all(np.array_equal(forced, expected) for forced in seen)
    assert all(len(separator.feasibility.forced) == 0 for separator in covering.separators)


def test_threads_change_nothing():
    searches = []
    for n_jobs in (1, 2, 4):
        covering = covering_search(noisy_problem(OWA, 0), 0)
        covering.n_jobs = n_jobs
        covering.run()
        searches.append(covering)
    alone, *others = searches
    for other in others:
        assert other.bound == alone.bound
        np.testing.assert_array_equal(other.incumbent.theta, alone.incumbent.theta)
        for row, same in zip(other.master.pool.rows, alone.master.pool.rows, strict=True):
            np.testing.assert_array_equal(row[0], same[0])


def test_proof_asks_for_no_more_candidates():
    covering = covering_search(noisy_problem(OWA, 0), 0)
    covering.late_starts = lambda seconds: pytest.fail("asked")
    assert covering.run() == covering.incumbent.losses


def test_losses_proven_elsewhere_are_not_proven_again(monkeypatch):
    covering = covering_search(noisy_problem(OWA, 0), 0)
    covering.bound = covering.run()
    monkeypatch.setattr(covering, "_process", lambda *_: pytest.fail("searched"))
    assert covering.run() == covering.incumbent.losses


class GrownWeightedMean(WeightedMean):
    """A weighted mean that does not say it is monotone: its rows are grown, never complete."""

    monotone = False


def test_rows_that_are_grown_give_the_same_optimum():
    problem = noisy_problem(WeightedMean, 1, n_records=40)
    grown = noisy_problem(GrownWeightedMean, 1, n_records=40)
    assert solved(grown).bound == solved(problem).bound
