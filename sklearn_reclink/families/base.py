"""A family of distances that is linear in its parameters.

    d^2(a, b) = theta . phi(diff(a, b)),        D(a, b) = |theta| . |phi(diff(a, b))|

``phi`` are the features, ``theta`` the parameters and ``D`` the magnitude against which ties are
judged (see `ties`). What users read, such as weights or a matrix, is packed into ``theta``.

A value must not depend on how many pairs are evaluated at once, or the same two records would be
tied in one chunk and not in the next. A matrix product sums in an order that depends on its
shape; here features are summed one at a time, in their order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from sklearn_reclink.families.aggregation import Aggregation

QUICK_ROUNDING = 1e-9  # of the largest number: a margin below it is worth a second look


class Distance(ABC):
    """Features of one family of distances.

    Attributes
    ----------
    monotone : bool
        Whether ``d`` never falls as any ``|diff_k|`` grows, for all admissible parameters.
    non_negative : bool
        Whether ``d`` and its magnitude ``D`` are the same number for all admissible parameters.
    """

    monotone: bool
    non_negative: bool

    @abstractmethod
    def n_parameters(self, n_features: int) -> int:
        """Length of ``theta`` for files of ``n_features`` variables."""

    @abstractmethod
    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        """The features one at a time, each of the shape of one difference, (...)."""

    @abstractmethod
    def pack(self, parameters: np.ndarray) -> np.ndarray:
        """``theta`` of the public parameters."""

    @abstractmethod
    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        """Public parameters of ``theta``."""

    def labels(self, variables: Sequence[str]) -> list[str]:
        """A word for every parameter, made of words for the variables."""
        return [str(m) for m in range(self.n_parameters(len(variables)))]

    def features(self, differences: np.ndarray) -> np.ndarray:
        """``phi`` of differences (..., n_features), an array (..., n_parameters)."""
        return np.stack(list(self.iter_features(differences)), axis=-1)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances and their magnitudes.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
        differences : ndarray of shape (..., n_features)

        Returns
        -------
        values, magnitudes : ndarray of shape (...)
            ``theta . phi`` and ``|theta| . |phi|``.
        """
        shape = differences.shape[:-1]
        values = np.zeros(shape)
        magnitudes = values if self.non_negative else np.zeros(shape)
        for coefficient, feature in zip(theta, self.iter_features(differences), strict=True):
            if coefficient == 0:
                continue
            term = coefficient * feature
            values += term
            if magnitudes is not values:
                magnitudes += np.abs(term)
        return values, magnitudes

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        """How a search tree may prune by this distance; None if it cannot."""
        return None

    def nearest_others(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray, own: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """The nearest masked record of each record but its own, by whatever formula is quickest.

        Parameters
        ----------
        theta : ndarray of shape (n_thetas, n_parameters)
        original, masked : ndarray of shape (n_records, n_features) and (n_masked, n_features)
        own : ndarray of int of shape (n_records,)
            The row of each record's own masked version.

        Returns
        -------
        impostors : ndarray of int of shape (n_thetas, n_records)
        margins : ndarray of shape (n_thetas, n_records)
            How much farther they are than the own record.
        doubt : float
            Margins smaller than this may be rounding.
        """
        impostors = np.empty((len(theta), len(original)), dtype=np.int64)
        margins = np.empty(impostors.shape)
        largest = 0.0
        for i, record in enumerate(original):
            differences = record - masked
            for t, parameters in enumerate(theta):
                values = self.evaluate(parameters, differences)[0]
                largest = max(largest, float(np.abs(values).max()))
                own_value = values[own[i]]
                values[own[i]] = np.inf
                impostors[t, i] = np.argmin(values)
                margins[t, i] = values[impostors[t, i]] - own_value
        return impostors, margins, QUICK_ROUNDING * largest
