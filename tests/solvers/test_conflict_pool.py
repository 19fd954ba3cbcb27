"""The pool of conflicts: which rows hold below which goal, and whom they close."""

from __future__ import annotations

import numpy as np

from sklearn_reclink.solvers.covering.master import ConflictPool


def test_rows_of_the_pool():
    pool = ConflictPool(4)
    assert pool.add([np.array([2, 0]), np.array([1]), np.array([3])], (), (), np.inf) == [0, 1, 2]
    assert pool.add([np.array([0]), np.array([0, 2])], (3,), (1,), 5.0) == [3, 4]
    assert [(c.tolist(), s.tolist(), right) for c, s, right in pool.rows] == [
        ([0, 2], [1, 1], 1),
        ([1], [1], 1),
        ([3], [1], 1),
        ([0, 1, 3], [1, 1, -1], 0),
        ([0, 1, 2, 3], [1, 1, 1, -1], 0),
    ]
    assert pool.conflicts_of == [[0], [1], [0], [2]]
    x = np.array([0.25, 0.5, 0.0, 1.0])
    assert pool.slack(x).tolist() == [-0.75, -0.5, 0, -0.25, -0.25]
    kept = np.array([True, False, False, True])
    closing = pool.closing(kept)
    assert closing.missing[:3].tolist() == [1, 1, 0]  # the others name somebody lost
    assert closing.closed.tolist() == [False, True, True, False]
    pool.goal = 5
    assert not pool.outdated.any()
    pool.goal = 6
    assert pool.outdated.tolist() == [False, False, False, True, True]
    assert pool.slack(x).tolist() == [-0.75, -0.5, 0, np.inf, np.inf]
    assert pool.closing(kept).closed.tolist() == [False, True, True, False]


def test_a_row_found_again_holds_for_the_more_losses_of_both():
    pool = ConflictPool(3)
    one, two = np.array([0]), np.array([1])
    pool.goal = 2
    assert pool.add([one, one], (), (), 2) == [0]
    assert pool.add([one], (), (), 4) == []  # known, and holds already
    pool.goal = 4
    assert not pool.outdated.any()
    assert pool.add([one], (), (), 3) == []  # holds for four as before
    assert not pool.outdated.any()
    pool.goal = 5
    assert pool.outdated.tolist() == [True]
    assert pool.add([two, one], (), (), 5) == [1, 0]  # counts again
    assert not pool.outdated.any()


def test_closing_follows_positions_as_they_are_kept():
    rng = np.random.default_rng(0)
    pool = ConflictPool(9)
    pool.add([rng.choice(9, 3, replace=False) for _ in range(12)], (), (), np.inf)
    kept = np.zeros(9, dtype=bool)
    closing = pool.closing(kept)
    for position in rng.permutation(9):
        if closing.closed[position]:
            continue
        kept[position] = True
        closing.keep(position)
        again = pool.closing(kept)
        assert closing.missing.tolist() == again.missing.tolist()
        assert closing.closed.tolist() == again.closed.tolist()
    assert (closing.closed | kept).all()


def test_a_conflict_that_does_not_count_closes_nobody():
    pool = ConflictPool(3)
    pool.add([np.arange(3)], (), (), 2)
    pool.goal = 3
    kept = np.zeros(3, dtype=bool)
    closing = pool.closing(kept)
    for position in (0, 1):
        kept[position] = True
        closing.keep(position)
    assert not closing.closed.any()


def test_losses_of_a_block_are_a_row_and_no_conflict():
    pool = ConflictPool(6)
    pool.add([np.array([0, 1]), np.array([4])], (), (), np.inf)
    pool.add([np.array([2, 3])], (), (), 5.0)  # for few losses only
    pool.add([np.array([3, 4])], (5,), (), np.inf)  # names somebody lost
    pool.add_rank(np.array([1, 2, 3]), 2)
    pool.add_rank(np.array([0, 5]), 1)
    columns, signs, right = pool.rows[4]
    assert (columns.tolist(), signs.tolist(), right) == ([1, 2, 3], [1, 1, 1], 2)
    x = np.array([0.5, 0.25, 1.0, 0.5, 0.0, 0.0])
    assert pool.slack(x).tolist() == [-0.25, -1.0, 0.5, 0.5, -0.25, -0.5]
    assert not pool.outdated.any()
    pool.goal = 6
    assert pool.outdated.tolist() == [False, False, True, False, False, False]
    # one of a block is lost, as of a conflict; a rank of two and rows of lost records are none
    assert [one.tolist() for one in pool.lasting] == [[0, 1], [4], [0, 5]]
    kept = np.array([True, False, True, True, False, False])
    assert pool.closing(kept).closed.tolist() == [False, True, False, False, True, True]
    pool.goal = 0
    closing = pool.closing(kept)
    assert closing.missing.tolist() == [1, 1, 0, 7, 7, 1]
