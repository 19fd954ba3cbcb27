"""The proof by conflicts: branch and bound over which records are lost.

The lost records hit every conflict, so the relaxed covering master (`master`) bounds the losses
from below whatever conflicts it knows. A node fixes some records as lost and some as kept:

1. *Separate.* Conflicts that the relaxation violates are looked for twice at once, in two random
   orders, by regrowing what it keeps; if that finds none, at two thresholds. Records of ``x`` at
   most a threshold are wanted together, and minimal conflicts are pulled out of them until the rest
   can be linked. *Regrowing* puts the others back in the order of ``x`` while the known rows allow
   it: whoever cannot be put back shows one more conflict. What can be linked is a candidate.
2. *Force.* If losing record ``i`` costs so much (its reduced cost) that the relaxation reaches the
   *goal*, the incumbent's losses, every better solution below this node keeps ``i``. Forced records
   join every feasibility check and are left out of the conflicts, which get shorter and
   sharper; they hold for the solutions below this node of fewer losses than the goal.
3. *Rank.* Where the goal stays far, the relaxation is weak: small ``x`` everywhere may meet it.
   Then this search is made among some of the records alone. The losses proven of a block ``B``
   are a row of the master, ``sum_B x >= r(B)``. Blocks are random parts of all records, larger
   ones if they are proven with few nodes.
4. *Branch* on a record of ``x`` near 1/2, the one that raises the relaxations of both children
   the most, lowest bound first. A node whose bound has risen above that of another waits.

When most of the time is gone and the goal is far, it is lowered to one loss more than proven, near
which records are forced. Once it is reached, it is raised by one, and so on.

So at any time the optimum loses at least ``min(incumbent, lowest bound of an open node)``.

Notation: *positions* are places in the open records, *records* are rows of the files.
"""

import heapq
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from sklearn_reclink.solvers.covering.blocks import Blocks, Target, inside
from sklearn_reclink.solvers.covering.master import Cover, CoveringMaster
from sklearn_reclink.solvers.covering.separation import VIOLATED, Separator
from sklearn_reclink.solvers.feasibility import Feasibility, share_rows
from sklearn_reclink.solvers.incumbent import Incumbent

T = TypeVar("T")

