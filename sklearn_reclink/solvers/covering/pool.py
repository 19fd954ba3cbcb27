"""All conflicts found so far, whether or not the relaxation holds them at the moment.

A conflict ``C`` says ``sum_{i in C} x_i >= 1`` (``x_i = 1``: record i is lost). One found where
some records are fixed as lost and others as kept may hold only there. It is then stated for all::

    sum_{C} x + sum_{kept} x + sum_{lost} (1 - x) >= 1

One found with forced records (`covering`) holds for solutions of fewer losses than were aimed
at: it counts for nothing once more are.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


class ConflictPool:
    """Rows over the positions of open records.

    Attributes
    ----------
    rows : list of (columns, signs, right)
        ``signs . x[columns] >= right``.
    conflicts_of : list of list of int
        The rows of each position, of those that name nobody lost.
    aim : int
        Rows count that hold for all solutions of fewer losses than this.
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.rows: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.conflicts_of: list[list[int]] = [[] for _ in range(n_records)]
        self.aim = 0
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        # the same rows, end to end
        self._row, self._columns = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        self._signs, self._right, self._below = np.empty(0), np.empty(0), np.empty(0)

    def add(
        self,
        conflicts: Iterable[np.ndarray],
        lost: tuple[int, ...] = (),
        kept: tuple[int, ...] = (),
        below: float = np.inf,
    ) -> list[int]:
        """Add conflicts found where some records are fixed; the rows of those that are news.

        ``below`` says how few losses a solution must have for them to hold.
        """
        news = []
        first = len(self.rows)
        for conflict in conflicts:
            members = tuple(sorted({*conflict.tolist(), *kept}))
            row = self._known.setdefault((members, lost), len(self.rows))
            if row == len(self.rows):
                columns = np.array([*members, *lost], dtype=np.int64)
                signs = np.r_[np.ones(len(members)), -np.ones(len(lost))]
                self.rows.append((columns, signs, 1.0 - len(lost)))
                for member in () if lost else members:
                    self.conflicts_of[member].append(row)
                news.append(row)
            elif row < first:
                if self._below[row] < self.aim:
                    news.append(row)
                self._below[row] = max(self._below[row], below)
        added = self.rows[first:]
        if added:
            places = [np.full(len(row[0]), first + place) for place, row in enumerate(added)]
            self._row = np.concatenate([self._row, *places])
            self._columns = np.concatenate([self._columns, *(row[0] for row in added)])
            self._signs = np.concatenate([self._signs, *(row[1] for row in added)])
            self._right = np.append(self._right, [row[2] for row in added])
            self._below = np.append(self._below, np.full(len(added), below))
        return news

    @property
    def outdated(self) -> np.ndarray:
        """Rows that hold only for fewer losses than are aimed at, (n_rows,) of bool."""
        return np.asarray(self._below < self.aim)

    def slack(self, x: np.ndarray) -> np.ndarray:
        """By how much ``x`` over-satisfies each row, (n_rows,); negative where it violates it."""
        slack = self._sums(self._signs * x[self._columns]) - self._right
        return np.where(self.outdated, np.inf, slack)

    def missing(self, kept: np.ndarray) -> np.ndarray:
        """How many members of each row are not kept (a mask); all are where it is outdated."""
        missing = self._sums(~kept[self._columns]).astype(np.int64)
        return np.where(self.outdated, self.n_records, missing)

    def _sums(self, terms: np.ndarray) -> np.ndarray:
        """Of each row; an empty one, which nothing satisfies, sums to 0."""
        return np.bincount(self._row, weights=terms, minlength=len(self.rows))
