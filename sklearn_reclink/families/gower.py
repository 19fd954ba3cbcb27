"""Gower's distance: the mean dissimilarity of the variables that both records have.

    d(a, b) = sum_{k in P} |diff_k| / |P|,       P the variables present in both

Numbers and levels are divided by their range over both files, categories differ by 1, so every term
lies between 0 and 1 (Gower, Biometrics 27, 1971, 857-871). A pair with no variable in common is at
distance 1. Nothing is learned, and with missing values the distance is not monotone: more variables
in common may bring two records together or apart.
"""

import numpy as np

from sklearn_reclink.families.formula import Formula
from sklearn_reclink.families.weighted_mean import WeightedMean


class Gower(WeightedMean):
    """Gower's distance, with no parameters to choose.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.gower import Gower
    >>> from sklearn_reclink.families.missing import mixed_family
    >>> family = mixed_family(Gower(2), np.array([np.inf, 1.0]))
    >>> original, masked = np.array([0.5, 2.0]), np.array([[0.25, 0.0], [np.nan, 0.0]])
    >>> family.between(family.centre, original, masked)[0]
    array([0.625, 1.   ])
    """

    monotone = False

    def between(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        found = np.abs(self.differences(original, masked))
        total, n_present = np.zeros(found.shape[:-1]), np.zeros(found.shape[:-1])
        for k in range(self.n_features):
            total += found[..., k]
            n_present += ~(np.isnan(original[..., k]) | np.isnan(masked[..., k]))
        values = np.where(n_present > 0, total / np.maximum(n_present, 1), 1.0)
        return values, values

    def formula(self, theta: np.ndarray) -> Formula | None:
        return None
