"""The one door to HiGHS: the covering master over conflicts, and general mixed-integer programs.

A conflict is a set of records that no parameters link together, so each loses a member::

    minimise  sum_i x_i   subject to   sum_{i in C} x_i >= 1  for every conflict C,  x in {0, 1}

``x_i`` is K_i of the papers: record i is lost. There is no big constant and no ``theta`` here.
A solution is read on status optimal alone: HiGHS leaves stale values behind other statuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from scipy import sparse

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
        self._lp.changeColsCost(n_records, np.arange(n_records, dtype=np.int32), np.ones(n_records))

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


@dataclass(frozen=True)
class MixedIntegerProgram:
    """``minimise cost . x`` subject to ``row_lower <= A x <= row_upper`` and bounds on ``x``."""

    cost: np.ndarray
    matrix: sparse.csr_array
    row_lower: np.ndarray
    row_upper: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    integer: np.ndarray
    column_names: Sequence[str] = ()
    row_names: Sequence[str] = ()

    def _load(self) -> highspy.Highs:
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = self.matrix.shape
        model.col_cost_ = self.cost
        model.col_lower_, model.col_upper_ = self.lower, self.upper
        model.row_lower_, model.row_upper_ = self.row_lower, self.row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = self.matrix.indptr
        model.a_matrix_.index_ = self.matrix.indices
        model.a_matrix_.value_ = self.matrix.data
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[int(flag)] for flag in self.integer]
        model.col_names_, model.row_names_ = list(self.column_names), list(self.row_names)
        highs = _silent()
        highs.passModel(model)
        return highs

    def solve(self, time_limit: float) -> tuple[np.ndarray | None, float, bool]:
        """The best point found (or None), the dual bound, and whether HiGHS says optimal."""
        highs = self._load()
        highs.setOptionValue("time_limit", time_limit)
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.run()
        info = highs.getInfo()
        optimal = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        found = info.primal_solution_status == int(highspy.SolutionStatus.kSolutionStatusFeasible)
        point = np.array(highs.getSolution().col_value) if found else None
        return point, float(info.mip_dual_bound), optimal

    def write_mps(self, path: str) -> None:
        """Write the program as an MPS file."""
        highs = self._load()
        if highs.writeModel(path) == highspy.HighsStatus.kError:
            raise OSError(f"HiGHS could not write {path!r}: does its folder exist?")
