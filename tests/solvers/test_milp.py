"""The papers' program: its size, its optimum where it is sound, and the links that it invents."""

from __future__ import annotations

import cvxpy as cp
import highspy
import numpy as np
import pytest
from cvxpy.reductions.solvers import defines

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.data.views import learn_scales
from sklearn_reclink.families import Choquet, WeightedMean
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.exact import solve
from sklearn_reclink.solvers.milp import (
    MilpSolution,
    _options,
    n_paper_constraints,
    papers_program,
    solve_milp,
    write_mps,
)
from sklearn_reclink.solvers.problem import Problem
from tests.exact_arithmetic import best_subset, unit_rows, weighted_mean_rows
from tests.papers import FILES

# Free ones alone: others may lack a licence. Without CBC, of which cvxpy 1.9 with cylp 0.94 hands
# over parameters that are not normalised.
SOLVERS = [s for s in ("GLPK_MI", "HIGHS", "SCIP", "SCIPY") if s in defines.INSTALLED_MI_SOLVERS]


def weighted_mean_problem(original, masked) -> Problem:
    original, masked = np.array(original, dtype=float), np.array(masked, dtype=float)
    return Problem(WeightedMean(original.shape[1]), Index(original, masked))


def separated_files(seed: int) -> tuple[list[list[int]], list[list[int]]]:
    """Small integers: every row is 0 or at least 1 in size, far above a solver's tolerances."""
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 7, (6, 3))
    return original.tolist(), (original + rng.integers(-2, 3, original.shape)).tolist()


def noisy_problem(n_records: int = 60) -> Problem:
    rng = np.random.default_rng(0)
    original = rng.normal(size=(n_records, 4))
    return weighted_mean_problem(original, original + rng.normal(size=original.shape))


@pytest.mark.parametrize(("n_records", "n_features"), [(5, 3), (12, 4), (30, 6)])
def test_size_is_that_of_the_papers(n_records, n_features):
    rng = np.random.default_rng(0)
    problem = weighted_mean_problem(*rng.normal(size=(2, n_records, n_features)))
    # Table 2 of the 2015 paper: N (N - 1) + N + n + 1, the N being the K_i in {0, 1}
    expected = n_records * (n_records - 1) + n_records + n_features + 1
    assert n_paper_constraints(problem) == expected
    program = papers_program(problem)
    assert sum(constraint.size for constraint in program.model.constraints) == expected - n_records
    assert program.misses.shape == (n_records,) and program.misses.attributes["boolean"]
    assert program.theta.shape == (n_features,) and not program.theta.attributes["boolean"]


def test_constant_is_above_every_violation():
    program = papers_program(weighted_mean_problem(*separated_files(0)))
    assert program.constant == np.abs(program.rows).max() + 1


def test_strictness_above_one_leaves_the_program_feasible():
    found = solve_milp(weighted_mean_problem(*separated_files(0)), strictness=1e3)
    assert found.optimal and found.claimed_links == 0


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_the_exact_optimum_on_well_separated_problems(seed):
    original, masked = separated_files(seed)
    problem = weighted_mean_problem(original, masked)
    found = solve_milp(problem, strictness=1e-3)
    expected = len(best_subset(weighted_mean_rows(original, masked), unit_rows(3)))
    assert found.optimal
    assert found.claimed_links == found.recounted_links == expected
    assert solve(problem, rng=np.random.default_rng(0)).n_linked == expected


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_installed_solver_finds_the_same_optimum(solver):
    problem = weighted_mean_problem(*separated_files(1))
    expected = solve_milp(problem, strictness=1e-3)
    found = solve_milp(problem, solver=solver.lower(), strictness=1e-3)
    assert found.solver == solver
    assert found.optimal
    assert found.claimed_links == found.recounted_links == expected.claimed_links


@pytest.mark.parametrize("seed", range(3))
def test_choquet_program_agrees_with_the_exact_optimum(seed):
    original, masked = (np.array(file, dtype=float) for file in separated_files(seed))
    problem = Problem(Choquet(3), Index(original, masked))
    found = solve_milp(problem, strictness=1e-3)
    assert found.claimed_links == found.recounted_links
    assert found.recounted_links == solve(problem, rng=np.random.default_rng(0)).n_linked


