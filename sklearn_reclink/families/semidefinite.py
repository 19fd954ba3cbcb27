"""Positive semidefinite bilinear forms: solved for, or the projection of a free one (d2SB_PD).

The cone has endlessly many rows, ``v' M v >= 0``: the eigenvectors of negative eigenvalues are
separated.

*Projection.* The nearest positive semidefinite matrix in the Frobenius norm has the negative
eigenvalues of ``M`` set to zero (Higham). It links other records than ``M`` does: their count
is what ``n_linked_`` says.

*Repair.* A matrix on the border of the cone is beside it after rounding. The least multiple of the
identity is added that puts it in: until ``np.linalg.eigvalsh(M)[0] >= 0``.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from sklearn_reclink.families.bilinear import Bilinear, lifted, products


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
            "positive semidefinite matrices are cut out by endlessly many rows, so no linear "
            'program describes them: take constraint="free" or "nonnegative" instead'
        )

    def separate(self, theta: np.ndarray) -> np.ndarray:
        if self.contains(theta):
            return np.empty((0, self.n_parameters))
        values, vectors = np.linalg.eigh(self.unpack(theta))
        values[0] = min(values[0], -1.0)  # negative, whatever the rounding of eigh says
        cuts = products(_simple_ratios(vectors.T[values < 0]))
        own = products(self.directions)
        worst = np.argsort(own @ theta)[: self.n_parameters]
        return np.vstack([cuts, own[worst[own[worst] @ theta < 0]]])

    def contains(self, theta: np.ndarray) -> bool:
        return bool(np.linalg.eigvalsh(self.unpack(theta))[0] >= 0)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The nearest such matrix, shifted until no computed eigenvalue is negative."""
        if self.contains(theta):
            return theta
        return self._lifted(self.pack(nearest_psd(self.unpack(theta))))

    def _lifted(self, theta: np.ndarray) -> np.ndarray:
        return self.pack(_lifted_matrix(self.unpack(theta)))

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        # <E, M> <= <D, M> for all such M iff D - E is one: D the allowances of the diagonal,
        # which is where allowance . |theta| >= <D, M>
        first, second = np.triu_indices(self.n_features)
        matrix = np.zeros((self.n_features, self.n_features))
        matrix[first, second] = matrix[second, first] = residual
        matrix[np.diag_indices_from(matrix)] -= allowance[first == second]
        largest = np.linalg.eigvalsh(matrix)[-1]
        return np.full(self.n_parameters, max(largest, 0.0))

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
    """The matrix with the rounding on its diagonal that keeps a computed eigenvalue below 0."""
    return lifted(matrix, np.eye(len(matrix)), lambda moved: -float(np.linalg.eigvalsh(moved)[0]))


def _simple_ratios(vectors: np.ndarray) -> np.ndarray:
    """The vectors, those within 1e-5 of ratios of small integers as such ratios.

    Where rounded data tie exactly, a matrix touches its cone along such a vector. Eigenvectors
    come ever nearer to it without end; its own cut settles the tie.
    """
    largest = np.argmax(np.abs(vectors), axis=1)[:, None]
    scaled = vectors / np.take_along_axis(vectors, largest, axis=1)
    ratios = np.array(
        [[float(Fraction(x).limit_denominator(60)) for x in row] for row in scaled.tolist()]
    )
    simple = np.abs(ratios - scaled).max(axis=1, keepdims=True) < 1e-5
    return np.where(simple, ratios, scaled)
