"""What all linkers share: files in, learnt distance, links and rates out.

A subclass names its family of distances and learns ``theta``; reading the files, their scales,
the recount and every question asked afterwards are here. ``n_linked_`` is counted by the same
function that `score` calls, never taken from a solver. It counts the links of the rule
``"nearest"``, the papers', which ``bound_`` bounds; `score`, `predict` and `link` follow ``rule``.
"""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink import search as linking
from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.data.ranks import RankScales, learn_ranks
from sklearn_reclink.data.reading import (
    impostors_beyond,
    read_masked,
    read_original,
    read_pair,
)
from sklearn_reclink.data.views import Scales, column_names, learn_scales
from sklearn_reclink.families import Distance
from sklearn_reclink.linkers.claims import gap_of, status_of
from sklearn_reclink.rules import RULES, SCALED_RULES, Rule, Scores, learn_scale
from sklearn_reclink.search.all_pairs import AllPairs
from sklearn_reclink.solvers.problem import Solution

# Most pairs of which the temperature of a rule is learnt.
_TEMPERATURE_PAIRS = 1000


class BaseLinker(BaseEstimator, metaclass=ABCMeta):
    """Base of the linkers by distance; what they have in common.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        How differences are scaled.
    rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
        How distances become links.
    time_limit : float or None, default=60.0
        Seconds for a search, where there is one.
    n_jobs : int or None, default=None
        Number of joblib workers.
    random_state : int, RandomState instance or None, default=None
        Seed of a search, where there is one.
    verbose : int, default=0
        Print progress when positive.

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker, WeightedMeanLinker
    >>> from sklearn_reclink.linkers import BaseLinker
    >>> isinstance(EuclideanLinker(), BaseLinker), issubclass(WeightedMeanLinker, BaseLinker)
    (True, True)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "standardize": [StrOptions({"separate", "difference", "rank"}), None],
        "rule": [StrOptions(set(RULES))],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    # Law 7 of a monotone distance: some records no parameters can link.
    _has_ceiling = True

    scales_: Scales | RankScales
    masked_: np.ndarray
    temperature_: float

    def __init__(
        self,
        *,
        standardize: str | None = "separate",
        rule: str = "nearest",
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.standardize = standardize
        self.rule = rule
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    @abstractmethod
    def _distance(self) -> Distance:
        """The family of distances."""

    @abstractmethod
    def _learn(self, original: np.ndarray, masked: np.ndarray) -> Solution | None:
        """Set the fitted parameters that users read, from standardised coordinates.

        Row i of both belongs to the same person; masked records beyond are impostors only.

        Returns what was proven of them, None if there was nothing to choose.
        """

    @property
    @abstractmethod
    def _theta(self) -> np.ndarray:
        """``theta`` of the fitted parameters."""

    @property
    def _work(self) -> dict[str, Any]:
        """How linking works: on how many workers, and with how many words."""
        return {"n_jobs": self.n_jobs, "verbose": self.verbose}

    def _coordinates(self, standardised: np.ndarray) -> np.ndarray:
        """Coordinates whose differences the distance is a function of."""
        return standardised

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, pool: Any = None) -> Self:
        """Learn scales and distance from an original file and its masked version.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            The original file.
        y : array-like or dataframe of shape (n_records, n_features)
            The masked file: row i is the masked version of row i of ``X``. Columns are matched by
            name where both files have names, else by position.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            The whole masked file, for an intruder who knows only some of its records: ``y`` are
            some of its rows, the others are impostors. By default the pool is ``y``.

        Returns
        -------
        self
        """
        original, masked = self._read_files(X, y)
        if pool is not None:
            whole = read_masked(self, pool, column_names(X), file="pool", name="pool")
            others = impostors_beyond(self.masked_, whole)
            self.masked_ = whole
            masked = np.concatenate([masked, self.scales_.masked(others)])
        solution = self._learn(original, masked)
        self._count(original, masked, solution)
        if self.rule in SCALED_RULES:
            self.temperature_ = self._learn_temperature(original, masked[: len(original)])
        return self

    def _read_files(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Learn the scales of a file and its masked version; their standardised coordinates."""
        original, masked = read_pair(self, X, y, reset=True)
        message = alignment_warning(original, masked, self.standardize)
        if message:
            warnings.warn(message, UserWarning, stacklevel=3)
        if self.standardize == "rank":
            self.scales_ = learn_ranks(original, masked)
        else:
            self.scales_ = learn_scales(original, masked, self.standardize)
        if not self.scales_.informative.any():
            raise ValueError(
                f"all {original.shape[1]} columns are constant in X or in y: nothing tells one "
                "record from another, so there is no distance to learn"
            )
        self.masked_ = masked
        return self.scales_.original(original), self.scales_.masked(masked)

    def _learn_temperature(self, original: np.ndarray, masked: np.ndarray) -> float:
        """The scale that makes distances log-likelihoods, from some of the aligned pairs."""
        rows = np.arange(len(original))
        if len(rows) > _TEMPERATURE_PAIRS:
            order = check_random_state(self.random_state).permutation(len(rows))
            rows = np.sort(order[:_TEMPERATURE_PAIRS])
        pairs = self._pairs(self._coordinates(original[rows]), self._coordinates(masked[rows]))
        return learn_scale(Scores.of_pairs(pairs, -1.0))

    def _pairs(self, original: np.ndarray, masked: np.ndarray) -> AllPairs:
        return AllPairs(self._distance, self._theta, original, masked)

    @property
    def _rule(self) -> Rule:
        scale = self.temperature_ if self.rule in SCALED_RULES else 1.0
        return Rule(self.rule, scale=scale, **self._work)

    def predict(self, X: Any, pool: Any = None) -> np.ndarray:
        """Link each original record to a masked record, the nearest unless ``rule`` says else.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            Original records.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            Masked records to search, by default the masked file seen in `fit`.

        Returns
        -------
        ndarray of int of shape (n_records,)
            Row in the pool; the lowest one where several are tied as nearest. The rule
            ``"one_to_one"`` leaves some without a link, -1, where ``X`` has more records.
        """
        original, masked = self._read_search(X, pool)
        if self.rule != "nearest":
            return self._rule.predict(self._pairs(original, masked))
        return linking.nearest(self._distance, self._theta, original, masked, **self._work)

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, pool: Any = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Rank the masked records nearest to each original record.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            Original records.
        n_neighbors : int, default=5
            Number of masked records to return.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            Masked records to search, by default the masked file seen in `fit`.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        distances : ndarray of shape (n_records, n_neighbors)
            Squared distances, as the papers define them; a bilinear one may be negative. The
            rules ``"density"`` and ``"balanced"`` add a price for each masked record.
        rows : ndarray of int of shape (n_records, n_neighbors)
            Rows in the pool, nearest first; the first is that of `predict`, unless by the rule
            ``"one_to_one"``.
        """
        original, masked = self._read_search(X, pool)
        if not isinstance(n_neighbors, int | np.integer) or not 1 <= n_neighbors <= len(masked):
            raise ValueError(
                f"n_neighbors is {n_neighbors!r}: it must be an integer from 1 to the "
                f"{len(masked)} records of the pool"
            )
        if self.rule in SCALED_RULES:
            found = self._rule.k_nearest(self._pairs(original, masked), int(n_neighbors))
            return (found[0], found[1]) if return_distance else found[1]
        distances, rows = linking.k_nearest(
            self._distance, self._theta, original, masked, int(n_neighbors), **self._work
        )
        return (distances, rows) if return_distance else rows

    def link(self, X: Any, y: Any) -> linking.Links:
        """Link each original record within a masked file and compare with the truth.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version, aligned; ``y`` is the pool.

        Returns
        -------
        Links
            Links, distances, ties and rates.
        """
        original, masked = self._read_aligned(X, y)
        if self.rule != "nearest":
            return self._rule.link(self._pairs(original, masked))
        return linking.link(self._distance, self._theta, original, masked, **self._work)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of records re-identified with ``y`` as the pool.

        A record counts when its own masked version is strictly nearer than every other record
        of ``y``, prices of the rule included; by the rule ``"one_to_one"``, when it has its own
        in every optimal assignment. The smaller the pool the easier that is: a rate on part of a
        file is above the rate on the whole, so read it with the number of records beside it.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version, aligned.
        sample_weight : array-like of shape (n_records,), default=None
            Weights of the records in the share.

        Returns
        -------
        float
        """
        original, masked = self._read_aligned(X, y)
        if self.rule != "nearest":
            linked = self._rule.link(self._pairs(original, masked)).reidentified
        else:
            linked = linking.linked_mask(
                self._distance, self._theta, original, masked, **self._work
            )
        return float(np.average(linked, weights=sample_weight))

    def _count(self, original: np.ndarray, masked: np.ndarray, solution: Solution | None) -> None:
        """Recount the links of the rule "nearest", and say what is proven about them."""
        linked = linking.linked_mask(
            self._distance,
            self._theta,
            self._coordinates(original),
            self._coordinates(masked),
            **self._work,
        )
        self.n_linked_ = int(np.count_nonzero(linked))
        bound = self.n_linked_ if solution is None else solution.bound
        if self._has_ceiling:
            from sklearn_reclink.solvers.presolve import linkage_ceiling

            self.ceiling_ = linkage_ceiling(original, masked, self.n_jobs)
            bound = min(bound, self.ceiling_)
        if bound < self.n_linked_:
            raise RuntimeError(
                f"the proof is wrong: it allows {bound} links at most, a recount finds "
                f"{self.n_linked_} of {len(original)}. Please report this, with the files if you "
                "may share them"
            )
        self.bound_ = int(bound)
        status = status_of(self.n_linked_, self.bound_, solution)
        self.status_ = status.value
        gap = gap_of(status, self.n_linked_, self.bound_, len(original), self.time_limit)
        if gap:
            warnings.warn(gap, ConvergenceWarning, stacklevel=3)

    def _read_aligned(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        original, masked = read_pair(self, X, y, reset=False)
        return (
            self._coordinates(self.scales_.original(original)),
            self._coordinates(self.scales_.masked(masked)),
        )

    def _read_search(self, X: Any, pool: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self)
        original = read_original(self, X, reset=False)
        masked = self.masked_
        if pool is not None:
            masked = read_masked(self, pool, column_names(X), file="pool", name="pool")
        return (
            self._coordinates(self.scales_.original(original)),
            self._coordinates(self.scales_.masked(masked)),
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
