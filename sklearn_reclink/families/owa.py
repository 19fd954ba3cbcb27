"""The ordered weighted average (OWA), reference [27] of the 2015 paper.

    d^2(a, b) = sum_k w_k c_(k),      c_(1) >= ... >= c_(n) the squared differences in order

``theta`` is ``w``: the first weight is that of the variable that differs most, whichever it is.
Weights (1, 0, ..., 0) give the maximum, (0, ..., 0, 1) the minimum, equal ones d2AM.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_reclink.families.formula import OWA as ORDERED
from sklearn_reclink.families.formula import Formula, formula
from sklearn_reclink.families.weighted_mean import WeightedMean


class OWA(WeightedMean):
    """Squared differences from the largest to the smallest, one parameter per rank.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import OWA
    >>> OWA(2).evaluate(np.array([0.75, 0.25]), np.array([[2.0, 4.0]]))[0]
    array([13.])
    """

    def features(self, differences: np.ndarray) -> np.ndarray:
        return np.sort(differences**2, axis=-1)[..., ::-1]

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ordered = self.features(differences)
        values = np.zeros(differences.shape[:-1])
        for k in np.flatnonzero(theta):
            values += theta[k] * ordered[..., k]
        return values, values

    def formula(self, theta: np.ndarray) -> Formula | None:
        return formula(ORDERED, theta, caps=self.caps) if (theta >= 0).all() else None

    def starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Equal weights, the largest difference and the smallest."""
        ranks = np.eye(self.n_features)
        return [ranks.mean(axis=0), ranks[0], ranks[-1]]

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        return None

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        # constant variables differ nowhere: they take the last ranks
        return {"weights_": np.pad(theta, (0, len(informative) - len(theta)))}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        return np.asarray(fitted.weights_[: self.n_features])

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [f"rank{k + 1}" for k in range(len(variables))]
