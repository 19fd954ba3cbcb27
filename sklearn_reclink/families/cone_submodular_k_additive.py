"""Submodular capacities in the coordinates of a Moebius transform that ends at small subsets.

In these coordinates ``mu(A + i) + mu(A + j) - mu(A + i + j) - mu(A)`` is minus the sum of ``m(B)``
over the ``B`` within ``A + i + j`` that contain both ``i`` and ``j``. With subsets of at most two
variables that is ``m({i, j}) <= 0``.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sklearn_reclink.families.cone_capacities import KAdditiveCapacities


class SubmodularKAdditiveCapacities(KAdditiveCapacities):
    """Submodular capacities whose Moebius transform ends at subsets of ``order`` variables."""

    @cached_property
    def _rows(self) -> np.ndarray:
        subsets = self._subsets
        pairs = [
            -(((subsets & ~(a | pair)) == 0) & (subsets & pair == pair)).astype(float)
            for a, missing in self._without(2)
            for position, i in enumerate(missing)
            for j in missing[position + 1 :]
            for pair in (1 << i | 1 << j,)
        ]
        # with submodularity, mu(V) >= mu(V - k) is all that monotonicity leaves to ask
        last = [(subsets >> k & 1 == 1).astype(float) for k in range(self.n_features)]
        rows = np.unique(np.array([*last, *pairs]), axis=0)
        rows = rows[rows.any(axis=1)]
        return rows

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as much of a strictly submodular capacity as lifts every violated row."""
        sizes = np.bitwise_count(self._subsets)
        inside = np.where(sizes == 1, 1.0, np.where(sizes == 2, -0.5 / self.n_features, 0.0))
        lift = np.max(-(self.rows @ theta) / (self.rows @ inside), initial=0.0)
        return self._without_negative_singles(theta + lift * inside)
