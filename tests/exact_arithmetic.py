"""The optimum of a tiny problem in exact rational arithmetic; shares no code with the package.

Records S can be linked together iff no lambda >= 0 has sum lambda_m row_m + sum nu_m g_m = 0 with
sum lambda = 1 (Gordan-Farkas), rows of S and rows g of the domain. That is a phase-one simplex
with Bland's rule over the integers (fraction-free pivots). Subsets are tried from large to small.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm


def primitive(row: list) -> list[int]:
    """The row of rationals times the positive number that makes it integers without a divisor."""
    common = lcm(*(value.denominator for value in row))
    whole = [value.numerator * (common // value.denominator) for value in row]
    divisor = gcd(*whole) or 1
    return [value // divisor for value in whole]


def certificate(columns: list[list[int]]) -> list[int] | None:
    """Indices of columns that some lambda >= 0 combines into (0, ..., 0, 1), or None."""
    height = len(columns[0])
    width = len(columns)
    rhs = [0] * (height - 1) + [1]
    tableau = [[column[i] for column in columns] + [rhs[i]] for i in range(height)]
    basis = [-1 - i for i in range(height)]  # artificial variables
    divisor = 1
    cost = [sum(row[j] for row in tableau) for j in range(width + 1)]
    while True:
        entering = next((j for j in range(width) if cost[j] > 0), None)
        if entering is None:
            break
        leaving = None
        for i, row in enumerate(tableau):
            if row[entering] <= 0:
                continue
            if leaving is None:
                leaving = i
                continue
            best = tableau[leaving]
            left, right = row[-1] * best[entering], best[-1] * row[entering]
            if left < right or (left == right and basis[i] < basis[leaving]):
                leaving = i
        assert leaving is not None
        pivot_row = tableau[leaving]
        pivot = pivot_row[entering]
        for row in [*(r for i, r in enumerate(tableau) if i != leaving), cost]:
            factor = row[entering]
            for j in range(width + 1):
                row[j] = (row[j] * pivot - factor * pivot_row[j]) // divisor
        divisor = pivot
        basis[leaving] = entering
    if cost[-1] != 0:
        return None
    return [j for i, j in enumerate(basis) if j >= 0 and tableau[i][-1] != 0]


def best_subset(rows: list[list[list[int]]], domain: list[list[int]]) -> tuple[int, ...]:
    """A largest set of records whose rows are all positive for one admissible theta.

    Parameters
    ----------
    rows : per record, its integer rows
    domain : integer rows g with g . theta >= 0
    """

    def conflict(records: tuple[int, ...]) -> set[int] | None:
        owners = [i for i in records for _ in rows[i]]
        if not owners:
            return None
        columns = [[*row, 1] for i in records for row in rows[i]] + [[*g, 0] for g in domain]
        support = certificate(columns)
        return None if support is None else {owners[j] for j in support if j < len(owners)}

    return largest_subset(len(rows), conflict)


def largest_subset(
    n_records: int, conflict: Callable[[tuple[int, ...]], set[int] | None]
) -> tuple[int, ...]:
    """A largest set of records that has no conflict; conflicts found spare later questions."""
    conflicts: list[set[int]] = []
    for size in range(n_records, 0, -1):
        for records in combinations(range(n_records), size):
            if any(known <= set(records) for known in conflicts):
                continue
            found = conflict(records)
            if found is None:
                return records
            conflicts.append(found)
    return ()


# Features of integer differences, per family.


def squares(differences: list[int]) -> list[int]:
    return [d * d for d in differences]


def ordered_squares(differences: list[int]) -> list[int]:
    return sorted(squares(differences), reverse=True)


def increments(differences: list[int]) -> list[int]:
    """Per non-empty subset by dyadic number: the least square in it less the largest outside."""
    return increments_of(squares(differences))


def increments_of(c: list) -> list:
    """The same of the squares, or of other dissimilarities."""
    n = len(c)
    values = []
    for subset in range(1, 2**n):
        inside = min(c[k] for k in range(n) if subset >> k & 1)
        outside = max((c[k] for k in range(n) if not subset >> k & 1), default=0)
        values.append(max(inside - outside, 0))
    return values


def minima(differences: list[int], order: int) -> list[int]:
    """Per subset of at most ``order`` variables, by dyadic number: its least square."""
    return minima_of(squares(differences), order)


def minima_of(c: list, order: int) -> list:
    """The same of the squares, or of other dissimilarities."""
    n = len(c)
    return [min(c[k] for k in range(n) if subset >> k & 1) for subset in small_subsets(n, order)]


def small_subsets(n: int, order: int) -> list[int]:
    return [subset for subset in range(1, 2**n) if subset.bit_count() <= order]


def products(differences: list[int]) -> list[int]:
    n = len(differences)
    return [differences[k] * differences[m] for k in range(n) for m in range(k, n)]


Features = Callable[[list[int]], list[int]]


def family_rows(
    features: Features, original: list[list[int]], masked: list[list[int]]
) -> list[list[list[int]]]:
    """Rows phi(a_i - b_j) - phi(a_i - b_i) of integer files, per record."""

    def phi(a: list[int], b: list[int]) -> list[int]:
        return features([x - y for x, y in zip(a, b, strict=True)])

    return [
        [
            [x - y for x, y in zip(phi(a, other), phi(a, masked[i]), strict=True)]
            for j, other in enumerate(masked)
            if j != i
        ]
        for i, a in enumerate(original)
    ]


def weighted_mean_rows(original: list[list[int]], masked: list[list[int]]) -> list[list[list[int]]]:
    """Rows c_ij - c_ii of integer files, per record."""
    return family_rows(squares, original, masked)


# Domains as integer rows.


def unit_rows(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def monotone_rows(n: int) -> list[list[int]]:
    """mu(A + k) - mu(A) >= 0, over the non-empty subsets."""
    rows = []
    for subset in range(2**n):
        for k in range(n):
            if not subset >> k & 1:
                row = [0] * 2**n
                row[subset | 1 << k] += 1
                row[subset] -= 1
                rows.append(row[1:])
    return rows


def submodular_rows(n: int) -> list[list[int]]:
    """Monotone, and mu(A) + mu(B) - mu(A u B) - mu(A n B) >= 0 for all A and B."""
    rows = monotone_rows(n)
    for a in range(2**n):
        for b in range(a):
            if a & b not in (a, b):
                row = [0] * 2**n
                for subset, sign in ((a, 1), (b, 1), (a | b, -1), (a & b, -1)):
                    row[subset] += sign
                rows.append(row[1:])
    return rows


def moebius_rows(rows: list[list[int]], n: int, order: int) -> list[list[int]]:
    """Rows of capacities as rows of Moebius transforms: mu(A) is the sum of m(B) over B in A."""
    return [
        [sum(g for a, g in enumerate(row, 1) if a & b == b) for b in small_subsets(n, order)]
        for row in rows
    ]


def pair_rows(original: list[list[int]], masked: list[list[int]]) -> list[list[int]]:
    """diff' M diff >= 0 for all pairs of records."""
    rows = {
        tuple(products([x - y for x, y in zip(a, b, strict=True)]))
        for a in original
        for b in masked
    }
    return [list(row) for row in sorted(rows) if any(row)]


