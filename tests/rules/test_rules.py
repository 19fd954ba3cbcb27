"""Prices and assignments, against their definitions and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from sklearn_reclink.rules import Scores, assign, balanced_prices, density_prices, learn_scale

SMALL_BLOCKS = {"block_bytes": 8 * 7 * 3, "kept_bytes": 0}


def normal_table(n_records, n_masked, seed=0, scale=3.0):
    return scale * np.random.default_rng(seed).normal(size=(n_records, n_masked))


def test_blocks_join_to_the_table_and_are_kept_only_if_they_fit():
    table = normal_table(10, 7)
    calls = []

    def compute(start, stop):
        calls.append((start, stop))
        return table[start:stop]

    found = Scores(compute, table.shape, **SMALL_BLOCKS)
    for _ in range(2):
        np.testing.assert_array_equal(np.concatenate([v for _, v in found.blocks()]), table)
    assert calls == [(0, 3), (3, 6), (6, 9), (9, 10)] * 2


def test_kept_blocks_are_computed_once():
    calls = []
    found = Scores(lambda start, stop: calls.append(start) or np.ones((stop - start, 2)), (4, 2))
    for _ in range(2):
        assert [start for start, _ in found.blocks()] == [0]
    assert calls == [0]


def test_density_price_is_the_log_of_the_column_sum():
    table = normal_table(10, 7)
    prices = density_prices(Scores.of_table(table, **SMALL_BLOCKS))
    np.testing.assert_allclose(prices, np.log(np.exp(table).sum(axis=0)))


def test_density_prices_do_not_overflow():
    table = np.array([[1e4, -1e4], [1e4, -2e4]])
    np.testing.assert_allclose(density_prices(Scores.of_table(table)), [1e4 + np.log(2), -1e4])


@pytest.mark.parametrize("shape", [(12, 12), (9, 14), (14, 9)])
def test_balanced_probabilities_sum_to_one_over_the_smaller_file_and_at_most_over_the_larger(shape):
    table = normal_table(*shape)
    prices = balanced_prices(Scores.of_table(table), max_iter=5000, tol=1e-12)
    rows = np.exp(table - prices).sum(axis=1)
    rows = np.maximum(rows, 1.0) if shape[0] > shape[1] else rows
    p = np.exp(table - prices) / rows[:, None]
    of_rows, of_columns = p.sum(axis=1), p.sum(axis=0)
    smaller, larger = (of_rows, of_columns) if shape[0] <= shape[1] else (of_columns, of_rows)
    np.testing.assert_allclose(smaller, 1.0, rtol=1e-6)
    assert (larger <= 1 + 1e-6).all()
    if shape[0] == shape[1]:
        np.testing.assert_allclose(larger, 1.0, rtol=1e-6)


def test_balanced_prices_do_not_depend_on_what_is_added_to_a_row():
    table = normal_table(8, 8)
    shifted = table + np.arange(8.0)[:, None]
    first, second = (
        balanced_prices(Scores.of_table(values), max_iter=5000, tol=1e-13)
        for values in (table, shifted)
    )
    np.testing.assert_allclose(np.diff(first), np.diff(second), atol=1e-6)


def test_equal_masked_records_have_equal_prices():
    table = normal_table(8, 6)
    table[:, 5] = table[:, 2]
    for prices in (density_prices(Scores.of_table(table)), balanced_prices(Scores.of_table(table))):
        assert prices[5] == prices[2]


def test_scale_follows_the_unit_of_the_distance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = x + 0.2 * rng.normal(size=(60, 2))
    distances = ((x[:, None] - y) ** 2).sum(axis=2)
    scale = learn_scale(Scores.of_table(distances))
    assert learn_scale(Scores.of_table(100 * distances)) == pytest.approx(100 * scale, rel=1e-3)


def test_scale_of_exact_pairs_and_of_no_distance_at_all_is_finite():
    x = np.arange(6.0)
    assert 0 < learn_scale(Scores.of_table((x[:, None] - x) ** 2)) < 1
    assert learn_scale(Scores.of_table(np.zeros((3, 3)))) > 0


tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-3, 3).map(float))
)


def test_scores_of_named_pairs_are_those_of_the_table():
    table = normal_table(10, 7)
    rows, columns = np.array([0, 2, 2, 9]), np.array([6, 0, 1, 3])
    found = Scores.of_table(table, **SMALL_BLOCKS).at(rows, columns)
    np.testing.assert_array_equal(found, table[rows, columns])


def test_impostors_without_an_original_record_change_the_scale_little():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.concatenate([x + 0.2 * rng.normal(size=(60, 2)), rng.normal(size=(40, 2))])
    distances = ((x[:, None] - y) ** 2).sum(axis=2)
    alone = learn_scale(Scores.of_table(distances[:, :60]))
    assert learn_scale(Scores.of_table(distances)) == pytest.approx(alone, rel=0.2)


either_method = pytest.mark.parametrize("max_dense", [0, 10_000], ids=["sparse", "dense"])


@either_method
@settings(max_examples=150, deadline=None)
@given(table=tables)
def test_assignment_and_its_certain_links_equal_the_enumerated_ones(table, max_dense):
    flipped = table.shape[0] > table.shape[1]
    wide = table.T if flipped else table
    n_rows, n_columns = wide.shape
    everything = list(itertools.permutations(range(n_columns), n_rows))
    totals = [sum(wide[i, j] for i, j in enumerate(columns)) for columns in everything]
    optima = [c for c, t in zip(everything, totals, strict=True) if t == max(totals)]
    found = assign(Scores.of_table(table), n_candidates=1, max_dense=max_dense)
    assert found.optimal
    assert found.total == pytest.approx(max(totals))
    assert found.bound == pytest.approx(max(totals))
    pairs = [{(j, i) if flipped else (i, j) for i, j in enumerate(columns)} for columns in optima]
    always = set.intersection(*pairs)
    for i, (link, certain) in enumerate(zip(found.links, found.certain, strict=True)):
        assert certain == ((i, link) in always)
    assert set(zip(found.rows, found.columns, strict=True)) == set.union(*pairs)
    choices = [{dict(optimum).get(i, -1) for optimum in pairs} for i in range(len(table))]
    assert found.n_tied.tolist() == [len(options) for options in choices]
    own = np.minimum(np.arange(len(table)), table.shape[1] - 1)
    assert found.may_have(own).tolist() == [(i, j) in set.union(*pairs) for i, j in enumerate(own)]
    linked = found.links[found.links >= 0]
    assert len(np.unique(linked)) == len(linked) == min(table.shape)


@either_method
@pytest.mark.parametrize("shape", [(150, 150), (100, 150), (150, 100)])
def test_candidates_are_added_until_the_assignment_is_optimal_among_all_pairs(shape, max_dense):
    rng = np.random.default_rng(1)
    # a crowd: many originals share their best masked records
    table = -((0.2 * rng.normal(size=(shape[0], 1)) - rng.normal(size=shape[1])) ** 2)
    rows, columns = linear_sum_assignment(table, maximize=True)
    scores = Scores.of_table(table, **SMALL_BLOCKS)
    found = assign(scores, n_candidates=2, max_dense=max_dense, max_rounds=200)
    assert found.optimal
    assert found.total == pytest.approx(table[rows, columns].sum(), rel=1e-9)


def test_a_proof_left_open_states_its_gap():
    scores = Scores.of_table(normal_table(80, 80))
    best = assign(scores).total
    found = assign(scores, n_candidates=2, max_dense=0, max_rounds=1)
    assert not found.optimal
    assert not found.certain.any()
    assert found.total <= best <= found.bound
