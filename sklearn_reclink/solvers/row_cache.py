"""Rows: the ones found so far, where further ones come from, and certificates made of them.

A feasibility check works with the few rows that mattered so far (`RowCache`) and asks for the ones
it lacks. Where presolve left all rows of the open records (`AllRows`), they are held and multiplied
by ``theta`` at once; else (`NearestImpostors`) the index finds the nearest impostor.

Rows are held as unit rows, and as they were made with their features, for the checks of
certificates (`farkas`).
"""

from copy import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.farkas import allowed, combines_nearby, exact_support
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import Problem

_WEAK = 0.5  # of what ties allow: certificates have more
_LARGEST_INTEGER = 2**900  # that is divided by as a float
CONE = -1  # the owner of rows of the cone


def _norms(rows: np.ndarray) -> np.ndarray:
    """The norms of rows, (n_rows, 1); 1 for a row of zeros."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1.0
    return np.asarray(norms)


def _has_tiny(numbers: np.ndarray) -> np.ndarray:
    """Which rows have a number so small that its square may underflow, (n_rows,) of bool."""
    sizes = np.abs(numbers)
    return np.asarray(((sizes > 0) & (sizes < 2.0**-300)).any(axis=1))


class RowSource(Protocol):
    """Finds rows that parameters violate."""

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each record the impostor of least margin, and that margin: at most 0 for a tie.

        ``theta`` are several parameters, (n_thetas, n_parameters); both answers are of shape
        (n_thetas, n_records).
        """

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same of one ``theta``, (n_records,), with the margins of unit rows."""


class AllRows:
    """Unit rows of all open records, in the order of their records."""

    def __init__(self, problem: Problem, presolved: Presolved) -> None:
        self.owners, self.impostors = presolved.records, presolved.impostors
        rows, magnitudes = problem.index.rows(problem.family, self.owners, self.impostors)
        norms = _norms(rows)
        self.rows, self.magnitudes = rows / norms, magnitudes / norms
        n_records = problem.index.n_records
        self._first = np.zeros(n_records + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.owners, minlength=n_records), out=self._first[1:])

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first = self._first[records]
        sizes = self._first[records + 1] - first
        start = np.cumsum(sizes) - sizes
        chosen = np.arange(sizes.sum()) + np.repeat(first - start, sizes)
        if 4 * len(chosen) > len(self.rows):  # multiplying all rows is quicker than copying most
            margins = (self.rows @ theta.T)[chosen].T
        else:
            margins = theta @ self.rows[chosen].T
        least = np.minimum.reduceat(margins, start, axis=1)
        where = np.empty(least.shape, dtype=np.int64)
        for values, smallest, found in zip(margins, least, where, strict=True):
            hits = np.flatnonzero(values == np.repeat(smallest, sizes))
            found[:] = chosen[hits[np.searchsorted(hits, start)]]
        which, place = np.nonzero(np.abs(least) <= 1e-9 * np.linalg.norm(theta, axis=1)[:, None])
        magnitudes = self.magnitudes[where[which, place]]
        least[which, place] -= TIE_TOLERANCE * np.sum(magnitudes * np.abs(theta[which]), axis=1)
        return self.impostors[where], least

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        impostors, margins = self.worst(theta[None], records)
        return impostors[0], margins[0]


class NearestImpostors:
    """Distances of the problem, when rows are too many to hold."""

    def __init__(self, problem: Problem) -> None:
        self._family, self._index = problem.family, problem.index

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._index.nearest_impostors(self._family, theta, records)

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a large file only the nearest impostors are asked."""
        impostors, margins = np.empty(len(records), dtype=np.int64), np.empty(len(records))
        if not self._index.is_dense:
            impostors = self.worst(theta[None], records)[0][0]
            rows, _ = self._index.rows(self._family, records, impostors)
            return impostors, rows @ theta / np.maximum(_norms(rows)[:, 0], np.finfo(float).tiny)
        every = np.arange(self._index.n_masked)
        for place, record in enumerate(records):
            others = every[every != record]
            rows, _ = self._index.rows(self._family, np.full(len(others), record), others)
            unit = rows @ theta / np.maximum(np.linalg.norm(rows, axis=1), np.finfo(float).tiny)
            impostors[place] = others[np.argmin(unit)]
            margins[place] = unit.min()
        return impostors, margins


