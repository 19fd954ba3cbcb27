"""The tree against all pairs, on points full of duplicates and ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import OWA, Choquet, WeightedMean
from sklearn_reclink.search.ties import TIE_TOLERANCE, strictly_nearer
from sklearn_reclink.search.tree import building, descent, formulas
from sklearn_reclink.search.tree_search import TreeSearch
from tests.problems import monotone_capacity

TIES = formulas.Tolerance(4 * TIE_TOLERANCE, np.inf, 0.0)


def families(rng, n_features):
    weights = rng.integers(0, 4, n_features) / 3
    capacity = monotone_capacity(rng, n_features, 5)
    return [
        (WeightedMean(n_features), weights),
        (OWA(n_features), weights),
        (Choquet(n_features), capacity[1:]),
    ]


def points_of(rng, kind, n_points, n_features):
    if kind == "grid":
        return rng.integers(0, 4, (n_points, n_features)).astype(float)
    if kind == "groups":
        return rng.normal(size=(max(1, n_points // 5), n_features))[
            rng.integers(0, max(1, n_points // 5), n_points)
        ]
    if kind == "one point":
        return np.ones((n_points, n_features))
    return rng.normal(size=(n_points, n_features))


KINDS = ["grid", "groups", "one point", "continuous"]


@given(
    st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(1, 120), st.integers(1, 5),
    st.integers(1, 20),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_answers_equal_those_of_all_pairs(seed, kind, n_points, n_features, leaf):
    rng = np.random.default_rng(seed)
    masked = points_of(rng, kind, n_points, n_features)
    original = points_of(rng, rng.choice(["grid", "continuous"]), n_points, n_features)
    own = np.arange(n_points)
    tree = building.build(masked, leaf=leaf)
    for family, theta in families(rng, n_features):
        formula = family.formula(theta)
        table, _ = family.evaluate(theta, original[:, None, :] - masked[None])
        own_values = np.diag(table)
        values, magnitudes = descent.distances_to(tree, formula, original, own)
        np.testing.assert_array_equal(values, own_values)
        np.testing.assert_array_equal(magnitudes, own_values)
        near = ~strictly_nearer(own_values[:, None], own_values[:, None], table, table)
        near[own, own] = False
        search = TreeSearch(family, theta, tree, formula, TIES, original, original)
        counts, lowest = search._count(own, own, (values, magnitudes))
        np.testing.assert_array_equal(counts, near.sum(axis=1))
        np.testing.assert_array_equal(lowest, np.where(counts > 0, near.argmax(axis=1), -1))
        (found,) = search.impostors(own, listed=n_points)
        for i, rows in enumerate(found):
            assert sorted(rows[rows >= 0]) == list(np.flatnonzero(near[i]))
        np.testing.assert_array_equal(search.linked(own)[0], ~near.any(axis=1))
        rows, values, _ = search.nearest_impostors(own)
        table[own, own] = np.inf
        np.testing.assert_array_equal(values[:, 0], table.min(axis=1))
        if n_points > 1:
            np.testing.assert_array_equal(rows[:, 0], table.argmin(axis=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leaf", [1, 3, 16])
def test_tree_holds_every_row_once_inside_its_boxes(kind, leaf):
    points = points_of(np.random.default_rng(0), kind, 500, 3)
    tree = building.build(points, leaf=leaf)
    np.testing.assert_array_equal(np.sort(tree.rows), np.arange(500))
    np.testing.assert_array_equal(tree.points[tree.place], points)
    assert len(tree.points) == len(np.unique(points, axis=0))
    assert (tree.begin[0], tree.end[0]) == (0, len(tree.points))
    for node, child in enumerate(tree.right):
        inside = tree.points[tree.begin[node] : tree.end[node]]
        np.testing.assert_array_equal(inside.min(axis=0), tree.low[node])
        np.testing.assert_array_equal(inside.max(axis=0), tree.high[node])
        if child:
            assert tree.end[node + 1] == tree.begin[child] > tree.begin[node]
            assert tree.end[child] == tree.end[node] > tree.begin[child]
        else:
            assert len(inside) <= leaf
    for point in range(len(tree.points)):
        rows = tree.rows[tree.first[point] : tree.first[point + 1]]
        assert (np.diff(rows) > 0).all()
        np.testing.assert_array_equal(tree.place[rows], point)


def test_a_skewed_crowd_makes_no_deep_tree():
    points = np.zeros((20_000, 4))
    points[:5000] = np.exp(3 * np.random.default_rng(0).normal(size=(5000, 4))).round()
    assert building.build(points).depth <= 2 * (np.log2(len(points)) + 4)
