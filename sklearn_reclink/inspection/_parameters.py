"""What displays read from fitted linkers: names of variables, and comparable parameters.

With ``standardize=None`` a linker compares differences in the units of the file, so its weights
``w_k`` and its matrix ``M`` have units too. Those of the standardised differences, which give the
same distances, are ``w_k s_k^2`` and ``M_kl s_k s_l`` with ``s`` the standard deviations of the
masked file: they can be compared between variables, and are what the displays show.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink.inspection._display import Display


class ParameterDisplay(Display):
    """Base of the displays of what a fitted linker has learned."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Sequence[str] | None = None, **options: Any
    ) -> Self:
        """Plot what a fitted linker has learned.

        Parameters
        ----------
        estimator : fitted linker
            One with the parameters that the display shows.
        feature_names : sequence of str or None, default=None
            Names of the variables, by default those of the file of `fit`.
        **options
            Passed to `plot`.

        Returns
        -------
        object
            The display.
        """
        return cls._read(estimator, feature_names).plot(**options)

    @classmethod
    @abstractmethod
    def _read(cls, estimator: Any, feature_names: Sequence[str] | None) -> Self:
        """The display of a fitted linker, not drawn yet."""

    @abstractmethod
    def plot(self) -> Self:
        """Draw the parameters."""


def variable_names(
    estimator: Any, n_features: int, feature_names: Sequence[str] | None = None
) -> list[str]:
    """Names given, or those of the file of `fit`, or x0, x1, ..."""
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    return check_names(feature_names, n_features)


def check_names(names: Sequence[Any] | None, n_features: int) -> list[str]:
    """Names as a list of the right length; x0, x1, ... if there are none."""
    if names is None:
        return [f"x{k}" for k in range(n_features)]
    if len(names) != n_features:
        raise ValueError(
            f"feature_names has {len(names)} names for {n_features} variables: give one each"
        )
    return [str(name) for name in names]


def check_has(estimator: Any, attributes: Sequence[str], display: str) -> str:
    """The first of the fitted attributes that an estimator has."""
    check_is_fitted(estimator)
    for attribute in attributes:
        if hasattr(estimator, attribute):
            return attribute
    raise ValueError(
        f"{display} shows {' or '.join(attributes)}, and {type(estimator).__name__} has none of "
        "them after fit"
    )


def comparable_weights(estimator: Any) -> np.ndarray:
    """Weights of standardised differences, which sum to 1."""
    weights = np.asarray(estimator.weights_, dtype=float)
    if estimator.standardize is None:
        weights = weights * _deviations(estimator) ** 2
        weights = weights / weights.sum()
    return weights


def comparable_matrix(estimator: Any) -> np.ndarray:
    """The matrix of standardised differences, its largest absolute value scaled to 1."""
    matrix = np.asarray(estimator.matrix_, dtype=float)
    if estimator.standardize is None:
        deviations = _deviations(estimator)
        matrix = matrix * deviations[:, None] * deviations
    largest = np.abs(matrix).max()
    return matrix / largest if largest > 0 else matrix


def _deviations(estimator: Any) -> np.ndarray:
    return np.asarray(np.std(estimator.masked_, axis=0, ddof=1))