@dataclass(frozen=True)
class NewRows:
    """Rows of the cone, and pairs whose rows were added."""

    of_cone: np.ndarray
    records: np.ndarray
    impostors: np.ndarray


class RowCache:
    """Grows as rows are found.

    Attributes
    ----------
    rows, raw : ndarray of shape (n_rows, n_parameters)
        Unit rows, and the rows themselves.
    right : ndarray of shape (n_rows,)
        1 for rows of records, 0 for those of the cone.
    owners, impostors : ndarray of int of shape (n_rows,)
        The pair of each row; CONE twice for rows of the cone.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._size = 0
        self._wide = np.empty((5, 64, problem.family.n_parameters))
        self._pair = np.empty((2, 64), dtype=np.int64)
        self._right = np.empty(64)
        self._known: set[tuple[int, int]] = set()
        self.add_cone(problem.family.rows)
        self._told = self._n_first = self._size
        self._n_sized = 0

    def fresh(self) -> "RowCache":
        """Another one, with the first rows of the cone alone."""
        other = copy(self)
        other._size = other._told = self._n_first
        other._n_sized = 0
        other._wide, other._pair = self._wide.copy(), self._pair.copy()
        other._right, other._known = self._right.copy(), set()
        return other

    @property
    def rows(self) -> np.ndarray:
        return self._wide[0, : self._size]

    @property
    def raw(self) -> np.ndarray:
        return self._wide[1, : self._size]

    @property
    def right(self) -> np.ndarray:
        return self._right[: self._size]

    @property
    def owners(self) -> np.ndarray:
        return self._pair[0, : self._size]

    @property
    def impostors(self) -> np.ndarray:
        return self._pair[1, : self._size]

    def add_cone(self, rows: np.ndarray) -> None:
        """Add rows of the cone."""
        self._append(rows, np.zeros_like(rows), rows, np.full((2, len(rows)), CONE))

    def add_pairs(self, records: np.ndarray, impostors: np.ndarray) -> int:
        """Add the rows of (record, impostor) pairs; how many were new."""
        pairs = dict.fromkeys(zip(records.tolist(), impostors.tolist(), strict=True))
        new = [pair for pair in pairs if pair not in self._known]
        if new:
            self._known.update(new)
            named, family = np.array(new).T, self.problem.family
            own, other = self.problem.index.features(family, *named)
            rows = other - own
            tolerated = family.tolerated(own, other) if family.weak_rows else None
            if tolerated is not None:  # of rows that are only rounding
                sizes = np.abs(rows).max(axis=1), np.abs(tolerated).max(axis=1)
                noise = (sizes[0] > 0) & (sizes[0] <= 1e-9 * sizes[1])
                rows[noise] -= _WEAK * TIE_TOLERANCE * tolerated[noise]
            self._append(rows, own, other, named)
        return len(new)

    def _append(
        self, rows: np.ndarray, own: np.ndarray, other: np.ndarray, pairs: np.ndarray
    ) -> None:
        start, end = self._size, self._size + len(rows)
        if end > len(self._right):
            grow = max(end, 2 * len(self._right)) - len(self._right)
            self._wide = np.pad(self._wide, ((0, 0), (0, grow), (0, 0)))
            self._pair = np.pad(self._pair, ((0, 0), (0, grow)))
            self._right = np.pad(self._right, (0, grow))
        self._wide[:4, start:end] = rows / _norms(rows), rows, own, other
        self._pair[:, start:end] = pairs
        self._right[start:end] = pairs[0] != CONE
        self._size = end

    def new_rows(self) -> NewRows:
        """The rows added since this was last asked."""
        start, self._told = self._told, self._size
        new = slice(start, self._size)
        of_cone = self.owners[new] == CONE
        return NewRows(
            self.raw[new][of_cone], self.owners[new][~of_cone], self.impostors[new][~of_cone]
        )

    def add_found(self, found: NewRows) -> None:
        """Add rows that another cache has found; they are not new to others."""
        self.add_cone(found.of_cone)
        self.add_pairs(found.records, found.impostors)
        self._told = self._size

    def asked(self, records: np.ndarray) -> np.ndarray:
        """Which rows are of these records or of the cone, (n_rows,) of bool."""
        mask = np.zeros(self.problem.index.n_records + 1, dtype=bool)  # CONE is the last
        mask[records] = mask[CONE] = True
        return np.asarray(mask[self.owners])

    def owners_of(self, support: np.ndarray) -> np.ndarray:
        """The records of some rows."""
        owners = np.unique(self.owners[support])
        return owners[owners != CONE]

    def conflict_of(self, support: np.ndarray, multipliers: np.ndarray) -> np.ndarray | None:
        """The records of a certificate, None if it does not prove a conflict.

        Multipliers that are only rounding are left out first: they bring in rows for nothing.
        """
        for tiny in (1e-13, 0.0):
            used = multipliers > tiny * multipliers.max(initial=0.0)
            if self._proves(support[used], multipliers[used]):
                return self.owners_of(support[used])
        integers = self._integers(support)
        exact = exact_support(integers) if len(support) else None
        if exact is not None and len(conflict := self.owners_of(support[exact])):
            return conflict
        for tiny in (0.0, 1e-9):
            used = (multipliers > tiny * multipliers.max(initial=0.0)) & (self.owners[support] >= 0)
            if self._opposes(
                [integers[k] for k in np.flatnonzero(used)], support[used], multipliers[used]
            ):
                return self.owners_of(support[used])
        return None

    def _opposes(
        self, integers: list[list[int]], support: np.ndarray, multipliers: np.ndarray
    ) -> bool:
        """Whether records alone contradict the cone, by multipliers of their integer rows."""
        sizes = [max(map(abs, row)) for row in integers]
        if not sizes or not 0 < min(sizes) <= max(sizes) < _LARGEST_INTEGER:
            return False
        multipliers = multipliers * np.abs(self.rows[support]).max(axis=1) / np.array(sizes, float)
        finite = bool(np.isfinite(multipliers).all())
        return finite and self.problem.family.opposes(integers, multipliers)

    def _proves(self, support: np.ndarray, multipliers: np.ndarray) -> bool:
        """Whether rows with positive multipliers contradict each other, rounding counted."""
        of_cone = self.owners[support] == CONE
        if of_cone.all() or not np.isfinite(multipliers).all():
            return False
        _, raw, own, other, _ = self._wide[:, support]
        multipliers = multipliers / _norms(raw)[:, 0]
        records = ~of_cone
        if allowed(
            self.problem.family,
            own[records],
            other[records],
            multipliers[records],
            raw[of_cone],
            multipliers[of_cone],
        ):
            return True
        self._size_up()
        return bool(combines_nearby(other - own, self._wide[4, support], multipliers))

    def _size_up(self) -> None:
        """Of rows since the last time: the size of the numbers whose rounding they carry.

        It is infinite, and proves nothing, where products may have underflowed.
        """
        new = np.arange(self._n_sized, self._size)
        self._n_sized = self._size
        if not len(new):
            return
        of_cone = self.owners[new] == CONE
        cone, pairs = new[of_cone], new[~of_cone]
        sizes, (own, other) = self._wide[4], self._wide[2:4, pairs]
        record, mine, theirs = self._records(pairs)
        sizes[cone] = np.abs(self.raw[cone])
        sizes[pairs] = self.problem.family.uncertain(own, other, mine == theirs)
        sizes[cone[_has_tiny(self.raw[cone])]] = np.inf
        sizes[pairs[_has_tiny(record - mine) | _has_tiny(record - theirs)]] = np.inf

    def _records(self, support: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the pairs of some rows: the original record, its own masked one and the impostor."""
        index, records = self.problem.index, self.owners[support]
        impostors = self.impostors[support]
        return index.original[records], index.masked[records], index.masked[impostors]

    def _integers(self, support: np.ndarray) -> list[list[int]]:
        """The rows as multiples of integers."""
        family = self.problem.family
        return [
            family.integer_cone_row(self.raw[row])
            if self.owners[row] == CONE
            else family.integer_row(*(record[0] for record in self._records(support[[place]])))
            for place, row in enumerate(support)
        ]
