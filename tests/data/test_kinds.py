"""Kinds of variables are read from types or told, and every file gets the same codes."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.data.kinds import learn_variables
from tests.data.columns import LEVELS, codes, column, learned, ordered

nan = np.nan


# What the user tells.


@pytest.mark.parametrize(
    "told", [["region"], [1], (-1,), [False, True], np.array([False, True]), pd.Index(["region"])]
)
def test_columns_are_told_by_name_index_or_mask(told):
    X = pd.DataFrame({"age": [31, 40, 52], "region": [7, 3, 7]})
    y = pd.DataFrame({"age": [30.0, 40, 50], "region": [3.0, nan, 12]})
    variables = learn_variables(X, y, categorical_features=told)
    assert (variables.kinds, variables.categories) == (("numeric", "nominal"), (None, [3, 7, 12]))
    np.testing.assert_array_equal(codes(variables, y)[0][:, 1], [0, nan, 2])
    variables = learn_variables(X, y, ordinal_features=told)
    assert (variables.kinds, variables.categories) == (("numeric", "ordinal"), (None, [3, 7, 12]))


def test_order_of_text_is_told_by_a_dict():
    X, y = column(["high", "low"]), column(["low", None])
    variables = learn_variables(X, y, ordinal_features={"v": LEVELS})
    assert (variables.kinds, variables.categories) == (("ordinal",), (LEVELS,))
    assert codes(variables, X)[0].ravel().tolist() == [2, 0]
    reverse = learned(ordered(["low", "high"]), ordinal_features={"v": LEVELS[::-1]})
    assert reverse.categories == (LEVELS[::-1],)
    assert learned(ordered(["low", "high"]), categorical_features=["v"]).kinds == ("nominal",)
    assert learned(column([True, False]), ordinal_features={0: None}).kinds == ("ordinal",)


def test_numbers_that_no_float_holds_may_be_categories():
    ids = column([2**60 + 1, 2**60 + 2, None], "Int64")
    with pytest.raises(ValueError, match=r"column 'v' of the original file X .* row 0 .* ids"):
        codes(learned(ids), ids)
    variables = learned(ids, categorical_features=["v"])
    assert variables.categories == ([2**60 + 1, 2**60 + 2],)
    np.testing.assert_array_equal(codes(variables, ids)[0].ravel(), [0, 1, nan])


# Categories of later files.


def test_new_categories_get_the_next_numbers_in_all_tables_of_a_call():
    variables = learned(column(["a", "b"]))
    first, second = codes(variables, column(["c", "b", "d"]), column(["d", None, "e"]))
    assert first.ravel().tolist() == [2, 1, 3]
    np.testing.assert_array_equal(second.ravel(), [3, nan, 4])
    assert codes(variables, column(["d"]))[0].tolist() == [[2]]
    assert variables.categories == (["a", "b"],)


def test_others_count_for_the_categories():
    variables = learned(column(["b"]), others=[(column(["a"]), "pool")])
    assert variables.categories == (["a", "b"],)
    with pytest.raises(ValueError, match=r"original file X holds text and that of the pool num"):
        learned(column(["b"]), others=[(column([1]), "pool")])


# Errors name the column, the row and the remedy, but no value.

SECRET = "4711secret"


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        (column([SECRET]), column([1]), {}, "holds text and that of the masked file y numbers: "),
        (column([True]), column([1]), {"categorical_features": ["v"]}, "holds bools and that of"),
        (
            column(pd.to_datetime(["2024-01-01"])),
            column(pd.to_datetime(["2024-01-01T00+00:00"])),
            {},
            "holds dates and that of the masked file y dates with a time zone: convert",
        ),
        (
            column([SECRET, 1.5], object),
            column(["a", "b"]),
            {},
            "column 'v' of the original file X holds text in row 0 and numbers in row 1: give",
        ),
        ([[1], [None], [SECRET]], [[1]] * 3, {}, "column 0 .* numbers in row 0 and text in row 2"),
        (
            column([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], object),
            column([None, None]),
            {},
            "holds dates in row 0 and dates with a time zone in row 1",
        ),
        (
            ordered([1, 1], [1, "a"]),
            column([1]),
            {},
            "column 'v' of the levels of the original file X holds numbers in row 0 and text in",
        ),
        (
            ordered(["low"]),
            ordered(["low"], LEVELS[::-1]),
            {},
            "levels of column 'v' of the original file X and those of the masked file y are not",
        ),
        (
            ordered(["low", "high"]),
            column(["low", SECRET]),
            {},
            r"masked file y has a value in row 1 that is not among the levels \['low', .*: add",
        ),
        (column([SECRET]), column([SECRET]), {"ordinal_features": [0]}, "text has no order: use"),
        (column([1]), column([1]), {"ordinal_features": {"v": [1, 1.0]}}, "are not distinct"),
        (
            column([1]),
            column([1]),
            {"ordinal_features": [0], "categorical_features": ["v"]},
            "column 'v' is in both categorical_features and ordinal_features",
        ),
        (column([1]), column([1]), {"ordinal_features": ["w"]}, r"names 'w'.*columns are \['v'\]"),
        ([[1]], [[1]], {"ordinal_features": ["w"]}, "names 'w', .* the files have no names"),
        ([[1]], [[1]], {"categorical_features": [1]}, "has 1: give names of columns, indices"),
        ([[1]], [[1]], {"categorical_features": [1.5]}, "has 1.5: give names of columns"),
        ([[1]], [[1]], {"categorical_features": [True, False]}, "mask of length 2: there are 1 c"),
        ([[1]], [[1, 2]], {}, "the masked file y has 2 columns, not 1"),
        ([1], [1], {}, "original file X is 1-dimensional"),
    ],
)
def test_files_that_do_not_fit(X, y, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        learn_variables(X, y, **options)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (column([1.0, np.inf]), r"column 'v' of the original file X has an infinite.* row 1: rep"),
        (column([1.0, 2**53 + 1.0, nan, 2**54 + 1], object), "row 3 that a float cannot hold"),
        (column(["a", "b"]), "column 'v' of the original file X holds text, but numbers in the"),
    ],
)
def test_later_files_that_do_not_fit(table, message):
    with pytest.raises(ValueError, match=message):
        codes(learned(column([1.0, 2.0])), table)


def test_a_level_that_fit_did_not_see_is_refused():
    variables = learned(ordered(["low", "high"]))
    with pytest.raises(ValueError, match=r"file X has a value in row 2 that is not among") as error:
        codes(variables, column(["low", None, SECRET]))
    assert SECRET not in str(error.value)


# Notes.


def test_a_category_of_one_file_only_is_noted():
    X, y = column(["a", "b", "c"]), column(["b", "b", "d"])
    found = "column 'v' has categories in one file only: 2 only in the original file, 1 only in "
    assert learn_variables(X, y).notes == [found + "the masked file"]
    assert learn_variables(X, X[::-1]).notes == []


@pytest.mark.parametrize("empty", [[None, None], [nan, nan], pd.array([None, None], "Int64")])
def test_a_column_without_values_is_noted(empty):
    X = column(["a", "b"])
    for files, file in (((X, column(empty)), "masked"), ((column(empty), X), "original")):
        variables = learn_variables(*files)
        assert variables.kinds == ("nominal",)
        assert len(variables.notes) == 1
        assert f"column 'v' has no value in the {file} file" in variables.notes[0]
        assert all(np.isnan(one).all() for one in codes(variables, column(empty)))
    assert learned(column(empty)).kinds == ("numeric",)


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        (np.arange(200) % 4, True),
        (np.where(np.arange(200) % 7, np.arange(200) % 4, nan), True),
        (np.arange(200) % 4 + 0.5, False),
        (np.arange(200) % 30, False),
        (np.zeros(200), False),
        (np.arange(40) % 4, False),
    ],
)
def test_few_whole_numbers_look_like_codes(values, noted):
    variables = learned(column(values))
    assert variables.kinds == ("numeric",)
    assert bool(variables.notes) == noted
    assert all("are read as numbers: 'v' (4). Name those" in one for one in variables.notes)
    assert learned(column(values), column(values + 0.25)).notes == []  # masked as a number
    assert learned(column(values), categorical_features=["v"]).notes == []
