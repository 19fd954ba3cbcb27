"""PRAM, local suppression and global recoding, against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.masking import PRAM, GlobalRecoding, LocalSuppression, TopBottomCoding
from sklearn_reclink.masking._local_suppression import key_frequencies, suppressed_cells
from sklearn_reclink.masking._pram import invariant_matrix
from sklearn_reclink.metrics import information_loss
from tests.masking.frames import mixed_pandas


def many(shares, n_records=30_000):
    levels = np.repeat(
        list("abcdef")[: len(shares)], np.rint(np.array(shares) * n_records).astype(int)
    )
    return pd.DataFrame({"v": np.random.default_rng(0).permutation(levels)})


def transitions(X, Y, n_levels):
    codes = [pd.Categorical(table["v"], list("abcdef")[:n_levels]).codes for table in (X, Y)]
    counts = np.zeros((n_levels, n_levels))
    np.add.at(counts, tuple(codes), 1)
    return counts / counts.sum(axis=1, keepdims=True)


def test_plain_pram_has_the_transition_matrix_of_its_retention():
    X = many([0.6, 0.3, 0.1])
    found = transitions(X, PRAM(0.7, random_state=0).fit_transform(X), 3)
    np.testing.assert_allclose(found, 0.15 + 0.55 * np.eye(3), atol=0.03)


def test_pram_has_the_transition_matrix_given():
    X, P = many([0.6, 0.3, 0.1]), [[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.5, 0.5]]
    Y = PRAM(matrix={"v": P}, random_state=0).fit_transform(X)
    np.testing.assert_allclose(transitions(X, Y, 3), P, atol=0.03)


@pytest.mark.parametrize("matrix", [None, [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]])
def test_invariant_pram_keeps_the_expected_frequencies(matrix):
    shares = [0.7, 0.25, 0.05]
    X = many(shares)
    Y = PRAM(0.3, matrix=matrix, invariant=True, random_state=0).fit_transform(X)
    found = Y["v"].value_counts(normalize=True).sort_index()
    np.testing.assert_allclose(found, shares, atol=0.01)
    assert (X["v"] != Y["v"]).mean() > 0.2


@given(st.integers(0, 99), st.integers(1, 6))
def test_an_invariant_matrix_keeps_the_shares_and_its_rows_are_probabilities(seed, n_levels):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n_levels), size=n_levels)
    shares = rng.dirichlet(np.ones(n_levels))
    R = invariant_matrix(P, shares)
    np.testing.assert_allclose(shares @ R, shares, atol=1e-12)
    np.testing.assert_allclose(R.sum(axis=1), 1.0)


def test_pram_draws_only_levels_of_the_stratum_and_leaves_the_strata():
    X = pd.DataFrame({"land": ["a"] * 50 + ["b"] * 50, "town": list("pq") * 25 + list("rs") * 25})
    Y = PRAM(0.2, strata=["land"], random_state=0).fit_transform(X)
    assert Y["land"].equals(X["land"])
    assert set(Y["town"][:50]) == {"p", "q"}
    assert set(Y["town"][50:]) == {"r", "s"}
    assert (X["town"] != Y["town"]).mean() > 0.6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 1.5}, "'p' parameter"),
        ({"p": {"v": 2.0}}, r"'p\[v\]' parameter of PRAM must be a float in the range"),
        ({"p": {}}, "p has no value for the column 'v'"),
        ({"matrix": np.eye(3)}, r"shape \(3, 3\) for the column 'v', which has 2 levels"),
        ({"matrix": [[1, 1], [0, 1]]}, "every row must sum to 1"),
        ({"strata": ["v"], "columns": ["v"]}, "strata are not masked"),
    ],
)
def test_pram_says_what_is_needed(options, message):
    with pytest.raises(ValueError, match=message):
        PRAM(**options).fit(many([0.5, 0.5], 10))


def literal_frequencies(codes):
    agree = (codes[:, None] == codes) | (codes[:, None] < 0) | (codes < 0)
    return agree.all(axis=2).sum(axis=1)


@st.composite
def keys(draw):
    n_records, n_keys = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    seed, n_levels = draw(st.integers(0, 10**6)), draw(st.integers(1, 4))
    return np.random.default_rng(seed).integers(-1, n_levels, size=(n_records, n_keys))


@settings(max_examples=200, deadline=None)
@given(keys())
def test_frequencies_equal_a_literal_count_of_matches(codes):
    np.testing.assert_array_equal(key_frequencies(codes), literal_frequencies(codes))


@settings(max_examples=200, deadline=None)
@given(keys(), st.integers(1, 4))
def test_after_suppression_every_combination_is_frequent_and_no_cell_can_be_restored(codes, k):
    k = min(k, len(codes))
    cells = suppressed_cells(codes, k, np.ones(codes.shape[1]))
    assert not cells[codes < 0].any()
    released = np.where(cells, -1, codes)
    assert literal_frequencies(released).min() >= k
    for row, key in zip(*np.nonzero(cells), strict=True):
        one_more = released.copy()
        one_more[row, key] = codes[row, key]
        assert literal_frequencies(one_more).min() < k


def test_suppression_is_near_the_fewest_cells_possible():
    """Enumerated on small files: never fewer, and on average at most a quarter more."""
    found, fewest = [], []
    for seed in range(25):
        codes = np.random.default_rng(seed).integers(0, 2, size=(5, 2))
        found.append(suppressed_cells(codes, 2, np.ones(2)).sum())
        fewest.append(
            min(
                sum(cells)
                for cells in itertools.product([0, 1], repeat=codes.size)
                if literal_frequencies(np.where(np.reshape(cells, codes.shape), -1, codes)).min()
                >= 2
            )
        )
    assert all(one >= least for one, least in zip(found, fewest, strict=True))
    assert np.mean(found) <= 1.25 * np.mean(fewest)


def test_an_important_key_is_suppressed_last():
    X = mixed_pandas(400)[["age", "sex", "education", "employed"]]
    for name in X:
        Y = LocalSuppression(k=3, importance={name: 100.0}).fit_transform(X)
        gone = Y.isna().sum() - X.isna().sum()
        assert gone[name] == gone.min()
    plain = LocalSuppression(k=3).fit_transform(X)
    assert (plain.isna().sum() - X.isna().sum()).idxmax() == "age"  # the most levels


def test_suppression_does_not_depend_on_the_order_of_the_records():
    X = mixed_pandas(200)[["age", "sex", "employed"]].drop_duplicates()
    Y = LocalSuppression(k=3).fit_transform(X)
    order = np.random.default_rng(0).permutation(len(X))
    pd.testing.assert_frame_equal(LocalSuppression(k=3).fit_transform(X.iloc[order]), Y.iloc[order])


@pytest.mark.parametrize(
    ("masker", "message"),
    [
        (LocalSuppression(k=11), "fewer than k=11"),
        (LocalSuppression(importance={"b": 1.0}, columns=["a"]), "importance holds 'b'"),
        (LocalSuppression(importance={"a": 0.0}), "positive"),
        (GlobalRecoding(), "columns 'a', 'b' have no rule"),
        (GlobalRecoding(bands={"a": 2}), "columns 'b' have no rule.* name the columns"),
        (GlobalRecoding(bands=2), "'b' holds no numbers or dates for bands"),
        (GlobalRecoding(bands=2, n_levels={"a": 1}), "'a' has the rules bands and n_levels"),
        (GlobalRecoding(bands={"a": [3, 1]}, columns=["a"]), "ascending order"),
        (GlobalRecoding(mapping={"b": {"z": "y"}}, columns=["b"]), "no level of the column 'b'"),
        (GlobalRecoding(n_levels=2, columns=["a"]), "'a' holds numbers and would hold texts"),
    ],
    ids=str,
)
def test_suppression_and_recoding_say_what_is_needed(masker, message):
    X = pd.DataFrame({"a": range(10), "b": list("ppppqqqrrs")})
    with pytest.raises(ValueError, match=message):
        masker.fit(X)


@pytest.mark.parametrize("dtype", ["int64", "Int64"])
def test_whole_numbers_that_are_one_float_are_different_keys(dtype):
    X = pd.DataFrame({"id": pd.Series([2**60, 2**60, 2**60 + 1, 5, 5, 5], dtype=dtype)})
    X.loc[5, "id"] = pd.NA if dtype == "Int64" else 5
    Y = LocalSuppression(k=3).fit_transform(X)
    assert Y["id"].isna()[2]
    assert PRAM(1.0).fit_transform(X).equals(X)


def test_dates_in_other_units_are_the_same_dates():
    X = mixed_pandas()[["born", "moved"]]
    Y = X.astype({"born": "datetime64[ns]"})
    assert information_loss(X, Y) == 0.0
    Z = TopBottomCoding(bottom=0.1, top=0.9).fit_transform(Y)
    pd.testing.assert_series_equal(
        Z["born"].astype(X["born"].dtype), TopBottomCoding(0.1, 0.9).fit_transform(X)["born"]
    )


def test_more_keys_than_sets_can_be_counted_are_refused():
    with pytest.raises(ValueError, match="17 columns to use as key variables, and at most 16"):
        LocalSuppression().fit(np.zeros((5, 17)))


def test_bands_are_ordered_categories_with_missing_cells_kept():
    X = pd.DataFrame({"age": pd.array([15, 18, 64, 65, None], dtype="Int64")})
    Y = GlobalRecoding(bands=[18, 65]).fit_transform(X)
    assert Y["age"].cat.ordered
    assert Y["age"].cat.categories.tolist() == ["< 18", "18 to < 65", ">= 65"]
    assert Y["age"].cat.codes.tolist() == [0, 1, 1, 2, -1]
    means = GlobalRecoding(bands=[18, 65], labels="mean").fit_transform(X)
    assert means["age"].tolist()[:4] == [15, 41, 41, 65]
    assert GlobalRecoding(bands=[18]).fit_transform([[3.0], [20.0]]).tolist() == [
        ["< 18"],
        [">= 18"],
    ]


def test_dates_fall_into_bands_between_dates():
    X = mixed_pandas()[["born", "moved"]]
    edges = [pd.Timestamp("2010-01-01"), pd.Timestamp("2020-01-01")]
    Y = GlobalRecoding(bands=edges).fit_transform(X)
    expected = pd.cut(X["born"], [pd.Timestamp.min, *edges, pd.Timestamp.max], right=False)
    assert Y["born"].cat.codes.tolist() == expected.cat.codes.tolist()


def test_levels_are_merged_and_rare_ones_lumped_in_their_kind():
    X = mixed_pandas()[["region", "sex", "education"]].assign(code=[1, 2, 3] * 20)
    mapping = {
        "region": {"north": "north or south", "south": "north or south"},
        "education": {"low": "not high", "middle": "not high"},
        "code": {2: 9, 3: 9},
    }
    Y = GlobalRecoding(mapping=mapping, n_levels={"sex": 1}).fit_transform(X)
    assert set(Y["region"].dropna()) == {"north or south", "west"}
    assert Y["education"].cat.categories.tolist() == ["not high", "high"]
    assert Y["education"].cat.ordered
    assert Y["code"].tolist() == [1, 9, 9] * 20
    assert Y["code"].dtype == X["code"].dtype
    common = X["sex"].mode()[0]
    assert (Y["sex"] == np.where(X["sex"] == common, common, "other")).all()
    assert isinstance(Y["sex"].dtype, pd.CategoricalDtype)
    assert Y["region"].isna().equals(X["region"].isna())


def test_an_order_is_kept_or_refused():
    X = mixed_pandas()[["education"]]
    with pytest.raises(ValueError, match="not next to one another"):
        GlobalRecoding(mapping={"low": "x", "high": "x"}).fit(X)
    with pytest.raises(ValueError, match="no place in its order"):
        GlobalRecoding(n_levels=1).fit(X)
