"""The open cells of a proof, the best point so far, and the workers on both (`search`)."""

import heapq
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from sklearn_reclink.solvers.cells.kernel import (
    DEEPEST,
    Problem,
    Stack,
    Undecided,
    explore,
    stack,
    undecided,
)
from sklearn_reclink.solvers.cells.rows import CellRows, Rows
from sklearn_reclink.solvers.cells.settling import settle
from sklearn_reclink.solvers.cells.splitting import undecided_rows

_BUDGET = 4e6  # about a tenth of a second
_BUDGET_PER_ROW = 16.0
_MANY_ROWS = 2**16  # for which room is made only as it is needed
MOST_BYTES = 2**27  # of the rows that open cells hold

Count = Callable[[np.ndarray], tuple[int, Rows]]


@dataclass(order=True)
class _Cell:
    """An open cell; the one of largest bound comes first, then the deepest.

    ``rows`` are those it leaves undecided, and ``linked`` the records without any; None if that is
    to be found again among all rows.
    """

    priority: tuple[int, int]
    corners: np.ndarray = field(compare=False)
    rows: np.ndarray | None = field(compare=False, default=None)
    linked: int = field(compare=False, default=0)

    @property
    def bound(self) -> int:
        return -self.priority[0]

    @property
    def depth(self) -> int:
        return -self.priority[1]


class OpenCells:
    """The open cells, the incumbent, and the workers on them."""

    def __init__(
        self,
        rows: CellRows,
        count: Count | None,
        at_least: int,
        deadline: float,
        most_bytes: int,
        review: float,
        near: int,
    ) -> None:
        self.rows, self.count = rows, count
        self.deadline, self.review, self.near = deadline, review, near
        self.point: np.ndarray | None = None
        self.best = at_least
        self.n_cells = 0
        self._room = most_bytes
        self._stuck = 0  # the largest bound of cells that nothing settles
        p = len(rows.generators)
        self._open = [_Cell((-rows.n_records, 0), np.eye(p))]
        self._searched: dict[int, _Cell] = {}
        self._change = threading.Condition()
        self._stopped = False

    @property
    def bound(self) -> int:
        cells = [*self._open, *self._searched.values()]
        return max(self.best, self._stuck, max((cell.bound for cell in cells), default=0))

    @property
    def theta(self) -> np.ndarray | None:
        return None if self.point is None else self.point @ self.rows.generators

    def offer(self, point: np.ndarray) -> int:
        """Count a point; the most records linked so far."""
        if not point.any():  # of no rows, or none that ask for anything
            return self.best
        if self.count is None:
            _, clear, _, owners = self.rows.problem[:4]
            n_linked = self.rows.n_records - len(np.unique(owners[clear @ point <= 0]))
        else:
            n_linked, violated = self.count(point / point.sum() @ self.rows.generators)
        with self._change:
            if self.count is not None and len(violated.owners):
                self.rows.add(violated)
            self._keep(n_linked, point)
            return self.best

    def _keep(self, count: int, point: np.ndarray) -> None:
        if not point.any():
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
            budget = max(_BUDGET, _BUDGET_PER_ROW * len(self.rows.problem.every))
            try:
                self._search_below(cell, worker, budget / 20 if few else budget)
            except BaseException:
                self._stopped = True
                raise

    def _next(self, worker: int) -> _Cell | None:
        """Wait for the most promising cell; None when there is nothing left to do."""
        with self._change:
            while not self._stopped and time.monotonic() < self.deadline:
                if time.monotonic() >= self.review and self.bound > self.best + self.near:
                    break
                if self._open and self._open[0].bound <= self.best:
                    self._open.clear()
                if self._open:
                    cell = heapq.heappop(self._open)
                    self._room += 0 if cell.rows is None else cell.rows.nbytes
                    self._searched[worker] = cell
                    return cell
                if not self._searched:
                    break
                self._change.wait(0.1)
            self._change.notify_all()
            return None

    def _search_below(self, cell: _Cell, worker: int, budget: float) -> None:
        problem, before = self.rows.problem, self.best
        theta = np.zeros(problem.weak.shape[1])
        best, n_cells, n_open, n_stuck, cells, rows = _explore(problem, cell, before, theta, budget)
        if best > before and not problem.complete:
            self.offer(theta)
        with self._change:
            if best > self.best and problem.complete:
                self._keep(best, theta)
            for c in range(n_open):
                if cells.bound[c] > self.best:
                    index = rows.row[cells.begin[c] : cells.end[c]]
                    self._push(
                        cells.bound[c], cells.depth[c], cells.corners[c], index, cells.linked[c]
                    )
            for c in range(n_stuck):
                self._settle(cells.stuck[c], int(cells.stuck_bound[c]))
            self.n_cells += n_cells
            del self._searched[worker]
            self._change.notify_all()

    def _push(
        self, bound: int, depth: int, corners: np.ndarray, index: np.ndarray, linked: int
    ) -> None:
        cell = _Cell((-int(bound), -int(depth)), corners.copy())
        if self.rows.problem.complete and index.nbytes <= self._room:
            cell.rows, cell.linked = index.copy(), int(linked)
            self._room -= index.nbytes
        heapq.heappush(self._open, cell)

    def _settle(self, corners: np.ndarray, bound: int) -> None:
        """Ask the active-set method whether a tiny cell can link its records together."""
        before = self.rows.problem
        bound = settle(before, corners, bound, self.offer, self.best, self.deadline)
        if bound > self.best:
            if self.rows.problem is not before:  # there is more to know of it
                self._push(bound, DEEPEST, corners, before.every[:0], 0)
            else:
                self._stuck = max(self._stuck, bound)


def _explore(
    problem: Problem, cell: _Cell, best: int, best_theta: np.ndarray, budget: float
) -> tuple[int, int, int, int, Stack, Undecided]:
    """Search below a cell; the best count, cells searched, open and stuck, and their arrays."""
    p = problem.weak.shape[1]
    cells = stack(p)
    asked = problem.every if cell.rows is None else cell.rows
    rows = undecided(4 * len(asked) + 64 if len(asked) < _MANY_ROWS else len(asked), p)
    n_rows, linked, n_undecided = undecided_rows(
        problem.weak, problem.owners, asked, cell.corners, *rows[:4]
    )
    linked += problem.free if cell.rows is None else cell.linked
    cells.corners[0], cells.begin[0], cells.end[0] = cell.corners, 0, n_rows
    cells.linked[0], cells.depth[0] = linked, cell.depth
    cells.bound[0] = min(cell.bound, linked + n_undecided)
    n_open, n_stuck, n_cells = 1, 0, 0
    while True:
        found, n_open, n_stuck, more, budget = explore(
            problem, rows, cells, best, best_theta, n_open, n_stuck, budget
        )
        n_cells += more
        to_count = found > best and not problem.complete
        best = found
        if n_open == 0 or n_stuck == len(cells.stuck) or budget <= 0 or to_count:
            return best, n_cells, n_open, n_stuck, cells, rows
        used = int(cells.end[n_open - 1])
        larger = undecided(6 * used, p)
        for old, new in zip(rows, larger, strict=True):
            new[:used] = old[:used]
        rows = larger
