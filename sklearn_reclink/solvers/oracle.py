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
        self._rows = np.empty((64, problem.n_parameters))
        self._magnitudes = np.empty((64, problem.n_parameters))
        self._owners = np.empty(64, dtype=np.int64)
        self._right = np.empty(64)
        self._size = 0
        self._by_owner: dict[int, np.ndarray] = {DOMAIN: np.empty(0, np.int64)}
        self._pairs: set[tuple[int, int]] = set()
        self._append(problem.domain.rows, None, np.full(len(problem.domain.rows), DOMAIN))
        self.add_pairs(presolved.records, presolved.impostors)

    @property
    def rows(self) -> np.ndarray:
        return self._rows[: self._size]

    @property
    def magnitudes(self) -> np.ndarray:
        return self._magnitudes[: self._size]

    @property
    def owners(self) -> np.ndarray:
        return self._owners[: self._size]

    def add_pairs(self, records: np.ndarray, impostors: np.ndarray) -> int:
        """Grow the rows of (record, impostor) pairs; how many were new."""
        pairs = zip(records.tolist(), impostors.tolist(), strict=True)
        new = np.array([pair not in self._pairs for pair in pairs], dtype=bool)
        records, impostors = records[new], impostors[new]
        if not len(records):
            return 0
        self._pairs.update(zip(records.tolist(), impostors.tolist(), strict=True))
        rows, magnitudes = self.problem.rows(records, impostors)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1.0
        self._append(rows / norms, magnitudes / norms, records)
        return len(records)

    def _append(
        self, rows: np.ndarray, magnitudes: np.ndarray | None, owners: np.ndarray
    ) -> None:
        if not len(rows):
            return
        start, end = self._size, self._size + len(rows)
        if end > len(self._rows):
            grow = max(end, 2 * len(self._rows)) - len(self._rows)
            self._rows = np.pad(self._rows, ((0, grow), (0, 0)))
            self._magnitudes = np.pad(self._magnitudes, ((0, grow), (0, 0)))
            self._owners = np.pad(self._owners, (0, grow))
            self._right = np.pad(self._right, (0, grow))
        self._rows[start:end] = rows
        self._magnitudes[start:end] = 0.0 if magnitudes is None else magnitudes
        self._owners[start:end] = owners
        self._right[start:end] = owners != DOMAIN
        self._size = end
        order = np.argsort(owners, kind="stable")
        names, first = np.unique(owners[order], return_index=True)
        for owner, new in zip(names.tolist(), np.split(start + order, first[1:]), strict=True):
            known = self._by_owner.get(owner)
            self._by_owner[owner] = new if known is None else np.concatenate([known, new])

    def ask(self, records: np.ndarray) -> Answer:
        """Whether some admissible parameters link all of these records."""
        while True:
            known = [self._by_owner[i] for i in records.tolist() if i in self._by_owner]
            status, theta, support, multipliers = least_norm(
                self._rows, self._right, np.concatenate([self._by_owner[DOMAIN], *known])
            )
            if status == INFEASIBLE and self._stands(support, multipliers):
                return Answer(conflict=self._owners_of(support, multipliers))
            if status != FEASIBLE:
                return Answer()
            if not self._grow(theta, records):
                return Answer(theta=theta)

    def _grow(self, theta: np.ndarray, records: np.ndarray) -> bool:
        """Add rows of the domain or of the records that ``theta`` violates, if there are any."""
        cuts = self.problem.domain.separate(theta)
        if len(cuts):
            self._append(cuts, None, np.full(len(cuts), DOMAIN))
            return True
        if self.complete:
            return False
        if not theta.any():  # no rows yet
            theta = self.problem.domain.centre
        impostors, margins = self.problem.nearest_impostors(theta, records)
        violated = margins <= 0
        return self.add_pairs(records[violated], impostors[violated]) > 0

    def _stands(self, support: np.ndarray, multipliers: np.ndarray) -> bool:
        """Whether the combination of rows is below what ties allow, for all admissible theta.

        Rounding may leave an excess in a coordinate where nothing is allowed, because no record
        row is there. Lowering the multiplier of a domain row hands it on to other coordinates:
        any multipliers >= 0 prove the same.
        """
        residual = multipliers @ self.rows[support]
        allowance = TIE_TOLERANCE * (multipliers @ self.magnitudes[support])
        domain = np.flatnonzero(self.owners[support] == DOMAIN)
        spare, rows = multipliers[domain], self.rows[support[domain]]
        for _ in range(2 * len(residual)):
            excess = self.problem.domain.excess(residual, allowance)
            k = int(np.argmax(excess))
            if excess[k] == 0:
                return True
            movable = spare * (rows[:, k] > 0)
            if not movable.any():
                return False
            m = int(np.argmax(movable))
            step = min(spare[m], excess[k] / rows[m, k] * (1 + 1e-6))
            spare[m] -= step
            residual = residual - step * rows[m]
        return False

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
