"""A family of distances: features, and the cone of admissible parameters.

    d^2(a, b) = theta . phi(diff(a, b)),        D(a, b) = |theta| . |phi(diff(a, b))|

``phi`` are the features, ``theta`` the parameters and ``D`` the magnitude against which ties are
judged (see `search.ties`). What users read, such as weights or a matrix, is packed into ``theta``.
The admissible parameters are a closed convex cone ``{theta : g . theta >= 0 for all of its rows
g}``: links do not change when ``theta`` is scaled, so the papers' normalisations play no part in
a search, and `normalised` restores them in the end.

A value must not depend on how many pairs are evaluated at once, or the same two records would be
tied in one batch and not in the next. A matrix product sums in an order that depends on its
shape; here features are summed one at a time, in their order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sklearn_reclink.families.differences import differences
from sklearn_reclink.families.formula import Formula
from sklearn_reclink.families.integers import to_integers

_BATCH = 2**19  # numbers that are compared at once
QUICK_ROUNDING = 1e-9  # of the largest number: a margin below it is worth a second look


class Family(ABC):
    """Features of one family of distances, and the cone of its parameters.

    Attributes
    ----------
    n_features, n_parameters : int
        Number of variables, and length of ``theta``.
    monotone : bool
        Whether ``d`` never falls as any ``|diff_k|`` grows, for all admissible parameters.
    non_negative : bool
        Whether ``d`` and its magnitude ``D`` are the same number for all admissible parameters.
    projects : bool
        Whether `settled` leaves the set of parameters that was searched.
    caps : ndarray of shape (n_features,) or None
        Of nominal variables the largest difference, see `differences`; None for numbers alone.
    """

    n_features: int
    n_parameters: int
    monotone: bool = True
    non_negative: bool = True
    projects: bool = False
    caps: np.ndarray | None = None

    # -- features ---------------------------------------------------------------------------

    @abstractmethod
    def features(self, differences: np.ndarray) -> np.ndarray:
        """``phi`` of differences (..., n_features), an array (..., n_parameters)."""

    @abstractmethod
    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances and their magnitudes.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
        differences : ndarray of shape (..., n_features)

        Returns
        -------
        values, magnitudes : ndarray of shape (...)
            ``theta . phi`` and ``|theta| . |phi|``; one array where they are the same.
        """

    def between(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same of records of both files, two arrays (..., n_features) that broadcast."""
        return self.evaluate(theta, self.differences(original, masked))

    def differences(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Differences of records, two arrays (..., n_features) that broadcast."""
        if self.caps is None:
            return np.asarray(original - masked)
        return differences(original, masked, self.caps)

    @abstractmethod
    def formula(self, theta: np.ndarray) -> Formula | None:
        """How a search tree computes this distance; None if it cannot."""

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
        size = max(1, _BATCH // masked.size)
        for start in range(0, len(original), size):
            batch = slice(start, start + size)
            rows, here = own[batch], np.arange(len(own[batch]))
            found = self.differences(original[batch, None], masked)
            for t, parameters in enumerate(theta):
                values = self.quick_values(parameters, found)
                largest = max(largest, float(np.abs(values).max()))
                own_values = values[here, rows]
                values[here, rows] = np.inf
                impostors[t, batch] = np.argmin(values, axis=1)
                margins[t, batch] = values[here, impostors[t, batch]] - own_values
        return impostors, margins, QUICK_ROUNDING * largest

    def quick_values(self, theta: np.ndarray, differences: np.ndarray) -> np.ndarray:
        """Squared distances up to rounding, by whatever formula is quickest; a new array."""
        return self.evaluate(theta, differences)[0]

    # -- cone -------------------------------------------------------------------------------

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
        """How many constraints the papers count for this cone (Tables 2 and 3, 2015)."""

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of every parameter once they are normalised as the papers do.

        Where the papers ask for no normalisation, -1 and 1 fix the scale.
        """
        lower = 0.0 if self.normaliser.any() else -1.0
        return np.full(self.n_parameters, lower), np.ones(self.n_parameters)

    @property
    def all_rows(self) -> np.ndarray:
        """All rows of the cone, (n_rows, n_parameters), also where `separate` grows them."""
        return self.rows

    @property
    def generators(self) -> np.ndarray | None:
        """The extreme rays, (n_parameters, n_parameters), if the cone is simplicial."""
        return None

    def contains(self, theta: np.ndarray) -> bool:
        """Whether ``theta`` is admissible, up to the rounding of its rows."""
        return bool(np.all(self.rows @ theta >= -1e-12 * np.abs(theta).max(initial=0.0)))

    def admissible(self, theta: np.ndarray) -> np.ndarray | None:
        """``theta`` repaired, None if that is not enough."""
        repaired = self.repair(theta)
        return repaired if self.contains(repaired) else None

    def separate(self, theta: np.ndarray) -> np.ndarray:
        """Rows of the cone that ``theta`` violates, (n_rows, n_parameters).

        A cone whose `rows` are complete returns none; a cone with infinitely many (positive
        semidefinite matrices) returns the most violated ones.
        """
        return np.empty((0, self.n_parameters))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        """The nearest truly admissible parameters to ones that rounding left just outside."""
        return theta

    # -- certificates, see `solvers.farkas` -------------------------------------------------

    whole_rows = True  # whether the entries of rows of the cone are 0, 1 and -1
    weak_rows = False  # whether a search takes what ties allow off rows that are only rounding

    def tolerated(self, own: np.ndarray, other: np.ndarray) -> np.ndarray | None:
        """Of features of own records and impostors, ``t`` with ``t . |theta|`` at most ``D + D'``.

        None where the magnitudes of ties are not linear in ``theta``.
        """
        return np.abs(other) + np.abs(own)

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        """What keeps ``residual . theta <= allowance . |theta|`` from holding on the cone.

        Zero everywhere proves it for every admissible ``theta`` and every residual within
        ``error`` of this one.
        """
        return np.maximum(np.abs(residual) + error - allowance, 0.0)

    def uncertain(self, own: np.ndarray, other: np.ndarray, same: np.ndarray) -> np.ndarray:
        """The size of the numbers whose rounding rows carry, from the features of two records.

        ``same`` says in which variables these are the same, (n_rows, n_features).
        """
        return np.abs(own) + np.abs(other)

    def integer_row(self, original: np.ndarray, own: np.ndarray, other: np.ndarray) -> list[int]:
        """The row of three records, up to a factor and to rounding within what ties allow."""
        mine, theirs = (self.features(self.differences(original, one)) for one in (own, other))
        return to_integers(theirs - mine)

    def opposes(self, total: Sequence[int]) -> bool:
        """Whether ``total . theta <= 0`` for all admissible ``theta``, exactly; False if unknown.

        For cones of infinitely many rows, whose own rows an exact combination lacks.
        """
        return False

    def borders(
        self, rows: Sequence[Sequence[int]], multipliers: np.ndarray
    ) -> Iterable[list[list[int]]]:
        """Guesses at equations that multipliers fulfil whose total `opposes` the cone exactly.

        Those near ``multipliers``, if their total meets a border of the cone. Each guess is a list
        of equations, of one number per row.
        """
        return ()

    def integer_cone_row(self, row: np.ndarray) -> list[int]:
        """A row of the cone up to a factor."""
        return to_integers(row)

    # -- where a search starts, and what becomes of what it found ------------------------------

    def starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Parameters to start from; the first stand in where a search finds none."""
        own = self.differences(original, masked[: len(original)])
        found = [self.from_weights(weights) for weights in simple_weights(own)]
        return [theta for theta in found if theta is not None]

    def all_starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """The centre and `starts`, no two of them multiples of each other."""
        return distinct([self.centre, *self.starts(original, masked)])

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        """The parameters of a weighted mean; None in a family that has no weighted means."""
        return None

    def tree_part(self, original: np.ndarray, masked: np.ndarray) -> "Family":
        """The largest part of the family that a search tree can prune by."""
        return self

    @abstractmethod
    def normalised(self, theta: np.ndarray) -> np.ndarray:
        """``theta`` scaled as the papers scale it, or to the size of `centre`."""

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        """What is returned for parameters found: normalised, and admissible to the last bit.

        ``count`` says how many records parameters link.
        """
        return self.normalised(theta)

    def shrunk(self, theta: np.ndarray, share: float) -> np.ndarray:
        """Normalised parameters mixed with those of equal weights: the cone is convex."""
        return (1 - share) * theta + share * self.normalised(self.centre)

    @abstractmethod
    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        """Fitted attributes that users read, for all variables.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
            Of the informative variables.
        informative : ndarray of bool of shape (n_columns,)
            Which of the columns are variables here; the others contribute nothing.
        """

    @abstractmethod
    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        """``theta`` of the informative variables, from the attributes that `published` gives."""

    @property
    def without_files(self) -> "Family":
        """The same distances, without the files that the cone was made from."""
        return self

    @abstractmethod
    def pack(self, parameters: np.ndarray) -> np.ndarray:
        """``theta`` of the public parameters."""

    @abstractmethod
    def unpack(self, theta: np.ndarray) -> np.ndarray:
        """Public parameters of ``theta``."""

    @abstractmethod
    def labels(self, variables: Sequence[str]) -> list[str]:
        """A word for every parameter, made of words for the variables."""


def distinct(thetas: Iterable[np.ndarray]) -> list[np.ndarray]:
    """Parameters of which no two are multiples of each other."""
    kept: dict[tuple[float, ...], np.ndarray] = {}
    for theta in thetas:
        kept.setdefault(tuple(np.round(theta / max(np.abs(theta).sum(), 1e-300), 12)), theta)
    return list(kept.values())


def sum_of_terms(
    theta: np.ndarray, features: Iterable[np.ndarray], shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """``theta . phi`` and ``|theta| . |phi|``, from the features one at a time."""
    values, magnitudes = np.zeros(shape), np.zeros(shape)
    for coefficient, feature in zip(theta, features, strict=True):
        if coefficient != 0:
            term = coefficient * feature
            values += term
            magnitudes += np.abs(term)
    return values, magnitudes


def simple_weights(own: np.ndarray) -> list[np.ndarray]:
    """Equal weights, and the inverse variance of each difference of aligned records."""
    n_features = own.shape[1]
    variance = np.var(own, axis=0)
    largest = variance.max()
    inverse = 1 / np.maximum(variance, 1e-12 * largest) if largest > 0 else np.ones(n_features)
    return [np.full(n_features, 1 / n_features), inverse / inverse.sum()]


def widened(values: np.ndarray, informative: np.ndarray) -> np.ndarray:
    """Values of the informative variables among zeros, along every axis."""
    wide = np.zeros((len(informative),) * values.ndim)
    wide[np.ix_(*[informative] * values.ndim)] = values
    return wide
