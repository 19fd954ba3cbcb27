"""Can these records be linked together? Rows grown as needed, every *no* verified.

A *yes* comes with parameters, and is only ever trusted after a recount. A *no* comes with a
conflict: records ``C`` and multipliers ``lambda >= 0`` of some of their rows and of rows of the
cone with ``sum lambda_m row_m = 0`` up to rounding, a Farkas certificate. It holds if the family
confirms that the residual is below what the tie rule allows (`row_cache`), or if it is zero in
exact arithmetic (`farkas`); otherwise the answer is *undecided*, and nothing is concluded from it.

A check works with the few rows that mattered so far (`RowCache`) and asks for the ones it lacks.
Where presolve left all rows of the open records (`AllRows`), they are held and multiplied by
``theta`` at once; else (`NearestImpostors`) the index finds the nearest impostor.
"""

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

from sklearn_reclink.families import Family
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, solve, thin_out
from sklearn_reclink.solvers.farkas import combines_nearby
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import Problem
from sklearn_reclink.solvers.row_cache import CONE, RowCache, row_norms

_ROUNDS = 200  # of growing rows, before a question is given up as undecided


class AllRows:
    """Unit rows of all open records, in the order of their records."""

    def __init__(self, problem: Problem, presolved: Presolved) -> None:
        self.owners, self.impostors = presolved.records, presolved.impostors
        rows, magnitudes = problem.index.rows(problem.family, self.owners, self.impostors)
        norms = row_norms(rows)
        self.rows, self.magnitudes = rows / norms, magnitudes / norms
        n_records = problem.index.n_records
        self._first = np.zeros(n_records + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.owners, minlength=n_records), out=self._first[1:])

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each record the impostor of least margin, and that margin: at most 0 for a tie.

        ``theta`` are several parameters, (n_thetas, n_parameters); both answers are of shape
        (n_thetas, n_records).
        """
        first = self._first[records]
        sizes = self._first[records + 1] - first
        start = np.cumsum(sizes) - sizes
        chosen = np.arange(sizes.sum()) + np.repeat(first - start, sizes)
        if 4 * len(chosen) > len(self.rows):  # multiplying all rows is quicker than copying most
            margins = (self.rows @ theta.T)[chosen].T
        else:
            margins = theta @ self.rows[chosen].T
        least = np.minimum.reduceat(margins, start, axis=1)
        where = np.empty(least.shape, dtype=np.int64)
        for values, smallest, found in zip(margins, least, where, strict=True):
            hits = np.flatnonzero(values == np.repeat(smallest, sizes))
            found[:] = chosen[hits[np.searchsorted(hits, start)]]
        which, place = np.nonzero(np.abs(least) <= 1e-9 * np.linalg.norm(theta, axis=1)[:, None])
        magnitudes = self.magnitudes[where[which, place]]
        least[which, place] -= TIE_TOLERANCE * np.sum(magnitudes * np.abs(theta[which]), axis=1)
        return self.impostors[where], least

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same of one ``theta``, (n_records,), with the margins of unit rows."""
        impostors, margins = self.worst(theta[None], records)
        return impostors[0], margins[0]


