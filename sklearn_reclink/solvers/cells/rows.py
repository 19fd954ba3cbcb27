"""The rows that cells are judged by, and the ones that a search has yet to find (`search`).

A bound from some of the rows is a bound: a row dropped can only link more records. What is said to
be linked needs all of them. So where a file has too many rows to hold, a search starts with few
(`NearestRows.start`), and a point that seems to link more records than the incumbent is counted
with the distances themselves. The nearest impostor of every record that it does not link is a
row that the point violates, and joins the others. A record without rows is linked by every
point until then.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers import problem as linkage
from sklearn_reclink.solvers.cells.kernel import Problem

WEAK, CLEAR = 0.9, 1.01  # of the tie tolerance
_NEAR = 1e-4  # of the other generators
_BETWEEN = 8  # parameters between them


@dataclass(frozen=True)
class Rows:
    """Rows in any scale, what ties are judged by, and the record of each."""

    values: np.ndarray  # (n_rows, n_parameters)
    magnitudes: np.ndarray  # (n_rows, n_parameters)
    owners: np.ndarray  # (n_rows,)


def spread_thetas(family: Family, theta: np.ndarray | None) -> list[np.ndarray]:
    """Parameters all over a cone: the ones given, near each generator, and some in between."""
    assert family.generators is not None
    near = family.generators + _NEAR * family.generators.sum(axis=0)
    shares = np.exp(2 * np.random.default_rng(0).normal(size=(_BETWEEN, len(near))))
    return [family.centre if theta is None else theta, *near, *(shares @ family.generators)]


class CellRows:
    """Rows in the coordinates of the generators, in which the cone is the orthant.

    Parameters
    ----------
    rows : Rows
    generators : ndarray of shape (n_parameters, n_parameters)
    n_records : int or None
        Records are numbered below this and others may have rows that are not here yet; None if
        these are all rows of their records.

    Attributes
    ----------
    problem : Problem
        Replaced, never changed, when rows are added.
    n_records : int
    """

    def __init__(self, rows: Rows, generators: np.ndarray, n_records: int | None) -> None:
        self.generators = generators / generators.sum(axis=1, keepdims=True)
        self._complete = n_records is None
        names, numbers = np.unique(rows.owners, return_inverse=True)
        self.n_records = len(names) if n_records is None else n_records
        owners = numbers if n_records is None else rows.owners
        order = np.argsort(owners, kind="stable")
        values = rows.values[order] @ self.generators.T
        ties = TIE_TOLERANCE * (rows.magnitudes[order] @ self.generators.T)
        self.problem = self._problem(values, ties, owners[order])

    def _problem(self, values: np.ndarray, ties: np.ndarray, owners: np.ndarray) -> Problem:
        return Problem(
            weak=np.ascontiguousarray(values - WEAK * ties),
            clear=np.ascontiguousarray(values - CLEAR * ties),
            ties=np.ascontiguousarray(ties),
            owners=owners.astype(np.int64),
            every=np.arange(len(owners), dtype=np.int32),
            free=self._n_free(owners),
            complete=self._complete,
        )

    def _n_free(self, owners: np.ndarray) -> int:
        return self.n_records - int(np.count_nonzero(np.diff(owners))) - bool(len(owners))

    def add(self, rows: Rows) -> None:
        """Add rows of numbered records, in the order of the records."""
        values = rows.values @ self.generators.T
        ties = TIE_TOLERANCE * (rows.magnitudes @ self.generators.T)
        old, new = self.problem, self._problem(values, ties, rows.owners)
        place = np.searchsorted(old.owners, new.owners, side="right")
        weak, clear, ties, owners = (
            np.insert(before, place, more, axis=0)
            for before, more in zip(old[:4], new[:4], strict=True)
        )
        every = np.arange(len(owners), dtype=np.int32)
        free = self._n_free(owners)
        self.problem = Problem(weak, clear, ties, owners, every, free, self._complete)


class NearestRows:
    """Counts what parameters link, and finds the rows that they violate.

    Parameters
    ----------
    problem : Problem
    records : ndarray of int
        The records to count, ascending; rows are named by their places.
    """

    def __init__(self, problem: linkage.Problem, records: np.ndarray) -> None:
        self._family, self._index, self._records = problem.family, problem.index, records
        self._known = np.empty(0, dtype=np.int64)  # pairs, as numbers

    def start(self, thetas: Iterable[np.ndarray], deadline: float) -> Rows:
        """The rows of the nearest impostors by several parameters, as far as time allows."""
        pairs = [np.empty(0, dtype=np.int64)]
        for theta in thetas:
            if time.monotonic() >= deadline:
                break
            pairs.append(self._pairs(theta)[0])
        return self._new_rows(np.concatenate(pairs))

    def count(self, theta: np.ndarray) -> tuple[int, Rows]:
        """How many of the records ``theta`` links, and rows that it violates and were not known."""
        pairs, margins = self._pairs(theta)
        lost = margins <= 0
        return int(np.count_nonzero(~lost)), self._new_rows(pairs[lost])

    def _pairs(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each record and its nearest impostor, as a number, and by how much that is farther."""
        impostors, margins = self._index.nearest_impostors(self._family, theta[None], self._records)
        return np.arange(len(self._records)) * self._index.n_masked + impostors[0], margins[0]

    def _new_rows(self, pairs: np.ndarray) -> Rows:
        pairs = np.setdiff1d(pairs, self._known)
        self._known = np.union1d(self._known, pairs)
        places, impostors = np.divmod(pairs, self._index.n_masked)
        values, magnitudes = self._index.rows(self._family, self._records[places], impostors)
        useful = (values <= CLEAR * TIE_TOLERANCE * magnitudes).any(axis=1)
        return Rows(values[useful], magnitudes[useful], places[useful])
