"""Quadratic forms in twice the precision, against the rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sklearn_reclink.families import Bilinear, SemidefiniteBilinear
from sklearn_reclink.families.compensated import quadratic
from sklearn_reclink.families.semidefinite import is_definite, is_semidefinite


def exact(theta, original, masked):
    differences = [Fraction(a) - Fraction(b) for a, b in zip(original, masked, strict=True)]
    products = [x * y for k, x in enumerate(differences) for y in differences[k:]]
    return sum(Fraction(t) * x for t, x in zip(theta, products, strict=True))


@pytest.mark.parametrize("noise", [1.0, 1e6, 1e9, 1e12])
def test_cancelling_terms_leave_twelve_digits(noise):
    rng = np.random.default_rng(int(np.log10(noise)))
    common = noise * rng.normal(size=(50, 1))
    original = common + rng.normal(size=(50, 2))
    masked = noise * rng.normal(size=(50, 1)) + rng.normal(size=(50, 2))
    theta = np.array([1.0, -2.0, 1.0])
    values = quadratic(theta, original.T, masked.T)
    found, magnitudes = Bilinear(2).between(theta, original, masked)
    for value, other, magnitude, a, b in zip(
        values, found, magnitudes, original, masked, strict=True
    ):
        allowed = Fraction(magnitude) / 4 * Fraction(1, 10**12)
        assert abs(Fraction(value) - exact(theta, a, b)) <= allowed
        assert abs(Fraction(other) - exact(theta, a, b)) <= allowed


def test_distance_of_a_common_noise_is_told_from_rounding():
    original, masked = np.array([1e9 + 0.5, 1e9]), np.array([0.1, 0.1])
    value, magnitude = Bilinear(2).between(np.array([1.0, -2.0, 1.0]), original, masked)
    assert value.item() == pytest.approx(0.25, abs=1e-9)
    assert magnitude < 1e5  # 2**-48 of terms of 4e18


@pytest.mark.parametrize("seed", range(10))
def test_semidefinite_for_certain(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-9, 9, size=(2, 4)).astype(float)
    matrix = vectors.T @ vectors  # exact, and singular
    assert is_semidefinite(matrix)
    k = int(np.argmax(np.diag(matrix)))
    matrix[k, k] = np.nextafter(matrix[k, k], 0)
    assert not is_semidefinite(matrix)
    assert SemidefiniteBilinear(4).contains(SemidefiniteBilinear(4).pack(vectors.T @ vectors))


@given(
    arrays(np.int64, (4, 4), elements=st.integers(-5, 5)),
    st.integers(1, 12),
    st.integers(-3, 3),
)
def test_definite_is_never_said_of_a_matrix_that_is_not(root, size, ulps):
    matrix = (root.T @ root).astype(float)
    matrix[0, 0] += ulps * np.spacing(matrix[0, 0])
    matrix = np.kron(np.eye(size // 4 + 1), matrix)
    if is_definite(matrix, 0.0):
        assert is_semidefinite(matrix) or len(matrix) > 8
        assert np.linalg.eigvalsh(matrix)[0] > 0
    clear = matrix + 1e-12 * (1 + np.trace(matrix)) * np.eye(len(matrix))
    if ulps >= 0:
        assert is_definite(clear, 0.0)
    assert not is_definite(matrix, np.linalg.eigvalsh(matrix)[0] + 1e-9 * (1 + np.trace(matrix)))
