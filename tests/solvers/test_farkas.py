"""Checks of certificates: each counts its own rounding, and none is fooled by a hair."""

from fractions import Fraction

import numpy as np
import pytest

from sklearn_reclink.families import Bilinear, SemidefiniteBilinear, SubmodularChoquet, WeightedMean
from sklearn_reclink.solvers.farkas import combination_to_zero, combines_nearby, exact_support
from sklearn_reclink.solvers.row_cache import allowed

NO_CONE = np.empty((0, 2)), np.empty(0)
OWN = np.array([[2.0, 1.0], [1.0, 2.0]])
OTHER = np.array([[1.0, 2.0], [2.0, 1.0]])  # the rows are opposite


def test_opposite_rows_contradict_each_other():
    assert allowed(WeightedMean(2), OWN, OTHER, np.ones(2), *NO_CONE)
    assert exact_support([[-1, 1], [1, -1]]).all()


@pytest.mark.parametrize("gap, proven", [(1e-9, False), (1e-12, True), (-1e-9, True)])
def test_residual_is_compared_with_what_ties_allow(gap, proven):
    moved = OTHER + np.array([[0, gap], [gap, 0]])
    assert allowed(WeightedMean(2), OWN, moved, np.ones(2), *NO_CONE) is proven


def test_rows_of_the_cone_that_cancel_in_floats_alone_prove_nothing():
    """Residuals of 1e-16 that sum to 0 in floats are not 0."""
    family = SubmodularChoquet(2)  # {0}, {1}, {0, 1}
    own, other = np.array([[0.0, 1e-20, 0.0]]), np.array([[0.0, 2e-20, 0.0]])
    cone = np.array([[-1.0, 0.0, 1.0], [1.0, 1.0, -1.0]])
    for multipliers in (np.array([1.0, 1.0]), np.array([1.0, 1 + 2**-52])):
        assert not allowed(family, own, other, np.ones(1), cone, multipliers)


def test_matrices_have_no_tolerance_but_that_of_the_distance():
    assert not allowed(Bilinear(1), np.ones((1, 1)), np.ones((1, 1)), np.ones(1), *NO_CONE)
    own, other = np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, -1e-3]])
    cone = np.empty((0, 3)), np.empty(0)
    assert allowed(SemidefiniteBilinear(2), own, other, np.ones(1), *cone)
    other[0, 2] = 1e-3
    assert not allowed(SemidefiniteBilinear(2), own, other, np.ones(1), *cone)


@pytest.mark.parametrize("seed", range(20))
def test_combination_close_by_exists_in_exact_arithmetic(seed):
    """Where it is said to exist, elimination over the rationals finds one with the same support."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    rows = rng.normal(size=(n, n))
    multipliers = rng.uniform(0.1, 1, size=n + 1)
    rows = np.vstack([rows, -(multipliers[:-1] @ rows) / multipliers[-1]])
    rows = np.ldexp(rows, rng.integers(-40, 40, size=(1, n)))
    assert combines_nearby(rows, np.abs(rows), multipliers)
    whole = [[int(Fraction(x) * 2**1100) for x in row] for row in rows.tolist()]
    assert exact_support(whole).all()
    multipliers[0] *= -1
    assert not combines_nearby(rows, np.abs(rows), multipliers)


def test_multipliers_that_rounding_could_turn_negative_prove_nothing():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1e-17]])
    assert not combines_nearby(rows, np.abs(rows), np.array([1.0, 1e-17, 1.0]))
    assert not combines_nearby(rows, np.abs(rows), np.array([1.0, np.nan, 1.0]))
    assert not combines_nearby(rows[:2], np.abs(rows[:2]), np.ones(2))


def test_dependent_rows_are_left_to_elimination():
    rows = np.array([[1.0, 2.0], [2.0, 4.0], [-3.0, -6.0]])
    assert not combines_nearby(rows, np.abs(rows), np.ones(3))
    assert exact_support([[1, 2], [2, 4], [-3, -6]]) is not None


def test_unknowns_that_are_left_free_stay_as_given():
    columns = [[1, 0], [-1, 1], [0, 2], [0, -2]]  # x0 = x1, and x1 + 2 x2 = 2 x3
    assert combination_to_zero(columns) == [2, 2, 0, 1]
    assert combination_to_zero(columns, [9, 9, 1, 3]) == [4, 4, 1, 3]
    assert combination_to_zero(columns, [0, 0, 3, 1]) is None  # x1 = -4
    assert combination_to_zero([[1, 0], [1, 1]], [1, 1]) is None  # both are 0
    assert combination_to_zero([[0], [0]], [2, 4]) == [1, 2]  # no equation


def test_equations_of_a_singular_total_are_exact():
    """``T = sum lambda_j R_j`` is singular along (3, 1, -2), in floats nearly."""
    family, direction = SemidefiniteBilinear(3), np.array([3, 1, -2])
    pairs = [([1, -3, 0], [0, 0, 0]), ([2, 0, 3], [0, 2, 1]), ([1, 1, 2], [1, -1, 1])]
    matrices = [np.outer(w, w) - np.outer(v, v) for v, w in pairs]
    rows = [matrix[np.triu_indices(3)].tolist() for matrix in matrices]
    for equations in family.borders(rows, np.array([1.0, 1.0, 1e-9])):
        (sign,) = {np.sign(x) for x in equations[0] if x} or {1}
        expected = np.array([matrix @ direction for matrix in matrices]).T
        assert (sign * np.array(equations) == np.sign(expected[0].sum() or 1) * expected).all()
