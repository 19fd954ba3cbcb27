"""Gower's distance against a dense reading of its definition, on files with missing values."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from sklearn_reclink import EuclideanLinker

NOMINAL = [2, 3]


def files(seed: int, n_records: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_records, 2)).round(1)
    categories = rng.integers(0, [2, 6], size=(n_records, 2))
    X = np.column_stack([numbers, categories]).astype(float)
    Y = X.copy()
    Y[:, :2] += rng.normal(scale=0.3, size=(n_records, 2)).round(1)
    changed = rng.random((n_records, 2)) < 0.2
    Y[:, 2:] = np.where(changed, rng.integers(0, [2, 6], size=(n_records, 2)), Y[:, 2:])
    for file in (X, Y):
        file[rng.random(file.shape) < 0.15] = np.nan
    Y[0] = np.nan  # nothing in common with anybody
    return X, Y


def dense(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    both = np.concatenate([X, Y])
    spans = np.nanmax(both, axis=0) - np.nanmin(both, axis=0)
    table = np.ones((len(X), len(Y)))
    for i, a in enumerate(X):
        for j, b in enumerate(Y):
            terms = [
                float(a[k] != b[k]) if k in NOMINAL else abs(a[k] - b[k]) / spans[k]
                for k in range(X.shape[1])
                if not np.isnan(a[k]) and not np.isnan(b[k])
            ]
            table[i, j] = sum(terms) / len(terms) if terms else 1.0
    return table


@pytest.mark.parametrize("seed", range(5))
def test_rates_and_assignment_are_those_of_the_definition(seed: int) -> None:
    X, Y = files(seed)
    table = dense(X, Y)
    own, others = np.diag(table).copy(), table.copy()
    np.fill_diagonal(others, np.inf)
    linker = EuclideanLinker(standardize="gower", categorical_features=NOMINAL).fit(X, Y)
    assert linker.n_linked_ == np.count_nonzero(own < others.min(axis=1) - 1e-9)
    distances, _ = linker.kneighbors(X, 3)
    np.testing.assert_allclose(distances, np.sort(table, axis=1)[:, :3], atol=1e-12)
    links = linker.set_params(rule="one_to_one").fit(X, Y).predict(X)
    assert len(set(links.tolist())) == len(X)
    best = table[linear_sum_assignment(table)].sum()
    assert table[np.arange(len(X)), links].sum() == pytest.approx(best)


def test_a_file_of_numbers_has_a_gower_distance_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = X + 0.2 * rng.normal(size=X.shape)
    spans = np.ptp(np.concatenate([X, Y]), axis=0)
    table = (np.abs(X[:, None] - Y) / spans).mean(axis=2)
    linker = EuclideanLinker(standardize="gower").fit(X, Y)
    np.testing.assert_array_equal(linker.predict(X), table.argmin(axis=1))
