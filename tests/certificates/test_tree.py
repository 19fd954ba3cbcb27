"""What the checker concludes from conflicts that are proven: ends, branches, cliques and cells."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.verify import Cell, Checker
from tests.certificates.test_checker import checker


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
    alone = {"conflicts": [*square, conflict(2)], "duals": [[7, 1]]}  # 2 is lost, and named once
    assert proves(known(4), [{**alone, "cliques": [[0, 1, 2, 3]]}], 3)
    assert not proves(known(4), [{**alone, "cliques": [[0, 1, 2, 2]]}], 0)


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


def cell(corners=(), lost=(), kept=(), sets=()):
    return Cell(tuple(corners), frozenset(lost), frozenset(kept), tuple(sets))


def test_a_new_corner_takes_the_place_of_one_of_two():
    check = checker("weighted_mean", original=[[0.0] * 3], masked=[[0.0] * 3])
    corners = [(1, 1, 0), (0, 1, 3), (2, 0, 1)]
    first, second = check.below({"split": [2, 1, 3, 5]}, cell(corners), 0)
    assert first.corners == ((1, 1, 0), (0, 1, 3), (6, 5, 18))
    assert second.corners == ((1, 1, 0), (6, 5, 18), (2, 0, 1))
    first, second = check.below({"split": [0, 1, 1, 1]}, cell(corners), 0)
    assert first.corners == ((1, 2, 3), (0, 1, 3), (2, 0, 1))
    assert second.corners == ((1, 1, 0), (1, 2, 3), (2, 0, 1))


def test_branches_say_what_is_lost_and_kept():
    lost, kept = known(4).below({"branch": 2}, cell(lost=[0], kept=[1]), 1)
    assert (lost.lost, lost.kept) == ({0, 2}, {1})
    assert (kept.lost, kept.kept) == ({0}, {1, 2})
    for wrong in (4, -1, 1.0):
        with pytest.raises(CertificateError, match="a record is not"):
            known(4).below({"branch": wrong}, cell(), 1)


def test_a_record_is_kept_if_losing_it_makes_the_goal():
    """Price 0.5 of records 0 and 1, losses 0.5; records 2 and 3 have no price, 3 is lost."""
    at = cell(lost=[3], sets=[(frozenset([0, 1]), 1)])
    for goal, kept in ((2, {0, 1, 2}), (3, {2}), (4, set())):
        (found,) = known(4).below({"duals": [[0, 0.5]], "keep": True}, at, goal)
        assert found.kept == kept and found.lost == {3}


def test_a_lost_record_pays_one_less_its_price():
    pairs = [conflict(2 * i, 2 * i + 1) for i in range(4)]
    for dual in (0.25, 0.75):
        node = {"conflicts": pairs, "duals": [[c, dual] for c in range(4)]}
        assert proves(known(8), [node], 4, never=[0, 2, 4, 6])
        assert not proves(known(8), [node], 5, never=[0, 2, 4, 6])
    for wrong in ([[4, 1]], [[-1, 1]], [[0, -1]], [[0, float("nan")]], [[0]]):
        assert not proves(known(8), [{"conflicts": pairs, "duals": wrong}], 0)


def test_a_tree_has_as_many_nodes_as_it_needs():
    for nodes, reason in (([{}, {}], "too many"), ([], "too few"), ([{"branch": 0}], "too few")):
        with pytest.raises(CertificateError, match=f"the tree has {reason} nodes"):
            known(2).tree(nodes, frozenset(), 0)


def test_conflicts_hold_in_all_subtrees_of_their_node():
    """Two conflicts, of the root and of the lost branch: the kept branch has only the first."""
    root = {"conflicts": [conflict(1, 2)], "branch": 0}
    lost = {"conflicts": [conflict(3)], "duals": [[0, 1], [1, 1]]}
    kept = {"duals": [[0, 1]]}
    assert proves(known(4), [root, lost, kept], 1)
    assert not proves(known(4), [root, lost, lost | {"conflicts": []}], 1)
    assert not proves(known(4), [root, lost, kept], 2)
