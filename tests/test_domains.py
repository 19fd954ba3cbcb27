"""Domains by enumeration: rows, admissible parameters, repairs, and what rounding may leave."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sklearn_reclink.capacity import capacity_to_mobius, mobius_to_capacity, small_subsets
from sklearn_reclink.families.cone_matrices import products, to_matrix, to_theta
from sklearn_reclink.families.cones import (
    KAdditiveCapacities,
    MonotoneCapacities,
    NonnegativeOnPairs,
    Orthant,
    PositiveSemidefinite,
    SubmodularCapacities,
    SymmetricMatrices,
)

FILES = np.random.default_rng(7).normal(size=(2, 12, 3))
DOMAINS = {
    "orthant": Orthant(4),
    "monotone": MonotoneCapacities(3),
    "submodular": SubmodularCapacities(3),
    "2-additive": KAdditiveCapacities(4, 2),
    "symmetric": SymmetricMatrices(3),
    "pairs": NonnegativeOnPairs(*FILES),
    "psd": PositiveSemidefinite(3),
}
every_domain = pytest.mark.parametrize("name", DOMAINS)


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


# The definition of each domain, read without its rows.
DEFINITIONS = {
    "orthant": lambda theta: bool(np.all(theta >= 0)),
    "monotone": lambda theta: is_monotone(capacity_of(theta)),
    "submodular": lambda theta: (
        is_monotone(capacity_of(theta)) and is_submodular(capacity_of(theta))
    ),
    "2-additive": lambda theta: is_monotone(k_additive_capacity(theta)),
    "symmetric": lambda theta: True,
    "pairs": lambda theta: all(
        (a - b) @ to_matrix(theta, 3) @ (a - b) >= 0 for a in FILES[0] for b in FILES[1]
    ),
    "psd": lambda theta: bool(np.linalg.eigvalsh(to_matrix(theta, 3)).min() >= 0),
}


def draws(name: str, how_many: int = 80) -> list[np.ndarray]:
    """Parameters inside, outside and on the border: small integers around the centre."""
    rng = np.random.default_rng(len(name))
    domain = DOMAINS[name]
    size = domain.n_parameters
    near = [domain.centre + rng.integers(-2, 3, size) / 8 for _ in range(how_many)]
    far = [rng.integers(-1, 4, size) / 1.0 for _ in range(how_many)]
    inside = [domain.repair(theta) for theta in near[:20]]
    return near + far + inside


@every_domain
def test_contains_is_the_definition(name):
    domain, admissible = DOMAINS[name], DEFINITIONS[name]
    answers = {True: 0, False: 0}
    for theta in draws(name):
        assert domain.contains(theta) == admissible(theta)
        answers[domain.contains(theta)] += 1
    assert answers[True] > 10
    assert answers[False] > 10 or name == "symmetric"


@every_domain
def test_rows_never_cut_off_an_admissible_point(name):
    domain = DOMAINS[name]
    assert domain.rows.shape[1] == domain.n_parameters
    for theta in draws(name):
        if DEFINITIONS[name](theta):
            assert np.all(domain.rows @ theta >= -1e-12)


@pytest.mark.parametrize("name", ["pairs", "psd"])
def test_separated_rows_cut_off_the_point_and_nothing_admissible(name):
    domain = DOMAINS[name]
    points = draws(name, 60)
    inside = np.array([theta for theta in points if domain.contains(theta)])
    for theta in points:
        cuts = domain.separate(theta)
        assert (len(cuts) > 0) == (not domain.contains(theta))
        assert np.all(cuts @ theta < 1e-12)  # an eigenvalue of zero may be rounded below it
        assert np.all(inside @ cuts.T >= -1e-12)


@every_domain
def test_centre_is_inside_and_normalised(name):
    domain = DOMAINS[name]
    assert DEFINITIONS[name](domain.centre)
    assert domain.contains(domain.centre)
    if domain.normaliser.any():
        assert domain.normaliser @ domain.centre == pytest.approx(1)
    moved = domain.centre + 1e-9 * np.random.default_rng(0).normal(size=domain.n_parameters)
    if name not in ("submodular",):  # the additive capacity lies on its border
        assert domain.contains(moved)


@every_domain
def test_repair_is_admissible_near_and_leaves_admissible_points_alone(name):
    domain = DOMAINS[name]
    for theta in draws(name):
        repaired = domain.repair(theta)
        assert domain.contains(repaired)
        if domain.contains(theta):
            np.testing.assert_allclose(repaired, theta, atol=1e-12)
    inside = domain.repair(draws(name)[0])
    noise = 1e-13 * np.random.default_rng(1).normal(size=domain.n_parameters)
    np.testing.assert_allclose(domain.repair(inside + noise), inside, atol=1e-10)


@every_domain
def test_no_excess_proves_the_inequality_for_all_admissible_parameters(name):
    """``residual . theta <= allowance . |theta|`` wherever the excess is zero."""
    domain = DOMAINS[name]
    rng = np.random.default_rng(3)
    inside = [theta for theta in draws(name) if domain.contains(theta)]
    proven = 0
    for _ in range(300):
        residual = rng.integers(-3, 3, domain.n_parameters) / 4
        allowance = rng.integers(0, 3, domain.n_parameters) / 2
        if domain.excess(residual, allowance).any():
            continue
        proven += 1
        for theta in inside:
            assert residual @ theta <= allowance @ np.abs(theta) + 1e-9
    assert proven > 0


@every_domain
def test_positive_residual_has_an_excess(name):
    domain = DOMAINS[name]
    nothing = np.zeros(domain.n_parameters)
    assert not domain.excess(nothing, nothing).any()
    assert domain.excess(np.abs(domain.centre), nothing).any()
    assert not domain.excess(np.abs(domain.centre), np.abs(domain.centre)).any()


def test_excess_of_a_capacity_is_charged_to_a_larger_subset():
    domain = MonotoneCapacities(2)  # {0}, {1}, {0, 1}
    nothing = np.zeros(3)
    assert not domain.excess(np.array([1.0, 0.0, -1.0]), nothing).any()  # mu({0}) <= mu(all)
    assert not domain.excess(np.array([0.5, 0.5, -1.0]), nothing).any()
    assert domain.excess(np.array([1.0, 1.0, -1.0]), nothing).any()  # both at once: not proven


@pytest.mark.parametrize("n", range(1, 6))
def test_number_of_rows_of_the_lattice(n):
    # one a subset and a variable that it lacks: n 2^(n - 1), of which n at the empty set
    assert len(MonotoneCapacities(n).rows) == n * 2 ** (n - 1)
    pairs = n * (n - 1) // 2
    expected = n + (pairs * 2 ** (n - 2) if n > 1 else 0)
    assert len(SubmodularCapacities(n).rows) == expected


@pytest.mark.parametrize("n", [2, 3, 4])
def test_papers_count_of_constraints(n):
    assert Orthant(n).n_paper_constraints == n + 1
    monotone = sum(len(list(combinations(range(n), k))) * k for k in range(2, n + 1)) + 2
    assert MonotoneCapacities(n).n_paper_constraints == monotone
    assert NonnegativeOnPairs(*np.zeros((2, 5, n))).n_paper_constraints == 25


def test_generators_of_the_orthant_are_its_extreme_rays():
    domain = Orthant(3)
    np.testing.assert_array_equal(domain.generators, np.eye(3))
    assert MonotoneCapacities(3).generators is None


def test_k_additive_domain_of_full_order_is_that_of_all_capacities():
    full, lattice = KAdditiveCapacities(3, 3), MonotoneCapacities(3)
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
    np.testing.assert_allclose(to_matrix(to_theta(matrix), 4), matrix)
    forms = np.einsum("ik,kl,il->i", vectors, matrix, vectors)
    np.testing.assert_allclose(products(vectors) @ to_theta(matrix), forms)
