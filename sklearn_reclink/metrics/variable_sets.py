"""What is known of an intruder who knows some variables only, before any search.

For a set ``S`` of variables, with ``c_k(i, j)`` the dissimilarity of original record ``i`` and
masked record ``j`` in variable ``k`` (what a missing value costs included), `count_sets` gives in
one view

===================  ==============================================================================
``n_linked``         records that equal weights link, ``sum_{k in S} c_k(i, i)`` strictly the least
``expected``         the same where a tie counts 1 / (number tied)
``ceiling``          records that no masked record dominates: none has ``c_k(i, j) <= c_k(i, i)``
                     for all k in S. No monotone distance links others.
``expected_others``  what the other records can add to ``expected`` at the very most
===================  ==============================================================================

*Guessing among ties.* If ``m_i`` masked records dominate record ``i``, each is at most as far as
its own by every monotone distance. So either one is nearer, or all are tied with its own: the
record adds at most ``1 / (1 + m_i)``. A weighted mean rounds a sum of terms that are not larger to
a sum that is not larger, so this holds for computed distances, too. A masked record that dominates
and is nearer in every variable is never tied by a weighted mean; where there is one, the record
adds 0. A record that nothing dominates adds 1 if it is linked and at most 1/2 if it is not. Where
no weights link more than ``B`` records::

    expected  <=  (min(B, ceiling) + ceiling) / 2  +  expected_others

Every count here is monotone: a record dominated within ``T`` is dominated within every part of
``T``.

*One pass.* Sets are visited as a tree of prefixes, so each takes one sum of two matrices, and pairs
that dominate within a prefix are only ever fewer below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.data.views import learn_view
from sklearn_reclink.metrics.record_space import index_of
from sklearn_reclink.search import Index
from sklearn_reclink.search.ties import TIE_TOLERANCE, strictly_nearer

_BATCH_BYTES = 2**20
_MAY_BE_TIED = 2 * TIE_TOLERANCE
_DOMINATES = 0.5 * TIE_TOLERANCE  # `search.ties.BOX_TOLERANCE`


@dataclass(frozen=True, eq=False)
class SetCounts:
    """Counts of every set of variables in one view, each (n_sets,)."""

    view: str | None
    n_linked: np.ndarray
    expected: np.ndarray
    ceiling: np.ndarray
    expected_others: np.ndarray

    def expected_bound(self, bound: np.ndarray) -> np.ndarray:
        """The most that guessing among ties gives where so many records can be linked."""
        return (np.minimum(bound, self.ceiling) + self.ceiling) / 2 + self.expected_others


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Two files in one view: an index of all coordinates, and the variable of each of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics.variable_sets import coordinates_of, count_sets
    >>> X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 5.0], [9.0, 9.0]])
    >>> Y = np.array([[0.0, 3.0], [1.5, 2.0], [1.5, 5.0], [9.0, 9.0]])  # the middle two averaged
    >>> found = count_sets(coordinates_of(X, Y, Y, X, "separate"), [(0,), (1,), (0, 1)])
    >>> found.n_linked, found.expected
    (array([2, 4, 4]), array([3., 4., 4.]))
    """

    view: str | None
    index: Index
    variables: np.ndarray

    @property
    def has_costs(self) -> np.ndarray:
        """The variables with values missing, whose costs have weights of their own."""
        return np.unique(self.variables[self.index.n_variables :])


def coordinates_of(
    original: np.ndarray,
    masked: np.ndarray,
    everyone: np.ndarray,
    whole: np.ndarray,
    view: str | None,
    nominal: Sequence[int] | None = None,
) -> Coordinates:
    """The coordinates that a linker learns in.

    Parameters
    ----------
    original, masked : ndarray of shape (n_records, n_features)
        The records sought and their masked versions.
    everyone : ndarray of shape (n_masked, n_features)
        The whole masked file, the records of ``masked`` first.
    whole : ndarray of shape (n_original, n_features)
        The whole original file, in which ranks are counted.
    view : str or None
        How to standardise.
    nominal : sequence of int or None, default=None
        Columns of categories; None where all are numbers and none is missing.
    """
    n_features = original.shape[1]
    files = (whole, everyone) if view == "rank" else (original, masked)
    mixed = None
    if nominal is not None:
        kinds = ["nominal" if k in nominal else "numeric" for k in range(n_features)]
        mixed = (everyone, kinds, False)
    index, used = index_of(learn_view(*files, view, None, mixed), original, everyone)
    return Coordinates(view, index, np.append(np.arange(n_features), index.extra[:, 0])[used])


def count_sets(
    coordinates: Coordinates, sets: Sequence[tuple[int, ...]], *, n_jobs: int | None = None
) -> SetCounts:
    """Count for each set of variables, each in ascending order."""
    index = coordinates.index
    size = max(1, _BATCH_BYTES // (8 * index.n_masked))
    starts = range(0, index.n_records, size)
    tree = _prefixes(sets)
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_count_batch)(coordinates, tree, len(sets), start, size) for start in starts
    )
    linked, expected, ceiling, others = np.sum(list(found), axis=0)
    counts = linked.astype(int), expected, ceiling.astype(int), others
    return SetCounts(coordinates.view, *counts)


@dataclass
class _Node:
    """A prefix of sets: its continuations by variable, and the number of the set that ends here."""

    further: dict[int, _Node]
    number: int | None = None


