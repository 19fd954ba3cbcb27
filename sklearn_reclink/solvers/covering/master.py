"""The covering master: which records must be lost, as far as known conflicts tell.

A conflict is a set of records that no parameters link together, so each loses a member::

    minimise  sum_i x_i   subject to   sum_{i in C} x_i >= 1  for every conflict C,  x in {0, 1}

``x_i`` is K_i of the papers: record i is lost. There is no big constant and no ``theta`` here.

A conflict found where some records are fixed as lost and others as kept may hold only there. It is
then stated for all::

    sum_{C} x + sum_{kept} x + sum_{lost} (1 - x) >= 1

One found with forced records (`search`) holds for solutions of fewer losses than the goal: it
counts for nothing once the goal is higher.

So many of a block of records may be known to be lost, its *rank*: ``sum_{B} x >= r``.

*The relaxation is only a hint.* For rows ``A x >= b``, bounds ``l <= x <= u`` and any ``y >= 0``,
whatever solver it comes from, every admissible ``x`` has::

    sum_i x_i  >=  y . b + sum_i min(c_i l_i, c_i u_i)  =: L(y),      c = 1 - A'y

If ``x_i = 1`` and ``c_i > 0 = l_i``, the sum is at least ``L(y) + c_i``. The same with ``c = -A'y``
shows that no ``x`` is admissible if it is above 0. The duals of the linear program are rounded to
multiples of ``2**-32``; entries of ``A`` and ``b`` are integers, so both are computed exactly.

This is the only file that imports highspy.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

_BITS = 32  # of a dual after the point
_LARGEST_DUAL = 2.0**12
_VIOLATED = 1e-7  # a row of the pool by this much joins the program
_LOOSE = 0.05  # a row of more slack may leave it
_FEW_ROWS = 300  # which cost too little to be dropped
_DECIDED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)


Fixed = tuple[int, ...]  # positions of records fixed as lost or kept


def _silent() -> highspy.Highs:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs


def _check(status: highspy.HighsStatus) -> None:
    """The rows of a program must be those that are thought to be there."""
    if status == highspy.HighsStatus.kError:
        raise RuntimeError("HiGHS refused to change the rows of the covering program")


class ConflictPool:
    """Rows over the positions of open records.

    Attributes
    ----------
    rows : list of (columns, signs, right)
        ``signs . x[columns] >= right``.
    conflicts_of : list of list of int
        The rows of each position, of those that name nobody lost.
    goal : int
        Rows count that hold for all solutions of fewer losses than this.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.rows: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.conflicts_of: list[list[int]] = [[] for _ in range(n_records)]
        self.goal = 0
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        # the same rows, end to end
        self._row, self._columns = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._signs, self._right, self._below = np.empty(0), np.empty(0), np.empty(0)

    def add(
        self, conflicts: Iterable[np.ndarray], lost: Fixed, kept: Fixed, below: float
    ) -> list[int]:
        """Add conflicts found where some records are fixed; the rows of those that are new.

        ``below`` says how few losses a solution must have for them to hold.
        """
        new = []
        first = len(self.rows)
        for conflict in conflicts:
            members = tuple(sorted({*conflict.tolist(), *kept}))
            row = self._known.setdefault((members, lost), len(self.rows))
            if row == len(self.rows):
                columns = np.array([*members, *lost], dtype=np.int64)
                signs = np.r_[np.ones(len(members)), -np.ones(len(lost))]
                self.rows.append((columns, signs, 1.0 - len(lost)))
                for member in () if lost else members:
                    self.conflicts_of[member].append(row)
                new.append(row)
            elif row < first:
                if self._below[row] < self.goal:
                    new.append(row)
                self._below[row] = max(self._below[row], below)
        if len(self.rows) > first:
            self._append(first, below)
        return new

    def add_rank(self, block: np.ndarray, losses: int) -> None:
        self.rows.append((block, np.ones(len(block)), float(losses)))
        self._append(len(self.rows) - 1, np.inf)

    def _append(self, first: int, below: float) -> None:
        added = self.rows[first:]
        places = [np.full(len(row[0]), first + place) for place, row in enumerate(added)]
        self._row = np.concatenate([self._row, *places])
        self._columns = np.concatenate([self._columns, *(row[0] for row in added)])
        self._signs = np.concatenate([self._signs, *(row[1] for row in added)])
        self._right = np.append(self._right, [row[2] for row in added])
        self._below = np.append(self._below, np.full(len(added), below))

    @property
    def outdated(self) -> np.ndarray:
        """Rows that hold only for fewer losses than the goal, (n_rows,) of bool."""
        return np.asarray(self._below < self.goal)

    @property
    def lasting(self) -> list[np.ndarray]:
        """Conflicts whatever the goal."""
        return [self.rows[k][0] for k in np.flatnonzero((self._right == 1) & np.isinf(self._below))]

    def slack(self, x: np.ndarray) -> np.ndarray:
        """By how much ``x`` over-satisfies each row, (n_rows,); negative where it violates it."""
        slack = self._sums(self._signs * x[self._columns]) - self._right
        return np.where(self.outdated, np.inf, slack)

    def closing(self, kept: np.ndarray) -> "Closing":
        """Of the kept positions (a mask): who would complete a conflict, but for outdated rows."""
        missing = self._sums(~kept[self._columns]).astype(np.int64)
        missing = np.where(self.outdated | (self._right != 1), self.n_records + 1, missing)
        last = (missing == 1)[self._row] & ~kept[self._columns]
        closed = np.zeros(self.n_records, dtype=bool)
        closed[self._columns[last]] = True
        return Closing(self, kept, missing, closed)

    def _sums(self, terms: np.ndarray) -> np.ndarray:
        """Of each row; an empty one, which nothing satisfies, sums to 0."""
        return np.bincount(self._row, weights=terms, minlength=len(self.rows))


