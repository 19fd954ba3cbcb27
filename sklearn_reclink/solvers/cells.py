"""The proof that does not care how many records miss: bisection of the cone of parameters.

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
* *Conflicts.* Among records in no pair, disjoint conflicts are pulled out by the feasibility
  engine, which works in the coordinates of the corners. Where the rest can be linked together, it
  says where, and that point is a candidate.

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
as many lies in a corner of a region; there the engine is asked whether those records can be linked
at all. What neither settles stays open, and says so in the bound.

Sweep
-----
Along ``theta + s u`` a record is linked on an interval of ``s``, so sorting their ends finds the
best ``s`` over all records in one pass. `climb` repeats that from many points.
"""

from __future__ import annotations

import heapq
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from sklearn_reclink.solvers.cell_kernel import count_linked, explore, stands
from sklearn_reclink.solvers.engine import FEASIBLE, INFEASIBLE, least_norm
from sklearn_reclink.ties import TIE_TOLERANCE

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
    >>> from sklearn_reclink.solvers.cells import prove_by_cells
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
    from joblib import effective_n_jobs

    search = _Search(rows, magnitudes, owners, generators, at_least, deadline)
    if theta is not None:
        search.offer(np.maximum(np.linalg.solve(search.generators.T, theta), 0.0))
    search.run(effective_n_jobs(n_jobs))
    return CellProof(search.theta, search.best, search.bound, search.n_cells)


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
        names, self.owners = np.unique(owners[order], return_inverse=True)
        # in the coordinates of the generators the cone is the orthant
        self.generators = generators / generators.sum(axis=1, keepdims=True)
        rows = rows[order] @ self.generators.T
        ties = TIE_TOLERANCE * (magnitudes[order] @ self.generators.T)
        self.weak = np.ascontiguousarray(rows - _WEAK * ties)
        self.clear = np.ascontiguousarray(rows - _CLEAR * ties)
        self.ties = np.ascontiguousarray(ties)
        self.deadline = deadline
        self.point: np.ndarray | None = None
        self.best = at_least
        self.n_cells = 0
        self._stuck = 0  # the largest bound of cells that nothing settles
        everything = np.arange(len(rows), dtype=np.int32)
        self._open = [_Cell((-len(names), 0), np.eye(rows.shape[1]), everything, 0)]
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
        self._keep(count_linked(self.clear, self.owners, point), point)

    def _keep(self, count: int, point: np.ndarray) -> None:
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
        point = np.zeros(self.weak.shape[1])
        (
            best, n_cells, n_open, corners, begin, end, linked, bound, depth, index,
            n_stuck, stuck, stuck_bound,
        ) = explore(
            self.weak, self.clear, self.ties, self.owners, cell.corners, cell.rows,
            cell.linked, cell.bound, cell.depth, self.best, point, budget,
        )  # fmt: skip
        with self._change:
            if best > self.best:
                self._keep(best, point)
            for c in range(n_open):
                if bound[c] > self.best:
                    rows = index[begin[c] : end[c]].copy()
                    priority = (-int(bound[c]), -int(depth[c]))
                    heapq.heappush(
                        self._open, _Cell(priority, corners[c].copy(), rows, int(linked[c]))
                    )
            for c in range(n_stuck):
                self._settle(stuck[c], int(stuck_bound[c]))
            self.n_cells += n_cells
            del self._searched[worker]
            self._change.notify_all()

    def _settle(self, corners: np.ndarray, bound: int) -> None:
        """Ask the engine whether the records of a tiny cell can be linked together at all."""
        if bound <= self.best:
            return
        p = len(corners)
        lost = (self.weak @ corners.T <= 0).all(axis=1)
        kept = ~np.isin(self.owners, self.owners[lost])
        # the engine adds no generations of roundings, so its rows may be nearer the rule
        system = np.vstack([np.eye(p), self.weak[kept] - (_SETTLING - _WEAK) * self.ties[kept]])
        sizes = np.vstack([np.zeros((p, p)), self.ties[kept]])
        norms = np.maximum(np.linalg.norm(system, axis=1, keepdims=True), 1e-300)
        system, sizes = system / norms, sizes / norms
        right = np.r_[np.zeros(p), np.ones(len(system) - p)]
        status, point, support, multipliers = least_norm(system, right, np.arange(len(system)))
        if status == FEASIBLE:
            self.offer(np.maximum(point, 0.0))
        if status == INFEASIBLE and stands(system, sizes, p, support, multipliers):
            bound = min(bound, len(np.unique(self.owners[kept])) - 1)
        if bound > self.best:
            self._stuck = max(self._stuck, bound)


