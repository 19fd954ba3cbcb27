import numpy as np
import pytest

from sklearn_reclink.families import Bilinear, WeightedMean
from sklearn_reclink.search.ties import strictly_nearer
from tests.problems import FAMILIES

RNG = np.random.default_rng(0)
DIFFERENCES = RNG.normal(size=(5, 7, 3))
every_family = pytest.mark.parametrize("family", [of(3) for of in FAMILIES.values()], ids=FAMILIES)


def random_theta(family, seed=1):
    theta = np.random.default_rng(seed).normal(size=family.n_parameters)
    return np.abs(theta) if family.non_negative else theta


@every_family
def test_distance_is_linear_in_its_features(family):
    theta = random_theta(family)
    features = family.features(DIFFERENCES)
    assert features.shape == (5, 7, len(theta))
    values, magnitudes = family.evaluate(theta, DIFFERENCES)
    np.testing.assert_allclose(values, features @ theta)
    if isinstance(family, Bilinear):  # ties are judged by the distance, whatever its terms are
        np.testing.assert_allclose(magnitudes, np.abs(values))
    else:
        np.testing.assert_allclose(magnitudes, np.abs(features) @ np.abs(theta))


@every_family
def test_value_does_not_depend_on_the_shape_it_is_computed_in(family):
    theta = random_theta(family)
    values, magnitudes = family.evaluate(theta, DIFFERENCES)
    for i in range(5):
        for j in range(7):
            value, magnitude = family.evaluate(theta, DIFFERENCES[i, j])
            assert value == values[i, j] and magnitude == magnitudes[i, j]


@every_family
def test_unpack_inverts_pack(family):
    theta = random_theta(family)
    if family.normaliser.any():
        theta = theta / (family.normaliser @ theta)
    np.testing.assert_allclose(family.pack(family.unpack(theta)), theta)


@every_family
def test_every_parameter_has_a_label_of_its_own(family):
    labels = family.labels(["age", "income", "rent"])
    assert len(set(labels)) == len(labels) == family.n_parameters


def test_theta_of_another_number_of_variables_is_refused():
    with pytest.raises(ValueError, match=r"theta has 6 entries, .* 4 variables needs 10"):
        Bilinear(4).unpack(random_theta(Bilinear(3)))
    with pytest.raises(ValueError, match="theta has 3 entries, 4 are needed"):
        WeightedMean(4).unpack(np.ones(3))


def test_bilinear_is_the_quadratic_form_of_its_matrix():
    matrix = RNG.normal(size=(3, 3))
    symmetric = (matrix + matrix.T) / 2
    family = Bilinear(3)
    values, _ = family.evaluate(family.pack(matrix), DIFFERENCES)
    expected = np.einsum("...k,kl,...l", DIFFERENCES, symmetric, DIFFERENCES)
    np.testing.assert_allclose(values, expected, atol=1e-12)
    np.testing.assert_allclose(family.unpack(family.pack(matrix)), symmetric)
    with pytest.raises(ValueError, match="must be square"):
        family.pack(matrix[:2])


def test_bilinear_with_diagonal_matrix_equals_weighted_mean():
    weights = np.array([0.5, 0.2, 0.3])
    expected = WeightedMean(3).evaluate(WeightedMean(3).pack(weights), DIFFERENCES)
    found = Bilinear(3).evaluate(Bilinear(3).pack(np.diag(weights)), DIFFERENCES)
    np.testing.assert_array_equal(found, expected)


@every_family
def test_no_distance_that_says_monotone_falls_with_a_difference(family):
    assert family.monotone == (not isinstance(family, Bilinear))
    if family.monotone:
        theta = family.repair(random_theta(family))
        near = family.evaluate(theta, DIFFERENCES)
        far = family.evaluate(theta, DIFFERENCES * [1, 1.5, 1])
        assert not strictly_nearer(*far, *near).any()


def test_weighted_mean_is_monotone_in_every_difference():
    theta = random_theta(WeightedMean(3))
    values, _ = WeightedMean(3).evaluate(theta, DIFFERENCES)
    farther, _ = WeightedMean(3).evaluate(theta, DIFFERENCES * [1, 1.5, 1])
    assert np.all(farther >= values)
