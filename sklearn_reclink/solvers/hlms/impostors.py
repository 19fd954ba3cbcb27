"""Who the impostors are: what HLMS asks of two files, through a tree of the masked one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.search.tree import (
    CHOQUET,
    beaten,
    build,
    impostors_at_most_as_far,
    monotone_formula,
    nearest_points,
    someone_in_box,
)

CHUNK = 1024  # records a worker searches at once


class Files:
    """Two files and the tree of the masked one.

    Attributes
    ----------
    dominated : ndarray of bool of shape (n_records,)
        Records that no capacity links: an impostor matches or beats their own masked record in
        every variable (law 7 of a monotone distance).
    by_size : ndarray of int of shape (2**n_features,)
        The subsets of the variables, in the order of their size.
    """

    def __init__(
        self,
        original: np.ndarray,
        masked: np.ndarray,
        n_jobs: int | None = None,
        chunk: int = CHUNK,
    ) -> None:
        self.original, self.masked, self.n_jobs, self.chunk = original, masked, n_jobs, chunk
        self.tree = build(masked)
        self.dominated = self._ask(
            lambda records: someone_in_box(self.tree, original[records], records, TIE_TOLERANCE),
            np.arange(len(original)),
        )
        self.by_size = np.argsort(subset_sizes(original.shape[1]), kind="stable")

    def all_linked(self, n_linked: int) -> bool:
        """Whether no capacity can link more."""
        return n_linked >= len(self.original) - int(self.dominated.sum())

    def count(self, capacity: np.ndarray) -> int:
        """How many records a capacity links."""
        formula = monotone_formula(CHOQUET, capacity)

        def lost(records: np.ndarray) -> np.ndarray:
            return beaten(self.tree, formula, self.original[records], records)

        every = np.arange(len(self.original))
        return len(every) - int(np.count_nonzero(self._ask(lost, every)))

    def impostors(self, capacity: np.ndarray, records: np.ndarray, listed: int) -> np.ndarray:
        """Some impostors at most as far as the own record, (n_records, listed), then -1."""
        formula = monotone_formula(CHOQUET, capacity)

        def search(records: np.ndarray) -> np.ndarray:
            return impostors_at_most_as_far(
                self.tree, formula, self.original[records], records, listed=listed, most=listed
            )[1]

        return self._ask(search, records)

    def nearest(self, capacity: np.ndarray, records: np.ndarray, k: int) -> np.ndarray:
        """The ``k`` nearest impostors, at most as far or not, (n_records, k), then -1."""
        formula = monotone_formula(CHOQUET, capacity)
        k = min(k, len(self.tree.points))

        def search(records: np.ndarray) -> np.ndarray:
            queries, nobody = self.original[records], np.full(len(records), -1)
            return np.asarray(
                nearest_points(self.tree, formula, queries, queries, nobody, records, k)[0]
            )

        return self._ask(search, records)

    def _ask(self, question: Callable[[np.ndarray], np.ndarray], records: np.ndarray) -> np.ndarray:
        if len(records) <= self.chunk:  # not worth a worker
            return question(records)
        order = np.argsort(self.tree.place[records])  # neighbours walk the same branches
        chunks = np.array_split(records[order], -(-len(records) // self.chunk))
        # a chunk takes milliseconds: never worth sending the tree to another process
        answers = np.concatenate(
            Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(question)(chunk) for chunk in chunks
            )
        )
        restored = np.empty_like(answers)
        restored[order] = answers
        return restored
