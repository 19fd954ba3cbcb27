"""Logs of sums of exponentials, without overflow."""

from __future__ import annotations

import numpy as np


def log_sum_exp(values: np.ndarray) -> np.ndarray:
    """Log of the sum of exponentials of every row, (n_rows,)."""
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)))


class LogTotals:
    """Running log of the sums of exponentials of every column, over blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules.log_sums import LogTotals
    >>> totals = LogTotals(2)
    >>> totals.add(np.log([[0.25, 1.0]]))
    >>> totals.add(np.log([[0.5, 2.0], [0.25, 1.0]]))
    >>> np.exp(totals.logs).round(12)
    array([1., 4.])
    """

    def __init__(self, n_columns: int) -> None:
        self._top = np.full(n_columns, -np.inf)
        self._sum = np.zeros(n_columns)

    def add(self, values: np.ndarray) -> None:
        """Add a block of rows, (n_block, n_columns)."""
        top = np.maximum(self._top, values.max(axis=0))
        self._sum = self._sum * np.exp(self._top - top) + np.exp(values - top).sum(axis=0)
        self._top = top

    @property
    def logs(self) -> np.ndarray:
        """The logs of the sums so far, (n_columns,)."""
        return np.asarray(self._top + np.log(self._sum))
