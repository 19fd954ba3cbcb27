"""Symmetric bilinear forms that are negative on no pair of the two files, d2SB of the papers.

``diff' M diff >= 0`` is asked of every pair, eq. (9) of the 2015 paper: too many rows to hold, so
the most violated pairs are separated.
"""

from collections.abc import Callable

import numpy as np

from sklearn_reclink.families.bilinear import Bilinear, lifted, products
from sklearn_reclink.families.semidefinite import is_semidefinite

_BATCH = 256  # original records compared with all masked ones at a time


class NonnegativeBilinear(Bilinear):
    """``diff' M diff >= 0`` on every pair of an original and a masked record."""

    def __init__(self, original: np.ndarray, masked: np.ndarray) -> None:
        super().__init__(original.shape[1])
        self.original, self.masked = original, masked

    @property
    def n_paper_constraints(self) -> int:
        return len(self.original) ** 2

    @property
    def all_rows(self) -> np.ndarray:
        differences = self.differences(self.original[:, None, :], self.masked[None, :, :])
        rows = products(differences.reshape(-1, self.n_features))
        return rows[rows.any(axis=1)]

    def _least(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per original record, the masked record of least distance, and that distance."""
        if self.caps is not None:
            least = np.array(
                [np.argmin(self.between(theta, one, self.masked)[0]) for one in self.original]
            )
            return self.masked[least], self.between(theta, self.original, self.masked[least])[0]
        matrix = self.unpack(theta)
        own = np.einsum("ik,kl,il->i", self.masked, matrix, self.masked)
        cross = 2 * self.masked @ matrix
        least = np.empty(len(self.original), dtype=np.int64)
        for start in range(0, len(self.original), _BATCH):
            batch = slice(start, start + _BATCH)
            least[batch] = np.argmin(own - self.original[batch] @ cross.T, axis=1)
        nearest = self.masked[least]
        return nearest, self.between(theta, self.original, nearest)[0]

    def separate(self, theta: np.ndarray) -> np.ndarray:
        nearest, values = self._least(theta)
        worst = np.argsort(values)[: 2 * self.n_parameters]
        worst = worst[values[worst] < 0]
        return self._cuts(self.original[worst], nearest[worst])

    def contains(self, theta: np.ndarray) -> bool:
        return bool(self._least(theta)[1].min() >= 0)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as little of the identity as makes every distance clear of rounding below 0.

        A positive semidefinite matrix needs nothing: the identity could drown all but its keys.
        """
        if is_semidefinite(self.unpack(theta)):
            return theta

        def lack(lifted: np.ndarray) -> float:
            nearest, values = self._least(lifted)
            length = (self.differences(self.original, nearest) ** 2).sum(axis=1)
            margin = 8 * np.finfo(float).eps * np.abs(lifted).max()
            apart = length > np.finfo(float).tiny
            return float(np.max(margin - values[apart] / length[apart], initial=0.0))

        return self._lifted(theta, lack)

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        """Lifted until no distance, as `evaluate` computes it, is below 0."""

        def lack(lifted: np.ndarray) -> float:
            most = 0.0
            for record in self.original:
                values, _ = self.between(lifted, record, self.masked)
                below = values < 0
                if below.any():
                    lengths = (self.differences(record, self.masked[below]) ** 2).sum(axis=1)
                    most = max(most, float(np.max(-values[below] / lengths)))
            return most

        return self._lifted(self.normalised(theta), lack)

    def _lifted(self, theta: np.ndarray, lack: Callable[[np.ndarray], float]) -> np.ndarray:
        return lifted(theta, self.pack(np.eye(self.n_features)), lack)
