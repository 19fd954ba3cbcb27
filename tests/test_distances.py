import numpy as np
import pytest

from sklearn_reclink.families import Bilinear, WeightedMean

RNG = np.random.default_rng(0)
DIFFERENCES = RNG.normal(size=(5, 7, 3))
FAMILIES = [WeightedMean(), Bilinear()]


def random_theta(distance, seed=1):
    theta = np.random.default_rng(seed).normal(size=distance.n_parameters(3))
    return np.abs(theta) if distance.non_negative else theta


@pytest.mark.parametrize("distance", FAMILIES)
def test_distance_is_linear_in_its_features(distance):
    theta = random_theta(distance)
    features = distance.features(DIFFERENCES)
    assert features.shape == (5, 7, len(theta))
    values, magnitudes = distance.evaluate(theta, DIFFERENCES)
    np.testing.assert_allclose(values, features @ theta)
    np.testing.assert_allclose(magnitudes, np.abs(features) @ np.abs(theta))


@pytest.mark.parametrize("distance", FAMILIES)
def test_value_does_not_depend_on_the_shape_it_is_computed_in(distance):
    theta = random_theta(distance)
    values, magnitudes = distance.evaluate(theta, DIFFERENCES)
    for i in range(5):
        for j in range(7):
            value, magnitude = distance.evaluate(theta, DIFFERENCES[i, j])
            assert value == values[i, j] and magnitude == magnitudes[i, j]


@pytest.mark.parametrize("distance", FAMILIES)
def test_unpack_inverts_pack(distance):
    theta = random_theta(distance)
    np.testing.assert_allclose(distance.pack(distance.unpack(theta, 3)), theta)
    with pytest.raises(ValueError, match="theta has"):
        distance.unpack(theta, 4)


def test_bilinear_is_the_quadratic_form_of_its_matrix():
    matrix = RNG.normal(size=(3, 3))
    symmetric = (matrix + matrix.T) / 2
    values, _ = Bilinear().evaluate(Bilinear().pack(matrix), DIFFERENCES)
    expected = np.einsum("...k,kl,...l", DIFFERENCES, symmetric, DIFFERENCES)
    np.testing.assert_allclose(values, expected, atol=1e-12)
    np.testing.assert_allclose(Bilinear().unpack(Bilinear().pack(matrix), 3), symmetric)
    with pytest.raises(ValueError, match="must be square"):
        Bilinear().pack(matrix[:2])


def test_bilinear_with_diagonal_matrix_equals_weighted_mean():
    weights = np.array([0.5, 0.2, 0.3])
    expected = WeightedMean().evaluate(WeightedMean().pack(weights), DIFFERENCES)
    found = Bilinear().evaluate(Bilinear().pack(np.diag(weights)), DIFFERENCES)
    np.testing.assert_array_equal(found, expected)


def test_weighted_mean_is_monotone_in_every_difference():
    assert WeightedMean().monotone and not Bilinear().monotone
    theta = random_theta(WeightedMean())
    values, _ = WeightedMean().evaluate(theta, DIFFERENCES)
    farther, _ = WeightedMean().evaluate(theta, DIFFERENCES * [1, 1.5, 1])
    assert np.all(farther >= values)
