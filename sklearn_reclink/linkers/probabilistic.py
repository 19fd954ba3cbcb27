"""Probabilistic record linkage, PRL of the papers.

The model and its estimation are in `fellegi_sunter`, the links in `rules`.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.data.reading import read_masked, read_original, read_pair
from sklearn_reclink.data.views import Scales, column_names, learn_scales
from sklearn_reclink.likelihood import fellegi_sunter
from sklearn_reclink.rules import Rule
from sklearn_reclink.search.links import Links


class ProbabilisticLinker(BaseEstimator):
    """Link records by the weights of Fellegi and Sunter.

    Two records agree in a variable, or they do not. Agreement weighs the more, the likelier it is
    of one person's two records than of two people's; these probabilities are found by EM from all
    pairs of records, without being told which pairs are one person's.

    Parameters
    ----------
    tolerance : "auto", float or array-like of shape (n_features,), default="auto"
        Values that differ by at most the tolerance agree; 0 is equality. One number for all
        variables or one each, in the units that ``standardize`` makes. ``"auto"`` chooses those
        with which aligned pairs stand out the most.
    standardize : {"separate", "difference"} or None, default=None
        None compares the values themselves: both files must be in the same units.
        ``"difference"`` divides by the standard deviation of ``X - y``; ``"separate"``
        standardises each file by its own means and standard deviations, and seldom leaves
        anything equal. A column constant in either file contributes nothing.
    rule : {"one_to_one", "nearest"}, default="one_to_one"
        Whether no masked record is linked twice and the total weight is the largest possible, or
        every record is linked to the candidate of largest weight.
    match_share : float or None, default=None
        Share of all pairs that are one person's, if known: ``1 / n_records`` for two files of the
        same people. By default EM finds it too.
    max_iter : int, default=10000
        Most iterations of EM.
    tol : float, default=1e-6
        EM ends when a step changes no probability by more.
    random_state : int, RandomState instance or None, default=None
        Chooses which of several matchings of largest weight `predict` returns. No rate depends
        on it.

    Attributes
    ----------
    m_ : ndarray of shape (n_features,)
        Probability that one person's records agree in each variable.
    u_ : ndarray of shape (n_features,)
        Probability that two people's records agree in each variable.
    weights_ : ndarray of shape (n_features, 2)
        Weights of disagreement and of agreement, in bits. Their difference is what a variable
        tells.
    match_share_ : float
        Share of the pairs that are one person's.
    tolerance_ : ndarray of shape (n_features,)
        The tolerances used.
    n_linked_ : int
        Number of records re-identified in the files of `fit`.
    n_iter_ : int
        Iterations of EM.
    masked_ : ndarray of shape (n_records, n_features)
        The masked file of `fit`, columns in the order of ``X``.
    scales_ : Scales
        Shifts and scales of both files.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the variables, when ``X`` has names.

    References
    ----------
    I. P. Fellegi and A. B. Sunter (1969), A theory for record linkage, Journal of the American
    Statistical Association 64, 1183-1210.

    M. A. Jaro (1989), Advances in record-linkage methodology as applied to matching the 1985 census
    of Tampa, Florida, Journal of the American Statistical Association 84, 414-420.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import ProbabilisticLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(10, size=(200, 4))
    >>> Y = np.where(rng.random(X.shape) < 0.1, rng.integers(10, size=X.shape), X)
    >>> linker = ProbabilisticLinker(tolerance=0).fit(X, Y)
    >>> linker.m_.round(2), linker.u_.round(2)
    (array([0.95, 0.88, 0.94, 0.96]), array([0.1, 0.1, 0.1, 0.1]))
    >>> linker.score(X, Y)
    0.935
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "tolerance": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left"), "array-like"],
        "standardize": [StrOptions({"separate", "difference"}), None],
        "rule": [StrOptions({"one_to_one", "nearest"})],
        "match_share": [Interval(Real, 0, 1, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    scales_: Scales
    masked_: np.ndarray

    def __init__(
        self,
        *,
        tolerance: Any = "auto",
        standardize: str | None = None,
        rule: str = "one_to_one",
        match_share: float | None = None,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        random_state: Any = None,
    ):
        self.tolerance = tolerance
        self.standardize = standardize
        self.rule = rule
        self.match_share = match_share
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the probabilities of agreement from an original file and its masked version.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            The original file.
        y : array-like or dataframe of shape (n_records, n_features)
            The masked file: row i is the masked version of row i of ``X``, which serves
            ``tolerance="auto"`` and ``n_linked_``, not the probabilities. Columns are matched by
            name where both files have names, else by position.

        Returns
        -------
        self
        """
        original, masked = read_pair(self, X, y, reset=True)
        message = alignment_warning(original, masked, self.standardize)
        if message:
            warnings.warn(message, UserWarning, stacklevel=2)
        self.scales_ = learn_scales(original, masked, self.standardize)
        self.masked_ = masked
        coordinates = self.scales_.original(original), self.scales_.masked(masked)
        self.tolerance_ = self._tolerances(*coordinates)
        found = fellegi_sunter.count_patterns(*coordinates, self.tolerance_)
        self._check_patterns(found)
        share = 1 / len(original) if self.match_share is None else self.match_share
        estimate = fellegi_sunter.expectation_maximisation(
            found,
            share,
            fixed_share=self.match_share is not None,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if not estimate.converged:
            warnings.warn(
                f"EM did not stand still within {self.max_iter} iterations: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.m_, self.u_, self.match_share_ = estimate.m, estimate.u, estimate.match_share
        self.n_iter_ = estimate.n_iter
        self.weights_ = estimate.weights
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.n_linked_ = self._link(*coordinates).n_linked
        return self

    def predict(self, X: Any, pool: Any = None) -> np.ndarray:
        """Link original records to masked records.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            Original records. Under the rule ``"one_to_one"`` the link of one depends on the others.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            Masked records to search, by default the masked file seen in `fit`.

        Returns
        -------
        ndarray of int of shape (n_records,)
            Row in the pool, -1 for a record without link. Of ties, the rule ``"nearest"`` takes the
            lowest row, ``"one_to_one"`` any.
        """
        check_is_fitted(self)
        original = read_original(self, X, reset=False)
        masked = self.masked_
        if pool is not None:
            masked = read_masked(self, pool, column_names(X), file="pool", name="pool")
        pairs = self._pairs(self.scales_.original(original), self.scales_.masked(masked))
        return self._rule.predict(pairs)

    def link(self, X: Any, y: Any) -> Links:
        """Link each original record within a masked file and compare with the truth.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version, aligned; ``y`` is the pool.

        Returns
        -------
        Links
            Links, ties and rates.
        """
        check_is_fitted(self)
        original, masked = read_pair(self, X, y, reset=False)
        return self._link(self.scales_.original(original), self.scales_.masked(masked))

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
        return float(np.average(self.link(X, y).reidentified, weights=sample_weight))

    def _tolerances(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        if isinstance(self.tolerance, str):
            return fellegi_sunter.choose_tolerance(original, masked)
        given = np.asarray(self.tolerance, dtype=float)
        n_features = original.shape[1]
        if given.shape not in ((), (n_features,)) or not np.all(given >= 0):
            raise ValueError(
                f"tolerance is {self.tolerance!r}: it must be one number of at least 0, or "
                f"{n_features}, one for each variable"
            )
        return np.broadcast_to(given, n_features).copy()

    def _check_patterns(self, found: fellegi_sunter.PatternCounts) -> None:
        """Refuse files in which agreement tells nothing; name the variables that never agree."""
        never = np.flatnonzero(found.agreement == 0)
        if len(never) == self.n_features_in_:
            raise ValueError(
                "no two records agree in any variable: continuous variables are hardly ever equal, "
                'so give a tolerance above 0, or tolerance="auto"'
            )
        if len(found.counts) == 1:
            raise ValueError(
                "all pairs of records agree in the same variables: nothing tells one record from "
                "another. Lower the tolerance, or add variables that are not constant"
            )
        if len(never):
            names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
            warnings.warn(
                f"no two records agree in the columns {names[never].tolist()}, which so contribute "
                'nothing: give them a tolerance above 0, or use tolerance="auto"',
                UserWarning,
                stacklevel=3,
            )

    def _link(self, original: np.ndarray, masked: np.ndarray) -> Links:
        """Links by the rule; the own record is the masked record of the same row, if any."""
        return self._rule.link(self._pairs(original, masked))

    def _pairs(self, original: np.ndarray, masked: np.ndarray) -> fellegi_sunter.AgreementPairs:
        return fellegi_sunter.AgreementPairs(original, masked, self.tolerance_, self.weights_)

    @property
    def _rule(self) -> Rule:
        return Rule(self.rule, threshold=0.0, random_state=self.seed_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
