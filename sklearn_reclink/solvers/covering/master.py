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

from sklearn_reclink.solvers.covering.pool import ConflictPool

_ROUNDING = 1e-6
_VIOLATED = 1e-7  # a row of the pool by this much joins the program
_LOOSE = 0.05  # a row of more slack may leave it
_FEW_ROWS = 300  # which cost too little to be dropped
_DECIDED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)


def _silent() -> highspy.Highs:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs


def _check(status: highspy.HighsStatus) -> None:
    """The rows of a program must be those that are thought to be there."""
    if status == highspy.HighsStatus.kError:
        raise RuntimeError("HiGHS refused to change the rows of the covering program")


@dataclass(frozen=True)
class Cover:
    """A solution of the relaxed master: ``lost`` in [0, 1], its value, and that rounded up."""

    lost: np.ndarray
    reduced_costs: np.ndarray
    value: float
    bound: int


class CoveringMaster:
    """Which records must be lost, as far as the conflicts of the pool tell.

    The linear program holds the rows that matter near its present solution: the others join it
    when violated, and slack ones leave it again.
    """

    def __init__(self, n_records: int) -> None:
        self.pool = ConflictPool(n_records)
        self._held: list[int] = []  # rows of the pool, in the order of the program
        self._lp = _silent()
        # so that the value of a thousand columns is right to a tenth of _ROUNDING
        self._lp.setOptionValue("primal_feasibility_tolerance", 1e-10)
        self._lp.setOptionValue("dual_feasibility_tolerance", 1e-10)
        self._columns = np.arange(n_records, dtype=np.int32)
        ones = np.ones(n_records)
        self._lp.addVars(n_records, np.zeros(n_records), ones)
        self._lp.changeColsCost(n_records, self._columns, ones)

    def add(
        self,
        conflicts: Iterable[np.ndarray],
        lost: tuple[int, ...] = (),
        kept: tuple[int, ...] = (),
        below: float = np.inf,
    ) -> int:
        """Add the conflicts that are news; how many were."""
        news = self.pool.add(conflicts, lost, kept, below)
        self._hold(news)
        return len(news)

    def aim(self, losses: int) -> None:
        """Prepare to prove so many losses: rows that hold for fewer alone go."""
        self.pool.aim = losses
        self._drop(self.pool.outdated[self._held])

    def _hold(self, rows: Iterable[int]) -> None:
        for row in rows:
            columns, signs, right = self.pool.rows[row]
            columns = columns.astype(np.int32)
            _check(self._lp.addRow(right, highspy.kHighsInf, len(columns), columns, signs))
            self._held.append(row)

    def _release(self, slack: np.ndarray) -> None:
        """Drop slack rows where there are many: basic at an optimum, they leave the basis valid."""
        loose = slack[self._held] > _LOOSE
        if len(loose) > _FEW_ROWS + 3 * np.count_nonzero(~loose):
            self._drop(loose)

    def _drop(self, gone: np.ndarray) -> None:
        dropped = np.flatnonzero(gone).astype(np.int32)
        if len(dropped):
            _check(self._lp.deleteRows(len(dropped), dropped))
            self._held = [row for row, goes in zip(self._held, gone, strict=True) if not goes]

    def relaxed(self, lost: np.ndarray, kept: np.ndarray) -> Cover | None:
        """The linear relaxation with some records fixed; None if they cannot be so fixed.

        Where HiGHS decides neither, the fixed losses alone are what is known.
        """
        while True:
            cover = self.glimpse(lost, kept)
            if cover is None:
                return None
            slack = self.pool.slack(cover.lost)
            violated = np.setdiff1d(np.flatnonzero(slack < -_VIOLATED), self._held)
            if not len(violated):
                self._release(slack)
                return cover
            self._hold(violated.tolist())

    def glimpse(self, lost: np.ndarray, kept: np.ndarray) -> Cover | None:
        """The same with the rows that the program holds alone: quicker, and a bound as well."""
        n_records = self.pool.n_records
        lower, upper = np.zeros(n_records), np.ones(n_records)
        lower[lost], upper[kept] = 1.0, 0.0
        self._lp.changeColsBounds(n_records, self._columns, lower, upper)
        self._lp.run()
        if self._lp.getModelStatus() not in _DECIDED:
            self._lp.clearSolver()
            self._lp.run()
        if self._lp.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return None
        if self._lp.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return Cover(lower, np.zeros(n_records), float(len(lost)), len(lost))
        solution = self._lp.getSolution()
        value = self._lp.getInfo().objective_function_value
        return Cover(
            np.array(solution.col_value),
            np.array(solution.col_dual),
            float(value),
            int(np.ceil(value - _ROUNDING)),
        )


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
