"""Numbers of any size become the coordinates they should, or are refused by column."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from sklearn_reclink.data import views
from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.data.ranks import learn_ranks
from sklearn_reclink.data.views import check_differences, learn_scales, learn_view, spread

STANDARDIZE = ("separate", "difference", None)
MIXES = "mixes numbers of very different sizes"


def plain_coordinates(X, Y, standardize):
    """The formula for ordinary numbers, as it was before numbers of any size were read."""

    def sd(values, size=None):
        found = values.std(axis=0, ddof=1)
        constant = (values == values[0]).all(axis=0)
        if size is not None:
            constant |= found <= 1e-14 * size
        return np.where(constant, 0.0, found)

    if standardize == "separate":
        shifts, scales = (X.mean(axis=0), Y.mean(axis=0)), (sd(X), sd(Y))
    elif standardize == "difference":
        size = np.maximum(np.abs(X).mean(axis=0), np.abs(Y).mean(axis=0))
        of_difference = sd(X - Y, size)
        common = np.where(of_difference > 0, of_difference, sd(X))
        shifts, scales = (X.mean(axis=0),) * 2, (common, common)
    else:
        shifts, scales = (0.0, 0.0), (np.ones(X.shape[1]),) * 2
    constant = (sd(X) == 0) | (sd(Y) == 0)
    return tuple(
        (file - shift) / np.where(constant, np.inf, scale)
        for file, shift, scale in zip((X, Y), shifts, scales, strict=True)
    )


def ordinary_files(seed, n_records=200):
    """Columns of many kinds, from 1e-12 to 1e12, some constant, rounded or kept."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=n_records),
            rng.lognormal(sigma=4, size=n_records),
            rng.integers(0, 3, n_records),
            rng.normal(size=n_records) * 1e-12,
            1e12 + rng.integers(0, 10**6, n_records),
            np.full(n_records, 0.1),
            rng.random(n_records) < 0.02,
        ]
    )
    Y = X + rng.choice([0.0, 0.3], size=X.shape) * X.std(axis=0) * rng.normal(size=X.shape)
    Y[:, 2] = X[:, 2]
    return X, Y


@pytest.mark.parametrize("standardize", STANDARDIZE)
@pytest.mark.parametrize("seed", range(5))
def test_ordinary_numbers_have_the_coordinates_of_the_plain_formula(standardize, seed):
    X, Y = ordinary_files(seed)
    scales = learn_scales(X, Y, standardize)
    expected = plain_coordinates(X, Y, standardize)
    for found, plain in zip(scales.coordinates(X, Y), expected, strict=True):
        np.testing.assert_array_equal(found, plain)
    np.testing.assert_array_equal(scales.original_power, 1.0)
    np.testing.assert_array_equal(scales.masked_power, 1.0)


@pytest.mark.parametrize("power", [-900, -600, -101, 100, 600, 960])
def test_powers_of_two_change_no_bit_of_standardised_coordinates(power):
    X, Y = ordinary_files(0)
    for standardize, factors in {
        "separate": (2.0**power, 2.0 ** (power // -2)),
        "difference": (2.0**power, 2.0**power),
    }.items():
        expected = learn_scales(X, Y, standardize).coordinates(X, Y)
        files = X * factors[0], Y * factors[1]
        scaled = learn_scales(*files, standardize).coordinates(*files)
        for found, plain in zip(scaled, expected, strict=True):
            np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("power", [-1000, -400, -50, 50, 199, 400, 960])
def test_raw_files_are_divided_by_one_power_of_two(power):
    X, Y = ordinary_files(0)
    files = X * 2.0**power, Y * 2.0**power
    scales = learn_scales(*files, None)
    unit = scales.original_scale[0]
    assert np.frexp(unit)[0] == 0.5
    assert (unit == 1) == (abs(power) == 50)
    for found, file in zip(scales.coordinates(*files), files, strict=True):
        np.testing.assert_array_equal(found[:, :5], file[:, :5] / unit)


def test_smallest_difference_is_that_of_all_pairs_across_files():
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b = (rng.choice(20, rng.integers(1, 6)) * 2.0 ** rng.integers(-9, 9) for _ in "ab")
        differences = np.abs(a[:, None] - b)
        expected = differences[differences > 0].min(initial=np.finfo(float).max)
        assert views.smallest_difference(a, b) == expected


def test_differences_of_coarse_numbers_are_in_the_range():
    least = 2.0**-147
    assert np.nextafter(least, 1) - least >= views.SMALLEST
    assert views._is_coarse(np.array([[0.0, least, -1.0]]))
    assert not views._is_coarse(np.array([[0.0, np.nextafter(least, 0), -1.0]]))


@pytest.mark.parametrize("standardize", STANDARDIZE)
@pytest.mark.parametrize("extreme", [1e18, 1e160, 1e308])
def test_one_code_that_drowns_a_column_is_refused(standardize, extreme):
    X = np.column_stack([np.arange(50.0), np.arange(50.0)[::-1]])
    X[7, 1] = extreme
    if standardize is None and extreme < 1e60:  # raw values keep all their digits
        np.testing.assert_array_equal(learn_scales(X, X, None).coordinates(X, X)[0], X)
        return
    with pytest.raises(ValueError, match=f"column 'b'.* {MIXES}") as caught:
        learn_scales(X, X, standardize, ["a", "b"]).coordinates(X, X)
    assert "replace it or drop the record" in str(caught.value)


@pytest.mark.parametrize("standardize", STANDARDIZE)
@pytest.mark.parametrize("noise", [1e-300, 5e-324])
def test_noise_next_to_zeros_and_ones_is_refused_only_below_the_range(standardize, noise):
    X = np.array([[0.0], [noise], [1.0], [1.0], [2.0], [3.0]])
    with pytest.raises(ValueError, match=f"column 0.* {MIXES}.*become 0"):
        learn_scales(X, X, standardize).coordinates(X, X)
    X[1] = 5.5e-17  # the rounding of 0.1 + 0.2 - 0.3
    learn_scales(X, X, standardize).coordinates(X, X)


@pytest.mark.parametrize("n_records", [50, 1000])
def test_few_values_may_be_lost_beside_the_mean_but_not_many(n_records):
    allowed = max(3, n_records // 100)
    X = 1.0 + np.arange(n_records)[:, None]
    for n_low, refused in ((allowed + 1, False), (allowed + 2, True)):  # the first stays
        X[:n_low, 0] = 1e-20 * (1 + np.arange(n_low))
        if refused:
            with pytest.raises(ValueError, match=f"column 0 of the original file {MIXES}"):
                learn_scales(X, X, "separate").coordinates(X, X)
        else:
            learn_scales(X, X, "separate").coordinates(X, X)


def test_raw_columns_of_sizes_too_far_apart_are_refused_by_name():
    X = np.array([[1e300, 1e-300], [2e300, 3e-300], [5e300, 2e-300]])
    with pytest.raises(ValueError, match=r"column 'a' .* beside those of column 'b': .*separate"):
        learn_scales(X, X[::-1], None, ["a", "b"])
    a, b = learn_scales(X, X[::-1], "separate").coordinates(X, X[::-1])
    np.testing.assert_array_equal(a, b[::-1])


def test_constant_columns_may_have_any_size():
    X = np.array([[1e300, 1.0, 1e-320], [1e300, 2.0, 1e-320], [1e300, 4.0, 1e-320]])
    for standardize in STANDARDIZE:
        scales = learn_scales(X, X, standardize)
        assert scales.original_scale[1] == (1 if standardize is None else X[:, 1].std(ddof=1))
        a, _ = scales.coordinates(X, X)
        np.testing.assert_array_equal(a[:, [0, 2]], 0)


@pytest.mark.parametrize("standardize", STANDARDIZE)
def test_new_values_far_beyond_those_learned_are_refused(standardize):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 7.0]])
    for factor in (1e-300, 1e-160, 1.0, 1e160):
        scales = learn_scales(X * factor, X * factor, standardize, ["a", "b"])
        for far in (1e308, -1e308):
            new = X * factor
            new[1, 1] = far
            with pytest.raises(ValueError, match=r"column 'b' of the masked file .* row 1 "):
                scales.coordinates(X * factor, new)
            with pytest.raises(ValueError, match=r"column 'b' of the original file .* row 1 "):
                scales.coordinates(new, X * factor)


