"""A family of distances with what missing values cost beside it.

    d^2(a, b) = theta . phi(diff) + sum_e w_e extra_e(a, b)^2,       w_e >= 0

The last coordinates of a mixed file with missing values are *extra* ones: ``extra_e`` is 1 where a
variable is present in one file and missing in the other, one coordinate for each variable and
direction (`data.mixed`). Their weights are learned beside the parameters. The cone is the product
of that of the family and an orthant, and the distance stays linear and monotone.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from sklearn_reclink.families.base import Family
from sklearn_reclink.families.formula import Formula
from sklearn_reclink.families.integers import cleared, to_integers


class WithMissing(Family):
    """The distances of a family plus weighted extra coordinates.

    Parameters
    ----------
    base : Family
        Of the first coordinates.
    extra : ndarray of int of shape (n_extra, 2)
        Variable (a column of the file) and direction of each extra coordinate: 0 for missing in
        the masked record, 1 in the original one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> from sklearn_reclink.families.missing import WithMissing
    >>> family = WithMissing(WeightedMean(1), np.array([[0, 0]]))
    >>> family.evaluate(np.array([0.5, 2.0]), np.array([[2.0, 0.0], [0.0, 1.0]]))[0]
    array([2., 2.])
    """

    def __init__(self, base: Family, extra: np.ndarray) -> None:
        self.base, self.extra = base, extra
        self.n_features = base.n_features + len(extra)
        self.n_parameters = base.n_parameters + len(extra)
        self.monotone, self.non_negative = base.monotone, base.non_negative
        self.projects, self.whole_rows = base.projects, base.whole_rows
        self.weak_rows = base.weak_rows

    def _split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters or features of the family, and those of the extra coordinates."""
        n = self.base.n_parameters
        return theta[..., :n], theta[..., n:]

    def _variables(self, coordinates: np.ndarray) -> np.ndarray:
        """Coordinates of the variables alone."""
        return coordinates[..., : self.base.n_features]

    # -- features ---------------------------------------------------------------------------

    def features(self, differences: np.ndarray) -> np.ndarray:
        squares = differences[..., self.base.n_features :] ** 2
        return np.concatenate([self.base.features(self._variables(differences)), squares], axis=-1)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        of_base, weights = self._split(theta)
        values, magnitudes = self.base.evaluate(of_base, self._variables(differences))
        for e, weight in enumerate(weights, self.base.n_features):
            cost = weight * differences[..., e] ** 2
            both = magnitudes is values
            values = values + cost
            magnitudes = values if both else magnitudes + cost
        return values, magnitudes

    def quick_values(self, theta: np.ndarray, differences: np.ndarray) -> np.ndarray:
        of_base, weights = self._split(theta)
        values = self.base.quick_values(of_base, self._variables(differences))
        return np.asarray(values + differences[..., self.base.n_features :] ** 2 @ weights)

    def formula(self, theta: np.ndarray) -> Formula | None:
        of_base, weights = self._split(theta)
        found = self.base.formula(of_base)
        if found is None or found.root.size or (weights < 0).any():
            return None
        caps = np.zeros(0) if self.caps is None else self.caps
        return found._replace(extra=np.ascontiguousarray(weights), caps=caps)

    # -- cone -------------------------------------------------------------------------------

    def _padded(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the cone of the family."""
        return np.pad(rows, ((0, 0), (0, len(self.extra))))

    def _product(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the family and of the orthant."""
        return np.vstack([self._padded(rows), np.eye(self.n_parameters)[self.base.n_parameters :]])

    @property
    def rows(self) -> np.ndarray:
        return self._product(self.base.rows)

    @property
    def all_rows(self) -> np.ndarray:
        return self._product(self.base.all_rows)

    @property
    def generators(self) -> np.ndarray | None:
        found = self.base.generators
        return None if found is None else self._product(found)

    @property
    def centre(self) -> np.ndarray:
        return self.with_weights(self.base.centre, 1 / self.base.n_features)

    @property
    def normaliser(self) -> np.ndarray:
        found = self.base.normaliser
        return self.with_weights(found, 1.0 if found.any() else 0.0)

    @property
    def n_paper_constraints(self) -> int:
        return self.base.n_paper_constraints + len(self.extra)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = self.base.box
        return self.with_weights(lower, 0.0), self.with_weights(upper, 1.0)

    def with_weights(self, of_base: np.ndarray, weights: np.ndarray | float) -> np.ndarray:
        """Parameters of the family beside weights of the extra coordinates."""
        return np.append(of_base, np.broadcast_to(weights, len(self.extra)))

    def contains(self, theta: np.ndarray) -> bool:
        of_base, weights = self._split(theta)
        return bool((weights >= 0).all()) and self.base.contains(of_base)

    def separate(self, theta: np.ndarray) -> np.ndarray:
        return self._padded(self.base.separate(self._split(theta)[0]))

    def repair(self, theta: np.ndarray) -> np.ndarray:
        of_base, weights = self._split(theta)
        return self.with_weights(self.base.repair(of_base), np.maximum(weights, 0.0))

    # -- certificates -----------------------------------------------------------------------

    def tolerated(self, own: np.ndarray, other: np.ndarray) -> np.ndarray | None:
        (mine, lost), (theirs, gained) = self._split(own), self._split(other)
        found = self.base.tolerated(mine, theirs)
        return None if found is None else np.concatenate([found, lost + gained], axis=-1)

    def excess(self, residual: np.ndarray, allowance: np.ndarray, error: np.ndarray) -> np.ndarray:
        of_base, of_extra = zip(*map(self._split, (residual, allowance, error)), strict=True)
        left = np.maximum(of_extra[0] + of_extra[2] - of_extra[1], 0.0)
        return np.concatenate([self.base.excess(*of_base), left])

    def uncertain(self, own: np.ndarray, other: np.ndarray, same: np.ndarray) -> np.ndarray:
        (mine, lost), (theirs, gained) = self._split(own), self._split(other)
        sizes = self.base.uncertain(mine, theirs, self._variables(same))
        return np.concatenate([sizes, np.abs(lost) + np.abs(gained)], axis=-1)

    def integer_row(self, original: np.ndarray, own: np.ndarray, other: np.ndarray) -> list[int]:
        """The row of three records; exactly that of their differences for products of these."""
        if self.base.whole_rows:
            return super().integer_row(original, own, other)
        n = self.base.n_features
        rows = []
        for one in (own, other):
            exact = [Fraction(x) for x in self.differences(original, one).tolist()]
            squares = [x * x for x in exact[n:]]
            rows.append([x * y for k, x in enumerate(exact[:n]) for y in exact[k:n]] + squares)
        return cleared([theirs - mine for mine, theirs in zip(*rows, strict=True)])

    def borders(
        self, rows: Sequence[Sequence[int]], multipliers: np.ndarray
    ) -> Iterable[list[list[int]]]:
        return self.base.borders([row[: self.base.n_parameters] for row in rows], multipliers)

    def opposes(self, total: Sequence[int]) -> bool:
        n = self.base.n_parameters
        return max(total[n:]) <= 0 and self.base.opposes(total[:n])

    def integer_cone_row(self, row: np.ndarray) -> list[int]:
        of_base, of_extra = self._split(row)
        if of_extra.any():
            return to_integers(row)
        return self.base.integer_cone_row(of_base) + [0] * len(of_extra)

    # -- where a search starts, and what becomes of what it found ------------------------------

    def starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Those of the family, and each with extra coordinates that weigh as much as all."""
        found = super().starts(original, masked)
        files = self._variables(original), self._variables(masked)
        for theta in self.base.starts(*files):
            size = np.abs(theta).max()
            found += [self.with_weights(theta, size), self.with_weights(theta, size / 8)]
        return found or [self.centre]

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        found = self.base.from_weights(self._variables(weights))
        return None if found is None else np.append(found, weights[self.base.n_features :])

    def tree_part(self, original: np.ndarray, masked: np.ndarray) -> Family:
        part = self.base.tree_part(self._variables(original), self._variables(masked))
        return self._like(part)

    @property
    def without_files(self) -> Family:
        return self._like(self.base.without_files)

    def _like(self, base: Family) -> Family:
        if base is self.base:
            return self
        other = WithMissing(base, self.extra)
        other.caps = self.caps
        return other

    def _scaled(self, theta: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """A change of the parameters of the family; the weights are scaled as these are."""
        of_base, weights = self._split(theta)
        if not of_base.any():  # nothing but missing values tells records apart
            return np.asarray(theta / weights.sum())
        changed, largest = change(of_base), np.argmax(np.abs(of_base))
        factor = changed[largest] / of_base[largest]
        return self.with_weights(changed, np.maximum(weights, 0) * factor)

    def shrunk(self, theta: np.ndarray, share: float) -> np.ndarray:
        of_base, weights = self._split(theta)
        mixed = (1 - share) * weights + share / self.base.n_features
        return self.with_weights(self.base.shrunk(of_base, share), mixed)

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        return self._scaled(theta, self.base.normalised)

    def settled(self, theta: np.ndarray, count: Callable[[np.ndarray], int]) -> np.ndarray:
        weights = self.normalised(theta)[self.base.n_parameters :]
        return self._scaled(
            theta,
            lambda found: self.base.settled(found, lambda one: count(np.append(one, weights))),
        )

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        of_base, weights = self._split(theta)
        found = self.base.published(of_base, informative)
        if of_base.any():  # what is published may be scaled
            largest = np.argmax(np.abs(of_base))
            read = self.base.theta_of(SimpleNamespace(**found), informative)
            weights = weights * (read[largest] / of_base[largest])
        missing = np.zeros((len(informative), 2))
        missing[tuple(self.extra.T)] = weights
        return {**found, "missing_weights_": missing}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        of_base = self.base.theta_of(fitted, informative)
        return np.append(of_base, fitted.missing_weights_[tuple(self.extra.T)])

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return self.base.pack(parameters)

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        return self.base.unpack(self._split(theta)[0])

    def labels(self, variables: Sequence[str]) -> list[str]:
        files = ("masked", "original")
        costs = [f"missing_{files[way]}_{variable}" for variable, way in self.extra]
        return [*self.base.labels(variables[: self.base.n_features]), *costs]


def mixed_family(base: Family, caps: np.ndarray | None, extra: np.ndarray | None = None) -> Family:
    """The family on a file of categories and missing values; itself on one of numbers alone."""
    if caps is None:
        return base
    base.caps = caps[: base.n_features]
    if extra is None or not len(extra):
        return base
    family = WithMissing(base, extra)
    family.caps = caps
    return family
