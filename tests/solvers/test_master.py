"""The covering master against brute force, and solutions read on status optimal alone."""

from __future__ import annotations

from itertools import combinations

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sklearn_reclink.families import Choquet
from sklearn_reclink.solvers.covering.master import CoveringMaster
from tests.problems import problem_of, solved

NOBODY = np.empty(0, dtype=np.int64)
OTHER_STATUSES = [
    status
    for status in highspy.HighsModelStatus.__members__.values()
    if status != highspy.HighsModelStatus.kOptimal
]


@st.composite
def conflicts_of_records(draw):
    n_records = draw(st.integers(2, 7))
    conflict = st.sets(st.integers(0, n_records - 1), min_size=1)
    return n_records, draw(st.lists(conflict, min_size=1, max_size=8))


def master_of(n_records: int, conflicts) -> CoveringMaster:
    master = CoveringMaster(n_records)
    master.add([np.array(sorted(conflict)) for conflict in conflicts])
    return master


def hits_all(lost, conflicts) -> bool:
    return all(conflict & set(lost) for conflict in conflicts)


def fewest_losses(n_records: int, conflicts) -> int:
    """The size of a smallest hitting set, by brute force."""
    for size in range(n_records + 1):
        if any(hits_all(lost, conflicts) for lost in combinations(range(n_records), size)):
            return size
    raise AssertionError


def linear_bound(n_records: int, conflicts) -> float:
    rows = np.array([[-float(i in conflict) for i in range(n_records)] for conflict in conflicts])
    return linprog(np.ones(n_records), rows, -np.ones(len(rows)), bounds=(0, 1)).fun


@settings(max_examples=60, deadline=None)
@given(conflicts_of_records())
def test_relaxation_is_the_linear_program_and_below_every_hitting_set(case):
    n_records, conflicts = case
    cover = master_of(n_records, conflicts).relaxed(NOBODY, NOBODY)
    assert cover.value == pytest.approx(linear_bound(n_records, conflicts), abs=1e-7)
    assert cover.value <= cover.bound + 1e-6
    assert cover.bound <= fewest_losses(n_records, conflicts)
    for conflict in conflicts:
        assert cover.lost[list(conflict)].sum() >= 1 - 1e-6


@settings(max_examples=40, deadline=None)
@given(conflicts_of_records())
def test_fixed_records_are_feasible_exactly_for_hitting_sets(case):
    n_records, conflicts = case
    master = master_of(n_records, conflicts)
    every = set(range(n_records))
    for size in range(n_records + 1):
        for lost in combinations(range(n_records), size):
            kept = np.array(sorted(every - set(lost)), dtype=np.int64)
            cover = master.relaxed(np.array(lost, dtype=np.int64), kept)
            assert (cover is not None) == hits_all(lost, conflicts)
            if cover is not None:
                assert cover.bound == size


def test_fixing_is_undone_by_the_next_question():
    master = master_of(3, [{0, 1}, {1, 2}])
    assert master.relaxed(np.array([0, 2]), np.array([1])).bound == 2
    assert master.relaxed(NOBODY, NOBODY).bound == 1
    assert master.relaxed(NOBODY, np.array([0, 1])) is None
    assert master.relaxed(NOBODY, NOBODY).bound == 1


def test_conflict_is_added_once_whatever_its_order():
    master = CoveringMaster(4)
    assert master.add([np.array([2, 0]), np.array([0, 2]), np.array([1])]) == 2
    assert master.add([np.array([2, 0])]) == 0
    assert len(master.pool.rows) == 2


def test_conflict_of_a_branch_is_stated_for_all_branches():
    # found where 0 is lost and 1 kept: {2} with 1. It says nothing where 0 is kept.
    master = CoveringMaster(3)
    master.add([np.array([2])], lost=(0,), kept=(1,))
    assert master.relaxed(np.array([0]), np.array([1])).bound == 2
    assert master.relaxed(NOBODY, np.array([0, 1])).bound == 0
    assert master.relaxed(np.array([0, 1]), np.array([2])).bound == 2