# Positive semidefinite 2 x 2 matrices. Up to scale M = [[1 + x, y], [y, 1 - x]] with x^2 + y^2 at
# most 1, and a row (p, q, r) reads (p + r) + (p - r) x + 2 q y > 0: theta holds M_12 twice. Open
# half-planes meet the disk iff they have a common point and the least norm in their closure is
# below 1; it is at the origin, at the foot of a perpendicular or at a corner, all rational.


def psd_links(rows: list[list[int]]) -> bool:
    """Whether a positive semidefinite 2 x 2 matrix makes all rows positive."""
    planes = [(p + r, p - r, 2 * q) for p, q, r in rows]
    if not planes:
        return True
    if certificate([[*plane, 1] for plane in planes] + [[1, 0, 0, 1]]) is not None:
        return False  # no common point
    best = (Fraction(0), Fraction(0))  # the point of least norm in the closure, plane by plane
    for place, plane in enumerate(planes):
        if _value(plane, best) < 0:
            best = _least_norm_on(plane, planes[:place])
            if best[0] ** 2 + best[1] ** 2 >= 1:
                return False
    return True


def _value(plane: tuple[int, int, int], point: tuple[Fraction, Fraction]) -> Fraction:
    c, a, b = plane
    return c + a * point[0] + b * point[1]


