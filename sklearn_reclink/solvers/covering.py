"""The proof by conflicts: an implicit hitting-set search.

The lost records hit every conflict, so the covering master (`highs`) bounds the losses from
below whatever conflicts it knows, and its optimum is the truth as soon as the records that it
keeps can be linked together. The search alternates:

1. *Relaxation.* For several thresholds the records with ``x`` below it are wanted together;
   the oracle pulls disjoint minimal conflicts out of them until the rest can be linked. New
   ones that the relaxation violates sharpen it; the rest, once linked, is a candidate.
2. *Integer master.* When the relaxation is separated, its integer optimum is asked for; the
   records it keeps are either linked, which ends the search, or hold new conflicts.

Reduced costs: if losing record ``i`` would push the relaxation to the incumbent's losses, every
better solution keeps ``i``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from sklearn_reclink.solvers.highs import CoveringMaster
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.oracle import Oracle

_THRESHOLDS = (0.0, 0.3, 0.5)
_VIOLATED = 1e-6


class CoveringSearch:
    """Bounds from below, candidates from above, until they meet.

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
    ) -> None:
        self.oracle = oracle
        self.open = open_records
        self.incumbent = incumbent
        self.deadline = deadline
        self.rng = rng
        self.bound = 0
        self._position = {int(i): k for k, i in enumerate(open_records)}
        self.master = CoveringMaster(len(open_records))

    @property
    def _finished(self) -> bool:
        return self.bound >= self.incumbent.losses or time.monotonic() >= self.deadline

    def run(self) -> int:
        """Search until proven or out of time; the least number of open records lost."""
        self._lose_hopeless_records()
        while not self._finished:
            if not self._separate_relaxation() and not self._separate_integer():
                break
        return self.bound

    def _positions(self, records: np.ndarray) -> np.ndarray:
        return np.array([self._position[int(i)] for i in records], dtype=np.int64)

    def _lose_hopeless_records(self) -> None:
        for record in self.open:
            answer = self.oracle.ask(np.array([record]))
            if answer.conflict is not None:
                self.master.add([self._positions(answer.conflict)])

    def _disjoint_conflicts(self, wanted: np.ndarray) -> Iterator[np.ndarray]:
        """Minimal conflicts that share no record; what is left over is offered."""
        while not self._finished:
            answer = self.oracle.ask(wanted)
            if answer.conflict is None:
                if answer.theta is not None:
                    self.incumbent.offer(answer.theta)
                return
            conflict = self.oracle.minimise(answer.conflict, self.rng)
            yield self._positions(conflict)
            wanted = np.setdiff1d(wanted, conflict)

    def _separate_relaxation(self) -> bool:
        """Whether the relaxation was sharpened."""
        cover = self.master.relaxed()
        if cover is None:
            return False
        self.bound = max(self.bound, cover.bound)
        found = 0
        for threshold in _THRESHOLDS:
            if self._finished:
                return True
            wanted = self.rng.permutation(self.open[cover.lost <= threshold + 1e-9])
            found += self.master.add(
                conflict
                for conflict in self._disjoint_conflicts(wanted)
                if cover.lost[conflict].sum() < 1 - _VIOLATED
            )
        return found > 0

    def _separate_integer(self) -> bool:
        """Whether the integer master was sharpened, or ended the search."""
        cover = self.master.integer(self.deadline - time.monotonic())
        if cover is None:
            return False
        self.bound = max(self.bound, cover.bound)
        if self._finished:
            return True
        wanted = self.rng.permutation(self.open[cover.lost < 0.5])
        return self.master.add(self._disjoint_conflicts(wanted)) > 0
