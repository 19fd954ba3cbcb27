"""The formulas of the covering bound, each worked out by hand."""

from __future__ import annotations

from itertools import combinations, islice

import highspy
import numpy as np
import pytest

from sklearn_reclink.solvers.covering.master import Cover, CoveringMaster

ONE = 2**32
NOBODY = np.empty(0, dtype=np.int64)


def master_of(n_records, *conflicts, lost=(), kept=()):
    master = CoveringMaster(n_records)
    master.add([np.array(conflict) for conflict in conflicts], lost=lost, kept=kept)
    return master


def proven(master, duals, lost=(), kept=(), **options):
    """``L(y)`` and ``c``, as multiples of one."""
    n_records = master.pool.n_records
    lower, upper = np.zeros(n_records), np.ones(n_records)
    lower[list(lost)], upper[list(kept)] = 1.0, 0.0
    value, costs = master._proven(np.array(duals, dtype=float), lower, upper, **options)
    assert isinstance(value, int) and costs.dtype == np.int64
    return value / ONE, (costs / ONE).tolist()


PATH = ([0, 1], [1, 2])


@pytest.mark.parametrize(
    ("duals", "fixed", "value", "costs"),
    [
        ([0.5, 0.25], {}, 0.75, [0.5, 0.25, 0.75]),
        ([0.5, 0.25], {"lost": [0]}, 1.25, [0.5, 0.25, 0.75]),
        ([0.5, 0.25], {"kept": [0, 1, 2]}, 0.75, [0.5, 0.25, 0.75]),
        ([1, 1], {}, 1, [0, -1, 0]),
        ([1, 1], {"kept": [1]}, 2, [0, -1, 0]),
        ([1, 1], {"lost": [1]}, 1, [0, -1, 0]),
        ([1, 1], {"lost": [0, 2]}, 1, [0, -1, 0]),
        ([3, 0], {}, -1, [-2, -2, 1]),
        ([3, 0], {"lost": [2], "kept": [0]}, 2, [-2, -2, 1]),
    ],
)
def test_duals_prove_their_lagrangian_bound(duals, fixed, value, costs):
    assert proven(master_of(3, *PATH), duals, **fixed) == (value, costs)


def test_rows_of_a_branch_count_with_their_signs_and_right_sides():
    one = master_of(3, [2], lost=(0,), kept=(1,))  # x_1 + x_2 - x_0 >= 0
    assert proven(one, [1]) == (0, [2, 0, 0])
    assert proven(one, [0.5], lost=[0]) == (1.5, [1.5, 0.5, 0.5])
    two = master_of(3, [2], lost=(0, 1))  # x_2 - x_0 - x_1 >= -1
    assert proven(two, [0.5]) == (-0.5, [1.5, 1.5, 0.5])
    assert proven(two, [0.5], lost=[0, 1]) == (2.5, [1.5, 1.5, 0.5])


@pytest.mark.parametrize("wrong", [-1.0, -np.inf, np.inf, np.nan])
def test_duals_that_are_none_count_as_zero(wrong):
    assert proven(master_of(3, *PATH), [wrong, 0.5]) == (0.5, [1, 0.5, 0.5])


@pytest.mark.parametrize("duals", [[], [0.5], [0.5] * 3])
def test_duals_of_another_program_prove_nothing(duals):
    assert proven(master_of(3, *PATH), duals) == (0, [1, 1, 1])
    assert proven(CoveringMaster(3), duals) == (0, [1, 1, 1])


def test_duals_are_rounded_to_units_and_held_below_a_limit():
    master = master_of(2, [0])
    assert proven(master, [0.75 / ONE]) == (1 / ONE, [1 - 1 / ONE, 1])
    assert proven(master, [0.25 / ONE]) == (0, [1, 1])
    assert proven(master, [5000.0], kept=[0]) == proven(master, [4096.0], kept=[0])
    assert proven(master, [4096.0], kept=[0]) == (4096, [-4095, 1])
    assert proven(master, [4000.0], kept=[0]) == (4000, [-3999, 1])


def test_the_last_unit_counts():
    unit = 1 / ONE
    assert proven(master_of(1, [0]), [1 - unit]) == (1 - unit, [unit])
    assert proven(master_of(1, [0]), [1 + unit]) == (1, [-unit])


def test_duals_of_several_hundred_rows():
    master = master_of(30, *islice(combinations(range(30), 2), 300))
    value, costs = proven(master, [1 / 32] * 300)
    assert value == 300 / 32 and sum(costs) == 30 - 600 / 32


@pytest.mark.parametrize(("n_records", "value"), [(2**18 - 1, 4096), (2**18, 0)])
def test_duals_whose_sums_might_overflow_count_as_zero(n_records, value):
    master = master_of(1, [0])
    master.pool.n_records = n_records
    assert proven(master, [4096.0], kept=[0])[0] == value


