"""Numbers and files as the checker reads them, and what it refuses."""

from __future__ import annotations

import hashlib
import struct

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.coordinates import (
    coordinates,
    digest,
    integers,
    whole,
    with_pool,
)


def test_numbers_are_rationals():
    assert integers([0.75, 3, -0.5]) == [3, 12, -2]
    assert integers([]) == []
    for wrong in (float("nan"), float("inf"), True, "1", None):
        with pytest.raises(CertificateError):
            integers([wrong])
    with pytest.raises(CertificateError):
        integers([-1], least=0)
    assert whole(3, 4, "x") == 3
    for wrong in (4, 5, 10**9, -1, -2, 3.0, True, "3", None):
        with pytest.raises(CertificateError, match="x is not an integer"):
            whole(wrong, 4, "x")


def test_a_pool_holds_the_masked_records_as_often_as_they_occur():
    masked = [[1.0], [2.0], [1.0]]
    for pool in ([[3.0], [1.0], [1.0], [1.0], [2.0]], [[1.0], [2.0], [1.0], [3.0], [1.0]]):
        assert with_pool(masked, pool) == [*masked, [1.0], [3.0]]
    with pytest.raises(CertificateError, match="not in the pool"):
        with_pool(masked, [[1.0], [2.0], [3.0]])


def test_coordinates_of_every_view():
    a, b = [[1.0], [3.0], [5.0]], [[2.0], [2.0], [8.0]]
    sd = 12.0**0.5

    def view(standardize, scale):
        return coordinates({"standardize": standardize, "scales": [scale]}, a, b, b)

    assert view(None, [0, 1, 0, 1]) == (a, b)
    first, second = view("separate", [3.0, 2.0, 4.0, sd])
    assert first == [[-1.0], [0.0], [1.0]] and second[0] == second[1] == [-2.0 / sd]
    # the gaps -1, 1, -3 deviate by 2
    assert view("difference", [3.0, 2.0, 3.0, 2.0])[0] == first
    assert view("rank", [])[1] == [[2 / 6], [2 / 6], [5 / 6]]
    for standardize, scale in (
        (None, [0, 2, 0, 1]),
        ("separate", [3.0, 2.1, 4.0, sd]),
        ("separate", [3.1, 2.0, 4.0, sd]),
        ("separate", [3.0, 2.0, 4.0, 2 * sd]),
        ("separate", [3.0, -2.0, 4.0, sd]),
        ("difference", [3.0, 2.1, 3.0, 2.1]),
        ("difference", [3.0, 2.0, 4.0, 2.0]),
        ("separate", None),
        ("rank", None),
    ):
        with pytest.raises(CertificateError):
            view(standardize, scale)


def test_a_constant_column_has_no_coordinates():
    files = [[[7.0, x] for x in column] for column in ([1.0, 3.0], [2.0, 8.0])]
    view = {"standardize": None, "scales": [None, [0, 1, 0, 1]]}
    assert coordinates(view, *files, files[1]) == ([[1.0], [3.0]], [[2.0], [8.0]])
    with pytest.raises(ValueError):
        coordinates(view | {"scales": [None]}, *files, files[1])


def seen(standardize, scale, a, b, everyone=None):
    files = [[[x] for x in column] for column in (a, b, everyone or b)]
    found = coordinates({"standardize": standardize, "scales": [scale]}, *files)
    return [[x for (x,) in file] for file in found]


def refused(*args):
    with pytest.raises(CertificateError):
        seen(*args)


A, B = [1.0, 3.0, 5.0], [2.0, 2.0, 8.0]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("change", [-1, 1, 1e-9])
def test_raw_files_are_not_moved_at_all(place, change):
    scale = [0, 1, 0, 1]
    scale[place] += change
    refused(None, scale, A, B)


@pytest.mark.parametrize("sign", [-1, 1])
def test_shifts_and_scales_are_those_of_the_columns_up_to_rounding(sign):
    """The mean is 3 and the deviation 2: a shift may be off by 2e-6, and so may a scale."""
    for file, other in ((0, A), (2, A)):
        for place, width in ((file, 2e-6), (file + 1, 2e-6)):
            scale = [3.0, 2.0, 3.0, 2.0]
            scale[place] += sign * 0.99 * width
            assert len(seen("separate", scale, A, other)[0]) == 3
            scale[place] += sign * 0.02 * width
            refused("separate", scale, A, other)
    far = [sign * 1e12 + x for x in (-1.0, 0.0, 1.0)]  # 1e-12 of the mean is as much as 1
    for off in (0.99, -0.99):
        assert len(seen("separate", [far[1] + off, 1.0, far[1], 1.0], far, far)[0]) == 3
    for off in (1.02, -1.02):
        refused("separate", [far[1] + off, 1.0, far[1], 1.0], far, far)


