"""One-to-one links of largest total score, with a proof.

    maximise   sum of s_ij x_ij      subject to   each record of the smaller file in one pair,
                                                  each of the larger one in at most one

The dual gives every row a value ``u_i`` and every column a price ``v_j >= 0``, 0 for a column left
over, with ``u_i + v_j >= s_ij`` for all pairs; its objective bounds every assignment.

1. Match within candidates, first the best pairs of every row and of every column; the matching
   comes with values and prices (`matching_kernel`).
2. Price all pairs, block by block: one with ``u_i + v_j < s_ij`` becomes a candidate, and the
   matching is done again. When there is none the assignment is optimal among all pairs; before,
   the violations added to the dual objective bound what is missing.

*Ties.* A link is *certain* when every optimal assignment has it. Two of them differ by a cycle of
tight pairs, ``u_i + v_j = s_ij``, possibly through the columns left over, which may take the place
of any column of price 0. So a pair is in some optimal assignment iff it is tight and leads from the
row's own column to one of the same strongly connected component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sklearn_reclink.rules.scores import Scores

# Scores that differ by less than this part of their range are equal.
_ROUNDING = 1e-10
_CANDIDATES = 16
_NEW_A_ROW = 4


@dataclass(frozen=True)
class Assignment:
    """One-to-one links of largest total score.

    Attributes
    ----------
    links : ndarray of int of shape (n_records,)
        Masked record of each original record, -1 for none where there are more originals.
    n_tied : ndarray of int of shape (n_records,)
        Number of masked records that a record has in some optimal assignment.
    rows, columns : ndarray of int of shape (n_pairs,)
        The pairs of some optimal assignment.
    total : float
        The sum of scores of the links.
    bound : float
        No assignment has a larger sum; equal to ``total`` up to rounding if ``optimal``.
    optimal : bool
        Whether no assignment has a larger sum.
    """

    links: np.ndarray
    n_tied: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    total: float
    bound: float
    optimal: bool

    @property
    def certain(self) -> np.ndarray:
        """Whether the link is proven to be the same in all optimal assignments, (n_records,)."""
        return np.asarray((self.n_tied == 1) & (self.links >= 0) & self.optimal)

    def may_have(self, columns: np.ndarray) -> np.ndarray:
        """Whether each record has the named masked record in some optimal assignment."""
        found = np.zeros(len(self.links), dtype=bool)
        found[self.rows[self.columns == columns[self.rows]]] = True
        return found


def assign(scores: Scores, *, max_rounds: int = 30) -> Assignment:
    """Link one-to-one with the largest total score.

    Parameters
    ----------
    scores : Scores
        Scores of all pairs.
    max_rounds : int, default=30
        Most times that candidates are added; what is left unproven then is in ``bound``.

    Returns
    -------
    Assignment

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores, assign
    >>> found = assign(Scores.of(np.array([[5.0, 4.0], [3.0, 0.0]])))
    >>> found.links, found.total, found.optimal
    (array([1, 0]), 7.0, True)
    """
    n_records, n_masked = scores.shape
    if n_records > n_masked:
        flipped = assign(scores.transposed, max_rounds=max_rounds)
        links = np.full(n_records, -1)
        links[flipped.links] = np.arange(n_masked)
        n_tied = np.bincount(flipped.columns, minlength=n_records)
        # a record that another may replace may also stay without a link
        n_tied[flipped.columns] += flipped.n_tied[flipped.rows] > 1
        return replace(
            flipped, links=links, n_tied=n_tied, rows=flipped.columns, columns=flipped.rows
        )
    return _assign_rows(scores, max_rounds)


def _assign_rows(scores: Scores, max_rounds: int) -> Assignment:
    """Assign where there are at least as many masked records as original ones."""
    pairs = _start(scores)
    for _ in range(max_rounds):
        links, values, prices = pairs.match()
        review = _review(scores, values, prices)
        if not len(review.missing.rows):
            break
        pairs = pairs.joined(review.missing)
    total = float(values.sum() + prices.sum())
    optimal = not len(review.missing.rows)
    possible = _possible(links, review.tight, prices <= review.tolerance)
    n_tied = np.bincount(possible.rows, minlength=len(links))
    return Assignment(
        links, n_tied, possible.rows, possible.columns, total, total + review.shortfall, optimal
    )


@dataclass(frozen=True)
class _Pairs:
    """Some pairs and their scores."""

    rows: np.ndarray
    columns: np.ndarray
    scores: np.ndarray
    shape: tuple[int, int]

    def joined(self, others: _Pairs) -> _Pairs:
        rows = np.concatenate([self.rows, others.rows])
        columns = np.concatenate([self.columns, others.columns])
        scores = np.concatenate([self.scores, others.scores])
        _, first = np.unique(rows * self.shape[1] + columns, return_index=True)
        return _Pairs(rows[first], columns[first], scores[first], self.shape)

    def extended(
        self, start: int, rows: np.ndarray, columns: np.ndarray, values: np.ndarray
    ) -> _Pairs:
        """These pairs and some of a block of scores, whose first row is ``start``."""
        return _Pairs(
            np.concatenate([self.rows, start + rows]),
            np.concatenate([self.columns, columns]),
            np.concatenate([self.scores, values[rows, columns]]),
            self.shape,
        )

    def match(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Links of largest total score, values of the rows and prices of the columns.

        A row that these pairs cannot match has the link -1.
        """
        from sklearn_reclink.rules.matching_kernel import match_rows

        order = np.argsort(self.rows, kind="stable")
        starts = np.searchsorted(self.rows[order], np.arange(self.shape[0] + 1))
        most = self.scores.max()
        costs = most - self.scores[order]
        links, u, v = match_rows(starts, self.columns[order], costs, self.shape[1])
        return links, most - u, -v


