"""A batch of original records that asks the trees of all cells, and merges what they answer.

Let ``C`` be the cells, ``d_ij`` and ``D_ij`` distances and magnitudes.

- ``linked``: no ``j != i`` is at most as far as ``d_ii``, by the rule of `ties`: a conjunction over
  the cells. ``d_ii`` is known beforehand, so it is the radius of the search.
- The nearest: the least ``(d_ij, j)`` in lexicographic order, and the ``D_ij`` of that ``j``. A
  minimum is associative, and cells hold different rows: it is that of one index.
- The link: the *lowest row* among those tied with the nearest, and their number. Being tied is not
  transitive, so rows are judged only against the nearest of all cells, once that is known: a
  minimum, and a sum, over the cells.
- Whether there may be ties at all: where ``v <= w`` are least distances of two sets of cells, a
  row of the second can be tied with ``v`` only if ``w`` is within the limit of ties with ``v``, as
  none of its rows is nearer than ``w``. A cell with nothing at most as far as some distance ``u``
  at hand has all rows beyond ``u``, so what holds for ``u`` holds for them.

So every answer is that of one index over both files, to the last bit.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from sklearn_reclink.search.tree.descent import distances_to
from sklearn_reclink.search.tree.formulas import bound_of_box, reach, tie_limits
from sklearn_reclink.search.tree_search import Limits, TreeSearch

if TYPE_CHECKING:
    from sklearn_reclink.search.cells import Cell
    from sklearn_reclink.search.shards import ShardSearch


class Block(TreeSearch):
    """Some original records, and the trees of all cells; a record is its row in the file."""

    def __init__(self, search: "ShardSearch", places: range) -> None:
        self.cells = search
        first, last = np.searchsorted(search.ends, [places.start, places.stop - 1], side="right")
        queries, exact, rows, home = [], [], [], []
        for number in range(first, last + 1):
            cell, before = search.cell(number), search.ends[number] - search.counts[number]
            some = slice(max(places.start - before, 0), max(places.stop - before, 0))
            queries.append(cell.queries[some])
            exact.append(cell.exact[some])
            rows.append(cell.records[some])
            home.append(np.full(len(rows[-1]), number))
        self.rows, self.home = np.concatenate(rows), np.concatenate(home)
        self._sorted = np.argsort(self.rows)
        asked, located = (np.ascontiguousarray(np.concatenate(parts)) for parts in (queries, exact))
        layout = search.layout
        tree: Any = None  # but one for each cell
        distance = search.family, layout.theta, tree, layout.formula, search.tolerance
        super().__init__(*distance, asked, located)

    @property
    def _aligned(self) -> bool:
        return self.cells.shape[0] == self.cells.shape[1]

    def _at(self, records: np.ndarray) -> np.ndarray:
        """Places of some rows in this block."""
        if records is self.rows:
            return np.arange(len(records))
        return self._sorted[np.searchsorted(self.rows, records, sorter=self._sorted)]

    def _number(self, rows: np.ndarray, cell: int) -> np.ndarray:
        """Numbers of masked rows in a cell, -1 where they are not in there."""
        cells, numbers = self.cells.locations
        there = rows >= 0
        there[there] = cells[rows[there]] == cell
        found = np.full(len(rows), -1, dtype=np.int64)
        found[there] = numbers[rows[there]]
        return found

    def _in_cell(self, number: int) -> tuple["Cell", TreeSearch]:
        """A cell, and the search of its tree for the records of this block, by their places."""
        cell = self.cells.cell(number)
        distance = self.family, self.theta, cell.tree, self.formula, self.tolerance
        return cell, TreeSearch(*distance, self.queries, self.exact)

    def _groups(self, rows: np.ndarray) -> Iterator[tuple[TreeSearch, np.ndarray, np.ndarray]]:
        """Searches of the cells of some masked rows, places of these, their numbers in there."""
        cells, numbers = (of_all[rows] for of_all in self.cells.locations)
        for cell in np.unique(cells):
            some = np.flatnonzero(cells == cell)
            yield self._in_cell(int(cell))[1], some, numbers[some]

    def _within(self, at: np.ndarray, values: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Cells with a point that may be at most as far, most asked first, and who asks them."""
        limits = _reaches(self.tolerance, values)
        low, high = self.cells.low, self.cells.high
        near = _near(self.formula, self.queries[at], limits, low, high)
        counts = near.sum(axis=1)
        for cell in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]:
            yield int(cell), np.flatnonzero(near[cell])

    def _own(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        at = self._at(records)
        values, magnitudes = np.empty((2, len(records)))
        for search, some, numbers in self._groups(records):
            exact = self.exact[at[some]]
            values[some], magnitudes[some] = distances_to(search.tree, self.formula, exact, numbers)
        return values, magnitudes

    def _n_equal(self, rows: np.ndarray) -> np.ndarray:
        found = np.empty(len(rows), dtype=np.int64)
        for search, some, numbers in self._groups(rows):
            found[some] = search._n_equal(numbers)
        return found

    def _count(
        self, records: np.ndarray, skip: np.ndarray, limits: Limits, *, most: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        values, magnitudes = limits
        at, most = self._at(records), self.cells.n_masked if most is None else most
        counts, lowest = np.zeros(len(at), dtype=np.int64), np.full(len(at), -1, dtype=np.int64)
        for number, some in self._within(at, values):
            some = some[counts[some] < most]
            limits = values[some], magnitudes[some]
            more, row = self._count_in(number, at[some], skip[some], limits, most)
            counts[some] += more
            first = (row >= 0) & ((lowest[some] < 0) | (row < lowest[some]))
            lowest[some[first]] = row[first]
        return counts, lowest

    def _count_in(
        self, number: int, at: np.ndarray, skip: np.ndarray, limits: Limits, most: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """`_count` in one cell; the lowest rows are those of the file."""
        cell, search = self._in_cell(number)
        counts, lowest = search._count(at, self._number(skip, number), limits, most=most)
        return counts, cell.rows_of(lowest)

    def _search(
        self, records: np.ndarray, guess: np.ndarray, skip: np.ndarray, k: int = 1
    ) -> tuple[np.ndarray, ...]:
        at = self._at(records)
        values, magnitudes = np.empty((2, len(at)))
        rows, close = np.empty(len(at), dtype=np.int64), np.empty(len(at), dtype=bool)
        for number in np.unique(self.home[at]):
            some = np.flatnonzero(self.home[at] == number)
            best = self._nearest_in(number, at[some], guess[some], skip[some])
            rows[some], values[some], magnitudes[some], close[some] = best
        for number, some in self._within(at, values):
            some = some[self.home[at[some]] != number]
            # whoever is at most as far: a record skipped would be taken to be at this distance
            nobody, limits = np.full(len(some), -1), (values[some], magnitudes[some])
            counts, near = self._count_in(number, at[some], nobody, limits, 1)
            some, near = some[counts > 0], near[counts > 0]
            best = self._nearest_in(number, at[some], near, skip[some])
            old = rows[some], values[some], magnitudes[some], close[some]
            rows[some], values[some], magnitudes[some], close[some] = self._nearer(old, best)
        return rows[:, None], values[:, None], magnitudes[:, None], close

    def _nearest_in(
        self, number: int, at: np.ndarray, guess: np.ndarray, skip: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """The nearest in one cell: row of the file, distance, magnitude, whether ties may be."""
        cell, search = self._in_cell(number)
        guess, skip = self._number(guess, number), self._number(skip, number)
        rows, values, magnitudes, close = search._search(at, guess, skip)
        return cell.rows_of(rows[:, 0]), values[:, 0], magnitudes[:, 0], close

    def _nearer(self, old: tuple[np.ndarray, ...], new: tuple[np.ndarray, ...]) -> Any:
        """The nearer of two each, the lower row of two at the same distance."""
        first = (new[1] < old[1]) | ((new[1] == old[1]) & (new[0] < old[0]))
        rows, values, magnitudes, close = (
            np.where(first, b, a) for a, b in zip(old, new, strict=True)
        )
        close |= np.where(first, old[1], new[1]) <= tie_limits(self.tolerance, values)
        return rows, values, magnitudes, close


@njit(cache=True, nogil=True)
def _reaches(tolerance: Any, values: Any) -> Any:
    """`reach` of every value."""
    limits = np.empty_like(values)
    for i in range(values.shape[0]):
        limits[i] = reach(tolerance.relative, tolerance.absolute, tolerance.rounding, values[i])
    return limits


@njit(cache=True, nogil=True)
def _near(formula: Any, queries: Any, limits: Any, low: Any, high: Any) -> Any:
    """Whether the box of each cell is within the limit of each query, (n_cells, n_queries)."""
    near = np.empty((low.shape[0], queries.shape[0]), np.bool_)
    c = np.empty(queries.shape[1])
    order = np.empty(queries.shape[1], np.int64)
    bound, weights = formula.bound, formula.weights
    for cell in range(low.shape[0]):
        for i in range(queries.shape[0]):
            near[cell, i] = (
                bound_of_box(bound, weights, queries, i, low, high, cell, c, order) <= limits[i]
            )
    return near
