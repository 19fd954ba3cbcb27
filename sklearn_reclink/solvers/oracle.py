"""Can these records be linked together? Rows grown as needed, every *no* verified.

A *yes* comes with parameters, and is only ever trusted after a recount. A *no* comes with a
conflict: records ``C`` and multipliers ``lambda >= 0`` of some of their rows and of domain rows
with ``sum lambda_m row_m = 0`` up to rounding. It stands if the domain confirms that the
residual is below what the tie rule allows (`ties`); otherwise the answer is *undecided*, and
nothing is concluded from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.presolve import Presolved
from sklearn_reclink.problem import LinkageProblem
from sklearn_reclink.solvers.engine import FEASIBLE, INFEASIBLE, least_norm
from sklearn_reclink.ties import TIE_TOLERANCE

DOMAIN = -1


@dataclass(frozen=True)
class Answer:
    """``theta`` if the records can be linked together, else ``conflict``; neither: undecided."""

    theta: np.ndarray | None = None
    conflict: np.ndarray | None = None


class Oracle:
    """Answers for sets of records, with the rows found so far.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_parameters)
        Unit rows, of the domain first.
    magnitudes : ndarray of shape (n_rows, n_parameters)
        What ties are judged by, in the same units.
    owners : ndarray of shape (n_rows,)
        The record of each row, or DOMAIN.
    """

    def __init__(self, problem: LinkageProblem, presolved: Presolved) -> None:
        self.problem = problem
        self.complete = presolved.complete
        self.n_never = len(presolved.never)
        self.rows = np.empty((0, problem.n_parameters))
        self.magnitudes = np.empty((0, problem.n_parameters))
        self.owners = np.empty(0, dtype=np.int64)
        self._by_owner: dict[int, np.ndarray] = {}
        self._add_domain_rows(problem.domain.rows)
        self._pairs: set[tuple[int, int]] = set()
        self.add_pairs(presolved.records, presolved.impostors)

    def add_pairs(self, records: np.ndarray, impostors: np.ndarray) -> None:
        """Grow the rows of (record, impostor) pairs."""
        if not len(records):
            return
        rows, magnitudes = self.problem.rows(records, impostors)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1.0
        self._append(rows / norms, magnitudes / norms, records)

    def _add_domain_rows(self, rows: np.ndarray) -> None:
        self._append(rows, np.zeros_like(rows), np.full(len(rows), DOMAIN))

    def _append(self, rows: np.ndarray, magnitudes: np.ndarray, owners: np.ndarray) -> None:
        start = len(self.rows)
        self.rows = np.vstack([self.rows, rows])
        self.magnitudes = np.vstack([self.magnitudes, magnitudes])
        self.owners = np.concatenate([self.owners, owners])
        self.rhs = (self.owners != DOMAIN).astype(float)
        for owner in np.unique(owners):
            known = self._by_owner.get(int(owner), np.empty(0, np.int64))
            new = start + np.flatnonzero(owners == owner)
            self._by_owner[int(owner)] = np.concatenate([known, new])

    def ask(self, records: np.ndarray) -> Answer:
        """Whether some admissible parameters link all of these records."""
        none = np.empty(0, np.int64)
        wanted = [self._by_owner.get(DOMAIN, none)]
        wanted += [self._by_owner.get(int(i), none) for i in records]
        status, theta, support, multipliers = least_norm(
            self.rows, self.rhs, np.concatenate(wanted)
        )
        if status == FEASIBLE:
            return Answer(theta=theta)
        if status == INFEASIBLE and self._stands(support, multipliers):
            return Answer(conflict=self._owners_of(support, multipliers))
        return Answer()

    def _stands(self, support: np.ndarray, multipliers: np.ndarray) -> bool:
        residual = multipliers @ self.rows[support]
        allowance = TIE_TOLERANCE * (multipliers @ self.magnitudes[support])
        return self.problem.domain.dominated(residual, allowance)

    def _owners_of(self, support: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        owners = np.unique(self.owners[support[multipliers > 0]])
        return owners[owners != DOMAIN]

    def minimise(self, conflict: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A conflict none of whose records can be spared (deletion filter)."""
        untested = list(rng.permutation(conflict))
        while untested:
            record = untested.pop()
            answer = self.ask(conflict[conflict != record])
            if answer.conflict is not None:
                conflict = answer.conflict
                untested = [i for i in untested if i in conflict]
        return conflict
