"""The ordered weighted average (OWA), reference [27] of the 2015 paper.

    d^2(a, b) = sum_k w_k c_(k),      c_(1) >= ... >= c_(n) the squared differences in order

``theta`` is ``w``: the first weight is that of the variable that differs most, whichever it is.
Weights (1, 0, ..., 0) give the maximum, (0, ..., 0, 1) the minimum, equal ones d2AM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sklearn_reclink.families.aggregation import Aggregation
from sklearn_reclink.families.weighted_mean import WeightedMean


class OWA(WeightedMean):
    """Squared differences from the largest to the smallest, one parameter a rank.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import OWA
    >>> values, _ = OWA().evaluate(np.array([0.75, 0.25]), np.array([[2.0, 4.0]]))
    >>> values
    array([13.])
    """

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        return Aggregation("owa", theta, theta) if (theta >= 0).all() else None

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [f"rank{k + 1}" for k in range(len(variables))]

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        ordered = np.sort(differences**2, axis=-1)
        for k in range(differences.shape[-1] - 1, -1, -1):
            yield ordered[..., k]
