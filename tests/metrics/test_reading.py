"""Files of dates, missing values and categories: the measures read them as the linkers do."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from sklearn_reclink import EuclideanLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.auditing import compare
from sklearn_reclink.metrics import (
    average_record_linkage,
    correlation_change,
    covariance_change,
    il1s,
    information_loss,
    interval_disclosure,
    linkage_ceiling,
    mixed_loss,
    probabilistic_information_loss,
)

LOSSES = [covariance_change, correlation_change, probabilistic_information_loss]
NUMERIC = [il1s, interval_disclosure, *LOSSES]


def _average(X, y):
    return average_record_linkage(EuclideanLinker(), X, y)


of_numbers = pytest.mark.parametrize("measure", [*NUMERIC, _average])
every_measure = pytest.mark.parametrize("measure", [*NUMERIC, _average, linkage_ceiling])


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"day": rng.integers(0, 4000, 50), "age": rng.integers(18, 90, 50)})
    return X, X + rng.integers(0, 60, X.shape)


def _dates(days):
    return pd.Timestamp("2000-01-01") + pd.to_timedelta(days, unit="D")


TIMES = {
    "dates": _dates,
    "dates with a time zone": lambda days: _dates(days).dt.tz_localize("Europe/Vienna"),
    "durations": lambda days: pd.to_timedelta(days, unit="D"),
    "objects": lambda days: [datetime.date(2000, 1, 1) + datetime.timedelta(d) for d in days],
}


@every_measure
@pytest.mark.parametrize("kind", TIMES)
def test_dates_count_as_the_number_of_their_days(measure, kind, numbers):
    files = [file.assign(day=TIMES[kind](file["day"])) for file in numbers]
    # clocks change, so days of a time zone differ by an hour
    tolerance = {"rel": 1e-2} if "zone" in kind else {"rel": 1e-9, "abs": 1e-9}
    assert measure(*files) == pytest.approx(measure(*numbers), **tolerance)
    if "zone" not in kind:
        assert measure(*map(pl.from_pandas, files)) == pytest.approx(measure(*numbers), **tolerance)


@pytest.mark.parametrize("kind", TIMES)
def test_information_loss_of_numbers_and_dates_is_that_of_numbers(kind, numbers):
    files = [file.assign(day=TIMES[kind](file["day"])) for file in numbers]
    parts = mixed_loss(*files)
    assert parts.numeric_share == 1
    assert parts.loss == pytest.approx(information_loss(*numbers), rel=1e-2)
    with pytest.raises(ValueError, match=r"column 'day' of the .*, so that both have one type"):
        information_loss(files[0], numbers[1])


def test_a_comparison_takes_numbers_and_dates(numbers):
    files = [file.assign(day=_dates(file["day"])) for file in numbers]
    assert information_loss(*files) == pytest.approx(information_loss(*numbers))
    (loss,) = compare(files[0], {"noise": files[1]}, attackers=["euclidean"]).losses
    assert loss == pytest.approx(information_loss(*numbers))


@of_numbers
@pytest.mark.parametrize("column", ["day", "age"])
def test_missing_values_are_refused_by_column_and_row(measure, column, numbers):
    X, Y = (file.assign(day=_dates(file["day"])) for file in numbers)
    Y[column] = Y[column].mask(Y.index == 3)
    message = rf"^column '{column}' of the masked file y has a missing value in row 3: .*[Dd]rop"
    with pytest.raises(ValueError, match=message):
        measure(X, Y)
    with pytest.raises(ValueError, match=message):
        measure(X[[column]], Y[[column]])


@of_numbers
@pytest.mark.parametrize("kind", ["text", "category", "bool"])
def test_a_column_that_is_not_numeric_is_named_and_its_cells_are_not(measure, kind, numbers):
    values = [f"SECRETVAL{i}" for i in range(50)] if kind != "bool" else [True, False] * 25
    X, Y = (file.assign(name=pd.Series(values)) for file in numbers)
    if kind == "category":
        X["name"], Y["name"] = X["name"].astype(kind), Y["name"].astype(kind)
    with pytest.raises(ValueError, match=r"^column 'name' is not numeric: .*[Cc]onvert") as caught:
        measure(X, Y)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(ValueError, match=r"^column 2 is not numeric"):
        measure(X.to_numpy(), Y.to_numpy())


@every_measure
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones(3), np.ones(3), "original file X is 1-dimensional"),
        (csr_matrix(np.ones((3, 2))), np.ones((3, 2)), "original file X is sparse"),
        (np.ones((3, 0)), np.ones((3, 0)), "no columns"),
        (np.ones((1, 2)), np.ones((1, 2)), "n_records=1: at least 2"),
        (np.ones((3, 2)), np.ones((2, 2)), "masked file has 2 records.* original has 3"),
        (np.ones((3, 2)), np.ones((3, 1)), "masked file y has 1 column"),
        ([[1.0], [np.inf]], [[1.0], [2.0]], "column 0 of the original file X .*inf.* row 1"),
    ],
)
def test_files_that_do_not_fit_are_refused(measure, X, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        measure(X, y)


@pytest.mark.parametrize("standardize", ["separate", "difference", "rank", ["separate", "rank"]])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_ceiling_of_a_mixed_file_is_that_of_the_linkers(standardize, gaps, numbers):
    rng = np.random.default_rng(0)
    X, Y = (file.assign(day=_dates(file["day"])) for file in numbers)
    X["sex"] = rng.choice(["f", "m"], 50)
    Y["sex"] = np.where(rng.random(50) < 0.8, X["sex"], "f")
    if gaps:
        Y["day"] = Y["day"].mask(Y.index % 7 == 0)
        X["sex"] = X["sex"].mask(X.index % 9 == 0)
    ceiling = linkage_ceiling(X, Y, standardize=standardize)
    for linker in (WeightedMeanLinker(), OWALinker()):
        linker.set_params(standardize=standardize, time_limit=1, random_state=0)
        assert linker.fit(X, Y).ceiling_ == round(50 * ceiling)
        assert linker.link(X, Y).expected_rate <= linkage_ceiling(
            X, Y, standardize=standardize, expected=True
        )
