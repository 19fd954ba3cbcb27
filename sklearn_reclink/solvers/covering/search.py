"""The proof by conflicts: branch and bound over which records are lost.

The lost records hit every conflict, so the relaxed covering master (`master`) bounds the losses
from below whatever conflicts it knows. A node fixes some records as lost and some as kept:

1. *Separate* (`separation`). Conflicts that the relaxation violates are looked for twice at
   once, in two random orders, by regrowing what it keeps; if that finds none, at two thresholds.
   Those found are added to it, and the parameters met on the way are candidates.
2. *Force.* If losing record ``i`` costs so much (its reduced cost) that the relaxation reaches the
   *goal*, the incumbent's losses, every better solution below this node keeps ``i``. Forced records
   join every feasibility check and are left out of the conflicts, which get shorter and
   sharper; they hold for the solutions below this node of fewer losses than the goal.
3. *Branch* on a record of ``x`` near 1/2, the one that raises the relaxations of both children
   the most, lowest bound first. A node whose bound has risen above that of another waits.

When most of the time is gone and the goal is far, it is lowered to one loss more than proven, near
which records are forced. Once it is reached, it is raised by one, and so on.

So at any time the optimum loses at least ``min(incumbent, lowest bound of an open node)``.
"""

import heapq
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sklearn_reclink.solvers.covering.master import Cover, CoveringMaster
from sklearn_reclink.solvers.covering.separation import VIOLATED, Found, Separator
from sklearn_reclink.solvers.feasibility import Feasibility, share_rows
from sklearn_reclink.solvers.incumbent import Incumbent

_THRESHOLDS = (0.3, 0.5)
_CANDIDATES = 8  # for branching, those of ``x`` nearest 1/2


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

    Positions are places in the open records; records are rows of the files.

    Parameters
    ----------
    feasibility : Feasibility
    incumbent : Incumbent
        Takes candidates and knows the fewest losses so far.
    rng : numpy.random.Generator
        Orders what is tried.
    n_jobs : int
        Threads.
    proven : int
        Losses proven elsewhere.
    share_before_late : float
        Of the time until the deadline; then one more loss is proven at a time.
    late_starts : callable
        Finds more candidates in the seconds it is given; asked once, when it is late or the search
        ends without a proof.
    """

    def __init__(
        self,
        feasibility: Feasibility,
        incumbent: Incumbent,
        rng: np.random.Generator,
        n_jobs: int = 1,
        proven: int = 0,
        share_before_late: float = 1.0,
        late_starts: Callable[[float], Iterable[np.ndarray]] | None = None,
    ) -> None:
        self.open = feasibility.open
        self.incumbent = incumbent
        self.deadline = feasibility.deadline
        self.n_jobs = n_jobs
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
        self._serial = 0
        self._lowered: float = np.inf

    @property
    def conflicts(self) -> tuple[np.ndarray, ...]:
        """Sets of records found in conflict, whatever the goal was."""
        return tuple(one for separator in self.separators for one in separator.proven)

    @property
    def goal(self) -> int:
        """How many losses to prove: those of the incumbent; when late, one more than proven."""
        return int(min(self.incumbent.losses, self._lowered))

    def _set_deadline(self, moment: float) -> None:
        """Feasibility checks end then: first when it is late, to leave time for late starts."""
        for separator in self.separators:
            separator.feasibility.deadline = moment

    @property
    def _is_late(self) -> bool:
        """Whether it is time to lower the goal."""
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
        while nodes and not self._out_of_time():
            node = heapq.heappop(nodes)
            self.bound = min(max(self.bound, node.bound), self.incumbent.losses, unresolved)
            if node.bound >= self.incumbent.losses:
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
        if least < self.incumbent.losses and self._lowered == np.inf:
            self._lower_goal()
        self.bound = max(self.bound, min(least, self.incumbent.losses))
        return self.bound

    def _process(self, node: Node, enough: int) -> Cover | None:
        """Separate until nothing is violated or the bound passes what is enough for now.

        None if the node holds no solution of fewer losses than the goal.
        """
        while True:
            if self._is_late:
                self._lower_goal()
            cover = self.master.relaxed(np.array(node.lost, int), np.array(node.kept, int))
            proven = self.goal if cover is None else min(cover.bound, self.goal)
            node.bound = max(node.bound, proven)
            if not node.lost and not node.kept:
                self.bound = max(self.bound, node.bound)
            if cover is None or node.bound >= self.goal:
                return None
            if node.bound > enough or self._out_of_time():
                return cover
            if not self._separate(cover, node) and not self._is_late:
                return cover

    def _branch(self, node: Node, cover: Cover) -> list[Node]:
        """Lose or keep the record that raises the relaxation of both children the most."""
        distance = np.abs(cover.lost - 0.5)
        candidates = np.argsort(distance, kind="stable")[:_CANDIDATES]
        candidates = candidates[distance[candidates] <= 0.5 - VIOLATED]
        if not len(candidates):
            return []
        best = max((self._children(node, cover, int(k)) for k in candidates), key=_promise)
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

    def _in_threads(self, works: Iterable[Callable[[], Found]]) -> list[Found]:
        if self.n_jobs == 1:
            return [work() for work in works]
        return [running.result() for running in [self._workers.submit(work) for work in works]]


def _promise(children: tuple[Node, Node]) -> float:
    return float(np.prod([max(child.gain, VIOLATED) for child in children]))
