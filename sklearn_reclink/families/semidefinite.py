"""Positive semidefinite bilinear forms: solved for, or the projection of a free one (d2SB_PD).

The cone has infinitely many rows, ``v' M v >= 0``: the eigenvectors of negative eigenvalues are
separated.

*Projection.* The nearest positive semidefinite matrix in the Frobenius norm has the negative
eigenvalues of ``M`` set to zero (Higham). It links other records than ``M`` does: their count
is what ``n_linked_`` says.

*Repair.* A matrix on the border of the cone is beside it after rounding. The least multiple of the
identity is added that puts it in: until ``np.linalg.eigvalsh(M)[0] >= 0``.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from operator import mul
from typing import Any

import numpy as np
from scipy.linalg import qr

from sklearn_reclink.families.bilinear import (
    Bilinear,
    lifted,
    products,
    simple_ratios,
    upper_triangle,
)
from sklearn_reclink.families.integers import near_integers, to_integers

_FEW_VARIABLES = 8
_CLEAR = 16 * np.finfo(float).eps  # of the norm: a spectrum is right to less
# an eigenvalue this small beside the largest is meant to be 0; denominators of its directions
_SINGULAR = ((1e-7, 1000), (1e-4, 20))
_SAME_SIZE = 24  # of diagonal entries, in powers of four, that need no scaling


def nearest_psd(matrix: np.ndarray) -> np.ndarray:
    """The nearest positive semidefinite matrix in the Frobenius norm, up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.semidefinite import nearest_psd
    >>> nearest_psd(np.array([[2.0, 0.0], [0.0, -1.0]]))
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ root.T)


def is_semidefinite(matrix: np.ndarray) -> bool:
    """Whether no eigenvalue is negative, for certain.

    Where rounding could decide (`is_definite`), a small matrix is eliminated over the integers: a
    negative pivot refutes it, and so does a zero pivot in a row that is not zero. A larger one is
    refused.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.semidefinite import is_semidefinite
    >>> is_semidefinite(np.array([[1.0, 3.0], [3.0, 9.0]]))
    True
    >>> is_semidefinite(np.array([[1.0, 3.0], [3.0, np.nextafter(9.0, 0)]]))
    False
    """
    if is_definite(matrix, 0.0):
        return True
    least = np.linalg.eigvalsh(matrix)[0]
    if len(matrix) > _FEW_VARIABLES or least < -_CLEAR * len(matrix) * np.linalg.norm(matrix):
        return False
    numbers = to_integers(matrix.ravel())
    return _eliminates([numbers[k : k + len(matrix)] for k in range(0, len(numbers), len(matrix))])


def is_definite(matrix: np.ndarray, shift: float) -> bool:
    """Whether ``matrix - shift I`` is positive semidefinite, for certain if True.

    A Cholesky factorisation of ``A`` in floats that runs to its end is that of a matrix within
    ``(n + 1) u trace(A)`` of ``A``, up to terms of higher order (Higham 2002, section 10.1): twice
    that is taken off too, and a number no product here underflows to.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.semidefinite import is_definite
    >>> matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> is_definite(matrix, 0.999), is_definite(matrix, 1.001)
    (True, False)
    """
    diagonal = np.abs(np.diag(matrix))
    shift += 2.0**-52 * (len(matrix) + 4) * float(diagonal.sum() + abs(shift)) + 2.0**-900
    left = matrix.tolist()
    rows: list[list[float]] = []
    for i, values in enumerate(left):
        row: list[float] = []
        for value, other in zip(values, rows, strict=False):
            row.append((value - sum(map(mul, row, other))) / other[-1])
        square = values[i] - shift - sum(map(mul, row, row))
        if not 0 < square < math.inf:
            return False
        row.append(math.sqrt(square))
        rows.append(row)
    return True