def test_masked_records_beyond_the_originals_are_impostors():
    original = [[0, 0], [4, 1], [1, 5]]
    alone = weighted_mean_problem(original, original)
    # the fourth masked record ties with the own record of the first person
    pooled = weighted_mean_problem(original, [*original, [0, 0]])
    assert solve_milp(alone, strictness=1e-3).claimed_links == 3
    found = solve_milp(pooled, strictness=1e-3)
    assert (found.claimed_links, found.recounted_links) == (2, 2)
    assert solve(pooled, rng=np.random.default_rng(0)).n_linked == 2
    program = papers_program(pooled)
    assert len(program.rows) == 3 * 3 and program.misses.size == 3
    assert n_paper_constraints(pooled) == 3 * 3 + 3 + 2 + 1


def test_strictness_of_zero_claims_ties_as_links():
    # both records tie for all weights: nobody is re-identified, yet ">= 0" holds
    problem = weighted_mean_problem([[0, 0], [0, 0]], [[1, 1], [1, 1]])
    found = solve_milp(problem, strictness=0.0)
    assert (found.claimed_links, found.recounted_links) == (2, 0)


@pytest.mark.parametrize("pool", [[], [[3, 3, 3], [1, 2, 6]]], ids=["alone", "pool"])
def test_written_program_is_read_back_with_the_same_optimum(tmp_path, pool):
    original, masked = separated_files(1)
    problem = weighted_mean_problem(original, masked + pool)
    path = tmp_path / "program.mps"
    write_mps(problem, path, strictness=1e-3)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    links = [f"link_{i}_{j}" for i in range(6) for j in range(len(masked + pool)) if j != i]
    rows = ["normalised", *links, *(f"admissible_{m}" for m in range(3))]
    assert highs.getLp().row_names_ == rows
    assert highs.getLp().col_names_ == [
        *(f"theta_{m}" for m in range(3)),
        *(f"K_{i}" for i in range(6)),
    ]
    highs.run()
    misses = round(highs.getInfo().objective_function_value)
    assert 6 - misses == solve_milp(problem, strictness=1e-3).claimed_links


def test_written_numbers_are_those_of_the_program(tmp_path):
    problem = noisy_problem(8)
    program = papers_program(problem)
    write_mps(problem, tmp_path / "program.mps", labels=list("abcd"))
    entries = [line.split() for line in (tmp_path / "program.mps").read_text().splitlines()]
    columns = ("theta_", "K_")
    written = {(w[0], w[1]): float(w[2]) for w in entries if w[0].startswith(columns)}
    for row, i, j in zip(program.rows, program.records, program.impostors, strict=True):
        link = f"link_{i}_{j}"
        assert [written[f"theta_{word}", link] for word in "abcd"] == row.tolist()
        assert written[f"K_{i}", link] == program.constant


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_point_in_time_is_no_solution(solver):
    found = solve_milp(noisy_problem(), solver=solver, time_limit=0.0)
    assert found == MilpSolution(None, 0, 0, False, solver)


def test_time_limit_is_passed_on():
    found = solve_milp(noisy_problem(100), time_limit=0.5, strictness=1e-3)
    assert not found.optimal
    assert found.recounted_links <= 100


def test_values_that_violate_the_program_are_no_point():
    program = papers_program(weighted_mean_problem(*separated_files(0)), strictness=1e-3)
    equal = np.full(3, 1 / 3)
    assert not program.holds(equal, np.zeros(6))  # claims links that the rows deny
    assert not program.holds(np.zeros(3), np.zeros(6))
    assert not program.holds(np.zeros(3), np.ones(6))  # not normalised
    assert not program.holds(equal, np.full(6, 0.5))
    assert not program.holds(equal, np.full(6, 2.0))
    assert program.holds(equal, np.full(6, 1 - 1e-7))


