"""Does a certificate of infeasibility stand in exact arithmetic?

Given rows ``r_1, ..., r_m`` of floating-point numbers, which are rationals, is there
``lambda >= 0`` with ``sum_j lambda_j r_j = 0`` and ``lambda_m = 1``? The active set
gives the rows, one
more than are independent, so elimination over the integers (Bareiss) answers without rounding.
It is the last resort for the ties of rounded or repeated data, where the residual of rounded
multipliers falls into coordinates in which nothing is allowed.
"""

import numpy as np


def _to_integers(row: np.ndarray) -> list[int]:
    """The row times the power of two that clears its denominators."""
    ratios = [value.as_integer_ratio() for value in row.tolist()]
    common = max(denominator for _, denominator in ratios)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def exact_support(rows: np.ndarray) -> np.ndarray | None:
    """Which rows have a positive multiplier in an exact combination to zero; None if there is none.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_parameters)
        The last row is the one that must take part.
    """
    columns = [_to_integers(row) for row in rows]
    n_unknown = len(columns) - 1
    table = [
        [*(column[k] for column in columns[:-1]), -columns[-1][k]] for k in range(rows.shape[1])
    ]
    pivots: list[int] = []  # the unknown of each eliminated equation
    divisor = 1
    for unknown in range(n_unknown):
        place = len(pivots)
        found = next((i for i in range(place, len(table)) if table[i][unknown]), None)
        if found is None:
            continue
        table[place], table[found] = table[found], table[place]
        chosen = table[place]
        pivot = chosen[unknown]
        for i, equation in enumerate(table):
            factor = equation[unknown]
            if i != place:
                table[i] = [
                    (value * pivot - factor * other) // divisor
                    for value, other in zip(equation, chosen, strict=True)
                ]
        divisor = pivot
        pivots.append(unknown)
    if any(equation[-1] for equation in table[len(pivots) :]):
        return None
    positive = np.zeros(len(columns), dtype=bool)
    positive[-1] = True
    for equation, unknown in zip(table, pivots, strict=False):
        if equation[-1] * divisor < 0:
            return None
        positive[unknown] = equation[-1] != 0
    return positive
