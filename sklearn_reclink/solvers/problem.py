"""The linkage problem: which parameters re-identify the most records?

With the features of a family, ``d^2(a_i, b_j) = theta . phi(a_i, b_j)``, record ``i`` is
re-identified iff ``row_ij . theta > 0`` for every impostor ``j``, where::

    row_ij = phi(a_i, b_j) - phi(a_i, b_i)

and ``theta`` lies in the cone of the family. Scaling ``theta`` changes no link, so the
normalisations of the papers (weights that sum to 1, ``mu(V) = 1``) play no part in a search.
Rows are made when asked for (`Index.rows`): ``N (N - 1)`` of them are never held.

Notation: a *record* is a row of both files, an *impostor* any other masked record.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index


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
    # Found by a heuristic, which proves nothing.
    HEURISTIC = "heuristic"
    # Found by a general mixed-integer solver, whose claims are not proven.
    CLAIMED = "claimed"
    # There was nothing to choose.
    FIXED = "fixed"


@dataclass(frozen=True)
class Problem:
    """A family of distances, and two files of coordinates to link by one of them."""

    family: Family
    index: Index


@dataclass(frozen=True)
class Solution:
    """The best parameters found and what was proven about them.

    ``bound`` is the largest number of records that any admissible parameters could link, None where
    nothing is known; ``n_linked`` is a recount with ``theta``. ``theta`` is None when nothing was
    found. Of a search told of links found elsewhere, ``"optimal"`` says that no parameters link
    more than the larger of both. ``conflicts`` are sets of records that no parameters link
    together, met on the way.
    ``confidence_bound`` is a bound at ``confidence_level``, where a sample of blocks was proven.
    """

    theta: np.ndarray | None
    n_linked: int
    bound: int | None
    status: Status
    conflicts: tuple[np.ndarray, ...] = ()
    confidence_bound: int | None = None
    confidence_level: float | None = None