_THRESHOLDS = (0.3, 0.5)
_CANDIDATES = 8  # for branching, those of ``x`` nearest 1/2
_FAR = 1 / 3  # of the goal: a gap of the relaxation that branching does not close
_FEW = 20.0  # losses, that a gap is at least
_SLOW = 0.02  # of that gap, that a round of separation gains before ranks are looked for
_ROUNDS = 4  # of blocks, for one of separation
_NODES = 30  # at most, for the rank of a block


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

    Parameters
    ----------
    feasibility : Feasibility
    incumbent : Incumbent or Target
        Takes candidates and knows the fewest losses so far.
    rng, n_jobs, proven, enough, most_nodes
        What orders the tries, the number of threads, losses proven elsewhere; losses and nodes that
        end the search.
    share_before_late : float
        Of the time until the deadline; then one more loss is proven at a time.
    late_starts : callable
        Finds more candidates in the seconds it is given; asked once, when it is late or the search
        ends without a proof.
    """

    def __init__(
        self,
        feasibility: Feasibility,
        incumbent: Incumbent | Target,
        rng: np.random.Generator,
        n_jobs: int = 1,
        proven: int = 0,
        share_before_late: float = 1.0,
        late_starts: Callable[[float], Iterable[np.ndarray]] | None = None,
        enough: float = np.inf,
        most_nodes: float = np.inf,
    ) -> None:
        self.open = feasibility.open
        self.incumbent = incumbent
        self.deadline = feasibility.deadline
        self.n_jobs, self.enough = n_jobs, enough
        now = time.monotonic()
        self.late = now + share_before_late * (self.deadline - now)
        self.late_starts = late_starts
        self.master = CoveringMaster(len(self.open))
        # as many whatever n_jobs is, so that the search does not depend on it
        self.separators = [
            Separator(each, self.master.pool, order)
            for each, order in zip((feasibility, feasibility.twin()), rng.spawn(2), strict=True)
        ]
        self._set_deadline(self.late)
        self.bound = proven
        self.most_nodes = most_nodes
        self.blocks = Blocks(len(self.open) if most_nodes == np.inf else 0)
        self._value, self._slow = -np.inf, False
        self._serial = 0
        self._lowered: float = np.inf

    @property
    def conflicts(self) -> tuple[np.ndarray, ...]:  # whatever the goal was
        return tuple(one for separator in self.separators for one in separator.proven)

    @property
    def n_nodes(self) -> int:
        return self._serial // 2

    @property
    def goal(self) -> int:
        """How many losses to prove: those of the incumbent; when late, one more than proven."""
        return int(min(self.incumbent.losses, self._lowered))

    def _set_deadline(self, moment: float) -> None:
        """Feasibility checks end then: first when it is late, to leave time for late starts."""
        for separator in self.separators:
            separator.feasibility.deadline = moment

    def _is_late(self) -> bool:
        return time.monotonic() >= self.late and self._lowered == np.inf

    def _lower_goal(self) -> None:
        """Look for candidates elsewhere, then prove one more loss at a time."""
        self._set_deadline(self.deadline)
        seconds = (self.deadline - time.monotonic()) / 2
        if self.late_starts is not None and seconds > 0:
            for theta in self.late_starts(seconds):
                self.incumbent.offer(theta)
        self._set_goal(self.bound + 1)

    def _set_goal(self, losses: float) -> None:
        self._lowered = losses
        self.master.set_goal(self.goal)

    def _out_of_time(self) -> bool:
        return time.monotonic() >= self.deadline

    def run(self) -> int:
        """Search until proven or out of time; the least number of open records lost."""
        with ThreadPoolExecutor(min(self.n_jobs, len(self.separators))) as self._workers:
            try:
                return self._run()
            except BaseException:
                self._set_deadline(-np.inf)  # threads still at work end soon
                raise

    def _run(self) -> int:
        nodes = [Node(self.bound, 0)]
        unresolved = len(self.open)
        while nodes and not self._out_of_time() and self._serial < 2 * self.most_nodes:
            node = heapq.heappop(nodes)
            self.bound = min(max(self.bound, node.bound), self.incumbent.losses, unresolved)
            if node.bound >= min(self.incumbent.losses, self.enough):
                heapq.heappush(nodes, node)
                break
            if node.bound >= self.goal:
                self._set_goal(node.bound + 1)
            cover = self._process(node, nodes[0].bound if nodes else len(self.open))
            if node.bound >= self.incumbent.losses:
                continue
            if cover is None or self._out_of_time() or (nodes and node.bound > nodes[0].bound):
                heapq.heappush(nodes, node)
                continue
            children = self._branch(node, cover)
            if not children:  # the feasibility check could not decide
                unresolved = min(unresolved, node.bound)
            for child in children:
                heapq.heappush(nodes, child)
        least = min([unresolved, *(node.bound for node in nodes)])
        if least < min(self.incumbent.losses, self.enough) and self._lowered == np.inf:
            self._lower_goal()
        self.bound = max(self.bound, min(least, self.incumbent.losses))
        return self.bound

    def _process(self, node: Node, enough: int) -> Cover | None:
        """Separate until nothing is violated or the bound passes what is enough for now.

        None if the node holds no solution of use.
        """
        while True:
            if self._is_late():
                self._lower_goal()
            cover = self.master.relaxed(np.array(node.lost, int), np.array(node.kept, int))
            proven = self.goal if cover is None else min(cover.bound, self.goal)
            node.bound = max(node.bound, proven)
            if not node.lost and not node.kept:
                self.bound = max(self.bound, node.bound)
            if cover is None or node.bound >= min(self.goal, self.enough):
                return None
            if node.bound > enough or self._out_of_time():
                return cover
            ranked = not (node.lost or node.kept) and self._rank_blocks(cover)
            if ranked and self.blocks.n_rounds % _ROUNDS:
                continue
            if not self._separate(cover, node) and not ranked and not self._is_late():
                return cover

    def _rank_blocks(self, cover: Cover) -> bool:
        """Add rows of blocks if the relaxation is far from the goal and rises slowly no more."""
        gap, self._value, before = self.goal - cover.value, cover.value, self._value
        if self.blocks.done or self.incumbent.theta is None or gap <= max(_FAR * self.goal, _FEW):
            return False
        self._slow |= cover.value - before < _SLOW * gap
        if not self._slow or self._is_late() or self._out_of_time():
            return False
        rng = self.separators[0].rng
        drawn = [(each, self.blocks.draw(rng)) for each in self.separators]
        for block, search in self._in_threads(partial(self._rank, *one, cover) for one in drawn):
            self._keep_rank(block, search, cover)
        return True

    def _rank(
        self, separator: Separator, block: np.ndarray, cover: Cover
    ) -> tuple[np.ndarray, "CoveringSearch"]:
        """The losses of a block that a search proves, if it may lose more than the relaxation."""
        feasibility = separator.feasibility.part(self.open[block])
        target = Target(feasibility, float(cover.lost[block].sum()))
        if self.incumbent.theta is not None:
            target.offer(self.incumbent.theta)
        search = CoveringSearch(feasibility, target, separator.rng, most_nodes=_NODES)
        search.master.add(inside(self.master.pool.lasting, block))
        search.run()
        return block, search

    def _keep_rank(self, block: np.ndarray, search: "CoveringSearch", cover: Cover) -> None:
        """Take over what the search of a block found."""
        self.separators[0].proven.extend(search.conflicts)
        self.master.add([block[one] for one in search.master.pool.lasting])
        violated = search.bound > cover.lost[block].sum() + VIOLATED
        if violated:
            self.master.add_rank(block, search.bound)
        closed = search.bound >= search.incumbent.losses
        self.blocks.adapt(violated, closed, search.n_nodes)

    def _branch(self, node: Node, cover: Cover) -> list[Node]:
        """Lose or keep the record that raises the relaxation of both children the most."""
        distance = np.abs(cover.lost - 0.5)
        candidates = np.argsort(distance, kind="stable")[:_CANDIDATES]
        candidates = candidates[distance[candidates] <= 0.5 - VIOLATED]
        if not len(candidates):
            return []
        both = (self._children(node, cover, int(k)) for k in candidates)
        best = max(both, key=lambda two: np.prod([max(one.gain, VIOLATED) for one in two]))
        self._serial += 2
        for number, child in enumerate(best):
            child.serial = self._serial + number
        return list(best)

    def _children(self, node: Node, cover: Cover, record: int) -> tuple[Node, Node]:
        children = (
            Node(node.bound, 0, (*node.lost, record), node.kept),
            Node(node.bound, 0, node.lost, (*node.kept, record)),
        )
        for child in children:
            relaxed = self.master.solve_held(np.array(child.lost, int), np.array(child.kept, int))
            child.gain = self.goal if relaxed is None else relaxed.value - cover.value
            proven = self.goal if relaxed is None else min(relaxed.bound, self.goal)
            child.bound = max(child.bound, proven)
        return children

    def _separate(self, cover: Cover, node: Node) -> bool:
        """Whether conflicts were found that the relaxation violates."""
        goal = self.goal
        forced = cover.forced(goal)
        forced[[*node.lost, *node.kept]] = False  # their reduced costs price the fixing
        where = (node.lost, node.kept, goal) if forced.any() else ()
        for separator in self.separators:
            separator.feasibility.forced = self.open[forced]
        found = self._in_threads(partial(each.regrow, cover) for each in self.separators)
        if not any(each.conflicts for each in found):
            found += self._in_threads(
                partial(each.pull, cover, threshold)
                for each, threshold in zip(self.separators, _THRESHOLDS, strict=True)
            )
        for separator in self.separators:
            separator.feasibility.forced = self.open[:0]
        for each in found:
            for theta in each.candidates:
                self.incumbent.offer(theta)
        if self._lowered < np.inf:
            self._set_goal(self._lowered)  # the incumbent may have passed it
        share_rows([separator.feasibility for separator in self.separators])
        return sum(self.master.add(each.conflicts, *where) for each in found) > 0

    def _in_threads(self, works: Iterable[Callable[[], T]]) -> list[T]:
        if self.n_jobs == 1:
            return [work() for work in works]
        return [running.result() for running in [self._workers.submit(work) for work in works]]
