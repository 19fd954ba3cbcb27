"""Conflicts that a relaxation of the covering master violates.

Notation: *positions* are places in the open records, *records* are rows of the files.
"""

import time
from dataclasses import dataclass, field

import numpy as np

from sklearn_reclink.solvers.covering.master import ConflictPool, Cover
from sklearn_reclink.solvers.feasibility import Feasibility

VIOLATED = 1e-6
_ZERO = 1e-9
_HEAVY = 1.4  # a conflict of so much ``x`` seldom holds a violated one


@dataclass(frozen=True)
class Found:
    """Conflicts (positions of open records) that ``x`` violates, and parameters met on the way."""

    conflicts: list[np.ndarray] = field(default_factory=list)
    candidates: list[np.ndarray] = field(default_factory=list)


class Separator:
    """Has a feasibility check of its own: several look for conflicts of one ``x`` in threads.

    ``proven`` are the records of the conflicts found, the forced ones included.
    """

    def __init__(
        self, feasibility: Feasibility, pool: ConflictPool, rng: np.random.Generator
    ) -> None:
        self.feasibility = feasibility
        self.pool = pool
        self.rng = rng
        self.proven: list[np.ndarray] = []
        self._position = np.full(feasibility.problem.index.n_records, -1)
        self._position[feasibility.open] = np.arange(len(feasibility.open))

    def pull(self, cover: Cover, threshold: float) -> Found:
        """Pull conflicts out of the records of ``x`` at most the threshold."""
        found = Found()
        self._pull(cover.lost <= threshold + _ZERO, cover, found)
        return found

    def regrow(self, cover: Cover) -> Found:
        """Pull conflicts out of the records of no ``x``, then put others back in its order."""
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
        a conflict before that record joins the solution. Records of no ``x`` change nothing in the
        sum of ``x``: if it stays 1 or more, the conflict is not violated, and they are not tried.
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
