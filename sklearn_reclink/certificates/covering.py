"""A tree of branches that proves losses by conflicts, as `verify` takes it.

The fit has proven its bound already, and hands over the conflicts that it met. Here a small branch
and bound makes a tree of them. The relaxation::

    minimise  sum_i x_i   subject to   sum_{i in C} x_i >= m_C,   0 <= x <= 1

with ``m_C = 1`` for a conflict gives duals (scipy). They are a hint, rounded to multiples of 2^-20:
what they prove is computed as in `verify`, and a node ends when that is enough. Where the known
conflicts do not suffice, records of ``x_i = 0`` are asked for one more.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.certificates.conflicts import ConflictFinder, Support

ONE = 2**20  # duals are multiples of 1 / ONE
_ZERO = 1e-9
_INTEGRAL = 1e-6
_THRESHOLDS = (_ZERO, 0.3, 0.5)
_JOIN = 50  # sets that join the program at once
_MANY, _LOOSE = 400, 0.05  # so many sets lose those that are slack by more
_CANDIDATES = 4  # for branching, those of x nearest 1/2

Node = dict[str, Any]
Records = frozenset[int]


class NotProven(Exception):
    """The tree could not be finished: no conflict was found, or nodes or time ran out.

    ``losses`` are those of a node that lacks a conflict; -1 for any other reason.
    """

    def __init__(self, losses: int = -1) -> None:
        self.losses = losses


@dataclass
class _Set:
    """Records of which ``least`` or more are lost: a conflict, or a clique of conflicts.

    ``proof`` is what `verify` takes, None where it was not made yet. A set that cannot be proven
    asks for nothing: its ``least`` is 0.
    """

    members: Records
    least: int = 1
    support: Support | None = None
    pairs: list[Node] | None = None
    proof: Node | None = None


@dataclass(frozen=True)
class _Relaxed:
    """A solution of the relaxation, and what its duals prove.

    ``losses`` and ``price`` are multiples of 1 / ONE.
    """

    x: np.ndarray
    duals: dict[int, int]
    price: np.ndarray
    losses: int

    @property
    def node(self) -> Node:
        duals = [[c, y / ONE if y % ONE else y // ONE] for c, y in self.duals.items()]
        return {"duals": duals} if duals else {}


class Covering:
    """Proves that records are lost in the cone or cell of a finder.

    Parameters
    ----------
    finder : ConflictFinder
    lost : frozenset of int
        Records lost throughout.
    deadline : float
        By `time.monotonic`.
    most_nodes : int
        Relaxations solved at most by `tree`.
    conflicts : iterable of sets of records
        Known from the fit.
    others : iterable of int, default=None
        The records to find conflicts among, by default all that are not lost.
    """

    def __init__(
        self,
        finder: ConflictFinder,
        lost: Records,
        deadline: float,
        most_nodes: int,
        *,
        conflicts: Iterable[Iterable[int]] = (),
        others: Iterable[int] | None = None,
    ) -> None:
        self.finder, self.lost = finder, lost
        self.deadline, self.most_nodes = deadline, most_nodes
        self.n_records = finder.problem.index.n_records
        self.others = frozenset(range(self.n_records) if others is None else others) - lost
        self.sets: list[_Set] = []
        self._named, self._least = np.zeros((64, self.n_records)), np.zeros(64)
        self._held: set[int] = set()  # sets that the program holds
        self._known: set[Records] = set()
        for conflict in conflicts:
            self._add(_Set(frozenset(conflict)))
        self._has_pool = len(self.sets) > 0  # of a search that looked for conflicts well

    def add_clique(self, members: Iterable[int], pairs: list[Node]) -> None:
        """Add records in conflict two by two, with those conflicts."""
        clique = frozenset(members)
        self._add(_Set(clique, len(clique) - 1, pairs=pairs))

    def _add(self, new: _Set) -> bool:
        if new.members in self._known or new.members & self.lost:
            return False
        self._known.add(new.members)
        self.sets.append(new)
        self._name(len(self.sets) - 1)
        return True

    def _name(self, c: int) -> None:
        """Note which records a set names, and how many of them are lost."""
        if c >= len(self._least):
            self._named = np.pad(self._named, ((0, c + 1), (0, 0)))
            self._least = np.pad(self._least, (0, c + 1))
        one = self.sets[c]
        self._named[c], self._least[c] = 0.0, one.least
        self._named[c, list(one.members)] = 1.0

    # -- trees ------------------------------------------------------------------------------------

    def tree(self, goal: int) -> list[Node]:
        """Nodes that prove so many losses; `NotProven` if they cannot be found."""
        self.goal = goal
        return self._stated(self._close(self.lost, frozenset()))

    def one_node(self) -> tuple[int, list[Node]]:
        """The most losses that one node proves with the conflicts known, and that node."""
        while True:
            relaxed = self._relax(self.lost, frozenset())
            if self._prove(relaxed.duals):
                return -(-relaxed.losses // ONE), self._stated([relaxed.node])

    def by_disjoint_sets(self, goal: int) -> tuple[int, list[Node] | None]:
        """The losses by the sets known, if no two have a common record; one node, if enough.

        Records of no set are asked for more conflicts first.
        """
        named = self._named[: len(self.sets)].max(axis=0, initial=0.0)
        self._separate(named, thresholds=(_ZERO,))
        relaxed = self._priced(
            named, {c: ONE for c in range(len(self.sets))}, self.lost, frozenset()
        )
        losses = relaxed.losses // ONE
        proven = losses >= goal and self._prove(relaxed.duals)
        return losses, self._stated([relaxed.node]) if proven else None

    def _close(self, lost: Records, kept: Records) -> list[Node]:
        """The subtree of a node."""
        before: list[Node] = []
        enough = (self.goal - 1) * ONE
        while True:
            self.most_nodes -= 1
            if self.most_nodes < 0 or time.monotonic() >= self.deadline:
                raise NotProven
            now = self._relax(lost, kept)
            if now.losses > enough:
                if self._prove(now.duals):
                    return [*before, now.node]
                continue
            distance = np.abs(now.x - 0.5)
            candidates = np.argsort(distance, kind="stable")[:_CANDIDATES]
            candidates = candidates[distance[candidates] < 0.5 - _INTEGRAL]
            if (not self._has_pool or not len(candidates)) and self._separate(now.x):
                continue
            forced = now.losses + np.maximum(0, ONE - now.price) > enough
            more = frozenset(np.flatnonzero(forced).tolist()) - lost - kept
            if self._named[: len(self.sets), list(more)].any():
                if self._prove(now.duals):
                    before.append(now.node | {"keep": True})
                    kept |= more
                continue
            if not len(candidates):
                raise NotProven(-(-now.losses // ONE))
            record = self._best(candidates.tolist(), lost, kept)
            one = frozenset([record])
            branches = self._close(lost | one, kept), self._close(lost, kept | one)
            return [*before, {"branch": record}, *branches[0], *branches[1]]

    def _best(self, candidates: list[int], lost: Records, kept: Records) -> int:
        """The record whose loss and whose keeping raise the relaxation the most."""

        def promise(record: int) -> int:
            one = frozenset([record])
            sides = (lost | one, kept), (lost, kept | one)
            return min(self._relax(*side, grows=False).losses for side in sides)

        return candidates[0] if len(candidates) == 1 else max(candidates, key=promise)

    def _stated(self, nodes: list[Node]) -> list[Node]:
        """The nodes, the first of which states the conflicts and cliques that have duals."""
        used = sorted({c for node in nodes for c, _ in node.get("duals", [])})
        alone = [c for c in used if self.sets[c].pairs is None]
        cliques = [c for c in used if self.sets[c].pairs is not None]
        conflicts = [self.sets[c].proof for c in alone]
        for c in cliques:
            conflicts += self.sets[c].pairs or []
        place = {c: k for k, c in enumerate(alone)}
        place |= {c: len(conflicts) + k for k, c in enumerate(cliques)}
        for node in nodes:
            if "duals" in node:
                node["duals"] = [[place[c], y] for c, y in node["duals"]]
        stated: Node = {"conflicts": conflicts} if conflicts else {}
        if cliques:
            stated["cliques"] = [sorted(self.sets[c].members) for c in cliques]
        return [{**stated, **nodes[0]}, *nodes[1:]]

    # -- relaxations, and conflicts that they violate ---------------------------------------------

    def _relax(self, lost: Records, kept: Records, *, grows: bool = True) -> _Relaxed:
        """The relaxation with some records fixed.

        The program holds the sets that mattered so far; those that its solution violates join it,
        unless a quick answer is enough.
        """
        fixed, free = np.zeros(self.n_records), np.ones(self.n_records)
        fixed[list(lost)], free[list(lost | kept)] = 1.0, 0.0
        named = self._named[: len(self.sets)]
        right = self._least[: len(self.sets)] - named @ fixed
        impossible = np.flatnonzero(right > np.maximum(named @ free, 0.0))
        if len(impossible):  # no solution: any bound holds
            return self._priced(fixed, {int(impossible[0]): self.n_records * ONE}, lost, kept)
        while True:
            held = np.array(sorted(self._held), dtype=np.int64)
            held = held[right[held] > 0]
            x, duals = fixed.copy(), np.zeros(len(held))
            if len(held):
                columns = np.flatnonzero(free * named[held].any(axis=0))
                x[columns], duals = _covering_program(named[held][:, columns], right[held])
            violated = right - named @ (x * free)
            worst = np.argsort(-violated)[:_JOIN]
            worst = worst[violated[worst] > _INTEGRAL]
            if not grows or not len(worst):
                break
            self._held |= set(worst.tolist())
        if grows and len(held) > _MANY:
            self._held = set(held[violated[held] > -_LOOSE].tolist())
        rounded = np.round(duals * ONE).astype(int).tolist()
        positive = {c: y for c, y in zip(held.tolist(), rounded, strict=True) if y > 0}
        return self._priced(x, positive, lost, kept)

    def _priced(
        self, x: np.ndarray, duals: dict[int, int], lost: Records, kept: Records
    ) -> _Relaxed:
        """What duals prove, as in `verify`."""
        price = np.zeros(self.n_records, dtype=np.int64)
        losses = 0
        for c, y in duals.items():
            price[list(self.sets[c].members)] += y
            losses += y * self.sets[c].least
        free = np.minimum(0, ONE - price)
        free[list(lost | kept)] = 0
        losses += int((ONE - price[list(lost)]).sum() + free.sum())
        return _Relaxed(x, duals, price, losses)

    def _prove(self, used: Iterable[int]) -> bool:
        """Whether these sets are proven as they stand; if not, some have changed or gone."""
        fine = True
        for c in used:
            one = self.sets[c]
            if one.proof is not None:
                continue
            if one.pairs is not None:
                if all(map(self.finder.is_proven, one.pairs)):
                    one.proof = {}
            elif support := one.support or self.finder.find(one.members):
                support = self.finder.minimised(support)
                one.proof = self.finder.prove(support)
                fine = fine and support.members == one.members
                one.members = support.members
            if one.proof is None:
                one.least, fine = 0, False
            self._name(c)
        return fine

    def _separate(self, x: np.ndarray, thresholds: Iterable[float] = _THRESHOLDS) -> bool:
        """Whether conflicts were found that ``x`` violates; those of a threshold are disjoint."""
        for threshold in thresholds:
            wanted = {i for i in self.others if x[i] <= threshold}
            found = False
            while support := self.finder.find(wanted):
                wanted -= support.members
                support = self.finder.minimised(support)
                if sum(x[i] for i in support.members) < 1 - _INTEGRAL:
                    found = self._add(_Set(support.members, support=support)) or found
            if found:
                return True
        return False


def _covering_program(matrix: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``min sum x`` subject to ``matrix x >= right`` in the unit cube: solution and duals."""
    from scipy.optimize import linprog

    found = linprog(np.ones(matrix.shape[1]), A_ub=-matrix, b_ub=-right, bounds=(0, 1))
    if found.status != 0 or found.x is None:
        raise NotProven
    return found.x, -found.ineqlin.marginals
