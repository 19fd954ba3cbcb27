"""Linkers and small files for tests of hostile input."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.linkers import ALL_LINKERS

MEAN = WeightedMeanLinker(random_state=0)
EXACT = [
    MEAN,
    OWALinker(random_state=0),
    ChoquetLinker(random_state=0),
    ChoquetLinker(constraint="submodular", random_state=0),
    ChoquetLinker(k_additive=2, random_state=0),
    BilinearLinker(constraint="free", random_state=0),
    BilinearLinker(constraint="nonnegative", random_state=0),
    BilinearLinker(constraint="psd", random_state=0),
]
every_exact = pytest.mark.parametrize("linker", EXACT, ids=repr)
every_linker = pytest.mark.parametrize("linker", [c(random_state=0) for c in ALL_LINKERS], ids=repr)


def fitted(linker, X, Y, **options):
    return clone(linker).set_params(**options).fit(X, Y)


def proven(linker, X, Y, **options):
    """What is proven, and that the recount and the status agree with it."""
    found = fitted(linker, X, Y, **options)
    assert found.n_linked_ == round(found.score(X, Y) * len(X))
    assert found.n_linked_ == found.bound_ and found.status_ == "optimal"
    return found.n_linked_


def integers(seed=0, n_records=8, n_features=3):
    """Small integers; with 8 records means and sums of squares are exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n_records, n_features)).astype(float)
    return X, X + rng.integers(-2, 3, X.shape)


def noisy(n_records=10, n_features=2, seed=0):
    return make_noisy_files(n_records, noise=[0.01] * n_features, random_state=seed)
