"""Every original record beside every masked record.

For small files, and for distances that no box bounds, such as an indefinite bilinear form. A batch
of records holds its distances to all masked records; ``N^2`` distances are never held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.distances import Distance
from sklearn_reclink.linking.ranking import rank
from sklearn_reclink.ties import strictly_nearer

# Bytes that the temporaries of one batch may take.
BATCH_BYTES = 2**25


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Answers by brute force.

    Parameters
    ----------
    distance : Distance
    theta : ndarray of shape (n_parameters,)
    original, masked : ndarray of shape (n_records, n_features), (n_masked, n_features)
    """

    distance: Distance
    theta: np.ndarray
    original: np.ndarray
    masked: np.ndarray

    name = "all pairs"

    @property
    def order(self) -> np.ndarray:
        """Rows of the original file in the order in which they are best asked."""
        return np.arange(len(self.original))

    @property
    def batch_size(self) -> int:
        # differences, a term, values, magnitudes and what a question makes of them
        n_masked, n_features = self.masked.shape
        return max(1, BATCH_BYTES // (8 * (n_features + 6) * n_masked))

    def __sizeof__(self) -> int:
        return self.original.nbytes + self.masked.nbytes

    def _distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chunk = self.original[records].T  # (n_features, n_batch)
        differences = chunk[:, :, None] - self.masked.T[:, None, :]
        return self.distance.evaluate(self.theta, np.moveaxis(differences, 0, -1))

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self._distances(records)
        return (_linked(records, values, magnitudes),)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self._distances(records)
        return (_tied(values, magnitudes)[0].argmax(axis=1),)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self._distances(records)
        tied, nearest = _tied(values, magnitudes)
        here = np.arange(len(records))
        own_values = values[here, records]
        linked = _linked(records, values, magnitudes)
        values[here, records] = np.inf
        return (
            tied.argmax(axis=1),
            nearest,
            own_values,
            values.min(axis=1),
            np.count_nonzero(tied, axis=1),
            linked,
            tied[here, records],
        )

    def k_nearest(self, records: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, ...]:
        values, magnitudes = self._distances(records)
        everyone = np.arange(len(self.masked))
        rows = np.array(
            [
                rank(value, magnitude, everyone, n_neighbors)
                for value, magnitude in zip(values, magnitudes, strict=True)
            ]
        )
        return np.take_along_axis(values, rows, axis=1), rows


def _linked(records: np.ndarray, values: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
    here = np.arange(len(records))
    own, own_magnitude = values[here, records], magnitudes[here, records]
    nearer = strictly_nearer(own[:, None], own_magnitude[:, None], values, magnitudes)
    nearer[here, records] = True
    return np.asarray(nearer.all(axis=1))


def _tied(values: np.ndarray, magnitudes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which candidates (n_records, n_masked) are tied with the nearest, and its distance."""
    best = values.argmin(axis=1)[:, None]
    nearest = np.take_along_axis(values, best, axis=1)
    magnitude = np.take_along_axis(magnitudes, best, axis=1)
    tied = ~strictly_nearer(nearest, magnitude, values, magnitudes)
    return tied, nearest[:, 0]
