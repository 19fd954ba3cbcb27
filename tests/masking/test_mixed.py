"""What every masker keeps of a mixed file: container, order, index, kinds, missing cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sklearn_reclink.masking import (
    PRAM,
    AdditiveNoise,
    DataShuffling,
    GlobalRecoding,
    JPEGMasking,
    LocalSuppression,
    Microaggregation,
    RankSwapping,
    Rounding,
    TopBottomCoding,
    UnivariateMicroaggregation,
)
from tests.masking.frames import CATEGORIES, DATES, MIXED, NUMBERS, mixed_array, mixed_pandas

# with the columns that each is to mask
CASES = [
    (PRAM(0.5, random_state=0), [*CATEGORIES, "age", "born"]),
    (PRAM(0.5, invariant=True, strata=["age"], random_state=0), [*CATEGORIES, "income"]),
    (LocalSuppression(k=4), ["age", "sex", "education", "employed", "born", "moved"]),
    (
        GlobalRecoding(labels="mean", bands={"age": 20, "children": [1, 2], "income": [1e3]}),
        NUMBERS,
    ),
    (TopBottomCoding(bottom=0.1, top=0.8), [*NUMBERS, *DATES]),
    (TopBottomCoding(bottom=0.1, top=0.8, replace="mean"), [*NUMBERS, *DATES]),
    (Rounding(base=20), NUMBERS),
    (RankSwapping(p=30, random_state=0), [*NUMBERS, *DATES, "education"]),
    (UnivariateMicroaggregation(k=5, keep_integers=True), [*NUMBERS, *DATES]),
    (AdditiveNoise(p=50, keep_integers=True, random_state=0), [*NUMBERS, *DATES]),
    (Microaggregation(k=4, keep_integers=True, standardize=True), ["age", "moved"]),
    (DataShuffling(p=80, random_state=0), [*NUMBERS, *DATES]),
    (DataShuffling(p=20, k=4, keep_integers=True, random_state=0), ["age", "moved"]),
    (JPEGMasking(quality=30, keep_integers=True), ["age", "moved"]),
]
NULLABLE = {"int64": "Int64", "bool": "boolean"}


@pytest.mark.parametrize("container", MIXED)
@pytest.mark.parametrize(("masker", "columns"), CASES, ids=lambda case: str(case))
def test_a_mixed_file_keeps_its_form(masker, columns, container):
    X = MIXED[container]()
    before = X.copy() if container == "pandas" else X.clone()
    Y = clone(masker).set_params(columns=columns).fit_transform(X)
    assert before.equals(X)  # the file given is not written to
    assert type(Y) is type(X)
    assert list(Y.columns) == list(X.columns)
    suppresses = isinstance(masker, LocalSuppression)
    for name in X.columns:
        old, new = X[name].dtype, Y[name].dtype
        if container == "pandas" and suppresses and Y[name].isna().any():
            old = NULLABLE.get(str(old), old)
        assert new == old, name
        same = X[name].equals(Y[name])
        assert same or name in columns
        gaps = [
            table[name].isna() if container == "pandas" else table[name].is_null()
            for table in (X, Y)
        ]
        gaps = [np.asarray(one) for one in gaps]
        assert (gaps[0] <= gaps[1]).all() if suppresses else (gaps[0] == gaps[1]).all()
    assert any(not X[name].equals(Y[name]) for name in columns)
    if container == "pandas":
        assert Y.index.equals(X.index)
        again = clone(masker).set_params(columns=columns).set_output(transform="pandas")
        pd.testing.assert_frame_equal(again.fit_transform(X), Y)


@pytest.mark.parametrize("masker", [PRAM(0.5, random_state=0), LocalSuppression(k=5)], ids=str)
def test_an_array_of_objects_stays_one(masker):
    X = mixed_array()
    Y = clone(masker).fit_transform(X)
    assert Y.dtype == object
    assert Y.shape == X.shape
    for column in range(X.shape[1]):
        held = set(map(str, X[:, column])) | {"nan"}
        assert set(map(str, Y[:, column])) <= held
        assert not np.array_equal(list(map(str, X[:, column])), list(map(str, Y[:, column])))


def test_rows_of_several_types_are_no_texts():
    Y = PRAM(1.0).fit_transform([["a", 1], ["b", 2]])
    assert Y.tolist() == [["a", 1], ["b", 2]]


def test_codes_in_an_array_stay_whole():
    X = np.array([[1, 2], [2, 1], [1, 1], [2, 2]] * 5)
    Y = PRAM(0.5, random_state=0).fit_transform(X)
    assert Y.dtype == X.dtype
    assert LocalSuppression(k=6, columns=[0, 1]).fit_transform(X).dtype == float


@pytest.mark.parametrize(
    "masker",
    [
        Microaggregation(),
        UnivariateMicroaggregation(),
        RankSwapping(),
        AdditiveNoise(),
        JPEGMasking(),
        Rounding(),
        TopBottomCoding(),
    ],
    ids=str,
)
def test_columns_that_cannot_be_masked_are_named_with_the_remedy(masker):
    with pytest.raises(ValueError, match=r"'region', 'sex', .*name the columns to mask with col"):
        clone(masker).fit(mixed_pandas())


@pytest.mark.parametrize(
    "masker", [Microaggregation(), JPEGMasking(), AdditiveNoise(correlated=True)], ids=str
)
def test_missing_values_are_refused_with_the_columns_that_have_them(masker):
    wanted = r"cannot mask missing values; there are some in 'children', 'income'"
    with pytest.raises(ValueError, match=wanted):
        clone(masker).set_params(columns=NUMBERS).fit(mixed_pandas())


def test_errors_hold_no_value_of_the_file():
    X = pd.DataFrame({"name": ["a secret", "b secret"] * 5, "age": range(10)})
    for masker in (
        Microaggregation(),
        GlobalRecoding(bands=5),
        Rounding(base=0.5, columns=["age"]),
    ):
        with pytest.raises(ValueError) as caught:
            masker.fit(X)
        assert "secret" not in str(caught.value)


def test_an_infinite_number_is_refused_by_row_and_column():
    X = pd.DataFrame({"a": [1.0, np.inf, 2.0]})
    with pytest.raises(ValueError, match=r"column 'a' has an infinite value .* row 1"):
        Rounding().fit(X)


def test_columns_of_the_same_name_are_refused():
    X = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(ValueError, match="columns of the same name"):
        PRAM().fit(X)


def test_columns_are_named_by_name_position_or_mask():
    X = mixed_pandas()[NUMBERS].dropna().astype(float)
    expected = Rounding(columns=["age", "income"]).fit_transform(X)
    for columns in ([0, 2], [True, False, True], ["income", "age"]):
        pd.testing.assert_frame_equal(Rounding(columns=columns).fit_transform(X), expected)
    array = Rounding(columns=[0, 2]).fit_transform(X.to_numpy())
    np.testing.assert_array_equal(array, expected)
    with pytest.raises(ValueError, match=r"'wage'; the columns of X are"):
        Rounding(columns=["wage"]).fit(X)
    with pytest.raises(ValueError, match="names no column"):
        Rounding(columns=[]).fit(X)


def test_a_frame_whose_columns_are_numbers_is_masked_by_position():
    X = pd.DataFrame(np.arange(8.0).reshape(4, 2), columns=[10, 20])
    Y = Rounding(base=5, columns=[1]).fit_transform(X)
    assert Y[20].tolist() == [0.0, 5.0, 5.0, 5.0]
    assert Y[10].equals(X[10])


def test_maskers_follow_each_other_in_a_pipeline():
    X = MIXED["polars"]()
    steps = make_pipeline(
        PRAM(0.8, random_state=0, columns=CATEGORIES),
        AdditiveNoise(10, random_state=0, columns=["income"]),
        GlobalRecoding(bands={"age": 10}, columns=["age"]),
        LocalSuppression(k=2, columns=["age", "sex"]),
    )
    Y = steps.fit_transform(X)
    assert Y.schema["age"] == pl.Enum(Y.schema["age"].categories)
    assert Y.shape == X.shape
    assert Y["moved"].equals(X["moved"])


@pytest.mark.parametrize("masker", [AdditiveNoise(), Microaggregation(k=2), Rounding()])
@pytest.mark.parametrize("make", [list, lambda rows: np.array(rows, dtype=object)])
def test_a_cell_that_is_no_number_is_named_by_its_place_and_not_shown(masker, make):
    with pytest.raises(ValueError, match="column 1 has a value that is no number in row 2") as e:
        masker.fit_transform(make([[1, 2], [3, 4], [5, "Anna Meier"]]))
    assert "Anna" not in str(e.value)


@pytest.mark.parametrize(
    "masker",
    [
        RankSwapping(p=80, random_state=0),
        UnivariateMicroaggregation(k=2),
        TopBottomCoding(0.3, 0.7),
    ],
)
@pytest.mark.parametrize("columns", [None, [0]])
def test_an_array_of_dates_stays_one_and_keeps_its_gaps(masker, columns):
    X = np.array(["2001-05-17", "2004-01-01", "NaT", "2019-12-31", "2020-02-29"], "M8[D]")[:, None]
    Y = clone(masker).set_params(columns=columns).fit_transform(X)
    assert Y.dtype == X.dtype
    np.testing.assert_array_equal(np.isnat(Y), np.isnat(X))
    assert (Y != X)[~np.isnat(X)].any()
    assert np.nanmin(X) <= np.nanmin(Y) and np.nanmax(Y) <= np.nanmax(X)


def test_an_array_of_durations_holds_no_numbers_and_keeps_its_gaps():
    X = np.array([3, 3, "NaT", 4], "m8[D]")[:, None]
    with pytest.raises(ValueError, match="masks only numbers; other kinds are in 0"):
        Rounding().fit(X)
    Y = LocalSuppression(k=2).fit_transform(X)
    assert Y.dtype == X.dtype
    np.testing.assert_array_equal(np.isnat(Y).ravel(), [False, False, True, False])
    assert np.isnat(LocalSuppression(k=3).fit_transform(X)[3])
