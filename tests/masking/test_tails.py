"""Rounding, and top and bottom coding, against their definitions."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_reclink.masking import Rounding, TopBottomCoding
from tests.masking.frames import mixed_pandas


@given(st.lists(st.integers(-500, 500), min_size=1), st.sampled_from([1, 3, 10, 250]))
def test_rounding_goes_to_the_nearest_multiple(values, base):
    X = np.array(values, dtype=float)[:, None]
    Y = Rounding(base).fit_transform(X)
    assert (Y % base == 0).all()
    assert np.abs(X - Y).max() <= base / 2
    random = Rounding(base, random=True, random_state=0).fit_transform(X)
    assert (random % base == 0).all()
    assert np.abs(X - random).max() < base


def test_random_rounding_has_the_number_as_its_mean():
    X = np.full((20_000, 1), 12.0)
    Y = Rounding(5, random=True, random_state=0).fit_transform(X)
    assert set(Y.ravel()) == {10.0, 15.0}
    assert Y.mean() == pytest.approx(12.0, abs=0.05)


def test_decimal_bases_release_decimals():
    Y = Rounding(0.1).fit_transform([[0.31], [0.28], [1.25]])
    assert Y.ravel().tolist() == [0.3, 0.3, 1.2]


def test_bases_by_column():
    X = mixed_pandas()[["age", "income"]]
    Y = Rounding({"age": 5, "income": 0.5}).fit_transform(X)
    assert (Y["age"] % 5 == 0).all()
    assert (Y["income"].dropna() % 0.5 == 0).all()


def test_thresholds_by_value_and_by_quantile():
    X = pd.DataFrame({"age": [10, 20, 30, 40, 99]})
    by_value = TopBottomCoding(15, 60, by="value").fit_transform(X)
    assert by_value["age"].tolist() == [15, 20, 30, 40, 60]
    by_quantile = TopBottomCoding(0.4, 0.8).fit_transform(X)
    assert by_quantile["age"].tolist() == [20, 20, 30, 40, 40]
    only_top = TopBottomCoding(None, {"age": 0.6}).fit_transform(X)
    assert only_top["age"].tolist() == [10, 20, 30, 30, 30]
    mean = TopBottomCoding(None, 0.6, replace="mean").fit_transform(X.astype(float))
    assert mean["age"].tolist() == [10.0, 20.0, 30.0, 69.5, 69.5]  # the total is kept


@pytest.mark.parametrize("top", [datetime.date(2010, 1, 1), "2010-01-01", pd.Timestamp(2010, 1, 1)])
def test_dates_are_coded_at_a_date(top):
    X = mixed_pandas()[["born"]]
    Y = TopBottomCoding(None, top, by="value").fit_transform(X)
    pd.testing.assert_frame_equal(Y, X.clip(upper=pd.Timestamp(2010, 1, 1)))
    Z = TopBottomCoding(None, top, by="value").fit_transform(pl.from_pandas(X))
    assert Z["born"].to_list() == pl.from_pandas(Y)["born"].to_list()


@pytest.mark.parametrize(
    ("masker", "message"),
    [
        (Rounding(base=0.5), "'age' holds whole numbers and base=0.5 is not one"),
        (Rounding(base={"pay": 10}), "base is None for the column 'age'"),
        (Rounding(base=0), "'base' parameter"),
        (TopBottomCoding(top=60), "is not a share from 0 to 1"),
        (TopBottomCoding(None, None), "'age' has no threshold"),
        (TopBottomCoding(0.9, 0.1), "bottom is above top"),
        (TopBottomCoding(None, 60.5, by="value"), "'age' holds whole numbers: give a whole top"),
        (TopBottomCoding(None, "high", by="value"), "cannot be compared with the column 'age'"),
    ],
    ids=str,
)
def test_errors_say_what_is_needed(masker, message):
    with pytest.raises(ValueError, match=message):
        masker.fit(pd.DataFrame({"age": [1, 2, 3], "pay": [1.0, 2.0, 3.0]}))