def test_a_ray_proves_that_nothing_is_admissible():
    master = master_of(3, *PATH)
    assert proven(master, [1, 0], cost=0) == (-1, [-1, -1, 0])
    assert proven(master, [1, 0], kept=[0], cost=0) == (0, [-1, -1, 0])
    assert proven(master, [1, 0], kept=[0, 1], cost=0) == (1, [-1, -1, 0])


def infeasible(master, lost=(), kept=()):
    n_records = master.pool.n_records
    lower, upper = np.zeros(n_records), np.ones(n_records)
    lower[list(lost)], upper[list(kept)] = 1.0, 0.0
    return master._is_infeasible(lower, upper)


def test_a_single_row_shows_that_nothing_is_admissible(monkeypatch):
    monkeypatch.setattr(highspy.Highs, "getDualRay", lambda self: (None, False, []))
    pair = master_of(3, [0, 1])
    assert infeasible(pair, kept=[0, 1])
    assert not infeasible(pair, kept=[0]) and not infeasible(pair, kept=[1, 2])
    assert not infeasible(pair, lost=[0, 1])
    branch = master_of(3, [2], lost=(0,), kept=(1,))  # x_1 + x_2 - x_0 >= 0
    assert infeasible(branch, lost=[0], kept=[1, 2])
    assert not infeasible(branch, kept=[0, 1, 2]) and not infeasible(branch, lost=[0], kept=[1])
    assert not infeasible(branch, kept=[1, 2])
    several = master_of(4, [0, 1], [2, 3])
    assert infeasible(several, kept=[2, 3]) and infeasible(several, kept=[0, 1])


def test_rows_together_show_it_by_a_ray():
    """``x_0 + x_1 >= 1`` and ``x_1 >= x_0``: each can be met without 1, not both."""
    master = master_of(2, [0, 1])
    master.add([np.array([1])], lost=(0,))
    assert master.solve_held(NOBODY, np.array([1])) is None
    assert master.relaxed(NOBODY, np.array([1])) is None
    assert infeasible(master, kept=[1])
    assert master.solve_held(NOBODY, NOBODY).bound == 1
    assert not infeasible(master)


def test_a_ray_of_one_unit_is_enough_and_none_is_not(monkeypatch):
    master = master_of(2, [0, 1])
    master.add([np.array([1])], lost=(0,))
    for ray, expected in (([1 / ONE] * 2, True), ([0.0] * 2, False), ([1.0, 0.0], False)):
        monkeypatch.setattr(highspy.Highs, "getDualRay", lambda self, ray=ray: (None, True, ray))
        assert infeasible(master, kept=[1]) == expected


def test_the_presolve_of_highs_is_as_it_was_after_a_ray(monkeypatch):
    master = master_of(2, [0, 1])
    runs = []
    run = highspy.Highs.run

    def recorded(self):
        runs.append(self.getOptionValue("presolve")[1])
        return run(self)

    monkeypatch.setattr(highspy.Highs, "run", recorded)
    monkeypatch.setattr(highspy.Highs, "getDualRay", lambda self: (None, False, []))
    assert not infeasible(master, kept=[0])
    assert runs == ["off"]
    assert master._lp.getOptionValue("presolve")[1] == "choose"


# -- what a cover concludes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "bound"),
    [(0, 0), (1, 1), (ONE - 1, 1), (ONE, 1), (ONE + 1, 2), (3 * ONE, 3), (-1, 0), (-ONE, -1)],
)
def test_the_bound_is_rounded_up_exactly(units, bound):
    cover = Cover(np.zeros(1), np.zeros(1, dtype=np.int64), units)
    assert cover.bound == bound
    assert cover.value == units / ONE


