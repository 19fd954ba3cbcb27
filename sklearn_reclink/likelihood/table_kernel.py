"""The lookup of tabulated densities, compiled. Imported on first use: numba is slow to import."""

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
