"""What a fit claims, checked in exact rational arithmetic.

The coordinates that a linker makes of its files are floats, and floats are rationals. From there on
nothing is rounded: features, distances, the tie rule and every question whether some records can be
linked together. Nothing of the package is used but the attributes of the fitted linker.

The rule for ties, with ``t = 1e-12``: a record is linked if ``d_ij - d_ii > t (|d_ij| + |d_ii|)``
for all impostors ``j``. A fit may round, so a claim is wrong only if it is wrong for every ``t``
within a thousandth of 1e-12. Where ``d`` is a sum of terms of both signs, with ``D`` the sum of
their sizes, a record may also be missed by the rule with ``D`` (k-additive capacities) or with
``|d| + 2^-48 D`` (matrices) in the place of ``|d|``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from tests.exact_arithmetic import (
    certificate,
    increments,
    is_psd,
    minima,
    moebius_rows,
    monotone_rows,
    ordered_squares,
    pair_rows,
    primitive,
    products,
    psd_links,
    small_subsets,
    squares,
    submodular_rows,
    unit_rows,
)
from tests.soundness.semidefinite import SIMPLE_CUTS, linking_matrix

TOLERANCE = Fraction(1, 10**12)
BELOW, ABOVE = TOLERANCE * Fraction(999, 1000), TOLERANCE * Fraction(1001, 1000)

File = list[list[int]]


@dataclass(frozen=True)
class ExactFamily:
    """Features of integer differences, and integer rows of the cone.

    ``signed``: distances may be negative. ``mixed``: theta may have both signs although distances
    do not. ``scalable``: columns may be scaled one by one. ``terms``: the share of ``D`` in the
    rule by which a record may be missed.
    """

    features: Callable[[list[int]], list[int]]
    domain: Callable[[File, File], list[list[int]]]
    theta: Callable[[Any, np.ndarray], list[float]]
    signed: bool = False
    mixed: bool = False
    semidefinite: bool = False
    scalable: bool = False
    terms: Fraction = Fraction(0)


def _weights(linker: Any, used: np.ndarray) -> list[float]:
    return linker.weights_[used].tolist()


def _ranked_weights(linker: Any, used: np.ndarray) -> list[float]:
    return linker.weights_[: used.sum()].tolist()


def _subset_values(values: np.ndarray, used: np.ndarray, order: int) -> list[float]:
    bits = [1 << int(k) for k in np.flatnonzero(used)]
    return [
        float(values[sum(bit for k, bit in enumerate(bits) if subset >> k & 1)])
        for subset in small_subsets(len(bits), order)
    ]


def _capacity(linker: Any, used: np.ndarray) -> list[float]:
    return _subset_values(linker.capacity_, used, int(used.sum()))


def _matrix(linker: Any, used: np.ndarray) -> list[float]:
    matrix = linker.matrix_[np.ix_(used, used)]
    assert np.array_equal(matrix, matrix.T)
    n = len(matrix)
    return [float(matrix[k, m]) * (1 if k == m else 2) for k in range(n) for m in range(k, n)]


def _orthant(original: File, masked: File) -> list[list[int]]:
    return unit_rows(len(original[0]))


def _k_additive(order: int, capacity_rows: Callable[[int], list[list[int]]]) -> ExactFamily:
    return ExactFamily(
        lambda differences: minima(differences, order),
        lambda a, _: moebius_rows(capacity_rows(len(a[0])), len(a[0]), order),
        lambda linker, used: _subset_values(linker.mobius_, used, order),
        mixed=True,
        terms=Fraction(1),
    )


def _bilinear(domain: Callable[[File, File], list[list[int]]], **kind: Any) -> ExactFamily:
    return ExactFamily(products, domain, _matrix, scalable=True, terms=Fraction(1, 2**48), **kind)


MEAN = ExactFamily(squares, _orthant, _weights, scalable=True)
FAMILIES: dict[str, ExactFamily] = {
    "weighted mean": MEAN,
    "positive": MEAN,
    "owa": ExactFamily(ordered_squares, _orthant, _ranked_weights),
    "choquet": ExactFamily(increments, lambda a, _: monotone_rows(len(a[0])), _capacity),
    "submodular": ExactFamily(increments, lambda a, _: submodular_rows(len(a[0])), _capacity),
    "2-additive": _k_additive(2, monotone_rows),
    "submodular 2-additive": _k_additive(2, submodular_rows),
    "free": _bilinear(lambda a, b: [], signed=True),
    "nonnegative": _bilinear(pair_rows),
    "psd": _bilinear(lambda a, b: [], semidefinite=True),
    "projected": _bilinear(lambda a, b: [], signed=True),
}


def integers(*files: np.ndarray) -> list[File]:
    """Files of floats times one power of two that makes all of them integers."""
    ratios = [[[v.as_integer_ratio() for v in row] for row in f.tolist()] for f in files]
    every = [ratio for file in ratios for row in file for ratio in row]
    common = max(denominator for _, denominator in every)
    shared = min((n * (common // d) & -(n * (common // d)) for n, d in every if n), default=1)
    return [[[n * (common // d) // shared for n, d in row] for row in f] for f in ratios]


def scaled_integers(*files: np.ndarray) -> list[File]:
    """The same, with a power of two for each column."""
    columns = [integers(*(file[:, [k]] for file in files)) for k in range(files[0].shape[1])]
    return [
        [[column[f][i][0] for column in columns] for i in range(len(file))]
        for f, file in enumerate(files)
    ]


class ExactProblem:
    """Which sets of records can be linked together, by the rule with one tolerance.

    ``original`` and ``masked`` are coordinates; masked records beyond the original ones are
    impostors only.
    """

    def __init__(
        self, family: ExactFamily, original: np.ndarray, masked: np.ndarray, tolerance: Fraction
    ) -> None:
        self.family, self.tolerance = family, tolerance
        convert = scaled_integers if family.scalable else integers
        self.original, self.masked = convert(original, masked)
        self.n_records, self.n_features = original.shape
        self._conflicts: list[set[int]] = []

    @cached_property
    def features(self) -> list[list[list[int]]]:
        return [
            [self.family.features([x - y for x, y in zip(a, b, strict=True)]) for b in self.masked]
            for a in self.original
        ]

    @cached_property
    def domain(self) -> list[list[int]]:
        rows = self.family.domain(self.original, self.masked)
        if self.family.semidefinite:
            rows = [products(list(v)) for v in SIMPLE_CUTS[self.n_features]]
        return [list(row) for row in {tuple(primitive(row)) for row in rows} if any(row)]

    def rows(self, record: int, factor: Fraction) -> list[list[int]]:
        """``phi_ij - factor phi_ii`` of all impostors, up to scale."""
        own = self.features[record][record]
        found = {
            tuple(primitive([x - factor * y for x, y in zip(other, own, strict=True)]))
            for j, other in enumerate(self.features[record])
            if j != record
        }
        return [list(row) for row in found]

    @cached_property
    def necessary(self) -> list[list[list[int]]]:
        """Rows that are positive if a record is linked; where distances have one sign, also only
        then: ``(1 - t) d_ij > (1 + t) d_ii``."""
        t = Fraction(0) if self.family.signed else self.tolerance
        return [self.rows(i, (1 + t) / (1 - t)) for i in range(self.n_records)]

    def conflict(self, records: tuple[int, ...]) -> set[int] | None:
        """Some of the records that cannot be linked together; None if nothing shows that."""
        if found := self._in_conflict([self.necessary[i] for i in records], self.domain):
            return {records[place] for place in found}
        if self.family.signed:
            return None if self._links_signed(records) else set(records)
        if self.family.mixed and self.tolerance:
            return None if self._links_mixed(records) else set(records)
        if self.family.semidefinite and self.n_features == 2:
            rows = [row for i in records for row in self.necessary[i]]
            return None if psd_links(rows) else set(records)
        return None

    def _in_conflict(self, rows: list[list[list[int]]], domain: list[list[int]]) -> set[int] | None:
        """The places of some lists of rows that cannot be positive together."""
        owners = [place for place, own in enumerate(rows) for _ in own]
        if not owners:
            return None
        columns = [[*row, 1] for own in rows for row in own] + [[*g, 0] for g in domain]
        support = certificate(columns)
        return None if support is None else {owners[j] for j in support if j < len(owners)}

    def _links_signed(self, records: tuple[int, ...]) -> bool:
        """Distances of any sign: that of ``d_ii`` says which of two linear rules is meant."""
        t = self.tolerance
        if not t:
            return True
        factor = (1 + t) / (1 - t)
        for signs in product((1, -1), repeat=len(records)):
            rows = [self.rows(i, factor**s) for i, s in zip(records, signs, strict=True)]
            own = [
                [s * x for x in self.features[i][i]] for i, s in zip(records, signs, strict=True)
            ]
            if self._in_conflict(rows, [*self.domain, *(row for row in own if any(row))]) is None:
                return True
        return False

    def _links_mixed(self, records: tuple[int, ...]) -> bool:
        """Terms of both signs: ``d_ij - d_ii > t (D_ij + D_ii)`` is linear for each pattern."""
        units = unit_rows(len(self.domain[0]))
        single = [subset.bit_count() == 1 for subset in small_subsets(self.n_features, 2)]
        for signs in product(*((1,) if one else (1, -1) for one in single)):
            lower = [1 - self.tolerance * s for s in signs]
            upper = [1 + self.tolerance * s for s in signs]
            rows = [
                [
                    primitive(
                        [a * x - b * y for a, b, x, y in zip(lower, upper, other, own, strict=True)]
                    )
                    for j, other in enumerate(self.features[i])
                    if j != i
                ]
                for i in records
                for own in (self.features[i][i],)
            ]
            domain = [
                *self.domain,
                *([s * x for x in u] for s, u in zip(signs, units, strict=True)),
            ]
            if self._in_conflict(rows, domain) is None:
                return True
        return False

    def linkable(self, size: int, first: tuple[int, ...] = ()) -> tuple[int, ...] | None:
        """So many records that can be linked together, None if no such set was found.

        Of semidefinite matrices of more than two variables only sets with a rational matrix that
        links them count. ``first`` are records to try before all others.
        """
        sets = combinations(range(self.n_records), size)
        for records in [first[:size], *sets] if len(first) >= size else sets:
            if any(known <= set(records) for known in self._conflicts):
                continue
            found = self.conflict(records)
            if found is not None:
                self._conflicts.append(found)
            elif not self.family.semidefinite or self.n_features <= 2:
                return records
            elif linking_matrix([r for i in records for r in self.necessary[i]], self.n_features):
                return records
        return None

    @property
    def optimum(self) -> int:
        """The size of a largest set that can be linked together."""
        return next(
            size for size in range(self.n_records, -1, -1) if self.linkable(size) is not None
        )


def linked(
    family: ExactFamily,
    theta: list[float],
    original: np.ndarray,
    masked: np.ndarray,
    tolerance: Fraction,
    *,
    terms: Fraction = Fraction(0),
) -> list[bool]:
    """Whether parameters link each record by the rule with a tolerance, in exact arithmetic.

    The tolerance is relative to ``(1 - terms) |d| + terms D``.
    """
    files = integers(original, masked)
    exact = primitive([Fraction(value) for value in theta])
    answers = []
    for i, a in enumerate(files[0]):
        values, sizes = [], []
        for b in files[1]:
            phi = family.features([x - y for x, y in zip(a, b, strict=True)])
            parts = [x * y for x, y in zip(exact, phi, strict=True)]
            values.append(sum(parts))
            sizes.append(abs(values[-1]))
            if terms:
                sizes[-1] = (1 - terms) * sizes[-1] + terms * sum(map(abs, parts))
        answers.append(
            all(
                values[j] - values[i] > tolerance * (sizes[j] + sizes[i])
                for j in range(len(values))
                if j != i
            )
        )
    return answers


def admissible(
    family: ExactFamily, theta: list[float], original: np.ndarray, masked: np.ndarray
) -> bool:
    """Whether parameters lie in the cone, in exact arithmetic."""
    files = integers(original, masked)
    exact = primitive([Fraction(value) for value in theta])
    if family.semidefinite:
        n = original.shape[1]
        places = iter(exact)
        matrix = [[Fraction(0)] * n for _ in range(n)]
        for k in range(n):
            for m in range(k, n):
                matrix[k][m] = matrix[m][k] = Fraction(next(places), 1 if k == m else 2)
        return is_psd(matrix)
    rows = family.domain(*files)
    return all(sum(x * y for x, y in zip(row, exact, strict=True)) >= 0 for row in rows)
