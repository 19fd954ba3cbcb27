"""The proof by cells against enumeration in exact arithmetic, and its parts."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import OWA, WeightedMean
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers import feasibility
from sklearn_reclink.solvers.cells import open_cells as cells
from sklearn_reclink.solvers.cells.search import prove_by_cells
from sklearn_reclink.solvers.covering.search import CoveringSearch
from sklearn_reclink.solvers.feasibility import AllRows, Feasibility
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import presolve
from tests.exact_arithmetic import best_subset, unit_rows
from tests.problems import problem_of


@st.composite
def integer_rows(draw, largest=3):
    """Per record some integer rows: many parallel, opposite and concurrent ones."""
    p = draw(st.integers(1, 4))
    row = st.lists(st.integers(-largest, largest), min_size=p, max_size=p)
    record = st.lists(row, min_size=1, max_size=3)
    return draw(st.lists(record, min_size=1, max_size=9))


def as_arrays(records):
    rows = np.array([row for record in records for row in record], dtype=float)
    owners = np.repeat(np.arange(len(records)), [len(record) for record in records])
    return rows, np.abs(rows), owners


def linked(rows, magnitudes, owners, theta):
    margins = rows @ theta - TIE_TOLERANCE * (magnitudes @ np.abs(theta))
    return len(np.unique(owners)) - len(np.unique(owners[margins <= 0]))


@settings(max_examples=400, deadline=None)
@given(integer_rows())
def test_optimum_equals_exact_enumeration(records):
    rows, magnitudes, owners = as_arrays(records)
    p = rows.shape[1]
    proof = prove_by_cells(rows, magnitudes, owners, np.eye(p))
    assert proof.n_linked == proof.bound == len(best_subset(records, unit_rows(p)))
    if proof.n_linked:
        assert (proof.theta >= 0).all()
        assert linked(rows, magnitudes, owners, proof.theta) == proof.n_linked


def test_record_whose_own_rows_contradict_each_other_hides_no_optimum():
    records = [[[1, -3, 1, 0]], [[0, 0, -1, 1], [0, -1, 1, -1]], [[-1, 1, 0, 0]]]
    proof = prove_by_cells(*as_arrays(records), np.eye(4))
    assert proof.n_linked == proof.bound == 2


@settings(max_examples=100, deadline=None)
@given(integer_rows(), st.integers(0, 2**31))
def test_optimum_on_a_narrower_cone(records, seed):
    rows, magnitudes, owners = as_arrays(records)
    p = rows.shape[1]
    # the cone of theta_0 >= ... >= theta_(p-1) >= 0, generators in any order
    generators = np.random.default_rng(seed).permutation(np.tri(p))
    domain = [[int(i == j) - int(i + 1 == j) for j in range(p)] for i in range(p)]
    proof = prove_by_cells(rows, magnitudes, owners, generators)
    assert proof.n_linked == proof.bound == len(best_subset(records, domain))
    if proof.n_linked:
        assert (np.diff(proof.theta) <= 1e-15).all()


def random_problem(seed, distance, n_records=80, n_features=4, spread=0.8):
    rng = np.random.default_rng(seed)
    original = rng.lognormal(sigma=1.0, size=(n_records, n_features))
    masked = original * rng.lognormal(sigma=spread, size=(n_records, n_features))
    return problem_of(distance(n_features), original, masked)


def record_rows(problem):
    presolved = presolve(problem)
    feasibility = Feasibility(problem, presolved)
    every = feasibility.source
    assert isinstance(every, AllRows)
    return presolved, feasibility, (every.rows, every.magnitudes, every.owners)


@pytest.mark.parametrize("distance", [WeightedMean, OWA])
@pytest.mark.parametrize("seed", range(3))
def test_bound_equals_that_of_conflicts_and_links_are_recounted(distance, seed):
    problem = random_problem(seed, distance, n_records=60, spread=0.5)
    presolved, feasibility, rows = record_rows(problem)
    proof = prove_by_cells(*rows, np.eye(4))
    incumbent = Incumbent(problem, presolved, feasibility)
    incumbent.offer(proof.theta)
    assert incumbent.n_linked == proof.n_linked + len(presolved.always)
    search = CoveringSearch(feasibility, incumbent, np.random.default_rng(0))
    search.run()
    assert proof.finished
    assert len(presolved.open) - search.bound == proof.bound


def test_cells_alone_find_the_optimum_that_a_good_start_has():
    _, _, rows = record_rows(random_problem(0, WeightedMean))
    alone = prove_by_cells(*rows, np.eye(4))
    helped = prove_by_cells(*rows, np.eye(4), theta=alone.theta)
    assert alone.finished
    assert (helped.n_linked, helped.bound) == (alone.n_linked, alone.bound)
    assert helped.n_cells <= alone.n_cells


def test_only_more_than_what_is_known_is_looked_for():
    _, _, rows = record_rows(random_problem(0, WeightedMean))
    optimum = prove_by_cells(*rows, np.eye(4)).n_linked
    proof = prove_by_cells(*rows, np.eye(4), at_least=optimum)
    assert proof.bound == optimum
    assert proof.theta is None


def test_threads_agree():
    _, _, rows = record_rows(random_problem(1, WeightedMean, n_records=200, n_features=5))
    one = prove_by_cells(*rows, np.eye(5))
    two = prove_by_cells(*rows, np.eye(5), n_jobs=2)
    assert one.finished
    assert (two.n_linked, two.bound) == (one.n_linked, one.bound)


def test_order_scale_and_duplicates_of_rows_do_not_matter():
    _, _, (rows, magnitudes, owners) = record_rows(random_problem(2, OWA))
    rng = np.random.default_rng(0)
    order = rng.permutation(np.tile(np.arange(len(rows)), 2))
    scale = rng.lognormal(sigma=3, size=(len(order), 1))
    reference = prove_by_cells(rows, magnitudes, owners, np.eye(4))
    other = prove_by_cells(
        rows[order] * scale, magnitudes[order] * scale, 7 * owners[order], np.eye(4)
    )
    assert (other.n_linked, other.bound) == (reference.n_linked, reference.bound)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_deadline_leaves_a_valid_bound(n_jobs):
    _, _, rows = record_rows(random_problem(3, WeightedMean, n_records=300, n_features=6))
    start = time.monotonic()
    proof = prove_by_cells(*rows, np.eye(6), deadline=start + 0.05, n_jobs=n_jobs)
    assert time.monotonic() - start < 2
    assert proof.n_linked < proof.bound <= len(np.unique(rows[2]))
    assert not proof.finished


def test_a_failing_worker_ends_the_others(monkeypatch):
    _, _, rows = record_rows(random_problem(3, WeightedMean, n_records=300, n_features=6))
    explore, failed = cells.explore, threading.Event()

    def failing(*arguments):
        if threading.current_thread().name.endswith("_1"):
            failed.set()
            raise KeyboardInterrupt
        found = explore(*arguments)
        failed.wait(0.1)  # the other one takes a cell, if there is one
        return found

    monkeypatch.setattr(cells, "explore", failing)
    monkeypatch.setattr(feasibility, "cpu_count", lambda: 2)  # also where there is one core
    with pytest.raises(KeyboardInterrupt):
        prove_by_cells(*rows, np.eye(6), n_jobs=2)


def test_a_tie_is_lost_and_twice_the_tolerance_is_linked():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    for margin, expected in ((0.5, 0), (2.0, 2)):
        magnitudes = np.full((2, 2), 1.0) + rows / (margin * TIE_TOLERANCE)
        assert prove_by_cells(rows, magnitudes, np.arange(2), np.eye(2)).bound == expected


def test_a_link_within_a_millionth_of_the_tolerance_stays_undecided():
    rows = np.array([[1.0, 0.0]])
    magnitudes = np.array([[1.0, 0.0]]) / TIE_TOLERANCE * (1 - 1e-6)
    proof = prove_by_cells(rows, magnitudes, np.arange(1), np.eye(2))
    assert (proof.n_linked, proof.bound) == (0, 1)


def test_weights_of_very_different_size_are_found():
    # 1e-9 x < y < 2e-9 x
    rows = np.array([[-1e-9, 1.0], [2e-9, -1.0]])
    proof = prove_by_cells(rows, np.abs(rows), np.arange(2), np.eye(2))
    assert proof.n_linked == 2


def test_nothing_to_decide():
    nothing = np.empty((0, 3))
    proof = prove_by_cells(nothing, nothing, np.empty(0, int), np.eye(3))
    assert (proof.n_linked, proof.bound, proof.finished) == (0, 0, True)


@pytest.mark.parametrize(
    ("generators", "message"),
    [
        (np.eye(3)[:2], "3 independent generators"),
        (np.ones((3, 3)), "3 independent generators"),
        (np.diag([1.0, 1.0, -1.0]), "negative entry"),
    ],
)
def test_unsuitable_generators_are_refused(generators, message):
    rows = np.ones((1, 3))
    with pytest.raises(ValueError, match=message):
        prove_by_cells(rows, rows, np.zeros(1, int), generators)
