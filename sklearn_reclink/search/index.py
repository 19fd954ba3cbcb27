"""The index of a masked file: who is nearest, who is linked, who can never be.

``original`` and ``masked`` are files of coordinates, ``diff = original_i - masked_j``, or what
`families.differences` makes of categories and missing values. Row i of both belongs to the same
person; masked records beyond those of ``original`` are impostors only. For record ``i``, with a
distance ``d`` and the rule of `ties`::

    link         the lowest row among those tied as nearest
    linked       d_ii is strictly less than d_ij for every j != i
    dominated    some j != i is at most as far as i, or tied with it, in every variable

A dominated record is linked by no monotone distance. The records left are the **ceiling** of every
weighted mean, OWA and Choquet integral, known without any optimisation.

A *search* answers about a batch of records. `Pairs` compares all pairs, without compiled code;
where there are many, trees answer the same (`tree_search`, `shards`, `priced`); `batches` runs them
on joblib's workers. All decide with the floats of ``Family.evaluate``, so no answer depends on
which of them ran. ``N^2`` distances are never held.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.families.differences import differences
from sklearn_reclink.search import ties
from sklearn_reclink.search.links import Links

DENSE_PAIRS = 4_000_000  # all of which are compared without a tree
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
            records = np.arange(n_asked) if records is None else records
            return tuple(getattr(self, question)(records, **options))
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


class Index:
    """Two files of coordinates, and every question that is asked about them.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_features)
    masked : ndarray of shape (n_masked, n_features)
        Row i of both belongs to the same person; further rows are impostors only.
    n_jobs, verbose : int or None, default=None and 0
        Number of joblib workers; above 0, the progress of long work is printed.
    caps : ndarray of shape (n_features,), default=None
        Of `families.differences`, for a file of categories or with missing values.
    extra : ndarray of int of shape (n_extra, 2), default=None
        What the last coordinates stand for, see `families.missing`.
    dense_pairs : int, default=4,000,000
        Up to so many pairs, all of them are compared and nothing is compiled; beyond, a tree of
        the masked records answers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> from sklearn_reclink.search import Index
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> Y = np.array([[0.0], [1.5], [1.5], [9.0]])  # the middle two were averaged
    >>> index = Index(X, Y)
    >>> index.linked(WeightedMean(1), np.ones(1))
    array([ True, False, False,  True])
    >>> index.ceiling
    2
    """

    def __init__(
        self,
        original: np.ndarray,
        masked: np.ndarray,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        caps: np.ndarray | None = None,
        extra: np.ndarray | None = None,
        dense_pairs: int = DENSE_PAIRS,
    ) -> None:
        self.original = np.ascontiguousarray(original, dtype=float)
        self.masked = np.ascontiguousarray(masked, dtype=float)
        self.n_records, self.n_masked = len(self.original), len(self.masked)
        self.n_jobs, self.verbose = n_jobs, verbose
        self.caps, self.extra = caps, np.empty((0, 2), int) if extra is None else extra
        self.n_variables = self.original.shape[1] - len(self.extra)
        self.is_dense = self.n_records * self.n_masked <= dense_pairs
        self.trees: dict[bytes, Any] = {}  # planted so far, see `tree_search`

    def search(self, family: Family, theta: np.ndarray) -> Search:
        """The quicker way to the same answers about a distance."""
        if not self.is_dense and (formula := family.formula(theta)) is not None:
            from sklearn_reclink.search.tree_search import TreeSearch

            return TreeSearch.plant(self, family, theta, formula)
        return DistancePairs(family, theta, self.original, self.masked)

    def _ask(
        self, question: str, family: Family, theta: np.ndarray, *args: Any, **options: Any
    ) -> tuple[np.ndarray, ...]:
        options |= {"n_jobs": self.n_jobs, "verbose": self.verbose}
        return self.search(family, theta).ask(question, *args, **options)

    def linked(
        self, family: Family, theta: np.ndarray, records: np.ndarray | None = None
    ) -> np.ndarray:
        """Whether the distance re-identifies each record, (n_records,)."""
        return self._ask("linked", family, theta, records)[0]

    def link(self, family: Family, theta: np.ndarray) -> Links:
        """Link every record and compare with its own."""
        return Links(*self._ask("link", family, theta))

    def nearest(self, family: Family, theta: np.ndarray) -> np.ndarray:
        """Row of the nearest masked record of every record, the lowest among ties."""
        return self._ask("nearest", family, theta)[0]

    def k_nearest(
        self, family: Family, theta: np.ndarray, n_neighbors: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances and rows of the nearest masked records, in the order of `ties`."""
        values, rows = self._ask("k_nearest", family, theta, n_neighbors=n_neighbors)
        return values, rows

    def nearest_impostors(
        self, family: Family, theta: np.ndarray, records: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest impostor of each record, and how much farther it is than the own record.

        Impostors are found by the quick formula of `Family.nearest_others`, or by a tree; where it
        cannot tell, how much farther is judged by the rule of `ties`: at most 0 for a tie. Of
        ``theta`` (n_thetas, n_parameters), which a tree repairs first, as they may be a hair
        outside of the cone, and records (n_asked,), both answers are (n_thetas, n_asked).
        """
        if not self.is_dense and family.monotone:
            from sklearn_reclink.search.tree_search import nearest_impostors

            return nearest_impostors(self, family, theta, records)
        impostors, margins, doubt = family.nearest_others(
            theta, self.original[records], self.masked, records
        )
        for t in np.flatnonzero((np.abs(margins) <= doubt).any(axis=1)):
            close = np.flatnonzero(np.abs(margins[t]) <= doubt)
            margins[t, close] = self._margins(family, theta[t], records[close], impostors[t, close])
            for place in close[margins[t, close] > 0]:  # is another one nearer?
                others = np.delete(np.arange(self.n_masked), records[place])
                everyone = self._margins(family, theta[t], records[[place]], others)
                nearest = np.argmin(everyone)
                impostors[t, place], margins[t, place] = others[nearest], everyone[nearest]
        return impostors, margins

    def _margins(self, family: Family, theta: np.ndarray, records: Any, impostors: Any) -> Any:
        """How much farther impostors are than the own records, by the rule of `ties`."""
        original = self.original[records]
        own = family.between(theta, original, self.masked[records])
        return ties.margin(*own, *family.between(theta, original, self.masked[impostors]))

    def rows(self, family: Family, records: Any, impostors: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows of (record, impostor) pairs, and the magnitudes that ties are judged by.

        ``phi(a_i, b_j) - phi(a_i, b_i)`` and `Family.tolerated`, both of shape (n_pairs,
        n_parameters); zeros where that is None.
        """
        own, other = self.features(family, records, impostors)
        tolerated = family.tolerated(own, other)
        return other - own, np.zeros_like(own) if tolerated is None else tolerated

    def features(self, family: Family, records: Any, impostors: Any) -> tuple[np.ndarray, ...]:
        """Features of records with their own masked versions, and with impostors."""
        original = self.original[records]
        own = family.features(family.differences(original, self.masked[records]))
        return own, family.features(family.differences(original, self.masked[impostors]))

    def own_differences(self) -> np.ndarray:
        """Differences of aligned records in the variables, (n_records, n_variables)."""
        own = differences(self.original, self.masked[: self.n_records], self.caps)
        return own[:, : self.n_variables]

    @cached_property
    def dominated(self) -> np.ndarray:
        """Records that an impostor matches or beats in every variable, (n_records,) of bool."""
        if self.is_dense:
            return self.n_dominators > 0
        from sklearn_reclink.search.tree_search import dominated

        return dominated(self)

    @cached_property
    def n_dominators(self) -> np.ndarray:
        """How many impostors do so, (n_records,), by all pairs."""
        size = max(1, BATCH_BYTES // (32 * self.n_masked))
        return ties.n_dominators(self.squares, self.n_records, self.original.shape[1], size)

    def squares(self, k: int, records: np.ndarray, masked: Any) -> np.ndarray:
        """Squared differences of one coordinate of records and masked records."""
        files = self.original[records, k, None], self.masked[masked, k, None]
        caps = None if self.caps is None else self.caps[[k]]
        return (files[0] - files[1] if caps is None else differences(*files, caps))[..., 0] ** 2

    @property
    def ceiling(self) -> int:
        """How many records a monotone distance can link at the very most."""
        return int(self.n_records - self.dominated.sum())
