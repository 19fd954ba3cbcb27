"""Branch and bound over the cone of parameters: a proof for any number of missed records.

The admissible ``theta`` are the non-negative combinations of ``p`` independent generators (for
weights, the orthant). A *cell* is such a cone itself, of ``p`` rays, its corners. A linear row
takes its extremes at the corners, so within a cell

* a row at most 0 at all corners makes its record *lost*;
* a row at least 0 at all corners can go, and a record without rows is *linked* throughout;
* a row at least ``c > 0`` times another row of its record at all corners can go.

The records not lost bound the cell. Among the undecided ones the bound is lowered further:

* *Pairs.* If ``r + c s <= 0`` at all corners for rows ``r, s`` of two records and some ``c > 0``,
  the cell links at most one of them. Records in conflict two by two form a clique, which loses
  all but one; a greedy partition into cliques is a bound.
* *Conflicts.* Among records in no pair, disjoint conflicts are found by the active-set method,
  in the coordinates of the corners. Where the rest can be linked together, it says where, and that
  point is a candidate.

A cell that cannot beat the incumbent is done. Any other is split on an edge, the one on which the
most records change sign, at the median of those changes: cells follow the data, be the weights
near 1 or near 1e-6. The driver takes the cell of largest bound, `explore` searches below it depth
first and returns after some work what is still open. So the largest bound of the
open cells is valid at any time, workers share cells through a heap, and nothing waits long.

Ties
----
By the rule of `ties` a record is linked only if ``r . theta > t . theta``, ``t = TIE_TOLERANCE m``
with the magnitudes ``m >= |r|``; this is linear because ``theta >= 0``. *Lost* is judged with the
weak rows ``r - 0.9 t``. Interpolating a corner's value adds at most ``3 * 2**-53 m . v``, in which
errors of older corners combine like the corners themselves; so after at most 200 generations the
error is below ``0.07 t . v``, certificates may leave ``0.02 t . v``, and what is lost here is lost
by the rule. Dropping rows never needs care: it only raises a bound. *Linked* is judged with
``r - 1.01 t``, so a recount agrees. A cell decided by weak rows whose middle does not clearly link
as many lies in a corner of a region; there the active-set method decides whether those records
can be linked at all. What neither settles stays open, and the bound includes it.
"""

import heapq
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, least_norm
from sklearn_reclink.solvers.cells.conflicts import stands
from sklearn_reclink.solvers.cells.kernel import (
    Problem,
    Stack,
    Undecided,
    explore,
    stack,
    undecided,
)
from sklearn_reclink.solvers.cells.splitting import undecided_rows

_WEAK, _SETTLING, _CLEAR = 0.9, 0.97, 1.01
_BUDGET = 4e6  # about a tenth of a second


@dataclass(frozen=True)
class CellProof:
    """The most records linked, and the most that any parameters of the cone could link.

    Both count the records that own rows; ``theta`` is None when nothing was found.
    """

    theta: np.ndarray | None
    n_linked: int
    bound: int
    n_cells: int

    @property
    def finished(self) -> bool:
        return self.n_linked == self.bound


@dataclass(order=True)
class _Cell:
    """An open cell; the one of largest bound comes first, then the deepest."""

    priority: tuple[int, int]
    corners: np.ndarray = field(compare=False)
    rows: np.ndarray = field(compare=False)
    linked: int = field(compare=False)

    @property
    def bound(self) -> int:
        return -self.priority[0]

    @property
    def depth(self) -> int:
        return -self.priority[1]