def _start(scores: Scores) -> _Pairs:
    """The best pairs of every row and column, enough to match all rows."""
    n_best = _CANDIDATES
    while True:
        pairs = _best_pairs(scores, min(n_best, scores.shape[1]))
        if n_best >= scores.shape[1] or (pairs.match()[0] >= 0).all():
            return pairs
        n_best *= 2


def _best_pairs(scores: Scores, n_best: int) -> _Pairs:
    n_records, n_masked = scores.shape
    by_row, of_rows = [], []
    best = np.empty((0, n_masked))
    holders = np.empty((0, n_masked), dtype=np.intp)
    for start, values in scores.blocks():
        columns = np.argpartition(-values, n_best - 1, axis=1)[:, :n_best]
        by_row.append(columns)
        of_rows.append(np.take_along_axis(values, columns, axis=1))
        names = np.broadcast_to(start + np.arange(len(values))[:, None], values.shape)
        best, holders = np.concatenate([best, values]), np.concatenate([holders, names])
        if len(best) > n_best:
            top = np.argpartition(-best, n_best - 1, axis=0)[:n_best]
            best = np.take_along_axis(best, top, axis=0)
            holders = np.take_along_axis(holders, top, axis=0)
    columns = np.concatenate(by_row)
    of_row = _Pairs(
        np.repeat(np.arange(n_records), n_best),
        columns.ravel(),
        np.concatenate(of_rows).ravel(),
        scores.shape,
    )
    of_column = _Pairs(
        holders.ravel(), np.tile(np.arange(n_masked), len(holders)), best.ravel(), scores.shape
    )
    return of_row.joined(of_column)


@dataclass(frozen=True)
class _Review:
    """What all pairs say of prices: those that break them, and those that meet them."""

    missing: _Pairs
    tight: _Pairs
    shortfall: float
    tolerance: float


def _review(scores: Scores, values: np.ndarray, prices: np.ndarray) -> _Review:
    least = min(float(block.min()) for _, block in scores.blocks())
    most = max(float(block.max()) for _, block in scores.blocks())
    tolerance = _ROUNDING * (most - least)
    empty = np.empty(0, dtype=np.intp)
    missing = tight = _Pairs(empty, empty, np.empty(0), scores.shape)
    shortfall = 0.0
    for start, block in scores.blocks():
        slack = values[start : start + len(block), None] + prices - block
        shortfall += float(np.maximum(-slack.min(axis=1), 0.0).sum())
        n_new = min(_NEW_A_ROW, slack.shape[1])
        worst = np.argpartition(slack, n_new - 1, axis=1)[:, :n_new].ravel()
        rows = np.repeat(np.arange(len(block)), n_new)
        broken = slack[rows, worst] < -tolerance
        missing = missing.extended(start, rows[broken], worst[broken], block)
        row, column = np.nonzero(np.abs(slack) <= tolerance)
        tight = tight.extended(start, row, column, block)
    return _Review(missing, tight, shortfall, tolerance)


def _possible(links: np.ndarray, tight: _Pairs, worthless: np.ndarray) -> _Pairs:
    """The pairs that some optimal assignment has."""
    outside = tight.shape[1]
    left_over = np.ones(outside, dtype=bool)
    left_over[links] = False
    node = np.where(left_over, outside, np.arange(outside))
    tails, heads = links[tight.rows], node[tight.columns]
    replaceable = np.flatnonzero(worthless & ~left_over) if left_over.any() else tails[:0]
    arrows = sparse.coo_array(
        (
            np.ones(len(tails) + len(replaceable), dtype=np.int8),
            (
                np.concatenate([tails, np.full(len(replaceable), outside)]),
                np.concatenate([heads, replaceable]),
            ),
        ),
        shape=(outside + 1,) * 2,
    )
    _, component = csgraph.connected_components(arrows.tocsr(), connection="strong")
    on_cycle = component[tails] == component[heads]
    return _Pairs(
        tight.rows[on_cycle], tight.columns[on_cycle], tight.scores[on_cycle], tight.shape
    )
