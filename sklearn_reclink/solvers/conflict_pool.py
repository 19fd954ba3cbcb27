"""All conflicts found so far, whether or not the relaxation holds them at the moment.

A conflict ``C`` says ``sum_{i in C} x_i >= 1`` (``x_i = 1``: record i is lost). One found where
some records are fixed as lost and others as kept may hold only there. It is then stated for all::

    sum_{C} x + sum_{kept} x + sum_{lost} (1 - x) >= 1
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
    """

    def __init__(self, n_records: int) -> None:
        self.n_records = n_records
        self.rows: list[tuple[np.ndarray, np.ndarray]] = []
        self.conflicts_of: list[list[int]] = [[] for _ in range(n_records)]
        self._known: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        self._columns, self._signs = np.empty(0, dtype=np.int64), np.empty(0)
        self._first, self._right = np.empty(0, dtype=np.int64), np.empty(0)
        self._everywhere = np.empty(0, dtype=bool)  # rows that no fixing made

    def add(
        self, conflict: np.ndarray, lost: tuple[int, ...] = (), kept: tuple[int, ...] = ()
    ) -> bool:
        """Add a conflict found where some records are fixed; whether it is new."""
        members = tuple(sorted({*conflict.tolist(), *kept}))
        if (members, lost) in self._known:
            return False
        self._known.add((members, lost))
        columns = np.array([*members, *lost], dtype=np.int64)
        signs = np.r_[np.ones(len(members)), -np.ones(len(lost))]
        self.rows.append((columns, signs))
        if not lost:
            number = int(np.count_nonzero(self._everywhere))
            for member in members:
                self.conflicts_of[member].append(number)
        self._first = np.append(self._first, len(self._columns))
        self._columns = np.append(self._columns, columns)
        self._signs = np.append(self._signs, signs)
        self._right = np.append(self._right, 1.0 - len(lost))
        self._everywhere = np.append(self._everywhere, not lost)
        return True

    def slack(self, x: np.ndarray) -> np.ndarray:
        """By how much ``x`` over-satisfies each row, (n_rows,); negative where it violates it."""
        if not self.rows:
            return np.empty(0)
        return np.add.reduceat(self._signs * x[self._columns], self._first) - self._right

    def missing(self, kept: np.ndarray) -> np.ndarray:
        """How many members of each conflict are not kept (a mask), for those without fixing."""
        if not self.rows:
            return np.empty(0, dtype=np.int64)
        return np.add.reduceat(~kept[self._columns], self._first, dtype=np.int64)[self._everywhere]
