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
   Then this search is made among a random *block* ``B`` of the records alone. The losses proven
   of it are a row of the master, ``sum_B x >= r(B)``.
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

from sklearn_reclink.solvers.covering.blocks import Blocks, Target
from sklearn_reclink.solvers.covering.branching import VIOLATED, Node, branch
from sklearn_reclink.solvers.covering.master import ConflictPool, Cover, CoveringMaster
from sklearn_reclink.solvers.feasibility import Feasibility, share_rows
from sklearn_reclink.solvers.incumbent import Incumbent

T = TypeVar("T")

_THRESHOLDS = (0.3, 0.5)
_ZERO = 1e-9
_HEAVY = 1.4  # a conflict whose ``x`` sum to more seldom contains a violated one
_FAR = 1 / 3  # of the goal: a gap of the relaxation that branching does not close
_FEW = 20.0  # losses, that a gap is at least
_ROUNDS = 4  # of blocks, for one of separation


@dataclass(frozen=True)
class Found:
    """Conflicts (positions of open records) that ``x`` violates, and parameters met on the way."""

    conflicts: list[np.ndarray] = field(default_factory=list)
    candidates: list[np.ndarray] = field(default_factory=list)


class Separator:
    """Has a feasibility check of its own: several look for conflicts of one ``x`` in threads."""

    def __init__(
        self, feasibility: Feasibility, pool: ConflictPool, rng: np.random.Generator
    ) -> None:
        self.feasibility, self.pool, self.rng = feasibility, pool, rng
        self.proven: list[np.ndarray] = []  # of records: conflicts, with the forced ones
        self._position = np.full(feasibility.problem.index.n_records, -1)
        self._position[feasibility.open] = np.arange(len(feasibility.open))

    def pull(self, cover: Cover, threshold: float) -> Found:
        """Pull conflicts out of the records of ``x`` at most the threshold."""
        found = Found()
        self._pull(cover.lost <= threshold + _ZERO, cover, found)
        return found

    def regrow(self, cover: Cover) -> Found:
        """Pull conflicts out of records of ``x = 0``, then put others back in order of ``x``."""
        x, found = cover.lost, Found()
        kept = x <= _ZERO
        if not self._pull(kept, cover, found):
            return found
        closing = self.pool.closing(kept)
        lost = np.flatnonzero(~kept)
        for position in lost[np.argsort(x[lost] + 0.01 * self.rng.random(len(lost)))]:
            if time.monotonic() >= self.feasibility.deadline:
                return found
            if closing.closed[position] or _inside(found.conflicts, kept, position):
                continue
            kept[position] = True
            answer = self.feasibility.check_known(self.feasibility.open[kept])
            if answer.theta is not None:
                closing.keep(position)
                continue
            kept[position] = False
            if answer.conflict is not None and x[self._position[answer.conflict]].sum() < _HEAVY:
                self._minimise(answer.conflict, cover, found)
        self._pull(kept, cover, found, most=1)  # guesses may have been wrong
        return found

    def _pull(self, kept: np.ndarray, cover: Cover, found: Found, most: int | None = None) -> bool:
        """Take conflicts out of the kept positions (a mask, changed); can the rest be linked?

        ``most`` of the records of each go, those that the relaxation is most inclined to lose.
        """
        while time.monotonic() < self.feasibility.deadline:
            answer = self.feasibility.check(self.feasibility.open[kept])
            if answer.theta is not None:
                found.candidates.append(answer.theta)
                return True
            if answer.conflict is not None:
                pulled = self._minimise(answer.conflict, cover, found)
            elif answer.suspects is not None and len(answer.suspects):
                pulled = self._position[[self.rng.choice(answer.suspects)]]
            else:
                break
            if not len(pulled):
                break
            kept[pulled[-most:] if most else pulled] = False
        return False

    def _minimise(self, conflict: np.ndarray, cover: Cover, found: Found) -> np.ndarray:
        """Make a conflict minimal and keep it if it is violated; positions that break it.

        Records that the relaxation is the most inclined to lose, of large ``x`` or else of small
        reduced cost, are spared first: its value cannot rise by more than the least reduced cost in
        a conflict before that record joins the solution. Records of ``x = 0`` do not change the sum
        of ``x``: if it stays 1 or more, the conflict is not violated, and they are not tried.
        """
        positions = self._position[conflict]
        inclined = (cover.lost - cover.reduced_costs)[positions]
        conflict = conflict[np.argsort(inclined + 0.3 * self.rng.random(len(conflict)))]
        for weighty in (True, False):
            x = cover.lost[self._position[conflict]]
            if x.sum() >= 1 - VIOLATED and not weighty:
                return np.asarray(self._position[conflict[x > _ZERO]])
            conflict = self.feasibility.minimise(conflict, (x > _ZERO) == weighty)
        found.conflicts.append(self._position[conflict])
        self.proven.append(np.union1d(conflict, self.feasibility.forced))
        return found.conflicts[-1]


def _inside(conflicts: list[np.ndarray], kept: np.ndarray, position: int) -> bool:
    """Whether the position and the kept ones hold one of the conflicts."""
    return any(
        position in conflict and kept[conflict].sum() == len(conflict) - 1 for conflict in conflicts
    )


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
        self.n_jobs, self.enough, self.late_starts = n_jobs, enough, late_starts
        now = time.monotonic()
        self.late = now + share_before_late * (self.deadline - now)
        self.master = CoveringMaster(len(self.open))
        # as many whatever n_jobs is, so that the search does not depend on it
        self.separators = [
            Separator(each, self.master.pool, order)
            for each, order in zip((feasibility, feasibility.twin()), rng.spawn(2), strict=True)
        ]
        self._set_deadline(self.late)
        self.bound, self.most_nodes = proven, most_nodes
        self.blocks: Blocks | None = None
        self._serial, self._lowered = 0, np.inf

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
                self.stop()  # threads still at work end soon
                raise

    def stop(self) -> None:
        """End the search, and those of its blocks, as if the time were over."""
        self.deadline = -np.inf
        self._set_deadline(self.deadline)
        if self.blocks is not None:
            self.blocks.stop()

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
            children = branch(self.master, node, cover, self.goal)
            if not children:  # the feasibility check could not decide
                unresolved = min(unresolved, node.bound)
            self._serial += len(children)
            for number, child in enumerate(children):
                child.serial = self._serial + number
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
            if ranked and self.blocks is not None and self.blocks.n_rounds % _ROUNDS:
                continue
            if not self._separate(cover, node) and not ranked and not self._is_late():
                return cover

    def _rank_blocks(self, cover: Cover) -> bool:
        """Add rows of blocks if the relaxation is far from the goal and rises slowly."""
        gap, known = self.goal - cover.value, self.incumbent.theta
        if self.most_nodes < np.inf or known is None or gap <= max(_FAR * self.goal, _FEW):
            return False
        self.blocks = self.blocks or Blocks(len(self.open), CoveringSearch)
        if not self.blocks.are_wanted(cover, gap) or self._is_late() or self._out_of_time():
            return False
        drawn = [(each, self.blocks.draw(self.separators[0].rng)) for each in self.separators]
        rank = partial(self.blocks.rank, cover=cover, pool=self.master.pool, theta=known)
        for block, search in self._in_threads(partial(rank, *one) for one in drawn):
            self.separators[0].proven.extend(search.conflicts)
            self.blocks.keep(block, search, cover, self.master)
        return True

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
