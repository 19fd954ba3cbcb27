"""Capacities against their definitions, by enumeration of subsets and of orders."""

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_reclink import capacity as toolbox
from sklearn_reclink.capacity import (
    additive_capacity,
    capacity_to_mobius,
    dual,
    favour,
    interaction_index,
    interaction_matrix,
    lattice_edges,
    mobius_to_capacity,
    n_variables,
    orness,
    shapley,
    small_subsets,
    subset_members,
    subset_sizes,
    symmetric_capacity,
    veto,
)


def members(subset: int) -> set[int]:
    return {k for k in range(subset.bit_length()) if subset >> k & 1}


def subsets_of(subset: int) -> list[int]:
    return [other for other in range(subset + 1) if members(other) <= members(subset)]


def choquet_integral(capacity: np.ndarray, values: np.ndarray) -> np.ndarray:
    """sum_A m(A) min_{k in A} x_k, with m the Moebius transform."""
    mobius = capacity_to_mobius(capacity)
    minima = [values[:, list(members(a))].min(axis=1) for a in range(1, len(mobius))]
    return mobius[1:] @ minima


@st.composite
def set_functions(draw):
    n = draw(st.integers(1, 4))
    values = st.lists(st.integers(-8, 8), min_size=2**n - 1, max_size=2**n - 1)
    return np.array([0, *draw(values)], dtype=float)


@st.composite
def capacities(draw, least=2):
    """Random capacities by running maxima of random values, with ties and zeros."""
    n = draw(st.integers(least, 4))
    values = st.lists(st.integers(0, 6), min_size=2**n - 2, max_size=2**n - 2)
    capacity = np.array([0, *draw(values), 7], dtype=float)
    for a in range(2**n):
        capacity[a] = max(capacity[b] for b in subsets_of(a))
    return capacity / 7


@given(set_functions())
def test_mobius_transform_is_the_alternating_sum_over_subsets(capacity):
    expected = [
        sum((-1) ** (len(members(a)) - len(members(b))) * capacity[b] for b in subsets_of(a))
        for a in range(len(capacity))
    ]
    np.testing.assert_array_equal(capacity_to_mobius(capacity), expected)


@given(set_functions())
def test_capacity_is_the_sum_of_its_mobius_transform_over_subsets(mobius):
    expected = [sum(mobius[b] for b in subsets_of(a)) for a in range(len(mobius))]
    np.testing.assert_array_equal(mobius_to_capacity(mobius), expected)
    np.testing.assert_array_equal(capacity_to_mobius(mobius_to_capacity(mobius)), mobius)


@given(set_functions())
def test_shapley_value_is_the_mean_gain_over_all_orders(capacity):
    n = n_variables(capacity)
    gains = np.zeros(n)
    for order in permutations(range(n)):
        before = 0
        for k in order:
            gains[k] += capacity[before | 1 << k] - capacity[before]
            before |= 1 << k
    np.testing.assert_allclose(shapley(capacity), gains / factorial(n), atol=1e-12)
    assert shapley(capacity).sum() == pytest.approx(capacity[-1], abs=1e-12)


def test_additive_capacity_has_its_weights_as_mobius_transform_and_shapley_values():
    weights = np.array([0.5, 0.25, 0.25])
    capacity = np.array([sum(weights[k] for k in members(a)) for a in range(8)])
    mobius = capacity_to_mobius(capacity)
    np.testing.assert_allclose(mobius[[1, 2, 4]], weights)
    np.testing.assert_allclose(mobius[[0, 3, 5, 6, 7]], 0)
    np.testing.assert_allclose(shapley(capacity), weights)


def test_transforms_leave_their_argument_alone():
    capacity = np.array([0.0, 0.5, 0.25, 1.0])
    for transform in (capacity_to_mobius, mobius_to_capacity, shapley):
        transform(capacity)
        np.testing.assert_array_equal(capacity, [0.0, 0.5, 0.25, 1.0])


@pytest.mark.parametrize("n", range(1, 6))
def test_subsets_by_dyadic_index(n):
    sizes = subset_sizes(n)
    np.testing.assert_array_equal(sizes, [len(members(a)) for a in range(2**n)])
    for largest in range(1, n + 1):
        subsets = small_subsets(n, largest).tolist()
        assert sorted(subsets) == [a for a in range(1, 2**n) if sizes[a] <= largest]
        assert subsets == sorted(subsets, key=lambda a: (sizes[a], a))


@pytest.mark.parametrize("length", [3, 6, 12])
def test_length_that_is_no_power_of_two_is_refused(length):
    with pytest.raises(ValueError, match=rf"{length} is no power of 2"):
        capacity_to_mobius(np.zeros(length))


@given(set_functions())
def test_interaction_index_is_the_weighted_sum_of_differences_over_subsets(capacity):
    n = n_variables(capacity)
    index = interaction_index(capacity)
    for a in range(2**n):
        size = len(members(a))
        expected = 0.0
        for b in range(2**n):
            if b & a:
                continue
            difference = sum(
                (-1) ** (size - len(members(c))) * capacity[b | c] for c in subsets_of(a)
            )
            n_ways = factorial(n - len(members(b)) - size) * factorial(len(members(b)))
            expected += n_ways / factorial(n - size + 1) * difference
        assert index[a] == pytest.approx(expected, abs=1e-12)


