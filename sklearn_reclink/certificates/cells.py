"""A tree of cells that proves losses, as `verify` takes it.

The search of the fit (`solvers.cells`) is repeated with its bound as the goal, depth first, and
written down: a cell is split on the edge on which the most records change sign, near the median of
those changes, until enough records are lost in it, or conflicts inside the cell make up for the
rest. Corners are integers; a split point is ``u a + v b`` with ``u / v`` a number of seven bits.
"""

import math
import time
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from sklearn_reclink.certificates.conflicts import ConflictFinder, Corners, accepts, unit_corners
from sklearn_reclink.certificates.covering import Covering, Node, NotProven
from sklearn_reclink.certificates.verify import TOLERANCE, Checker
from sklearn_reclink.solvers.cells.conflicts import cover_by_cliques, list_records
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import Problem

_WEAK = 0.9 * TOLERANCE
_MOST_ROWS = 1600  # a cell with more undecided rows is split before conflicts are looked for
_PROMISING = 0.9  # of the losses that are lacking, found by disjoint conflicts
_FEW_NODES = 3
_BITS = 7
_MOST_CELLS = 100_000


@dataclass(frozen=True)
class _Cell:
    """Rows that are undecided, with their values at the corners scaled to a sum of 1."""

    corners: Corners
    rows: np.ndarray  # (n_rows,)
    values: np.ndarray  # (n_rows, n_corners)
    lost: frozenset[int]


class CellTree:
    """Proves that ``goal`` records are lost, by cells.

    Parameters
    ----------
    problem : Problem
        Of a family whose cone is the orthant.
    presolved : Presolved
        Of this problem, with its rows.
    checker : Checker
    lost : frozenset of int
        Records lost throughout.
    deadline : float
        By `time.monotonic`.
    """

    def __init__(
        self,
        problem: Problem,
        presolved: Presolved,
        checker: Checker,
        lost: frozenset[int],
        deadline: float,
    ) -> None:
        self.problem, self.checker, self.lost, self.deadline = problem, checker, lost, deadline
        if not presolved.complete:
            raise NotProven
        self.owners, self.impostors = presolved.records, presolved.impostors
        own, other = problem.index.features(problem.family, self.owners, self.impostors)
        weak = (1 - _WEAK) * other - (1 + _WEAK) * own
        self.sizes = np.maximum(np.abs(weak).max(axis=1), 1e-300)
        self.weak = weak / self.sizes[:, None]

    def tree(self, goal: int) -> list[Node]:
        """Nodes that prove so many losses; `NotProven` if they cannot be found."""
        nodes: list[Node] = []
        corners, n_cells = unit_corners(self.weak.shape[1]), 0
        stack = [_Cell(corners, np.arange(len(self.weak)), self.weak, self.lost)]
        while stack:
            n_cells += 1
            if n_cells > _MOST_CELLS or time.monotonic() >= self.deadline:
                raise NotProven
            cell, pairs = self._decided(stack.pop())
            missing = goal - len(cell.lost)
            if missing <= 0:
                nodes.append({"lost": pairs[: len(pairs) + missing]} if pairs else {})
                continue
            node: Node = {"lost": pairs} if pairs else {}
            leaf = self._by_conflicts(cell, goal)
            if leaf is not None:
                nodes += [node | leaf[0], *leaf[1:]]
                continue
            split, children = self._split(cell)
            nodes.append(node | {"split": split})
            stack += reversed(children)
        return nodes

    def _decided(self, cell: _Cell) -> tuple[_Cell, list[list[int]]]:
        """The cell without the rows that it decides, and the rows of the records it newly loses."""
        pairs: dict[int, list[int]] = {}
        for row in cell.rows[(cell.values <= 0).all(axis=1)].tolist():
            pair = [int(self.owners[row]), int(self.impostors[row])]
            if pair[0] in pairs:
                continue
            if accepts(self.checker.conflict, [[*pair, 1]], [], cell.corners):
                pairs[pair[0]] = pair
        lost = cell.lost | pairs.keys()
        gone = np.isin(self.owners[cell.rows], list(pairs)) | (cell.values >= 0).all(axis=1)
        left = _Cell(cell.corners, cell.rows[~gone], cell.values[~gone], lost)
        return left, list(pairs.values())

    def _by_conflicts(self, cell: _Cell, goal: int) -> list[Node] | None:
        """Nodes that end the cell by conflicts inside it; None if they are too few."""
        undecided = len(np.unique(self.owners[cell.rows]))
        missing = goal - len(cell.lost)
        if len(cell.rows) > _MOST_ROWS or missing > undecided // 2:
            return None
        finder = ConflictFinder(self.problem, self.checker, self.deadline, cell.corners)
        pairs = self.owners[cell.rows].tolist(), self.impostors[cell.rows].tolist()
        finder.add_pairs(zip(*pairs, strict=True))
        covering = Covering(finder, cell.lost, self.deadline, _FEW_NODES, others=pairs[0])
        for clique in _greedy_cliques(cell.values, cell.rows, self.owners):
            covering.add_clique(clique.records, [self._conflict(*pair) for pair in clique.pairs])
        losses, nodes = covering.by_disjoint_sets(goal)
        if nodes is not None or losses - len(cell.lost) < _PROMISING * missing:
            return nodes
        try:
            return covering.tree(goal)
        except NotProven:
            return None

    def _conflict(self, a: int, b: int, factor: float) -> Node:
        """The conflict of two rows, as `verify` takes it."""
        size = max(self.sizes[a], self.sizes[b])
        weights = float(size / self.sizes[a]), float(factor * size / self.sizes[b])
        pairs = [[int(self.owners[row]), int(self.impostors[row])] for row in (a, b)]
        return {"rows": [[*pair, weight] for pair, weight in zip(pairs, weights, strict=True)]}

    def _split(self, cell: _Cell) -> tuple[list[int], list[_Cell]]:
        """Where the cell is split, and its two halves."""
        if not len(cell.rows):
            raise NotProven
        values = cell.values
        _, record, n_rows = np.unique(
            self.owners[cell.rows], return_inverse=True, return_counts=True
        )
        vote = (1 / n_rows)[record]
        score = ((values > 0) * vote[:, None]).T @ (values < 0)
        score = np.triu(score + score.T, 1)
        a, b = divmod(int(np.argmax(score)), len(score))
        at_a, at_b = values[:, a], values[:, b]
        changes = at_a * at_b < 0
        place = at_a[changes] / (at_a[changes] - at_b[changes])
        share = float(np.clip(np.median(place), 1e-6, 1 - 1e-6)) if len(place) else 0.5
        size_a, size_b = sum(cell.corners[a]), sum(cell.corners[b])
        u, v = _small_ratio((1 - share) / share, size_b, size_a)
        share = float(v * size_b / (u * size_a + v * size_b))
        new = tuple(u * x + v * y for x, y in zip(cell.corners[a], cell.corners[b], strict=True))
        halves = []
        for corner in (a, b):
            corners = (*cell.corners[:corner], new, *cell.corners[corner + 1 :])
            moved = values.copy()
            moved[:, corner] = (1 - share) * at_a + share * at_b
            halves.append(_Cell(corners, cell.rows, moved, cell.lost))
        return [a, b, u, v], halves


