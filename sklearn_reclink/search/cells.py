"""Cells on disk: regions of space, the records of both files in each, and a tree of the masked.

A folder holds, for cell c, ``masked-c`` and ``original-c`` (coordinates as they were written, gone
once the tree is planted), and a folder ``c`` with the arrays of the tree and the original records
in the order of its leaves. ``cells`` and ``numbers`` locate every masked row. Rows are written in
the order of the file, so the lowest number in a cell is the lowest row of the file.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.families.formula import SAME, SUM, Formula, formula
from sklearn_reclink.search.index import Index
from sklearn_reclink.search.tree.building import Tree, build
from sklearn_reclink.search.tree.descent import leaf_of
from sklearn_reclink.search.tree.formulas import Tolerance
from sklearn_reclink.search.tree_search import TreeSearch

CELL_SIZE = 2**20
_SAMPLE = 2**18  # masked records whose tree cuts the cells


@dataclass(frozen=True, eq=False)
class Layout:
    """How records become coordinates of a search, and how these lead to a cell.

    Attributes
    ----------
    formula, theta
        The distance of the variables kept.
    kept : ndarray of bool of shape (n_features,)
        Variables of some weight.
    centre : ndarray of shape (n_kept,)
        What is 0 in mapped coordinates, if there are any.
    top : Tree
        Boxes of a sample of the masked records, without their points; the leaves are the cells.
    """

    formula: Formula
    theta: np.ndarray
    kept: np.ndarray
    centre: np.ndarray
    top: Tree

    @property
    def n_cells(self) -> int:
        return int(np.count_nonzero(self.top.right == 0))

    def cells_of(self, exact: np.ndarray) -> np.ndarray:
        """The cell of every record: that of the nearer box, from the root down."""
        mapped = _mapped(self.formula, self.centre, exact)
        leaves = leaf_of(self.top, formula(SUM, np.ones(mapped.shape[1])), mapped)
        return np.asarray((np.cumsum(self.top.right == 0) - 1)[leaves])


def lay_out(
    masked: Iterable[np.ndarray],
    n_masked: int,
    found: Formula,
    theta: np.ndarray,
    cell_size: int,
) -> Layout:
    """Cut space into cells of about so many masked records, by a sample of them."""
    step = max(1, n_masked // _SAMPLE)
    taken = np.concatenate([part[::step] for part in masked])
    kept = np.ones(taken.shape[1], dtype=bool)
    stretch = None
    if found.bound == SUM and found.distance == SAME and found.weights.any():
        kept = found.weights > 0
        theta, found = theta[kept], formula(SUM, theta[kept])
        stretch = np.sqrt(found.weights / found.weights.max())
    taken = taken[:, kept]
    centre = taken.mean(axis=0)
    leaf = max(1, -(-len(taken) * cell_size // n_masked))
    top = build(_mapped(found, centre, taken), stretch=stretch, leaf=leaf, join=False)
    none = np.zeros(0, dtype=np.int64)
    boxes = top._replace(
        points=top.points[:0], exact=top.exact[:0], first=none, rows=none, place=none
    )
    return Layout(found, theta, kept, centre, boxes)


def spool(
    folder: Path,
    layout: Layout,
    parts: Iterable[np.ndarray],
    name: str,
    cells_of_all: np.ndarray | None = None,
) -> np.ndarray:
    """Write the records of a file into cells; their least and largest coordinates, (2, n_kept).

    The cells are those that their coordinates lead to, unless others are given.
    """
    counts = np.zeros(layout.n_cells, dtype=np.int64)
    low = np.full(np.count_nonzero(layout.kept), np.inf)
    high, start = -low, 0
    for part in parts:
        exact = np.ascontiguousarray(part[:, layout.kept])
        low, high = np.minimum(low, exact.min(axis=0)), np.maximum(high, exact.max(axis=0))
        if cells_of_all is None:
            cells = layout.cells_of(exact)
        else:
            cells = np.asarray(cells_of_all[start : start + len(part)])
        order = np.argsort(cells, kind="stable")
        sizes = np.bincount(cells, minlength=layout.n_cells)
        ends = np.cumsum(sizes)
        numbers = np.empty(len(part), dtype=np.int64)
        for cell in np.flatnonzero(sizes):
            some = order[ends[cell] - sizes[cell] : ends[cell]]
            numbers[some] = counts[cell] + np.arange(len(some))
            _append(folder / f"{name}-{cell}", exact[some])
            _append(folder / f"{name}-{cell}-rows", start + some)
        counts += sizes
        if name == "masked":
            _append(folder / "cells", cells.astype(np.int32))
            _append(folder / "numbers", numbers)
        start += len(part)
    return np.array([low, high])


def plant_cell(
    folder: Path, cell: int, layout: Layout, family: Family, tolerance: Tolerance, aligned: bool
) -> tuple[int, np.ndarray, np.ndarray]:
    """Plant the tree of a cell; number of its original records, and the box of the masked ones.

    Where files are aligned, a cell holds the same rows of both, and the order of the masked records
    serves for the original ones.
    """
    (original, records), (masked, rows) = (
        _taken(folder / f"{name}-{cell}", layout.kept.sum()) for name in ("original", "masked")
    )
    distance = family, layout.theta, layout.formula
    planted = TreeSearch.plant(
        Index(original, masked), *distance, tolerance=tolerance, centre=layout.centre
    )
    tree = planted.tree
    order = tree.rows
    if not aligned:
        order = build(planted.queries, join=False).rows if len(records) else np.arange(0)
    arrays = tree._asdict() | {
        "depth": np.array([tree.depth]),
        "numbered": rows,
        "records": records[order],
        "asked": original[order],
    }
    if layout.formula.root.size:
        arrays["queries"] = planted.queries[order]
    else:
        del arrays["exact"]  # those of the bound
    home = folder / str(cell)
    home.mkdir()
    for name, array in arrays.items():
        np.save(home / name, array)
    return len(records), tree.low[0], tree.high[0]


class Cell:
    """A cell, its arrays mapped into memory."""

    def __init__(self, folder: Path, number: int) -> None:
        home = folder / str(number)
        mapped = {path.stem: np.lib.format.open_memmap(path, "c") for path in home.glob("*.npy")}
        arrays = {name: np.asarray(array) for name, array in mapped.items()}  # for compiled code
        arrays.setdefault("exact", arrays["points"])
        fields = {name: arrays[name] for name in Tree._fields[:-1]}
        self.tree = Tree(**fields, depth=int(arrays["depth"][0]))
        self.numbered, self.records = arrays["numbered"], arrays["records"]
        self.exact = arrays["asked"]
        self.queries = arrays.get("queries", self.exact)

    def rows_of(self, numbers: np.ndarray) -> np.ndarray:
        """Rows of the masked file by their numbers in the cell; -1 stays -1."""
        return np.where(numbers >= 0, self.numbered[numbers], -1)


def _mapped(found: Formula, centre: np.ndarray, exact: np.ndarray) -> np.ndarray:
    if not found.root.size:
        return exact
    mapped = np.zeros((len(exact), found.root.shape[1]))
    for k, row in enumerate(found.root):  # not a product of matrices: a record is mapped alike
        mapped += (exact[:, k, None] - centre[k]) * row  # whatever records are beside it
    return mapped


def _append(path: Path, values: np.ndarray) -> None:
    with path.open("ab") as file:
        np.ascontiguousarray(values).tofile(file)


def _taken(path: Path, width: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rows that `spool` wrote, which are then gone."""
    rows_path = path.with_name(f"{path.name}-rows")
    if not path.exists():
        return np.empty((0, width)), np.empty(0, dtype=np.int64)
    found = np.fromfile(path).reshape(-1, width), np.fromfile(rows_path, dtype=np.int64)
    path.unlink()
    rows_path.unlink()
    return found
