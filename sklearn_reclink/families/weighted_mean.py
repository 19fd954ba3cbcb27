"""The weighted mean, d2WM and d2WM_m of the papers.

    d^2(a, b) = sum_k w_k diff_k(a, b)^2,       w_k >= 0

``theta`` is ``w`` itself; the papers' simplex (weights that sum to 1) is the orthant cut at
``sum(w) = 1``. Equal weights are the Euclidean distance d2AM.

*Positive weights* (d2WM_m, ``w_k > 0``). The links are strict inequalities, finitely many and
continuous in ``w``, so weights that link some records still link them when moved a little towards
equal weights: both constraints have the same optimum, and the positive weights are ``(1 - e) w +
e / n`` with the largest ``e`` of 0.01, 0.001, ... that loses no link.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sklearn_reclink.families.base import Family, widened
from sklearn_reclink.families.formula import SUM, Formula, formula


class WeightedMean(Family):
    """Squared differences, one parameter per variable; weights that are not negative.

    Parameters
    ----------
    n_features : int
    positive : bool, default=False
        Whether the weights returned are all above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> values, _ = WeightedMean(2).evaluate(np.array([0.75, 0.25]), np.array([[2.0, 4.0]]))
    >>> values
    array([7.])
    """

    def __init__(self, n_features: int, *, positive: bool = False) -> None:
        self.n_features = self.n_parameters = n_features
        self.positive = positive

    def features(self, differences: np.ndarray) -> np.ndarray:
        return np.asarray(differences**2)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros(differences.shape[:-1])
        for k in np.flatnonzero(theta):
            values += theta[k] * differences[..., k] ** 2
        return values, values

    def formula(self, theta: np.ndarray) -> Formula | None:
        return formula(SUM, theta, caps=self.caps) if (theta >= 0).all() else None

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

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        # theta >= 0: a negative residual only helps
        return np.maximum(residual + error - allowance, 0.0)

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        return weights

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        weights = np.maximum(theta, 0.0)
        return np.asarray(weights / weights.sum())

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        weights = self.normalised(theta)
        return move_inside(weights, count) if self.positive else weights

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        weights = widened(theta, informative)
        if self.positive:
            weights[~informative] = theta.min()
            weights /= weights.sum()
        return {"weights_": weights}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        return np.asarray(fitted.weights_[informative])

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(parameters, dtype=float)

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        if len(theta) != self.n_parameters:
            raise ValueError(f"theta has {len(theta)} entries, {self.n_parameters} are needed")
        return np.asarray(theta, dtype=float)

    def labels(self, variables: Sequence[str]) -> list[str]:
        return list(variables)


def move_inside(weights: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
    """Positive weights that link as many records, as far inside the simplex as a power of ten."""
    if np.all(weights > 0):
        return weights
    wanted = count(weights)
    best, best_linked = weights, -1
    for share in 10.0 ** -np.arange(2, 16):
        inside = (1 - share) * weights + share / len(weights)
        linked = count(inside)
        if linked > best_linked:
            best, best_linked = inside, linked
        if linked >= wanted:
            break
    return best