def test_a_common_scale_is_that_of_the_gaps_or_of_the_original_file():
    wide = [11.0, 3.0, 5.0]  # gaps -10, 0, 0
    sd = (100 / 3) ** 0.5
    assert seen("difference", [3.0, sd, 3.0, sd], A, wide)[0] == [-2 / sd, 0, 2 / sd]
    assert seen("difference", [3.0, 2.0, 3.0, 2.0], A, wide) == [[-1, 0, 1], [4, 0, 1]]
    for scale in ([3.0, sd, 3.0, 2.0], [3.0, 2.0, 4.0, 2.0], [3.1, 2.0, 3.1, 2.0], [3.0] * 4):
        refused("difference", scale, A, wide)


@pytest.mark.parametrize("scale", [0.0, -1e-300, 1.0])
def test_a_column_without_spread_has_no_scale(scale):
    refused("separate", [3.0, 2.0, 4.0, scale], A, [4.0, 4.0, 4.0])
    refused("separate", [4.0, scale, 3.0, 2.0], [4.0, 4.0, 4.0], A)


def test_a_column_is_left_out_if_one_file_is_constant():
    other = [[[1.0], [2.0]], [[3.0], [5.0]], [[3.0], [5.0], [7.0]]]

    def left_out(standardize, *columns):
        files = [
            [[x, *row] for x, row in zip(column, rows, strict=True)]
            for column, rows in zip(columns, other, strict=True)
        ]
        scales = [None, [0, 1, 0, 1]]
        return coordinates({"standardize": standardize, "scales": scales}, *files)[1]

    raw = [[3.0], [5.0], [7.0]]
    assert left_out(None, [4.0, 4.0], [1.0, 2.0], [1.0, 2.0, 3.0]) == raw
    assert left_out(None, [1.0, 2.0], [4.0, 4.0], [4.0, 4.0, 5.0]) == raw
    assert left_out("rank", [1.0, 2.0], [4.0, 4.0], [4.0, 4.0, 4.0]) == [[1 / 6], [3 / 6], [5 / 6]]
    for view in (None, "rank"):
        with pytest.raises(CertificateError, match="not constant"):
            left_out(view, [1.0, 2.0], [3.0, 4.0], [3.0, 4.0, 4.0])
    with pytest.raises(CertificateError, match="not constant"):
        left_out("rank", [1.0, 2.0], [4.0, 4.0], [4.0, 4.0, 5.0])


def test_mid_ranks_are_shares_of_the_whole_pool():
    first, second = seen(
        "rank", [], [5.0, 1.0, 5.0, 5.0], [2.0, 2.0, 1.0, 9.0], [7.0, 7.0, 7.0, 8.0]
    )
    assert first == [5 / 8, 1 / 8, 5 / 8, 5 / 8]
    assert second == [3 / 8, 3 / 8, 3 / 8, 7 / 8]


def test_scales_are_finite_numbers():
    for wrong in ([float("nan"), 1, 0, 1], ["0", 1, 0, 1], [False, True, False, True]):
        refused(None, wrong, A, B)
    with pytest.raises(CertificateError, match="unknown"):
        seen("other", [0, 1, 0, 1], A, B)


def test_a_digest_is_of_both_sizes_and_all_numbers():
    found = digest([[1.0, 2.0, 3.0], [4.0, 5.0, -0.5]])
    packed = struct.pack(">2Q6d", 2, 3, 1, 2, 3, 4, 5, -0.5)
    assert found == hashlib.sha256(packed).hexdigest()


def test_integers_of_any_size():
    assert integers([2**70, 0.5, 0]) == [2**71, 1, 0]
    assert integers([5e-324, 1.0])[1] == 2**1074
    assert integers([0, 2.5], least=0) == [0, 5]
    with pytest.raises(CertificateError, match="negative"):
        integers([1.0, -5e-324], least=0)
    assert whole(1, 2, "x", least=1) == 1
    with pytest.raises(CertificateError, match="x is not"):
        whole(0, 2, "x", least=1)
