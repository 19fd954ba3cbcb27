"""Trees of mixed files give what all pairs give, forced on files small enough for both."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink import DensityLinker
from sklearn_reclink.likelihood import mixed_coordinates
from sklearn_reclink.rules import Rule
from sklearn_reclink.search.priced import plant
from tests.rules.same_answers import (
    assert_same_answers,
    assert_same_balanced_prices,
    assert_same_density_prices,
    refuse_all_pairs,
    same_assignments,
)

SHAPES = [(300, 300), (200, 300), (300, 200)]


def noisy(rng, X):
    """Two numbers with errors that go together, two nominal, one ordinal; many levels, and ties."""
    n = len(X)
    Y = X.copy()
    together = rng.normal(size=n)
    Y[:, 0] += 0.3 * together + 0.05 * rng.normal(size=n)
    Y[:, 1] += 0.3 * together + 0.05 * rng.normal(size=n)
    for k, n_levels, share in ((2, 3, 0.2), (3, 150, 0.1)):
        drawn = rng.random(n) < share
        Y[drawn, k] = rng.integers(n_levels, size=drawn.sum())
    Y[:, 4] = np.clip(X[:, 4] + rng.choice([-1, 0, 0, 1], size=n), 0, 5)
    return Y


def rounded(rng, X):
    """Nearly all records tied: numbers rounded, categories merged."""
    Y = noisy(rng, X)
    Y[:, :2] = np.round(Y[:, :2])
    Y[:, 3] = Y[:, 3] // 10
    return Y


def categories_alone(rng, X):
    return noisy(rng, X)


MASKINGS = {"noisy": noisy, "rounded": rounded, "categories": categories_alone}


def made(masking, n=300, missing=0.08, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.lognormal(size=n),
            rng.integers(3, size=n),
            np.minimum(rng.geometric(0.03, size=n), 150) - 1,
            rng.integers(6, size=n),
        ]
    ).astype(float)
    X[7] = X[3]  # a twin
    Y = MASKINGS[masking](rng, X)
    Y[11] = Y[12]
    for file, share in ((X, missing / 2), (Y, missing)):
        file[rng.random(file.shape) < share] = np.nan
    if missing:
        X[20], Y[21] = np.nan, np.nan
    return X, Y


def fitted(X, Y, masking, **options):
    kinds = {"categorical_features": [2, 3], "ordinal_features": [4]}
    if masking == "categories":
        X, Y, kinds = X[:, 2:4], Y[:, 2:4], {"categorical_features": [0, 1]}
    n = len(X) * 2 // 3
    linker = DensityLinker(rule="density", random_state=0, **kinds, **options)
    return linker.fit(X[:n], Y[:n]), X, Y


def pairs_of(masking, shape=(300, 300), missing=0.08, **options):
    """Pairs of which the last third has categories that were never seen."""
    linker, X, Y = fitted(*made(masking, missing=missing), masking, **options)
    return linker._search(linker._index(X[: shape[0]], Y[: shape[1]]))


@pytest.mark.parametrize("missing", [0.0, 0.08, 0.4])
@pytest.mark.parametrize("masking", MASKINGS)
def test_answers_with_prices_are_those_of_all_pairs_to_the_last_bit(masking, missing):
    pairs = pairs_of(masking, (200, 300), missing)
    assert_same_answers(pairs)


@pytest.mark.parametrize("views", [["value"], ["rank"], ["joint"], ["category"]])
def test_every_view_alone_gives_the_answers_of_all_pairs(views):
    assert_same_answers(pairs_of("noisy", (200, 300), views=views))


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("masking", MASKINGS)
def test_distances_of_both_directions_are_those_of_the_table(masking, flipped):
    pairs = pairs_of(masking, (200, 300))
    expected = pairs.distances(np.arange(200))[0]
    search = plant(pairs.coordinates(), flipped=flipped, distinct=False)
    rows, columns = (part.ravel() for part in np.indices(search.shape))
    found = search.distances_at(rows, columns).reshape(search.shape)
    np.testing.assert_array_equal(found.T if flipped else found, expected)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.08, 0.4])
@pytest.mark.parametrize("masking", MASKINGS)
def test_no_point_of_a_box_is_nearer_than_its_bound(masking, missing, flipped):
    """Walks that are cut at a limit find all that is within it, whatever the limit."""
    pairs = pairs_of(masking, (200, 300), missing)
    search = plant(pairs.coordinates(), flipped=flipped, distinct=False, leaf=1)
    whole = pairs.distances(np.arange(200))[0]
    whole = whole.T if flipped else whole
    records = np.arange(len(whole))
    for share in (0.01, 0.1, 0.5):
        limits = np.quantile(whole, share, axis=1)
        n_within = np.count_nonzero(whole <= limits[:, None], axis=1)
        places = search._walk(records, whole.shape[1], limits=limits)[0]
        np.testing.assert_array_equal(np.count_nonzero(places >= 0, axis=1), n_within)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKINGS)
def test_density_prices_are_those_of_all_pairs(masking, shape):
    assert_same_density_prices(pairs_of(masking, shape))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKINGS)
def test_balanced_prices_are_exact_with_all_candidates(masking, shape):
    assert_same_balanced_prices(pairs_of(masking, shape))


@pytest.mark.parametrize("rule", ["nearest", "density", "balanced"])
@pytest.mark.parametrize("masking", MASKINGS)
def test_rules_by_candidates_link_as_by_all_pairs(masking, rule):
    pairs = pairs_of(masking)
    expected = Rule(rule).ask("linked", pairs)[0]
    found = Rule(rule, dense_pairs=0).ask("linked", pairs)[0]
    if rule == "nearest":
        np.testing.assert_array_equal(found, expected)
    assert abs(np.mean(found) - np.mean(expected)) <= 0.005


@pytest.mark.parametrize("threshold", [None, -2.0])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKINGS)
def test_assignments_by_tree_are_those_by_all_pairs(masking, shape, threshold):
    same_assignments(pairs_of(masking, shape), threshold)


def test_an_equal_error_of_two_numbers_gives_the_answers_of_all_pairs():
    """The covariance of the errors is singular."""
    X, Y = made("noisy", missing=0.0)
    Y[:, 1] = Y[:, 0] - X[:, 0] + X[:, 1]
    X[:50, 2], Y[210:220, 0], Y[230:240, 1] = np.nan, np.nan, np.nan
    linker, X, Y = fitted(X, Y, "noisy", views=["joint", "category"], standardize=None)
    assert np.linalg.cond(linker.likelihood_.joint.covariance) > 1e8
    assert_same_answers(linker._search(linker._index(X[:200], Y)))


@pytest.mark.parametrize("limit", ["_MOST_PATTERNS", "_MOST_ENTRIES"])
def test_files_with_tables_too_large_are_compared_pair_by_pair(limit, monkeypatch):
    monkeypatch.setattr(mixed_coordinates, limit, 3)  # of the four patterns of two numbers
    pairs = pairs_of("noisy", views=["joint", "category"])
    assert pairs.coordinates() is None
    expected = Rule("balanced").ask("linked", pairs)[0]
    np.testing.assert_array_equal(Rule("balanced", dense_pairs=0).ask("linked", pairs)[0], expected)


@pytest.mark.parametrize("rule", ["nearest", "balanced", "one_to_one"])
def test_large_mixed_files_are_linked_by_trees_alone(rule, monkeypatch):
    X, Y = made("noisy", n=5800, missing=0.03)
    refuse_all_pairs(monkeypatch)
    kinds = {"categorical_features": [2, 3], "ordinal_features": [4]}
    linker = DensityLinker(rule=rule, random_state=0, max_pairs=300, **kinds).fit(X, Y)
    assert linker.n_linked_ / 5800 == linker.score(X, Y)
    assert 0.02 < linker.n_linked_ / 5800 < 1


def test_a_search_looks_at_few_of_the_records():
    linker, X, Y = fitted(*made("noisy", n=4000, missing=0.03), "noisy")
    search = plant(linker._search(linker._index(X, Y)).coordinates())
    records = np.arange(0, 4000, 40)
    exact = search._walk(records, 1)[1][:, 0]
    within = search._walk(records, 1, budget=400)
    assert np.mean(within[1][:, 0] == exact) > 0.95
    assert np.mean(within[3] >= exact) > 0.9
