"""The rows found so far, and certificates made of them.

Rows are held as unit rows, and as they were made with their features, for the checks of
certificates: first by what ties allow (`allowed`), then without any tolerance (`farkas`).

Given rows ``r_m = phi(a - b_other) - phi(a - b_own)`` of records and rows ``g_s`` of a cone, do
multipliers ``lambda, nu >= 0``, some ``lambda > 0``, show that no admissible ``theta`` has all
``r_m . theta`` above what ties allow? ``R = sum lambda_m r_m + sum nu_s g_s`` is computed with an
error of at most ``e``; the family confirms that ``R + e`` is below the allowance for every
admissible ``theta`` (`Family.excess`). The error of the record rows is a small share of their
allowance. That of the cone rows is not: where they cancel, their sum is taken exactly
(`math.fsum`), as their entries are 0, 1 and -1. Lowering the multiplier of a cone row hands an
excess on to other coordinates: any ``nu >= 0`` prove the same. Only a sum of 0 is exact; any other
is rounded once.
"""

import math
from copy import copy
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.farkas import combines_nearby, exact_support, opposing_combination
from sklearn_reclink.solvers.problem import Problem

_ALLOWED = 0.9  # of what ties allow: the rest is for the rounding of a recount
_UNIT = 2.0**-53
_WEAK = 0.5  # of what ties allow: certificates have more
CONE = -1  # the owner of rows of the cone


def row_norms(rows: np.ndarray) -> np.ndarray:
    """The norms of rows, (n_rows, 1); 1 for a row of zeros."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1.0
    return np.asarray(norms)


def _has_tiny(numbers: np.ndarray) -> np.ndarray:
    """Which rows have a number so small that its square may underflow, (n_rows,) of bool."""
    sizes = np.abs(numbers)
    return np.asarray(((sizes > 0) & (sizes < 2.0**-300)).any(axis=1))


def allowed(
    family: Family,
    own: np.ndarray,
    other: np.ndarray,
    multipliers: np.ndarray,
    cone: np.ndarray,
    cone_multipliers: np.ndarray,
) -> bool:
    """Whether the combination of rows is below what ties allow, for all admissible theta.

    Parameters
    ----------
    own, other : ndarray of shape (n_rows, n_parameters)
        Features of records and their own masked versions, and of records and impostors.
    multipliers : ndarray of shape (n_rows,)
    cone : ndarray of shape (n_cone_rows, n_parameters)
    cone_multipliers : ndarray of shape (n_cone_rows,)
    """
    tolerated = family.tolerated(own, other)
    if tolerated is None:
        return False
    rows = other - own
    allowance = _ALLOWED * TIE_TOLERANCE * (multipliers @ tolerated)
    n_terms = len(own) + len(cone) + 8
    record_error = n_terms * _UNIT * (multipliers @ (np.abs(own) + np.abs(other)))
    residual = multipliers @ rows
    if not family.whole_rows:  # then `excess` knows the whole cone, and needs no rows of it
        return not family.excess(residual, allowance, record_error).any()
    spare = cone_multipliers.copy()
    residual += spare @ cone
    error = record_error + n_terms * _UNIT * (spare @ np.abs(cone))
    if not family.excess(residual, allowance, error).any():
        return True
    terms = multipliers[:, None] * rows
    changed: np.ndarray = np.arange(len(residual))
    for _ in range(2 * len(residual)):
        for k in changed.tolist():
            residual[k] = math.fsum([*terms[:, k], *(spare * cone[:, k])])
        rounding = 4 * _UNIT * (np.abs(residual) + allowance)  # of the sum, and of what follows
        excess = family.excess(residual, allowance, record_error + rounding)
        largest = int(np.argmax(excess))
        if excess[largest] == 0:
            return True
        movable = spare * (cone[:, largest] > 0)
        if not movable.any():
            return False
        m = int(np.argmax(movable))
        spare[m] -= min(spare[m], excess[largest] * (1 + 1e-6))
        changed = np.flatnonzero(cone[m])
    return False


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
        self._right, self._norms = np.empty((2, 64))
        self._known: set[tuple[int, int]] = set()
        self.add_cone(problem.family.rows)
        self._told = self._n_first = self._size
        self._n_sized = 0

    def fresh(self) -> "RowCache":
        """Another one, with the first rows of the cone alone."""
        other = copy(self)
        other._size = other._told = self._n_first
        other._n_sized = 0
        first = slice(self._n_first)
        other._wide, other._pair = self._wide[:, first].copy(), self._pair[:, first].copy()
        other._right, other._norms = self._right[first].copy(), self._norms[first].copy()
        other._known = set()
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
            self._right, self._norms = np.pad([self._right, self._norms], ((0, 0), (0, grow)))
        norms = row_norms(rows)
        self._wide[:4, start:end] = rows / norms, rows, own, other
        self._norms[start:end] = norms[:, 0]
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
            rows = [integers[k] for k in np.flatnonzero(used)]
            units = multipliers[used] * np.abs(self.rows[support[used]]).max(axis=1, initial=0.0)
            if opposing_combination(self.problem.family, rows, units):
                return self.owners_of(support[used])
        return None

    def _proves(self, support: np.ndarray, multipliers: np.ndarray) -> bool:
        """Whether rows with positive multipliers contradict each other, rounding counted."""
        of_cone = self.owners[support] == CONE
        if of_cone.all() or not np.isfinite(multipliers).all():
            return False
        raw, own, other = self._wide[1:4, support]
        multipliers = multipliers / self._norms[support]
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
