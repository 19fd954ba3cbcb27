"""Conflicts with multipliers that `verify` accepts.

The active-set method finds a combination of rows in floating point (`solvers.active_set`). Its
multipliers are a hint: what counts is that `verify.Checker` proves the conflict with them, exactly.
If rounding stands in the way they are made again by elimination over the integers.

Ties. Where ``d`` is its own magnitude, the rows are ``(1 - t) phi_ij - (1 + t) phi_ii`` with ``t``
nine tenths of the tolerance: a tie is then a row that nothing satisfies, not a row of rounding.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sklearn_reclink.certificates.coordinates import CertificateError, integers
from sklearn_reclink.certificates.distances import ORTHANT
from sklearn_reclink.certificates.verify import TOLERANCE, UNIT, Checker
from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, least_norm
from sklearn_reclink.solvers.farkas import combination_to_zero, opposing_combination
from sklearn_reclink.solvers.problem import Problem

CONE = -1  # the owner of rows of the cone
_WEAK = 0.9 * TOLERANCE
_ROUNDING = 1e-12
_ROUNDS = 200  # of growing rows, before a question is given up

Corners = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Support:
    """Rows that no parameters satisfy together, and their multipliers, in floating point."""

    places: np.ndarray
    multipliers: np.ndarray
    members: frozenset[int]


def accepts(check: Callable[..., Any], *claim: Any) -> bool:
    """Whether a method of the checker proves a claim."""
    try:
        check(*claim)
    except CertificateError:
        return False
    return True


class ConflictFinder:
    """Finds conflicts in the cone of a family, or in a cell of it.

    Parameters
    ----------
    problem : Problem
    checker : Checker
        The exact files.
    deadline : float
        By `time.monotonic`.
    corners : tuple of tuples of int, optional
        Of the cell, in which only the rows added are looked at; the cone itself by default.
    """

    def __init__(
        self,
        problem: Problem,
        checker: Checker,
        deadline: float,
        corners: Corners | None = None,
    ) -> None:
        self.problem, self.checker = problem, checker
        self.deadline, self._grows = deadline, corners is None
        p = problem.family.n_parameters
        self.corners, self._map = unit_corners(p), np.eye(p)
        if corners is not None:
            self.corners = corners
            self._map = np.array([[x / sum(v) for x in v] for v in corners])
        self.weak = checker.order is None and checker.constraint not in ("free", "projected")
        self._size = 0
        self._rows, self._norms = np.empty((256, p)), np.empty(256)
        self._owners, self._names = np.empty(256, np.int64), list[Any]()
        self._known: set[tuple[int, int]] = set()
        self._add_first_cone_rows()

    # -- rows -------------------------------------------------------------------------------------

    def _add_first_cone_rows(self) -> None:
        p, family = self.problem.family.n_parameters, self.problem.family
        if self.checker.name in ORTHANT:
            self._append(np.eye(p), CONE, [None] * p)
        elif self.checker.name == "choquet":
            place = {key: k for k, key in enumerate(theta_keys(self.checker))}
            entries = list(self.checker.cone())
            rows = np.zeros((len(entries), p))
            for row, entry in zip(rows, entries, strict=True):
                for key, value in self.checker.cone_row(entry).items():
                    row[place[key]] = value
            self._append(rows, CONE, entries)
            costs = len(self.checker.costs)
            self._append(np.eye(p)[p - costs :], CONE, [None] * costs)
        elif len(family.rows):
            self._append(family.rows, CONE, [None] * len(family.rows))

    def _append(self, rows: np.ndarray, owners: Any, names: Sequence[Any]) -> None:
        end = self._size + len(rows)
        if end > len(self._norms):
            grow = max(end, 2 * len(self._norms)) - len(self._norms)
            self._rows = np.pad(self._rows, ((0, grow), (0, 0)))
            self._norms = np.pad(self._norms, (0, grow))
            self._owners = np.pad(self._owners, (0, grow))
        new = slice(self._size, end)
        largest = np.abs(rows).max(axis=1, keepdims=True)
        largest[largest == 0] = 1.0
        norms = np.linalg.norm(rows / largest, axis=1)
        norms[norms == 0] = 1.0
        self._norms[new] = norms * largest[:, 0]
        self._rows[new], self._owners[new] = rows / self._norms[new, None], owners
        self._names += names
        self._size = end

    def add_pairs(self, pairs: Iterable[tuple[int, int]]) -> bool:
        """Add the rows of (record, impostor) pairs; whether any was new."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if not new:
            return False
        self._known.update(new)
        records, impostors = np.array(new).T
        rows = self._differences(records, impostors, weak=_WEAK if self.weak else 0.0)
        self._append(rows @ self._map.T, records, new)
        return True

    def _differences(
        self, records: np.ndarray, impostors: np.ndarray, weak: float = 0.0
    ) -> np.ndarray:
        """``phi_ij - phi_ii`` of pairs, less a part of both."""
        own, other = self.problem.index.features(self.problem.family, records, impostors)
        return np.asarray(other - own - weak * (other + own))

    def _grow(self, theta: np.ndarray, records: np.ndarray) -> bool:
        """Add rows that ``theta`` violates or meets by rounding alone; whether there were new ones.

        On the border of the cone rounding may turn the sign of a margin that is 0.
        """
        family, index = self.problem.family, self.problem.index
        (impostors,), (margins,) = index.nearest_impostors(family, theta[None], records)
        rows = self._differences(records, impostors)
        rounding = _ROUNDING * np.linalg.norm(rows, axis=1) * np.linalg.norm(theta)
        bad = (margins <= 0) | (rows @ theta <= rounding)
        if self.add_pairs(zip(records[bad].tolist(), impostors[bad].tolist(), strict=True)):
            return True
        if self.checker.name != "bilinear":
            return False
        if self.checker.constraint == "nonnegative":
            return self._grow_by_negative_pairs(theta)
        cuts = family.separate(theta)
        self._append(cuts, CONE, [None] * len(cuts))
        return len(cuts) > 0

    def _grow_by_negative_pairs(self, theta: np.ndarray) -> bool:
        """Add the rows of the cone of the pairs of least distance, if that is negative.

        Costs of missing values do not count there.
        """
        family, index = self.problem.family, self.problem.index
        theta = theta * (np.arange(len(theta)) < len(theta) - len(self.checker.costs))
        worst = []
        for i, record in enumerate(index.original):
            values = family.between(theta, record, index.masked)[0]
            j = int(np.argmin(values))
            if values[j] < 0 and [i, j] not in self._names:
                worst.append((values[j], i, j))
        names = [[i, j] for _, i, j in sorted(worst)[: 2 * family.n_parameters]]
        if names:
            records, impostors = np.array(names).T
            pairs = index.original[records], index.masked[impostors]
            rows = family.features(family.differences(*pairs))
            rows[:, rows.shape[1] - len(self.checker.costs) :] = 0
            self._append(rows, CONE, names)
        return len(names) > 0

    # -- questions --------------------------------------------------------------------------------

    def find(self, records: Iterable[int]) -> Support | None:
        """Rows in conflict among those of some records; None if there are none to be found."""
        wanted = np.fromiter(sorted(records), np.int64)
        for _ in range(_ROUNDS):
            if time.monotonic() >= self.deadline:
                return None
            found = self._known_answer(wanted)
            if not isinstance(found, np.ndarray):
                return found
            point = found if found.any() else self.problem.family.centre
            if not self._grows or not self._grow(point @ self._map, wanted):
                return None
        return None

    def _known_answer(self, records: np.ndarray) -> Support | np.ndarray | None:
        """As far as the known rows tell: a conflict, parameters, or neither."""
        asked = np.zeros(self.problem.index.n_records + 1, dtype=bool)
        asked[records] = asked[CONE] = True
        wanted = np.flatnonzero(asked[self._owners[: self._size]])
        right = np.where(self._owners[: self._size] == CONE, 0.0, 1.0)
        status, theta, support, multipliers = least_norm(
            self._rows[: self._size], right, wanted, np.empty(0, np.int64)
        )
        if status == FEASIBLE:
            return theta
        if status != INFEASIBLE:
            return None
        used = multipliers > 1e-13 * multipliers.max()
        support, multipliers = support[used], multipliers[used]
        members = frozenset(self._owners[support].tolist()) - {CONE}
        return Support(support, multipliers, members) if members else None

    def minimised(self, support: Support) -> Support:
        """A conflict that can spare none of its records, as far as the known rows tell."""
        for record in sorted(support.members):
            if record in support.members and len(support.members) > 1:
                fewer = np.array(sorted(support.members - {record}))
                found = self._known_answer(fewer)
                if isinstance(found, Support):
                    support = found
        return support

    # -- proofs -----------------------------------------------------------------------------------

    def prove(self, support: Support) -> dict[str, Any] | None:
        """The conflict as `verify` takes it; None if no multipliers prove it."""
        weights = support.multipliers / self._norms[support.places]
        exact_only = self.checker.name == "bilinear" and self.checker.constraint != "psd"
        if not exact_only and (proof := self._proven(support.places, weights.tolist())):
            return proof
        for exact in self._exact_multipliers(support):
            if not exact_only:
                shares = [value / max(exact) for value in exact]
                if proof := self._proven(support.places, shares):
                    return proof
            if proof := self._proven(support.places, exact):
                return proof
        return self._proven_by_records(support)

    def _proven_by_records(self, support: Support) -> dict[str, Any] | None:
        """By rows of records whose total opposes the cone in exact arithmetic."""
        of_records = self._owners[support.places] != CONE
        places = support.places[of_records]
        rows, keys = map(self._exact_row, places.tolist()), theta_keys(self.checker)
        whole = [[row.get(key, 0) for key in keys] for row in rows]
        sizes = support.multipliers[of_records] * np.abs(self._rows[places]).max(axis=1, initial=0)
        found = opposing_combination(self.problem.family, whole, sizes)
        return None if found is None else self._proven(places, found)

    def _proven(self, places: np.ndarray, weights: Sequence[Any]) -> dict[str, Any] | None:
        rows: list[Any] = []
        cone: list[Any] = []
        for place, weight in zip(places.tolist(), weights, strict=True):
            name = self._names[place]
            if weight > 0 and name is not None:
                (cone if self._owners[place] == CONE else rows).append([*name, weight])
        top = max((row[2] for row in rows), default=0)
        if isinstance(top, float) and top > 0:  # a power of two rounds nothing
            shift = -math.frexp(top)[1]
            rows, cone = (
                [[*e[:-1], math.ldexp(e[-1], shift)] for e in part] for part in (rows, cone)
            )
        if self.checker.name == "choquet" and self.checker.order is None:
            cone = self._pushed_up(rows, cone)
        proof = {"rows": rows} | ({"cone": cone} if cone else {})
        return proof if self.is_proven(proof) else None

    def is_proven(self, conflict: dict[str, Any]) -> bool:
        """Whether `verify` accepts a conflict."""
        rows, cone = conflict["rows"], conflict.get("cone", [])
        return accepts(self.checker.conflict, rows, cone, self.corners)

    def _pushed_up(self, rows: list[Any], cone: list[Any]) -> list[Any]:
        """More of ``mu(A + k) >= mu(A)`` where rounding left an excess at A.

        From small sets to large ones, an excess goes to the larger set that can best bear it.
        """
        excess = self.checker.combined(rows, cone)[0]
        if max(excess.values(), default=0) <= 0:
            return cone
        n, found = self.checker.n, {tuple(entry[:-1]): float(entry[-1]) for entry in cone}
        every = range(1, 2**n)
        denominators = [Fraction(entry[-1]).denominator for entry in [*rows, *cone]]
        unit = UNIT * self.checker.cone_unit * max(denominators)
        over = {A: Fraction(excess.get(A, 0), unit) for A in every}
        for A in sorted(every[:-1], key=int.bit_count):
            target = min((B for B in every if A & B == A), key=over.__getitem__)
            while over[A] > 0 and target != A:
                k = ((target & ~A) & -(target & ~A)).bit_length() - 1
                before = found.get((A, k), 0.0)
                found[A, k] = math.nextafter(before + float(over[A]), math.inf)
                moved = Fraction(found[A, k]) - Fraction(before)
                over[A] -= moved
                A |= 1 << k
                over[A] += moved
        return [[*entry, value] for entry, value in found.items()]

    def _exact_multipliers(self, support: Support) -> Iterator[list[int]]:
        """Integers that combine the rows to zero exactly, none of them negative.

        One row has a multiplier above 0: that of the largest in floating point, or another one.
        """
        columns = [self._exact_row(place) for place in support.places.tolist()]
        keys = sorted({key for column in columns for key in column})
        of_records = np.flatnonzero(self._owners[support.places] != CONE)
        largest = of_records[np.argsort(-support.multipliers[of_records], kind="stable")]
        for last in largest.tolist():
            order = [k for k in range(len(columns)) if k != last] + [last]
            found = combination_to_zero([[columns[k].get(key, 0) for key in keys] for k in order])
            if found is not None:
                yield [found[place] for place in np.argsort(order).tolist()]

    def _exact_row(self, place: int) -> dict[Any, int]:
        name, checker = self._names[place], self.checker
        if self._owners[place] != CONE:
            other, own = checker.features(*name), checker.features(name[0], name[0])
            row = {key: other.get(key, 0) - own.get(key, 0) for key in other | own}
            if checker.name in ORTHANT:
                return {
                    v: sum(row[k] * x for k, x in enumerate(corner))
                    for v, corner in enumerate(self.corners)
                }
            return row
        if name is not None:
            return {k: checker.cone_unit * value for k, value in checker.cone_row(name).items()}
        values = self._rows[place] * self._norms[place]
        keys = range(len(self.corners)) if checker.name in ORTHANT else theta_keys(checker)
        numbers = integers(values.tolist())
        return {key: number for key, number in zip(keys, numbers, strict=True) if number}


def unit_corners(p: int) -> Corners:
    """Those of the orthant."""
    return tuple(tuple(int(k == m) for m in range(p)) for k in range(p))


def theta_keys(checker: Checker) -> list[Any]:
    """Coordinates of theta in the order of the package: small subsets first."""
    if checker.order is None:
        return checker.keys
    return [*sorted(checker.of_variables, key=int.bit_count), *checker.costs]
