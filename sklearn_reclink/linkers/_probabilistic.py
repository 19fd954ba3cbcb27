"""Probabilistic record linkage, PRL of the papers.

The model and its estimation are in `likelihood.fellegi_sunter`, the links in `rules`.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.likelihood import fellegi_sunter
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._likelihood import NOTHING_PROVEN, LikelihoodLinker
from sklearn_reclink.search import Index, Search
from sklearn_reclink.solvers.problem import Solution


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class ProbabilisticLinker(LikelihoodLinker):
    """Link records by the weights of Fellegi and Sunter.

    Two records agree in a variable, or they do not. The more likely agreement is for the two
    records of one person than for records of two people, the larger its weight. EM finds these
    probabilities from all pairs of records, without being told which pairs belong to one person.

    Nominal variables agree if they are equal. A variable missing in either record says nothing: it
    weighs 0, and EM leaves it out. Suppression in one record does not depend on the other one, so
    it is as frequent in one person's pair as in others.

    Parameters
    ----------
    tolerance : "auto", float or array-like of shape (n_features,), default="auto"
        Values that differ by at most the tolerance agree; 0 is equality. One number for all
        variables or one each, in the units that ``standardize`` makes; for ordinal variables, in
        level numbers. It is always 0 for nominal ones. ``"auto"`` chooses those with which aligned
        pairs stand out the most.
    standardize : {"separate", "difference"} or None, default=None
        None compares the values themselves: both files must be in the same units.
        ``"difference"`` divides by the standard deviation of ``X - y``; ``"separate"``
        standardises each file by its own means and standard deviations, and seldom leaves
        anything equal. A column constant in either file contributes nothing.
    %(categorical_features ordinal_features)s
    rule : {"one_to_one", "nearest"}, default="one_to_one"
        With ``"one_to_one"`` no masked record is linked twice and the total weight is the largest
        possible. With ``"nearest"`` every record is linked to the candidate with the largest
        weight.
    match_share : float or None, default=None
        Share of all pairs that are one person's, if known: ``1 / n_records`` for two files of the
        same people. By default EM finds it too.
    max_iter : int, default=10000
        Largest number of iterations of EM.
    tol : float, default=1e-6
        EM ends when a step changes no probability by more.
    %(n_jobs)s
    random_state : int, RandomState instance or None, default=None
        Chooses which of several matchings of largest weight `predict` returns. No rate depends
        on it.
    %(verbose)s

    Attributes
    ----------
    m_ : ndarray of shape (n_features,)
        Probability that one person's records agree in each variable.
    u_ : ndarray of shape (n_features,)
        Probability that two people's records agree in each variable.
    weights_ : ndarray of shape (n_features, 2)
        Weights of disagreement and of agreement, in bits. Their difference is how much a variable
        tells.
    match_share_ : float
        Share of the pairs that are one person's.
    tolerance_ : ndarray of shape (n_features,)
        The tolerances used.
    %(unproven_)s
    n_iter_ : int
        Iterations of EM.
    %(temperature_ masked_ standardize_ scales_ kinds_ variables_)s
    %(n_features_in_ feature_names_in_)s

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

    standardize: str | None = None
    rule: str = "one_to_one"
    tolerance: Any = "auto"
    match_share: float | None = None
    max_iter: int = 10_000
    tol: float = 1e-6

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LikelihoodLinker._parameter_constraints,
        "tolerance": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left"), "array-like"],
        "standardize": [StrOptions({"separate", "difference"}), None],
        "rule": [StrOptions({"one_to_one", "nearest"})],
        "match_share": [Interval(Real, 0, 1, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    _threshold: ClassVar[float | None] = 0.0  # only pairs of positive weight are linked

    def _coordinates(self, original: np.ndarray, masked: np.ndarray) -> tuple[Any, Any]:
        a, b = self.scales_.coordinates(original, masked)
        return a[:, : self.n_features_in_], b[:, : self.n_features_in_]

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        self.tolerance_ = self._tolerances(index.original, index.masked[: index.n_records])
        found = fellegi_sunter.count_patterns(index.original, index.masked, self.tolerance_)
        self._check_patterns(found)
        estimate = fellegi_sunter.expectation_maximisation(
            found,
            1 / index.n_masked if self.match_share is None else self.match_share,
            fixed_share=self.match_share is not None,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        if not estimate.converged:
            warnings.warn(
                f"EM did not converge in {self.max_iter} iterations: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=6,
            )
        self.m_, self.u_, self.match_share_ = estimate.m, estimate.u, estimate.match_share
        self.n_iter_ = estimate.n_iter
        self.weights_ = estimate.weights
        return NOTHING_PROVEN

    def _search(self, index: Index) -> Search:
        files = index.original, index.masked
        return fellegi_sunter.AgreementPairs(*files, self.tolerance_, self.weights_)

    def _tolerances(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        nominal = np.array(self.kinds_) == "nominal"
        if isinstance(self.tolerance, str):
            return np.where(nominal, 0.0, fellegi_sunter.choose_tolerance(original, masked))
        given = np.asarray(self.tolerance, dtype=float)
        if self.standardize_ is None:
            scales = [self.scales_] if self.variables_ is None else self.scales_.scales
            unit = min((one.original_scale.min() for one in scales if one is not None), default=1.0)
            given = given / unit  # a power of two, mostly 1
        n_features = original.shape[1]
        if given.shape not in ((), (n_features,)) or not np.all(given >= 0):
            raise ValueError(
                f"tolerance is {self.tolerance!r}: it must be one number of at least 0, or "
                f"{n_features}, one for each variable"
            )
        return np.where(nominal, 0.0, given)

    def _check_patterns(self, found: fellegi_sunter.PatternCounts) -> None:
        """Refuse files in which agreement tells nothing; name the variables that never agree."""
        never = np.flatnonzero(found.agreement == 0)
        if len(never) == self.n_features_in_:
            raise ValueError(
                "no two records agree in any variable: continuous variables are hardly ever equal, "
                'so give a tolerance above 0, or tolerance="auto"'
            )
        if np.isin(found.agreement, (0.0, 1.0)).all():
            raise ValueError(
                "all pairs of records agree in the same variables: nothing tells one record from "
                "another. Lower the tolerance, or add variables that are not constant"
            )
        if len(never):
            names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
            warnings.warn(
                f"no two records agree in the columns {names[never].tolist()}, which therefore "
                'contribute nothing: give them a tolerance above 0, or use tolerance="auto"',
                UserWarning,
                stacklevel=3,
            )
