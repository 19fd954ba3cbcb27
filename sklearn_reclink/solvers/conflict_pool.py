"""All conflicts found so far, whether or not the relaxation holds them at the moment.

A conflict ``C`` says ``sum_{i in C} x_i >= 1`` (``x_i = 1``: record i is lost). One found where
some records are fixed as lost and others as kept may hold only there. It is then stated for all::

    sum_{C} x + sum_{kept} x + sum_{lost} (1 - x) >= 1

One found with forced records (`covering`) holds for solutions of fewer losses than were aimed
at: it counts for nothing once more are.
"""

from __future__ import annotations

import numpy as np


class ConflictPool:
    """Rows over the positions of open records.

    Attributes
    ----------
    rows : list of (columns, signs)
        ``signs . x[columns] >= 1 - (number of negative signs)``.
    conflicts_of : list of list of int
        The places in `missing` of the conflicts of each position.
    aim : int
        Rows count that hold for all solutions of fewer losses than this.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.rows: list[tuple[np.ndarray, np.ndarray]] = []
        self.conflicts_of: list[list[int]] = [[] for _ in range(n_records)]
        self.aim = 0
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._columns, self._signs = np.empty(0, dtype=np.int64), np.empty(0)
        self._row, self._right = np.empty(0, dtype=np.int64), np.empty(0)
        self._everywhere = np.empty(0, dtype=bool)  # rows that no fixing made
        self._below = np.empty(0)

    def add(
        self,
        conflict: np.ndarray,
        lost: tuple[int, ...] = (),
        kept: tuple[int, ...] = (),
        below: float = np.inf,
    ) -> int | None:
        """Add a conflict found where some records are fixed; its row, None if it is not news.

        ``below`` says how few losses a solution must have for it to hold.
        """
        members = tuple(sorted({*conflict.tolist(), *kept}))
        row = self._known.setdefault((members, lost), len(self.rows))
        if row < len(self.rows):
            outdated = self._below[row] < self.aim
            self._below[row] = max(self._below[row], below)
            return row if outdated else None
        columns = np.array([*members, *lost], dtype=np.int64)
        signs = np.r_[np.ones(len(members)), -np.ones(len(lost))]
        self.rows.append((columns, signs))
        if not lost:
            number = int(np.count_nonzero(self._everywhere))
            for member in members:
                self.conflicts_of[member].append(number)
        self._row = np.append(self._row, np.full(len(columns), row))
        self._columns = np.append(self._columns, columns)
        self._signs = np.append(self._signs, signs)
        self._right = np.append(self._right, 1.0 - len(lost))
        self._everywhere = np.append(self._everywhere, not lost)
        self._below = np.append(self._below, below)
        return row

    @property
    def outdated(self) -> np.ndarray:
        """Rows that hold only for fewer losses than are aimed at, (n_rows,) of bool."""
        return np.asarray(self._below < self.aim)

    def slack(self, x: np.ndarray) -> np.ndarray:
        """By how much ``x`` over-satisfies each row, (n_rows,); negative where it violates it."""
        slack = self._sums(self._signs * x[self._columns]) - self._right
        return np.where(self.outdated, np.inf, slack)

    def missing(self, kept: np.ndarray) -> np.ndarray:
        """How many members of each conflict are not kept (a mask), for those without fixing."""
        return self._sums(~kept[self._columns])[self._everywhere].astype(np.int64)

    def _sums(self, terms: np.ndarray) -> np.ndarray:
        """Of each row; an empty one, which nothing satisfies, sums to 0."""
        return np.bincount(self._row, weights=terms, minlength=len(self.rows))