@given(set_functions())
def test_interaction_matrix_holds_pairs_and_shapley_values(capacity):
    index, matrix = interaction_index(capacity), interaction_matrix(capacity)
    n = n_variables(capacity)
    np.testing.assert_allclose(np.diag(matrix), shapley(capacity), atol=1e-12)
    for i, j in combinations(range(n), 2):
        assert matrix[i, j] == matrix[j, i] == index[1 << i | 1 << j]


@given(capacities())
def test_interaction_of_pairs_of_a_capacity_lies_within_one(capacity):
    assert np.abs(interaction_matrix(capacity)).max() <= 1 + 1e-12


def test_interaction_index_is_exact_for_many_variables():
    mobius = np.random.default_rng(0).normal(size=2**12)
    capacity = mobius_to_capacity(mobius)
    index = interaction_index(capacity)
    every, sizes = np.arange(2**12), subset_sizes(12)
    for a in (0, 1, 6, 2**12 - 1, 0b101010101010):
        larger = every & a == a
        expected = np.sum(mobius[larger] / (sizes[larger] - sizes[a] + 1))
        assert index[a] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(capacities())
def test_orness_lies_between_that_of_minimum_and_maximum_in_the_mean_integral(capacity):
    n = n_variables(capacity)
    # the mean of the integral over the unit cube; a minimum of k uniform values has mean 1/(k + 1)
    mean = np.sum(capacity_to_mobius(capacity) / (subset_sizes(n) + 1))
    smallest, largest = 1 / (n + 1), n / (n + 1)
    expected = (mean - smallest) / (largest - smallest)
    assert orness(capacity) == pytest.approx(expected, abs=1e-12)


@given(capacities())
def test_veto_and_favour_are_their_definitions(capacity):
    n = n_variables(capacity)
    for k in range(n):
        without = [a for a in range(2**n) if k not in members(a)]
        share = {a: 1 / comb(n - 1, len(members(a))) for a in without}
        vetoed = 1 - sum(share[a] * capacity[a] for a in without) / (n - 1)
        favoured = (sum(share[a] * capacity[a | 1 << k] for a in without) - 1) / (n - 1)
        assert veto(capacity)[k] == pytest.approx(vetoed, abs=1e-12)
        assert favour(capacity)[k] == pytest.approx(favoured, abs=1e-12)
    assert favour(capacity).mean() == pytest.approx(orness(capacity), abs=1e-12)
    assert veto(capacity).mean() == pytest.approx(1 - orness(capacity), abs=1e-12)


@given(capacities())
def test_dual_loses_what_the_subset_had(capacity):
    full = len(capacity) - 1
    expected = [capacity[full] - capacity[full ^ a] for a in range(full + 1)]
    np.testing.assert_array_equal(dual(capacity), expected)
    np.testing.assert_allclose(dual(dual(capacity)), capacity, atol=1e-12)
    np.testing.assert_allclose(shapley(dual(capacity)), shapley(capacity), atol=1e-12)
    np.testing.assert_allclose(veto(dual(capacity)), favour(capacity), atol=1e-12)
    assert orness(dual(capacity)) == pytest.approx(1 - orness(capacity), abs=1e-12)
    assert toolbox.is_submodular(dual(capacity)) == toolbox.is_supermodular(capacity)
    pairs = ~np.eye(n_variables(capacity), dtype=bool)
    np.testing.assert_allclose(
        interaction_matrix(dual(capacity))[pairs], -interaction_matrix(capacity)[pairs], atol=1e-12
    )


@given(st.one_of(set_functions(), capacities()))
def test_properties_are_their_definitions_over_all_pairs_of_subsets(values):
    every = range(len(values))
    pairs = [(a, b) for a in every for b in every]
    excess = [values[a] + values[b] - values[a | b] - values[a & b] for a, b in pairs]
    monotone = all(values[a] <= values[b] for a, b in pairs if a & b == a)
    additive = all(abs(e) < 1e-9 for e, (a, b) in zip(excess, pairs, strict=True) if a & b == 0)
    sizes = subset_sizes(n_variables(values))
    symmetric = all(values[a] == values[b] for a, b in pairs if sizes[a] == sizes[b])
    assert toolbox.is_monotone(values) == monotone
    assert toolbox.is_submodular(values) == (min(excess) >= -1e-9)
    assert toolbox.is_supermodular(values) == (max(excess) <= 1e-9)
    assert toolbox.is_additive(values) == additive
    assert toolbox.is_symmetric(values) == symmetric
    assert toolbox.is_capacity(values) == (monotone and values[0] == 0 and values[-1] == 1)


@given(st.data())
def test_order_of_additivity_is_the_size_of_the_largest_group_that_interacts(data):
    n = data.draw(st.integers(1, 5))
    order = data.draw(st.integers(1, n))
    mobius = np.where(subset_sizes(n) <= order, 1.0, 0.0) * (np.arange(2**n) > 0)
    capacity = mobius_to_capacity(mobius)
    assert toolbox.additivity_order(capacity) == order
    assert [toolbox.is_k_additive(capacity, k) for k in range(n + 1)] == [
        k >= order for k in range(n + 1)
    ]
    assert toolbox.additivity_order(np.zeros(2**n)) == 0


