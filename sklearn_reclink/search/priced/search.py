"""Answers about records where every masked record has a price, from a tree.

Equal masked records are one *point* with several rows. They have one price, so ties between them
stay ties. The answers are those of `pairs.Pairs` with the prices added to the distances, to the
last bit.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from sklearn_reclink.search import ties
from sklearn_reclink.search.index import Search
from sklearn_reclink.search.priced import walk
from sklearn_reclink.search.priced.tree import BoxTree, over_nodes

NO_BUDGET = 2**62


@dataclass(eq=False, repr=False)
class PricedSearch(Search):
    """Answers by a tree with prices; `planting.plant` makes one.

    Parameters
    ----------
    model : tuple
        The distance as compiled code takes it.
    tree : BoxTree
        The distinct masked records.
    queries, exact : ndarray of shape (n_records, n_coordinates)
        The original records in the coordinates of the bound and of the distance.
    groups : ndarray of int of shape (n_masked,)
        The point of every masked record, as a row of the tree.
    prices, node_prices : ndarray of shape (n_points,), (n_nodes,)
        In the order of the tree; the least price of every node.
    relative, absolute : float
        How far ties reach beyond a distance.
    """

    name = "a tree with prices"
    batch_size = 4096

    model: Any
    tree: BoxTree
    queries: np.ndarray
    exact: np.ndarray
    groups: np.ndarray
    prices: np.ndarray
    node_prices: np.ndarray
    relative: float
    absolute: float

    def with_prices(self, prices: np.ndarray) -> Self:
        """The same search with other prices, (n_points,) in the order of the points."""
        other = copy(self)
        other.__dict__.pop("_most_price", None)
        other.prices = np.ascontiguousarray(prices[self.tree.rows])
        other.node_prices = over_nodes(np.minimum, other.prices, self.tree.begin)
        return other

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.queries), len(self.groups)

    @property
    def n_points(self) -> int:
        """Number of distinct masked records."""
        return len(self.tree.rows)

    @property
    def point_counts(self) -> np.ndarray:
        """Number of masked records of every point."""
        return np.asarray(self.tree.counts[self.tree.place])

    @property
    def first_rows(self) -> np.ndarray:
        """The lowest masked row of every point."""
        everyone, starts = self.point_rows
        return everyone[starts[:-1]]

    @property
    def order(self) -> np.ndarray:
        return self.order_of(np.arange(self.shape[0]))

    def order_of(self, records: np.ndarray) -> np.ndarray:
        own = self.groups[np.minimum(records, len(self.groups) - 1)]
        return np.argsort(self.tree.place[own], kind="stable")

    def __sizeof__(self) -> int:
        arrays = [*self.tree, self.queries, self.exact, self.groups]
        return sum(array.nbytes for array in {id(array): array for array in arrays}.values())

    @cached_property
    def point_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of every point, ascending, and where those of each begin."""
        order = np.argsort(self.groups, kind="stable")
        return order, np.append(0, np.cumsum(np.bincount(self.groups, minlength=self.n_points)))

    def candidates(
        self,
        records: np.ndarray,
        k: int,
        scale: float = 0.0,
        budget: int = NO_BUDGET,
        depth: float = np.inf,
    ) -> tuple[np.ndarray, ...]:
        """The points of least value of each record, up to some ``depth`` above the least.

        Returns
        -------
        points : ndarray of int of shape (n_asked, k)
            Nearest first; -1 where there are fewer.
        values : ndarray of shape (n_asked, k)
            Distances, prices included.
        beyond : ndarray of shape (n_asked,)
            No other point has a smaller value.
        sums : ndarray of shape (n_asked,)
            ``log sum exp(-value / scale)`` over all masked records, if there is a scale.
        """
        options: dict[str, Any] = {"scale": scale, "budget": budget, "depth": depth}
        places, values, _, beyond, sums = self._walk(records, k, **options)
        found = self.tree.rows[places].astype(np.int32)
        found[places < 0] = -1
        return found, values, beyond, sums

    def nearest_within(
        self, records: np.ndarray, k: int, limits: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """The points of least value up to a limit for each record of the file, and their values."""
        places, values, _, _, _ = self._walk(records, k, limits=limits[records])
        return np.where(places >= 0, self.tree.rows[places], -1), values

    def linked(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        own, own_magnitude = self._own(records)
        skip = self.tree.place[self.groups[records]]
        limits = own + self._tie_room(own, own_magnitude)
        _, values, magnitudes, _, _ = self._walk(records, 1, skip=skip, limits=limits)
        linked = self.tree.counts[skip] == 1
        linked &= (values[:, 0] == np.inf) | ties.strictly_nearer(
            own, own_magnitude, values[:, 0], magnitudes[:, 0]
        )
        # a point behind the nearest may be tied by a larger magnitude
        unsure = np.flatnonzero(linked & (values[:, 0] <= limits))
        for some, places, values, magnitudes in self.within(records[unsure], limits[unsure]):
            here = unsure[some]
            farther = ties.strictly_nearer(
                own[here, None], own_magnitude[here, None], values, magnitudes
            )
            linked[here] = (farther | (places == skip[here, None]) | (places < 0)).all(axis=1)
        return (linked,)

    def nearest(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        return (self._tied(records)[0],)

    def link(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        links, nearest, magnitude, n_tied = self._tied(records)
        own, own_magnitude = self._own(records)
        skip = self.tree.place[self.groups[records]]
        _, values, _, _, _ = self._walk(records, 1, skip=skip)
        runner_up = np.where(
            self.tree.counts[skip] > 1, np.minimum(own, values[:, 0]), values[:, 0]
        )
        own_tied = ~ties.strictly_nearer(nearest, magnitude, own, own_magnitude)
        return links, nearest, own, runner_up, n_tied, self.linked(records)[0], own_tied

    def own(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._own(records)[:1]

    def k_nearest(self, records: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, ...]:
        k = min(n_neighbors, self.n_points)
        last = self._walk(records, k)[1][:, -1]
        rows = np.empty((len(records), n_neighbors), dtype=np.int64)
        distances = np.empty(rows.shape)
        limits = last + self._tie_room(last, np.abs(last) + 2 * self._most_price)
        for some, places, values, magnitudes in self.within(records, limits):
            everyone, starts = self.point_rows
            for place, i in enumerate(some):
                here = places[place] >= 0
                points = self.tree.rows[places[place, here]]
                parts = [everyone[starts[point] : starts[point + 1]] for point in points]
                sizes = [len(part) for part in parts]
                value, magnitude = (
                    np.repeat(of[place, here], sizes) for of in (values, magnitudes)
                )
                found = np.concatenate(parts)
                ranked = ties.rank(value, magnitude, found, n_neighbors)
                rows[i], distances[i] = found[ranked], value[ranked]
        return distances, rows

    def distances_at(self, records: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Distances of records and points, without prices, (n_pairs,)."""
        places = self.tree.place[points]
        return np.asarray(walk.distances(self.tree, self.model, self.exact, records, places)[0])

    def _own(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and magnitudes of records and their own masked versions."""
        places = self.tree.place[self.groups[records]]
        values, magnitudes = walk.distances(self.tree, self.model, self.exact, records, places)
        return values + self.prices[places], magnitudes + np.abs(self.prices[places])

    def _walk(
        self,
        records: np.ndarray,
        k: int,
        *,
        skip: np.ndarray | None = None,
        limits: np.ndarray | None = None,
        scale: float = 0.0,
        budget: int = NO_BUDGET,
        depth: float = np.inf,
    ) -> tuple[np.ndarray, ...]:
        found: tuple[np.ndarray, ...] = walk.walk(
            self.tree,
            self.model,
            self.queries[records],
            self.exact[records],
            self.prices,
            self.node_prices,
            np.full(len(records), -1) if skip is None else skip,
            np.full(len(records), np.inf) if limits is None else limits,
            k,
            budget,
            scale,
            depth,
        )
        return found

    @cached_property
    def _most_price(self) -> float:
        return float(np.abs(self.prices).max())

    def _tie_room(self, values: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
        """How far beyond a value a point can be tied with it."""
        sizes = np.abs(values) + self._most_price
        of_distance = np.minimum(self.relative * sizes, self.absolute)
        return np.asarray(4 * ties.TIE_TOLERANCE * (sizes + magnitudes) + of_distance)

    def within(
        self, records: np.ndarray, limits: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Places, values and magnitudes of all points up to a limit, some records at a time."""
        left, k = np.arange(len(records)), 4
        while len(left):
            k = min(4 * k, self.n_points)
            places, values, magnitudes, _, _ = self._walk(records[left], k, limits=limits[left])
            done = (places[:, -1] < 0) | (k == self.n_points)
            yield left[done], places[done], values[done], magnitudes[done]
            left = left[~done]

    def _tied(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """Lowest row tied with the nearest, value and magnitude of it, and how many are tied."""
        places, values, magnitudes, _, _ = self._walk(records, min(2, self.n_points))
        nearest, magnitude = values[:, 0], magnitudes[:, 0]
        lowest = self.first_rows[self.tree.rows]  # of every place
        links, n_tied = lowest[places[:, 0]], self.tree.counts[places[:, 0]].astype(np.int64)
        limits = nearest + self._tie_room(nearest, magnitude)
        close = np.flatnonzero(values[:, -1] <= limits) if self.n_points > 1 else np.arange(0)
        for some, places, values, magnitudes in self.within(records[close], limits[close]):
            here = close[some]
            tied = places >= 0
            tied &= ~ties.strictly_nearer(
                nearest[here, None], magnitude[here, None], values, magnitudes
            )
            links[here] = np.where(tied, lowest[places], len(self.groups)).min(axis=1)
            n_tied[here] = np.where(tied, self.tree.counts[places], 0).sum(axis=1)
        return links, nearest, magnitude, n_tied
