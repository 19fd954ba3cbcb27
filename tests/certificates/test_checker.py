"""The checker on problems worked out by hand: each test of it, at its border."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.verify import UNIT, Checker, T, is_psd

LINE = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
SWAPPED = [LINE[1], LINE[0], LINE[2]]
ORTHANT = [(1, 0), (0, 1)]


def checker(name, constraint="simplex", order=None, original=LINE, masked=SWAPPED):
    family = {"name": name, "constraint": constraint, "order": order}
    return Checker(family, original, masked)


# -- conflicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["weighted_mean", "owa"])
def test_a_conflict_may_use_the_tolerance_to_the_last_bit(name):
    """Rows (UNIT - T, 0) of record 0 and (-UNIT - T, 0) of another, of which it is the opposite."""
    check = checker(name, original=[[0.0, 0.0], [0.0, 0.0]], masked=[[0.0, 0.0], [1.0, 0.0]])
    rows = [[0, 1, UNIT + T], [1, 0, UNIT - T]]
    assert check.conflict(rows, [], ORTHANT) == {0, 1}
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, UNIT + T + 1], rows[1]], [], ORTHANT)


def test_rows_without_a_multiplier_are_no_members():
    check = checker("weighted_mean")
    assert check.conflict([[0, 1, 1], [2, 0, 0]], [], ORTHANT) == {0}
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 0]], [], ORTHANT)
    with pytest.raises(CertificateError, match="negative"):
        check.conflict([[0, 1, 1], [2, 0, -1]], [], ORTHANT)
    with pytest.raises(CertificateError, match="with itself"):
        check.conflict([[0, 0, 1]], [], ORTHANT)
    with pytest.raises(CertificateError, match="masked record"):
        check.conflict([[0, 3, 1]], [], ORTHANT)


def test_a_conflict_of_a_cell_need_hold_only_there():
    """The row (1, -1) is negative where the second weight is the larger one."""
    check = checker("weighted_mean", original=[[0.0, 0.0]], masked=[[0.0, 1.0], [1.0, 0.0]])
    assert check.conflict([[0, 1, 1]], [], [(1, 1), (0, 1)]) == {0}
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [], [(2, 1), (0, 1)])


def test_rows_of_capacities():
    """Record 0 differs by (4, 1) from its own masked record, by (1, 4) from the other one."""
    options = {"original": [[0.0, 0.0]], "masked": [[2.0, 1.0], [1.0, 2.0]]}
    check = checker("choquet", "monotone", **options)
    assert check.features(0, 0) == {3: 1, 1: 3} and check.features(0, 1) == {3: 1, 2: 3}
    assert check.cone_row([2, 0]) == {3: 1, 2: -1} and check.cone_row([0, 1]) == {2: 1}
    # 3 mu(2) - 3 mu(1) <= 0 does not follow from mu(1) <= mu(3), nor from mu(2) <= mu(3)
    for cone in ([], [[1, 1, 3]], [[2, 0, 3]]):
        with pytest.raises(CertificateError, match="not proven"):
            check.conflict([[0, 1, 1]], cone, [])
    with pytest.raises(CertificateError, match="no row of the cone"):
        check.conflict([[0, 1, 1]], [[0, 0, 1, 1]], [])
    with pytest.raises(CertificateError, match="in the set already"):
        check.cone_row([1, 0])
    submodular = checker("choquet", "submodular", **options)
    assert submodular.cone_row([0, 0, 1]) == {1: 1, 2: 1, 3: -1}
    with pytest.raises(CertificateError, match="no row of the cone"):
        submodular.cone_row([0, 1, 1])


def test_cone_rows_carry_an_excess_to_a_larger_set():
    """``mu(1) - 2 mu(3) <= 0`` follows from ``mu(1) <= mu(3)``."""
    check = checker(
        "choquet", "monotone", original=[[0.0, 0.0]], masked=[[2.0, 2.0], [2.0**0.5, 0.0]]
    )
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [], [])
    assert check.conflict([[0, 1, 1]], [[1, 1, 2.5]], []) == {0}


def test_moebius_coordinates():
    check = checker("choquet", "monotone", 2, [[0.0, 0.0]], [[2.0, 1.0], [1.0, 2.0]])
    assert check.keys == [1, 2, 3]
    assert check.features(0, 0) == {1: 4, 2: 1, 3: 1}
    assert check.cone_row([2, 0]) == {1: 1, 3: 1} and check.cone_row([0, 0]) == {1: 1}
    submodular = checker("choquet", "submodular", 2)
    assert submodular.cone_row([0, 0, 1]) == {3: -1}
    # m(3) has any sign, so an excess below zero proves nothing; below zero at m(1) it does
    below = checker("choquet", "monotone", 2, [[0.0, 0.0]], [[2.0, 2.0], [1.0, 2.0]])
    with pytest.raises(CertificateError, match="not proven"):
        below.conflict([[0, 1, 1]], [], [])
    assert below.conflict([[0, 1, 1]], [[2, 0, 3]], []) == {0}


@pytest.mark.parametrize("order", [0, 3, 1.0, True])
def test_an_order_is_a_number_of_variables(order):
    assert checker("choquet", "monotone", 1).keys == [1, 2]
    with pytest.raises(CertificateError, match="order is not an integer"):
        checker("choquet", "monotone", order)


def test_a_matrix_conflict_is_one_of_semidefinite_matrices_only():
    """The own difference (2, 2) is twice that to the other record: nearer for every psd matrix."""
    options = {"original": [[0.0, 0.0]], "masked": [[2.0, 2.0], [1.0, 1.0]]}
    assert checker("bilinear", "psd", **options).conflict([[0, 1, 1]], [], []) == {0}
    with pytest.raises(CertificateError, match="not proven"):
        checker("bilinear", "free", **options).conflict([[0, 1, 1]], [], [])
    pairs = checker("bilinear", "nonnegative", **options)
    assert pairs.conflict([[0, 1, 1]], [[0, 1, 3]], []) == {0}
    for multiplier in (2, 4):
        with pytest.raises(CertificateError, match="not proven"):
            pairs.conflict([[0, 1, 1]], [[0, 1, multiplier]], [])
    with pytest.raises(CertificateError, match="cone"):
        checker("bilinear", "psd", **options).conflict([[0, 1, 1]], [[0, 1, 3]], [])


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[0]], True),
        ([[-1]], False),
        ([[1, 1], [1, 1]], True),
        ([[1, 2], [2, 3]], False),
        ([[0, 1], [1, 5]], False),
        ([[0, 0], [0, 5]], True),
        ([[2, 1, 1], [1, 2, 1], [1, 1, 2]], True),
        ([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]], True),
        ([[4, -2, -2], [-2, 4, -2], [-2, -2, 3]], False),
        ([[1, 0, 0], [0, 0, 0], [0, 0, -1]], False),
    ],
)
def test_semidefinite_matrices(matrix, expected):
    assert is_psd(matrix) == expected


# -- parameters, links and records never linked ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "constraint", "order", "inside", "outside"),
    [
        ("weighted_mean", "simplex", None, [0, 1], [-1, 1]),
        ("weighted_mean", "positive", None, [1e-300, 1], [0, 1]),
        ("choquet", "monotone", None, [1, 1, 1], [1, 2, 1]),
        ("choquet", "submodular", None, [1, 1, 2], [1, 1, 2.5]),
        ("choquet", "monotone", 2, [1, 1, -1], [1, 1, -1.5]),
        ("choquet", "submodular", 2, [1, 1, -1], [1, 1, 0.5]),
        ("bilinear", "psd", None, [1, -2, 1], [1, -2.5, 1]),
        ("bilinear", "free", None, [-1, 0, 0], [0, 0, 0]),
    ],
)
def test_parameters_are_inside_their_cone_or_refused(name, constraint, order, inside, outside):
    check = checker(name, constraint, order)
    assert list(check.parameters(inside)) == check.keys
    for wrong in (outside, [0] * len(inside), inside[:-1]):
        with pytest.raises(ValueError):
            check.parameters(wrong)


def test_a_linked_record_is_strictly_nearest():
    check = checker("weighted_mean", original=LINE, masked=[[0.0, 0.0], [0.5, 0.0], [0.0, 1.0]])
    assert check.links([1, 1], [0, 1]) == 2
    with pytest.raises(CertificateError, match="record 2 is not linked"):
        check.links([1, 0], [2])  # tied with record 0
    with pytest.raises(CertificateError, match="listed twice"):
        check.links([1, 1], [0, 0])


def test_no_distance_is_negative_on_a_pair():
    check = checker("bilinear", "nonnegative")
    assert check.links([1, 0, 0], []) == 0
    with pytest.raises(CertificateError, match="not in the cone"):
        check.links([1, 0, -1], [])


@pytest.mark.parametrize(
    ("name", "constraint", "masked", "expected"),
    [
        ("weighted_mean", "simplex", [[2.0, 1.0], [1.0, -1.0]], True),
        ("weighted_mean", "simplex", [[2.0, 1.0], [1.0, 1.0 + 1e-14]], True),  # a tie
        ("weighted_mean", "simplex", [[2.0, 1.0], [1.0, 1.0 + 0.99e-12]], True),  # the last one
        ("weighted_mean", "simplex", [[2.0, 1.0], [1.0, 1.0 + 1.01e-12]], False),
        ("weighted_mean", "simplex", [[2.0, 1.0], [1.0, 1.0 + 1e-11]], False),
        ("bilinear", "psd", [[2.0, 1.0], [2.0, 1.0]], True),
        ("bilinear", "psd", [[2.0, 1.0], [-2.0, -1.0]], True),
        ("bilinear", "psd", [[2.0, 1.0], [2.0, -1.0]], False),
    ],
)
def test_records_that_are_never_linked(name, constraint, masked, expected):
    check = checker(name, constraint, original=[[0.0, 0.0]], masked=masked)
    if expected:
        assert check.never([[0, 1]]) == {0}
    else:
        with pytest.raises(CertificateError, match="may be linked"):
            check.never([[0, 1]])
