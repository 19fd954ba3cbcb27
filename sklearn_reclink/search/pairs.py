"""Searches: what answers questions about the records of a file, and the one by all pairs.

A search answers about a batch of records at once. `Pairs` computes the distances of all pairs of a
batch; trees answer the same in `tree_search`, `shards` and `priced`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search import ties

BATCH_BYTES = 2**24  # of the temporaries of a batch
_CLEAR = 1 + 4 * ties.TIE_TOLERANCE


class Search(ABC):
    """Answers questions about the records of one file, a batch at a time."""

    name = "all pairs"  # what progress calls it
    local = False  # whether batches stay on threads of this process

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of original and of masked records."""

    @property
    @abstractmethod
    def batch_size(self) -> int:
        """Number of records of a batch."""

    @property
    def order(self) -> np.ndarray:
        """Rows of the original file in the order in which they are best asked."""
        return np.arange(self.shape[0])

    def order_of(self, records: np.ndarray) -> np.ndarray:
        """Places of some records in the order in which they are best asked."""
        return np.arange(len(records))

    def ask(
        self,
        question: str,
        records: np.ndarray | None = None,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        **options: Any,
    ) -> tuple[np.ndarray, ...]:
        """Answers about some records, or about all of them, in their order.

        ``question`` is a method that takes records, ``options`` are what else it takes; the answers
        come from ``n_jobs`` joblib workers, with progress printed where ``verbose`` is above 0.
        """
        n_asked = self.shape[0] if records is None else len(records)
        if n_asked <= self.batch_size:  # not worth a worker
            every = np.arange(n_asked) if records is None else records
            found: tuple[np.ndarray, ...] = getattr(self, question)(every, **options)
            return found
        from sklearn_reclink.search.batches import Task, ask_in_batches

        places = self.order if records is None else self.order_of(records)
        task = Task(self, question, options, places if records is None else records[places])
        return ask_in_batches(task, places, n_jobs=n_jobs, verbose=verbose)


class Pairs(Search):
    """Answers by comparing all pairs; a subclass gives their distances."""

    batch_bytes = BATCH_BYTES
    original: np.ndarray
    masked: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.original), len(self.masked)

    def coordinates(self) -> Any:
        """`priced.planting.Coordinates` of both files, None where a tree cannot bound distances."""
        return None

    @abstractmethod
    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and their magnitudes, both (n_batch, n_masked); the caller may change them."""

    @property
    def floats_per_pair(self) -> int:
        """Numbers held for a pair: values, magnitudes, and what a question makes of them."""
        return 6

    @property
    def batch_size(self) -> int:
        return max(1, self.batch_bytes // (8 * self.floats_per_pair * self.shape[1]))

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """Whether each record is strictly nearest to its own masked record."""
        return (ties.linked(records, *self.distances(records)),)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """The row of the nearest masked record, the lowest of those tied."""
        return (ties.tied_with_nearest(*self.distances(records))[0].argmax(axis=1),)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """The fields of `Links`."""
        return ties.compared(records, *self.distances(records))

    def own(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """Distances to the own masked records."""
        return (self.distances(records)[0][np.arange(len(records)), records],)

    def k_nearest(self, records: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, ...]:
        """Distances and rows of the nearest masked records, nearest first."""
        values, magnitudes = self.distances(records)
        everyone, both = np.arange(self.shape[1]), zip(values, magnitudes, strict=True)
        rows = np.array([ties.rank(*one, everyone, n_neighbors) for one in both])
        return np.take_along_axis(values, rows, axis=1), rows


@dataclass(eq=False, repr=False)
class DistancePairs(Pairs):
    """All pairs by a distance of a family."""

    family: Family
    theta: np.ndarray
    original: np.ndarray
    masked: np.ndarray

    @property
    def floats_per_pair(self) -> int:
        return self.masked.shape[1] + 6  # the differences, too

    def __sizeof__(self) -> int:
        return self.original.nbytes + self.masked.nbytes

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        if not self.family.monotone or self.family.caps is not None:
            return super().linked(records)
        # an impostor clearly farther in every variable is farther: only the others are evaluated
        own = self.original[records] - self.masked[records]
        near = np.zeros((len(records), len(self.masked)), dtype=bool)
        for a, b, most in zip(self.original[records].T, self.masked.T, own.T**2, strict=True):
            near |= (a[:, None] - b) ** 2 <= _CLEAR * most[:, None]
        near[np.arange(len(records)), records] = False
        place, impostor = np.nonzero(near)
        values, magnitudes = self.family.evaluate(self.theta, own)
        differences = self.original[records[place]] - self.masked[impostor]
        others = self.family.evaluate(self.theta, differences)
        nearer = ties.strictly_nearer(values[place], magnitudes[place], *others)
        linked = np.ones(len(records), dtype=bool)
        linked[place[~nearer]] = False
        return (linked,)

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # a variable at a time in memory
        files = self.original[records].T[:, :, None], self.masked.T[:, None, :]
        return self.family.between(self.theta, *(np.moveaxis(file, 0, -1) for file in files))

    def coordinates(self) -> Any:
        from sklearn_reclink.search.priced.planting import coordinates_of

        return coordinates_of(self)
