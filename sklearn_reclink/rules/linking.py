"""Links of all pairs under a rule.

A distance ``d_ij`` becomes the score ``-d_ij / scale``. The prices of ``"density"`` and
``"balanced"`` are added to the distances, in their unit, and the nearest record is the link: a tie
is no re-identification. Under ``"one_to_one"`` a record is re-identified iff it has its own masked
record in every optimal assignment.

Row i of the original file has its own masked record in row i of the masked file. Masked records
beyond are only impostors.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.rules.assignment import Assignment, assign
from sklearn_reclink.rules.balancing import balanced_prices, density_prices
from sklearn_reclink.rules.scores import Scores
from sklearn_reclink.search import Links, Pairs, Search

RULES = ("nearest", "density", "balanced", "one_to_one")
# Rules for which the scale of the distances matters.
SCALED_RULES = ("density", "balanced")


@dataclass(frozen=True, eq=False)
class PricedPairs(Pairs):
    """Pairs with a price for each masked record added to its distances.

    Parameters
    ----------
    pairs : Pairs
    prices : ndarray of shape (n_masked,)
    """

    pairs: Pairs
    prices: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.pairs.shape

    @property
    def floats_per_pair(self) -> int:
        return self.pairs.floats_per_pair + 2

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, magnitudes = self.pairs.distances(records)
        return values + self.prices, magnitudes + np.abs(self.prices)


@dataclass(frozen=True)
class Rule:
    """How the distances of all pairs become links.

    Parameters
    ----------
    name : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
    scale : float, default=1.0
        The difference in distance that lowers the likelihood of a pair by a factor of ``e``; it
        matters only for ``"density"`` and ``"balanced"`` (`learn_scale`).
    threshold : float, default=None
        A record is linked only if the distance of the link, price included, is below the
        threshold. By default every record is linked, as far as there are masked records.
    random_state : int, default=0
        Chooses one of several optimal assignments under ``"one_to_one"``. No rate depends on it.
    n_jobs : int or None, default=None
        Number of joblib workers that link records.
    verbose : int, default=0
        Print progress when positive.
    dense_pairs : int, default=2**25
        Up to this many pairs, all of them are compared. Beyond that, trees find the best ones
        (`candidates`, `assignment`), for likelihoods and for every distance with a tree.
    memory : dict or None, default=None
        Keeps the prices of the last large files, for later questions about the same files.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Rule
    >>> from sklearn_reclink.likelihood.fellegi_sunter import AgreementPairs
    >>> X, Y = np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [2.0], [1.0]])
    >>> pairs = AgreementPairs(X, Y, np.zeros(1), np.array([[-1.0, 2.0]]))
    >>> Rule("one_to_one").predict(pairs)
    array([2, 0, 1])
    >>> Rule("nearest", threshold=0.0).predict(pairs)
    array([ 2,  0, -1])
    """

    name: str = "nearest"
    scale: float = 1.0
    threshold: float | None = None
    random_state: int = 0
    n_jobs: int | None = None
    verbose: int = 0
    dense_pairs: int = 2**25
    memory: dict[str, np.ndarray] | None = None

    def ask(self, question: str, pairs: Any, **options: Any) -> tuple[np.ndarray, ...]:
        """The answer to a question of `Search`, under the rule."""
        if question == "nearest":
            return (self.predict(pairs),)
        if question == "k_nearest":
            return self.k_nearest(pairs, **options)
        if question == "linked" and self.name != "one_to_one" and self.threshold is None:
            return self._ask(self.priced(pairs), "linked")
        found = self.link(pairs)
        return (found.reidentified,) if question == "linked" else tuple(vars(found).values())

    def predict(self, pairs: Pairs) -> np.ndarray:
        """Row of the linked masked record of every original record, -1 for none."""
        if self.name == "one_to_one":
            return self._assignment(pairs).links
        if self.threshold is None:
            return self._ask(self.priced(pairs), "nearest")[0]
        distances, rows = self.k_nearest(pairs, 1)
        return np.where(distances < self.threshold, rows, -1)[:, 0]

    def link(self, pairs: Pairs) -> Links:
        """Link every record and compare the links with the truth."""
        search = self.priced(pairs)
        found = Links(*self._ask(search, "link"))
        if self.name == "one_to_one":
            return self._one_to_one(pairs, search, found)
        if self.threshold is None:
            return found
        near = found.distance < self.threshold
        return replace(
            found,
            links=np.where(near, found.links, -1),
            n_tied=np.where(near, found.n_tied, 1),
            reidentified=found.reidentified & near,
            own_tied=found.own_tied & near,
        )

    def k_nearest(self, pairs: Pairs, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances, prices included, and rows of the first masked records of every record.

        There is no threshold here, and ``"one_to_one"`` ranks like ``"nearest"``.
        """
        distances, rows = self._ask(self.priced(pairs), "k_nearest", n_neighbors=n_neighbors)
        return distances, rows

    def priced(self, pairs: Pairs) -> Search:
        """The pairs with the prices of the rule, if it has any; those of large files in a tree."""
        if (found := self._coordinates(pairs)) is not None:
            from sklearn_reclink.rules.candidates import search_with_prices

            work: dict[str, Any] = {"n_jobs": self.n_jobs, "verbose": self.verbose}
            return search_with_prices(found, self.name, self.scale, memory=self.memory, **work)
        prices = {"density": density_prices, "balanced": balanced_prices}.get(self.name)
        if prices is None:
            return pairs
        return PricedPairs(pairs, self.scale * prices(Scores.of_pairs(pairs, self.scale)))

    def _coordinates(self, pairs: Pairs) -> Any:
        """Coordinates of files with more pairs than are compared, where a tree can take them."""
        n_records, n_masked = pairs.shape
        return None if n_records * n_masked <= self.dense_pairs else pairs.coordinates()

    def _ask(self, pairs: Search, question: str, **options: Any) -> tuple[np.ndarray, ...]:
        return pairs.ask(question, n_jobs=self.n_jobs, verbose=self.verbose, **options)

    def _one_to_one(self, pairs: Pairs, search: Any, nearest: Links) -> Links:
        found = self._assignment(pairs)
        linked = np.flatnonzero(found.links >= 0)
        distance = np.full(len(found.links), np.nan)
        if isinstance(search, Pairs):
            distance[linked] = -Scores.of_pairs(pairs).at(linked, found.links[linked])
        else:
            distance[linked] = search.distances_at(linked, search.groups[found.links[linked]])
        own = np.arange(len(found.links))
        return replace(
            nearest,
            links=found.links,
            distance=distance,
            n_tied=found.n_tied,
            reidentified=found.certain & (found.links == own),
            own_tied=found.may_have(own),
        )

    def _assignment(self, pairs: Pairs) -> Assignment:
        least = None if self.threshold is None else -self.threshold
        options: dict[str, Any] = {"least": least, "random_state": self.random_state}
        if (coordinates := self._coordinates(pairs)) is None:
            found = assign(Scores.of_pairs(pairs), **options)
        else:
            from sklearn_reclink.rules.tree_assignment import assign_by_tree

            found = assign_by_tree(coordinates, **options, n_jobs=self.n_jobs)
        if not found.optimal:
            warnings.warn(
                f"one-to-one links are not proven optimal: their total distance is "
                f"{-found.total:g}, the least possible one is at least {-found.bound:g}. No record "
                "is counted as re-identified",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found