@pytest.mark.parametrize(
    ("status", "theta", "misses", "expected"),
    [
        (cp.USER_LIMIT, None, None, (True, 0, 0, False)),
        (cp.USER_LIMIT, np.full(3, np.nan), np.ones(6), (True, 0, 0, False)),
        (cp.USER_LIMIT, np.zeros(3), np.zeros(6), (True, 0, 0, False)),  # as HiGHS hands over
        (cp.USER_LIMIT, np.eye(3)[0], np.ones(6), (False, 0, 1, False)),
        (cp.OPTIMAL, np.eye(3)[0], np.zeros(6), (False, 6, 1, True)),
        (cp.OPTIMAL, np.zeros(3), np.zeros(6), (True, 6, 0, True)),
        (cp.INFEASIBLE, None, None, (True, 0, 0, False)),
    ],
)
def test_only_the_recount_is_a_count(monkeypatch, status, theta, misses, expected):
    """Whatever a solver hands over: its word is the claim, its parameters are recounted."""

    def solve_so(self, **options):
        for variable in self.variables():
            variable.save_value(theta if variable.shape == (3,) else misses)
        self._status = status

    monkeypatch.setattr(cp.Problem, "solve", solve_so)
    found = solve_milp(weighted_mean_problem(*separated_files(0)), strictness=1e-3)
    counts = found.claimed_links, found.recounted_links, found.optimal
    assert (found.theta is None, *counts) == expected


def test_failure_before_the_time_limit_is_an_error(monkeypatch):
    def fails(self, **options):
        raise cp.SolverError("no licence")

    monkeypatch.setattr(cp.Problem, "solve", fails)
    problem = weighted_mean_problem(*separated_files(0))
    with pytest.raises(RuntimeError, match=r"HIGHS failed on a program of 30 links .* licence"):
        solve_milp(problem)
    assert solve_milp(problem, time_limit=0.0).theta is None


@pytest.mark.parametrize(
    ("solver", "reason"),
    [
        ("SCS", "does not take integers"),
        ("NO_SUCH", "is no mixed-integer solver that cvxpy knows"),
        *[
            (s, "is not installed")
            for s in defines.MI_SOLVERS
            if s not in defines.INSTALLED_SOLVERS
        ],
    ],
)
def test_solver_that_is_not_there_is_refused(solver, reason):
    problem = weighted_mean_problem(*separated_files(0))
    with pytest.raises(ValueError, match=f"'{solver}' {reason}: .* here are .*HIGHS"):
        solve_milp(problem, solver=solver)


def test_time_limit_of_unknown_name_is_refused():
    with pytest.raises(ValueError, match="how to give ECOS_BB a time limit is not known"):
        _options("ECOS_BB", 10.0)
    assert _options("ECOS_BB", None) == _options("ECOS_BB", np.inf) == {}


def test_highs_keeps_to_the_one_thread_of_the_covering_search():
    # it refuses a second number of threads in one process
    assert _options("HIGHS", 2.0) == {"threads": 1, "time_limit": 2.0}


@pytest.mark.parametrize("bad", [{"strictness": s} for s in (np.nan, -1e-9, np.inf)])
def test_bad_strictness_is_refused(bad, tmp_path):
    problem = weighted_mean_problem(*separated_files(0))
    with pytest.raises(ValueError, match=r"strictness is .* finite number, at least 0"):
        solve_milp(problem, **bad)
    with pytest.raises(ValueError, match="strictness is"):
        write_mps(problem, tmp_path / "program.mps", **bad)
    assert not (tmp_path / "program.mps").exists()


@pytest.mark.parametrize("time_limit", [-1.0, np.nan])
def test_bad_time_limit_is_refused(time_limit):
    with pytest.raises(ValueError, match="time_limit is"):
        solve_milp(weighted_mean_problem(*separated_files(0)), time_limit=time_limit)


@pytest.mark.census
def test_papers_program_claims_links_that_do_not_exist(census):
    X, Y = FILES["M4-33"].draw(census, 0)
    scales = learn_scales(X, Y, "separate")
    problem = weighted_mean_problem(scales.original(X), scales.masked(Y))
    found = solve_milp(problem, strictness=1e-6)
    proven = WeightedMeanLinker(random_state=0).fit(X, Y)
    claimed, recounted = found.claimed_links, found.recounted_links
    print(f"claimed {claimed}, recounted {recounted}, proven optimum {proven.bound_}")
    assert found.optimal  # so says the solver
    assert claimed > recounted
    assert proven.n_linked_ == proven.bound_ == 383
    assert recounted <= proven.bound_ < claimed