@given(st.lists(st.integers(0, 5), min_size=2, max_size=5).filter(any))
def test_simple_capacities_give_a_weighted_mean_and_an_ordered_one(weights):
    weights = np.array(weights) / sum(weights)
    differences = np.random.default_rng(0).normal(size=(5, len(weights)))
    for capacity, values in (
        (additive_capacity(weights), differences**2),
        (symmetric_capacity(weights), -np.sort(-(differences**2))),
    ):
        integral = choquet_integral(capacity, differences**2)
        np.testing.assert_allclose(integral, values @ weights, atol=1e-12)
    assert toolbox.is_additive(additive_capacity(weights))
    assert toolbox.is_symmetric(symmetric_capacity(weights))
    ranks = np.arange(len(weights))[::-1] / (len(weights) - 1)
    assert orness(symmetric_capacity(weights)) == pytest.approx(weights @ ranks, abs=1e-12)
    assert orness(additive_capacity(weights)) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("n", range(1, 6))
def test_lattice_adds_one_variable_at_a_time(n):
    edges = [tuple(edge) for edge in lattice_edges(n).tolist()]
    expected = {(a, a | 1 << k) for a in range(2**n) for k in range(n) if not a >> k & 1}
    assert len(edges) == len(expected) and set(edges) == expected
    np.testing.assert_array_equal(
        subset_members(n), [[k in members(a) for k in range(n)] for a in range(2**n)]
    )


def test_indices_agree_with_pyfmtools():
    # computed by pyfmtools 5.4.1, which numbers subsets in the same way
    capacity = np.array([0, 1, 2, 4, 3, 8, 5, 9, 2, 4, 6, 8, 5, 10, 7, 12]) / 12
    mobius = np.array([0, 1, 2, 1, 3, 4, 0, -2, 2, 1, 2, -1, 0, -1, -2, 2]) / 12
    interaction = [334, 190, 140, 10, 230, 190, -80, -60, 160, 40, 70, 0, -50, 0, -60, 120]
    duals = np.array([0, 5, 2, 7, 4, 6, 8, 10, 3, 7, 4, 9, 8, 10, 11, 12]) / 12
    np.testing.assert_allclose(capacity_to_mobius(capacity), mobius, atol=1e-12)
    np.testing.assert_allclose(shapley(capacity), np.array([38, 28, 46, 32]) / 144, atol=1e-12)
    np.testing.assert_allclose(interaction_index(capacity), np.array(interaction) / 720, atol=1e-12)
    np.testing.assert_allclose(dual(capacity), duals, atol=1e-12)
    assert orness(capacity) == pytest.approx(0.4398148148148149, abs=1e-12)


def test_students_of_the_literature():
    # Grabisch's students in mathematics, physics and literature: two that overlap, one apart
    capacity = [0, 0.45, 0.45, 0.5, 0.3, 0.9, 0.9, 1]
    matrix = interaction_matrix(capacity)
    np.testing.assert_allclose(shapley(capacity), [0.875 / 3, 0.875 / 3, 1.25 / 3], atol=1e-12)
    assert matrix[0, 1] == pytest.approx(-0.45)
    assert matrix[0, 2] == matrix[1, 2] == pytest.approx(0.1)


def test_capacity_printed_in_the_2012_paper_reads_as_the_paper_reads_it():
    # Table 3, M4-28; the paper prints the first variable first, which is our bit 0
    printed = [
        *(0.000000, 0.154253, 0.003651, 0.207612, 0.039292, 0.154353, 0.096721, 0.207712),
        *(0.999168, 0.999799, 0.999800, 0.999899, 0.999268, 0.999899, 0.999900, 0.999999),
    ]
    capacity = np.zeros(16)
    for k, value in enumerate(printed):
        capacity[int(f"{k:04b}"[::-1], 2)] = value
    assert toolbox.is_monotone(capacity) and not toolbox.is_submodular(capacity)
    assert shapley(capacity).argmax() == 0  # "the first variable provides a high degree"
    pairs = [a for a in range(16) if len(members(a)) == 2]
    assert max(pairs, key=lambda a: capacity[a]) == 0b0101  # "first and third variables"


@pytest.mark.parametrize("index", [orness, veto, favour])
def test_indices_that_compare_variables_refuse_a_single_one(index):
    with pytest.raises(ValueError, match="on 1 variable"):
        index([0.0, 1.0])
    with pytest.raises(ValueError, match="of all variables is 0"):
        index([0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("values", [np.zeros((2, 2)), 1.0, []])
def test_values_that_are_no_vector_of_subsets_are_refused(values):
    with pytest.raises(ValueError, match="one per subset of variables"):
        toolbox.is_monotone(values)


def test_everything_public_is_listed_once():
    assert sorted(set(toolbox.__all__)) == toolbox.__all__
    assert all(getattr(toolbox, name).__doc__ for name in toolbox.__all__)
