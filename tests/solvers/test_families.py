"""Every family against an exact search that shares no code with the package, and a new family.

Files of small integers: their features are integers, so the optimum is decided without rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import event, given, settings

from sklearn_reclink.families import OWA, Bilinear, Choquet, Distance, KAdditiveChoquet
from sklearn_reclink.families.cone_submodular_k_additive import SubmodularKAdditiveCapacities
from sklearn_reclink.families.cones import (
    Domain,
    KAdditiveCapacities,
    MonotoneCapacities,
    NonnegativeOnPairs,
    Orthant,
    PositiveSemidefinite,
    SubmodularCapacities,
    SymmetricMatrices,
)
from sklearn_reclink.solvers import solve
from sklearn_reclink.solvers.problem import Solution, Status, linkage_problem
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
from tests.solvers.test_exact import integer_files

EXAMPLES = 300


def solve_family(files, distance, domain) -> Solution:
    original, masked = (np.array(file, dtype=float) for file in files)
    problem = linkage_problem(original, masked, distance, domain(original, masked))
    return solve(problem, random_state=0)


def assert_optimum(solution: Solution, expected: int) -> None:
    assert (solution.n_linked, solution.bound) == (expected, expected)
    assert solution.status == Status.OPTIMAL


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_owa_optimum_equals_exact_search(files):
    best = best_subset(family_rows(ordered_squares, *files), unit_rows(len(files[0][0])))
    assert_optimum(solve_family(files, OWA(), lambda a, b: Orthant(a.shape[1])), len(best))


@pytest.mark.parametrize(
    ("domain", "rows"),
    [(MonotoneCapacities, monotone_rows), (SubmodularCapacities, submodular_rows)],
)
@settings(max_examples=EXAMPLES, deadline=None)
@given(files=integer_files(n_features=(2, 4), n_records=(2, 7)))
def test_choquet_optimum_equals_exact_search(domain, rows, files):
    best = best_subset(family_rows(increments, *files), rows(len(files[0][0])))
    assert_optimum(solve_family(files, Choquet(), lambda a, b: domain(a.shape[1])), len(best))


@pytest.mark.parametrize(
    ("domain", "full"),
    [
        (KAdditiveCapacities, monotone_rows),
        (SubmodularKAdditiveCapacities, submodular_rows),
    ],
)
@pytest.mark.parametrize("order", [1, 2, 3])
@settings(max_examples=60, deadline=None)
@given(files=integer_files(n_features=(3, 3), n_records=(2, 7)))
def test_k_additive_optimum_equals_exact_search(domain, full, order, files):
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
    solution = solve_family(files, KAdditiveChoquet(order), lambda a, b: domain(a.shape[1], order))
    assert_optimum(solution, len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_free_bilinear_optimum_equals_exact_search(files):
    best = best_subset(family_rows(products, *files), [])
    solution = solve_family(files, Bilinear(), lambda a, b: SymmetricMatrices(a.shape[1]))
    assert_optimum(solution, len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files(n_records=(2, 7)))
def test_nonnegative_bilinear_optimum_equals_exact_search(files):
    best = best_subset(family_rows(products, *files), pair_rows(*files))
    assert_optimum(solve_family(files, Bilinear(), NonnegativeOnPairs), len(best))


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files(n_features=(2, 2)))
def test_psd_optimum_of_two_variables_equals_exact_search(files):
    best = best_psd_subset(family_rows(products, *files))
    solution = solve_family(files, Bilinear(), lambda a, b: PositiveSemidefinite(2, a - b))
    assert_optimum(solution, len(best))


@settings(max_examples=100, deadline=None)
@given(integer_files(n_features=(3, 4), n_records=(2, 6)))
def test_psd_optimum_lies_between_an_exact_matrix_and_exact_cuts(files):
    n = len(files[0][0])
    rows = family_rows(products, *files)
    solution = solve_family(files, Bilinear(), lambda a, b: PositiveSemidefinite(n, a - b))
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


class DecreasingWeights(Distance):
    monotone = True
    non_negative = True

    def n_parameters(self, n_features: int) -> int:
        return n_features

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        yield from np.moveaxis(np.abs(differences), -1, 0)

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return parameters

    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        return theta


class Decreasing(Domain):
    def __init__(self, n_parameters: int) -> None:
        self.n_parameters = n_parameters

    @property
    def rows(self) -> np.ndarray:
        rows = np.eye(self.n_parameters) - np.eye(self.n_parameters, k=1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    @property
    def centre(self) -> np.ndarray:
        return np.full(self.n_parameters, 1 / self.n_parameters)

    @property
    def normaliser(self) -> np.ndarray:
        return np.ones(self.n_parameters)

    @property
    def n_paper_constraints(self) -> int:
        return self.n_parameters + 1

    def repair(self, theta: np.ndarray) -> np.ndarray:
        return np.maximum.accumulate(np.maximum(theta, 0.0)[::-1])[::-1]


def decreasing_rows(n: int) -> list[list[int]]:
    return [[int(i == j) - int(i + 1 == j) for j in range(n)] for i in range(n)]


@settings(max_examples=EXAMPLES, deadline=None)
@given(integer_files())
def test_a_new_family_is_solved_without_touching_a_solver(files):
    rows = family_rows(lambda differences: [abs(d) for d in differences], *files)
    best = best_subset(rows, decreasing_rows(len(files[0][0])))
    solution = solve_family(files, DecreasingWeights(), lambda a, b: Decreasing(a.shape[1]))
    assert_optimum(solution, len(best))
    assert np.all(np.diff(solution.theta) <= 0) and np.all(solution.theta >= 0)
