"""Mixed files in the checker by hand: codes, coordinates, differences, and costs in conflicts."""

from __future__ import annotations

import math

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.coordinates import digest
from sklearn_reclink.certificates.mixed import codes, mixed_coordinates
from sklearn_reclink.certificates.verify import UNIT, Checker, T

NUMBER, NOMINAL = {"kind": "numeric"}, {"kind": "nominal"}
SD = 2.0**0.5


def coordinates(kinds, scales, a, b, everyone=None, standardize="separate"):
    view = {"standardize": standardize, "scales": scales}
    return mixed_coordinates(view, kinds, a, b, b if everyone is None else everyone)


# -- codes ----------------------------------------------------------------------------------------


def test_categories_are_numbered_as_they_appear_and_levels_as_they_are_called():
    ordinal = {"kind": "ordinal", "levels": [3, 0, 7]}  # of high, low and middle
    original = [["b", "low", 1], [None, "middle", 2.5], ["a", math.nan, None]]
    masked = [["c", "high", 0], ["b", "low", math.nan], ["a", "low", -1]]
    pool = [["d", "low", 3]]
    first, second, third = codes([NOMINAL, ordinal, NUMBER], original, masked, pool)
    assert first == [[0, 0, 1], [None, 7, 2.5], [1, None, None]]
    assert second == [[2, 3, 0], [0, 0, None], [1, 0, -1]]
    assert third == [[3, 0, 3]]
    for pool in ([["d"], ["a"], [None], ["c"]], [["c"], [None], ["d"], ["a"]]):
        third = codes([NOMINAL], [["z"]], [["a"]], pool)[2]
        assert [third[pool.index([cell])] for cell in "acd"] == [[1], [2], [3]]
    # own records in the order in which they appear, the others sorted
    pool = [["d"], ["y"], ["a"], ["c"]]
    found = codes([NOMINAL], [["z"], ["b"]], [["y"], ["a"]], pool)
    assert found == [[[0], [1]], [[2], [3]], [[5], [2], [3], [4]]]
    assert codes([NOMINAL], [["x"]], [["x"]], None) == [[[0]], [[0]], None]
    assert type(first[0][0]) is float


@pytest.mark.parametrize(
    ("variable", "cells", "reason"),
    [
        ({"kind": "other"}, [1], "kind of a column is unknown"),
        (NUMBER, ["secret"], "not finite"),
        (NUMBER, [math.inf], "not finite"),
        (NUMBER, [True], "not finite"),
        ({"kind": "ordinal", "levels": [0, 0]}, ["a", "b"], "the same level"),
        ({"kind": "ordinal", "levels": [0.0]}, ["a"], "a level is not an integer"),
        ({"kind": "ordinal", "levels": [-1]}, ["a"], "a level is not an integer"),
        ({"kind": "ordinal", "levels": [2**53]}, ["a"], "a level is not an integer"),
    ],
)
def test_cells_and_levels_that_are_wrong_are_refused(variable, cells, reason):
    with pytest.raises(CertificateError, match=reason):
        codes([variable], [[cell] for cell in cells], [[cells[0]]], None)


def test_levels_are_as_many_as_the_files_hold():
    for levels in ([0], [0, 1, 2]):
        with pytest.raises(ValueError, match="zip"):
            codes([{"kind": "ordinal", "levels": levels}], [["a"], ["b"]], [["a"], ["b"]], None)
    with pytest.raises(CertificateError, match="other columns"):
        codes([NUMBER], [[1.0]], [[1.0, 2.0]], None)


def test_a_missing_value_counts_as_nan_in_the_hash():
    assert digest([[1.0, None]]) == digest([[1.0, math.nan]]) != digest([[1.0, 0.0]])


# -- coordinates ----------------------------------------------------------------------------------


