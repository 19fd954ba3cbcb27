"""The same answers about files that do not fit into memory: one tree for every cell of space.

Both files are read a part at a time and written, as coordinates, into *cells*: a tree of a sample
of the masked records cuts space into regions of about ``cell_size`` masked records each, and a
record goes to the cell that its coordinates lead to, whichever part of the file it was in. Every
cell has a tree of its own on disk. A batch of original records, neighbours in space, looks into
the cell where it lies, then into each cell whose box is within reach of the distance at hand:
nothing else can hold a nearer or a tied record.

How the answers of cells are merged is derived in `block`: they are those of one index over both
files, to the last bit, for any cells and any parts.

Locations of masked rows (their cell, and their number in it) are kept on disk: row i of one file
finds row i of the other wherever both are.
"""

import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.families import Family
from sklearn_reclink.families.formula import Formula
from sklearn_reclink.search.batches import Task, ask_in_batches
from sklearn_reclink.search.block import Block
from sklearn_reclink.search.cells import CELL_SIZE, Cell, Layout, lay_out, plant_cell, spool
from sklearn_reclink.search.index import Search
from sklearn_reclink.search.tree.formulas import Tolerance, tolerance_of
from sklearn_reclink.search.tree_search import BATCH_PAIRS


class ShardIndex:
    """Two files of coordinates in parts, and the questions that cells answer about them.

    Parameters
    ----------
    original, masked : iterable of ndarray of shape (n_part, n_features)
        Parts of the files, in order; they are read more than once.
    n_records, n_masked : int
        Number of records of both files.
    n_jobs, verbose
        As in `Index`.
    folder : path, default=None
        Where working copies of the coordinates are kept while questions are asked, by default the
        folder of temporary files. Workers on other machines must see it under the same name.
    cell_size : int, default=2**20
        Number of masked records of a cell, up to a factor of two.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> from sklearn_reclink.search.shards import ShardIndex
    >>> X = [np.array([[0.0], [1.0]]), np.array([[2.0], [9.0]])]
    >>> Y = [np.array([[0.0], [1.5], [1.5]]), np.array([[9.0]])]
    >>> index = ShardIndex(X, Y, 4, 4)
    >>> index.search(WeightedMean(1), np.ones(1)).ask("linked")[0]
    array([ True, False, False,  True])
    """

    def __init__(
        self,
        original: Iterable[np.ndarray],
        masked: Iterable[np.ndarray],
        n_records: int,
        n_masked: int,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        folder: Any = None,
        cell_size: int = CELL_SIZE,
    ) -> None:
        self._files = original, masked
        self.n_records, self.n_masked = n_records, n_masked
        self.n_jobs, self.verbose = n_jobs, verbose
        self.folder, self.cell_size = folder, cell_size

    @property
    def original(self) -> np.ndarray:
        """Nothing: the files are not in memory."""
        raise ValueError(
            "this linker or its rule compares all pairs of records, so the files must be in "
            'memory: pass arrays of fewer records, or use a distance with rule="nearest"'
        )

    masked = original

    def search(self, family: Family, theta: np.ndarray) -> Search:
        """Write the files into cells, plant a tree in each, and search these."""
        found = family.formula(theta)
        if found is None:
            return self.original  # type: ignore[return-value]
        folder = Path(tempfile.mkdtemp(prefix="sklearn_reclink_", dir=self.folder))
        try:
            search = self._planted(folder, family, theta, found)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(search, shutil.rmtree, folder, ignore_errors=True)
        return search

    def _planted(
        self, folder: Path, family: Family, theta: np.ndarray, found: Formula
    ) -> "ShardSearch":
        original, masked = self._files
        layout = lay_out(masked, self.n_masked, found, theta, self.cell_size)
        ends = spool(folder, layout, masked, "masked")
        aligned = self.n_records == self.n_masked
        # an original record is mostly near its own masked record, and the search begins with that
        cells_of_all = np.memmap(folder / "cells", np.int32, "r") if aligned else None
        ends_of_original = spool(folder, layout, original, "original", cells_of_all)
        tolerance = tolerance_of(layout.formula, ends_of_original, ends)
        cells = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(plant_cell)(folder, cell, layout, family, tolerance, aligned)
            for cell in range(layout.n_cells)
        )
        counts, low, high = (np.array(part) for part in zip(*cells, strict=True))
        return ShardSearch(folder, layout, family, tolerance, counts, low, high, self.n_masked)


@dataclass(eq=False, repr=False)
class ShardSearch(Search):
    """Answers from the cells of a folder; a record is its place in the order of the cells."""

    name = "trees on disk"

    folder: Path
    layout: Layout
    family: Family
    tolerance: Tolerance
    counts: np.ndarray  # (n_cells,): original records of each
    low: np.ndarray  # (n_cells, n_coordinates): the box of the masked records of each
    high: np.ndarray
    n_masked: int
    batch: int = 2**15
    open_cells: int = 16  # by one process at a time
    _open: dict[int, Cell] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("locations", "ends", "order")  # read again where the search arrives
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        return state | {"_open": {}}

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.counts.sum()), self.n_masked

    @property
    def batch_size(self) -> int:
        if self.layout.formula.weights.any():
            return self.batch
        return max(1, BATCH_PAIRS // self.n_masked)

    @cached_property
    def ends(self) -> np.ndarray:
        """Where the original records of each cell end."""
        return np.cumsum(self.counts)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows of the original file, cell by cell."""
        return np.concatenate([self.cell(c).records for c in range(len(self.counts))])

    @cached_property
    def locations(self) -> tuple[np.ndarray, np.ndarray]:
        """The cell of every masked row, and its number in there."""
        names = ("cells", np.int32), ("numbers", np.int64)
        cells, numbers = (np.memmap(self.folder / name, dtype, "r") for name, dtype in names)
        return cells, numbers

    def cell(self, number: int) -> Cell:
        """A cell, mapped into memory."""
        found = self._open.get(number)
        if found is None:
            found = Cell(self.folder, number)
            while len(self._open) >= self.open_cells:  # the one that was opened first
                self._open.pop(next(iter(self._open)), None)
            self._open[number] = found
        return found

    def ask(
        self,
        question: str,
        records: np.ndarray | None = None,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        **options: Any,
    ) -> tuple[np.ndarray, ...]:
        if records is not None or question not in ("linked", "nearest", "link"):
            raise ValueError(
                "files in parts answer score, predict and link, about all records: pass "
                "arrays for anything else"
            )
        task = Task(self, "answer", {"question": question, **options}, range(self.shape[0]))
        return ask_in_batches(task, self.order, n_jobs=n_jobs, verbose=verbose)

    def answer(self, places: range, question: str) -> tuple[np.ndarray, ...]:
        """The answer of `TreeSearch` about the records at some places."""
        block = Block(self, places)
        found: tuple[np.ndarray, ...] = getattr(block, question)(block.rows)
        return found
