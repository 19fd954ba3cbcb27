"""Linkage by learned error densities: the attack that carries over to records never seen.

A distance that links the most *known* pairs has learned their accidents too. Here what masking does
to a value is learned instead, one density of its error for every variable
(`likelihood.pair_likelihood`), and what the intruder knows besides is used: every original record
has one masked record (`rules`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.data import views
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._likelihood import NOTHING_PROVEN, LikelihoodLinker
from sklearn_reclink.search import Index, Search
from sklearn_reclink.solvers.problem import Solution

VIEWS = ("value", "rank", "joint")


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class DensityLinker(LikelihoodLinker):
    """Link records by learned densities of the masking error, and by there being one link each.

    From aligned pairs it learns how masking errs: a density of the error of every variable, in
    values and in ranks, and the covariance of all errors; the weights of these three views are
    those under which the pairs, each left out in turn, are the likeliest. Nothing has to be chosen
    by hand, so what it links of records never seen comes near what it links of the known ones.

    Parameters
    ----------
    rule : {"balanced", "density", "one_to_one", "nearest"}, default="balanced"
        How likelihoods become links. ``"nearest"`` takes the likeliest masked record;
        ``"density"`` divides by how many original records could have become it; ``"balanced"``
        goes on until both files have one link each on average; ``"one_to_one"`` is the
        assignment of largest total log-likelihood. All but the first look at the whole of the
        files given to `predict` or `score`.
    views : sequence of {"value", "rank", "joint"}, default=("value", "rank", "joint")
        The views of an error that are weighed together.
    standardize : {"separate", "difference"} or None, default="separate"
        Scales of the values. ``"separate"`` standardises each file by its own means and standard
        deviations; ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``;
        None takes ``a - b`` as it is. A column constant in either file contributes nothing.
    max_pairs : int, default=1000
        Most pairs to learn from; of more, as many are drawn.
    %(n_jobs)s
    random_state : int, RandomState instance or None, default=None
        Draws the pairs to learn from, where there are more than ``max_pairs``, and chooses among
        optimal assignments.
    %(verbose)s

    Attributes
    ----------
    weights_ : ndarray of shape (3,)
        Weights of the views ``"value"``, ``"rank"`` and ``"joint"``: what the masking is like.
    likelihood_ : PairLikelihood
        The learned densities.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, by ``rule``.
    bound_ : None
        Nothing is proven of other parameters.
    status_ : str
        ``"heuristic"``.
    ranks_ : RankScales
        Ranks of the values of both files, counted in ``pool`` and ``reference`` if given to `fit`.
    %(temperature_ masked_ standardize_ scales_ n_features_in_ feature_names_in_)s

    See Also
    --------
    EuclideanLinker : The plain distance, with the same rules.

    Notes
    -----
    All pairs of small files are compared. In large ones, trees find the best pairs of every
    record: ``"nearest"`` and ``"one_to_one"`` give the answers of all pairs. The prices of
    ``"density"`` and ``"balanced"`` come from 32 candidates of every record and an estimate of the
    rest; links are exact for these prices. ``verbose=1`` prints how much the candidates hold.

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
    >>> linker = DensityLinker().fit(X[known], Y[known], pool=Y, reference=X)
    >>> round(linker.score(X[others], Y[others]), 2)
    0.9
    """

    rule: str = "balanced"
    views: Sequence[str] = VIEWS
    max_pairs: int = 1000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LikelihoodLinker._parameter_constraints,
        "views": ["array-like"],
        "standardize": [StrOptions({"separate", "difference"}), None],
        "max_pairs": [Interval(Integral, 2, None, closed="left")],
    }

    def _learn_scales(self, original: np.ndarray, masked: np.ndarray, whole: np.ndarray) -> None:
        unknown = [view for view in self.views if view not in VIEWS]
        if unknown or not len(self.views):
            raise ValueError(f"views is {self.views!r}: name some of {list(VIEWS)}")
        super()._learn_scales(original, masked, whole)
        self.ranks_ = views.learn_ranks(whole, self.masked_)

    def _coordinates(self, original: np.ndarray, masked: np.ndarray) -> tuple[Any, Any]:
        """Values of the informative variables, then their ranks."""
        used = self.scales_.informative & self.ranks_.informative
        views = (scale.coordinates(original, masked) for scale in (self.scales_, self.ranks_))
        a, b = zip(*views, strict=True)
        return np.hstack([found[:, used] for found in a]), np.hstack(
            [found[:, used] for found in b]
        )

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        from sklearn_reclink.likelihood.pair_likelihood import learn_pair_likelihood

        rows = np.arange(index.n_records)
        if len(rows) > self.max_pairs:
            rows = check_random_state(self.random_state).permutation(len(rows))[: self.max_pairs]
        self.likelihood_ = learn_pair_likelihood(
            index.original[rows], index.masked[rows], tuple(self.views)
        )
        self.weights_ = self.likelihood_.weights
        self._memory: dict[str, np.ndarray] = {}
        return NOTHING_PROVEN

    def _ask(self, question: str, index: Index, **options: Any) -> tuple[np.ndarray, ...]:
        if self.rule == "nearest" or not hasattr(self, "_memory"):
            return super()._ask(question, index, **options)
        from sklearn_reclink.rules import Rule

        # `score` of the files of `fit` takes the prices from there
        rule = Rule(
            self.rule,
            random_state=self._seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            memory=self._memory,
        )
        return rule.ask(question, self._search(index), **options)

    def _search(self, index: Index) -> Search:
        from sklearn_reclink.likelihood.pair_likelihood import LikelihoodPairs

        pairs = LikelihoodPairs(self.likelihood_, index.original, index.masked)
        if self.rule != "nearest" or index.is_dense:
            return pairs
        from sklearn_reclink.search.priced import coordinates_of, plant

        found = coordinates_of(pairs)
        return pairs if found is None else plant(found)
