"""Columns of every sort of table: types, codes, and what has no kind."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from sklearn_reclink.data.kinds import is_plain, learn_variables
from tests.data.columns import LEVELS, codes, column, learned, ordered

nan = np.nan
RECORDS = {
    "age": [31, 40, None, 52],
    "pay": [1.5, None, 2.25, -3.0],
    "sex": ["m", "f", "f", None],
    "old": [True, None, False, True],
    "born": [dt.date(1990, 5, 1), None, dt.date(1970, 1, 2), dt.date(1969, 12, 31)],
    "seen": [dt.datetime(1970, 1, 1, 0, 1), None, None, dt.datetime(1970, 1, 2)],
}
CODES = [
    [31.0, 1.5, 1.0, 1.0, 7425 * 86400.0, 60.0],
    [40.0, nan, 0.0, nan, nan, nan],
    [nan, 2.25, 0.0, 0.0, 86400.0, nan],
    [52.0, -3.0, nan, 1.0, -86400.0, 86400.0],
]
ARROW = pa.table(RECORDS)
TABLES = {
    "pandas": pd.DataFrame(RECORDS),
    "nullable": pd.DataFrame(RECORDS).convert_dtypes(),
    "arrow in pandas": ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "category": pd.DataFrame(RECORDS).astype({"sex": "category", "old": "category"}),
    "polars": pl.DataFrame(RECORDS),
    "polars category": pl.DataFrame(RECORDS).with_columns(pl.col("sex").cast(pl.Categorical)),
    "pyarrow": ARROW,
    "objects": np.array(list(RECORDS.values()), dtype=object).T,
    "lists": [list(row) for row in zip(*RECORDS.values(), strict=True)],
}


# Kinds and codes by type.


@pytest.mark.parametrize("other", ["pandas", "polars", "objects"])
@pytest.mark.parametrize("name", TABLES)
def test_every_sort_of_table_gives_the_same_kinds_and_codes(name, other):
    variables = learn_variables(TABLES[name], TABLES[other])
    assert variables.kinds == ("numeric", "numeric", "nominal", "nominal", "numeric", "numeric")
    assert variables.categories == (None, None, ["f", "m"], [False, True], None, None)
    assert variables.names == (None if {name, other} <= {"objects", "lists"} else list(RECORDS))
    for found in codes(pickle.loads(pickle.dumps(variables)), TABLES[name], TABLES[other]):
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, CODES)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, 2], dtype=np.uint8), [1, 2]),
        (np.array([0.5, nan], dtype=np.float32), [0.5, nan]),
        (pd.array([1, None], dtype="Int64"), [1, nan]),
        ([Decimal("0.5"), None], [0.5, nan]),
        ([Fraction(1, 4), Decimal("NaN")], [0.25, nan]),
        (np.array([90, "NaT"], dtype="m8[m]"), [5400, nan]),
        ([dt.timedelta(seconds=-0.5), pd.NaT], [-0.5, nan]),
        ([dt.time(1, 0, 2, 500000), None], [3602.5, nan]),
        (pd.to_datetime(["1970-01-01T02:00+02:00", None]), [0, nan]),
        (pd.to_datetime(["1970-01-01", None]).as_unit("ns"), [0, nan]),
        (np.array(["1969-12-31T23:59:59.5", "NaT"], dtype="M8[ms]"), [-0.5, nan]),
        (pd.arrays.SparseArray([0.0, nan]), [0, nan]),
    ],
)
def test_numbers_and_times_are_numeric(values, expected):
    variables = learned(column(values))
    assert variables.kinds == ("numeric",)
    np.testing.assert_array_equal(codes(variables, column(values))[0].ravel(), expected)


def test_a_signalling_nan_is_missing():
    rows = [[Decimal("0.5")], [Decimal("sNaN")]]
    np.testing.assert_array_equal(codes(learned(rows), rows)[0].ravel(), [0.5, nan])


def test_units_of_dates_make_no_difference():
    times = ["2024-02-29T12:30:15.123456", "1900-01-01T00:00:00.000001"]
    tables = [
        column(pd.to_datetime(times).as_unit("us")),
        column(pd.to_datetime(times).as_unit("ns")),
        pl.DataFrame({"v": times}).select(pl.col("v").str.to_datetime(time_unit="ns")),
        column([dt.datetime.fromisoformat(one) for one in times], dtype=object),
        np.array(times, dtype="M8[us]")[:, None],
    ]
    first, *others = codes(learn_variables(tables[0], tables[1]), *tables)
    for other in others:
        np.testing.assert_array_equal(other, first)
    days = [column(np.array(["2024-02-29"], "M8[D]")), column([dt.date(2024, 2, 29)])]
    midnight = column(pd.to_datetime(["2024-02-29"]))
    assert len({float(one[0, 0]) for one in codes(learned(midnight), midnight, *days)}) == 1


def test_masked_entries_strings_and_bools_of_numpy():
    values = np.ma.array([[1.0, np.inf], [2.0, 3.0]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(codes(learned(values), values)[0], [[1, nan], [2, 3]])
    for text in (np.array([["b"], ["a"]]), np.array([[b"b"], [b"a"]])):
        variables = learned(text)
        assert (variables.kinds, variables.categories) == (("nominal",), (["a", "b"],))
        assert codes(variables, text)[0].tolist() == [[1], [0]]
    assert learned(np.array([[True], [False]])).kinds == ("nominal",)


@pytest.mark.parametrize(
    "table",
    [
        ordered(["high", None, "low"]),
        pl.DataFrame({"v": pl.Series(["high", None, "low"], dtype=pl.Enum(LEVELS))}),
        pa.table(
            {"v": pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), LEVELS, ordered=True)}
        ),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_ordered_categories_are_ordinal(table):
    variables = learned(table)
    assert (variables.kinds, variables.categories) == (("ordinal",), (LEVELS,))
    np.testing.assert_array_equal(codes(variables, table)[0].ravel(), [2, nan, 0])
    text = column(["middle", None, "low"])
    for files in ((table, text), (text, table)):  # the order of one file serves both
        mixed = learn_variables(*files)
        assert (mixed.kinds, mixed.categories) == (("ordinal",), (LEVELS,))
        np.testing.assert_array_equal(codes(mixed, text)[0].ravel(), [1, nan, 0])


def test_levels_may_be_numbers_intervals_or_dates():
    bands = pd.DataFrame({"v": pd.cut([1, 3, 5], [0, 2, 4, 6])})
    assert codes(learned(bands), bands)[0].ravel().tolist() == [0, 1, 2]
    unordered = pd.DataFrame({"v": bands["v"].cat.as_unordered()})
    assert learned(unordered).kinds == ("nominal",)
    sizes = ordered([3, 1, None], [1, 2, 3])
    assert learned(sizes, column([1, 2, 3])).kinds == ("ordinal",)
    days = pd.to_datetime(["2024-01-02", "2024-01-01"])
    dates = ordered(days, days)
    assert codes(learned(dates), dates)[0].ravel().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros(3, dtype=[("a", int), ("b", float)]), "structured array: pass a dataframe"),
        (column([{}, {}]), "column 'v' .* has a value of type dict in row 0.*string.* number"),
        (pl.DataFrame({"v": [[1], None]}), "type ndarray in row 0"),
        (column([b"a"]), "type bytes"),
        (column(pd.period_range("2024", periods=2, freq="M")), "of type Period in row 0"),
        (column([1j, 2]), "type complex"),
    ],
)
def test_types_that_have_no_kind(table, message):
    with pytest.raises(TypeError, match=message):
        learned(table)


# Plain tables.


@pytest.mark.parametrize(
    ("table", "plain"),
    [
        (np.ones((3, 2)), True),
        (np.ones((3, 2), dtype=np.int8), True),
        (np.array([[1.0, np.inf], [-np.inf, 1.0]]), True),
        (np.ma.array(np.ones((3, 2))), True),
        (np.array([[1.0, nan]]), False),
        (np.ma.array(np.ones((2, 1)), mask=[[True], [False]]), False),
        (np.array([["a"]]), False),
        (np.array([[True]]), False),
        (np.array([["2024-01-01"]], dtype="M8[D]"), False),
        ([[1, 2.5], [np.int64(3), 4]], True),
        ([[1, None]], False),
        ([[1, True]], False),
        ([[1, "a"]], False),
        (np.array([[1, nan]], dtype=object), False),
        (pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), True),
        (pd.DataFrame({"a": pd.array([1, 2], dtype="Int64")}), True),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), False),
        (pd.DataFrame({"a": [1.0, nan]}), False),
        (pd.DataFrame({"a": ["x"]}), False),
        (pd.DataFrame({"a": [True]}), False),
        (pl.DataFrame({"a": [1, 2]}), True),
        (pl.DataFrame({"a": [1.0, nan]}), False),
        (pl.DataFrame({"a": [1, None]}), False),
        (ARROW.select(["age"]), False),
        (pa.table({"a": [1, 2]}), True),
        (None, True),  # what is no table is left to other checks
        (scipy.sparse.eye(3).tocsr(), True),
        (np.ones(3), True),
        ([1, 2], True),
        ([[1, 2], [3]], True),
        (pd.Series([1.0, nan]), True),
        (np.array([[1j]]), True),
    ],
)
def test_plain_tables(table, plain):
    assert is_plain(table) is plain