def test_categories_have_a_cap_and_missing_values_coordinates_of_their_own():
    a, b = [[0.0], [1.0], [None], [0.0]], [[0.0], [None], [1.0], [1.0]]
    cap = (2 / (1 - (4 + 1) / 9)) ** 0.5  # two of three, and one
    first, second, caps = coordinates([NOMINAL], [[cap]], a, b)
    assert caps == [cap]
    # the category, then missing in the masked file, then missing in the original one
    assert first == [[0, 1, None], [2 * cap, 1, None], [None, None, 0], [0, 1, None]]
    assert second == [[0, None, 1], [None, 0, None], [2 * cap, None, 1], [2 * cap, None, 1]]
    coordinates([NOMINAL], [[cap * (1 + 1.6e-12)]], a, b)  # up to rounding
    for wrong in (cap * (1 + 1e-9), cap * (1 + 1.7e-12), -cap, 0, 2 * cap):
        with pytest.raises(CertificateError, match="cap"):
            coordinates([NOMINAL], [[wrong]], a, b)
    check = Checker({"name": "weighted_mean", "constraint": "simplex"}, first, second, caps)
    one = check.difference(0, 1)[1]
    assert check.difference(0, 0) == [0, 0, 0]
    assert check.difference(0, 1) == [0, one, 0]
    assert check.difference(0, 2) == [check.caps[0], 0, 0]
    assert check.difference(2, 0) == [0, 0, -one]
    assert check.difference(2, 1) == [0, 0, 0]


@pytest.mark.parametrize(
    ("standardize", "scale", "first", "second"),
    [
        (None, [0, 1, 0, 1], [1, 3, None], [2, None, 6]),
        ("separate", [2.0, SD, 4.0, 2 * SD], [-1 / SD, 1 / SD, None], [-1 / SD, None, 1 / SD]),
        # one record has both values: as "separate"
        ("difference", [2.0, SD, 4.0, 2 * SD], [-1 / SD, 1 / SD, None], [-1 / SD, None, 1 / SD]),
        ("rank", [], [1 / 4, 3 / 4, None], [1 / 4, None, 3 / 4]),
    ],
)
def test_numbers_are_standardised_by_the_values_that_are_there(standardize, scale, first, second):
    a, b = [[1.0], [3.0], [None]], [[2.0], [None], [6.0]]
    found = coordinates([NUMBER], [scale], a, b, standardize=standardize)
    assert [row[0] for row in found[0]] == pytest.approx(first)
    assert [row[0] for row in found[1]] == pytest.approx(second)
    assert found[2] == [None]
    if scale:
        wrong = [scale[0], scale[1] * 1.001, *scale[2:]]
        with pytest.raises(CertificateError, match="scale"):
            coordinates([NUMBER], [wrong], a, b, standardize=standardize)


def test_differences_are_those_of_records_with_both_values():
    a, b = [[1.0], [4.0], [9.0], [None]], [[2.0], [3.0], [None], [7.0]]
    scale = [2.5, SD, 2.5, SD]  # the mean of 1 and 4, the spread of -1 and 1
    first, _, _ = coordinates([NUMBER], [scale], a, b, standardize="difference")
    assert first[2][0] == 6.5 / SD
    same = [[1.0], [1.0], [9.0], [None]]
    first, second, _ = coordinates([NUMBER], [[]], same, b, standardize="difference")
    assert [row[0] for row in first] == [0, 0, 0, None]
    assert [row[0] for row in second] == [0, 0, None, 0]
    with pytest.raises(CertificateError, match="nothing differs"):
        coordinates([NUMBER], [scale], same, b, standardize="difference")
    with pytest.raises(ValueError, match="unpack"):
        coordinates([NUMBER], [[]], a, b, standardize="difference")


def test_columns_take_part_if_they_differ_in_both_files():
    a, b = [[1.0, 5.0], [2.0, None]], [[1.0, 4.0], [2.0, 4.0]]
    raw = [0, 1, 0, 1]
    first, _, caps = coordinates([NUMBER] * 2, [raw, None], a, b, standardize=None)
    assert first == [[1.0], [2.0]] and caps == [None]  # and nothing of what the column lacks
    for scales in ([None, None], [raw, raw], [None, raw]):
        with pytest.raises(CertificateError, match="left out"):
            coordinates([NUMBER] * 2, scales, a, b, standardize=None)
    with pytest.raises(CertificateError, match="view is unknown"):
        coordinates([NUMBER] * 2, [raw, None], a, b, standardize="gower")
    # by ranks the whole pool counts, otherwise the masked records of the pairs
    same, pool = [[3.0], [3.0]], [[3.0], [3.0], [4.0]]
    assert len(coordinates([NUMBER], [[]], [[1.0], [2.0]], same, pool, "rank")[1]) == 3
    with pytest.raises(CertificateError, match="left out"):
        coordinates([NUMBER], [raw], [[1.0], [2.0]], same, pool, None)


