"""Cones of symmetric matrices, as parameters of the bilinear form.

``theta`` holds ``M_kk`` and ``2 M_kl`` of the upper triangle, row by row, so ``v' M v = theta .
q(v)`` with ``q(v)`` the products ``v_k v_l`` for ``k <= l``.

`SymmetricMatrices` (d2SB_NC) are all of them. `NonnegativeOnPairs` (d2SB) asks ``diff' M diff >=
0`` of every pair of the two files, eq. (9) of the 2015 paper. `PositiveSemidefinite` asks it of
every vector. The last two have too many rows to hold: those that parameters violate are separated,
the most violated pairs of records, and the eigenvectors of negative eigenvalues.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sklearn_reclink.families.cone_base import Domain

_BATCH = 256  # original records compared with all masked ones at a time


def products(vectors: np.ndarray) -> np.ndarray:
    """``q(v)`` of row vectors, (n_vectors, n (n + 1) / 2)."""
    first, second = np.triu_indices(vectors.shape[1])
    return np.asarray(vectors[:, first] * vectors[:, second])


def to_matrix(theta: np.ndarray, n_features: int) -> np.ndarray:
    """The symmetric matrix of ``theta``."""
    first, second = np.triu_indices(n_features)
    matrix = np.zeros((n_features, n_features))
    matrix[first, second] = theta
    return (matrix + matrix.T) / 2


def to_theta(matrix: np.ndarray) -> np.ndarray:
    """``theta`` of a symmetric matrix."""
    first, second = np.triu_indices(len(matrix))
    return np.asarray(np.where(first == second, 1.0, 2.0) * matrix[first, second])


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


class SymmetricMatrices(Domain):
    """All symmetric matrices."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.n_parameters = n_features * (n_features + 1) // 2

    @property
    def rows(self) -> np.ndarray:
        return np.empty((0, self.n_parameters))

    @property
    def centre(self) -> np.ndarray:
        return to_theta(np.eye(self.n_features) / self.n_features)

    @property
    def normaliser(self) -> np.ndarray:
        return np.zeros(self.n_parameters)

    @property
    def n_paper_constraints(self) -> int:
        return 0


class NonnegativeOnPairs(SymmetricMatrices):
    """``diff' M diff >= 0`` on every pair of an original and a masked record."""

    def __init__(self, original: np.ndarray, masked: np.ndarray) -> None:
        super().__init__(original.shape[1])
        self.original, self.masked = original, masked

    @property
    def n_paper_constraints(self) -> int:
        return len(self.original) ** 2

    @property
    def all_rows(self) -> np.ndarray:
        differences = self.original[:, None, :] - self.masked[None, :, :]
        rows = products(differences.reshape(-1, self.n_features))
        return rows[rows.any(axis=1)]

    def _least(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per original record, the masked one of least distance, and that distance."""
        matrix = to_matrix(theta, self.n_features)
        own = np.einsum("ik,kl,il->i", self.masked, matrix, self.masked)
        cross = 2 * self.masked @ matrix
        least = np.empty(len(self.original), dtype=np.int64)
        for start in range(0, len(self.original), _BATCH):
            batch = slice(start, start + _BATCH)
            least[batch] = np.argmin(own - self.original[batch] @ cross.T, axis=1)
        nearest = self.original - self.masked[least]
        return nearest, products(nearest) @ theta

    def separate(self, theta: np.ndarray) -> np.ndarray:
        nearest, values = self._least(theta)
        worst = np.argsort(values)[: 2 * self.n_parameters]
        return products(nearest[worst[values[worst] < 0]])

    def contains(self, theta: np.ndarray) -> bool:
        return bool(self._least(theta)[1].min() >= 0)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """Add as little of the identity as makes every distance clear of rounding below 0."""
        step = np.finfo(float).eps * np.abs(theta).max(initial=0.0)
        identity = to_theta(np.eye(self.n_features))
        for _ in range(60):
            nearest, values = self._least(theta)
            length = (nearest**2).sum(axis=1)
            lacking = 8 * np.finfo(float).eps * np.abs(theta).max(initial=0.0) * length - values
            if lacking.max() <= 0:
                break
            length = np.maximum(length, np.finfo(float).tiny)
            theta = theta + max(np.max(lacking / length), step) * identity
            step *= 2
        return theta


class PositiveSemidefinite(SymmetricMatrices):
    """Positive semi-definite matrices, as all of their eigenvector cuts.

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
        values, vectors = np.linalg.eigh(to_matrix(theta, self.n_features))
        values[0] = min(values[0], -1.0)  # negative, whatever the rounding of eigh says
        cuts = products(_simple_ratios(vectors.T[values < 0]))
        own = products(self.directions)
        worst = np.argsort(own @ theta)[: self.n_parameters]
        return np.vstack([cuts, own[worst[own[worst] @ theta < 0]]])

    def contains(self, theta: np.ndarray) -> bool:
        return bool(np.linalg.eigvalsh(to_matrix(theta, self.n_features))[0] >= 0)

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The nearest such matrix, shifted until no computed eigenvalue is negative."""
        if self.contains(theta):
            return theta
        values, vectors = np.linalg.eigh(to_matrix(theta, self.n_features))
        matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
        step = np.finfo(float).eps * np.abs(values).max()
        while np.linalg.eigvalsh((matrix + matrix.T) / 2)[0] < 0:
            matrix = matrix + step * np.eye(self.n_features)
            step *= 2
        return to_theta((matrix + matrix.T) / 2)

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        # <E, M> <= <D, M> for all such M iff D - E is one: D the allowances of the diagonal,
        # which is where allowance . |theta| >= <D, M>
        first, second = np.triu_indices(self.n_features)
        matrix = np.zeros((self.n_features, self.n_features))
        matrix[first, second] = matrix[second, first] = residual
        matrix[np.diag_indices_from(matrix)] -= allowance[first == second]
        largest = np.linalg.eigvalsh(matrix)[-1]
        return np.full(self.n_parameters, max(largest, 0.0))
