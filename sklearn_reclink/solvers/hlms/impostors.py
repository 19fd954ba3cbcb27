"""Who the impostors are: what HLMS asks of two files, through their index, and its steps."""

from typing import Any

import numpy as np

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.families import Choquet
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.hlms import kernel

LISTED = 12  # impostors of a record that its step moves away from


class Files:
    """Two files of coordinates, searched by trees.

    Parameters
    ----------
    original, masked : ndarray of shape (n_records, n_features), (n_masked, n_features)
    n_jobs : int or None
        Threads.
    batch : int
        Records that a thread searches at once.

    Attributes
    ----------
    dominated : ndarray of bool of shape (n_records,)
        Records that no capacity links: an impostor matches or beats their own masked record in
        every variable.
    by_size : ndarray of int of shape (2**n_features,)
        The subsets of the variables, in the order of their size.
    """

    def __init__(
        self,
        original: np.ndarray,
        masked: np.ndarray,
        n_jobs: int | None = None,
        batch: int = 1024,
    ) -> None:
        self.original, self.masked, self.n_jobs, self.batch = original, masked, n_jobs, batch
        self.index = Index(original, masked, n_jobs=n_jobs, dense_pairs=0)
        self.family = Choquet(original.shape[1])
        self.dominated = self.index.dominated
        self.by_size = np.argsort(subset_sizes(original.shape[1]), kind="stable")

    def all_linked(self, n_linked: int) -> bool:
        """Whether no capacity can link more."""
        return n_linked >= self.index.ceiling

    def count(self, capacity: np.ndarray) -> int:
        """How many records a capacity links."""
        return int(np.count_nonzero(self._ask(capacity, "linked")))

    def impostors(self, capacity: np.ndarray, records: np.ndarray, listed: int) -> np.ndarray:
        """Some impostors at most as far as the own record, (n_records, listed), then -1."""
        return self._ask(capacity, "impostors", records, listed=listed)

    def nearest(self, capacity: np.ndarray, records: np.ndarray, k: int) -> np.ndarray:
        """The ``k`` nearest impostors, at most as far or not, (n_records, k), then -1."""
        return self._ask(capacity, "nearest_impostors", records, k=k)

    def stepped(
        self, capacity: np.ndarray, block: np.ndarray, rate: float, *, floor: float
    ) -> np.ndarray:
        """The capacity after a step for every record of a block, among the impostors before it."""
        impostors = self.impostors(capacity, block, LISTED)
        capacity = capacity.copy()
        kernel.step_through_block(
            capacity, self.original, self.masked, block, impostors, self.dominated, rate, floor,
            self.by_size,
        )  # fmt: skip
        return capacity

    def _ask(
        self, capacity: np.ndarray, question: str, *records: np.ndarray, **options: Any
    ) -> np.ndarray:
        search = self.index.search(self.family, capacity[1:])
        search.batch, search.local = self.batch, True  # type: ignore[attr-defined]
        return search.ask(question, *records, n_jobs=self.n_jobs, **options)[0]
