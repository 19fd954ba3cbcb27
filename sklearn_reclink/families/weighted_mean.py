"""The weighted mean, d2WM of the papers.

    d^2(a, b) = sum_k w_k diff_k(a, b)^2,       w_k >= 0

``theta`` is ``w`` itself. Equal weights are the Euclidean distance d2AM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sklearn_reclink.families.aggregation import Aggregation
from sklearn_reclink.families.base import Distance


class WeightedMean(Distance):
    """Squared differences, one parameter a variable.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> values, _ = WeightedMean().evaluate(np.array([0.75, 0.25]), np.array([[2.0, 4.0]]))
    >>> values
    array([7.])
    """

    monotone = True
    non_negative = True

    def n_parameters(self, n_features: int) -> int:
        return n_features

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        for k in range(differences.shape[-1]):
            yield differences[..., k] ** 2

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        return Aggregation("sum", theta, theta) if (theta >= 0).all() else None

    def labels(self, variables: Sequence[str]) -> list[str]:
        return list(variables)

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(parameters, dtype=float)

    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        if len(theta) != n_features:
            raise ValueError(f"theta has {len(theta)} entries, {n_features} variables need as many")
        return np.asarray(theta, dtype=float)
