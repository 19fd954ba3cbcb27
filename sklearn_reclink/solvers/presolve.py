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

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree.mixed import squared
from sklearn_reclink.solvers.problem import Problem

_CLEAR = 1 + 4 * TIE_TOLERANCE
_BATCH_BYTES = 2**20  # of one file of differences: the caches hold it
_BATCH_WORK = 2**26
MOST_PAIRS = 25_000_000
MOST_CELL_PARAMETERS = 8  # of a family that cells serve


@njit(nogil=True, forceinline=True)
def _square(a, b, caps, k):  # type: ignore[no-untyped-def]
    """The squared difference; without caps, of numbers that are not missing."""
    return squared(a, b, caps[k]) if caps.shape[0] else (a - b) ** 2


@njit("(f8[:,::1], f8[:,::1], f8[:], i8[:], i8[:], i8[:], i8[:])", cache=True, nogil=True)
def _fronts(original, masked, caps, records, impostors, ends, sizes):  # type: ignore[no-untyped-def]
    """Move the impostors of each record that are not dominated to the left, and count them.

    ``impostors[ends[r - 1] : ends[r]]`` are those of ``records[r]``, nearest first.
    """
    n_features = original.shape[1]
    c = np.empty(n_features)
    start = 0
    for r in range(records.shape[0]):
        i, size = records[r], 0
        for place in range(start, ends[r]):
            j = impostors[place]
            for k in range(n_features):
                c[k] = _square(original[i, k], masked[j, k], caps, k)
            dominated = False
            for m in range(start, start + size):
                dominated = True
                for k in range(n_features):
                    if _square(original[i, k], masked[impostors[m], k], caps, k) > c[k]:
                        dominated = False
                        break
                if dominated:
                    break
            if not dominated:
                impostors[start + size] = j
                size += 1
        sizes[r] = size
        start = ends[r]


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
        impostors, ends = _harmful(index, batch)
        sizes = np.empty(len(batch), dtype=np.int64)
        _fronts(index.original, index.masked, caps, batch, impostors, ends, sizes)
        starts = np.append(0, ends[:-1])
        found += [impostors[at : at + n].copy() for at, n in zip(starts, sizes, strict=True)]
    return found


def _harmful(index: Index, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The impostors that are not harmless, nearest first, one record after another.

    Those of a record end where the second array, (n_records,), says.
    """
    totals = np.zeros((len(records), index.n_masked))
    harmful = np.zeros(totals.shape, dtype=bool)
    for k in range(index.original.shape[1]):
        squares = index.squares(k, records[:, None], slice(None))
        harmful |= squares <= _CLEAR * index.squares(k, records, records)[:, None]
        totals += squares
    harmful[np.arange(len(records)), records] = False
    places, impostors = np.nonzero(harmful)
    order = np.lexsort((totals[places, impostors], places))
    return impostors[order], np.cumsum(np.bincount(places, minlength=len(records)))


def _without_rows(never: np.ndarray) -> Presolved:
    """No rows yet: the solver grows them, as parameters violate them."""
    nothing = np.empty(0, np.int64)
    return Presolved(
        np.flatnonzero(never), nothing, np.flatnonzero(~never), nothing, nothing, complete=False
    )


def cells_apply(family: Family) -> bool:
    """Whether cells serve a family: a monotone one of few parameters, with a simplicial cone."""
    few = family.n_parameters <= MOST_CELL_PARAMETERS
    return family.monotone and family.generators is not None and few
