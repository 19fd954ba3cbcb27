"""The symmetric bilinear form, d2SB of the papers.

    d^2(a, b) = diff(a, b)' M diff(a, b) = sum_{k <= l} theta_kl diff_k diff_l

``M`` is symmetric, so each product of two variables has one parameter, in the order (0, 0),
(0, 1), ..., (0, n - 1), (1, 1), ...::

    theta_kk = M_kk,        theta_kl = M_kl + M_lk = 2 M_kl   for k < l

A diagonal ``M`` is a weighted mean. ``d^2`` may be negative unless ``M`` is positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from sklearn_reclink.families.aggregation import Aggregation
from sklearn_reclink.families.base import QUICK_ROUNDING, Distance


@lru_cache
def _upper_triangle(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n_features)


class Bilinear(Distance):
    """Products of differences, one parameter a pair of variables.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import Bilinear
    >>> theta = Bilinear().pack(np.array([[2.0, -1.0], [-1.0, 3.0]]))
    >>> theta
    array([ 2., -2.,  3.])
    >>> values, magnitudes = Bilinear().evaluate(theta, np.array([[1.0, 2.0]]))
    >>> values, magnitudes
    (array([10.]), array([18.]))
    """

    monotone = False
    non_negative = False

    def n_parameters(self, n_features: int) -> int:
        return n_features * (n_features + 1) // 2

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        n_features = differences.shape[-1]
        for k in range(n_features):
            for m in range(k, n_features):
                yield differences[..., k] * differences[..., m]

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        matrix = self.unpack(theta, n_features)
        values, vectors = np.linalg.eigh(matrix)
        norm = float(np.linalg.norm(np.abs(matrix), 2))
        if values[0] < -1e-14 * norm:  # no box bounds it: nothing is pruned
            return Aggregation(
                "sum", np.zeros(n_features), theta, "quadratic", condition=np.inf, norm=norm
            )
        kept = values > 0
        return Aggregation(
            "sum",
            np.ones(np.count_nonzero(kept)),
            theta,
            "quadratic",
            root=vectors[:, kept] * np.sqrt(values[kept]),
            condition=norm / values[0] if values[0] > 1e-12 * norm else np.inf,
            norm=norm,
        )

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [
            f"{first}_{second}" for k, first in enumerate(variables) for second in variables[k:]
        ]

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        matrix = np.asarray(parameters, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"the matrix has shape {matrix.shape}, it must be square")
        twice = matrix + matrix.T
        twice[np.diag_indices_from(twice)] = np.diag(matrix)
        return np.asarray(twice[np.triu_indices_from(twice)])

    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        if len(theta) != self.n_parameters(n_features):
            raise ValueError(
                f"theta has {len(theta)} entries, a symmetric matrix of {n_features} variables "
                f"needs {self.n_parameters(n_features)}"
            )
        matrix = np.zeros((n_features, n_features))
        matrix[_upper_triangle(n_features)] = theta
        return (matrix + matrix.T) / 2

    def nearest_others(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray, own: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        from sklearn_reclink.families import bilinear_kernel as _bilinear_kernel

        matrices = np.stack([self.unpack(parameters, masked.shape[1]) for parameters in theta])
        columns = np.ascontiguousarray(masked.T)
        impostors, margins, largest = _bilinear_kernel.nearest_others(
            matrices, original, columns, own
        )
        return impostors, margins, QUICK_ROUNDING * largest
