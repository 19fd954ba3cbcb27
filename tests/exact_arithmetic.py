"""The optimum of a tiny problem in exact rational arithmetic; shares no code with the package.

Records S can be linked together iff no lambda >= 0 has sum lambda_m row_m + sum nu_m g_m = 0 with
sum lambda = 1 (Gordan-Farkas), rows of S and rows g of the domain. That is a phase-one simplex
with Bland's rule over the integers (fraction-free pivots). Subsets are tried from large to small.
"""

from __future__ import annotations

from itertools import combinations


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

    conflicts: list[set[int]] = []
    for size in range(len(rows), 0, -1):
        for records in combinations(range(len(rows)), size):
            if any(known <= set(records) for known in conflicts):
                continue
            found = conflict(records)
            if found is None:
                return records
            conflicts.append(found)
    return ()


def weighted_mean_rows(original: list[list[int]], masked: list[list[int]]) -> list[list[list[int]]]:
    """Rows c_ij - c_ii of integer files, per record."""

    def squares(a: list[int], b: list[int]) -> list[int]:
        return [(x - y) ** 2 for x, y in zip(a, b, strict=True)]

    return [
        [
            [x - y for x, y in zip(squares(a, other), squares(a, masked[i]), strict=True)]
            for j, other in enumerate(masked)
            if j != i
        ]
        for i, a in enumerate(original)
    ]


def unit_rows(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]