@dataclass(frozen=True)
class Closing:
    """Who would complete a conflict, while positions are kept one by one.

    Attributes
    ----------
    kept, closed : ndarray of bool of shape (n_records,)
        The mask that the caller changes; positions that complete a conflict of kept ones.
    missing : ndarray of int of shape (n_rows,)
        How many members of each conflict are not kept.
    """

    pool: ConflictPool
    kept: np.ndarray
    missing: np.ndarray
    closed: np.ndarray

    def keep(self, position: int) -> None:
        """One more position is kept."""
        known = np.array(self.pool.conflicts_of[position], dtype=np.int64)
        self.missing[known] -= 1
        for row in known[self.missing[known] == 1]:
            columns = self.pool.rows[row][0]
            self.closed[columns[~self.kept[columns]]] = True


@dataclass(frozen=True)
class Cover:
    """A solution of the relaxed master, and what its duals prove.

    Attributes
    ----------
    lost : ndarray of shape (n_records,)
        In [0, 1]; a hint.
    costs : ndarray of int of shape (n_records,)
        ``c`` above, in units of ``2**-32``.
    proven : int
        ``L(y)`` in the same units.
    """

    lost: np.ndarray
    costs: np.ndarray
    proven: int

    @property
    def bound(self) -> int:
        """The least number of losses."""
        return -(-self.proven >> _BITS)

    @property
    def value(self) -> float:
        return float(np.ldexp(float(self.proven), -_BITS))

    @property
    def reduced_costs(self) -> np.ndarray:
        return np.ldexp(self.costs.astype(float), -_BITS)

    def forced(self, goal: int) -> np.ndarray:
        """Records that every solution of fewer losses than the goal keeps, (n_records,) of bool.

        Only of those that are not fixed.
        """
        return np.asarray(self.costs > (goal - 1 << _BITS) - self.proven)


