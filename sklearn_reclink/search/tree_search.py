"""The same answers from a tree of the masked records, in time near-linear in the records.

The tree finds the nearest point and says whether any other is close enough to be tied with it;
only then is it asked again, for all that are tied. Asked for the nearest of a file that has as
many records as the masked one, a record looks at the masked record of its own row first: any row
would give the same answer, and that one is mostly near.

A bound of no weight prunes nothing: all pairs are compared, by compiled code.

*Trees are planted once.* Every monotone distance can use the one tree of the coordinates. A
weighted sum is quicker with sides stretched by its weights and the variables of no weight left out:
weights are rounded to powers of four for that, so that parameters close to each other share a tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.families import Family, WeightedMean
from sklearn_reclink.families.formula import SAME, SUM, Formula, formula
from sklearn_reclink.search.index import Index, Search
from sklearn_reclink.search.ties import BOX_TOLERANCE, TIE_TOLERANCE, rank, strictly_nearer
from sklearn_reclink.search.tree.boxes import someone_in_box
from sklearn_reclink.search.tree.building import Tree, build
from sklearn_reclink.search.tree.descent import distances_to, leaf_of
from sklearn_reclink.search.tree.formulas import Tolerance, tie_limits, tolerance_of
from sklearn_reclink.search.tree.walks import at_most_as_far, nearest_points

BATCH_PAIRS = 10**7  # of a batch that compares all of them
_KEPT_TREES = 2
_PER_TREE = 16  # masked records to build a tree of, in the time of one question

Limits = tuple[np.ndarray, np.ndarray]  # distances and magnitudes, one each per record


@dataclass(eq=False, repr=False)
class TreeSearch(Search):
    """Answers by a tree; `plant` makes one.

    Parameters
    ----------
    family, theta, formula
        The distance, and the same as the tree takes it.
    tree : Tree
        The masked records.
    tolerance : Tolerance
        How far beyond a distance ties reach.
    queries, exact : ndarray of shape (n_records, n_coordinates), (n_records, n_features)
        The original records in the coordinates of the bound and of the distance.
    batch, listed : int
        Records of a batch, and entries of a list of candidates.
    """

    family: Family
    theta: np.ndarray
    tree: Tree
    formula: Formula
    tolerance: Tolerance
    queries: np.ndarray
    exact: np.ndarray
    batch: int = 10_000
    listed: int = 2**22

    @classmethod
    def plant(
        cls,
        index: Index,
        family: Family,
        theta: np.ndarray,
        found: Formula,
        *,
        stretched: bool = True,
        tolerance: Tolerance | None = None,
        centre: np.ndarray | None = None,
    ) -> Self:
        """Prepare the index for one distance.

        ``stretched=False`` takes the tree of the coordinates as they are: it is there for any
        parameters, while a stretched one may have to be built. A part of two files takes the
        ``tolerance`` and the ``centre`` (0 in mapped coordinates) of the whole.
        """
        original, masked = index.original, index.masked
        tolerance = tolerance or tolerance_of(found, original, masked)
        if found.root.size:
            centre = masked.mean(axis=0) if centre is None else centre
            tree = build((masked - centre) @ found.root, exact=masked)
            queries = (original - centre) @ found.root
            return cls(family, theta, tree, found, tolerance, queries, original)
        stretch = np.ones(masked.shape[1])
        if stretched and found.bound == SUM and found.distance == SAME and found.weights.any():
            every = np.append(found.weights, found.extra)
            kept = every > 0
            stretch = np.where(kept, every, 0.0)
            theta, family = every[kept], WeightedMean(int(kept.sum()))
            family.caps = None if index.caps is None else index.caps[kept]
            n = np.count_nonzero(found.weights > 0)
            found = formula(SUM, theta[:n], extra=theta[n:], caps=family.caps)
            original = np.ascontiguousarray(original[:, kept])
        return cls(family, theta, tree_of(index, stretch), found, tolerance, original, original)

    @property
    def name(self) -> str:  # type: ignore[override]
        return "a tree" if self.formula.weights.any() else "all pairs"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.queries), len(self.tree.rows)

    @property
    def batch_size(self) -> int:
        """Number of records of a batch; few where nothing is pruned."""
        if self.formula.weights.any():
            return self.batch
        return max(1, BATCH_PAIRS // len(self.tree.rows))

    @property
    def _aligned(self) -> bool:
        return len(self.queries) == len(self.tree.rows)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows of the original file, neighbours in the tree beside each other."""
        if self._aligned:
            return self.tree.rows
        leaves = leaf_of(self.tree, self.formula, self.queries)
        return np.argsort(leaves, kind="stable")

    def order_of(self, records: np.ndarray) -> np.ndarray:
        return np.argsort(self.tree.place[records], kind="stable")

    def __sizeof__(self) -> int:
        arrays = [*self.tree[:-1], self.queries, self.exact]
        return sum(array.nbytes for array in {id(array): array for array in arrays}.values())

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        own = self._own(records)
        return (self._count(records, records, own, most=1)[0] == 0,)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        guess = records if self._aligned else _nobody(records)
        rows, values, magnitudes, close = self._search(records, guess, _nobody(records))
        links = rows[:, 0]
        if close.any():
            some = records[close]
            _, links[close] = self._count(
                some, _nobody(some), (values[close, 0], magnitudes[close, 0])
            )
        return (links,)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        own, own_magnitude = self._own(records)
        rows, values, magnitudes, close = self._search(records, _nobody(records), records)
        links, nearest, magnitude = rows[:, 0], values[:, 0].copy(), magnitudes[:, 0]
        runner_up = values[:, 0]
        first = (own < runner_up) | ((own == runner_up) & (records < links))
        links[first], nearest[first] = records[first], own[first]
        magnitude[first] = own_magnitude[first]
        n_tied = self._n_equal(links)
        close |= np.maximum(own, runner_up) <= tie_limits(self.tolerance, nearest)
        if close.any():
            n_tied[close], links[close] = self._count(
                records[close], _nobody(records[close]), (nearest[close], magnitude[close])
            )
        linked = runner_up > tie_limits(self.tolerance, own)
        unsure = np.flatnonzero(~linked)
        asked = records[unsure]
        counts, _ = self._count(asked, asked, (own[unsure], own_magnitude[unsure]), most=1)
        linked[unsure] = counts == 0
        own_tied = ~strictly_nearer(nearest, magnitude, own, own_magnitude)
        return links, nearest, own, runner_up, n_tied, linked, own_tied

    def k_nearest(self, records: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, ...]:
        nobody, k = _nobody(records), min(n_neighbors, len(self.tree.points))
        guess = records if self._aligned else nobody
        points, distances, magnitudes, close = self._search(records, guess, nobody, k)
        several = (self._n_equal(points) > 1).any(axis=1)
        if k == n_neighbors:
            rows, values = points, distances
        else:
            rows = np.empty((len(records), n_neighbors), dtype=np.int64)
            values = np.empty(rows.shape)
        again = np.flatnonzero(close | several | (k < n_neighbors))
        last, largest = distances[again, -1], magnitudes[again].max(axis=1)
        for some, found in self._candidates(records[again], last, largest, n_neighbors):
            for i, candidates in zip(again[some], found, strict=True):
                candidates = candidates[candidates >= 0]
                points = self.tree.exact[self.tree.place[candidates]]
                value, magnitude = self.family.between(self.theta, self.exact[records[i]], points)
                ranked = rank(value, magnitude, candidates, n_neighbors)
                rows[i], values[i] = candidates[ranked], value[ranked]
        return values, rows

    def nearest_impostors(self, records: np.ndarray, k: int = 1) -> tuple[np.ndarray, ...]:
        """Rows of the k nearest distinct impostors, then -1, and their distances."""
        k = min(k, len(self.tree.points))
        rows, values, magnitudes, _ = self._search(records, _nobody(records), records, k)
        return rows, values, magnitudes

    def impostors(self, records: np.ndarray, listed: int) -> tuple[np.ndarray, ...]:
        """Rows of some impostors at most as far as the own record, in no order, then -1."""
        found = np.empty((len(records), listed), dtype=np.int64)
        self._list(records, records, self._own(records), found, listed, listed)
        return (found,)

    def own(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._own(records)[:1]

    def _own(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and magnitudes of records and their own masked versions."""
        return distances_to(self.tree, self.formula, self.exact[records], records)

    def _n_equal(self, rows: np.ndarray) -> np.ndarray:
        """Number of masked records equal to those in the rows, themselves included."""
        place = self.tree.place[rows]
        return np.asarray(self.tree.first[place + 1] - self.tree.first[place])

    def _search(
        self, records: np.ndarray, guess: np.ndarray, skip: np.ndarray, k: int = 1
    ) -> tuple[np.ndarray, ...]:
        queries, exact = self.queries[records], self.exact[records]
        return nearest_points(
            self.tree, self.formula, self.tolerance, queries, exact, guess, skip, k
        )

    def _count(
        self, records: np.ndarray, skip: np.ndarray, limits: Limits, *, most: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """How many rows are at most as far as the limit of each record, and the lowest of them."""
        nothing = np.empty((len(records), 0), dtype=np.int64)
        most = len(self.tree.rows) if most is None else most
        return self._list(records, skip, limits, nothing, 0, most)

    def _list(
        self,
        records: np.ndarray,
        skip: np.ndarray,
        limits: Limits,
        found: np.ndarray,
        each: int,
        most: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same, and some of these rows in ``found``."""
        files = self.queries[records], self.exact[records]
        tree = self.tree, self.formula, self.tolerance
        return at_most_as_far(*tree, *files, skip, *limits, found, each, most)

    def _candidates(
        self, records: np.ndarray, values: np.ndarray, magnitudes: np.ndarray, each: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All within the distance of each record, ties included, some records at a time."""
        if len(records) == 0:
            return
        counts, _ = self._count(records, _nobody(records), (values, magnitudes))
        order = np.argsort(counts, kind="stable")
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and counts[order[stop]] * (stop + 1 - start) <= self.listed:
                stop += 1
            some = order[start:stop]
            found = np.empty((len(some), counts[some[-1]]), dtype=np.int64)
            limits = values[some], magnitudes[some]
            self._list(records[some], _nobody(some), limits, found, each, len(self.tree.rows))
            yield some, found
            start = stop


def nearest_impostors(
    index: Index, family: Family, theta: np.ndarray, records: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`Index.nearest_impostors` of a monotone family; margins include what ties demand.

    A tree of its own pays for parameters that are asked about many records.
    """
    stretched = _PER_TREE * len(records) >= index.n_masked
    impostors = np.empty((len(theta), len(records)), dtype=np.int64)
    margins = np.empty(impostors.shape)
    for t, parameters in enumerate(theta):
        repaired = family.repair(parameters)
        found = family.formula(repaired)
        if found is None:
            raise ValueError(f"parameters {repaired} are not those of a monotone distance")
        search = TreeSearch.plant(index, family, repaired, found, stretched=stretched)
        rows, values, magnitudes = search.nearest_impostors(records)
        own, own_magnitudes = search._own(records)
        demanded = TIE_TOLERANCE * (magnitudes[:, 0] + own_magnitudes)
        impostors[t], margins[t] = rows[:, 0], values[:, 0] - own - demanded
    return impostors, margins


def dominated(index: Index, *, chunk: int = 4096) -> np.ndarray:
    """`Index.dominated`; a worker searches ``chunk`` records at once."""
    tree = tree_of(index, np.ones(index.masked.shape[1]))
    rows = tree.rows[tree.rows < index.n_records]  # neighbours walk the same branches
    caps = np.zeros(0) if index.caps is None else index.caps
    chunks = [rows[start : start + chunk] for start in range(0, len(rows), chunk)]
    # a chunk takes milliseconds: never worth sending the tree to another process
    answers = Parallel(n_jobs=index.n_jobs if len(chunks) > 1 else 1, require="sharedmem")(
        delayed(someone_in_box)(tree, index.original[some], some, BOX_TOLERANCE, caps)
        for some in chunks
    )
    found = np.empty(index.n_records, dtype=bool)
    found[rows] = np.concatenate(answers)
    return found


def tree_of(index: Index, stretch: np.ndarray) -> Tree:
    """The tree of the masked records, sides stretched by about the roots of these weights."""
    used = stretch > 0
    powers = np.zeros(len(stretch), dtype=np.int16)
    powers[used] = np.round(np.log2(stretch[used] / stretch[used].max()) / 2)
    key = used.tobytes() + powers.tobytes()
    tree = index.trees.get(key)  # threads may plant others meanwhile
    if tree is None:
        plain = np.ones(len(stretch), dtype=bool).tobytes() + np.zeros_like(powers).tobytes()
        # any family may ask for the plain one
        stretched = [other for other in list(index.trees) if other != plain]
        if len(index.trees) >= _KEPT_TREES and stretched:
            index.trees.pop(stretched[0], None)
        masked = index.masked if used.all() else index.masked[:, used]
        caps = None if index.caps is None else index.caps[used]
        n_extra = int(np.count_nonzero(used[index.n_variables :]))
        tree = build(masked, stretch=2.0 ** powers[used], caps=caps, n_extra=n_extra)
        index.trees[key] = tree
    return tree


def _nobody(records: np.ndarray) -> np.ndarray:
    return np.full(len(records), -1, dtype=np.int64)
