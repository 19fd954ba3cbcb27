import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import ChoquetLinker, WeightedMeanLinker
from sklearn_reclink.capacity import (
    additive_capacity,
    capacity_to_mobius,
    mobius_to_capacity,
    subset_sizes,
)
from sklearn_reclink.datasets import make_noisy_files

CONSTRAINTS = ["monotone", "submodular"]
OPTIONS = [(c, k) for c in CONSTRAINTS for k in (None, 2)]


def is_monotone(capacity):
    """Exactly, over every subset and variable."""
    n_features = len(capacity).bit_length() - 1
    subsets = np.arange(len(capacity))
    return all(np.all(capacity[subsets | 1 << k] >= capacity) for k in range(n_features))


def submodular_slack(capacity):
    a, b = np.meshgrid(np.arange(len(capacity)), np.arange(len(capacity)))
    return (capacity[a] + capacity[b] - capacity[a | b] - capacity[a & b]).min()


@pytest.mark.parametrize(("constraint", "k_additive"), OPTIONS)
def test_capacity_is_a_capacity(files, constraint, k_additive):
    X, Y = files
    linker = ChoquetLinker(constraint=constraint, k_additive=k_additive, random_state=0).fit(X, Y)
    capacity = linker.capacity_
    assert capacity.shape == linker.mobius_.shape == (16,)
    assert capacity[0] == 0 and capacity[-1] == 1
    assert is_monotone(capacity)
    if constraint == "submodular":
        assert submodular_slack(capacity) >= -1e-12
    np.testing.assert_allclose(mobius_to_capacity(linker.mobius_), capacity, atol=1e-12)
    if k_additive:
        assert not linker.mobius_[subset_sizes(4) > k_additive].any()
    else:
        np.testing.assert_array_equal(capacity_to_mobius(capacity), linker.mobius_)
    assert linker.n_linked_ == round(linker.score(X, Y) * 60) == linker.bound_ <= linker.ceiling_


def test_choquet_with_additive_capacity_equals_weighted_mean(files):
    X, Y = files
    mean = WeightedMeanLinker(random_state=0).fit(X, Y)
    choquet = ChoquetLinker(random_state=0).fit(X, Y)
    choquet.capacity_ = additive_capacity(mean.weights_)
    distances, rows = mean.kneighbors(X)
    expected, expected_rows = choquet.kneighbors(X)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(rows, expected_rows)


@pytest.mark.parametrize("seed", range(5))
def test_optima_are_ordered_as_their_sets_are(seed):
    X, Y = make_noisy_files(40, noise=[0.6] * 3, random_state=seed)

    def optimum(linker):
        linker.set_params(random_state=0).fit(X, Y)
        assert linker.n_linked_ == linker.bound_
        return linker.n_linked_

    mean = optimum(WeightedMeanLinker())
    monotone = [optimum(ChoquetLinker(k_additive=k)) for k in (1, 2, 3, None)]
    submodular = [
        optimum(ChoquetLinker(constraint="submodular", k_additive=k)) for k in (1, 2, 3, None)
    ]
    assert monotone[0] == submodular[0] == mean
    assert monotone[2] == monotone[3]
    assert submodular[2] == submodular[3]
    assert monotone == sorted(monotone)
    assert submodular == sorted(submodular)
    assert all(fewer <= more for fewer, more in zip(submodular, monotone, strict=True))


@pytest.mark.parametrize(("constraint", "k_additive"), OPTIONS)
def test_constant_column_is_a_null_variable(files, constraint, k_additive):
    linker = ChoquetLinker(constraint=constraint, k_additive=k_additive, random_state=0)
    expected = linker.fit(*files).n_linked_, linker.capacity_
    linker.fit(*(np.insert(file, 1, 3.0, axis=1) for file in files))
    assert linker.n_linked_ == expected[0]
    subsets = np.arange(32)
    without = (subsets & 1) | subsets >> 2 << 1  # drop bit 1
    np.testing.assert_array_equal(linker.capacity_, expected[1][without])
    np.testing.assert_allclose(mobius_to_capacity(linker.mobius_), linker.capacity_, atol=1e-12)


@pytest.mark.parametrize(
    ("n_features", "k_additive", "message"),
    [
        (11, None, r"11 variables that are not constant.*at most 10.*k_additive=2"),
        (15, 2, r"15 variables that are not constant.*at most 14.*use WeightedMeanLinker"),
        (21, None, r"21 columns.*at most 20"),
    ],
)
def test_too_many_variables_are_refused(n_features, k_additive, message):
    X = np.random.default_rng(0).normal(size=(30, n_features))
    with pytest.raises(ValueError, match=message):
        ChoquetLinker(k_additive=k_additive).fit(X, X + 0.1 * X**2)


@pytest.mark.parametrize("k_additive", [0, 1.5, "two"])
def test_invalid_k_additive_is_refused(files, k_additive):
    with pytest.raises(ValueError, match="The 'k_additive' parameter"):
        ChoquetLinker(k_additive=k_additive).fit(*files)


def test_search_without_a_proof_never_ends_below_the_weighted_mean(monkeypatch, files):
    from sklearn_reclink.solvers.covering.search import CoveringSearch

    X, Y = files
    mean = WeightedMeanLinker(random_state=0).fit(X, Y)
    monkeypatch.setattr(CoveringSearch, "_separate", lambda *_: False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        choquet = ChoquetLinker(random_state=0).fit(X, Y)
    assert mean.n_linked_ <= choquet.n_linked_ <= choquet.bound_ <= choquet.ceiling_