def prove_by_cells(
    rows: np.ndarray,
    magnitudes: np.ndarray,
    owners: np.ndarray,
    generators: np.ndarray,
    *,
    theta: np.ndarray | None = None,
    at_least: int = 0,
    deadline: float = np.inf,
    n_jobs: int | None = None,
) -> CellProof:
    """Bound the records that any parameters of a cone link, until it meets the best found.

    Parameters
    ----------
    rows, magnitudes : ndarray of shape (n_rows, n_parameters)
        All rows of the records to decide, in any scale, and what ties are judged by.
    owners : ndarray of shape (n_rows,)
        The record of each row.
    generators : ndarray of shape (n_parameters, n_parameters)
        Independent rays, non-negative, whose combinations are the admissible parameters.
    theta : ndarray of shape (n_parameters,) or None
        Parameters to start from.
    at_least : int
        Links of these records known to be possible: only more are looked for.
    deadline : float
        By `time.monotonic`.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.solvers.cells.search import prove_by_cells
    >>> rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    >>> proof = prove_by_cells(rows, np.abs(rows), np.array([0, 1, 2]), np.eye(2))
    >>> proof.n_linked, proof.bound
    (2, 2)
    """
    p = rows.shape[1]
    if generators.shape != (p, p) or np.linalg.matrix_rank(generators) < p:
        raise ValueError(f"{p} parameters need {p} independent generators of their cone.")
    if (generators < 0).any():
        raise ValueError("a generator has a negative entry: ties are not linear on its cone.")
    if not len(rows):
        return CellProof(theta, at_least, at_least, 0)
    from joblib import cpu_count, effective_n_jobs

    search = _Search(rows, magnitudes, owners, generators, at_least, deadline)
    if theta is not None:
        search.offer(np.maximum(np.linalg.solve(search.generators.T, theta), 0.0))
    search.run(min(effective_n_jobs(n_jobs), cpu_count()))
    return CellProof(search.theta, search.best, search.bound, search.n_cells)


def compile_kernels() -> None:
    """Load or compile the kernels of the proof."""
    rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    prove_by_cells(rows, np.abs(rows), np.arange(3), np.eye(2))


class _Search:
    """The open cells, the incumbent, and the workers on them."""

    def __init__(
        self,
        rows: np.ndarray,
        magnitudes: np.ndarray,
        owners: np.ndarray,
        generators: np.ndarray,
        at_least: int,
        deadline: float,
    ) -> None:
        order = np.argsort(owners, kind="stable")
        names, numbers = np.unique(owners[order], return_inverse=True)
        # in the coordinates of the generators the cone is the orthant
        self.generators = generators / generators.sum(axis=1, keepdims=True)
        rows = rows[order] @ self.generators.T
        ties = TIE_TOLERANCE * (magnitudes[order] @ self.generators.T)
        every = np.arange(len(rows), dtype=np.int32)
        self.problem = Problem(
            weak=np.ascontiguousarray(rows - _WEAK * ties),
            clear=np.ascontiguousarray(rows - _CLEAR * ties),
            ties=np.ascontiguousarray(ties),
            owners=numbers,
            every=every,
        )
        self.deadline = deadline
        self.point: np.ndarray | None = None
        self.best = at_least
        self.n_cells = 0
        self._stuck = 0  # the largest bound of cells that nothing settles
        self._open = [_Cell((-len(names), 0), np.eye(rows.shape[1]), every, 0)]
        self._searched: dict[int, _Cell] = {}
        self._change = threading.Condition()
        self._stopped = False

    @property
    def bound(self) -> int:
        cells = [*self._open, *self._searched.values()]
        return max(self.best, self._stuck, max((cell.bound for cell in cells), default=0))

    @property
    def theta(self) -> np.ndarray | None:
        return None if self.point is None else self.point @ self.generators

    def offer(self, point: np.ndarray) -> None:
        owners = self.problem.owners
        lost = np.unique(owners[self.problem.clear @ point <= 0])
        self._keep(int(owners[-1]) + 1 - len(lost), point)

    def _keep(self, count: int, point: np.ndarray) -> None:
        if not point.any():  # of no rows, or none that ask for anything
            return
        if count > self.best or (count == self.best and self.point is None):
            self.best, self.point = count, point / point.sum()

    def run(self, n_workers: int) -> None:
        if n_workers == 1:
            self._work(0, 1)
            return
        with ThreadPoolExecutor(n_workers) as pool:
            workers = [pool.submit(self._work, k, n_workers) for k in range(n_workers)]
            try:
                for worker in workers:
                    worker.result()
            finally:  # an interrupt must not wait for the proof
                self._stopped = True

    def _work(self, worker: int, n_workers: int) -> None:
        while (cell := self._next(worker)) is not None:
            few = len(self._open) < 4 * n_workers
            try:
                self._search_below(cell, worker, _BUDGET / 20 if few else _BUDGET)
            except BaseException:
                self._stopped = True
                raise

    def _next(self, worker: int) -> _Cell | None:
        """Wait for the most promising cell; None when there is nothing left to do."""
        with self._change:
            while not self._stopped and time.monotonic() < self.deadline:
                if self._open and self._open[0].bound <= self.best:
                    self._open.clear()
                if self._open:
                    cell = heapq.heappop(self._open)
                    self._searched[worker] = cell
                    return cell
                if not self._searched:
                    break
                self._change.wait(0.1)
            self._change.notify_all()
            return None

    def _search_below(self, cell: _Cell, worker: int, budget: float) -> None:
        theta = np.zeros(self.problem.weak.shape[1])
        best, n_cells, n_open, n_stuck, cells, rows = _explore(
            self.problem, cell, self.best, theta, budget
        )
        with self._change:
            if best > self.best:
                self._keep(best, theta)
            for c in range(n_open):
                if cells.bound[c] > self.best:
                    priority = (-int(cells.bound[c]), -int(cells.depth[c]))
                    index = rows.row[cells.begin[c] : cells.end[c]].copy()
                    heapq.heappush(
                        self._open,
                        _Cell(priority, cells.corners[c].copy(), index, int(cells.linked[c])),
                    )
            for c in range(n_stuck):
                self._settle(cells.stuck[c], int(cells.stuck_bound[c]))
            self.n_cells += n_cells
            del self._searched[worker]
            self._change.notify_all()

    def _settle(self, corners: np.ndarray, bound: int) -> None:
        """Ask the active-set method whether a tiny cell can link its records together."""
        if bound <= self.best:
            return
        p = len(corners)
        weak, _, ties, owners, _ = self.problem
        lost = (weak @ corners.T <= 0).all(axis=1)
        kept = ~np.isin(owners, owners[lost])
        # no generations of roundings here, so the rows may be nearer the rule
        system = np.vstack([np.eye(p), weak[kept] - (_SETTLING - _WEAK) * ties[kept]])
        sizes = np.vstack([np.zeros((p, p)), ties[kept]])
        norms = np.maximum(np.linalg.norm(system, axis=1, keepdims=True), 1e-300)
        system, sizes = system / norms, sizes / norms
        right = np.r_[np.zeros(p), np.ones(len(system) - p)]
        nothing = np.empty(0, np.int64)
        every = np.arange(len(system))
        owner = np.r_[np.full(p, -1), owners[kept]]
        left, bound = every, min(bound, len(np.unique(owners[kept])))
        while bound > self.best:  # conflicts that share no record lose one each
            status, point, support, multipliers = least_norm(system, right, left, nothing)
            if status == FEASIBLE:
                self.offer(np.maximum(point, 0.0))
            for least in (1e-9, 0.0):  # multipliers that are only rounding come in last
                used = multipliers > least
                certificate = support[used], multipliers[used], np.count_nonzero(used)
                stood = status == INFEASIBLE and stands(system, sizes, p, *certificate)
                if stood:
                    break
            if not stood:
                break
            bound -= 1
            conflict = np.unique(owner[certificate[0][certificate[0] >= p]])
            for record in conflict:  # one of them is lost
                others = left[owner[left] != record]
                status, point, _, _ = least_norm(system, right, others, nothing)
                if status == FEASIBLE:
                    self.offer(np.maximum(point, 0.0))
            left = left[~np.isin(owner[left], conflict)]
        if bound > self.best:
            self._stuck = max(self._stuck, bound)


