"""The ordered weighted average that links the most records, after Torra et al. (2010).

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k w_k c_(k)(a, b),   sum_k w_k = 1,   w_k >= 0

with ``c_(1) >= ... >= c_(n)`` the squared differences in order. A weight belongs to a rank, not to
a variable: a large first weight says that one large difference is enough to tell two records
apart, a large last weight that they must differ everywhere.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.families import OWA, Distance
from sklearn_reclink.families.cones import Domain, Orthant
from sklearn_reclink.linkers.learned import LearnedLinker
from sklearn_reclink.solvers.problem import Solution


class OWALinker(LearnedLinker):
    """Link records by the ordered weighted average distance that re-identifies the most of them.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; None takes
        ``a - b`` as it is. A column constant in either file contributes nothing.
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
        The learnt weights, which sum to 1: the first is that of the variable that differs most,
        whichever it is. A constant column differs nowhere, so each takes a last rank, of weight 0.
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
    >>> from sklearn_reclink import OWALinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(scale=0.1, size=X.shape)
    >>> linker = OWALinker(random_state=0).fit(X, Y)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (97, 97, 'optimal')
    """

    weights_: np.ndarray

    @property
    def _distance(self) -> Distance:
        return OWA()

    @property
    def _theta(self) -> np.ndarray:
        return self.weights_

    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        return Orthant(original.shape[1])

    def _starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Equal weights, the largest difference and the smallest."""
        ranks = np.eye(original.shape[1])
        return [ranks.mean(axis=0), ranks[0], ranks[-1]]

    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        assert solution.theta is not None
        weights = np.zeros(len(self._informative))
        weights[: len(solution.theta)] = np.maximum(solution.theta, 0)
        self.weights_ = weights / weights.sum()
        return solution

    def _shrink(self, share: float) -> None:
        # constant variables differ nowhere: they take the last ranks
        equal = np.sort(self._informative)[::-1] / np.count_nonzero(self._informative)
        self.weights_ = (1 - share) * self.weights_ + share * equal
