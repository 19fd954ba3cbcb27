"""A positive semidefinite matrix that makes rows positive, found in floats and checked exactly.

A float linear program with cuts ``v' M v >= 0`` proposes ``M``; its square root, rounded to floats,
is a rational matrix ``L``, and ``L L'`` is semidefinite without any rounding. What it links is
counted in rationals. So a matrix found is proof that the rows can be positive together; none
found proves nothing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def _simple_cuts(n: int) -> list[tuple[int, ...]]:
    units = [tuple(int(k == m) for m in range(n)) for k in range(n)]
    pairs = [
        tuple(x + sign * y for x, y in zip(units[k], units[m], strict=True))
        for k, m in combinations(range(n), 2)
        for sign in (1, -1)
    ]
    return units + pairs


SIMPLE_CUTS = {n: _simple_cuts(n) for n in range(1, 5)}


def _floats(rows: list[list[int]], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows as floats once the variables are scaled by powers of two, and the exponents of these."""
    first, second = np.triu_indices(n)
    diagonal = np.flatnonzero(first == second)
    largest = [max((abs(row[k]) for row in rows), default=0) for k in diagonal]
    shift = np.array([(size.bit_length() + 1) // 2 for size in largest])
    scaled = [
        [float(Fraction(x, 2 ** int(shift[k] + shift[m])))
         for x, k, m in zip(row, first, second, strict=True)]
        for row in rows
    ]  # fmt: skip
    return np.array(scaled), shift


def linking_matrix(rows: list[list[int]], n: int, rounds: int = 40) -> list[list[Fraction]] | None:
    """A semidefinite matrix with ``row . theta > 0`` for all rows, in exact arithmetic."""
    if not rows:
        return [[Fraction(int(k == m)) for m in range(n)] for k in range(n)]
    floats, shift = _floats(rows, n)
    norms = np.linalg.norm(floats, axis=1, keepdims=True)
    if not norms.all():
        return None
    floats = floats / norms
    first, second = np.triu_indices(n)
    diagonal = (first == second).astype(float)
    cuts = [np.array(v, dtype=float) for v in SIMPLE_CUTS[n]]
    for _ in range(rounds):
        above = np.array([v[first] * v[second] for v in cuts])
        # theta and the margin; theta_kl = 2 M_kl, trace 1
        system = np.vstack(
            [np.c_[-floats, np.ones(len(floats))], np.c_[-above, np.zeros(len(above))]]
        )
        answer = linprog(
            np.r_[np.zeros(len(first)), -1.0],
            system,
            np.zeros(len(system)),
            np.r_[diagonal, 0.0][None],
            [1.0],
            bounds=(-2, 2),
        )
        if answer.status != 0 or answer.x[-1] <= 0:
            return None
        matrix = np.zeros((n, n))
        matrix[first, second] = answer.x[:-1]
        matrix = (matrix + matrix.T) / 2
        values, vectors = np.linalg.eigh(matrix)
        exact = _product(vectors * np.sqrt(np.maximum(values, 0.0)), shift)
        if _positive(rows, exact):
            return exact
        if values[0] >= -1e-15:
            return None
        cuts += [vector for value, vector in zip(values, vectors.T, strict=True) if value < 0]
    return None


def _product(root: np.ndarray, shift: np.ndarray) -> list[list[Fraction]]:
    """``L L'`` in rationals, back in the scale of the rows."""
    exact = [[Fraction(x) / 2 ** int(shift[k]) for x in row] for k, row in enumerate(root.tolist())]
    return [[sum(x * y for x, y in zip(a, b, strict=True)) for b in exact] for a in exact]


def _positive(rows: list[list[int]], matrix: list[list[Fraction]]) -> bool:
    n = len(matrix)
    theta = [matrix[k][m] * (1 if k == m else 2) for k in range(n) for m in range(k, n)]
    return all(sum(x * y for x, y in zip(row, theta, strict=True)) > 0 for row in rows)