def test_conflict_for_fewer_losses_goes_when_the_goal_is_higher():
    master = CoveringMaster(3)
    master.add([np.array([0, 1])])
    master.set_goal(2)
    assert master.add([np.array([2])], below=2) == 1
    assert master.relaxed(NOBODY, NOBODY).bound == 2
    master.set_goal(3)
    assert master.relaxed(NOBODY, NOBODY).bound == 1
    assert master.add([np.array([2])], below=3) == 1  # found again, it counts again
    assert master.add([np.array([2])], below=3) == 0
    assert master.relaxed(NOBODY, NOBODY).bound == 2


def test_conflict_of_nobody_leaves_no_solution():
    master = CoveringMaster(2)
    master.add([NOBODY], below=5)
    master.add([np.array([0, 1])])
    assert master.pool.slack(np.ones(2)).tolist() == [-1, 1]
    assert master.relaxed(NOBODY, NOBODY) is None
    master.set_goal(6)
    assert master.relaxed(NOBODY, NOBODY).bound == 1


def test_outdated_conflict_keeps_nobody_from_coming_back():
    master = CoveringMaster(3)
    master.add([np.array([0, 1])])
    master.add([np.array([2])], below=2)
    nobody = np.zeros(3, dtype=bool)
    assert master.pool.closing(nobody).closed.tolist() == [False, False, True]
    master.set_goal(3)
    assert not master.pool.closing(nobody).closed.any()


def test_program_that_refuses_a_row_is_said(monkeypatch):
    master = CoveringMaster(3)
    monkeypatch.setattr(highspy.Highs, "addRow", lambda *_: highspy.HighsStatus.kError)
    with pytest.raises(RuntimeError, match="refused"):
        master.add([np.array([0, 1])])


@settings(max_examples=20, deadline=None)
@given(conflicts_of_records())
def test_rows_that_left_the_program_still_count(case):
    n_records, conflicts = case
    master = master_of(n_records, conflicts)
    value = master.relaxed(NOBODY, NOBODY).value
    master._drop(np.ones(len(master._held), dtype=bool))
    assert master.solve_held(NOBODY, NOBODY).value == 0
    assert master.relaxed(NOBODY, NOBODY).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("status", OTHER_STATUSES, ids=lambda status: status.name)
def test_cover_is_read_on_status_optimal_alone(monkeypatch, status):
    master = master_of(3, [{0, 1}, {1, 2}])
    assert master.relaxed(NOBODY, NOBODY).bound == 1
    monkeypatch.setattr(highspy.Highs, "getModelStatus", lambda self: status)
    cover = master.relaxed(np.array([2]), NOBODY)  # the fixed losses are all that is known
    assert cover.bound == 1
    assert cover.lost.tolist() == [0, 0, 1]


@pytest.mark.parametrize("status", ["kUnknown", "kTimeLimit", "kSolveError"])
def test_undecided_relaxations_never_end_in_a_proof(monkeypatch, status):
    rng = np.random.default_rng(0)
    original = rng.normal(size=(30, 3))
    masked = original + rng.normal(size=(30, 3)) * [0.1, 1, 6]
    problem = problem_of(Choquet, original, masked)
    best = solved(problem)
    undecided = getattr(highspy.HighsModelStatus, status)
    monkeypatch.setattr(highspy.Highs, "getModelStatus", lambda self: undecided)
    assert solved(problem, time_limit=3).bound >= best.n_linked


def test_a_rank_row_counts_and_is_no_conflict():
    master = CoveringMaster(4)
    master.add([np.array([0, 1])])
    master.add_rank(np.array([0, 1, 2]), 2)
    assert master.relaxed(np.empty(0, int), np.empty(0, int)).bound == 2
    kept = np.array([True, False, False, True])
    assert master.pool.closing(kept).closed.tolist() == [False, True, False, False]
    assert [one.tolist() for one in master.pool.lasting] == [[0, 1]]
    assert master.relaxed(np.empty(0, int), np.array([0, 1, 2])) is None