def _small_ratio(ratio: float, times: int, over: int) -> tuple[int, int]:
    """Integers ``u, v`` with ``u / v`` near ``ratio * times / over``, to some bits."""
    mantissa, exponent = math.frexp(ratio)
    numerator = int(mantissa * 2**53) * times << max(exponent, 0)
    denominator = over << 53 + max(-exponent, 0)
    shift = numerator.bit_length() - denominator.bit_length() - _BITS
    if shift >= 0:
        u, v = (numerator >> shift) // denominator << shift, 1
    else:
        u, v = (numerator << -shift) // denominator, 1 << -shift
    common = math.gcd(u, v)
    return u // common, v // common


class _Clique(NamedTuple):
    """Records in conflict two by two; for each pair two rows and the factor of the second one.

    So ``r + c s <= 0`` at all corners, for rows r of the one and s of the other and a ``c > 0``.
    Notation as in `solvers.cells.splitting`.
    """

    records: list[int]
    pairs: list[tuple[int, int, float]]


@njit(cache=True, nogil=True)
def _greedy(values, above, index, owners, starts, common, order, head, link, enough):  # type: ignore[no-untyped-def]
    n = list_records(
        above, index, owners, 0, index.shape[0], values.shape[1], starts, common, order
    )
    return cover_by_cliques(values, above, starts, common, order, n, enough, head, link)


def _greedy_cliques(values: np.ndarray, rows: np.ndarray, owners: np.ndarray) -> list[_Clique]:
    """Cliques without common records, found as the search of the fit finds them.

    Parameters
    ----------
    values : ndarray of shape (n_undecided, n_corners)
        Of the undecided rows; those of a record are adjacent.
    rows : ndarray of int of shape (n_undecided,)
        Which rows they are.
    owners : ndarray of int of shape (n_rows,)
        The records of all rows.
    """
    bits = 1 << np.arange(values.shape[1])
    above = ((values > 0) * bits).sum(axis=1)
    size = len(np.unique(owners[rows]))
    starts, common = np.empty(size + 1, np.int64), np.empty(size, np.int64)
    order, head, link = (np.empty(size, np.int64) for _ in range(3))
    _, n_cliques = _greedy(
        values, above, rows, owners, starts, common, order, head, link, np.int64(size)
    )
    found = []
    for first in head[:n_cliques].tolist():
        members = [first]
        while link[members[-1]] >= 0:
            members.append(int(link[members[-1]]))
        pairs = [_pair(values, starts, i, j) for i, j in combinations(members, 2)]
        if pairs and None not in pairs:
            named = [(int(rows[a]), int(rows[b]), c) for a, b, c in pairs]  # type: ignore[misc]
            found.append(_Clique([int(owners[rows[starts[i]]]) for i in members], named))
    return found


def _pair(values: np.ndarray, starts: np.ndarray, i: int, j: int) -> tuple[int, int, float] | None:
    """Rows of two records, and the factor of the second, that no point makes both positive."""
    first, second = np.arange(starts[i], starts[i + 1]), np.arange(starts[j], starts[j + 1])
    r, s = values[first][:, None, :], values[second][None, :, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = -r / s
        low = np.where(s < 0, ratio, 0.0).max(axis=2)
        high = np.where(s > 0, ratio, np.inf).min(axis=2)
        high = np.where(((s == 0) & (r > 0)).any(axis=2), -1.0, high)
        gap = np.where((high > 0) & (high < np.inf), 1 - low / high, -1.0)
    a, b = divmod(int(np.argmax(gap)), gap.shape[1])
    if gap[a, b] < 0:
        return None
    return int(first[a]), int(second[b]), float((low[a, b] + high[a, b]) / 2)