def test_records_too_costly_to_lose_are_forced():
    costs = np.array([-ONE, 0, ONE // 2, ONE // 2 + 1, ONE])
    cover = Cover(np.zeros(5), costs, ONE + ONE // 2)  # 1.5: a half is left below a goal of 3
    assert cover.forced(3).tolist() == [False, False, False, True, True]
    assert cover.forced(2).tolist() == [False, True, True, True, True]
    assert not cover.forced(4).any()
    assert cover.reduced_costs.tolist() == [-1, 0, 0.5, 0.5 + 1 / ONE, 1]


def test_solutions_and_duals_of_a_program_become_a_cover():
    master = master_of(3, *PATH, [0, 2])
    cover = master.solve_held(NOBODY, NOBODY)
    assert cover.proven == 3 * ONE // 2 and cover.bound == 2
    assert cover.lost.tolist() == [0.5, 0.5, 0.5] and cover.costs.tolist() == [0, 0, 0]
    cover = master.solve_held(np.array([0]), NOBODY)
    assert cover.bound == 2 and cover.lost[0] == 1 and cover.lost.sum() == 2
    cover = master.solve_held(NOBODY, np.array([0]))
    assert cover.bound == 2 and cover.lost.tolist() == [0, 1, 1]
    assert master.solve_held(NOBODY, np.array([0, 1])) is None


class Answer:
    def __init__(self, x, y):
        self.col_value, self.row_dual = x, y


@pytest.mark.parametrize(
    ("x", "y", "lost", "bound"),
    [
        ([0.25, 7.0, -3.0], [0.0, 0.0], [1, 1, 0], 1),  # kept within bounds; no dual
        ([np.nan, np.inf, 0.5], [0.0, 1.0], [1, 1, 0.5], 2),
        ([1.0], [1.0, 0.0], [1, 0, 0], 1),
        ([1.0, 0.5, 0.5], [9.0, 9.0], [1, 0.5, 0.5], 1),  # -9: less than what is fixed as lost
        ([1.0, 0.5, 0.5], [1.5, 0.0], [1, 0.5, 0.5], 1),  # a half
    ],
)
def test_whatever_is_answered_the_fixed_losses_count(monkeypatch, x, y, lost, bound):
    master = master_of(3, *PATH)
    monkeypatch.setattr(highspy.Highs, "getSolution", lambda self: Answer(x, y))
    cover = master.solve_held(np.array([0]), NOBODY)
    assert cover.lost.tolist() == lost
    assert cover.bound == bound
    if bound == 1:
        assert cover.proven == ONE
    if max(y) > 1:
        assert cover.costs.tolist() == [0, 0, 0]


def test_a_program_that_is_undecided_is_solved_once_more(monkeypatch):
    master = master_of(3, *PATH)
    solved = []
    run, status = highspy.Highs.run, highspy.Highs.getModelStatus

    def recorded(self):
        solved.append(self)
        return run(self)

    def undecided_at_first(self):
        return highspy.HighsModelStatus.kUnknown if len(solved) == 1 else status(self)

    monkeypatch.setattr(highspy.Highs, "run", recorded)
    monkeypatch.setattr(highspy.Highs, "getModelStatus", undecided_at_first)
    assert master.solve_held(NOBODY, NOBODY).bound == 1
    assert len(solved) == 2
    assert master.solve_held(NOBODY, NOBODY).bound == 1
    assert len(solved) == 3  # once was enough


# -- rows that come and go ------------------------------------------------------------------------


def test_options_of_the_program():
    options = ("output_flag", "threads", "primal_feasibility_tolerance")
    lp = CoveringMaster(2)._lp
    assert [lp.getOptionValue(option)[1] for option in options] == [False, 1, 1e-10]
    assert lp.getOptionValue("dual_feasibility_tolerance")[1] == 1e-10


@pytest.mark.parametrize(
    ("n_loose", "n_tight", "left"),
    [(10, 1, 11), (300, 0, 300), (301, 0, 0), (302, 1, 303), (303, 1, 1)],
)
def test_slack_rows_leave_only_where_there_are_many(n_loose, n_tight, left):
    pairs = islice(combinations(range(30), 2), n_loose + n_tight)
    master = master_of(30, *pairs)
    slack = np.r_[np.full(n_loose, 0.0501), np.full(n_tight, 0.05)]
    master._release(slack)
    assert len(master._held) == master._lp.getNumRow() == left
    if left == 1:
        assert master._held == [n_loose]


def test_violated_rows_join_the_program_and_met_ones_do_not():
    master = master_of(4, [0, 1], [2, 3], [0, 2])
    master._drop(np.ones(3, dtype=bool))
    cover = master.relaxed(np.array([0, 2]), NOBODY)
    assert cover.bound == 2 and master._held == []
    assert master.relaxed(NOBODY, np.array([0])).bound == 2
    assert set(master._held) == {0, 1, 2}


def test_a_higher_goal_drops_outdated_rows_from_the_program():
    master = master_of(3, [0, 1])
    master.add([np.array([2])], below=2)
    master.set_goal(2)
    assert master._held == [0, 1]
    master.set_goal(3)
    assert master._held == [0] and master._lp.getNumRow() == 1
    assert master.add([np.array([2]), np.array([1])], below=3) == 2
    assert master._held == [0, 1, 2]


def test_losses_of_a_block_join_the_program():
    master = master_of(4, [0, 1])
    for block, losses in (([0, 1, 2], 2), ([1, 2, 3], 2)):
        master.add_rank(np.array(block), losses)
    assert sorted(master._held) == [0, 1, 2]
    assert master.relaxed(np.empty(0, int), np.empty(0, int)).bound == 2
    kept = master.relaxed(np.empty(0, int), np.array([1]))
    assert (kept.bound, kept.lost.tolist()) == (3, [1, 0, 1, 1])
