"""Linkage by learnt error densities: the attack that carries over to records never seen.

A distance that links the most *known* pairs has learnt their accidents too. Here what masking does
to a value is learnt instead, one density of its error for every variable (`evidence`), and what
the intruder knows besides is used: every original record has one masked record (`rules`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink import search as linking
from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.data.ranks import RankScales, learn_ranks
from sklearn_reclink.data.reading import read_masked, read_original, read_pair
from sklearn_reclink.data.views import Scales, column_names, learn_scales
from sklearn_reclink.likelihood.pair_likelihood import (
    VIEWS,
    Coordinates,
    LikelihoodPairs,
    learn_pair_likelihood,
)
from sklearn_reclink.rules import RULES, Rule
from sklearn_reclink.search.all_pairs import Pairs


class DensityLinker(BaseEstimator):
    """Link records by learnt densities of the masking error, and by there being one link each.

    From aligned pairs it learns how masking errs: a density of the error of every variable, in
    values and in ranks, and the covariance of all errors; the weights of these three views are
    those under which the pairs, each left out in turn, are the likeliest. Nothing has to be chosen
    by hand, so what it links of records never seen comes near what it links of the known ones.

    Parameters
    ----------
    rule : {"balanced", "density", "one_to_one", "nearest"}, default="balanced"
        How evidence becomes links. ``"nearest"`` takes the masked record with the most evidence;
        ``"density"`` divides by how many original records could have become it; ``"balanced"``
        goes on until both files have one link each on average; ``"one_to_one"`` is the
        assignment with the most evidence in total. All but the first look at the whole of the
        files given to `predict` or `score`.
    views : sequence of {"value", "rank", "joint"}, default=("value", "rank", "joint")
        The views of an error that are weighed together.
    standardize : {"separate", "difference"} or None, default="separate"
        Scales of the values. ``"separate"`` standardises each file by its own means and standard
        deviations; ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``;
        None takes ``a - b`` as it is. A column constant in either file contributes nothing.
    max_pairs : int, default=1000
        Most pairs to learn from; of more, as many are drawn.
    n_jobs : int or None, default=None
        Number of joblib workers that link records.
    random_state : int, RandomState instance or None, default=None
        Draws the pairs to learn from, where there are more than ``max_pairs``.
    verbose : int, default=0
        Print the progress of linking when positive.

    Attributes
    ----------
    weights_ : ndarray of shape (3,)
        Weights of the views ``"value"``, ``"rank"`` and ``"joint"``: what the masking is like.
    likelihood_ : PairLikelihood
        The learned densities.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, by ``rule``.
    masked_ : ndarray of shape (n_records, n_features)
        The masked file of `fit`, columns in the order of ``X``.
    scales_ : Scales
        Shifts and scales of the values of both files.
    ranks_ : RankScales
        Ranks of the values of both files.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the variables, when ``X`` has names.

    See Also
    --------
    EuclideanLinker : The plain distance, with the same rules.

    Notes
    -----
    All pairs are compared, in blocks: ``"nearest"`` takes one pass over them, ``"density"`` two,
    ``"balanced"`` up to 32.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import DensityLinker, EuclideanLinker
    >>> from sklearn_reclink.masking import RankSwapping
    >>> X = np.random.default_rng(0).lognormal(size=(600, 3))
    >>> Y = RankSwapping(p=6, random_state=0).fit_transform(X)
    >>> known, others = slice(200), slice(200, None)
    >>> round(EuclideanLinker().fit(X[known], Y[known]).score(X[others], Y[others]), 2)
    0.21
    >>> linker = DensityLinker().fit(X[known], Y[known], files=(X, Y))
    >>> round(linker.score(X[others], Y[others]), 2)
    0.9
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "rule": [StrOptions(set(RULES))],
        "views": ["array-like"],
        "standardize": [StrOptions({"separate", "difference"}), None],
        "max_pairs": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    scales_: Scales
    ranks_: RankScales

    def __init__(
        self,
        *,
        rule: str = "balanced",
        views: Sequence[str] = VIEWS,
        standardize: str | None = "separate",
        max_pairs: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.rule = rule
        self.views = views
        self.standardize = standardize
        self.max_pairs = max_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, files: tuple[Any, Any] | None = None) -> Self:
        """Learn how masking errs from an original file and its masked version.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            The original file.
        y : array-like or dataframe of shape (n_records, n_features)
            The masked file: row i is the masked version of row i of ``X``. Columns are matched by
            name where both files have names, else by position.
        files : tuple of two array-likes or dataframes, default=None
            The whole original and the whole masked file, where ``X`` and ``y`` are parts of
            them; their rows need not be aligned. Ranks are counted in them, by default in ``X``
            and ``y``: of a part of a file, ranks are known less well.

        Returns
        -------
        self
        """
        self._check_views()
        original, masked = read_pair(self, X, y, reset=True)
        message = alignment_warning(original, masked, self.standardize)
        if message:
            warnings.warn(message, UserWarning, stacklevel=2)
        whole = (original, masked)
        if files is not None:
            whole = (
                read_original(self, files[0], reset=False),
                read_masked(self, files[1], column_names(files[0]), file="whole file", name="file"),
            )
        self.scales_ = learn_scales(original, masked, self.standardize)
        self.ranks_ = learn_ranks(*whole)
        if not self._informative.any():
            raise ValueError(
                f"all {original.shape[1]} columns are constant in X or in y: nothing tells one "
                "record from another, so there is no distance to learn"
            )
        self.masked_ = masked
        known = self._coordinates(original, masked)
        rows = np.arange(len(original))
        if len(rows) > self.max_pairs:
            rows = check_random_state(self.random_state).permutation(len(rows))[: self.max_pairs]
        self.likelihood_ = learn_pair_likelihood(
            known[0].rows(rows), known[1].rows(rows), tuple(self.views)
        )
        self.weights_ = self.likelihood_.weights
        linked = self._rule.link(LikelihoodPairs(self.likelihood_, *known)).reidentified
        self.n_linked_ = int(np.count_nonzero(linked))
        return self

    def predict(self, X: Any, pool: Any = None) -> np.ndarray:
        """Link each original record to a masked record.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            Original records. By every rule but ``"nearest"`` a link depends on all of them.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            Masked records to search, by default the masked file seen in `fit`.

        Returns
        -------
        ndarray of int of shape (n_records,)
            Row in the pool; the lowest one where several are tied, -1 where ``"one_to_one"``
            leaves none.
        """
        return self._rule.predict(self._search(X, pool))

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, pool: Any = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Rank the masked records that are the likeliest for each original record.

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
            Evidence with its sign changed, the price of the masked record by ``rule`` included.
        rows : ndarray of int of shape (n_records, n_neighbors)
            Rows in the pool, likeliest first; by every rule but ``"one_to_one"`` the first is
            that of `predict`.
        """
        pairs = self._search(X, pool)
        if not isinstance(n_neighbors, int | np.integer) or not 1 <= n_neighbors <= pairs.shape[1]:
            raise ValueError(
                f"n_neighbors is {n_neighbors!r}: it must be an integer from 1 to the "
                f"{pairs.shape[1]} records of the pool"
            )
        found = self._rule.k_nearest(pairs, int(n_neighbors))
        return (found[0], found[1]) if return_distance else found[1]

    def link(self, X: Any, y: Any) -> linking.Links:
        """Link each original record within a masked file and compare with the truth.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version, aligned; ``y`` is the pool.

        Returns
        -------
        Links
            Links, ties and rates; distances are evidence with its sign changed.
        """
        return self._rule.link(self._aligned(X, y))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of records re-identified with ``y`` as the pool.

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
        linked = self._rule.link(self._aligned(X, y)).reidentified
        return float(np.average(linked, weights=sample_weight))

    @property
    def _rule(self) -> Rule:
        return Rule(self.rule, n_jobs=self.n_jobs, verbose=self.verbose)

    @property
    def _informative(self) -> np.ndarray:
        return np.asarray(self.scales_.informative & self.ranks_.informative)

    def _check_views(self) -> None:
        unknown = [view for view in self.views if view not in VIEWS]
        if unknown or not len(self.views):
            raise ValueError(f"views is {self.views!r}: name some of {list(VIEWS)}")

    def _coordinates(
        self, original: np.ndarray, masked: np.ndarray
    ) -> tuple[Coordinates, Coordinates]:
        used = self._informative
        return (
            Coordinates(
                self.scales_.original(original)[:, used], self.ranks_.original(original)[:, used]
            ),
            Coordinates(self.scales_.masked(masked)[:, used], self.ranks_.masked(masked)[:, used]),
        )

    def _aligned(self, X: Any, y: Any) -> Pairs:
        check_is_fitted(self)
        original, masked = read_pair(self, X, y, reset=False)
        return LikelihoodPairs(self.likelihood_, *self._coordinates(original, masked))

    def _search(self, X: Any, pool: Any) -> Pairs:
        check_is_fitted(self)
        original = read_original(self, X, reset=False)
        masked = self.masked_
        if pool is not None:
            masked = read_masked(self, pool, column_names(X), file="pool", name="pool")
        return LikelihoodPairs(self.likelihood_, *self._coordinates(original, masked))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
