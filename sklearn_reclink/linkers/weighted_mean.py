"""The weighted mean that links the most records, d2WM and d2WM_m of the papers.

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k w_k diff_k(a, b)^2,   sum_k w_k = 1,   w_k >= 0

``constraint="positive"`` asks for ``w_k > 0`` (d2WM_m). The links are strict inequalities, finitely
many and continuous in ``w``, so weights that link some records still link them when moved a
little towards equal weights: both constraints have the same optimum, and the positive weights
are ``(1 - e) w + e / n`` with the largest ``e`` of 0.01, 0.001, ... that loses no link.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils._param_validation import StrOptions

from sklearn_reclink.families import Distance, WeightedMean
from sklearn_reclink.families.cones import Domain, Orthant
from sklearn_reclink.linkers.learned import LearnedLinker, simple_weights
from sklearn_reclink.solvers.problem import Solution

CountLinks = Callable[[np.ndarray], int]


def keep(weights: np.ndarray, count: CountLinks) -> np.ndarray:
    """Weights on the simplex, as they were found."""
    return weights


def move_inside(weights: np.ndarray, count: CountLinks) -> np.ndarray:
    """Positive weights that link as many records, as far inside the simplex as a power of ten."""
    if np.all(weights > 0):
        return weights
    wanted = count(weights)
    best, best_linked = weights, -1
    for share in 10.0 ** -np.arange(2, 16):
        inside = (1 - share) * weights + share / len(weights)
        linked = count(inside)
        if linked > best_linked:
            best, best_linked = inside, linked
        if linked >= wanted:
            break
    return best


CONSTRAINTS: dict[str, Callable[[np.ndarray, CountLinks], np.ndarray]] = {
    "simplex": keep,
    "positive": move_inside,
}


class WeightedMeanLinker(LearnedLinker):
    """Link records by the weighted mean distance that re-identifies the most of them.

    Parameters
    ----------
    constraint : {"simplex", "positive"}, default="simplex"
        Weights that sum to 1 and are at least 0, or greater than 0. Both link the same number of
        records.
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; None takes
        ``a - b`` as it is. A column constant in either file contributes nothing and has weight
        0 (with ``"positive"``, a small one without effect).
        ``"rank"`` compares ranks, each as a share of its own file.
    rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
        How distances become links in `predict`, `link` and `score`: the nearest masked record,
        as in the papers; the same with a price for masked records that many originals are near
        to (``"density"``, and ``"balanced"``, where prices leave one link each on average); or
        the one-to-one assignment of least total distance. ``n_linked_``, ``bound_`` and
        ``status_`` are always of ``"nearest"``.
    shrinkage : float, default=0.0
        Share of equal weights mixed into the learnt parameters, which then fit the known pairs
        less and others often better. ``bound_`` stays that of the unshrunk ones, and ``status_``
        is ``"shrunk"`` where links are lost.
    time_limit : float or None, default=60.0
        Seconds after which the search ends without a proof; None for no limit. The best weights
        found are kept, ``bound_`` says how far they may be from the optimum, and a
        `ConvergenceWarning` is given.
    n_jobs : int or None, default=None
        Number of joblib workers.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. An optimum has many weights; the seed decides among them.
    verbose : int, default=0
        Print the progress of the search when positive.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The learnt weights, which sum to 1: the variables that give people away.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, recounted with ``weights_``.
    bound_ : int
        No weights re-identify more records than this.
    status_ : str
        ``"optimal"`` when ``n_linked_ == bound_``; else ``"time_limit"``, or ``"undecided"`` when
        ties within rounding left the proof open although there was time.
    ceiling_ : int
        Number of records that some weighted mean, OWA or Choquet distance might re-identify:
        the others are beaten by an impostor in every variable.
    masked_ : ndarray of shape (n_records, n_features)
        The masked file of `fit`, columns in the order of ``X``.
    scales_ : Scales
        Shifts and scales of both files.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the variables, when ``X`` has names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker, WeightedMeanLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(size=X.shape) * [0.05, 0.5, 5.0]
    >>> EuclideanLinker().fit(X, Y).n_linked_
    17
    >>> linker = WeightedMeanLinker().fit(X, Y)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (64, 64, 'optimal')
    """

    _parameter_constraints = {
        **LearnedLinker._parameter_constraints,
        "constraint": [StrOptions(set(CONSTRAINTS))],
    }

    weights_: np.ndarray

    def __init__(
        self,
        *,
        constraint: str = "simplex",
        standardize: str | None = "separate",
        rule: str = "nearest",
        shrinkage: float = 0.0,
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        super().__init__(
            standardize=standardize,
            rule=rule,
            shrinkage=shrinkage,
            time_limit=time_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.constraint = constraint

    @property
    def _distance(self) -> Distance:
        return WeightedMean()

    @property
    def _theta(self) -> np.ndarray:
        return self.weights_

    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        return Orthant(original.shape[1])

    def _starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        return simple_weights(original, masked)

    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        assert solution.theta is not None
        theta = self._widen(np.maximum(solution.theta, 0))

        def count(weights: np.ndarray) -> int:
            return self._n_linked(weights, original, masked)

        self.weights_ = CONSTRAINTS[self.constraint](theta / theta.sum(), count)
        return solution

    def _shrink(self, share: float) -> None:
        equal = self._informative / np.count_nonzero(self._informative)
        self.weights_ = (1 - share) * self.weights_ + share * equal
