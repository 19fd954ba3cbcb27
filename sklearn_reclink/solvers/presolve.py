"""Reductions that leave the optimum unchanged, each with its proof.

Let ``c_ij`` be the squared differences of record ``i`` and masked record ``j``. A monotone
distance (weighted mean, OWA, Choquet) never falls when a component of ``c`` grows, and grows
by the factor ``s`` when all of ``c`` does.

*Never linked.* If ``c_ij <= c_ii`` in every variable, or is tied with it (`ties`), then
``d_ij <= d_ii`` or they are tied, for all parameters: ``i`` is not re-identified. The records left
are the **ceiling** of every monotone attacker, known without any optimisation.

*Harmless impostor.* If ``c_ij > s c_ii`` in every variable with ``s`` just above 1, then
``d_ij > s d_ii``: ``j`` never beats the own record, and its row can go.

*Dominated row.* If ``c_ij <= c_ij'`` in every variable then ``d_ij <= d_ij'``: a record that
beats ``j`` beats ``j'``, and the row of ``j'`` can go. Of equal ones the first stays.

*Always linked.* A record with no row left is re-identified by all parameters.

For a distance that is not monotone only an impostor with the very same masked values (a zero
row) is known to defeat a record. Its rows, and those of a monotone distance among very many masked
records, are grown by the solver, as parameters violate them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree import build, someone_in_box
from sklearn_reclink.solvers.problem import LinkageProblem

# Half the tolerance, so that rounding cannot part this file's judgement from a recount.
_TIED = 0.5 * TIE_TOLERANCE
_CLEAR = 1 + 4 * TIE_TOLERANCE

_CHUNK = 4096  # records a worker searches at once
_MOST_FRONTS = 5000  # masked records, beyond which fronts are too long to hold


@njit(cache=True, nogil=True)
def _beats(first, second):  # type: ignore[no-untyped-def]
    for k in range(first.shape[0]):
        if first[k] > second[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _harmful_front(c, record):  # type: ignore[no-untyped-def]
    """The impostors of one record that are neither harmless nor dominated, nearest first."""
    n_records, n_features = c.shape
    own = c[record]
    total = np.empty(n_records)
    for j in range(n_records):
        total[j] = np.sum(c[j])
        harmless = j != record
        for k in range(n_features):
            if c[j, k] <= _CLEAR * own[k]:
                harmless = False
                break
        if harmless or j == record:
            total[j] = np.inf
    order = np.argsort(total, kind="mergesort")
    front = np.empty(n_records, np.int64)
    size = 0
    for j in order:
        if total[j] == np.inf:
            break
        dominated = False
        for m in range(size):
            if _beats(c[front[m]], c[j]):
                dominated = True
                break
        if not dominated:
            front[size] = j
            size += 1
    return front[:size].copy()


@dataclass(frozen=True)
class Presolved:
    """What is left to decide.

    Attributes
    ----------
    never, always : ndarray of int
        Records that no, or all, admissible parameters link.
    open : ndarray of int
        The other records.
    records, impostors : ndarray of int
        The rows to start from, as pairs; all rows of the open records if ``complete``.
    complete : bool
        Whether a record that satisfies its rows here is linked.
    """

    never: np.ndarray
    always: np.ndarray
    open: np.ndarray
    records: np.ndarray
    impostors: np.ndarray
    complete: bool


def beaten_records(
    original: np.ndarray, masked: np.ndarray, n_jobs: int | None = None
) -> np.ndarray:
    """Records that an impostor matches or beats in every variable, (n_records,) of bool.

    Masked records beyond those of the original ones are impostors too. A tree finds the answers
    in time near-linear in the records.
    """
    original = np.ascontiguousarray(original, dtype=float)
    tree = build(masked)
    rows = tree.rows[tree.rows < len(original)]  # neighbours walk the same branches
    chunks = [rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK)]
    # a chunk takes milliseconds: never worth sending the tree to another process
    found = Parallel(n_jobs=n_jobs if len(chunks) > 1 else 1, require="sharedmem")(
        delayed(someone_in_box)(tree, original[chunk], chunk, _TIED) for chunk in chunks
    )
    beaten = np.empty(len(original), dtype=bool)
    for chunk, answers in zip(chunks, found, strict=True):
        beaten[chunk] = answers
    return beaten


def linkage_ceiling(original: np.ndarray, masked: np.ndarray, n_jobs: int | None = None) -> int:
    """How many records a monotone attacker can link at the very most."""
    return int(len(original) - beaten_records(original, masked, n_jobs).sum())


def presolve(problem: LinkageProblem, n_jobs: int | None = None) -> Presolved:
    """Apply every reduction that the distance allows."""
    if problem.monotone:
        return _presolve_monotone(problem, n_jobs)
    return _presolve_general(problem)


def _presolve_monotone(problem: LinkageProblem, n_jobs: int | None) -> Presolved:
    beaten = beaten_records(problem.original, problem.masked, n_jobs)
    if problem.n_masked > _MOST_FRONTS:
        return _lazy(beaten)
    fronts = {
        i: _harmful_front(problem.squared_differences(i), i)
        for i in np.flatnonzero(~beaten).tolist()
    }
    still_open = np.array([i for i, front in fronts.items() if len(front)], dtype=np.int64)
    always = np.array([i for i, front in fronts.items() if not len(front)], dtype=np.int64)
    return Presolved(
        never=np.flatnonzero(beaten),
        always=always,
        open=still_open,
        records=np.repeat(still_open, [len(fronts[i]) for i in still_open]),
        impostors=np.concatenate([fronts[i] for i in still_open] or [np.empty(0, np.int64)]),
        complete=True,
    )


def _presolve_general(problem: LinkageProblem) -> Presolved:
    _, first, counts = np.unique(problem.masked, axis=0, return_inverse=True, return_counts=True)
    duplicated = counts[first.ravel()[: problem.n_records]] > 1
    return _lazy(duplicated)


def _lazy(never: np.ndarray) -> Presolved:
    """No rows yet: the solver grows them, as parameters violate them."""
    nothing = np.empty(0, np.int64)
    return Presolved(
        np.flatnonzero(never), nothing, np.flatnonzero(~never), nothing, nothing, complete=False
    )


def compile_kernels() -> None:
    """Load or compile the kernels of this file."""
    square = np.eye(2)
    beaten_records(square, square)
    _harmful_front(square, 0)
