"""Information loss of mixed files, against the definitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from scipy.stats.contingency import association

from sklearn_reclink.masking import PRAM, AdditiveNoise, GlobalRecoding, LocalSuppression
from sklearn_reclink.metrics import (
    association_change,
    category_change,
    frequency_change,
    information_loss,
    mixed_loss,
    probabilistic_information_loss,
    suppression_rate,
)
from tests.masking.frames import CATEGORIES, MIXED, mixed_pandas
from tests.metrics.files import tables


@settings(deadline=None)
@given(tables())
def test_a_file_of_numbers_has_its_probabilistic_loss_bit_for_bit(files):
    X, Y = files
    assert information_loss(X, Y) == probabilistic_information_loss(X, Y)
    frames = [pd.DataFrame(file).add_prefix("v") for file in files]
    assert information_loss(*frames) == probabilistic_information_loss(*frames)


@pytest.mark.parametrize("container", MIXED)
def test_a_file_that_is_not_masked_loses_nothing(container):
    X = MIXED[container]()
    parts = mixed_loss(X, X)
    assert parts.loss == 0.0
    assert parts.numeric_share == 0.5


def test_the_parts_by_hand():
    X = pd.DataFrame({"a": list("ppqq"), "b": list("xyxy"), "n": [1.0, 2.0, 3.0, 4.0]})
    Y = pd.DataFrame({"a": ["p", "q", "q", None], "b": list("xyxy"), "n": [1.0, 2.0, 3.0, 4.0]})
    np.testing.assert_allclose(category_change(X, Y, multioutput="raw_values"), [1 / 3, 0])
    # shares of 1/2 and 1/2 become 1/3 and 2/3
    np.testing.assert_allclose(frequency_change(X, Y, multioutput="raw_values"), [1 / 6, 0])
    np.testing.assert_allclose(suppression_rate(X, Y, multioutput="raw_values"), [1 / 4, 0, 0])
    assert suppression_rate(X, Y) == 1 / 12
    parts = mixed_loss(X, Y)
    assert parts.numbers == 0.0
    kept = 2 / 3 * np.mean([parts.categories, parts.frequencies, parts.associations])
    assert parts.loss == pytest.approx(1 / 12 + 11 / 12 * kept)


def test_association_of_categories_is_cramers_v():
    X = mixed_pandas(300).dropna()
    pair, other = X[["region", "sex"]], X[["education", "employed"]].astype(str)
    other.columns = ["region", "sex"]
    tables = [pd.crosstab(file["region"], file["sex"]).to_numpy() for file in (pair, other)]
    expected = abs(association(tables[0]) - association(tables[1]))
    assert association_change(pair, other) == pytest.approx(expected)


def test_association_with_a_number_is_the_correlation_ratio():
    X = pd.DataFrame({"g": list("aabb"), "n": [1.0, 2.0, 4.0, 5.0]})
    Y = X.assign(n=[1.0, 4.0, 2.0, 5.0])
    # of a sum of squares of 10, 9 and 1 lie between the groups
    assert association_change(X, Y) == pytest.approx(np.sqrt(0.9) - np.sqrt(0.1))
    assert association_change(X[["n"]], Y[["n"]]) == 0.0


@pytest.mark.parametrize("container", MIXED)
def test_stronger_masking_loses_more_in_any_container(container):
    X = MIXED[container](300)
    columns = {"columns": CATEGORIES}
    randomised = [PRAM(p, random_state=0, **columns).fit_transform(X) for p in (0.9, 0.6, 0.2)]
    keys = {"columns": ["age", "sex", "employed"]}
    suppressed = [LocalSuppression(k, **keys).fit_transform(X) for k in (2, 4, 8)]
    for maskings in (randomised, suppressed):
        losses = [information_loss(X, Y) for Y in maskings]
        assert 0 < losses[0] < losses[1] < losses[2] < 1


def test_codes_are_categories_where_told():
    X = np.array([[1, 10], [2, 20], [2, 30], [1, 40]])
    Y = np.array([[1, 10], [1, 20], [2, 30], [1, 40]])
    assert category_change(X, Y, categorical_features=[0]) == 0.25
    with pytest.raises(ValueError, match="no variable is categorical"):
        category_change(X, Y)
    with pytest.raises(ValueError, match=r"categorical_features holds \['z'\]"):
        category_change(X, Y, categorical_features=["z"])


def test_columns_are_matched_by_name_and_kinds_may_change():
    X = mixed_pandas()
    Y = GlobalRecoding(bands={"age": 10}, columns=["age"]).fit_transform(X)
    assert information_loss(X, Y[X.columns[::-1]]) == information_loss(X, Y)
    changed = category_change(X, Y, multioutput="raw_values")
    assert changed.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"lacks \['age'\] and adds \['years'\]"):
        information_loss(X, Y.rename(columns={"age": "years"}))
    assert information_loss(pl.from_pandas(X), pl.from_pandas(X)[::-1]) > 0


def test_numbers_are_compared_on_the_records_that_have_them():
    X = mixed_pandas(300)[["income", "sex"]]
    Y = AdditiveNoise(30, random_state=0, columns=["income"]).fit_transform(X)
    complete = X["income"].notna()
    expected = probabilistic_information_loss(
        X.loc[complete, ["income"]], Y.loc[complete, ["income"]]
    )
    assert mixed_loss(X, Y).numbers == pytest.approx(expected)
    assert mixed_loss(X, X.assign(income=np.nan)).numbers == 1.0


@pytest.mark.parametrize("measure", [information_loss, association_change])
@pytest.mark.parametrize("others", [{}, {"sex": ["f", "m", None]}])
def test_an_infinite_value_is_refused_by_column_and_row(measure, others):
    X = pd.DataFrame({**others, "age": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"column 'age' of the masked file.* inf.* row 2"):
        measure(X, X.assign(age=[1.0, 2.0, np.inf]))