class CoveringMaster:
    """Which records must be lost, as far as the conflicts of the pool tell.

    The linear program holds the rows that matter near its present solution: the others join it
    when violated, and slack ones leave it again.
    """

    def __init__(self, n_records: int) -> None:
        self.pool = ConflictPool(n_records)
        self._held: list[int] = []  # rows of the pool, in the order of the program
        self._lp = _silent()
        # duals nearer to the optimum prove more
        self._lp.setOptionValue("primal_feasibility_tolerance", 1e-10)
        self._lp.setOptionValue("dual_feasibility_tolerance", 1e-10)
        self._columns = np.arange(n_records, dtype=np.int32)
        ones = np.ones(n_records)
        self._lp.addVars(n_records, np.zeros(n_records), ones)
        self._lp.changeColsCost(n_records, self._columns, ones)

    def add(
        self,
        conflicts: Iterable[np.ndarray],
        lost: Fixed = (),
        kept: Fixed = (),
        below: float = np.inf,
    ) -> int:
        """Add the conflicts that are new; how many were."""
        new = self.pool.add(conflicts, lost, kept, below)
        self._hold(new)
        return len(new)

    def add_rank(self, block: np.ndarray, losses: int) -> None:
        """Add that so many of a block are lost."""
        self.pool.add_rank(block, losses)
        self._hold([len(self.pool.rows) - 1])

    def set_goal(self, losses: int) -> None:
        """Prepare to prove so many losses: rows that hold only for fewer leave the program."""
        self.pool.goal = losses
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
        """The linear relaxation with some records fixed; None if they cannot be so fixed."""
        while True:
            cover = self.solve_held(lost, kept)
            if cover is None:
                return None
            slack = self.pool.slack(cover.lost)
            violated = np.setdiff1d(np.flatnonzero(slack < -_VIOLATED), self._held)
            if not len(violated):
                self._release(slack)
                return cover
            self._hold(violated.tolist())

    def solve_held(self, lost: np.ndarray, kept: np.ndarray) -> Cover | None:
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
            if self._is_infeasible(lower, upper):
                return None
        x, y = lower, np.empty(0)
        if self._lp.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            solution = self._lp.getSolution()
            x, y = np.array(solution.col_value), np.array(solution.row_dual)
        if x.shape != lower.shape:
            x = lower
        proven, costs = self._proven(y, lower, upper)
        if proven < len(lost) << _BITS:  # the fixed losses alone
            proven, costs = len(lost) << _BITS, np.zeros(n_records, dtype=np.int64)
        return Cover(np.clip(np.nan_to_num(x), lower, upper), costs, proven)

    def _is_infeasible(self, lower: np.ndarray, upper: np.ndarray) -> bool:
        """Whether a single row, or the ray of HiGHS, shows that no ``x`` is admissible."""
        for row in self._held:
            columns, signs, right = self.pool.rows[row]
            if np.where(signs > 0, upper[columns], -lower[columns]).sum() < right:
                return True
        for presolve in ("choose", "off"):  # after a presolve there may be no ray
            if presolve == "off":
                self._lp.setOptionValue("presolve", presolve)
                self._lp.clearSolver()
                self._lp.run()
                self._lp.setOptionValue("presolve", "choose")
            ray: Any = self._lp.getDualRay()[2]  # type: ignore[attr-defined]
            if self._proven(np.asarray(ray, dtype=float), lower, upper, cost=0)[0] > 0:
                return True
        return False

    def _proven(
        self, duals: np.ndarray, lower: np.ndarray, upper: np.ndarray, cost: int = 1
    ) -> tuple[int, np.ndarray]:
        """``L(y)`` and ``c``, in units of ``2**-32``, of duals that may be anything."""
        if len(duals) != len(self._held) or not len(duals):
            duals = np.zeros(len(self._held))
        duals = np.clip(np.nan_to_num(duals, posinf=0.0), 0.0, _LARGEST_DUAL)
        y = np.rint(np.ldexp(duals, _BITS)).astype(np.int64)
        if int(y.sum()) > 2**62 // (self.pool.n_records + 1):  # would not fit: no true dual
            y[:] = 0
        costs = np.full(self.pool.n_records, cost << _BITS, dtype=np.int64)
        proven = 0
        for place in np.flatnonzero(y):
            columns, signs, right = self.pool.rows[self._held[place]]
            costs[columns] -= y[place] * signs.astype(np.int64)
            proven += int(y[place]) * int(right)
        at = np.where(costs > 0, lower, upper).astype(np.int64)
        return proven + int((costs * at).sum()), costs
