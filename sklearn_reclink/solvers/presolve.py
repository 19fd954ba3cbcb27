"""Reductions that leave the optimum unchanged, each with its proof.

Let ``c_ij`` be the squared differences of record ``i`` and masked record ``j``. A monotone
distance (weighted mean, OWA, Choquet) never falls when a component of ``c`` grows, and grows
by the factor ``s`` when all of ``c`` does.

*Never linked.* If ``c_ij <= c_ii`` in every variable, or is tied with it (`search.ties`), then
``d_ij <= d_ii`` or they are tied, for all parameters: ``i`` is not re-identified
(`Index.dominated`).

*Harmless impostor.* If ``c_ij > s c_ii`` in every variable with ``s`` just above 1, then
``d_ij > s d_ii``: ``j`` never beats the own record, and its row can go.

*Dominated row.* If ``c_ij <= c_ij'`` in every variable then ``d_ij <= d_ij'``: a record that
beats ``j`` beats ``j'``, and the row of ``j'`` can go. Of equal ones the first stays.

*Always linked.* A record with no row left is re-identified by all parameters.

For a distance that is not monotone only an impostor with the very same masked values (a zero
row) is known to defeat a record. Its rows, and those of a monotone distance among very many masked
records, are grown by the solver, as parameters violate them.
"""

import time
from dataclasses import dataclass

import numpy as np
from numba import njit

from sklearn_reclink.search import Index
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree.mixed import squared
from sklearn_reclink.solvers.problem import Problem

_CLEAR = 1 + 4 * TIE_TOLERANCE
_BATCH_BYTES = 2**24
_BATCH_WORK = 2**26
MOST_PAIRS = 25_000_000


@njit(nogil=True, forceinline=True)
def _square(a, b, caps, k):  # type: ignore[no-untyped-def]
    """The squared difference; without caps, of numbers that are not missing."""
    return squared(a, b, caps[k]) if caps.shape[0] else (a - b) ** 2


@njit("(f8[:,::1], f8[:,::1], f8[:], i8[:], i8[:,:], i8[:,:], i8[:])", cache=True, nogil=True)
def _fronts(original, masked, caps, records, order, fronts, sizes):  # type: ignore[no-untyped-def]
    """The impostors of records that are neither harmless nor dominated, nearest first.

    ``order`` holds all masked records of each, nearest first; ``fronts`` is filled from the left.
    """
    n_features = original.shape[1]
    own = np.empty(n_features)
    c = np.empty(n_features)
    for r in range(records.shape[0]):
        i = records[r]
        for k in range(n_features):
            own[k] = _square(original[i, k], masked[i, k], caps, k)
        size = 0
        for place in range(order.shape[1]):
            j = order[r, place]
            harmless = True
            for k in range(n_features):
                c[k] = _square(original[i, k], masked[j, k], caps, k)
                if c[k] <= _CLEAR * own[k]:
                    harmless = False
            if harmless or j == i:
                continue
            dominated = False
            for m in range(size):
                dominated = True
                for k in range(n_features):
                    if _square(original[i, k], masked[fronts[r, m], k], caps, k) > c[k]:
                        dominated = False
                        break
                if dominated:
                    break
            if not dominated:
                fronts[r, size] = j
                size += 1
        sizes[r] = size


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


def presolve(
    problem: Problem, *, most_pairs: int = MOST_PAIRS, deadline: float = np.inf
) -> Presolved:
    """Apply every reduction that the distance allows.

    Beyond ``most_pairs`` pairs of records the rows of a monotone distance are too many to hold;
    where records differ in many variables, they may also be too many to find by the ``deadline``.
    """
    index = problem.index
    if not problem.family.monotone:
        masked = np.nan_to_num(index.masked, nan=np.inf)  # which no record has
        _, kinds, counts = np.unique(masked, axis=0, return_inverse=True, return_counts=True)
        return _without_rows(counts[kinds.ravel()[: index.n_records]] > 1)
    if index.n_records * index.n_masked > most_pairs:
        return _without_rows(index.dominated)
    candidates = np.flatnonzero(~index.dominated)
    fronts = _fronts_of(index, candidates, deadline)
    if fronts is None:
        return _without_rows(index.dominated)
    sizes = np.array([len(front) for front in fronts], dtype=np.int64)
    return Presolved(
        never=np.flatnonzero(index.dominated),
        always=candidates[sizes == 0],
        open=candidates[sizes > 0],
        records=np.repeat(candidates, sizes),
        impostors=np.concatenate([*fronts, np.empty(0, np.int64)]),
        complete=True,
    )


def _fronts_of(index: Index, records: np.ndarray, deadline: float) -> list[np.ndarray] | None:
    """The fronts of all records; None if there is no time for them."""
    found = []
    caps = np.zeros(0) if index.caps is None else index.caps
    # some tenths of a second, should no impostor dominate another
    size = max(1, min(_BATCH_BYTES // (8 * index.masked.size), _BATCH_WORK // index.n_masked**2))
    for start in range(0, len(records), size):
        if time.monotonic() >= deadline:
            return None
        batch = records[start : start + size]
        totals = np.zeros((len(batch), index.n_masked))
        for k in range(index.original.shape[1]):
            totals += index.squares(k, batch[:, None], slice(None))
        order = np.argsort(totals, axis=1, kind="stable")
        fronts, sizes = np.empty_like(order), np.empty(len(batch), dtype=np.int64)
        _fronts(index.original, index.masked, caps, batch, order, fronts, sizes)
        found += [front[:n].copy() for front, n in zip(fronts, sizes, strict=True)]
    return found


def _without_rows(never: np.ndarray) -> Presolved:
    """No rows yet: the solver grows them, as parameters violate them."""
    nothing = np.empty(0, np.int64)
    return Presolved(
        np.flatnonzero(never), nothing, np.flatnonzero(~never), nothing, nothing, complete=False
    )
