"""What a solver may ask of a set of admissible parameters.

A domain is a closed convex cone ``{theta : g . theta >= 0 for all of its rows g}``. Links do
not change when ``theta`` is scaled, so the papers' normalisations play no part in the search.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np


class Domain(ABC):
    """A convex cone of parameters.

    Attributes
    ----------
    n_parameters : int
        Dimension of ``theta``.
    """

    n_parameters: int

    @property
    @abstractmethod
    def rows(self) -> np.ndarray:
        """Rows ``g`` with ``g . theta >= 0``, (n_rows, n_parameters)."""

    @property
    @abstractmethod
    def centre(self) -> np.ndarray:
        """A point in the interior: the parameters of the plain Euclidean distance."""

    @property
    @abstractmethod
    def normaliser(self) -> np.ndarray:
        """The ``v`` for which the papers ask ``v . theta = 1``; zero if they ask nothing."""

    @property
    @abstractmethod
    def n_paper_constraints(self) -> int:
        """How many constraints the papers count for this domain (Tables 2 and 3, 2015)."""

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of every parameter once they are normalised as the papers do.

        Where the papers ask for no normalisation, -1 and 1 fix the scale.
        """
        lower = 0.0 if self.normaliser.any() else -1.0
        return np.full(self.n_parameters, lower), np.ones(self.n_parameters)

    @property
    def all_rows(self) -> np.ndarray:
        """All rows of the domain, (n_rows, n_parameters), also where `separate` grows them."""
        return self.rows

    @property
    def generators(self) -> np.ndarray | None:
        """The extreme rays, (n_parameters, n_parameters), if the cone is simplicial."""
        return None

    def contains(self, theta: np.ndarray) -> bool:
        """Whether ``theta`` is admissible, up to the rounding of its rows."""
        return bool(np.all(self.rows @ theta >= -1e-12 * np.abs(theta).max(initial=0.0)))

    def separate(self, theta: np.ndarray) -> np.ndarray:
        """Rows of the domain that ``theta`` violates, (n_rows, n_parameters).

        A domain whose `rows` are complete returns none; a domain with endlessly many
        (positive semi-definite matrices) returns the most violated ones.
        """
        return np.empty((0, self.n_parameters))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The nearest truly admissible parameters to ones that rounding left just outside."""
        return theta

    def excess(self, residual: np.ndarray, allowance: np.ndarray) -> np.ndarray:
        """What keeps ``residual . theta <= allowance . |theta|`` from holding on the domain.

        Zero everywhere proves it for every admissible ``theta``: so a rounded proof stands.
        """
        return np.maximum(np.abs(residual) - allowance, 0.0)
