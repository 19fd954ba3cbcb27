"""The same answers from a tree of the masked records, in time near-linear in the records.

The tree finds the nearest point and says whether any other is close enough to be tied with it;
only then is it asked again, for all that are tied. Asked for the nearest of a file that has as
many records as the masked one, a record looks at the masked record of its own row first: any row
would give the same answer, and that one is mostly near.

A guide of no weight prunes nothing: all pairs are compared, by compiled code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from sklearn_reclink.families import Distance
from sklearn_reclink.families.aggregation import Aggregation
from sklearn_reclink.search.ranking import rank
from sklearn_reclink.search.ties import TIE_TOLERANCE, strictly_nearer

if TYPE_CHECKING:
    from sklearn_reclink.search.tree import Formula, Tree

BATCH_SIZE = 10_000
# Pairs of a batch that compares all of them.
_PAIRS = 10**7
# Entries of one list of candidates.
_LISTED = 2**22


@dataclass(frozen=True, eq=False)
class Treed:
    """Answers by a tree; `plant` makes one.

    Parameters
    ----------
    distance : Distance
    theta : ndarray of shape (n_parameters,)
        What ranks the candidates of ties among many.
    tree : Tree
        The masked records.
    formula : Formula
        The distance, as the tree takes it.
    queries, exact : ndarray of shape (n_records, n_coordinates), (n_records, n_features)
        The original records in the coordinates of guide and judge.
    """

    distance: Distance
    theta: np.ndarray
    tree: Tree
    formula: Formula
    queries: np.ndarray
    exact: np.ndarray

    @property
    def name(self) -> str:
        """What progress calls it."""
        return "a tree" if self.formula.weights.any() else "all pairs"

    @property
    def batch_size(self) -> int:
        """Number of records of a batch; few where nothing is pruned."""
        if self.formula.weights.any():
            return BATCH_SIZE
        return max(1, _PAIRS // len(self.tree.rows))

    @classmethod
    def plant(
        cls,
        distance: Distance,
        theta: np.ndarray,
        aggregation: Aggregation,
        original: np.ndarray,
        masked: np.ndarray,
    ) -> Self:
        """Build the tree of a masked file for one distance."""
        from sklearn_reclink.search import tree as trees

        if (aggregation.guide, aggregation.judge) == ("sum", "guide") and aggregation.weights.any():
            kept = aggregation.weights > 0
            original, masked, theta = original[:, kept], masked[:, kept], theta[kept]
            aggregation = Aggregation("sum", theta, theta)
        original = np.ascontiguousarray(original, dtype=float)
        masked = np.ascontiguousarray(masked, dtype=float)
        formula = formula_of(aggregation, original, masked)
        queries, points = original, masked
        if aggregation.root is not None:
            centre = masked.mean(axis=0)
            queries = (original - centre) @ aggregation.root
            points = (masked - centre) @ aggregation.root
        stretch = np.sqrt(aggregation.weights) if aggregation.guide == "sum" else None
        tree = trees.build(points, exact=None if points is masked else masked, stretch=stretch)
        return cls(distance, theta, tree, formula, queries, original)

    @property
    def _aligned(self) -> bool:
        return len(self.queries) == len(self.tree.rows)

    @property
    def order(self) -> np.ndarray:
        """Rows of the original file, neighbours in the tree beside each other."""
        if self._aligned:
            return self.tree.rows
        from sklearn_reclink.search.tree import leaf_of

        return np.argsort(leaf_of(self.tree, self.formula, self.queries), kind="stable")

    def __sizeof__(self) -> int:
        arrays = [*self.tree[:-1], self.queries, self.exact]
        return sum(array.nbytes for array in {id(array): array for array in arrays}.values())

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        from sklearn_reclink.search.tree import distances_to

        own = distances_to(self.tree, self.formula, self.exact[records], records)
        counts, _ = self._count(records, records, *own, most=1)
        return (counts == 0,)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        guess = records if self._aligned else _nobody(records)
        rows, values, magnitudes, close = self._search(records, guess, _nobody(records))
        links = rows[:, 0]
        if close.any():
            _, links[close] = self._count(
                records[close],
                _nobody(records[close]),
                values[close, 0],
                magnitudes[close, 0],
            )
        return (links,)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        from sklearn_reclink.search.tree import distances_to, tie_limits

        own, own_magnitude = distances_to(self.tree, self.formula, self.exact[records], records)
        rows, values, magnitudes, close = self._search(records, _nobody(records), records)
        links, nearest, magnitude = rows[:, 0], values[:, 0].copy(), magnitudes[:, 0]
        runner_up = values[:, 0]
        first = (own < runner_up) | ((own == runner_up) & (records < links))
        links[first], nearest[first] = records[first], own[first]
        magnitude[first] = own_magnitude[first]
        n_tied = self._n_equal(links)
        close |= np.maximum(own, runner_up) <= tie_limits(self.formula, nearest)
        if close.any():
            n_tied[close], links[close] = self._count(
                records[close], _nobody(records[close]), nearest[close], magnitude[close]
            )
        linked = runner_up > tie_limits(self.formula, own)
        unsure = np.flatnonzero(~linked)
        counts, _ = self._count(
            records[unsure], records[unsure], own[unsure], own_magnitude[unsure], most=1
        )
        linked[unsure] = counts == 0
        own_tied = ~strictly_nearer(nearest, magnitude, own, own_magnitude)
        return links, nearest, own, runner_up, n_tied, linked, own_tied

    def k_nearest(self, records: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, ...]:
        guess = records if self._aligned else _nobody(records)
        k = min(n_neighbors, len(self.tree.points))
        points, distances, magnitudes, close = self._search(records, guess, _nobody(records), k)
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
                differences = self.exact[records[i]] - self.tree.exact[self.tree.place[candidates]]
                value, magnitude = self.distance.evaluate(self.theta, differences)
                ranked = rank(value, magnitude, candidates, n_neighbors)
                rows[i], values[i] = candidates[ranked], value[ranked]
        return values, rows

    def _n_equal(self, rows: np.ndarray) -> np.ndarray:
        """Number of masked records equal to those in the rows, themselves included."""
        place = self.tree.place[rows]
        return np.asarray(self.tree.first[place + 1] - self.tree.first[place])

    def _search(
        self, records: np.ndarray, guess: np.ndarray, skip: np.ndarray, k: int = 1
    ) -> tuple[np.ndarray, ...]:
        from sklearn_reclink.search.tree import nearest_points

        queries, exact = self.queries[records], self.exact[records]
        found: tuple[np.ndarray, ...] = nearest_points(
            self.tree, self.formula, queries, exact, guess, skip, k
        )
        return found

    def _count(
        self,
        records: np.ndarray,
        skip: np.ndarray,
        values: np.ndarray,
        magnitudes: np.ndarray,
        *,
        most: int | None = None,
        found: np.ndarray | None = None,
        each: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        from sklearn_reclink.search.tree import at_most_as_far

        counts, lowest = at_most_as_far(
            self.tree,
            self.formula,
            self.queries[records],
            self.exact[records],
            skip,
            values,
            magnitudes,
            np.empty((len(records), 0), dtype=np.int64) if found is None else found,
            each,
            len(self.tree.rows) if most is None else most,
        )
        return counts, lowest

    def _candidates(
        self, records: np.ndarray, values: np.ndarray, magnitudes: np.ndarray, each: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All within the distance of each record, ties included, some records at a time."""
        if len(records) == 0:
            return
        counts, _ = self._count(records, _nobody(records), values, magnitudes)
        order = np.argsort(counts, kind="stable")
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and counts[order[stop]] * (stop + 1 - start) <= _LISTED:
                stop += 1
            some = order[start:stop]
            found = np.empty((len(some), counts[some[-1]]), dtype=np.int64)
            self._count(
                records[some],
                _nobody(records[some]),
                values[some],
                magnitudes[some],
                found=found,
                each=each,
            )
            yield some, found
            start = stop


