"""The proof by conflicts: branch and bound over which records are lost.

The lost records hit every conflict, so the relaxed covering master (`highs`) bounds the losses
from below whatever conflicts it knows. A node fixes some records as lost and some as kept:

1. *Separate.* For several thresholds, the records with ``x`` at most that are wanted together. The
   oracle pulls disjoint minimal conflicts out of them until the rest can be linked; those that
   the relaxation violates are added to it.
2. *Regrow.* The records pulled out are put back, least ``x`` first, while all can be linked:
   a candidate. What cannot be put back shows more conflicts.
3. *Force.* If losing record ``i`` costs so much (its reduced cost) that the relaxation reaches the
   incumbent's losses, every better solution below this node keeps ``i``. Forced records join every
   question to the oracle and are left out of the conflicts, which get shorter and sharper; they
   hold for the solutions below this node *better than the incumbent*, all that is searched.
4. *Branch* on a record of ``x`` near 1/2, the one that raises the relaxations of both children
   the most, lowest bound first. A node whose bound has risen above that of another waits.

So at any time the optimum loses at least ``min(incumbent, lowest bound of an open node)``.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from sklearn_reclink.solvers.highs import Cover, CoveringMaster
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.oracle import Oracle, Thinned

_THRESHOLDS = (0.0, 0.3, 0.5)
_CANDIDATES = 16  # for branching, those of ``x`` nearest 1/2
_VIOLATED = 1e-6
_ZERO = 1e-9
_HEAVY = 1.4  # a conflict of so much ``x`` seldom holds a violated one


@dataclass(order=True)
class Node:
    """Records fixed as lost or kept (positions), and the losses proven for them."""

    bound: int
    serial: int
    lost: tuple[int, ...] = field(default=(), compare=False)
    kept: tuple[int, ...] = field(default=(), compare=False)
    gain: float = field(default=0.0, compare=False)  # of the relaxation over its parent's


class CoveringSearch:
    """Bounds from below, candidates from above, until they meet.

    Positions are places in ``open_records``; records are rows of the files.

    Parameters
    ----------
    oracle : Oracle
    open_records : ndarray of int
        Records still to decide.
    incumbent : Incumbent
        Takes candidates and knows the fewest losses so far.
    """

    def __init__(
        self,
        oracle: Oracle,
        open_records: np.ndarray,
        incumbent: Incumbent,
        deadline: float,
        rng: np.random.Generator,
        n_jobs: int = 1,
    ) -> None:
        self.oracle = oracle
        self.open = open_records
        self.incumbent = incumbent
        self.deadline = deadline
        self.rng = rng
        self.n_jobs = n_jobs
        self.master = CoveringMaster(len(open_records))
        self.bound = 0
        self._position = np.full(oracle.problem.n_records, -1)
        self._position[open_records] = np.arange(len(open_records))
        self._serial = 0
        self._late = np.inf  # nothing to ask for, or asked already
        self._later_candidates: Callable[[float], Iterable[np.ndarray]] = lambda seconds: ()

    def ask_late(self, later: Callable[[float], Iterable[np.ndarray]], moment: float) -> None:
        """Ask for more candidates, once, if the search is still on at a moment."""
        self._later_candidates, self._late = later, moment

    def _offer_late(self, moment: float) -> None:
        """Half of the time left goes into candidates found elsewhere."""
        if moment < self._late or self._late == np.inf:
            return
        self._late = np.inf
        for theta in self._later_candidates(max(self.deadline - time.monotonic(), 0.0) / 2):
            self.incumbent.offer(theta)

    def _out_of_time(self) -> bool:
        return time.monotonic() >= self.deadline

    def run(self) -> int:
        """Search until proven or out of time; the least number of open records lost."""
        with ThreadPoolExecutor(self.n_jobs) as self._workers:
            return self._run()

    def _later(self, work: Callable[[], Thinned]) -> Callable[[], Thinned]:
        """Do work in another thread, if there is one; the way to its result."""
        return work if self.n_jobs == 1 else self._workers.submit(work).result

    def _run(self) -> int:
        nodes = [Node(0, 0)]
        unresolved = len(self.open)
        while nodes and not self._out_of_time():
            node = heapq.heappop(nodes)
            self.bound = min(max(self.bound, node.bound), self.incumbent.losses, unresolved)
            if node.bound >= self.incumbent.losses:
                break
            cover = self._process(node, nodes[0].bound if nodes else len(self.open))
            if cover is None:
                continue
            if self._out_of_time() or (nodes and node.bound > nodes[0].bound):
                heapq.heappush(nodes, node)
                continue
            children = self._branch(node, cover)
            if not children:  # the oracle could not decide
                unresolved = min(unresolved, cover.bound)
            for child in children:
                heapq.heappush(nodes, child)
        if nodes or unresolved < self.incumbent.losses:
            self._offer_late(self._late)
        still_open = min([n.bound for n in nodes], default=len(self.open))
        self.bound = max(self.bound, min(still_open, unresolved, self.incumbent.losses))
        return self.bound

    def _process(self, node: Node, enough: int) -> Cover | None:
        """Separate until nothing is violated or the bound passes what is enough for now.

        None if the node holds nothing better.
        """
        while True:
            self._offer_late(time.monotonic())
            cover = self.master.relaxed(np.array(node.lost, int), np.array(node.kept, int))
            if cover is None:
                return None
            node.bound = max(node.bound, cover.bound)
            if node.bound >= self.incumbent.losses:
                return None
            if not node.lost and not node.kept:
                self.bound = max(self.bound, min(node.bound, self.incumbent.losses))
            if node.bound > enough or self._out_of_time() or not self._separate(cover, node):
                return cover

    def _branch(self, node: Node, cover: Cover) -> list[Node]:
        """Lose or keep the record that raises the relaxation of both children the most."""
        distance = np.abs(cover.lost - 0.5)
        candidates = np.argsort(distance, kind="stable")[:_CANDIDATES]
        candidates = candidates[distance[candidates] <= 0.5 - _VIOLATED]
        if not len(candidates):
            return []
        best = max((self._children(node, cover, int(k)) for k in candidates), key=_promise)
        self._serial += 2
        for number, child in enumerate(best):
            child.serial = self._serial + number
        return list(best)

    def _children(self, node: Node, cover: Cover, record: int) -> tuple[Node, Node]:
        children = (
            Node(cover.bound, 0, (*node.lost, record), node.kept),
            Node(cover.bound, 0, node.lost, (*node.kept, record)),
        )
        for child in children:
            relaxed = self.master.relaxed(np.array(child.lost, int), np.array(child.kept, int))
            child.gain = self.incumbent.losses if relaxed is None else relaxed.value - cover.value
            bound = self.incumbent.losses if relaxed is None else relaxed.bound
            child.bound = max(child.bound, bound)
        return children

    def _separate(self, cover: Cover, node: Node) -> bool:
        """Whether conflicts were found that the relaxation violates."""
        better = self.incumbent.losses - 1
        forced = cover.value + cover.reduced_costs > better + _VIOLATED
        forced[[*node.lost, *node.kept]] = False  # their reduced costs price the fixing
        self.oracle.forced = self.open[forced]
        fixed = (node.lost, node.kept) if forced.any() else ((), ())
        found = 0
        for threshold in _THRESHOLDS:
            wanted = cover.lost <= threshold + _ZERO
            conflicts = self._conflicts_among(wanted, cover.lost, regrow=threshold == 0)
            violated = [c for c in conflicts if cover.lost[c].sum() < 1 - _VIOLATED]
            found += self.master.add(violated, *fixed)
            if self._out_of_time() or any(len(conflict) == 0 for conflict in violated):
                break
        self.oracle.forced = self.open[:0]
        return found > 0

    def _conflicts_among(self, wanted: np.ndarray, x: np.ndarray, regrow: bool) -> list[np.ndarray]:
        """Conflicts pulled out of the wanted positions (a mask), or met when regrowing."""
        conflicts: list[np.ndarray] = []
        kept = wanted.copy()
        while not self._out_of_time():
            answer = self.oracle.ask(self.open[kept])
            if answer.theta is not None and regrow:
                self._regrow(kept, answer.theta, conflicts, x)
            elif answer.theta is not None:
                self.incumbent.offer(answer.theta)
            if answer.suspects is not None and len(answer.suspects):
                kept[self._position[self.rng.choice(answer.suspects)]] = False
                continue
            if answer.conflict is None:
                break
            minimal = self.oracle.minimise(self._sorted(answer.conflict, x))
            conflicts.append(self._position[minimal])
            kept[conflicts[-1]] = False
            if not len(conflicts[-1]):
                break
        return conflicts

    def _regrow(
        self, kept: np.ndarray, theta: np.ndarray, conflicts: list[np.ndarray], x: np.ndarray
    ) -> None:
        """Put lost records back, least ``x`` first, and offer what they end in."""
        linked = self.oracle.satisfied(theta, self.open)
        missing = self.master.missing(kept)
        lost = np.flatnonzero(~kept)
        thinned: list[Callable[[], Thinned]] = []
        for position in lost[np.argsort(x[lost] + 0.01 * self.rng.random(len(lost)))]:
            if self._out_of_time():
                break
            known = self.master.conflicts_of[position]
            if (missing[known] == 1).any() or _inside(conflicts, kept, position):
                continue
            kept[position] = True
            missing[known] -= 1
            if linked[position]:
                continue
            answer = self.oracle.ask(self.open[kept])
            if answer.theta is not None:
                theta = answer.theta
                linked = self.oracle.satisfied(theta, self.open)
                continue
            kept[position] = False
            missing[known] += 1
            if answer.conflict is not None and self._weight(answer.conflict, x) < _HEAVY:
                thinned.append(self._later(self.oracle.thinning(self._sorted(answer.conflict, x))))
        self.incumbent.offer(theta)
        for result in thinned:
            found = result()
            self.oracle.store.add_pairs(found.records, found.impostors)
            conflicts.append(self._position[found.conflict])

    def _weight(self, conflict: np.ndarray, x: np.ndarray) -> float:
        return float(x[self._position[conflict]].sum())

    def _sorted(self, conflict: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The conflict with the records to be spared first, those of largest ``x``, last."""
        positions = self._position[conflict]
        return conflict[np.argsort(x[positions] + 0.1 * self.rng.random(len(positions)))]


def _promise(children: tuple[Node, Node]) -> float:
    return float(np.prod([max(child.gain, _VIOLATED) for child in children]))


def _inside(conflicts: list[np.ndarray], kept: np.ndarray, position: int) -> bool:
    """Whether the position and the kept ones hold one of the conflicts."""
    return any(
        position in conflict and kept[conflict].sum() == len(conflict) - 1 for conflict in conflicts
    )
