"""The one door to HiGHS: the covering master over conflicts.

A conflict is a set of records that no parameters link together, so each loses a member::

    minimise  sum_i x_i   subject to   sum_{i in C} x_i >= 1  for every conflict C,  x in {0, 1}

``x_i`` is K_i of the papers: record i is lost. There is no big constant and no ``theta`` here.
A solution is read on status optimal alone: HiGHS leaves stale values behind other statuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import highspy
import numpy as np

_ROUNDING = 1e-6


def _silent() -> highspy.Highs:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs


@dataclass(frozen=True)
class Cover:
    """A solution of the master: ``lost`` in [0, 1], and a valid lower bound on the losses."""

    lost: np.ndarray
    reduced_costs: np.ndarray
    bound: int


class CoveringMaster:
    """Which records must be lost, as far as the known conflicts tell."""

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.conflicts: list[np.ndarray] = []
        self._known: set[tuple[int, ...]] = set()
        self._lp = _silent()
        for _ in range(n_records):
            self._lp.addVar(0.0, 1.0)
        self._lp.changeColsCost(
            n_records, np.arange(n_records, dtype=np.int32), np.ones(n_records)
        )

    def add(self, conflicts: Iterable[np.ndarray]) -> int:
        """Add the conflicts that are new; how many were."""
        added = 0
        for conflict in conflicts:
            key = tuple(sorted(int(i) for i in conflict))
            if key in self._known:
                continue
            self._known.add(key)
            members = np.array(key, dtype=np.int32)
            self.conflicts.append(members)
            self._lp.addRow(1.0, highspy.kHighsInf, len(members), members, np.ones(len(members)))
            added += 1
        return added

    def violates(self, records: np.ndarray) -> bool:
        """Whether the records contain a known conflict."""
        inside = np.zeros(self.n_records, dtype=bool)
        inside[records] = True
        return any(inside[conflict].all() for conflict in self.conflicts)

    def relaxed(self) -> Cover | None:
        """The linear relaxation."""
        self._lp.run()
        return self._read(self._lp, self._lp.getInfo().objective_function_value)

    def integer(self, time_limit: float) -> Cover | None:
        """The integer optimum, or None when the time ran out before a proof."""
        highs = _silent()
        highs.setOptionValue("time_limit", max(time_limit, 0.01))
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.setOptionValue("mip_abs_gap", 0.999)
        highs.passModel(self._lp.getModel())
        columns = np.arange(self.n_records, dtype=np.int32)
        kinds = np.full(self.n_records, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        highs.changeColsIntegrality(self.n_records, columns, kinds)
        highs.run()
        return self._read(highs, highs.getInfo().mip_dual_bound)

    def _read(self, highs: highspy.Highs, bound: float) -> Cover | None:
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = highs.getSolution()
        reduced = np.array(solution.col_dual) if solution.dual_valid else np.zeros(self.n_records)
        return Cover(np.array(solution.col_value), reduced, int(np.ceil(bound - _ROUNDING)))
