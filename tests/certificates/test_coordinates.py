"""Numbers and files as the checker reads them, and what it refuses."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.coordinates import coordinates, integers, whole, with_pool


def test_numbers_are_rationals():
    assert integers([0.75, 3, -0.5]) == [3, 12, -2]
    assert integers([]) == []
    for wrong in (float("nan"), float("inf"), True, "1", None):
        with pytest.raises(CertificateError):
            integers([wrong])
    with pytest.raises(CertificateError):
        integers([-1], least=0)
    assert whole(3, 4, "x") == 3
    for wrong in (4, -1, 3.0, True, "3", None):
        with pytest.raises(CertificateError, match="x is not an integer"):
            whole(wrong, 4, "x")


def test_a_pool_holds_the_masked_records_as_often_as_they_occur():
    masked = [[1.0], [2.0], [1.0]]
    assert with_pool(masked, [[3.0], [1.0], [1.0], [1.0], [2.0]]) == [*masked, [3.0], [1.0]]
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
