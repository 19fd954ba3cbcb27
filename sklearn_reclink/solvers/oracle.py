"""Can these records be linked together? Rows grown as needed, every *no* verified.

A *yes* comes with parameters, and is only ever trusted after a recount. A *no* comes with a
conflict: records ``C`` and multipliers ``lambda >= 0`` of some of their rows and of domain rows
with ``sum lambda_m row_m = 0`` up to rounding. It stands if the domain confirms that the
residual is below what the tie rule allows (`ties`), or if it is zero in exact arithmetic
(`certificate`); otherwise the answer is *undecided*, and nothing is concluded from it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.presolve import Presolved
from sklearn_reclink.problem import LinkageProblem
from sklearn_reclink.solvers.certificate import exact_support
from sklearn_reclink.solvers.engine import FEASIBLE, INFEASIBLE, least_norm, thin_out
from sklearn_reclink.solvers.threats import AllRows, NearestImpostors, Threats
from sklearn_reclink.ties import TIE_TOLERANCE

DOMAIN = -1
_ALLOWED = 0.9  # of what ties allow: the rest is for the rounding of this check and of a recount
_ROUNDS = 200  # of growing rows, before a question is given up as undecided


@dataclass(frozen=True)
class Answer:
    """``theta`` if the records can be linked together, else ``conflict``; neither: undecided.

    ``suspects`` of an undecided answer seem to be in conflict, without proof.
    """

    theta: np.ndarray | None = None
    conflict: np.ndarray | None = None
    suspects: np.ndarray | None = None


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
        self._rows = np.empty((64, problem.n_parameters))
        self._raw = np.empty((64, problem.n_parameters))
        self._magnitudes = np.empty((64, problem.n_parameters))
        self._owners = np.empty(64, dtype=np.int64)
        self._right = np.empty(64)
        self._size = 0
        self._by_owner: dict[int, np.ndarray] = {DOMAIN: np.empty(0, np.int64)}
        self._pairs: set[tuple[int, int]] = set()
        self._append(problem.domain.rows, None, np.full(len(problem.domain.rows), DOMAIN))

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
        self._append(rows, magnitudes, records)
        return len(records)

    def _append(self, rows: np.ndarray, magnitudes: np.ndarray | None, owners: np.ndarray) -> None:
        if not len(rows):
            return
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1.0
        start, end = self._size, self._size + len(rows)
        if end > len(self._rows):
            grow = max(end, 2 * len(self._rows)) - len(self._rows)
            self._rows = np.pad(self._rows, ((0, grow), (0, 0)))
            self._raw = np.pad(self._raw, ((0, grow), (0, 0)))
            self._magnitudes = np.pad(self._magnitudes, ((0, grow), (0, 0)))
            self._owners = np.pad(self._owners, (0, grow))
            self._right = np.pad(self._right, (0, grow))
        self._rows[start:end] = rows / norms
        self._raw[start:end] = rows
        self._magnitudes[start:end] = 0.0 if magnitudes is None else magnitudes / norms
        self._owners[start:end] = owners
        self._right[start:end] = owners != DOMAIN
        self._size = end
        order = np.argsort(owners, kind="stable")
        names, first = np.unique(owners[order], return_index=True)
        for owner, new in zip(names.tolist(), np.split(start + order, first[1:]), strict=True):
            known = self._by_owner.get(owner)
            self._by_owner[owner] = new if known is None else np.concatenate([known, new])

    def ask(self, records: np.ndarray) -> Answer:
        """Whether some admissible parameters link all of these records, and the forced ones."""
        records = np.union1d(records, self.forced)
        theta = self.problem.domain.centre
        for _ in range(_ROUNDS):
            if time.monotonic() >= self.deadline:
                break
            status, theta, support, multipliers = least_norm(
                self._rows, self._right, self._rows_of(np.append(records, DOMAIN))
            )
            conflict = None
            if status == INFEASIBLE:
                conflict = self._conflict_of(support, multipliers)
            if conflict is not None:
                return Answer(conflict=conflict)
            if status != FEASIBLE:
                return Answer(suspects=self._owners_of(support))
            admissible = self._admissible(theta, records)
            if admissible is not None:
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
        self._append(cuts, None, np.full(len(cuts), DOMAIN))
        return None

    def _grow(self, theta: np.ndarray, records: np.ndarray) -> bool:
        """Add the rows of records that ``theta`` violates, if there are any."""
        if not len(records):
            return False
        if not theta.any():  # no rows yet
            theta = self.problem.domain.centre
        impostors, margins = self.threats.worst(theta, records)
        violated = margins <= 0
        return self.add_pairs(records[violated], impostors[violated]) > 0

    def satisfied(self, theta: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Which of the records have only positive rows, (n_records,) of bool; not a count."""
        if not len(records):
            return np.empty(0, dtype=bool)
        return np.asarray(self.threats.worst(theta, records)[1] > 0)

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
            if not self.add_pairs(records[narrow], impostors[narrow]):
                break
        return theta

    def _conflict_of(self, support: np.ndarray, multipliers: np.ndarray) -> np.ndarray | None:
        """The records of a certificate, None if it does not stand.

        Multipliers that are only rounding are left out first: they bring in rows for nothing.
        """
        for tiny in (1e-13, 0.0):
            used = multipliers > tiny * multipliers.max()
            record_rows = self.owners[support[used]] != DOMAIN
            if record_rows.any() and self._stands(support[used], multipliers[used]):
                return self._owners_of(support[used])
        exact = exact_support(self._raw[support])
        return None if exact is None else self._owners_of(support[exact])

    def _owners_of(self, support: np.ndarray) -> np.ndarray:
        owners = np.unique(self.owners[support])
        return np.setdiff1d(owners[owners != DOMAIN], self.forced)

    def _stands(self, support: np.ndarray, multipliers: np.ndarray) -> bool:
        """Whether the combination of rows is below what ties allow, for all admissible theta.

        Rounding may leave an excess in a coordinate where nothing is allowed, because no record
        row is there. Lowering the multiplier of a domain row hands it on to other coordinates:
        any multipliers >= 0 prove the same.
        """
        residual = multipliers @ self.rows[support]
        allowance = _ALLOWED * TIE_TOLERANCE * (multipliers @ self.magnitudes[support])
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

    def minimise(self, conflict: np.ndarray) -> np.ndarray:
        """A conflict that can spare none of its records (deletion filter), the last tried first."""
        while len(conflict) > 1:
            blocks = [self._rows_of(np.append(self.forced, DOMAIN))]
            blocks += [self._rows_of(record) for record in conflict[:, None]]
            groups = np.repeat(np.arange(-1, len(conflict)), [len(block) for block in blocks])
            support, multipliers, alive, witnesses = thin_out(
                self._rows, self._right, np.concatenate(blocks), groups, len(conflict)
            )
            if len(support):
                found = self._conflict_of(support, multipliers)
                if found is None:
                    break
                alive = np.isin(conflict, found)
            conflict = conflict[alive]
            if not self._grow_by_witnesses(conflict, witnesses[alive]):
                break
        return conflict

    def _grow_by_witnesses(self, conflict: np.ndarray, witnesses: np.ndarray) -> bool:
        """Add the rows violated by parameters that seem to link all of a conflict but one."""
        grown = False
        for spared, theta in enumerate(witnesses):
            if theta.any():
                grown |= self._grow(theta, np.delete(conflict, spared))
        return grown

    def _rows_of(self, owners: np.ndarray) -> np.ndarray:
        known = [self._by_owner[i] for i in owners.tolist() if i in self._by_owner]
        return np.concatenate(known) if known else np.empty(0, np.int64)