def test_a_column_of_one_value_and_missing_ones_takes_part():
    a, b, sd = [[1.0, 4.0], [2.0, 6.0]], [[1.0, 5.0], [2.0, None]], 2**0.5
    with pytest.raises(CertificateError, match="left out"):
        coordinates([NUMBER] * 2, [[0, 1, 0, 1], None], a, b, standardize=None)
    first = [1.5, 0.5**0.5] * 2
    found = coordinates([NUMBER] * 2, [first, [5.0, sd, 5.0, 1.0]], a, b, standardize="separate")
    assert [row[1] for row in found[0]] == [-1 / sd, 1 / sd]
    assert [row[1] for row in found[1]] == [0.0, None]
    for wrong in ([5.0, sd, 5.0, sd], [5.0, 1.0] * 2, [5.0, sd, 4.0, 1.0]):
        with pytest.raises(CertificateError, match="a scale is not its column's"):
            coordinates([NUMBER] * 2, [first, wrong], a, b, standardize="separate")
    ranks = coordinates([NUMBER] * 2, [[], []], a, b, standardize="rank")
    assert [[row[1] for row in file] for file in ranks[:2]] == [[0.25, 0.75], [0.5, None]]
    # the same in the original: nothing but what is missing differs
    for standardize, scale in (("separate", first), ("rank", [])):
        none = coordinates([NUMBER] * 2, [scale, []], b, a, standardize=standardize)
        assert [[row[1] for row in file] for file in none[:2]] == [[0.0, None], [0.0, 0.0]]
        with pytest.raises(CertificateError, match="where nothing differs"):
            coordinates([NUMBER] * 2, [scale, [5.0, 1.0] * 2], b, a, standardize=standardize)


def test_caps_of_one_category_are_those_of_the_masked_file_or_1():
    flag = {"kind": "nominal"}
    a, b = [[1.0, 0.0], [2.0, None]], [[1.0, 0.0], [2.0, 1.0]]
    for masked, right, wrong in ((b, 2.0, 1.0), (a, 1.0, 2.0)):
        coordinates([NUMBER, flag], [[0, 1, 0, 1], [right]], a, masked, standardize=None)
        with pytest.raises(CertificateError, match="a cap is not its column's"):
            coordinates([NUMBER, flag], [[0, 1, 0, 1], [wrong]], a, masked, standardize=None)


def test_a_record_that_is_missing_in_the_pool_alone_is_an_impostor_with_a_cost():
    a, pool = [[1.0], [2.0]], [[1.0], [2.0], [None]]
    first, everyone, _ = coordinates([NUMBER], [[0, 1, 0, 1]], a, a, pool, None)
    assert first == [[1, 1], [2, 1]] and everyone == [[1, None], [2, None], [None, 0]]


# -- what missing values cost ---------------------------------------------------------------------

FAMILIES = [
    ("weighted_mean", "simplex", None),
    ("owa", "simplex", None),
    ("choquet", "monotone", None),
    ("choquet", "submodular", 2),
    ("bilinear", "psd", None),
    ("bilinear", "nonnegative", None),
    ("bilinear", "free", None),
]


