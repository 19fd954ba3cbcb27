import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.data.reading import check_aligned_index, column_names, match_columns
from sklearn_reclink.data.views import learn_scales

X = np.array([[1.0, 10.0], [2.0, 10.0], [3.0, 40.0]])
Y = np.array([[2.0, 20.0], [2.0, 10.0], [5.0, 30.0]])


def difference(scales, i, j):
    return scales.original(X)[i] - scales.masked(Y)[j]


def test_separate_uses_own_mean_and_sample_sd_of_each_file():
    scales = learn_scales(X, Y, "separate")
    expected = (X[0] - X.mean(0)) / X.std(0, ddof=1) - (Y[2] - Y.mean(0)) / Y.std(0, ddof=1)
    np.testing.assert_allclose(difference(scales, 0, 2), expected)


def test_difference_divides_by_sd_of_the_difference():
    scales = learn_scales(X, Y, "difference")
    expected = (X[1] - Y[2]) / (X - Y).std(axis=0, ddof=1)
    np.testing.assert_allclose(difference(scales, 1, 2), expected)


def test_none_subtracts_raw_values_exactly():
    scales = learn_scales(X, Y, None)
    np.testing.assert_array_equal(difference(scales, 1, 2), X[1] - Y[2])


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e6])
def test_key_variable_takes_its_own_sd_in_difference(offset):
    key = np.linspace(0.1, 0.9, 7)[:, None]
    scales = learn_scales(key, key + offset, "difference")
    np.testing.assert_allclose(scales.original_scale, key.std(ddof=1))


@pytest.mark.parametrize("standardize", ["separate", "difference", None])
@pytest.mark.parametrize("constant", ["original", "masked", "both"])
def test_column_constant_in_either_file_contributes_nothing(standardize, constant):
    original, masked = X.copy(), Y.copy()
    if constant != "masked":
        original[:, 1] = 0.1
    if constant != "original":
        masked[:, 1] = 0.3
    scales = learn_scales(original, masked, standardize)
    np.testing.assert_array_equal(scales.informative, [True, False])
    np.testing.assert_array_equal(scales.original(original)[:, 1], 0)
    np.testing.assert_array_equal(scales.masked(masked + 5)[:, 1], 0)


def test_scales_are_reused_on_other_records():
    scales = learn_scales(X, Y, "separate")
    np.testing.assert_array_equal(scales.original(X)[:2], scales.original(X[:2]))


def test_unknown_standardisation_is_refused():
    with pytest.raises(ValueError, match="'both': it must be"):
        learn_scales(X, Y, "both")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_are_named_and_reordered_in_every_table(library):
    module = pytest.importorskip(library)
    table = module.table if library == "pyarrow" else module.DataFrame
    masked = table({"income": [1.0, 2.0], "age": [3.0, 4.0]})
    assert column_names(masked) == ["income", "age"]
    matched = match_columns(["age", "income"], masked)
    np.testing.assert_array_equal(np.asarray(matched), [[3.0, 1.0], [4.0, 2.0]])


@pytest.mark.parametrize("table", [X, X.tolist(), pd.DataFrame(X)])
def test_tables_without_names_are_matched_by_position(table):
    assert column_names(table) is None
    assert match_columns(["age", "income"], table) is table


def test_equal_or_missing_indexes_are_aligned():
    frame = pd.DataFrame(X, index=[4, 2, 9])
    check_aligned_index(frame, frame.copy())
    check_aligned_index(frame, Y)
    check_aligned_index(X, frame)


def test_different_indexes_are_refused():
    frame = pd.DataFrame(X, index=[4, 2, 9])
    with pytest.raises(ValueError, match="reindex"):
        check_aligned_index(frame, frame.sort_index())
