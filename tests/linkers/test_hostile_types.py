"""Whole numbers, masks, types, layouts and options: taken as they are, or refused in a sentence."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.preprocessing import StandardScaler

from sklearn_reclink import EuclideanLinker, TransformedLinker, audit
from sklearn_reclink.linkers import ALL_LINKERS
from tests.linkers.hostile import EXACT, MEAN, every_linker, fitted, integers, noisy


def test_ids_beyond_floats_are_refused_and_what_floats_hold_is_not():
    for ids in (2**60 + np.arange(8), 2**53 + np.arange(8)):
        with pytest.raises(ValueError, match=r"column 0 of the original file X .* row 1 .* ids"):
            EuclideanLinker().fit(ids[:, None], ids[:, None])
        frame = pd.DataFrame({"id": ids, "age": np.arange(8.0)})
        with pytest.raises(ValueError, match=r"column 'id' of the masked file y .* row 1 "):
            EuclideanLinker().fit(frame.assign(id=frame.age), frame)
        with pytest.raises(ValueError, match="column 'id' of the original file"):
            audit(frame, frame, attackers=["euclidean"])
        with pytest.raises(ValueError, match="column 'id' of the original file"):
            TransformedLinker(EuclideanLinker(), StandardScaler()).fit(frame, frame)
    X, _ = noisy(8)
    linker = EuclideanLinker().fit(X, X)
    with pytest.raises(ValueError, match=r"column 1 of the pairs .* row 3 "):
        linker.pair_distance([[[1, 2], [3, 4]], [[1, 2], [3, 2**60 + 1]]])
    even = 2**60 + 256 * np.arange(8)[:, None]
    assert EuclideanLinker().fit(even, even).n_linked_ == 8
    assert EuclideanLinker().fit(even.astype(object), even).n_linked_ == 8


@every_linker
def test_masked_entries_are_missing_values(linker):
    X, Y = noisy(30)
    hidden = np.ma.array(Y, mask=False)
    assert fitted(linker, np.ma.array(X), hidden).n_linked_ == fitted(linker, X, Y).n_linked_
    hidden[4, 1] = np.ma.masked
    gap = Y.copy()
    gap[4, 1] = np.nan
    assert fitted(linker, X, hidden).n_linked_ == fitted(linker, X, gap).n_linked_
    message = r"column 1 of the {} has masked values, the first in row 4: fill"
    with pytest.raises(ValueError, match=message.format("pool pool")):  # none were missing in fit
        fitted(linker, X, Y).predict(X, pool=hidden)
    with pytest.raises(ValueError, match=message.format("masked file y")):
        TransformedLinker(linker, StandardScaler()).fit(X, hidden)


@pytest.mark.parametrize("value", [np.inf, -np.inf, "low", 1j])
def test_what_is_no_finite_number_is_refused_by_column_and_row(value):
    X, Y = (pd.DataFrame(file, columns=["a", "b"]) for file in noisy())
    bad = X.astype(object)
    bad.loc[6, "b"] = value
    for files, name in (((bad, Y), "original file X"), ((X, bad), "masked file y")):
        with pytest.raises((TypeError, ValueError), match=f"column 'b' of the {name} .* row 6"):
            EuclideanLinker().fit(*files)


@pytest.mark.parametrize("value", [None, np.nan, Decimal("NaN"), Decimal("sNaN")], ids=str)
def test_a_missing_value_that_fit_did_not_see_is_refused_by_column_and_row(value):
    X = np.random.default_rng(0).normal(size=(6, 2))
    linker = EuclideanLinker().fit(X, X)
    rows = X.astype(object)
    rows[3, 1] = value
    with pytest.raises(ValueError, match=r"column 1 .* has a missing value \(NaN\) in row 3"):
        linker.predict(rows.tolist())


@pytest.mark.parametrize("linker", [MEAN, EXACT[3], EXACT[-1]], ids=repr)
def test_types_and_layouts_change_no_answer(linker):
    X, Y = integers()
    expected = fitted(linker, X, Y)
    wide = np.zeros((16, 6))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for original in (
        np.asfortranarray(X),
        wide[::2, ::2],
        read_only,
        *(X.astype(dtype) for dtype in (np.float32, np.float16, np.int8, np.int64, object)),
        X.astype(np.longdouble),
        X.tolist(),
        pd.DataFrame(X),
        pd.DataFrame(X.astype(int)).astype("Int64"),
    ):
        found = fitted(linker, original, Y)
        assert (found.n_linked_, found.bound_) == (expected.n_linked_, expected.bound_)
        np.testing.assert_array_equal(found.predict(original), expected.predict(X))


def test_sparse_and_complex_files_are_refused():
    X, Y = noisy()
    for sparse in (scipy.sparse.csr_array(X), scipy.sparse.coo_matrix(X)):
        for files in ((sparse, Y), (X, sparse)):
            with pytest.raises(TypeError, match="dense data is required"):
                EuclideanLinker().fit(*files)
    with pytest.raises(ValueError, match="Complex data not supported"):
        EuclideanLinker().fit(X, Y.astype(complex))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([np.nan] * 10, "sample_weight contains NaN"),
        ([np.inf] * 10, "sample_weight contains infinity"),
        ([1.0] * 9 + [-1.0], "negative in row 9"),
        ([1.0] * 9, r"shape \(9,\): it must be \(10,\)"),
        (np.ones((10, 1)), r"shape \(10, 1\): it must be \(10,\)"),
        ([0.0] * 10, "is 0 in all rows"),
    ],
)
def test_weights_of_a_share_are_finite_and_not_negative(weights, message):
    X, Y = noisy()
    linker = EuclideanLinker().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        linker.score(X, Y, sample_weight=weights)
    for weight in (1e308, 1e-320, True):
        assert linker.score(X, Y, sample_weight=[weight] * 10) == 1.0


@pytest.mark.parametrize("time_limit", [10**400, np.nan, np.inf, -1])
def test_time_limit_is_a_number_of_seconds(time_limit):
    files = noisy()
    for linker_class in ALL_LINKERS:
        if hasattr(linker_class(), "time_limit"):
            with pytest.raises(ValueError, match="'time_limit' parameter"):
                linker_class(time_limit=time_limit).fit(*files)
    with pytest.raises(ValueError, match=r"time_limit is .* seconds above 0"):
        audit(*files, time_limit=time_limit)