def _eliminates(matrix: Sequence[Sequence[int]]) -> bool:
    """Whether symmetric elimination over the integers (Bareiss) meets no negative pivot."""
    left, divisor = [list(row) for row in matrix], 1
    while left:
        pivot, *first = left[0]
        if pivot < 0 or (pivot == 0 and any(first)):
            return False
        rows, left = left[1:], [row[1:] for row in left[1:]]
        if pivot:
            left = [
                [(x * pivot - row[0] * y) // divisor for x, y in zip(row[1:], first, strict=True)]
                for row in rows
            ]
            divisor = pivot
    return True


class SemidefiniteBilinear(Bilinear):
    """Positive semidefinite matrices, as all of their eigenvector cuts.

    The cuts of single variables and of sums and differences of two are there from the start.

    Parameters
    ----------
    n_features : int
    directions : ndarray of shape (n_directions, n_features), default=None
        Vectors whose cuts are separated too, where violated: the own differences of records.
        Ties of rounded data are ties along them, and eigenvectors only come near.
    """

    def __init__(self, n_features: int, directions: np.ndarray | None = None) -> None:
        super().__init__(n_features)
        self.directions = np.empty((0, n_features)) if directions is None else directions

    @property
    def rows(self) -> np.ndarray:
        unit = np.eye(self.n_features)
        first, second = np.triu_indices(self.n_features, 1)
        pairs = [unit[first] + unit[second], unit[first] - unit[second]]
        return products(np.vstack([unit, *pairs]))

    @property
    def all_rows(self) -> np.ndarray:
        raise ValueError(
            "positive semidefinite matrices are cut out by infinitely many rows, so no linear "
            'program describes them: take constraint="free" or "nonnegative" instead'
        )

    def separate(self, theta: np.ndarray) -> np.ndarray:
        if self.contains(theta):
            return np.empty((0, self.n_parameters))
        values, vectors = np.linalg.eigh(self.unpack(theta))
        values[0] = min(values[0], -1.0)  # negative, whatever the rounding of eigh says
        own = products(self.directions) @ theta
        worst = np.argsort(own)[: self.n_parameters]
        directions = self.directions[worst[own[worst] < 0]]
        cuts = np.vstack([simple_ratios(vectors.T[values < 0]), directions])
        return self._cuts(cuts, np.zeros_like(cuts))

    def contains(self, theta: np.ndarray) -> bool:
        return is_semidefinite(self.unpack(theta))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The nearest such matrix, shifted until no computed eigenvalue is negative."""
        if self.contains(theta):
            return theta
        return self._lifted(self.pack(nearest_psd(self.unpack(theta))))

    def _lifted(self, theta: np.ndarray) -> np.ndarray:
        return self.pack(_lifted_matrix(self.unpack(theta)))

    weak_rows = True  # else rounding would make rows of ties in no direction that means anything

    def tolerated(self, own: np.ndarray, other: np.ndarray) -> np.ndarray | None:
        return other + own  # no distance is negative, so ``D = d``

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        """``<E, M> <= <A, M>`` for all such ``M`` iff ``A - E`` is one, judged with its rounding.

        Powers of two bring the errors of all variables to one size, which changes no sign.
        """
        first, second = upper_triangle(self.n_features)
        on_diagonal = first == second
        sizes = error[on_diagonal]
        scale = -(np.frexp(np.where(sizes > 0, sizes, 1.0))[1] // 2)
        scale = scale[first] + scale[second]
        values, error = np.ldexp(allowance - residual, scale), np.ldexp(error, scale)
        square = np.empty((2, self.n_features, self.n_features))
        square[:, first, second] = square[:, second, first] = values, error
        terms = np.abs(square).sum(axis=2)
        unused = terms.sum(axis=0) == 0  # variables with no terms: any number on the diagonal does
        square[0, unused, unused] = 1.0
        slack = float(terms[1].max() + np.finfo(float).eps * terms[0].max())
        return np.full(self.n_parameters, 0.0 if is_definite(square[0], slack) else 1.0)

    def opposes(self, total: Sequence[int]) -> bool:
        """Whether the total is minus such a matrix: the cone is its own dual."""
        if self.n_features > _FEW_VARIABLES:
            return False
        return _eliminates(self._matrix([-value for value in total]))

    def borders(
        self, rows: Sequence[Sequence[int]], multipliers: np.ndarray
    ) -> Iterator[list[list[int]]]:
        """The total ``T`` is singular there: ``T v = 0``, where ``v`` are ratios of integers.

        Eigenvectors of eigenvalues near 0 span about the same directions as these ``v`` do: the
        nearer to 0, the better they tell the ratios.
        """
        if self.n_features > _FEW_VARIABLES:
            return
        total = np.array(self._matrix((multipliers @ np.array(rows, dtype=float)).tolist()))
        values, vectors = np.linalg.eigh(total)
        matrices = [self._matrix(row) for row in rows]
        for singular, denominator in _SINGULAR:
            kernel = vectors[:, np.abs(values) <= singular * np.abs(values).max()]
            if 0 < kernel.shape[1] < self.n_features:
                _, _, order = qr(kernel.T, pivoting=True)
                kernel = kernel @ np.linalg.inv(kernel[order[: kernel.shape[1]]])
                directions = [near_integers(vector, denominator) for vector in kernel.T.tolist()]
                yield [
                    [sum(map(mul, matrix[k], vector)) for matrix in matrices]
                    for vector in directions
                    for k in range(self.n_features)
                ]

    def _matrix(self, values: Sequence[Any]) -> list[list[Any]]:
        """The symmetric matrix of the entries of a row, as they are."""
        n = self.n_features
        entry = dict(zip(zip(*upper_triangle(n), strict=True), values, strict=True))
        return [[entry[min(k, m), max(k, m)] for m in range(n)] for k in range(n)]

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        return self._lifted(self.normalised(theta))

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        return {"matrix_": _lifted_matrix(super().published(theta, informative)["matrix_"])}


class ProjectedBilinear(Bilinear):
    """The best symmetric matrix, projected onto the positive semidefinite ones afterwards."""

    projects = True

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        projected = self.pack(nearest_psd(self.unpack(self.normalised(theta))))
        return self.pack(_lifted_matrix(self.unpack(projected)))

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        return {"matrix_": _lifted_matrix(super().published(theta, informative)["matrix_"])}


def _lifted_matrix(matrix: np.ndarray) -> np.ndarray:
    """The matrix, with what its diagonal lacks for no eigenvalue to be negative, computed or exact.

    Powers of two bring the diagonal to one size where it spans many orders of magnitude.
    """
    diagonal = np.diag(matrix)
    exponents = np.frexp(np.where(diagonal > 0, diagonal, 1.0))[1] // 2
    if np.ptp(exponents) <= _SAME_SIZE:
        exponents = np.zeros_like(exponents)
    exponents = exponents + exponents[:, None]

    def lack(moved: np.ndarray) -> float:
        least = float(np.linalg.eigvalsh(moved)[0])
        return -least if least < 0 or is_semidefinite(moved) else np.finfo(float).tiny

    scaled = np.ldexp(matrix, -exponents)
    return np.ldexp(lifted(scaled, np.eye(len(matrix)), lack), exponents)
