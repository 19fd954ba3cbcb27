"""The active-set method against linear programming and a general quadratic solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, least_norm, thin_out

NOTHING = np.empty(0, dtype=np.int64)  # to start from


def unit(rows: np.ndarray) -> np.ndarray:
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def random_rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of an orthant and of records, near a common direction or not, rounded or not."""
    rng = np.random.default_rng(seed)
    p, m = rng.integers(2, 12), rng.integers(2, 40)
    records = rng.normal(size=(m, p)) + rng.normal(size=p) * rng.choice([0, 0.3, 1])
    if seed % 3 == 0:
        records = np.round(records)
    if seed % 5 == 0:  # duplicates and opposites
        records = np.vstack([records, records[: m // 2], -records[:1]])
    records = unit(records)
    return np.vstack([np.eye(p), records]), np.r_[np.zeros(p), np.ones(len(records))]


def largest_margin(rows: np.ndarray, right: np.ndarray) -> float:
    """``max t`` with record rows at least ``t``, domain rows at least 0, ``|theta_k| <= 1``."""
    p = rows.shape[1]
    answer = linprog(
        np.r_[np.zeros(p), -1.0],
        A_ub=np.column_stack([-rows, right]),
        b_ub=np.zeros(len(rows)),
        bounds=[(-1, 1)] * p + [(0, 1)],
    )
    assert answer.status == 0
    return -answer.fun


@pytest.mark.parametrize("chunk", range(8))
def test_verdict_agrees_with_a_linear_program(chunk):
    verdicts = set()
    for seed in range(50 * chunk, 50 * (chunk + 1)):
        rows, right = random_rows(seed)
        status, theta, support, multipliers = least_norm(rows, right, np.arange(len(rows)), NOTHING)
        margin = largest_margin(rows, right)
        verdicts.add(int(status))
        if status == FEASIBLE:
            assert margin > 1e-9
            assert np.all(rows @ theta >= right - 1e-8)
        else:
            assert status == INFEASIBLE
            assert margin < 1e-7
            assert np.all(multipliers >= 0)
            combination = multipliers @ rows[support] / multipliers.sum()
            np.testing.assert_allclose(combination, 0, atol=1e-12)
            assert multipliers @ right[support] > 0  # a record takes part
            assert len(support) <= rows.shape[1] + 1
    assert verdicts == {FEASIBLE, INFEASIBLE}


@pytest.mark.parametrize("seed", range(12))
def test_feasible_parameters_have_the_largest_margin(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 6))
    records = unit(rng.normal(size=(15, p)) + 2 * np.abs(rng.normal(size=p)))
    rows = np.vstack([np.eye(p), records])
    right = np.r_[np.zeros(p), np.ones(len(records))]
    status, theta, support, multipliers = least_norm(rows, right, np.arange(len(rows)), NOTHING)
    margin = largest_margin(rows, right)
    assert (status == FEASIBLE) == (margin > 1e-9)
    if status != FEASIBLE:
        return
    # stationarity: theta is the combination of its active rows
    np.testing.assert_allclose(multipliers @ rows[support], theta, atol=1e-8)
    np.testing.assert_allclose(rows[support] @ theta, right[support], atol=1e-8)
    rival = minimize(
        lambda x: x @ x / 2,
        np.full(p, 1 / margin),
        jac=lambda x: x,
        constraints={"type": "ineq", "fun": lambda x: rows @ x - right, "jac": lambda x: rows},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert np.linalg.norm(theta) <= np.linalg.norm(rival.x) * (1 + 1e-6)
    if rival.success:
        np.testing.assert_allclose(np.linalg.norm(theta), np.linalg.norm(rival.x), rtol=1e-5)


def test_only_the_wanted_rows_count():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    right = np.ones(3)
    status, theta, _, _ = least_norm(rows, right, np.array([0, 1]), NOTHING)
    assert status == FEASIBLE
    np.testing.assert_allclose(theta, [1, 1])
    assert least_norm(rows, right, np.array([0, 1, 2]), NOTHING)[0] == INFEASIBLE


def test_no_rows_at_all_are_satisfied_by_zero():
    status, theta, support, _ = least_norm(np.eye(3), np.ones(3), NOTHING, NOTHING)
    assert status == FEASIBLE
    assert not theta.any()
    assert len(support) == 0


def test_opposite_rows_are_a_certificate_of_two():
    rows = unit(np.array([[3.0, -4.0], [-3.0, 4.0]]))
    status, _, support, multipliers = least_norm(rows, np.ones(2), np.arange(2), NOTHING)
    assert status == INFEASIBLE
    assert sorted(support) == [0, 1]
    np.testing.assert_allclose(multipliers[0], multipliers[1])


def test_zero_row_is_infeasible_alone():
    rows = np.array([[1.0, 0.0], [0.0, 0.0]])
    status, _, support, multipliers = least_norm(rows, np.ones(2), np.arange(2), NOTHING)
    assert status == INFEASIBLE
    assert set(support[multipliers > 0]) == {1}


@pytest.mark.parametrize("copies", [2, 40])
def test_duplicated_rows_change_nothing(copies):
    rng = np.random.default_rng(1)
    rows = unit(rng.normal(size=(8, 4)) + np.array([2, 0, 0, 0]))
    alone = least_norm(rows, np.ones(8), np.arange(8), NOTHING)
    many = np.tile(rows, (copies, 1))
    together = least_norm(many, np.ones(len(many)), np.arange(len(many)), NOTHING)
    assert alone[0] == together[0] == FEASIBLE
    np.testing.assert_allclose(together[1], alone[1], atol=1e-9)


def test_rows_through_one_ray_are_degenerate_and_solved():
    # the cone is the single ray (1, 1, 1): every domain row is active there
    domain = unit(
        np.array([[1.0, -1, 0], [-1, 1, 0], [0, 1, -1], [0, -1, 1], [1, 0, -1], [-1, 0, 1]])
    )
    record = unit(np.array([[2.0, -1, 0]]))
    rows = np.vstack([domain, record])
    right = np.r_[np.zeros(6), 1.0]
    status, theta, _, _ = least_norm(rows, right, np.arange(7), NOTHING)
    assert status == FEASIBLE
    np.testing.assert_allclose(theta, np.full(3, np.sqrt(5)), rtol=1e-9)
    status, _, support, multipliers = least_norm(
        np.vstack([rows, -record]), np.r_[right, 1.0], np.arange(8), NOTHING
    )
    assert status == INFEASIBLE
    np.testing.assert_allclose(multipliers @ np.vstack([rows, -record])[support], 0, atol=1e-12)


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-8])
def test_nearly_opposite_rows_are_still_feasible(angle):
    rows = np.array([[np.sin(angle), np.cos(angle)], [np.sin(angle), -np.cos(angle)]])
    status, theta, _, _ = least_norm(rows, np.ones(2), np.arange(2), NOTHING)
    assert status == FEASIBLE
    assert theta[0] == pytest.approx(1 / np.sin(angle), rel=1e-4)


@pytest.mark.parametrize("seed", range(60))
def test_a_warm_start_changes_no_answer(seed):
    rows, right = random_rows(seed)
    every = np.arange(len(rows))
    status, theta, support, _ = least_norm(rows, right, every, NOTHING)
    rng = np.random.default_rng(seed)
    some = rng.choice(every, size=rng.integers(1, len(rows) + 1), replace=False)
    for start in (support, some, every):
        again, same, found, multipliers = least_norm(rows, right, every, start)
        assert again == status
        if status == FEASIBLE:
            np.testing.assert_allclose(same, theta, rtol=1e-6, atol=1e-6 * np.linalg.norm(theta))
        if status == INFEASIBLE:
            assert (multipliers >= 0).all()
            np.testing.assert_allclose(multipliers @ rows[found], 0, atol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_what_thinning_out_leaves_is_infeasible_and_spares_no_group(seed):
    rng = np.random.default_rng(seed)
    p, n_groups = 4, 12
    rows = unit(np.vstack([np.eye(p), rng.normal(size=(2 * n_groups, p))]))
    right = np.r_[np.zeros(p), np.ones(2 * n_groups)]
    groups = np.r_[np.full(p, -1), np.repeat(np.arange(n_groups), 2)]
    every = np.arange(len(rows))
    assert least_norm(rows, right, every, NOTHING)[0] == INFEASIBLE
    support, multipliers, alive, witnesses = thin_out(rows, right, every, groups, n_groups)

    def status(left):
        return least_norm(rows, right, every[(groups < 0) | left[groups]], NOTHING)[0]

    assert status(alive) == INFEASIBLE
    assert set(groups[support[multipliers > 0]]) - {-1} == set(np.flatnonzero(alive))
    for group in np.flatnonzero(alive):
        others = alive.copy()
        others[group] = False
        assert status(others) == FEASIBLE
        asked = (groups < 0) | others[groups]
        assert np.all(rows[asked] @ witnesses[group] >= right[asked] - 1e-8)