@pytest.mark.parametrize("factors", [(1e300, 1e300), (1e-300, 1e-300), (1e300, 1e-300), (1e8, 1)])
def test_alignment_is_judged_at_any_size(factors):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * factors
    Y = X + 0.1 * rng.normal(size=X.shape) * factors
    for standardize in ("separate", "difference", "rank", None):
        assert alignment_warning(X, Y, standardize) is None
        assert "resembles" in (alignment_warning(X, rng.permutation(Y), standardize) or "")
    assert "units" in (alignment_warning(X, Y * 100, None) or "")


def test_spread_neither_overflows_nor_underflows():
    values = np.array([[1.0], [2.0], [4.0]])
    for power in (-1000, -600, 600, 1000):
        np.testing.assert_array_equal(spread(values * 2.0**power), spread(values) * 2.0**power)


@pytest.mark.parametrize(
    "knots",
    [[-1.5e308, 1.5e308], [0.0, 2e-323], [5e-324, 1e-323, 1e-322], [-1e-310, 0.0, 1e300, 1.7e308]],
)
def test_ranks_are_interpolated_at_any_size(knots):
    column = np.array(knots)[:, None]
    scales = learn_ranks(column, column)
    values, ranks = scales.original_table[0]
    np.testing.assert_array_equal(scales.original(column)[:, 0], ranks)
    between = [float(low / 2 + high / 2) for low, high in pairwise(knots)]
    found = scales.original(np.array([*between, -1.7e308, 1.7e308])[:, None])[:, 0]
    assert found[-2] == ranks[0] and found[-1] == ranks[-1]
    for k, value in enumerate(between):
        low, high = Fraction(values[k]), Fraction(values[k + 1])
        share = float((Fraction(value) - low) / (high - low))
        assert found[k] == pytest.approx(ranks[k] + share * (ranks[k + 1] - ranks[k]), abs=1e-15)


def test_view_of_ranks_reads_numbers_of_any_size():
    X = np.array([[1e300, 1e-300], [-1e300, 1.0], [0.0, 1e300]])
    a, b = learn_view(X, X, "rank").coordinates(X, X)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(a[:, 1], [1 / 6, 1 / 2, 5 / 6])


@pytest.mark.parametrize("row", [0, 63, 64, 127, 128, 129])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_value_out_of_range_is_found_in_every_row(row, order):
    a, b = np.random.default_rng(0).normal(size=(2, 130, 3))
    a[row, 1] = 2.0**200
    with pytest.raises(
        ValueError, match=f"column 'y' of the original file has a value in row {row} "
    ):
        check_differences(np.asarray(a, order=order), b, ["x", "y", "z"])
    a[row, 1], b[:, 1] = 2.0**-300, 0.0
    with pytest.raises(ValueError, match="column 'y' mixes numbers of very different sizes"):
        check_differences(np.asarray(a, order=order), b, ["x", "y", "z"])
