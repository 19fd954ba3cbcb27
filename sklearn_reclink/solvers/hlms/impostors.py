"""Who the impostors are: what HLMS asks of two files, through their index, and its steps."""

import numpy as np

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.families import Choquet
from sklearn_reclink.search import Index, Search
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
        linked = self._search(capacity).ask("linked", n_jobs=self.n_jobs)[0]
        return int(np.count_nonzero(linked))

    def impostors(self, capacity: np.ndarray, records: np.ndarray, listed: int) -> np.ndarray:
        """Some impostors at most as far as the own record, (n_records, listed), then -1."""
        search = self._search(capacity)
        return search.ask("impostors", records, n_jobs=self.n_jobs, listed=listed)[0]

    def nearest(self, capacity: np.ndarray, records: np.ndarray, k: int) -> np.ndarray:
        """The ``k`` nearest impostors, at most as far or not, (n_records, k), then -1."""
        search = self._search(capacity)
        return search.ask("nearest_impostors", records, n_jobs=self.n_jobs, k=k)[0]

    def stepped(
        self, capacity: np.ndarray, block: np.ndarray, rate: float, *, floor: float
    ) -> np.ndarray:
        """The capacity after a step for every record of a block, among the impostors before it."""
        capacity, impostors = capacity.copy(), self.impostors(capacity, block, LISTED)
        kernel.step_through_block(
            capacity, self.original, self.masked, block, impostors, self.dominated, rate, floor,
            self.by_size,
        )  # fmt: skip
        return capacity

    def _search(self, capacity: np.ndarray) -> Search:
        search = self.index.search(self.family, capacity[1:])
        search.batch, search.local = self.batch, True  # type: ignore[attr-defined]
        return search