def _least_norm_on(
    line: tuple[int, int, int], planes: list[tuple[int, int, int]]
) -> tuple[Fraction, Fraction]:
    """The point of least norm on ``c + a x + b y = 0`` where the planes are not negative.

    The line is the foot of the perpendicular plus ``s`` times ``(-b, a)``; some point is there.
    """
    c, a, b = line
    length = a * a + b * b
    foot = (Fraction(-c * a, length), Fraction(-c * b, length))
    low = high = None
    for plane in planes:
        value, slope = _value(plane, foot), plane[2] * a - plane[1] * b
        if slope > 0:
            low = -value / slope if low is None else max(low, -value / slope)
        elif slope < 0:
            high = -value / slope if high is None else min(high, -value / slope)
    step = Fraction(0)
    if low is not None and low > 0:
        step = low
    elif high is not None and high < 0:
        step = high
    return foot[0] - step * b, foot[1] + step * a


def best_psd_subset(rows: list[list[list[int]]], n_weights: int = 0) -> tuple[int, ...]:
    """A largest set of records that one positive semidefinite 2 x 2 matrix links.

    The last ``n_weights`` entries of a row are those of weights >= 0 beside the matrix, which may
    then also be of one variable.
    """

    def conflict(records: tuple[int, ...]) -> set[int] | None:
        left = without_weights([row for i in records for row in rows[i]], n_weights)
        linked = psd_links([[*row, 0, 0][:3] for row in left])
        return None if linked else set(records)

    return largest_subset(len(rows), conflict)


def without_weights(rows: list[list[int]], n_weights: int) -> list[list[int]]:
    """Rows that can be positive iff these can for some weights >= 0 of their last entries.

    One weight after the other (Fourier and Motzkin). Rows are strict, so a weight of 0 may as well
    be a small one, and ``w > 0`` is one more row. A row made of more than one row beyond those
    eliminated follows from others (Chernikov).
    """
    width = len(rows[0]) if rows else 0
    units = unit_rows(width)[width - n_weights :]
    known = {tuple(row): frozenset([m]) for m, row in enumerate([*rows, *units])}
    for step in range(1, n_weights + 1):
        split: dict[int, list[tuple[tuple[int, ...], frozenset[int]]]] = {1: [], 0: [], -1: []}
        for row, made_of in known.items():
            split[(row[-step] > 0) - (row[-step] < 0)].append((row, made_of))
        known = dict(split[0])
        for up, above in split[1]:
            for down, below in split[-1]:
                made_of = above | below
                if len(made_of) > step + 1:
                    continue
                row = [up[-step] * y - down[-step] * x for x, y in zip(up, down, strict=True)]
                found = tuple(primitive(row))
                if len(made_of) < len(known.get(found, range(len(rows) + width + 1))):
                    known[found] = made_of
    return [list(row[: width - n_weights]) for row in known]


def is_psd(matrix: list[list[Fraction]]) -> bool:
    """Whether a rational symmetric matrix is positive semidefinite, by elimination."""
    rest = [row[:] for row in matrix]
    while rest:
        if any(rest[k][k] < 0 for k in range(len(rest))):
            return False
        place = next((k for k in range(len(rest)) if rest[k][k] > 0), None)
        if place is None:
            return not any(map(any, rest))
        pivot = rest[place]
        others = [k for k in range(len(rest)) if k != place]
        rest = [[rest[i][j] - pivot[i] * pivot[j] / pivot[place] for j in others] for i in others]
    return True
