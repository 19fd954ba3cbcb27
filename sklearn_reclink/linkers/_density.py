"""Linkage by learned error densities: the attack that carries over to records never seen.

A distance that links the most *known* pairs has also learned what is accidental in them. Here what
masking does to a value is learned instead, one density of its error for every variable
(`likelihood.pair_likelihood`). The links also use that every original record has one masked record
(`rules`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.data.mixed import varies
from sklearn_reclink.data.ranks import learn_ranks
from sklearn_reclink.data.reading import Files
from sklearn_reclink.data.views import learn_view
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._likelihood import NOTHING_PROVEN, LikelihoodLinker
from sklearn_reclink.search import Index, Search
from sklearn_reclink.solvers.problem import Solution

VIEWS = ("value", "rank", "joint", "category")


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class DensityLinker(LikelihoodLinker):
    """Link records by learned densities of the masking error, with one link for each record.

    From aligned pairs it learns the errors of masking: a density of the error of every variable,
    in values and in ranks, and the covariance of all errors. The weights of these three views are
    those under which the pairs, each left out in turn, are the most likely. Nothing is learned
    about single records, so the share that it links of records never seen comes close to that of
    the known ones.

    For categories it learns how often each one becomes each other one; for all variables, how often
    they are suppressed (see the notes).

    Parameters
    ----------
    rule : {"balanced", "density", "one_to_one", "nearest"}, default="balanced"
        How likelihoods become links. ``"nearest"`` takes the likeliest masked record;
        ``"density"`` divides by how many original records could have become it; ``"balanced"`` goes
        on until every record of both files has one link on average; ``"one_to_one"`` is the
        assignment of largest total log-likelihood. All but ``"nearest"`` use the whole of the files
        given to `predict` or `score`.
    views : sequence of str, default=("value", "rank", "joint", "category")
        The views that are combined: errors of values, of ranks, of all numeric values of a record,
        and changes of categories. The last one is left out for numeric files without missing
        values.
    standardize : {"separate", "difference"} or None, default="separate"
        Scales of the values. ``"separate"`` standardises each file by its own means and standard
        deviations; ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``;
        None takes ``a - b`` as it is. A column constant in either file contributes nothing.
    %(categorical_features ordinal_features)s
    max_pairs : int, default=1000
        Largest number of pairs to learn from; if there are more, this many are drawn.
    %(n_jobs)s
    random_state : int, RandomState instance or None, default=None
        Draws the pairs to learn from, where there are more than ``max_pairs``, and chooses among
        optimal assignments.
    %(verbose)s

    Attributes
    ----------
    weights_ : ndarray of shape (3,) or (4,)
        Weights of the views ``"value"``, ``"rank"`` and ``"joint"``. With categories or missing
        values the fourth one is that of ``"category"``.
    likelihood_ : PairLikelihood or MixedLikelihood
        The learned densities, or ratios of densities and transition frequencies.
    %(unproven_)s
    ranks_ : RankScales or MixedView
        Ranks of the values of both files, counted in ``pool`` and ``reference`` if given to `fit`.
    %(temperature_ masked_ standardize_ scales_ kinds_ variables_)s
    %(n_features_in_ feature_names_in_)s

    See Also
    --------
    EuclideanLinker : The plain distance, with the same rules.

    Notes
    -----
    All pairs of small files are compared. In large ones, trees find the best pairs of every
    record: ``"nearest"`` and ``"one_to_one"`` give the answers of all pairs. The prices of
    ``"density"`` and ``"balanced"`` come from 32 candidates of every record and an estimate of the
    rest; links are exact for these prices. ``verbose=1`` prints how much the candidates hold.

    *Categories and missing values.* All terms are then logarithms of likelihood ratios: how much
    more likely a masked value is for this person than for a person drawn at random. For an error it
    is the ratio of its density to that of the differences of all pairs; for a category that of
    ``P(b | a)`` to ``P(b)``, where missing is a category of every variable, so suppression is
    informative too. The transition frequencies of rare categories are shrunk towards a pooled
    model: kept with one probability, or drawn from the masked file. A value missing in either
    record adds nothing to the views of errors. Trees serve such files as well, unless the tables of
    their categories would be too large; then all pairs are compared, in batches.

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

    def _learn_scales(self, files: Files) -> None:
        available = VIEWS[:3] if self.variables_ is None else VIEWS
        if not set(self.views).intersection(available) or not set(self.views) <= set(VIEWS):
            raise ValueError(f"views is {self.views!r}: name some of {list(available)}")
        super()._learn_scales(files)
        if self.variables_ is None:
            self.ranks_: Any = learn_ranks(files.whole, files.pool)
            self._varying = self.scales_.informative
            return
        both = zip(files.original.T, files.masked.T, strict=True)
        self._varying = np.array([varies(a) and varies(b) for a, b in both])
        mixed = (files.pool, self.kinds_, False)
        self.ranks_ = learn_view(files.whole, files.pool, "rank", mixed=mixed)
        # a category that is the same for all records of one file tells nothing; missing is one
        columns = (self._categories(file).T for file in (files.original, files.masked))
        self._with_category = np.array(
            [all(len(np.unique(one)) > 1 for one in both) for both in zip(*columns, strict=True)]
        )

    def _coordinates(self, original: np.ndarray, masked: np.ndarray) -> tuple[Any, Any]:
        """Values of the informative variables, then their ranks; of mixed files then categories."""
        used = self._measured
        views = (scale.coordinates(original, masked) for scale in (self.scales_, self.ranks_))
        files = [
            [found[:, : len(used)][:, used] for found in of_file]
            for of_file in zip(*views, strict=True)
        ]
        if self.variables_ is not None:
            for parts, file in zip(files, (original, masked), strict=True):
                parts.append(self._categories(file)[:, self._with_category])
        return np.hstack(files[0]), np.hstack(files[1])

    @property
    def _measured(self) -> np.ndarray:
        """Which variables have errors: numbers and levels that vary in both files."""
        ordered = np.array(self.kinds_) != "nominal"
        return np.asarray(self._varying & self.ranks_.informative & ordered)

    def _categories(self, file: np.ndarray) -> np.ndarray:
        """Levels of the nominal variables, 0 for numbers, NaN for what is missing."""
        return np.where(np.array(self.kinds_) == "nominal", file, 0.0 * file)

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        rows = np.arange(index.n_records)
        if len(rows) > self.max_pairs:
            rows = check_random_state(self.random_state).permutation(len(rows))[: self.max_pairs]
        pairs = index.original[rows], index.masked[rows]
        if self.variables_ is None:
            from sklearn_reclink.likelihood.pair_likelihood import learn_pair_likelihood

            self.likelihood_: Any = learn_pair_likelihood(*pairs, tuple(self.views))
        else:
            from sklearn_reclink.likelihood.mixed_likelihood import learn_mixed_likelihood

            numeric = (np.array(self.kinds_) == "numeric")[self._measured]
            self.likelihood_ = learn_mixed_likelihood(*pairs, numeric, tuple(self.views))
        self.weights_ = self.likelihood_.weights
        self._memory: dict[str, np.ndarray] = {}  # `score` of the files of `fit` takes prices there
        return NOTHING_PROVEN

    def _search(self, index: Index) -> Search:
        from sklearn_reclink.likelihood.pair_likelihood import LikelihoodPairs

        pairs = LikelihoodPairs(self.likelihood_, index.original, index.masked)
        if self.rule != "nearest" or index.is_dense:
            return pairs
        from sklearn_reclink.search.priced import plant

        found = pairs.coordinates()
        return pairs if found is None else plant(found)
