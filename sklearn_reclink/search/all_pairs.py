"""Every original record beside every masked record.

For small files, and for distances that no box bounds, such as an indefinite bilinear form. A batch
of records holds its distances to all masked records; ``N^2`` distances are never held.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import Distance
from sklearn_reclink.search.ranking import rank
from sklearn_reclink.search.ties import strictly_nearer

# Bytes that the temporaries of one batch may take.
BATCH_BYTES = 2**25


class Pairs(ABC):
    """Answers by brute force, from the distances of a batch of records to all masked records."""

    @property
    def name(self) -> str:
        """What progress calls it."""
        return "all pairs"

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of original and of masked records."""

    @abstractmethod
    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and their magnitudes, both (n_batch, n_masked); the caller may change them."""

    @property
    def floats_a_pair(self) -> int:
        """Numbers held for a pair: values, magnitudes, and what a question makes of them."""
        return 6

    @property
    def order(self) -> np.ndarray:
        """Rows of the original file in the order in which they are best asked."""
        return np.arange(self.shape[0])

    @property
    def batch_size(self) -> int:
        return max(1, BATCH_BYTES // (8 * self.floats_a_pair * self.shape[1]))

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self.distances(records)
        return (_linked(records, values, magnitudes),)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self.distances(records)
        return (_tied(values, magnitudes)[0].argmax(axis=1),)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        values, magnitudes = self.distances(records)
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
        values, magnitudes = self.distances(records)
        everyone = np.arange(self.shape[1])
        rows = np.array(
            [
                rank(value, magnitude, everyone, n_neighbors)
                for value, magnitude in zip(values, magnitudes, strict=True)
            ]
        )
        return np.take_along_axis(values, rows, axis=1), rows


@dataclass(frozen=True, eq=False)
class AllPairs(Pairs):
    """Answers by brute force, of a distance.

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

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.original), len(self.masked)

    @property
    def floats_a_pair(self) -> int:
        return self.masked.shape[1] + 6  # the differences, too

    def __sizeof__(self) -> int:
        return self.original.nbytes + self.masked.nbytes

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chunk = self.original[records].T  # (n_features, n_batch)
        differences = chunk[:, :, None] - self.masked.T[:, None, :]
        return self.distance.evaluate(self.theta, np.moveaxis(differences, 0, -1))


@dataclass(frozen=True, eq=False)
class PricedPairs(Pairs):
    """The same pairs, with a price for each masked record added to its distances.

    Parameters
    ----------
    pairs : Pairs
    prices : ndarray of shape (n_masked,)
    """

    pairs: Pairs
    prices: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.pairs.shape

    @property
    def floats_a_pair(self) -> int:
        return self.pairs.floats_a_pair + 2

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, magnitudes = self.pairs.distances(records)
        return values + self.prices, magnitudes + np.abs(self.prices)


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