@njit(cache=True, nogil=True)
def sweep(rows, owners, theta, direction, low, high, draw):  # type: ignore[no-untyped-def]
    """The best point of a line: over all records, in one pass.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_parameters)
    owners : ndarray of shape (n_rows,)
        The record of each row; rows of a record stand together.
    theta, direction : ndarray of shape (n_parameters,)
    low, high : float
        The admissible ``s`` of ``theta + s direction``.
    draw : float
        Between 0 and 1; chooses among equally good intervals.

    Returns
    -------
    s : float
        The middle of an interval on which the most records have all rows positive.
    count : int
    """
    n, p = rows.shape
    ends, k = 0, 0
    place, step = np.empty(2 * n), np.empty(2 * n, np.int64)
    while k < n:
        owner, first, last = owners[k], low, high
        while k < n and owners[k] == owner:
            if first < last:
                value, slope = 0.0, 0.0
                for j in range(p):
                    value += rows[k, j] * theta[j]
                    slope += rows[k, j] * direction[j]
                if slope > 0.0:
                    first = max(first, -value / slope)
                elif slope < 0.0:
                    last = min(last, -value / slope)
                elif value <= 0.0:
                    last = first
            k += 1
        if first < last:
            place[ends], step[ends] = first, 1
            place[ends + 1], step[ends + 1] = last, -1
            ends += 2
    order = np.argsort(place[:ends])
    best, equals, s = 0, 0, 0.5 * (low + high)
    for last_time in range(2):
        chosen, count, k, seen = int(draw * equals), 0, 0, 0
        while k < ends:
            here = place[order[k]]
            while k < ends and place[order[k]] == here:
                count += step[order[k]]
                k += 1
            if k == ends:
                break
            if last_time == 0 and count > best:
                best, equals = count, 0
            if count == best and count > 0:
                if last_time == 1 and seen == chosen:
                    s = 0.5 * (here + place[order[k]])
                seen += 1
                equals += 1 - last_time
    return s, best


@njit(cache=True, nogil=True)
def climb(rows, owners, start, n_sweeps, rng):  # type: ignore[no-untyped-def]
    """Sweep the orthant along many lines; the best parameters and their count.

    Lines lead to a unit vector, to a random point, or to the present one with some coordinates
    set to 0, and backwards; equally good points are accepted. After 60 sweeps that better
    nothing, the search starts anew, half of the time near the best. ``rng`` is a Generator.
    """
    p = rows.shape[1]
    theta = start / start.sum()
    best, best_theta = count_linked(rows, owners, theta), theta.copy()
    here, stale = best, 0
    target, direction = np.empty(p), np.empty(p)
    for _ in range(n_sweeps):
        kind, chosen = rng.integers(0, 3), rng.integers(0, p)
        total = 0.0
        for j in range(p):
            if kind == 0:
                target[j] = 1.0 if j == chosen else 0.0
            elif kind == 1:
                target[j] = rng.exponential()
            else:
                target[j] = theta[j] if j == chosen or rng.random() < 0.5 else 0.0
            total += target[j]
        if total <= 0.0:
            continue
        low, high = -np.inf, np.inf
        for j in range(p):
            direction[j] = target[j] / total - theta[j]
            if direction[j] > 0.0:
                low = max(low, -theta[j] / direction[j])
            elif direction[j] < 0.0:
                high = min(high, -theta[j] / direction[j])
        if not (np.isfinite(low) and np.isfinite(high)):
            continue
        s, count = sweep(rows, owners, theta, direction, low, high, rng.random())
        if count >= here:
            total = 0.0
            for j in range(p):
                theta[j] = max(theta[j] + s * direction[j], 0.0)
                total += theta[j]
            for j in range(p):
                theta[j] /= total
            here = count_linked(rows, owners, theta)
        stale += 1
        if here > best:
            best, stale = here, 0
            best_theta[:] = theta
        elif stale == 60:
            stale = 0
            near = rng.random() < 0.5
            total = 0.0
            for j in range(p):
                spread = rng.normal()
                theta[j] = best_theta[j] * np.exp(0.3 * spread) if near else np.exp(2.0 * spread)
                total += theta[j]
            for j in range(p):
                theta[j] /= total
            here = count_linked(rows, owners, theta)
    return best_theta, best