def _nobody(records: np.ndarray) -> np.ndarray:
    return np.full(len(records), -1, dtype=np.int64)


def formula_of(aggregation: Aggregation, original: np.ndarray, masked: np.ndarray) -> Formula:
    """The distance as a tree takes it, for these two files."""
    from sklearn_reclink.search import tree as trees

    guides = {"sum": trees.SUM, "owa": trees.OWA, "choquet": trees.CHOQUET}
    judges = {"guide": trees.SAME, "moebius": trees.MOEBIUS, "quadratic": trees.QUADRATIC}
    low = np.minimum(original.min(axis=0), masked.min(axis=0))
    high = np.maximum(original.max(axis=0), masked.max(axis=0))
    absolute = np.inf
    if aggregation.norm < np.inf:
        absolute = 4 * TIE_TOLERANCE * aggregation.norm * float(np.sum((high - low) ** 2))
    small = aggregation.condition * TIE_TOLERANCE <= 1 / 8
    blur = 0.0
    if aggregation.root is not None:
        size = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)))
        rounding = 8 * (len(low) + 4) * np.finfo(float).eps
        blur = float(rounding * np.linalg.norm(aggregation.root) * size)
    return trees.Formula(
        guides[aggregation.guide],
        np.ascontiguousarray(aggregation.weights, dtype=float),
        judges[aggregation.judge],
        np.ascontiguousarray(aggregation.parameters, dtype=float),
        np.zeros(0, dtype=np.int64) if aggregation.terms is None else aggregation.terms,
        4 * TIE_TOLERANCE * aggregation.condition if small else np.inf,
        absolute,
        blur,
    )