def _explore(
    problem: Problem, cell: _Cell, best: int, best_theta: np.ndarray, budget: float
) -> tuple[int, int, int, int, Stack, Undecided]:
    """Search below a cell; the best count, cells searched, open and stuck, and their arrays."""
    p = problem.weak.shape[1]
    cells = stack(p)
    rows = undecided(4 * len(cell.rows) + 64, p)
    n_rows, linked, n_undecided = undecided_rows(
        problem.weak, problem.owners, cell.rows, cell.corners, *rows[:4]
    )
    cells.corners[0], cells.begin[0], cells.end[0] = cell.corners, 0, n_rows
    cells.linked[0], cells.depth[0] = cell.linked + linked, cell.depth
    cells.bound[0] = min(cell.bound, cells.linked[0] + n_undecided)
    n_open, n_stuck, n_cells = 1, 0, 0
    while True:
        best, n_open, n_stuck, more, budget = explore(
            problem, rows, cells, best, best_theta, n_open, n_stuck, budget
        )
        n_cells += more
        if n_open == 0 or n_stuck == len(cells.stuck) or budget <= 0:
            return best, n_cells, n_open, n_stuck, cells, rows
        used = int(cells.end[n_open - 1])
        larger = undecided(6 * used, p)
        for old, new in zip(rows, larger, strict=True):
            new[:used] = old[:used]
        rows = larger
