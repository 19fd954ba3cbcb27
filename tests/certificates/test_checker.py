"""The checker on problems worked out by hand: each test of it, at its border."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.coordinates import coordinates, integers, whole, with_pool
from sklearn_reclink.certificates.verify import UNIT, Checker, T, is_psd

LINE = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
SWAPPED = [LINE[1], LINE[0], LINE[2]]
ORTHANT = [(1, 0), (0, 1)]


def checker(name, constraint="simplex", order=None, original=LINE, masked=SWAPPED):
    family = {"name": name, "constraint": constraint, "order": order}
    return Checker(family, original, masked)


class Known(Checker):
    """Every conflict is one: only what is concluded from them is checked."""

    def conflict(self, rows, cone, corners):
        return frozenset(row[0] for row in rows)


def known(n_records):
    zeros = [[0.0]] * n_records
    return Known({"name": "weighted_mean", "constraint": "simplex", "order": None}, zeros, zeros)


def conflict(*records):
    return {"rows": [[i, 0, 1] for i in records]}


TRIANGLE = [conflict(0, 1), conflict(1, 2), conflict(0, 2)]
PENTAGON = [conflict(i, (i + 1) % 5) for i in range(5)]
HALVES = [[c, 0.5] for c in range(5)]


def proves(check, nodes, goal, never=()):
    try:
        check.tree(nodes, frozenset(never), goal)
    except ValueError:  # of which `verify` makes a CertificateError
        return False
    return True


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


# -- trees ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conflicts", "duals", "most"),
    [
        ([], [], 0),
        ([conflict(0)], [[0, 1]], 1),
        (TRIANGLE, HALVES[:3], 2),
        (TRIANGLE, [[0, 1]], 1),
        (TRIANGLE, [[0, 1], [1, 1]], 1),  # record 1 is paid for twice
        (PENTAGON, HALVES, 3),
        (PENTAGON, [[0, 1], [2, 1]], 2),
    ],
)
def test_duals_prove_their_value_rounded_up(conflicts, duals, most):
    node = {"conflicts": conflicts, "duals": duals}
    assert [proves(known(6), [node], goal) for goal in (most, most + 1)] == [True, False]


def test_records_lost_already_are_not_lost_again():
    node = {"conflicts": [conflict(0, 1)], "duals": [[0, 1]]}
    assert proves(known(3), [node], 2, never=[2])
    assert not proves(known(3), [node], 2, never=[0])
    assert proves(known(3), [{"lost": [[1, 0]]}], 2, never=[0])
    assert not proves(known(3), [{"lost": [[0, 1]]}], 2, never=[0])


def test_a_clique_loses_all_but_one():
    square = [conflict(i, j) for i in range(4) for j in range(i)]
    clique = {"conflicts": square, "cliques": [[0, 1, 2, 3]], "duals": [[6, 1]]}
    assert proves(known(4), [clique], 3) and not proves(known(4), [clique], 4)
    for wrong in ([0, 1, 2, 2], [0], [0, 1, 2, 4]):
        assert not proves(known(5), [clique | {"cliques": [wrong]}], 0)
    assert not proves(known(4), [clique | {"conflicts": [*square[:-1], conflict(0, 2, 3)]}], 3)


def test_branches_prove_what_duals_alone_do_not():
    """Five records in conflict two by two, as a pentagon and its diagonals: four are lost."""
    every = [conflict(i, j) for i in range(5) for j in range(i)]
    root = {"conflicts": every, "branch": 0}

    def of(*pairs):
        sets = [{row[0] for row in one["rows"]} for one in every]
        return [[sets.index(set(pair)), 1] for pair in pairs]

    kept = {"duals": of((0, 1), (0, 2), (0, 3), (0, 4))}
    lost = [{"branch": 1}, {"duals": of((2, 3), (3, 4), (2, 4))}, {"duals": kept["duals"]}]
    assert not proves(known(5), [root, *lost, kept], 4)
    halves = [[c, 0.5] for c, _ in of((2, 3), (3, 4), (2, 4))]
    lost[1] = {"duals": halves}
    lost[2] = {"duals": of((1, 2), (1, 3), (1, 4))}
    assert proves(known(5), [root, *lost, kept], 4)
    assert not proves(known(5), [root, kept, *lost], 4)
    assert not proves(known(5), [root, *lost], 4)


def test_whoever_is_too_costly_to_lose_is_kept():
    """Two losses are needed, or one of record 2 besides: so a solution of one loss keeps it."""
    root = {"conflicts": [conflict(0, 1), conflict(0, 2), conflict(1, 2)], "duals": [[0, 1]]}
    # record 2 has no price: losing it makes two losses
    nodes = [root | {"keep": True}, {"duals": [[1, 1], [2, 1]]}]
    assert proves(known(3), nodes, 2)
    assert not proves(known(3), [root, nodes[1]], 2)
    assert not proves(known(3), [root | {"duals": [], "keep": True}, nodes[1]], 2)
    assert not proves(known(3), nodes, 3)


def test_a_cell_is_split_into_two_that_cover_it():
    """Row (1, -1) of record 0 against 2, and (-1, 1) of record 1 against 3: always one is lost."""
    masked = [[0.0, 1.0], [11.0, 10.0], [1.0, 0.0], [10.0, 11.0]]
    check = checker("weighted_mean", original=[[0.0, 0.0], [10.0, 10.0]], masked=masked)
    split, first, second = {"split": [0, 1, 1, 1]}, {"lost": [[0, 2]]}, {"lost": [[1, 3]]}
    assert proves(check, [split, first, second], 1)
    assert not proves(check, [split, second, first], 1)
    assert not proves(check, [split, first, second], 2)
    assert not proves(check, [{"split": [0, 1, 2, 1]}, first, second], 1)
    assert not proves(check, [{"split": [1, 0, 1, 1]}, first, second], 1)
    assert proves(check, [{"split": [1, 0, 1, 1]}, second, first], 1)
    for wrong in ([0, 0, 1, 1], [0, 2, 1, 1], [0, 1, 0, 1], [0, 1, 1], [0, 1, 1.0, 1]):
        assert not proves(check, [{"split": wrong}, {}, {}], 0)
    assert not proves(checker("choquet", "monotone"), [split, {}, {}], 0)


# -- numbers and files ----------------------------------------------------------------------------


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
