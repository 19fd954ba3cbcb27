"""Masks and whole numbers that an array of floats would lose."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.data.exactness import _inexact, check_exact

IDS = 2**60 + np.arange(8)


def as_column(values, dtype=None):
    return np.array(list(values), dtype=dtype)[:, None]


def polars_table(**columns):
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(**columns):
    return pytest.importorskip("pyarrow").table(columns)


TABLES = {
    "int64": lambda v: as_column(v, np.int64),
    "uint64": lambda v: as_column(v, np.uint64),
    "negative": lambda v: as_column([-i for i in v], np.int64),
    "lists": lambda v: [[i] for i in v],
    "lists with floats": lambda v: [[i, 0.5] for i in v],
    "objects": lambda v: as_column(v, object),
    "numpy integers in objects": lambda v: as_column(map(np.uint64, v), object),
    "decimals": lambda v: [[Decimal(i)] for i in v],
    "fractions": lambda v: [[Fraction(i)] for i in v],
    "text": lambda v: as_column(map(str, v)),
    "text in objects": lambda v: [[str(i)] for i in v],
    "pandas": lambda v: pd.DataFrame({"id": v}),
    "pandas beside floats": lambda v: pd.DataFrame({"id": v, "a": 0.5}),
    "pandas nullable": lambda v: pd.DataFrame({"id": pd.array(v, dtype="Int64"), "a": 0.5}),
    "pandas categories": lambda v: pd.DataFrame({"id": pd.Categorical(v)}),
    "polars": lambda v: polars_table(id=v, a=[0.5] * len(v)),
    "pyarrow": lambda v: arrow_table(id=v, a=[0.5] * len(v)),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_whole_numbers_that_no_float_equals_are_refused(table):
    ids = list(map(int, IDS))
    with pytest.raises(ValueError, match=r"of the file has a number in row 1 .* beyond 2\^53") as e:
        check_exact(table(ids), ["id", "a"], "file")
    assert str(e.value).startswith("column 'id'")
    assert str(ids[1]) not in str(e.value)
    check_exact(table([256 * i for i in range(2**52, 2**52 + 8)]), None, "file")
    check_exact(table([2**53 - 1, 2**53, 2**53 + 2, 2**60]), None, "file")


@pytest.mark.parametrize(
    "value", [10**400, Fraction(10**400), Fraction(1, 10**400), Decimal("1e-400"), "9" * 400]
)
def test_numbers_beyond_floats_are_refused(value):
    with pytest.raises(ValueError, match="row 1 that a float cannot hold"):
        check_exact([[1], [value]], None, "file")


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="no longer than float64")
def test_long_doubles_are_refused_by_the_same_rule():
    good = np.array([[1.0], [0.1], [2.0**60]], dtype=np.longdouble)
    check_exact(good + np.longdouble(2) ** -70, None, "file")  # rounded as decimals are
    for value in (np.longdouble(2) ** 60 + 1, np.longdouble(10) ** -4000):
        for dtype in (np.longdouble, object):
            with pytest.raises(ValueError, match="row 3"):
                check_exact(np.append(good.astype(dtype), [[value]], axis=0), None, "file")


@pytest.mark.parametrize(
    "table",
    [
        [[Decimal("0.1"), Fraction(1, 3)]],
        [[None, "text"], [np.nan, Decimal("NaN")]],
        [[Decimal("Infinity"), float("inf")]],
        [[True, b"12"], [1 + 2j, pd.Timestamp("2020")]],
        [1, 2],
        [[1], [2, 3]],
        "text",
        None,
        np.array([[2.0**60 + 2**8, 1e300]]),
        np.array(["2020-01-01", "2021-01-02"], dtype="M8[ns]")[:, None],
    ],
)
def test_what_floats_hold_and_what_others_refuse_passes(table):
    check_exact(table, None, "file")


def test_rule_of_64_bits_is_that_of_python():
    rng = np.random.default_rng(0)
    values = [
        int(m) << int(s)
        for m, s in zip(rng.integers(2**60, size=500), rng.integers(4, size=500), strict=True)
    ]
    values += [2**k + d for k in range(50, 64) for d in (-1, 0, 1)]
    expected = [int(float(value)) != value for value in values]
    np.testing.assert_array_equal(_inexact(np.array(values, np.uint64), True), expected)
    signed = [-value for value in values if value <= 2**63]
    expected = [int(float(value)) != value for value in signed]
    np.testing.assert_array_equal(_inexact(np.array(signed, np.int64), True), expected)


def test_text_may_be_left_as_it_is():
    check_exact([[str(i)] for i in IDS], None, "file", text_is_number=False)
    with pytest.raises(ValueError, match="row 1"):
        check_exact([[int(i)] for i in IDS], None, "file", text_is_number=False)


def test_masked_entries_are_refused_and_masks_of_nothing_are_not():
    table = np.ma.array(np.ones((4, 2)), mask=False)
    check_exact(table, None, "file")
    table[2, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"column 1 of the file has masked values.* row 2: fill"):
        check_exact(table, None, "file")
    with pytest.raises(ValueError, match="column 'b' of the file has masked values"):
        check_exact(table, ["a", "b"], "file")