class NearestImpostors:
    """The same by distances of the problem, when rows are too many to hold."""

    def __init__(self, problem: Problem) -> None:
        self._family, self._index = problem.family, problem.index

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._index.nearest_impostors(self._family, theta, records)

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a large file only the nearest impostors are asked."""
        impostors, margins = np.empty(len(records), dtype=np.int64), np.empty(len(records))
        if not self._index.is_dense:
            impostors = self.worst(theta[None], records)[0][0]
            rows, _ = self._index.rows(self._family, records, impostors)
            return impostors, rows @ theta / row_norms(rows)[:, 0]
        every = np.arange(self._index.n_masked)
        for place, record in enumerate(records):
            others = every[every != record]
            own, other = self._index.features(self._family, np.array([record]), others)
            rows = other - own
            unit = rows @ theta / np.maximum(np.linalg.norm(rows, axis=1), np.finfo(float).tiny)
            impostors[place] = others[np.argmin(unit)]
            margins[place] = unit.min()
        return impostors, margins


@dataclass(frozen=True)
class Answer:
    """``theta`` if the records can be linked together, else ``conflict``; neither: undecided.

    ``suspects`` of an undecided answer seem to be in conflict, without proof.
    """

    theta: np.ndarray | None = None
    conflict: np.ndarray | None = None
    suspects: np.ndarray | None = None


class Feasibility:
    """Answers for sets of records, with the rows found so far.

    Attributes
    ----------
    open : ndarray of int
        The records that presolve left to decide, of which questions are asked.
    cache : RowCache
        The rows found so far.
    deadline : float
        By `time.monotonic`; questions after it stay undecided.
    forced : ndarray of int
        Records that join every question and are left out of every conflict.
    """

    def __init__(self, problem: Problem, presolved: Presolved, deadline: float = np.inf) -> None:
        self.problem = problem
        self.deadline = deadline
        self.open = presolved.open
        self.source: AllRows | NearestImpostors = (
            AllRows(problem, presolved) if presolved.complete else NearestImpostors(problem)
        )
        self.forced = np.empty(0, dtype=np.int64)
        self.cache = RowCache(problem)
        self._tight = np.empty(0, dtype=np.int64)  # rows that the last yes rests on

    def twin(self) -> "Feasibility":
        """Another one of the same problem, with rows of its own."""
        other = copy(self)
        other.cache = self.cache.fresh()
        other._tight = self._tight[:0]
        return other

    def part(self, records: np.ndarray) -> "Feasibility":
        """Another one of some of the open records, with their rows found so far."""
        other = self.twin()
        other.open, other.forced = records, records[:0]
        known = np.isin(self.cache.owners, records)
        other.cache.add_pairs(self.cache.owners[known], self.cache.impostors[known])
        return other

    def check(self, records: np.ndarray) -> Answer:
        """Whether some admissible parameters link all of these records, and the forced ones."""
        wanted = np.union1d(records, self.forced)
        theta = self.problem.family.centre
        for _ in range(_ROUNDS):
            if time.monotonic() >= self.deadline:
                break
            known = self.check_known(records)
            if known.theta is None:
                return known
            theta = known.theta
            admissible = self._admissible(theta, wanted)
            if admissible is not None:
                return Answer(theta=admissible)
        linked = self.satisfied(self.problem.family.repair(theta), wanted)
        return Answer(suspects=self._not_forced(wanted[~linked]))

    def check_known(self, records: np.ndarray) -> Answer:
        """The same as far as the rows found so far tell: only a *no* can be relied on."""
        asked = self.cache.asked(np.append(records, self.forced))
        wanted, start = np.flatnonzero(asked), self._tight[asked[self._tight]]
        status, size, theta, active, multipliers = solve(
            self.cache.rows, self.cache.right, wanted, len(wanted), start, len(start)
        )
        support, multipliers = active[:size], multipliers[:size]
        if status == FEASIBLE:
            self._tight = support
            return Answer(theta=theta if theta.any() else self.problem.family.centre)
        conflict = None
        if status == INFEASIBLE:
            conflict = self.cache.conflict_of(support, multipliers)
        if conflict is not None:
            return Answer(conflict=self._not_forced(conflict))
        return Answer(suspects=self._not_forced(self.cache.owners_of(support)))

    def _not_forced(self, records: np.ndarray) -> np.ndarray:
        return records[np.isin(records, self.forced, invert=True)] if len(self.forced) else records

    def _admissible(self, theta: np.ndarray, records: np.ndarray) -> np.ndarray | None:
        """``theta`` made truly admissible; None if rows were added instead."""
        if self._grow(theta, records):
            return None
        family = self.problem.family
        repaired = family.repair(theta)
        if np.array_equal(repaired, theta) or self.satisfied(repaired, records).all():
            return repaired
        if self._grow(repaired, records):
            return None
        cuts = family.separate(theta)
        if not len(cuts):
            return theta
        self.cache.add_cone(cuts)
        return None

    def _grow(self, theta: np.ndarray, records: np.ndarray) -> bool:
        """Add the rows of records that ``theta`` violates, if there are any."""
        if not len(records):
            return False
        impostors, margins = self.source.worst(theta[None], records)
        violated = margins[0] <= 0
        return self.cache.add_pairs(records[violated], impostors[0, violated]) > 0

    def satisfied(self, theta: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Which of the records have only positive rows, (n_records,) of bool; not a count."""
        if not len(records):
            return np.empty(0, dtype=bool)
        return np.asarray(self.source.worst(theta[None], records)[1][0] > 0)

    def deepest(self, records: np.ndarray) -> np.ndarray | None:
        """The admissible parameters of largest margin among those that link the records."""
        theta = None
        for _ in range(_ROUNDS):
            answer = self.check(records)
            if answer.theta is None:
                break
            theta = answer.theta
            impostors, margins = self.source.narrowest(theta, records)
            narrow = margins < 1 - 1e-6
            if not self.cache.add_pairs(records[narrow], impostors[narrow]):
                break
        return theta

    def minimise(self, conflict: np.ndarray, optional: np.ndarray | None = None) -> np.ndarray:
        """A conflict that can spare none of its records, the last tried first (deletion filter).

        With ``optional``, a mask of the conflict, only those of them that can be spared go.
        """
        cache = self.cache
        if optional is None:
            optional = np.ones(len(conflict), dtype=bool)
        while optional.any() and len(conflict) > 1 and time.monotonic() < self.deadline:
            place = np.full(self.problem.index.n_records + 1, -2)
            place[self.forced] = place[CONE] = place[conflict] = -1
            place[conflict[optional]] = np.arange(np.count_nonzero(optional))
            groups = place[cache.owners]
            wanted = np.flatnonzero(groups > -2)
            support, multipliers, _, witnesses = thin_out(
                cache.rows, cache.right, wanted, groups[wanted], np.count_nonzero(optional)
            )
            left = np.ones(len(conflict), dtype=bool)
            if len(support):
                found = cache.conflict_of(support, multipliers)
                if found is None:
                    break
                left = np.isin(conflict, found)
            witnesses = witnesses[left[optional]]
            conflict, optional = conflict[left], optional[left]
            if not self._grow_by_witnesses(conflict, np.flatnonzero(optional), witnesses):
                break
        return conflict

    def _grow_by_witnesses(
        self, conflict: np.ndarray, spared: np.ndarray, witnesses: np.ndarray
    ) -> bool:
        """Add the rows violated by parameters that seem to link all of a conflict but one.

        ``spared`` are the places of those that the witnesses do without.
        """
        seen = witnesses.any(axis=1)
        spared, witnesses = spared[seen], witnesses[seen]
        if not len(spared):
            return False
        impostors, margins = self.source.worst(witnesses, conflict)
        margins[np.arange(len(spared)), spared] = np.inf
        which, place = np.nonzero(margins <= 0)
        return self.cache.add_pairs(conflict[place], impostors[which, place]) > 0


def share_rows(everyone: Sequence[Feasibility]) -> None:
    """Let every one know the rows that the others have found since they last shared."""
    found = [one.cache.new_rows() for one in everyone]
    for place, one in enumerate(everyone):
        for other, rows in enumerate(found):
            if other != place:
                one.cache.add_found(rows)


def compile_kernels(family: Family) -> None:
    """Load or compile the kernels of feasibility checks."""
    rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    with no_collection():
        thin_out(rows, np.ones(3), np.arange(3), np.arange(3), 3)
        if not family.whole_rows:  # else what ties allow is nearly always enough
            combines_nearby(rows, np.abs(rows), np.ones(3))


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause the garbage collector, which takes a fifth of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def one_thread() -> AbstractContextManager[Any]:
    """Keep the linear algebra on one thread: products here are small, threads get in the way."""
    return _linear_algebra().limit(limits=1)


def n_threads(n_jobs: int | None) -> int:
    """The threads of this machine that ``n_jobs`` asks for."""
    return int(min(effective_n_jobs(n_jobs), cpu_count()))


@lru_cache
def _linear_algebra() -> ThreadpoolController:
    """The libraries loaded, looked for once: that takes as long as a tenth of a small fit."""
    return ThreadpoolController()
