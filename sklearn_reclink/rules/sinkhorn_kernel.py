"""Sums of exponentials over candidates in compressed rows, compiled. Imported on first use."""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def log_sums(
    starts: Any, columns: Any, scores: Any, prices: Any, counts: Any, masked_counts: Any
) -> Any:
    """Logs of the sums of ``exp(s - price)`` in every row, and of ``exp(s)`` in every column."""
    n_rows, n_columns = len(starts) - 1, len(prices)
    of_rows = np.full(n_rows, -np.inf)
    top = np.full(n_columns, -np.inf)
    total = np.zeros(n_columns)
    for row in range(n_rows):
        best = -np.inf
        for pair in range(starts[row], starts[row + 1]):
            column = columns[pair]
            best = max(best, scores[pair] - prices[column])
            top[column] = max(top[column], scores[pair])
        summed = 0.0
        for pair in range(starts[row], starts[row + 1]):
            column = columns[pair]
            summed += masked_counts[column] * np.exp(scores[pair] - prices[column] - best)
        if summed > 0:
            of_rows[row] = best + np.log(summed)
    for row in range(n_rows):
        for pair in range(starts[row], starts[row + 1]):
            column = columns[pair]
            total[column] += counts[row] * np.exp(scores[pair] - top[column])
    return of_rows, top + np.log(total)


@njit(cache=True, nogil=True)
def wanted(
    starts: Any, columns: Any, scores: Any, prices: Any, counts: Any, masked_counts: Any,
    rest: Any, may_fail: bool,
) -> Any:  # fmt: skip
    """Sum over rows of the probabilities of every column; those of a row and its rest add to 1.

    With ``may_fail`` they add to less where the row has no link.
    """
    total = np.zeros(len(prices))
    for row in range(len(starts) - 1):
        best = -np.inf
        for pair in range(starts[row], starts[row + 1]):
            best = max(best, scores[pair] - prices[columns[pair]])
        summed = 0.0
        for pair in range(starts[row], starts[row + 1]):
            column = columns[pair]
            summed += masked_counts[column] * np.exp(scores[pair] - prices[column] - best)
        summed *= np.exp(rest[row])
        if may_fail:
            summed = max(summed, np.exp(min(-best, 700.0)))
        for pair in range(starts[row], starts[row + 1]):
            column = columns[pair]
            share = np.exp(scores[pair] - prices[column] - best) / summed
            total[column] += counts[row] * share
    return total
