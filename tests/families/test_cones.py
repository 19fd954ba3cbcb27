"""Cones by enumeration: rows, admissible parameters, repairs, and what rounding may leave."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sklearn_reclink import families
from sklearn_reclink.capacity import capacity_to_mobius, mobius_to_capacity, small_subsets
from sklearn_reclink.families.bilinear import products

MATRICES = families.Bilinear(3)
FILES = np.random.default_rng(7).normal(size=(2, 12, 3))
FAMILIES = {
    "orthant": families.WeightedMean(4),
    "monotone": families.Choquet(3),
    "submodular": families.SubmodularChoquet(3),
    "2-additive": families.KAdditiveChoquet(4, 2),
    "submodular 2-additive": families.SubmodularKAdditiveChoquet(4, 2),
    "symmetric": MATRICES,
    "pairs": families.NonnegativeBilinear(*FILES),
    "psd": families.SemidefiniteBilinear(3),
}
every_family = pytest.mark.parametrize("name", FAMILIES)


def is_monotone(capacity: np.ndarray) -> bool:
    subsets = range(len(capacity))
    return all(capacity[a] <= capacity[b] + 1e-12 for a in subsets for b in subsets if a & b == a)


def is_submodular(capacity: np.ndarray) -> bool:
    subsets = range(len(capacity))
    return all(
        capacity[a] + capacity[b] >= capacity[a | b] + capacity[a & b] - 1e-12
        for a in subsets
        for b in subsets
    )


def capacity_of(theta: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], theta])


def k_additive_capacity(theta: np.ndarray) -> np.ndarray:
    mobius = np.zeros(16)
    mobius[small_subsets(4, 2)] = theta
    return mobius_to_capacity(mobius)


# The definition of each cone, read without its rows.
DEFINITIONS = {
    "orthant": lambda theta: bool(np.all(theta >= 0)),
    "monotone": lambda theta: is_monotone(capacity_of(theta)),
    "submodular": lambda theta: (
        is_monotone(capacity_of(theta)) and is_submodular(capacity_of(theta))
    ),
    "2-additive": lambda theta: is_monotone(k_additive_capacity(theta)),
    "submodular 2-additive": lambda theta: (
        is_monotone(k_additive_capacity(theta)) and is_submodular(k_additive_capacity(theta))
    ),
    "symmetric": lambda theta: True,
    "pairs": lambda theta: all(
        (a - b) @ families.Bilinear(3).unpack(theta) @ (a - b) >= 0
        for a in FILES[0]
        for b in FILES[1]
    ),
    "psd": lambda theta: bool(np.linalg.eigvalsh(MATRICES.unpack(theta)).min() >= 0),
}


def draws(name: str, how_many: int = 80) -> list[np.ndarray]:
    """Parameters inside, outside and on the border: small integers around the centre."""
    rng = np.random.default_rng(len(name))
    family = FAMILIES[name]
    size = family.n_parameters
    near = [family.centre + rng.integers(-2, 3, size) / 8 for _ in range(how_many)]
    far = [rng.integers(-1, 4, size) / 1.0 for _ in range(how_many)]
    inside = [family.repair(theta) for theta in near[:20]]
    return near + far + inside


@every_family
def test_contains_is_the_definition(name):
    family, admissible = FAMILIES[name], DEFINITIONS[name]
    answers = {True: 0, False: 0}
    for theta in draws(name):
        assert family.contains(theta) == admissible(theta)
        answers[family.contains(theta)] += 1
    assert answers[True] > 10
    assert answers[False] > 10 or name == "symmetric"


@every_family
def test_rows_never_cut_off_an_admissible_point(name):
    family = FAMILIES[name]
    assert family.rows.shape[1] == family.n_parameters
    for theta in draws(name):
        if DEFINITIONS[name](theta):
            assert np.all(family.rows @ theta >= -1e-12)


@pytest.mark.parametrize("name", ["pairs", "psd"])
def test_separated_rows_cut_off_the_point_and_nothing_admissible(name):
    family = FAMILIES[name]
    points = draws(name, 60)
    inside = np.array([theta for theta in points if family.contains(theta)])
    for theta in points:
        cuts = family.separate(theta)
        assert (len(cuts) > 0) == (not family.contains(theta))
        assert np.all(cuts @ theta < 1e-12)  # an eigenvalue of zero may be rounded below it
        assert np.all(inside @ cuts.T >= -1e-12)


@every_family
def test_centre_is_inside_and_normalised(name):
    family = FAMILIES[name]
    assert DEFINITIONS[name](family.centre)
    assert family.contains(family.centre)
    if family.normaliser.any():
        assert family.normaliser @ family.centre == pytest.approx(1)
    moved = family.centre + 1e-9 * np.random.default_rng(0).normal(size=family.n_parameters)
    if "submodular" not in name:  # the additive capacity lies on its border
        assert family.contains(moved)


@every_family
def test_repair_is_admissible_near_and_leaves_admissible_points_alone(name):
    family = FAMILIES[name]
    for theta in draws(name):
        repaired = family.repair(theta)
        assert family.contains(repaired)
        if family.contains(theta):
            np.testing.assert_allclose(repaired, theta, atol=1e-12)
    inside = family.repair(draws(name)[0])
    noise = 1e-13 * np.random.default_rng(1).normal(size=family.n_parameters)
    np.testing.assert_allclose(family.repair(inside + noise), inside, atol=1e-10)


@every_family
def test_no_excess_proves_the_inequality_for_all_admissible_parameters(name):
    """``residual . theta <= allowance . |theta|`` wherever the excess is zero."""
    family = FAMILIES[name]
    rng = np.random.default_rng(3)
    inside = [theta for theta in draws(name) if family.contains(theta)]
    proven = 0
    for _ in range(300):
        residual = rng.integers(-3, 3, family.n_parameters) / 4
        allowance = rng.integers(0, 3, family.n_parameters) / 2
        if family.excess(residual, allowance, np.zeros_like(residual)).any():
            continue
        proven += 1
        for theta in inside:
            assert residual @ theta <= allowance @ np.abs(theta) + 1e-9
    assert proven > 0


@every_family
def test_positive_residual_has_an_excess(name):
    family = FAMILIES[name]
    nothing = np.zeros(family.n_parameters)
    assert not family.excess(nothing, nothing, nothing).any()
    assert family.excess(np.abs(family.centre), nothing, nothing).any()
    room = 2 * np.abs(family.centre)
    assert not family.excess(np.abs(family.centre), room, nothing).any()
    assert family.excess(np.abs(family.centre), room, room).any()  # the error counts


def test_excess_of_a_capacity_is_charged_to_a_larger_subset():
    family = families.Choquet(2)  # {0}, {1}, {0, 1}
    nothing = np.zeros(3)
    assert not family.excess(
        np.array([1.0, 0.0, -1.0]), nothing, nothing
    ).any()  # mu({0}) <= mu(all)
    assert not family.excess(np.array([0.5, 0.5, -1.0]), nothing, nothing).any()
    assert family.excess(
        np.array([1.0, 1.0, -1.0]), nothing, nothing
    ).any()  # both at once: not proven


@pytest.mark.parametrize("n", range(1, 6))
def test_number_of_rows_of_the_lattice(n):
    # one a subset and a variable that it lacks: n 2^(n - 1), of which n at the empty set
    assert len(families.Choquet(n).rows) == n * 2 ** (n - 1)
    pairs = n * (n - 1) // 2
    expected = n + (pairs * 2 ** (n - 2) if n > 1 else 0)
    assert len(families.SubmodularChoquet(n).rows) == expected


@pytest.mark.parametrize("n", [2, 3, 4])
def test_papers_count_of_constraints(n):
    assert families.WeightedMean(n).n_paper_constraints == n + 1
    monotone = sum(len(list(combinations(range(n), k))) * k for k in range(2, n + 1)) + 2
    assert families.Choquet(n).n_paper_constraints == monotone
    assert families.NonnegativeBilinear(*np.zeros((2, 5, n))).n_paper_constraints == 25


def test_generators_of_the_orthant_are_its_extreme_rays():
    family = families.WeightedMean(3)
    np.testing.assert_array_equal(family.generators, np.eye(3))
    assert families.Choquet(3).generators is None


def test_k_additive_cone_of_full_order_is_that_of_all_capacities():
    full, lattice = families.KAdditiveChoquet(3, 3), families.Choquet(3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        capacity = capacity_of(lattice.centre + rng.integers(-2, 3, 7) / 6)
        theta = capacity_to_mobius(capacity)[small_subsets(3, 3)]
        assert full.contains(theta) == lattice.contains(capacity[1:])


def test_theta_of_a_matrix_is_its_quadratic_form():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(4, 4))
    matrix = matrix + matrix.T
    vectors = rng.normal(size=(6, 4))
    theta = families.Bilinear(4).pack(matrix)
    np.testing.assert_allclose(families.Bilinear(4).unpack(theta), matrix)
    forms = np.einsum("ik,kl,il->i", vectors, matrix, vectors)
    np.testing.assert_allclose(products(vectors) @ theta, forms)
