"""Who the impostors are: what HLMS asks of two files, through a tree of the masked one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.search.tree import (
    CHOQUET,
    Formula,
    beaten,
    build,
    impostors_at_most_as_far,
    monotone_formula,
    nearest_points,
)
from sklearn_reclink.solvers.hlms import kernel

LISTED = 12  # impostors of a record that its step moves away from
NEAREST = 8  # impostors that a recount of the refinement adds
HELD = 36  # impostors held of a record while refining
CHUNK = 1024  # records a worker searches at once
REACHES = np.array([0.1, 0.5, 2.0])  # rates of the steps that lines of the refinement go to


class Files:
    """Two files, the tree of the masked one, and which records are known to be hopeless."""

    def __init__(self, original: np.ndarray, masked: np.ndarray, n_jobs: int | None) -> None:
        self.original, self.masked, self.n_jobs = original, masked, n_jobs
        self.tree = build(masked)
        self.hopeless = np.zeros(len(original), dtype=bool)
        self.by_size = np.argsort(subset_sizes(original.shape[1]), kind="stable")

    def all_linked(self, n_linked: int) -> bool:
        """Whether no capacity can link more."""
        return n_linked >= len(self.original) - int(self.hopeless.sum())

    def count(self, capacity: np.ndarray) -> int:
        """How many records a capacity links."""

        def lost(formula: Formula, records: np.ndarray) -> np.ndarray:
            return beaten(self.tree, formula, self.original[records], records)

        every = np.arange(len(self.original))
        return len(every) - int(np.count_nonzero(self._ask(lost, capacity, every)))

    def impostors(self, capacity: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Rows at most as far as the own record, some of them, (n_records, n_listed), then -1."""

        def search(formula: Formula, records: np.ndarray) -> np.ndarray:
            queries = self.original[records]
            return impostors_at_most_as_far(
                self.tree, formula, queries, records, listed=LISTED, most=LISTED
            )[1]

        return self._ask(search, capacity, records)

    def nearest(self, capacity: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Rows of the nearest impostors, linked or not, (n_records, n_nearest), then -1."""
        n_nearest = min(NEAREST, len(self.tree.points))

        def search(formula: Formula, records: np.ndarray) -> np.ndarray:
            queries = self.original[records]
            nobody = np.full(len(records), -1)
            return np.asarray(
                nearest_points(self.tree, formula, queries, queries, nobody, records, n_nearest)[0]
            )

        return self._ask(search, capacity, records)

    def _ask(
        self,
        question: Callable[[Formula, np.ndarray], np.ndarray],
        capacity: np.ndarray,
        records: np.ndarray,
    ) -> np.ndarray:
        formula = monotone_formula(CHOQUET, capacity)
        if len(records) <= CHUNK:  # not worth a worker
            return question(formula, records)
        order = np.argsort(self.tree.place[records])  # neighbours walk the same branches
        chunks = np.array_split(records[order], -(-len(records) // CHUNK))
        # a chunk takes milliseconds: never worth sending the tree to another process
        answers = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(question)(formula, chunk) for chunk in chunks
        )
        sorted_answers = np.concatenate(answers)
        restored = np.empty_like(sorted_answers)
        restored[order] = sorted_answers
        return restored


class Rows:
    """Impostors met of a sample of records, with what the Choquet integral needs of them."""

    def __init__(self, files: Files, sample: np.ndarray) -> None:
        n_features = files.original.shape[1]
        self.files, self.sample = files, sample
        self.rows = np.full((len(sample), HELD), -1)
        self.n_rows = np.zeros(len(sample), dtype=np.int64)
        self.increments = np.zeros((len(sample), HELD + 1, n_features))
        self.subsets = np.zeros((len(sample), HELD + 1, n_features), dtype=np.int16)

    def meet(self, capacity: np.ndarray) -> int:
        """Add the nearest impostors; how many records of the sample the capacity links."""
        kernel.extend_rows(
            self.files.original,
            self.files.masked,
            self.sample,
            self.files.nearest(capacity, self.sample),
            self.rows,
            self.n_rows,
            self.increments,
            self.subsets,
            self.files.hopeless,
        )
        return int(
            kernel.n_linked(
                capacity,
                self.sample,
                self.n_rows,
                self.increments,
                self.subsets,
                self.files.hopeless,
            )
        )

    def search(self, capacity: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """The capacity at the end of some line searches, by the impostors held."""
        capacity = capacity.copy()
        kernel.search_lines(
            capacity,
            self.sample,
            self.n_rows,
            self.increments,
            self.subsets,
            self.files.hopeless,
            draws,
            self.files.by_size,
            REACHES,
        )
        return capacity
