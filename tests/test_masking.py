from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_reclink.masking import Microaggregation, mdav


def literal_mdav(records, k):
    """MDAV-generic as published, in exact rational arithmetic; the lowest index among equals."""
    points = [[Fraction(value) for value in record] for record in records]

    def apart(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    def farthest(place, remaining):
        return max(remaining, key=lambda i: (apart(points[i], place), -i))

    def take(seed, remaining):
        others = sorted(set(remaining) - {seed}, key=lambda i: (apart(points[i], points[seed]), i))
        group = {seed, *others[: k - 1]}
        return group, [i for i in remaining if i not in group]

    def centroid(remaining):
        return [
            sum((points[i][c] for i in remaining), Fraction(0)) / len(remaining)
            for c in range(len(points[0]))
        ]

    groups, remaining = [], list(range(len(points)))
    while len(remaining) >= 3 * k:
        r = farthest(centroid(remaining), remaining)
        group, remaining = take(r, remaining)
        groups.append(group)
        s = farthest(points[r], remaining)
        group, remaining = take(s, remaining)
        groups.append(group)
    if len(remaining) >= 2 * k:
        group, remaining = take(farthest(centroid(remaining), remaining), remaining)
        groups.append(group)
    if remaining:
        groups.append(set(remaining))
    return groups


@st.composite
def small_files(draw):
    k = draw(st.integers(1, 4))
    n_features = draw(st.integers(1, 3))
    # few distinct values, so that equal records and equal distances abound
    record = st.lists(st.integers(-4, 4), min_size=n_features, max_size=n_features)
    return draw(st.lists(record, min_size=k, max_size=24)), k


@settings(max_examples=200, deadline=None)
@given(small_files())
def test_mdav_equals_its_literal_reading(case):
    records, k = case
    expected = np.empty(len(records), dtype=int)
    for label, group in enumerate(literal_mdav(records, k)):
        expected[list(group)] = label
    np.testing.assert_array_equal(mdav(records, k), expected)


@settings(max_examples=100, deadline=None)
@given(small_files())
def test_groups_hold_k_to_2k_minus_1_records_and_means_keep_the_column_sums(case):
    records, k = case
    sizes = np.bincount(mdav(records, k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    X = np.array(records, dtype=float)
    Y = Microaggregation(k=k).fit_transform(X)
    np.testing.assert_allclose(Y.sum(axis=0), X.sum(axis=0), atol=1e-9)
    assert np.unique(Y, axis=0, return_counts=True)[1].min() >= k


@pytest.mark.parametrize(
    ("n_records", "sizes"), [(3, [3]), (5, [5]), (6, [3, 3]), (8, [3, 5]), (9, [3, 3, 3])]
)
def test_group_sizes_at_the_borders(n_records, sizes):
    rng = np.random.default_rng(0)
    assert np.bincount(mdav(rng.normal(size=(n_records, 2)), 3)).tolist() == sizes


def test_mdav_by_hand():
    # the centroid is 31/6: 11 is farthest, its group 11 and 9; the farthest from 11 is 0
    assert mdav([[0.0], [1.0], [9.0], [11.0], [4.0], [6.0]], 2).tolist() == [1, 1, 0, 0, 2, 2]
    # the centroid is 5: 0 and 10 are equally far, and 0 is in the first row
    assert mdav([[0.0], [1.0], [9.0], [10.0], [4.0], [6.0]], 2).tolist() == [0, 0, 1, 1, 2, 2]


def test_equal_records_are_grouped_by_row_index():
    assert mdav(np.ones((7, 2)), 2).tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_grouping_does_not_depend_on_the_unit_even_at_the_ends_of_the_range():
    Z = np.random.default_rng(1).normal(size=(30, 2))
    expected = mdav(Z, 3)
    for exponent in (-900, 900):
        np.testing.assert_array_equal(mdav(np.ldexp(Z, exponent), 3), expected)


def test_a_variable_constant_in_its_sets_is_released_exactly():
    X = np.repeat([[0.1], [0.7], [1e17 / 3]], 3, axis=0)
    np.testing.assert_array_equal(Microaggregation(k=3).fit_transform(X), X)


def test_an_integer_takes_consecutive_variables_and_a_list_names_them():
    X = np.random.default_rng(2).normal(size=(40, 5))
    consecutive = Microaggregation(groups=2).fit(X)
    assert consecutive.groups_ == [[0, 1], [2, 3], [4]]
    explicit = Microaggregation(groups=[[0, 1], [3, 2], [4]]).fit(X)
    np.testing.assert_array_equal(consecutive.transform(X), explicit.transform(X))


def test_each_group_is_masked_as_if_alone():
    X = np.random.default_rng(3).normal(size=(50, 4))
    Y = Microaggregation(groups=[[0, 3], [1, 2]], k=[2, 7]).fit_transform(X)
    np.testing.assert_array_equal(Y[:, [0, 3]], Microaggregation(k=2).fit_transform(X[:, [0, 3]]))
    np.testing.assert_array_equal(Y[:, [1, 2]], Microaggregation(k=7).fit_transform(X[:, [1, 2]]))


def test_variables_in_no_group_pass_unchanged_only_when_told():
    X = np.random.default_rng(4).normal(size=(20, 3))
    Y = Microaggregation(groups=[[2]], columns=[2]).fit_transform(X)
    np.testing.assert_array_equal(Y[:, :2], X[:, :2])
    assert not np.array_equal(Y[:, 2], X[:, 2])
    with pytest.raises(
        ValueError, match=r"columns 0, 1 are in no group.* name only the columns to mask"
    ):
        Microaggregation(groups=[[2]]).fit(X)
    with pytest.raises(ValueError, match=r"groups holds the columns 2, which columns= does not"):
        Microaggregation(groups=[[0, 2]], columns=[0]).fit(X)


def test_standardize_changes_the_sets_and_releases_raw_means():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2)) * [1.0, 1000.0]
    labels = mdav(X / X.std(axis=0, ddof=1), 3)
    expected = np.array([X[labels == label].mean(axis=0) for label in labels])
    Y = Microaggregation(standardize=True).fit_transform(X)
    np.testing.assert_allclose(Y, expected)
    assert not np.allclose(Y, Microaggregation().fit_transform(X))


def test_standardize_lets_a_constant_variable_be():
    X = np.column_stack([np.arange(9.0), np.full(9, 3.0)])
    Y = Microaggregation(standardize=True).fit_transform(X)
    np.testing.assert_array_equal(Y[:, 1], 3.0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_by_name(frame):
    X = np.random.default_rng(6).normal(size=(30, 3))
    named = frame(dict(zip("abc", X.T, strict=True)))
    masker = Microaggregation(groups=[["c", "a"], ["b"]]).fit(named)
    assert masker.groups_ == [[2, 0], [1]]
    assert masker.get_feature_names_out().tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(
        masker.transform(named), Microaggregation(groups=[[0, 2], [1]]).fit_transform(X)
    )


def test_set_output_gives_a_frame_with_the_same_index():
    X = pd.DataFrame({"a": [1.0, 2.0, 8.0, 9.0], "b": [5.0, 6.0, 7.0, 8.0]}, index=[7, 3, 5, 1])
    Y = Microaggregation(k=2).set_output(transform="pandas").fit_transform(X)
    assert Y.index.equals(X.index)
    assert list(Y.columns) == ["a", "b"]


def test_clone_and_pipeline():
    X = np.random.default_rng(7).lognormal(size=(30, 2))
    masker = Microaggregation(groups=[[0], [1]], k=[2, 3], standardize=True)
    assert clone(masker).get_params() == masker.get_params()
    masked = make_pipeline(FunctionTransformer(np.log), masker).fit_transform(X)
    np.testing.assert_array_equal(masked, masker.fit_transform(np.log(X)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"groups": [[0, 1], [1, 2]]}, "more than once"),
        ({"groups": [[0, 3]]}, "from 0 to 2"),
        ({"groups": [[-1]]}, "from 0 to 2"),
        ({"groups": [[0], []]}, "non-empty list"),
        ({"groups": [0, 1]}, "non-empty list"),
        ({"groups": [["age"]]}, "no column names"),
        ({"groups": 1, "k": [2, 3]}, "2 value"),
        ({"groups": 2, "k": [2, 0]}, "at least one record"),
        ({"k": 11}, "fewer than k=11"),
        ({"groups": 2, "k": [2, 11]}, "fewer than k=11"),
        ({"k": 0}, "'k' parameter"),
        ({"groups": "all"}, "'groups' parameter"),
    ],
)
def test_errors_say_what_is_needed(parameters, message):
    X = np.arange(30.0).reshape(10, 3)
    with pytest.raises(ValueError, match=message):
        Microaggregation(**parameters).fit(X)


def test_an_unknown_name_lists_the_columns():
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "income": [3.0, 4.0, 5.0]})
    with pytest.raises(ValueError, match=r"'wage'; the columns of X are .*'age', 'income'"):
        Microaggregation(groups=[["wage"]]).fit(X)


def test_transform_needs_k_records_too():
    masker = Microaggregation(k=3).fit(np.arange(10.0)[:, None])
    with pytest.raises(ValueError, match="fewer than k=3"):
        masker.transform([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("Z", "k", "message"),
    [
        ([[1.0], [2.0]], 3, "fewer than k=3"),
        ([[1.0], [2.0]], 0, "at least one record"),
        ([[1.0], [np.nan]], 1, "finite"),
        ([[[1.0]]], 1, "2-D"),
    ],
)
def test_mdav_refuses(Z, k, message):
    with pytest.raises(ValueError, match=message):
        mdav(Z, k)


@pytest.mark.census
def test_census_is_cut_into_360_sets_of_three(census):
    sizes = np.bincount(mdav(census[:, :4], 3))
    assert sizes.tolist() == [3] * 360