def _prefixes(sets: Sequence[tuple[int, ...]]) -> _Node:
    root = _Node({})
    for number, one in enumerate(sets):
        node = root
        for k in one:
            node = node.further.setdefault(k, _Node({}))
        node.number = number
    return root


class _Batch:
    """Some records: their dissimilarities to all masked records, variable by variable."""

    def __init__(self, coordinates: Coordinates, start: int, size: int) -> None:
        index = coordinates.index
        self.records = np.arange(start, min(start + size, index.n_records))
        self.here = np.arange(len(self.records))
        self.shape = len(self.records), index.n_masked
        self.sums: dict[int, np.ndarray] = {}
        self.near: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.equal: dict[int, np.ndarray] = {}
        for place, k in enumerate(coordinates.variables.tolist()):
            squares = index.squares(place, self.records[:, None], slice(None))
            own = squares[self.here, self.records][:, None]
            near = squares - own <= _DOMINATES * (squares + own), squares <= own
            equal = own - squares <= _MAY_BE_TIED * (squares + own)
            for matrix in near:
                matrix[self.here, self.records] = False
            if k in self.sums:
                squares = self.sums[k] + squares
                near = self.near[k][0] & near[0], self.near[k][1] & near[1]
                equal |= self.equal[k]
            self.sums[k], self.near[k], self.equal[k] = squares, near, equal

    def links(self, sums: np.ndarray) -> tuple[int, float]:
        """How many records equal weights link, strictly and by guessing among ties."""
        own = sums[self.here, self.records]
        sums[self.here, self.records] = np.inf
        nearest = sums.min(axis=1) if sums.shape[1] > 1 else np.full(len(own), np.inf)
        sums[self.here, self.records] = own
        with np.errstate(invalid="ignore"):
            linked = strictly_nearer(own, own, nearest, nearest) | np.isinf(nearest)
            tied = np.flatnonzero(~linked & ~strictly_nearer(nearest, nearest, own, own))
        n_linked = int(np.count_nonzero(linked))
        least = np.minimum(own, nearest)[tied, None]
        shares = 1 / (~strictly_nearer(least, least, sums[tied], sums[tied])).sum(axis=1)
        return n_linked, n_linked + float(shares.sum())


def _count_batch(
    coordinates: Coordinates, tree: _Node, n_sets: int, start: int, size: int
) -> np.ndarray:
    """Counts of a batch of records, (4, n_sets)."""
    batch = _Batch(coordinates, start, size)
    found = np.zeros((4, n_sets))

    def visit(node: _Node, sums: np.ndarray, near: _Dominating | None) -> None:
        if node.number is not None:
            found[:2, node.number] = batch.links(sums)
            found[2:, node.number] = _dominance(batch.shape, near)
        for k, child in node.further.items():
            if k not in batch.sums:  # constant in a file
                visit(child, sums, near)
            elif near is None:
                tolerant, exact = map(np.flatnonzero, batch.near[k])
                first = _Dominating(tolerant, exact, batch.equal[k].ravel()[exact])
                visit(child, batch.sums[k].copy(), first)
            else:
                visit(child, sums + batch.sums[k], near.within(batch, k))

    visit(tree, np.zeros(batch.shape), None)
    return found


@dataclass(frozen=True, eq=False)
class _Dominating:
    """Pairs whose masked record dominates, by their positions in a matrix of a batch.

    ``tolerant`` are those within the tolerance of ties, ``exact`` those without it, and
    ``may_tie`` tells of the latter whether they are equally far in some variable.
    """

    tolerant: np.ndarray
    exact: np.ndarray
    may_tie: np.ndarray

    def within(self, batch: _Batch, k: int) -> _Dominating:
        """Those that dominate in one more variable, too."""
        tolerant, exact = (matrix.ravel() for matrix in batch.near[k])
        kept = exact[self.exact]
        left = self.exact[kept]
        may_tie = self.may_tie[kept] | batch.equal[k].ravel()[left]
        return _Dominating(self.tolerant[tolerant[self.tolerant]], left, may_tie)


def _dominance(shape: tuple[int, int], near: _Dominating | None) -> tuple[int, float]:
    """How many records nothing dominates, and what the others can add to the expected links."""
    n_records, n_masked = shape
    if near is None:  # nothing tells records apart
        return (n_records, 0.0) if n_masked == 1 else (0, n_records / n_masked)
    owners = near.exact // n_masked
    nearer = np.bincount(owners[~near.may_tie], minlength=n_records) > 0
    count = np.bincount(owners, minlength=n_records)
    dominated = np.bincount(near.tolerant // n_masked, minlength=n_records) > 0
    guessed = 1 / (1 + np.maximum(count, 1))
    return int(np.count_nonzero(~dominated)), float(guessed[dominated & ~nearer].sum())


def informative_views(views: Sequence[Any], build: Any) -> tuple[list[Coordinates], list[str]]:
    """The coordinates of the views that take the files, and a sentence for each of the others."""
    found, refused = list[Coordinates](), dict[Any, ValueError]()
    for view in views:
        try:
            found.append(build(view))
        except ValueError as error:
            refused[view] = error
    if not found:
        raise refused[views[0]]
    return found, [
        f"standardize={view!r} does not take these files and is left out, also of the bounds: "
        f"{error}"
        for view, error in refused.items()
    ]
