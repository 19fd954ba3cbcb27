"""Every family against an exact search that shares no code with the package, and a new family.

Files of small integers: their features are integers, so the optimum is decided without rounding.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import event, example, given, settings

from sklearn_reclink.families import (
    OWA,
    Bilinear,
    Choquet,
    Family,
    KAdditiveChoquet,
    NonnegativeBilinear,
    SemidefiniteBilinear,
    SubmodularChoquet,
    SubmodularKAdditiveChoquet,
)
from sklearn_reclink.families.base import sum_of_terms
from sklearn_reclink.solvers.problem import Solution, Status
from tests.exact_arithmetic import (
    best_psd_subset,
    best_subset,
    family_rows,
    increments,
    is_psd,
    monotone_rows,
    ordered_squares,
    pair_rows,
    products,
    psd_links,
    submodular_rows,
    unit_rows,
)
from tests.problems import TIES_ALONG_RATIOS, FamilyOf, as_floats, integer_files, problem_of, solved

EXAMPLES = 100 if os.environ.get("CI") else 300


def solve_family(files, family: Family | FamilyOf) -> Solution:
    return solved(problem_of(family, *files))


def semidefinite(files) -> SemidefiniteBilinear:
    original, masked = as_floats(*files)
    return SemidefiniteBilinear(original.shape[1], original - masked)


def assert_optimum(solution: Solution, expected: int) -> None:
    assert (solution.n_linked, solution.bound) == (expected, expected)
    assert solution.status == Status.OPTIMAL


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_owa_optimum_equals_exact_search(files):
    best = best_subset(family_rows(ordered_squares, *files), unit_rows(len(files[0][0])))
    assert_optimum(solve_family(files, OWA), len(best))


@pytest.mark.parametrize(
    ("family", "rows"), [(Choquet, monotone_rows), (SubmodularChoquet, submodular_rows)]
)
@settings(max_examples=EXAMPLES, deadline=None)
@given(files=integer_files(n_features=(2, 4), n_records=(2, 7)))
def test_choquet_optimum_equals_exact_search(family, rows, files):
    best = best_subset(family_rows(increments, *files), rows(len(files[0][0])))
    assert_optimum(solve_family(files, family), len(best))


@pytest.mark.parametrize(
    ("family", "full"),
    [(KAdditiveChoquet, monotone_rows), (SubmodularKAdditiveChoquet, submodular_rows)],
)
@pytest.mark.parametrize("order", [1, 2, 3])
@settings(max_examples=60, deadline=None)
@given(files=integer_files(n_features=(3, 3), n_records=(2, 7)))
def test_k_additive_optimum_equals_exact_search(family, full, order, files):
    # a k-additive capacity of three variables is a capacity with two more equalities or one
    equalities = {
        1: [[1, 1, -1, 0, 0, 0, 0], [1, 0, 0, 1, -1, 0, 0], [0, 1, 0, 1, 0, -1, 0]],
        2: [],
        3: [],
    }[order]
    if order < 3:  # the Moebius transform of all three variables is 0
        equalities = [*equalities, [1, 1, -1, 1, -1, -1, 1]]
    rows = full(3) + equalities + [[-x for x in row] for row in equalities]
    best = best_subset(family_rows(increments, *files), rows)
    assert_optimum(solve_family(files, partial(family, order=order)), len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_free_bilinear_optimum_equals_exact_search(files):
    best = best_subset(family_rows(products, *files), [])
    assert_optimum(solve_family(files, Bilinear), len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files(n_records=(2, 7)))
def test_nonnegative_bilinear_optimum_equals_exact_search(files):
    best = best_subset(family_rows(products, *files), pair_rows(*files))
    assert_optimum(solve_family(files, NonnegativeBilinear(*as_floats(*files))), len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files(n_features=(2, 2)))
def test_psd_optimum_of_two_variables_equals_exact_search(files):
    best = best_psd_subset(family_rows(products, *files))
    assert_optimum(solve_family(files, semidefinite(files)), len(best))


@settings(max_examples=100, deadline=None)
@given(integer_files(n_features=(3, 4), n_records=(2, 6)))
@example(files=TIES_ALONG_RATIOS[0])
@example(files=TIES_ALONG_RATIOS[1])
@example(files=TIES_ALONG_RATIOS[2])
def test_psd_optimum_lies_between_an_exact_matrix_and_exact_cuts(files):
    n = len(files[0][0])
    rows = family_rows(products, *files)
    solution = solve_family(files, semidefinite(files))
    cuts = [products(list(v)) for v in product(range(-2, 3), repeat=n) if any(v) and v > (0,) * n]
    upper = len(best_subset(rows, cuts))
    lower = exact_links(rows, solution.theta, n)
    event(f"the exact limits {'meet' if lower == upper else 'leave room'}")
    assert lower <= solution.n_linked <= solution.bound <= upper
    assert lower == solution.n_linked
    assert solution.status == Status.OPTIMAL


def exact_links(rows, theta, n_features: int) -> int:
    """Links of a rational positive semidefinite matrix next to the one of ``theta``."""
    exact = [Fraction(float(x)) for x in theta]
    lift = Fraction(float(np.abs(theta).max())) / 2**45
    matrix = [[Fraction(0)] * n_features for _ in range(n_features)]
    place = 0
    for k in range(n_features):
        for m in range(k, n_features):
            if k == m:
                exact[place] += lift
                matrix[k][k] = exact[place]
            else:
                matrix[k][m] = matrix[m][k] = exact[place] / 2
            place += 1
    assert is_psd(matrix)
    return sum(
        all(sum(x * t for x, t in zip(row, exact, strict=True)) > 0 for row in record)
        for record in rows
    )


@pytest.mark.parametrize(
    ("rows", "linked"),
    [
        ([], True),
        ([[1, 0, 0]], True),
        ([[-1, 0, -1]], False),  # a negative trace
        ([[0, 1, 0], [-1, 0, 0]], False),  # M_11 < 0
        ([[0, 1, 0], [0, -1, 0]], False),  # opposite signs of M_12
        ([[-1, 1, -1]], False),  # 2 M_12 > M_11 + M_22: only on the border, where it is equal
        ([[-9, 10, -9]], True),
        ([[-1, 1, 0], [0, 1, -1]], True),
    ],
)
def test_exact_geometry_of_two_by_two_matrices(rows, linked):
    assert psd_links(rows) is linked


# A family that the package does not know: nested weights w_1 >= w_2 >= ... >= w_n >= 0 of the
# absolute differences. It brings features and rows, and no solver is touched.


class DecreasingWeights(Family):
    def __init__(self, n_features: int) -> None:
        self.n_features = self.n_parameters = n_features

    def features(self, differences: np.ndarray) -> np.ndarray:
        return np.abs(differences)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        features = np.moveaxis(self.features(differences), -1, 0)
        return sum_of_terms(theta, features, differences.shape[:-1])

    def formula(self, theta: np.ndarray) -> None:
        return None

    n_paper_constraints = property(lambda self: self.n_parameters + 1)
    normaliser = property(lambda self: np.ones(self.n_parameters))
    centre = property(lambda self: self.normalised(self.normaliser))

    @property
    def rows(self) -> np.ndarray:
        rows = np.eye(self.n_parameters) - np.eye(self.n_parameters, k=1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        return np.maximum.accumulate(np.maximum(theta, 0.0)[::-1])[::-1]

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        return theta / theta.sum()

    # what only linkers ask

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        raise NotImplementedError

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def labels(self, variables: Sequence[str]) -> list[str]:
        raise NotImplementedError


def decreasing_rows(n: int) -> list[list[int]]:
    return [[int(i == j) - int(i + 1 == j) for j in range(n)] for i in range(n)]


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_a_new_family_is_solved_without_touching_a_solver(files):
    rows = family_rows(lambda differences: [abs(d) for d in differences], *files)
    best = best_subset(rows, decreasing_rows(len(files[0][0])))
    solution = solve_family(files, DecreasingWeights)
    assert_optimum(solution, len(best))
    assert np.all(np.diff(solution.theta) <= 0) and np.all(solution.theta >= 0)
