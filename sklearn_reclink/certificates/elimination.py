"""Exact elimination: multipliers that combine rows of integers to zero."""

import math


def combination_to_zero(columns: list[list[int]]) -> list[int] | None:
    """Integers, none negative and the last positive, that combine the columns to zero.

    By fraction-free elimination (Bareiss); None if the solution that it finds has a negative entry.
    """
    table = [[*row[:-1], -row[-1]] for row in zip(*columns, strict=True)]
    pivots: list[int] = []
    divisor = 1
    for unknown in range(len(columns) - 1):
        place = len(pivots)
        found = next((i for i in range(place, len(table)) if table[i][unknown]), None)
        if found is None:
            continue
        table[place], table[found] = table[found], table[place]
        chosen = table[place]
        pivot = chosen[unknown]
        for i, equation in enumerate(table):
            if i != place:
                factor = equation[unknown]
                table[i] = [
                    (value * pivot - factor * other) // divisor
                    for value, other in zip(equation, chosen, strict=True)
                ]
        divisor = pivot
        pivots.append(unknown)
    if any(equation[-1] for equation in table[len(pivots) :]):
        return None
    sign = 1 if divisor > 0 else -1
    result = [0] * (len(columns) - 1) + [sign * divisor]
    for equation, unknown in zip(table, pivots, strict=False):
        result[unknown] = sign * equation[-1]
    if min(result) < 0:
        return None
    common = math.gcd(*result)
    return [value // common for value in result]
