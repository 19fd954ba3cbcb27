"""One-to-one links where a record may stay without one, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from sklearn_reclink.rules import Scores, assign


def match(weights, seed=0, **options):
    """Match by a table of weights, in which pairs of weight 0 or less are no candidates."""
    return assign(Scores.of_table(weights), least=0.0, random_state=seed, **options)


def total(weights, links):
    return sum(weights[i, j] for i, j in enumerate(links) if j >= 0)


def all_optima(weights):
    """Every matching of largest weight by trying all, (n_optima, n_records)."""
    matchings = [[]]
    for row in weights:
        matchings = [
            [*links, j]
            for links in matchings
            for j in (-1, *np.flatnonzero(row > 0))
            if j < 0 or j not in links
        ]
    totals = np.array([total(weights, links) for links in matchings])
    return np.array(matchings)[totals >= totals.max() - 1e-9]


small_tables = st.builds(
    lambda n_records, n_masked, most, seed: (
        np.random.default_rng(seed).integers(-2, most, size=(n_records, n_masked)).astype(float)
    ),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
)


@pytest.mark.parametrize("max_dense", [0, 10_000], ids=["sparse", "dense"])
@settings(deadline=None)
@given(weights=small_tables, seed=st.integers(0, 9))
def test_matching_and_its_ties_are_those_of_enumeration(weights, seed, max_dense):
    found = match(weights, seed, max_dense=max_dense, n_candidates=1)
    optima = all_optima(weights)
    assert found.optimal
    assert found.bound == pytest.approx(found.total) == pytest.approx(total(weights, optima[0]))
    assert found.links.tolist() in optima.tolist()
    np.testing.assert_array_equal(found.n_tied, [len(set(column)) for column in optima.T])
    pairs = {(i, j) for links in optima for i, j in enumerate(links.tolist()) if j >= 0}
    assert set(zip(found.rows.tolist(), found.columns.tolist(), strict=True)) == pairs
    own = np.arange(len(weights))
    assert found.may_have(own).tolist() == [(i, i) in pairs for i in own]


@settings(deadline=None)
@given(small_tables)
def test_certain_links_are_those_of_the_full_assignment(weights):
    """A pair of score 0 stands for no link, where all records can have one."""
    weights = np.hstack([weights, np.zeros((len(weights), len(weights)))])
    found, full = match(weights), assign(Scores.of_table(np.maximum(weights, 0)))
    assert full.optimal
    linked = found.links >= 0
    certain = full.certain & (weights[np.arange(len(weights)), full.links] > 0)
    np.testing.assert_array_equal(certain, linked & (found.n_tied == 1))
    np.testing.assert_array_equal(full.links[certain], found.links[certain])


@pytest.mark.parametrize("seed", range(3))
def test_total_is_that_of_the_dense_assignment(seed):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random((60, 80)) < 0.3, rng.choice([1.5, 2.25, 4.0], (60, 80)), 0.0)
    best = weights[linear_sum_assignment(weights, maximize=True)].sum()
    assert total(weights, match(weights).links) == pytest.approx(best)


def test_no_masked_record_is_used_twice_and_order_changes_no_tie():
    rng = np.random.default_rng(0)
    weights = rng.choice([0.0, 1.0, 2.0, 3.5], size=(50, 40), p=[0.8, 0.1, 0.06, 0.04])
    found = match(weights)
    used = found.links[found.links >= 0]
    assert len(set(used)) == len(used)
    rows, columns = rng.permutation(50), rng.permutation(40)
    moved = match(weights[rows][:, columns])
    np.testing.assert_array_equal(moved.n_tied, found.n_tied[rows])


def test_least_score_other_than_zero_is_a_shift_of_all_scores():
    weights = np.random.default_rng(0).integers(-3, 4, size=(12, 9)).astype(float)
    plain, shifted = match(weights), assign(Scores.of_table(weights - 7.5), least=-7.5)
    np.testing.assert_array_equal(shifted.n_tied, plain.n_tied)
    assert shifted.total == pytest.approx(plain.total)


def test_without_candidates_nobody_is_linked():
    found = match(np.zeros((3, 2)))
    assert found.links.tolist() == [-1, -1, -1]
    assert found.n_tied.tolist() == [1, 1, 1]
    assert not found.may_have(np.arange(3)).any()


def test_equal_candidates_are_not_favoured_by_their_place():
    """With all weights equal the diagonal is found no more often than by chance."""
    hits = [np.mean(match(np.ones((30, 30)), seed).links == np.arange(30)) for seed in range(40)]
    assert np.mean(hits) < 0.1
