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
near 1 or near 1e-6. `OpenCells` takes the cell of largest bound, `explore` searches below it depth
first and returns after some work what is still open. So the largest bound of the
open cells is valid at any time, workers share cells through a heap, and nothing waits long.

Ties
----
By the rule of `ties` a record is linked only if ``r . theta > t . theta``, ``t = TIE_TOLERANCE m``
with the magnitudes ``m >= |r|``; this is linear because ``theta >= 0``. *Lost* is judged with the
weak rows ``r - 0.9 t``. Interpolating a corner's value adds at most ``3 * 2**-53 m . v``, in which
errors of older corners combine like the corners themselves; so after at most 200 generations the
error is below ``0.07 t . v``, certificates may leave ``0.02 t . v``, and what is lost here is lost
by the rule. Dropping rows never needs care: it only raises a bound (`rows`). *Linked* is judged
with ``r - 1.01 t``, so a recount agrees. A cell decided by weak rows whose middle does not clearly
link as many lies in a corner of a region; there the active-set method decides whether those
records can be linked at all (`settling`). What neither settles stays open, and the bound includes
it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.solvers import problem as linkage
from sklearn_reclink.solvers.cells.open_cells import MOST_BYTES, Count, OpenCells
from sklearn_reclink.solvers.cells.rows import CellRows, NearestRows, Rows, spread_thetas
from sklearn_reclink.solvers.feasibility import n_threads


@dataclass(frozen=True)
class CellProof:
    """The most records linked, and the most that any parameters of the cone could link.

    Both count the records that own rows, or all that were named; ``theta`` is None when nothing
    was found.
    """

    theta: np.ndarray | None
    n_linked: int
    bound: int
    n_cells: int

    @property
    def finished(self) -> bool:
        return self.n_linked == self.bound


def prove_by_cells(
    rows: np.ndarray,
    magnitudes: np.ndarray,
    owners: np.ndarray,
    generators: np.ndarray,
    *,
    theta: np.ndarray | None = None,
    at_least: int = 0,
    deadline: float = np.inf,
    review: float = np.inf,
    near: int = 0,
    n_jobs: int | None = None,
    n_records: int | None = None,
    count: Count | None = None,
    most_bytes: int = MOST_BYTES,
) -> CellProof:
    """Bound the records that any parameters of a cone link, until it meets the best found.

    Parameters
    ----------
    rows, magnitudes : ndarray of shape (n_rows, n_parameters)
        Rows of the records to decide, in any scale, and what ties are judged by.
    owners : ndarray of shape (n_rows,)
        The record of each row.
    generators : ndarray of shape (n_parameters, n_parameters)
        Independent rays, non-negative, whose combinations are the admissible parameters.
    theta : ndarray of shape (n_parameters,) or None
        Parameters to start from.
    at_least : int
        Links of these records known to be possible: only more are looked for.
    deadline, n_jobs : float, int or None
        By `time.monotonic`, and the number of threads.
    review, near : float, int
        From the time ``review`` on the search ends if its bound is not within ``near`` of the best.
    n_records : int or None
        Records, numbered from 0; by default those that own rows.
    count : callable or None
        Takes parameters and returns how many of the records they link, and rows that they violate
        and were not known, in the order of records. By default the rows given are all rows.
    most_bytes : int
        What open cells may hold; a cell without its rows takes longer to open again.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.solvers.cells.search import prove_by_cells
    >>> rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    >>> proof = prove_by_cells(rows, np.abs(rows), np.array([0, 1, 2]), np.eye(2))
    >>> proof.n_linked, proof.bound
    (2, 2)
    """
    _check_generators(generators, rows.shape[1])
    if not len(rows):
        return CellProof(theta, at_least, max(at_least, n_records or 0), 0)
    held = CellRows(Rows(rows, magnitudes, owners), generators, n_records)
    search = OpenCells(held, count, at_least, deadline, most_bytes, review, near)
    if theta is not None:
        search.offer(np.maximum(np.linalg.solve(held.generators.T, theta), 0.0))
    search.run(n_threads(n_jobs))
    return CellProof(search.theta, search.best, search.bound, search.n_cells)


def _check_generators(generators: np.ndarray, p: int) -> None:
    if generators.shape != (p, p) or np.linalg.matrix_rank(generators) < p:
        raise ValueError(f"{p} parameters need {p} independent generators of their cone.")
    if (generators < 0).any():
        raise ValueError("a generator has a negative entry: ties are not linear on its cone.")


def prove_with_few_rows(
    problem: linkage.Problem, records: np.ndarray, theta: np.ndarray | None, **options: Any
) -> CellProof:
    """The same of some records of a file with too many rows to hold.

    The first rows are those of the nearest impostors by ``theta``, by single parameters and by some
    parameters in between; the others are found as points violate them.
    """
    source, generators = NearestRows(problem, records), problem.family.generators
    assert generators is not None
    rows = source.start(spread_thetas(problem.family, theta), options.get("deadline", np.inf))
    return prove_by_cells(
        rows.values,
        rows.magnitudes,
        rows.owners,
        generators,
        n_records=len(records),
        count=source.count,
        **options,
    )


def compile_kernels() -> None:
    """Load or compile the kernels of the proof."""
    rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    prove_by_cells(rows, np.abs(rows), np.arange(3), np.eye(2))
