"""Trees of mixed records against enumeration, on files drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from sklearn_reclink import DensityLinker
from sklearn_reclink.likelihood.joint_errors import JointErrors
from sklearn_reclink.likelihood.mixed_coordinates import _factors
from sklearn_reclink.rules.linking import PricedPairs
from sklearn_reclink.search.priced import plant
from sklearn_reclink.search.priced.walk import bound_of_box


@njit
def bounds_of_boxes(model, queries, low, high):
    found = np.empty((len(queries), len(low)))
    c, order = np.empty(queries.shape[1]), np.full(queries.shape[1], -1)
    for i in range(len(queries)):
        for node in range(len(low)):
            found[i, node] = bound_of_box(model, queries, i, low, high, node, c, order)
    return found


def drawn_pairs(seed, n_numeric, n_nominal, n_ordinal, missing, decimals):
    """Pairs of 70 and 90 records, learned from 45; few decimals make ties and equal records."""
    rng = np.random.default_rng(seed)
    n, n_kinds = 90, (n_numeric, n_nominal, n_ordinal)
    X = np.hstack([rng.standard_t(3, size=(n, n_numeric)), np.empty((n, n_nominal + n_ordinal))])
    levels = rng.choice([2, 7, 80], size=n_nominal + n_ordinal)
    X[:, n_numeric:] = rng.integers(levels, size=(n, len(levels)))
    Y = X.copy()
    # errors that go together, some in all variables alike: their covariance is singular
    Y[:, :n_numeric] += rng.normal(size=(n, 1)) * rng.choice([0.0, 0.3], size=n_numeric)
    Y[:, :n_numeric] += rng.normal(size=(n, n_numeric)) * rng.choice([0.0, 0.1], size=n_numeric)
    anew = rng.random((n, len(levels))) < 0.2
    Y[:, n_numeric:][anew] = rng.integers(levels, size=anew.shape)[anew]
    X[:, :n_numeric], Y[:, :n_numeric] = (np.round(f[:, :n_numeric], decimals) for f in (X, Y))
    Y[10:14], X[30] = Y[14], X[31]
    for file in (X, Y):
        file[rng.random(file.shape) < missing * rng.random(file.shape[1])] = np.nan
    ends = np.cumsum(n_kinds)
    linker = DensityLinker(
        categorical_features=list(range(ends[0], ends[1])),
        ordinal_features=list(range(ends[1], ends[2])),
        standardize=rng.choice(["separate", "difference"]),
    )
    linker.fit(X[:45], Y[:45], pool=Y, reference=X)
    return linker._search(linker._index(X[:70], Y))


files = {
    "seed": st.integers(0, 2**32),
    "n_numeric": st.integers(0, 5),
    "n_nominal": st.integers(1, 3),
    "n_ordinal": st.integers(0, 2),
    "missing": st.sampled_from([0.0, 0.2, 0.6]),
    "decimals": st.sampled_from([0, 1, 15]),
}


@given(**files, flipped=st.booleans(), leaf=st.sampled_from([1, 4]))
@settings(max_examples=60, deadline=None)
def test_no_record_of_a_box_is_nearer_than_its_bound(flipped, leaf, **options):
    pairs = drawn_pairs(**options)
    search = plant(pairs.coordinates(), flipped=flipped, distinct=False, leaf=leaf)
    distances = pairs.distances(np.arange(70))[0]
    distances = (distances.T if flipped else distances)[:, search.tree.rows]
    bounds = bounds_of_boxes(search.model, search.queries, search.tree.low, search.tree.high)
    nearest = np.array(
        [
            distances[:, begin:end].min(axis=1)
            for begin, end in zip(search.tree.begin, search.tree.end, strict=True)
        ]
    ).T
    assert not np.isnan(bounds).any()
    assert (bounds <= nearest).all()


@given(**files, priced=st.booleans())
@settings(max_examples=60, deadline=None)
def test_answers_are_those_of_all_pairs_to_the_last_bit(priced, **options):
    pairs = drawn_pairs(**options)
    search = plant(pairs.coordinates(), leaf=2)
    _, first = np.unique(np.nan_to_num(pairs.masked, nan=-99.0), axis=0, return_index=True)
    assert search.n_points <= len(first)
    prices = np.random.default_rng(0).normal(size=search.n_points).round(1) * priced
    by_pairs, by_tree = PricedPairs(pairs, prices[search.groups]), search.with_prices(prices)
    for question, asked in (
        ("linked", {}),
        ("nearest", {}),
        ("link", {}),
        ("own", {}),
        ("k_nearest", {"n_neighbors": 5}),
    ):
        answers = by_pairs.ask(question, **asked), by_tree.ask(question, **asked)
        for expected, found in zip(*answers, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(5))
def test_equal_records_are_one_point(seed):
    """So they have one price, and a tie stays a tie."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(6, 6))
    file = rng.normal(size=(300, 6))[rng.integers(300, size=1000)]
    factors = _factors(JointErrors(mixing @ mixing.T, np.ones(6)), (file, file[::-1].copy()))[0]
    both = np.vstack([file, file[::-1]])
    n_distinct = len(np.unique(both, axis=0))
    assert len(np.unique(np.hstack([both, np.vstack(factors)]), axis=0)) == n_distinct


def test_files_with_many_patterns_of_missing_values_have_a_tree():
    """Only the patterns of the values of joint errors are in tables."""
    rng = np.random.default_rng(0)
    X = rng.integers(6, size=(5000, 14)).astype(float)
    Y = np.clip(X + rng.choice([-1, 0, 0, 1], size=X.shape), 0, 5)
    Y[rng.random(Y.shape) < 0.5] = np.nan
    linker = DensityLinker(rule="nearest", ordinal_features=list(range(14)), max_pairs=200)
    linker.fit(X[:200], Y[:200])
    pairs = linker._search(linker._index(X[:100], Y[:1500]))
    found = linker._search(linker._index(X[:100], Y)).coordinates()
    assert found is not None
    by_tree = plant(pairs.coordinates()).ask("linked")[0]
    np.testing.assert_array_equal(by_tree, pairs.ask("linked")[0])