def checker(name, constraint, order, own, other, n=2):
    """Record 0 differs by ``own`` from its masked record, by ``other`` from the second one."""
    family = {"name": name, "constraint": constraint, "order": order}
    return Checker(family, [[0.0] * len(own)], [own, other], [None] * n)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_missing_values_cost_is_a_coordinate_that_interacts_with_none(family):
    check = checker(*family, [1.0, -2.0, 1.0], [2.0, 1.0, 0.0])
    (cost,) = check.costs
    assert check.keys[-1] == cost and len(set(check.keys)) == len(check.keys)
    assert check.features(0, 0)[cost] == 1 and check.features(0, 1)[cost] == 0
    plain = checker(*family, [1.0, -2.0], [2.0, 1.0])
    assert check.of_variables == plain.keys
    without = {key: value for key, value in check.features(0, 0).items() if key != cost}
    assert without == plain.features(0, 0)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("costs", "lost"), [((1.0, 0.0), True), ((1.0, 1.0), True), ((0, 1), False)]
)
def test_a_conflict_must_hold_in_the_costs_too(family, costs, lost):
    """The variables tie; the own record lacks a value, or both records do, or the other alone."""
    check = checker(*family, [1.0, 2.0, costs[0]], [1.0, 2.0, costs[1]])
    cells = [tuple(int(k == m) for m in range(3)) for k in range(3)]
    if lost:
        assert check.conflict([[0, 1, 1]], [], cells) == {0}
        assert check.never([[0, 1]]) == {0}
    else:
        with pytest.raises(CertificateError, match="not proven"):
            check.conflict([[0, 1, 1]], [], cells)
        with pytest.raises(CertificateError, match="may be linked"):
            check.never([[0, 1]])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cost_may_use_the_tolerance_to_the_last_bit(family):
    """Costs UNIT - T and UNIT + T differ by the tolerance of their sum."""
    check = checker(*family, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    (cost,) = check.costs
    cells = [tuple(int(k == m) for m in range(3)) for k in range(3)]
    zero = dict.fromkeys(check.of_variables, 0)
    for other, lost in ((UNIT + T, True), (UNIT + T + 1, False)):
        check.features = lambda i, j, other=other: {**zero, cost: (UNIT - T, other)[j]}
        if lost:
            assert check.conflict([[0, 1, 1]], [], cells) == {0}
        else:
            with pytest.raises(CertificateError, match="not proven"):
                check.conflict([[0, 1, 1]], [], cells)


@pytest.mark.parametrize("family", FAMILIES)
def test_costs_have_weights_that_are_not_negative(family):
    check = checker(*family, [1.0, 2.0, 1.0], [3.0, 4.0, 0.0])
    theta = dict.fromkeys(check.keys, 0)
    with pytest.raises(CertificateError, match="not in the cone"):
        check.parameters(list(theta.values()))
    for weight, inside in ((1, True), (-1, False)):
        theta[check.costs[0]] = weight
        if inside:
            assert check.parameters(list(theta.values())) == theta
        else:
            with pytest.raises(CertificateError, match="not in the cone"):
                check.parameters(list(theta.values()))


def test_costs_do_not_make_a_negative_distance_admissible():
    """``-diff^2 + cost`` is 0 and more on both pairs, but not what the variables add to it."""
    check = checker("bilinear", "nonnegative", None, [1.0, 1.0], [0.0, 1.0], n=1)
    with pytest.raises(CertificateError, match="not in the cone"):
        check.is_linked(check.parameters([-1, 2]), 0)
    assert check.cone_row([0, 0]) == {(0, 0): 1}


def test_positive_weights_are_asked_of_variables_alone():
    check = checker("weighted_mean", "positive", None, [1.0, 1.0, 1.0], [2.0, 2.0, 1.0])
    assert check.parameters([1, 1, 0])[2] == 0
    with pytest.raises(CertificateError, match="cone"):
        check.parameters([1, 0, 1])


def test_a_cell_may_be_split_between_a_variable_and_a_cost():
    """Lost unless ``3 w > v``, so at (1, 3), (0, 1) and all between, and not at (1, 0)."""
    check = checker("weighted_mean", "simplex", None, [1.0, 1.0], [2.0, 0.0], n=1)
    assert check.conflict([[0, 1, 1]], [], [(1, 3), (0, 1)]) == {0}
    with pytest.raises(CertificateError, match="not proven"):
        check.conflict([[0, 1, 1]], [], [(1, 3), (1, 0)])
    split, lost = {"split": [0, 1, 1, 3]}, {"lost": [[0, 1]]}
    check.tree([split, lost, {}], frozenset([0]), goal=1)
    with pytest.raises(CertificateError, match="ends before"):
        check.tree([split, lost, {}], frozenset(), goal=1)
    with pytest.raises(CertificateError, match="a corner is not"):
        check.tree([{"split": [0, 2, 1, 1]}], frozenset(), goal=1)
