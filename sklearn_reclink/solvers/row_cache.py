"""Rows found so far, and whether a certificate made of them stands.

Rows are held as unit rows, with the magnitudes that ties are judged by in the same units, and as
they were made, for exact arithmetic. Those of the domain carry no magnitudes: nothing is tied
there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.farkas import exact_support
from sklearn_reclink.solvers.problem import LinkageProblem

DOMAIN = -1
_ALLOWED = 0.9  # of what ties allow: the rest is for the rounding of this check and of a recount


@dataclass(frozen=True)
class RowNews:
    """Rows of the domain, and pairs whose rows were added."""

    of_domain: np.ndarray
    records: np.ndarray
    impostors: np.ndarray


class RowStore:
    """Grows as rows are found.

    Attributes
    ----------
    rows, raw, magnitudes : ndarray of shape (n_rows, n_parameters)
        Unit rows, the rows themselves, and what ties are judged by in units of the former.
    right : ndarray of shape (n_rows,)
        1 for rows of records, 0 for those of the domain.
    owners, impostors : ndarray of int of shape (n_rows,)
        The pair of each row; DOMAIN twice for rows of the domain.
    """

    def __init__(self, problem: LinkageProblem) -> None:
        self.problem = problem
        self._size = 0
        self._wide = np.empty((3, 64, problem.n_parameters))
        self._pair = np.empty((2, 64), dtype=np.int64)
        self._right = np.empty(64)
        self._known: set[tuple[int, int]] = set()
        self.add_domain(problem.domain.rows)
        self._told = self._size

    @property
    def rows(self) -> np.ndarray:
        return self._wide[0, : self._size]

    @property
    def raw(self) -> np.ndarray:
        return self._wide[1, : self._size]

    @property
    def magnitudes(self) -> np.ndarray:
        return self._wide[2, : self._size]

    @property
    def right(self) -> np.ndarray:
        return self._right[: self._size]

    @property
    def owners(self) -> np.ndarray:
        return self._pair[0, : self._size]

    @property
    def impostors(self) -> np.ndarray:
        return self._pair[1, : self._size]

    def add_domain(self, rows: np.ndarray) -> None:
        """Add rows of the domain."""
        pairs = np.full((2, len(rows)), DOMAIN)
        self._append(rows, np.zeros_like(rows), pairs)

    def add_pairs(self, records: np.ndarray, impostors: np.ndarray) -> int:
        """Add the rows of (record, impostor) pairs; how many were new."""
        pairs = dict.fromkeys(zip(records.tolist(), impostors.tolist(), strict=True))
        new = [pair for pair in pairs if pair not in self._known]
        if new:
            self._known.update(new)
            named = np.array(new).T
            self._append(*self.problem.rows(*named), named)
        return len(new)

    def _append(self, rows: np.ndarray, magnitudes: np.ndarray, pairs: np.ndarray) -> None:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1.0
        start, end = self._size, self._size + len(rows)
        if end > len(self._right):
            grow = max(end, 2 * len(self._right)) - len(self._right)
            self._wide = np.pad(self._wide, ((0, 0), (0, grow), (0, 0)))
            self._pair = np.pad(self._pair, ((0, 0), (0, grow)))
            self._right = np.pad(self._right, (0, grow))
        self._wide[:, start:end] = rows / norms, rows, magnitudes / norms
        self._pair[:, start:end] = pairs
        self._right[start:end] = pairs[0] != DOMAIN
        self._size = end

    def news(self) -> RowNews:
        """The rows added since this was last asked."""
        start, self._told = self._told, self._size
        new = slice(start, self._size)
        of_domain = self.owners[new] == DOMAIN
        return RowNews(
            self.raw[new][of_domain], self.owners[new][~of_domain], self.impostors[new][~of_domain]
        )

    def learn(self, news: RowNews) -> None:
        """Add rows that another store has found: no news to others."""
        self.add_domain(news.of_domain)
        self.add_pairs(news.records, news.impostors)
        self._told = self._size

    def asked(self, records: np.ndarray) -> np.ndarray:
        """Which rows are of these records or of the domain, (n_rows,) of bool."""
        mask = np.zeros(self.problem.n_records + 1, dtype=bool)  # DOMAIN is the last
        mask[records] = mask[DOMAIN] = True
        return np.asarray(mask[self.owners])

    def owners_of(self, support: np.ndarray) -> np.ndarray:
        """The records of some rows."""
        owners = np.unique(self.owners[support])
        return owners[owners != DOMAIN]

    def conflict_of(self, support: np.ndarray, multipliers: np.ndarray) -> np.ndarray | None:
        """The records of a certificate, None if it does not stand.

        Multipliers that are only rounding are left out first: they bring in rows for nothing.
        """
        for tiny in (1e-13, 0.0):
            used = multipliers > tiny * multipliers.max()
            record_rows = self.owners[support[used]] != DOMAIN
            if record_rows.any() and self._stands(support[used], multipliers[used]):
                return self.owners_of(support[used])
        exact = exact_support(self.raw[support])
        conflict = np.empty(0) if exact is None else self.owners_of(support[exact])
        return conflict if len(conflict) else None

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
