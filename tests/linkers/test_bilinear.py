import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink import BilinearLinker, MahalanobisLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.families import Bilinear
from sklearn_reclink.families.semidefinite import nearest_psd
from sklearn_reclink.solvers.problem import Solution, Status

CONSTRAINTS = ["free", "nonnegative", "projected", "psd"]
every_constraint = pytest.mark.parametrize("constraint", CONSTRAINTS)


@every_constraint
def test_matrix_is_symmetric_scaled_and_recounted(files, constraint):
    X, Y = files
    linker = BilinearLinker(constraint=constraint, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(linker.matrix_, linker.matrix_.T)
    assert constraint == "projected" or 1 < np.linalg.norm(linker.matrix_) <= 2 + 1e-9
    assert round(linker.score(X, Y) * 60, 9) == linker.n_linked_ <= linker.bound_
    assert not hasattr(linker, "ceiling_")
    differences = linker.scales_.original(X)[:, None] - linker.scales_.masked(Y)
    expected = np.einsum("ijk,kl,ijl->ij", differences, linker.matrix_, differences)
    distances, rows = linker.kneighbors(X, n_neighbors=60)
    np.testing.assert_allclose(
        distances, np.take_along_axis(expected, rows, axis=1), rtol=1e-9, atol=1e-9
    )


def test_bilinear_with_diagonal_matrix_equals_weighted_mean(files):
    X, Y = files
    mean = WeightedMeanLinker(random_state=0).fit(X, Y)
    linker = BilinearLinker(random_state=0).fit(X, Y)
    linker.matrix_ = np.diag(mean.weights_)
    for found, expected in zip(linker.kneighbors(X), mean.kneighbors(X), strict=True):
        np.testing.assert_array_equal(found, expected)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_optima_are_ordered_as_their_sets_are(seed):
    X, Y = make_noisy_files(20, noise=[0.7] * 2, random_state=seed)
    mean = WeightedMeanLinker(random_state=0).fit(X, Y)
    linkers = {c: BilinearLinker(constraint=c, random_state=0).fit(X, Y) for c in CONSTRAINTS}
    psd, nonnegative, free = (linkers[c].n_linked_ for c in ("psd", "nonnegative", "free"))
    mahalanobis = MahalanobisLinker(standardize="separate").fit(X, Y).n_linked_
    assert max(mean.n_linked_, mahalanobis) <= psd <= nonnegative <= free
    assert linkers["projected"].n_linked_ <= psd
    assert all(linkers[c].status_ == "optimal" for c in ("psd", "nonnegative", "free"))


@pytest.mark.parametrize("constraint", ["projected", "psd"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), constant=st.booleans())
def test_psd_matrix_is_psd_to_the_last_bit(constraint, seed, constant):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)).round(1)
    Y = (X + rng.normal(size=X.shape)).round(1)
    if constant:
        X, Y = (np.insert(file, 1, 3.0, axis=1) for file in (X, Y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linker = BilinearLinker(constraint=constraint, random_state=0).fit(X, Y)
    assert np.linalg.eigvalsh(linker.matrix_)[0] >= 0
    assert round(linker.score(X, Y) * 12, 9) == linker.n_linked_


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_nonnegative_distances_of_all_training_pairs(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)).round(1)
    Y = (X + rng.normal(size=X.shape)).round(1)
    linker = BilinearLinker(constraint="nonnegative", random_state=0).fit(X, Y)
    distances, _ = linker.kneighbors(X, n_neighbors=12)
    assert distances.min() >= 0


def test_projection_is_the_nearest_psd_matrix():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(4, 4))
    matrix = matrix + matrix.T
    nearest = nearest_psd(matrix)
    assert np.linalg.eigvalsh(nearest)[0] >= -1e-12
    distance = np.linalg.norm(matrix - nearest)
    for _ in range(200):
        factor = np.linalg.cholesky(nearest + 1e-6 * np.eye(4)) + 0.1 * rng.normal(size=(4, 4))
        assert np.linalg.norm(matrix - factor @ factor.T) >= distance
    np.testing.assert_allclose(nearest_psd(nearest), nearest, atol=1e-12)


def test_scaling_by_powers_of_two_loses_nothing():
    theta = np.random.default_rng(0).normal(size=6) * 1e-7
    ratio = Bilinear(3).normalised(theta) / theta
    assert np.all(ratio == ratio[0]) and np.log2(ratio[0]) % 1 == 0
    np.testing.assert_array_equal(Bilinear(2).normalised(np.zeros(3)), np.zeros(3))


def test_projection_that_loses_links_says_so_without_a_warning(monkeypatch, files):
    X, Y = files
    indefinite = np.array([1.0, 0, 0, 0, -5.0, 0, 0, -5.0, 0, -5.0])

    def solve(problem, **options):
        if problem.family.n_parameters != 10:
            return Solution(None, 0, 60, Status.OPTIMAL)
        links = int(problem.index.linked(problem.family, indefinite).sum())
        return Solution(indefinite, links, 60, Status.OPTIMAL)

    monkeypatch.setattr("sklearn_reclink.solvers.exact.solve", solve)
    linker = BilinearLinker(constraint="projected").fit(X, Y)
    assert linker.status_ == "projected"
    assert linker.n_linked_ < linker.bound_ == 60
    np.testing.assert_allclose(
        linker.matrix_ / linker.matrix_[0, 0], np.diag([1, 0, 0, 0]), atol=1e-9
    )


def test_preserved_total_is_found(files):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    error = rng.normal(size=(40, 3))
    Y = X + error - error.mean(axis=1, keepdims=True)  # the sum of each record is kept
    assert BilinearLinker(standardize=None, random_state=0).fit(X, Y).score(X, Y) == 1.0


def test_ties_along_a_direction_of_no_allowance_are_proven():
    X = np.array([[1.0, 0, 0], [6, 0, 1], [0, 0, 0], [3, 3, 4]])
    Y = np.array([[1.0, 0, 3], [5, 2, 1], [0, 0, 0], [6, 1, 0]])
    linker = BilinearLinker(standardize=None).fit(X, Y)
    assert (linker.n_linked_, linker.bound_, linker.status_) == (3, 3, "optimal")
