"""Capacities against their definitions, by enumeration of subsets and of orders."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_reclink.capacity import (
    capacity_to_mobius,
    mobius_to_capacity,
    n_variables,
    shapley,
    small_subsets,
    subset_sizes,
)


def members(subset: int) -> set[int]:
    return {k for k in range(subset.bit_length()) if subset >> k & 1}


def subsets_of(subset: int) -> list[int]:
    return [other for other in range(subset + 1) if members(other) <= members(subset)]


@st.composite
def set_functions(draw):
    n = draw(st.integers(1, 4))
    values = st.lists(st.integers(-8, 8), min_size=2**n - 1, max_size=2**n - 1)
    return np.array([0, *draw(values)], dtype=float)


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
