"""The families of the checker by hand: features, rows and corners of their cones, sums of rows."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.verify import UNIT, Checker, T
from tests.certificates.test_checker import checker

THREE = {"original": [[0.0, 0.0, 0.0]], "masked": [[1.0, -3.0, 2.0], [2.0, 2.0, 0.0]]}


@pytest.mark.parametrize(
    ("name", "constraint", "order", "own", "other"),
    [
        ("weighted_mean", "simplex", None, {0: 1, 1: 9, 2: 4}, {0: 4, 1: 4, 2: 0}),
        ("owa", "simplex", None, {0: 9, 1: 4, 2: 1}, {0: 4, 1: 4, 2: 0}),
        # sets as bits: all three, then those of the larger differences
        ("choquet", "monotone", None, {7: 1, 6: 3, 2: 5}, {3: 4}),
        ("choquet", "submodular", 1, {1: 1, 2: 9, 4: 4}, {1: 4, 2: 4, 4: 0}),
        (
            "choquet",
            "monotone",
            2,
            {1: 1, 2: 9, 3: 1, 4: 4, 5: 1, 6: 4},
            {1: 4, 2: 4, 3: 4, 4: 0, 5: 0, 6: 0},
        ),
        (
            "bilinear",
            "free",
            None,
            {(0, 0): 1, (0, 1): -3, (0, 2): 2, (1, 1): 9, (1, 2): -6, (2, 2): 4},
            {(0, 0): 4, (0, 1): 4, (0, 2): 0, (1, 1): 4, (1, 2): 0, (2, 2): 0},
        ),
    ],
)
def test_features(name, constraint, order, own, other):
    check = checker(name, constraint, order, **THREE)
    assert check.features(0, 0) == {key: own[key] for key in own}
    assert check.features(0, 1) == other
    if name != "choquet" or order is not None:
        assert list(own) == check.keys


def test_coordinates_are_scaled_by_one_power_of_two():
    check = checker("weighted_mean", original=[[0.5, 3.0]], masked=[[0.25, 1.0]])
    assert (check.original, check.masked) == ([[2, 12]], [[1, 4]])
    assert check.cone_unit == 16 and check.features(0, 0) == {0: 1, 1: 64}
    assert checker("bilinear", "free", original=[[0.5]], masked=[[0.25]]).cone_unit == 1


def test_every_family_has_its_constraints():
    for name, constraint in (("owa", "positive"), ("choquet", "psd"), ("bilinear", "monotone")):
        with pytest.raises(CertificateError, match="family is unknown"):
            checker(name, constraint)
    with pytest.raises(KeyError):
        checker("another")


def test_corner_rows_of_the_cone_of_capacities():
    assert list(checker("choquet", "monotone").cone()) == [[0, 0], [0, 1], [1, 1], [2, 0]]
    assert list(checker("choquet", "submodular").cone()) == [[0, 0, 1], [1, 1], [2, 0]]
    rows = list(checker("choquet", "submodular", **THREE).cone())
    assert rows[:3] == [[0, 0, 1], [0, 0, 2], [0, 1, 2]]
    assert rows[3:] == [[1, 1, 2], [2, 0, 2], [3, 2], [4, 0, 1], [5, 1], [6, 0]]
    assert len(list(checker("choquet", "monotone", **THREE).cone())) == 12


def test_rows_of_three_variables():
    plain = checker("choquet", "submodular", **THREE)
    assert plain.cone_row([5, 1]) == {7: 1, 5: -1}
    assert plain.cone_row([4, 0, 1]) == {5: 1, 6: 1, 7: -1, 4: -1}
    assert plain.cone_row([0, 2]) == {4: 1}
    moebius = checker("choquet", "submodular", 2, **THREE)
    assert moebius.cone_row([6, 0]) == {1: 1, 3: 1, 5: 1}
    assert moebius.cone_row([4, 0]) == {1: 1, 5: 1}
    assert moebius.cone_row([4, 0, 1]) == {3: -1}
    for wrong in ([8, 0], [-1, 0], [0, 3], [0, -1], [1, 0], [3, 1, 2], [0, 1, 1], [0]):
        for check in (plain, moebius):
            with pytest.raises(CertificateError):
                check.cone_row(wrong)
    monotone = checker("choquet", "monotone", **THREE)
    for check, wrong in ((monotone, [0, 0, 1]), (plain, [0, 0, 1, 2])):
        with pytest.raises(CertificateError, match="no row of the cone"):
            check.cone_row(wrong)


def test_rows_of_pairs_are_distances():
    check = checker("bilinear", "nonnegative", original=[[1.0], [2.0]], masked=[[0.0], [5.0]])
    assert check.cone_row([0, 0]) == {(0, 0): 1} and check.cone_row([1, 0]) == {(0, 0): 4}
    for wrong in ([2, 0], [0, 2], [-1, 0], [0]):
        with pytest.raises((CertificateError, TypeError)):
            check.cone_row(wrong)
    assert check.pair(1, 0) == (1, 0) and check.pair(1, 1, own=True) == (1, 1)
    with pytest.raises(CertificateError, match="with itself"):
        check.pair(1, 1)


def test_combined_rows_and_what_the_tolerance_allows():
    """Own squares (1, 0), others (0, 4): R = 3 (-1, 4) and A = 3 (1, 4), in units of a quarter."""
    files = {"original": [[0.0, 0.0]], "masked": [[0.5, 0.0], [0.0, 1.0]]}
    above, below = checker("weighted_mean", **files).combined([[0, 1, 3]], [])
    assert above == {0: 3 * (-UNIT - T), 1: 12 * (UNIT - T)}
    assert below == {0: 3 * (-UNIT + T), 1: 12 * (UNIT + T)}
    # a row of the cone counts in units of the squares: 2 * 2 = 4
    above, below = checker("choquet", "monotone", **files).combined([[0, 1, 1]], [[0, 0, 2.5]])
    assert above == {1: 2 * (-UNIT - T) + 20 * UNIT, 2: 8 * (UNIT - T)}
    assert below == {1: 2 * (-UNIT + T) + 20 * UNIT, 2: 8 * (UNIT + T)}
    with pytest.raises(CertificateError, match="negative"):
        checker("choquet", "monotone", **files).combined([[0, 1, 1]], [[0, 0, -1]])


def test_excess_of_moebius_coordinates_has_two_sides():
    """m of a single variable is not negative, m of several has any sign."""
    options = {"original": [[0.0, 0.0]], "masked": [[1.0, 1.0], [1.0, 0.0]]}
    check = checker("choquet", "submodular", 2, **options)  # R = (0, -1, -1)
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [], [])
    assert check.conflict([[0, 1, 1]], [[1, 1, 1]], []) == {0}  # mu(A + 1) >= mu(A): m_1 + m_01
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [[1, 1, 1.5]], [])
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [[1, 1, 0.5]], [])
    additive = checker("choquet", "monotone", 1, **options)  # R = (0, -1), no set of several
    assert additive.conflict([[0, 1, 1]], [], []) == {0}
    plain = checker("choquet", "monotone", **options)  # R = -1 of {0, 1}, and 1 of {0}
    with pytest.raises(CertificateError, match="not proven"):
        plain.conflict([[0, 1, 1]], [], [])
    assert plain.conflict([[0, 1, 1]], [[1, 1, 1]], []) == {0}


def test_matrices_are_symmetric():
    check = checker("bilinear", "psd")
    assert check.matrix({(0, 0): 1, (0, 1): 2, (1, 1): 3}) == [[1, 2], [2, 3]]
    # theta of a mixed term counts twice in the matrix: x^2 + 2 xy + y^2 is a square, 3 is too many
    assert check.parameters([1, 2, 1]) == {(0, 0): 1, (0, 1): 2, (1, 1): 1}
    for wrong in ([1, 3, 1], [1, -3, 1], [-1, 0, 1], [1, 0, -1]):
        with pytest.raises(CertificateError, match="not in the cone"):
            check.parameters(wrong)


def test_every_record_is_looked_at_where_no_distance_may_be_negative():
    """Of diff^2 and mixed terms; only the pair of record 1 with masked record 0 is negative."""
    files = {"original": [[0.0, 0.0], [1.0, 1.0]], "masked": [[0.0, 0.0], [1.0, 1.0]]}
    check = checker("bilinear", "nonnegative", **files)
    assert check.links([1, 0, 0], [0, 1]) == 2
    with pytest.raises(CertificateError, match="not in the cone"):
        check.links([1, -3, 1], [])
    one_sided = {"original": [[0.0, 0.0], [2.0, 1.0]], "masked": [[0.0, 0.0], [1.0, 0.0]]}
    free = checker("bilinear", "free", **one_sided)
    assert free.links([-1, 0, 0], []) == 0
    with pytest.raises(CertificateError, match="record 0 is not linked"):
        free.links([-1, 0, 0], [0])
    for linked in ([2], [-1], [0.0]):
        with pytest.raises(CertificateError, match="a linked record"):
            free.links([1, 0, 0], linked)


def test_a_masked_record_of_a_pool_may_be_the_nearest():
    check = checker("weighted_mean", original=[[0.0], [5.0]], masked=[[1.0], [5.0], [1.0]])
    assert check.links([1], [1]) == 1
    with pytest.raises(CertificateError, match="record 0 is not linked"):
        check.links([1], [0])
    assert check.never([[0, 2]]) == {0} and check.never([]) == frozenset()
    for wrong in ([[0, 0]], [[0, 3]], [[2, 0]], [[0, -1]], [[1, 2]]):
        with pytest.raises(CertificateError):
            check.never(wrong)


def test_categories_differ_by_their_cap_or_not_at_all():
    family = {"name": "weighted_mean", "constraint": "simplex", "order": None}
    original, masked = [[6.0, 1.0]], [[6.0, 3.0], [3.0, 1.0], [None, 0.0]]
    check = Checker(family, original, masked, [1.5, None])
    unit = check.difference(0, 2)[1]  # 1 - 0, a number
    assert check.difference(0, 0) == [0, -2 * unit]
    assert [2 * x for x in check.difference(0, 1)] == [3 * unit, 0]
    assert check.difference(0, 2) == [0, unit]
