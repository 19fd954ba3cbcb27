"""Can these records be linked together? Rows grown as needed, every *no* verified.

A *yes* comes with parameters, and is only ever trusted after a recount. A *no* comes with a
conflict: records ``C`` and multipliers ``lambda >= 0`` of some of their rows and of domain rows
with ``sum lambda_m row_m = 0`` up to rounding. It stands if the domain confirms that the
residual is below what the tie rule allows (`ties`), or if it is zero in exact arithmetic
(`certificate`); otherwise the answer is *undecided*, and nothing is concluded from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.presolve import Presolved
from sklearn_reclink.problem import LinkageProblem
from sklearn_reclink.solvers.engine import FEASIBLE, INFEASIBLE, least_norm, thin_out
from sklearn_reclink.solvers.row_store import DOMAIN, RowStore
from sklearn_reclink.solvers.threats import AllRows, NearestImpostors, Threats

_ROUNDS = 200  # of growing rows, before a question is given up as undecided


@dataclass(frozen=True)
class Answer:
    """``theta`` if the records can be linked together, else ``conflict``; neither: undecided.

    ``suspects`` of an undecided answer seem to be in conflict, without proof.
    """

    theta: np.ndarray | None = None
    conflict: np.ndarray | None = None
    suspects: np.ndarray | None = None


@dataclass(frozen=True)
class Thinned:
    """A minimal conflict, and the pairs whose rows were found on the way."""

    conflict: np.ndarray
    records: np.ndarray
    impostors: np.ndarray


class Oracle:
    """Answers for sets of records, with the rows found so far.

    Attributes
    ----------
    store : RowStore
        The rows found so far.
    deadline : float
        By `time.monotonic`; questions after it stay undecided.
    forced : ndarray of int
        Records that join every question and are left out of every conflict.
    """

    def __init__(
        self, problem: LinkageProblem, presolved: Presolved, deadline: float = np.inf
    ) -> None:
        self.problem = problem
        self.deadline = deadline
        self.threats: Threats = (
            AllRows(problem, presolved) if presolved.complete else NearestImpostors(problem)
        )
        self.n_never = len(presolved.never)
        self.forced = np.empty(0, dtype=np.int64)
        self.store = RowStore(problem)
        self._tight = np.empty(0, dtype=np.int64)  # rows that the last yes rests on

    def ask(self, records: np.ndarray) -> Answer:
        """Whether some admissible parameters link all of these records, and the forced ones."""
        records = np.union1d(records, self.forced)
        theta = self.problem.domain.centre
        support = self._tight[self.store.asked(records)[self._tight]]
        for _ in range(_ROUNDS):
            if time.monotonic() >= self.deadline:
                break
            status, theta, support, multipliers = least_norm(
                self.store.rows,
                self.store.right,
                np.flatnonzero(self.store.asked(records)),
                support,
            )
            conflict = None
            if status == INFEASIBLE:
                conflict = self.store.conflict_of(support, multipliers)
            if conflict is not None:
                return Answer(conflict=np.setdiff1d(conflict, self.forced))
            if status != FEASIBLE:
                return Answer(suspects=np.setdiff1d(self.store.owners_of(support), self.forced))
            admissible = self._admissible(theta, records)
            if admissible is not None:
                self._tight = support
                return Answer(theta=admissible)
        linked = self.satisfied(self.problem.domain.repair(theta), records)
        return Answer(suspects=np.setdiff1d(records[~linked], self.forced))

    def _admissible(self, theta: np.ndarray, records: np.ndarray) -> np.ndarray | None:
        """``theta`` made truly admissible; None if rows were added instead."""
        if self._grow(theta, records):
            return None
        domain = self.problem.domain
        repaired = domain.repair(theta)
        if not repaired.any() or self.satisfied(repaired, records).all():
            return repaired
        if self._grow(repaired, records):
            return None
        cuts = domain.separate(theta)
        if not len(cuts):
            return theta
        self.store.add_domain(cuts)
        return None

    def _grow(self, theta: np.ndarray, records: np.ndarray) -> bool:
        """Add the rows of records that ``theta`` violates, if there are any."""
        if not len(records):
            return False
        if not theta.any():  # no rows yet
            theta = self.problem.domain.centre
        impostors, margins = self.threats.worst(theta[None], records)
        violated = margins[0] <= 0
        return self.store.add_pairs(records[violated], impostors[0, violated]) > 0

    def satisfied(self, theta: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Which of the records have only positive rows, (n_records,) of bool; not a count."""
        if not len(records):
            return np.empty(0, dtype=bool)
        return np.asarray(self.threats.worst(theta[None], records)[1][0] > 0)

    def deepest(self, records: np.ndarray) -> np.ndarray | None:
        """The admissible parameters of largest margin among those that link the records."""
        theta = None
        for _ in range(_ROUNDS):
            answer = self.ask(records)
            if answer.theta is None:
                break
            theta = answer.theta
            impostors, margins = self.threats.narrowest(theta, records)
            narrow = margins < 1 - 1e-6
            if not self.store.add_pairs(records[narrow], impostors[narrow]):
                break
        return theta

    def minimise(self, conflict: np.ndarray) -> np.ndarray:
        """A conflict that can spare none of its records, the last tried first."""
        thinned = self.thinning(conflict)()
        self.store.add_pairs(thinned.records, thinned.impostors)
        return thinned.conflict

    def thinning(self, conflict: np.ndarray) -> Callable[[], Thinned]:
        """The work of `minimise`, to be done in any thread: it keeps to rows of its own."""
        store = self.store.only(np.append(conflict, self.forced))
        forced = self.forced
        return lambda: _thin(store, self.threats, conflict, forced)


def _thin(store: RowStore, threats: Threats, conflict: np.ndarray, forced: np.ndarray) -> Thinned:
    """Leave records out of a conflict, the last first, while it stands (deletion filter)."""
    n_known = len(store.rows)
    while len(conflict) > 1:
        place = np.full(store.problem.n_records + 1, -2)
        place[forced] = place[DOMAIN] = -1
        place[conflict] = np.arange(len(conflict))
        groups = place[store.owners]
        wanted = np.flatnonzero(groups > -2)
        support, multipliers, alive, witnesses = thin_out(
            store.rows, store.right, wanted, groups[wanted], len(conflict)
        )
        if len(support):
            found = store.conflict_of(support, multipliers)
            if found is None:
                break
            alive = np.isin(conflict, found)
        conflict = conflict[alive]
        if not _grow_by_witnesses(store, threats, conflict, witnesses[alive]):
            break
    return Thinned(conflict, store.owners[n_known:], store.impostors[n_known:])


def _grow_by_witnesses(
    store: RowStore, threats: Threats, conflict: np.ndarray, witnesses: np.ndarray
) -> bool:
    """Add the rows violated by parameters that seem to link all of a conflict but one."""
    spared = np.flatnonzero(witnesses.any(axis=1))
    if not len(spared):
        return False
    impostors, margins = threats.worst(witnesses[spared], conflict)
    margins[np.arange(len(spared)), spared] = np.inf
    which, place = np.nonzero(margins <= 0)
    return store.add_pairs(conflict[place], impostors[which, place]) > 0
