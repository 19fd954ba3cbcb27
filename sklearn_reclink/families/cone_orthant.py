"""Non-negative parameters: the weights of a weighted mean or of an OWA operator.

The papers' simplex (weights that sum to 1) is this cone cut at ``sum(theta) = 1``.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.families.cone_base import Domain


class Orthant(Domain):
    """``theta >= 0``."""

    def __init__(self, n_parameters: int) -> None:
        self.n_parameters = n_parameters

    @property
    def rows(self) -> np.ndarray:
        return np.eye(self.n_parameters)

    @property
    def generators(self) -> np.ndarray:
        return np.eye(self.n_parameters)

    @property
    def centre(self) -> np.ndarray:
        return np.full(self.n_parameters, 1 / self.n_parameters)

    @property
    def normaliser(self) -> np.ndarray:
        return np.ones(self.n_parameters)

    @property
    def n_paper_constraints(self) -> int:
        return self.n_parameters + 1

    def repair(self, theta: np.ndarray) -> np.ndarray:
        return np.maximum(theta, 0.0)

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        # theta >= 0: a negative residual only helps
        return np.maximum(residual - allowance, 0.0)
