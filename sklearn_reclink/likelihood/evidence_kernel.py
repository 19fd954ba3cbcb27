"""The loops over pairs of records, compiled. Imported on first use, as numba is slow to import."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_tabulated(
    total: np.ndarray, original: np.ndarray, masked: np.ndarray, per_step: float, logs: np.ndarray
) -> None:
    """Add to every pair the tabulated value of its difference, interpolated."""
    last = len(logs) - 1
    for i in range(len(original)):
        for j in range(len(masked)):
            place = abs(original[i] - masked[j]) * per_step
            if place >= last:
                total[i, j] += logs[last]
            else:
                below = int(place)
                total[i, j] += logs[below] + (place - below) * (logs[below + 1] - logs[below])


@njit(cache=True, nogil=True)
def add_squares(total: np.ndarray, original: np.ndarray, masked: np.ndarray) -> None:
    """Subtract from every pair the squared length of its difference."""
    for i in range(len(original)):
        for j in range(len(masked)):
            for k in range(original.shape[1]):
                gap = original[i, k] - masked[j, k]
                total[i, j] -= gap * gap
