"""The linkage problem: which parameters re-identify the most records?

With the features of a distance, ``d^2(a_i, b_j) = theta . phi(a_i, b_j)``, record ``i`` is
re-identified iff ``row_ij . theta > 0`` for every impostor ``j``, where::

    row_ij = phi(a_i, b_j) - phi(a_i, b_i)

and ``theta`` lies in a convex cone, the domain. Scaling ``theta`` changes no link, so the
normalisations of the papers (weights that sum to 1, ``mu(V) = 1``) are left to the estimators.
Rows are made when asked for: ``N (N - 1)`` of them are never held.

Notation: ``original`` and ``masked`` are standardised coordinates, ``a_i - b_j`` being the
difference of the papers; a *record* is a row of both, an *impostor* any other masked record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.families.cones import Domain
from sklearn_reclink.search import linked_mask, nearest_impostors
from sklearn_reclink.search.ties import TIE_TOLERANCE

if TYPE_CHECKING:
    from sklearn_reclink.families import Distance

_FEW_MASKED = 2000  # among whom the nearest are found without a tree


class Status(StrEnum):
    """How a search ended."""

    OPTIMAL = "optimal"
    TIME_LIMIT = "time_limit"
    # Time was left, but distances that agree to within rounding could not be told apart.
    UNDECIDED = "undecided"
    # The parameters found were proven optimal, then projected onto a smaller set.
    PROJECTED = "projected"
    # The parameters found were proven optimal, then mixed with equal ones.
    SHRUNK = "shrunk"
    # Found by a search that sets out to prove nothing.
    HEURISTIC = "heuristic"


@dataclass(frozen=True)
class Solution:
    """The best parameters found and what was proven about them.

    ``bound`` is the largest number of records that any admissible parameters could link;
    ``n_linked`` is a recount with ``theta``. ``theta`` is None when nothing was found.
    """

    theta: np.ndarray | None
    n_linked: int
    bound: int
    status: Status


@dataclass(frozen=True)
class LinkageProblem:
    """Rows of every record and the cone of admissible parameters.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_features)
        Standardised coordinates.
    masked : ndarray of shape (n_masked, n_features)
        Standardised coordinates; row i of both belongs to the same person, rows beyond those of
        ``original`` are impostors only.
    distance : Distance
        The features ``phi`` and whether the distance is monotone in every ``|difference|``.
    domain : Domain
        The admissible parameters.
    """

    original: np.ndarray
    masked: np.ndarray
    distance: Distance
    domain: Domain

    @property
    def n_records(self) -> int:
        return len(self.original)

    @property
    def n_masked(self) -> int:
        return len(self.masked)

    @property
    def n_parameters(self) -> int:
        return self.domain.n_parameters

    @property
    def monotone(self) -> bool:
        """Whether a componentwise nearer impostor is nearer for all admissible parameters."""
        return self.distance.monotone

    def squared_differences(self, record: int) -> np.ndarray:
        """``c_ij`` of one record against every masked record, (n_masked, n_features)."""
        return np.asarray((self.original[record] - self.masked) ** 2)

    def rows(self, records: Any, impostors: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the given (record, impostor) pairs, and the magnitudes that ties are judged by.

        Returns
        -------
        rows : ndarray of shape (n_pairs, n_parameters)
            ``phi(a_i, b_j) - phi(a_i, b_i)``.
        magnitudes : ndarray of shape (n_pairs, n_parameters)
            ``|phi(a_i, b_j)| + |phi(a_i, b_i)|``.
        """
        own = self.distance.features(self.original[records] - self.masked[records])
        other = self.distance.features(self.original[records] - self.masked[impostors])
        return other - own, np.abs(other) + np.abs(own)

    def nearest_impostors(
        self, theta: np.ndarray, records: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest impostor of each record, and how much farther it is than the own record.

        Impostors are found by the quick formula of `Distance.nearest_others`; where it cannot
        tell, how much farther is judged by the rule of `ties`: at most 0 for a tie.

        Parameters
        ----------
        theta : ndarray of shape (n_thetas, n_parameters)
        records : ndarray of int of shape (n_asked,)

        Returns
        -------
        impostors, margins : ndarray of shape (n_thetas, n_asked)
        """
        if self.monotone and self.n_masked > _FEW_MASKED:
            found = [
                nearest_impostors(
                    self.distance, parameters, self.original, self.masked, self._tree, records
                )
                for parameters in theta
            ]
            return np.array([rows for rows, _ in found]), np.array([far for _, far in found])
        impostors, margins, doubt = self.distance.nearest_others(
            theta, self.original[records], self.masked, records
        )
        which, place = np.nonzero(np.abs(margins) <= doubt)
        if len(which):
            rows, magnitudes = self.rows(records[place], impostors[which, place])
            tolerated = TIE_TOLERANCE * np.sum(magnitudes * np.abs(theta[which]), axis=1)
            margins[which, place] = np.sum(rows * theta[which], axis=1) - tolerated
        return impostors, margins

    def linked(self, theta: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Which records the parameters re-identify: the count of `score`, (n_records,) of bool."""
        return linked_mask(self.distance, theta, self.original, self.masked, n_jobs=n_jobs)

    @cached_property
    def _tree(self) -> Any:
        from sklearn_reclink.search.tree import build

        return build(self.masked)


def linkage_problem(
    original: np.ndarray, masked: np.ndarray, distance: Distance, domain: Domain
) -> LinkageProblem:
    """The problem of two aligned files of standardised coordinates."""
    return LinkageProblem(
        np.ascontiguousarray(original, dtype=float),
        np.ascontiguousarray(masked, dtype=float),
        distance,
        domain,
    )
