"""A tree of branches that proves losses by conflicts, as `verify` takes it.

The fit has proven its bound already, and hands over the conflicts that it met. Here a small branch
and bound makes a tree of them: the relaxation ``min sum x_i`` over ``sum_{i in C} x_i >= 1`` gives
duals (scipy), which are a hint, rounded to multiples of 2^-20. What they prove is computed as in
`verify`, and a node ends when that is enough. Where the known conflicts do not suffice, records
of ``x_i = 0`` are asked for one more.
"""

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from sklearn_reclink.certificates.conflicts import ConflictFinder, Support

ONE = 2**20  # duals are multiples of 1 / ONE
_ZERO = 1e-9
_THRESHOLDS = (_ZERO, 0.3, 0.5)

Node = dict[str, Any]


class NotProven(Exception):
    """The tree could not be finished: no conflict was found, or nodes or time ran out."""


class Covering:
    """Proves that records are lost in the cone or cell of a finder.

    Parameters
    ----------
    finder : ConflictFinder
    lost : frozenset of int
        Records lost throughout.
    conflicts : iterable of sets of records
        Known from the fit.
    deadline : float
        By `time.monotonic`.
    most_nodes : int
        Relaxations solved at most.
    """

    def __init__(
        self,
        finder: ConflictFinder,
        lost: frozenset[int],
        conflicts: Iterable[Iterable[int]] = (),
        *,
        deadline: float = np.inf,
        most_nodes: int = 20_000,
    ) -> None:
        self.finder, self.lost = finder, lost
        self.deadline, self.most_nodes = deadline, most_nodes
        self.n_records = finder.problem.index.n_records
        self.others = frozenset(range(self.n_records)) - lost
        self.members: list[frozenset[int]] = []
        self.least: list[int] = []  # how many members are lost
        self._supports: list[Support | None] = []
        self.proofs: list[Node | None] = []  # None: not proven yet
        self._known: set[frozenset[int]] = set()
        self._dropped: set[int] = set()
        self._cliques: dict[int, Node] = {}
        self.weaker: tuple[int, Node] = (len(lost), {})  # losses proven by one node alone
        for conflict in conflicts:
            self._add(frozenset(conflict))

    def add_clique(self, members: Iterable[int], pairs: list[Node]) -> None:
        """Add records in conflict two by two, with those conflicts."""
        clique = frozenset(members)
        if self._add(clique, least=len(clique) - 1):
            self._cliques[len(self.members) - 1] = {"clique": sorted(clique), "pairs": pairs}

    def _add(self, members: frozenset[int], support: Support | None = None, least: int = 1) -> bool:
        if members in self._known or members & self.lost:
            return False
        self._known.add(members)
        self.members.append(members)
        self.least.append(least)
        self._supports.append(support)
        self.proofs.append(None)
        return True

    def _add_support(self, support: Support, x: np.ndarray) -> bool:
        """Add a conflict that ``x`` violates."""
        support = self.finder.minimised(support)
        violated = sum(x[i] for i in support.members) < 1 - 1e-6
        return violated and self._add(support.members, support)

    def tree(self, goal: int) -> list[Node]:
        """Nodes that prove so many losses; `NotProven` if they cannot be found."""
        self.goal = goal
        return self._with_conflicts(self._close(self.lost, frozenset()))

    def weaker_tree(self) -> tuple[int, list[Node]]:
        """The most losses that one node alone has proven so far, and that node."""
        losses, node = self.weaker
        if not self._prove_used(c for c, _ in node.get("duals", [])):
            return len(self.lost), [{}]
        return losses, self._with_conflicts([dict(node)])

    def _with_conflicts(self, nodes: list[Node]) -> list[Node]:
        """The nodes, the first of which states the conflicts and cliques that have duals."""
        used = sorted({c for node in nodes for c, _ in node.get("duals", [])})
        conflicts: list[Node] = []
        cliques: list[list[int]] = []
        place: dict[int, int] = {}
        for c in used:
            proof = self.proofs[c]
            assert proof is not None
            if "clique" not in proof:
                place[c] = len(conflicts)
                conflicts.append(proof)
        for c in used:
            proof = self.proofs[c] or {}
            if "clique" in proof:
                conflicts += proof["pairs"]
                place[c] = -1 - len(cliques)
                cliques.append(proof["clique"])
        for c, number in place.items():
            if number < 0:
                place[c] = len(conflicts) - 1 - number
        for node in nodes:
            if "duals" in node:
                node["duals"] = [[place[c], y] for c, y in node["duals"]]
        stated: Node = {"conflicts": conflicts} if conflicts else {}
        if cliques:
            stated["cliques"] = cliques
        return [{**stated, **nodes[0]}, *nodes[1:]]

    def _close(self, lost: frozenset[int], kept: frozenset[int]) -> list[Node]:
        """The subtree of a node."""
        before: list[Node] = []
        while True:
            self.most_nodes -= 1
            if self.most_nodes < 0 or time.monotonic() >= self.deadline:
                raise NotProven
            x, y = self._relax(lost, kept)
            price = np.zeros(self.n_records, dtype=np.int64)
            for c, value in y.items():
                price[list(self.members[c])] += value
            total = sum(self.least[c] * value for c, value in y.items())
            losses = self._losses(lost, kept, price, total)
            duals = [[c, value / ONE if value % ONE else value // ONE] for c, value in y.items()]
            node: Node = {"duals": duals} if duals else {}
            enough = (self.goal - 1) * ONE
            if losses > enough:
                if not self._prove_used(y):
                    continue
                return [*before, node]
            if lost == self.lost and not kept and -(-losses // ONE) > self.weaker[0]:
                self.weaker = -(-losses // ONE), node
            if self._separate(x):
                continue
            forced = np.flatnonzero(losses + np.maximum(0, ONE - price) > enough).tolist()
            more = (frozenset(forced) - lost - kept) & self._named()
            if more:
                if not self._prove_used(y):
                    continue
                before.append(node | {"keep": True})
                kept |= frozenset(forced) - lost
                continue
            return [*before, *self._branch(lost, kept, x)]

    def _named(self) -> frozenset[int]:
        return frozenset().union(*self.members)

    def _branch(self, lost: frozenset[int], kept: frozenset[int], x: np.ndarray) -> list[Node]:
        record = int(np.argmin(np.abs(x - 0.5)))
        if not 1e-6 < x[record] < 1 - 1e-6:
            raise NotProven
        one = frozenset([record])
        return [
            {"branch": record},
            *self._close(lost | one, kept),
            *self._close(lost, kept | one),
        ]

    def _losses(
        self, lost: frozenset[int], kept: frozenset[int], price: np.ndarray, total: int
    ) -> int:
        free = np.minimum(0, ONE - price)
        free[list(lost | kept)] = 0
        return int(total + (ONE - price[list(lost)]).sum() + free.sum())

    def _relax(
        self, lost: frozenset[int], kept: frozenset[int]
    ) -> tuple[np.ndarray, dict[int, int]]:
        """The relaxation with some records fixed: ``x``, and duals as multiples of 1 / ONE."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        x, right = np.zeros(self.n_records), dict[int, int]()
        x[list(lost)] = 1.0
        for c, members in enumerate(self.members):
            least = self.least[c] - len(members & lost)
            if least > 0 and c not in self._dropped:
                right[c] = least
                if len(members - lost - kept) < least:
                    return x, {c: self.goal * ONE}
        if not right:
            return x, {}
        free = sorted(frozenset().union(*(self.members[c] for c in right)) - kept - lost)
        place = {i: k for k, i in enumerate(free)}
        pairs = [(r, place[i]) for r, c in enumerate(right) for i in self.members[c] if i in place]
        where = np.array(pairs).T
        matrix = csr_array((-np.ones(len(pairs)), where), shape=(len(right), len(free)))
        at_least = -np.array(list(right.values()), dtype=float)
        found: Any = linprog(np.ones(len(free)), A_ub=matrix, b_ub=at_least, bounds=(0, 1))  # type: ignore[call-overload]
        if found.status != 0:
            raise NotProven
        x[free] = found.x
        duals = np.round(-found.ineqlin.marginals * ONE).astype(int)
        return x, {c: int(value) for c, value in zip(right, duals, strict=True) if value > 0}

    def _prove_used(self, y: Iterable[int]) -> bool:
        """Whether the conflicts with duals are proven as they stand; if not, they change."""
        fine = True
        for c in y:
            if self.proofs[c] is None:
                support = None
                if c in self._cliques:
                    proven = all(map(self.finder.is_proven, self._cliques[c]["pairs"]))
                    self.proofs[c] = self._cliques[c] if proven else None
                else:
                    support = self._supports[c] or self.finder.find(self.members[c])
                if support is not None:
                    support = self.finder.minimised(support)
                    self.proofs[c] = self.finder.prove(support)
                    fine = fine and support.members == self.members[c]
                    self.members[c] = support.members
                if self.proofs[c] is None:
                    self._dropped.add(c)
                    fine = False
        return fine

    def _separate(self, x: np.ndarray) -> bool:
        """Whether conflicts were found that ``x`` violates; those of a threshold are disjoint."""
        for threshold in _THRESHOLDS:
            wanted = {i for i in self.others if x[i] <= threshold}
            found = False
            while (support := self.finder.find(wanted)) is not None:
                found = self._add_support(support, x) or found
                wanted -= support.members
            if found:
                return True
        return False
