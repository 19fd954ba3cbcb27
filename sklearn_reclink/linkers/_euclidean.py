"""Plain record linkage by the Euclidean distance, d2AM of the papers.

d^2(a, b) = sum_k diff_k(a, b)^2 / n
"""

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class EuclideanLinker(BaseLinker):
    """Link records by the mean of their squared differences.

    All variables weigh the same: the plain intruder, to compare others with.

    Parameters
    ----------
    %(standardize categorical_features ordinal_features rule n_jobs)s
    random_state : int, RandomState instance or None, default=None
        Draws the pairs from which the rules ``"density"`` and ``"balanced"`` learn the scale of the
        distances, where there are more than 1,000.
    %(verbose)s

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Equal weights that sum to 1.
    %(n_linked_)s
    bound_ : int
        Equal to ``n_linked_``: there are no parameters to choose.
    status_ : str
        ``"fixed"``.
    %(ceiling_ temperature_ masked_ standardize_ scales_ kinds_ variables_)s
    %(n_features_in_ feature_names_in_)s

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(scale=0.1, size=X.shape)
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> linker.n_linked_
    97
    >>> linker.score(X, Y)
    0.97
    >>> linker.predict(X[:3])
    array([ 0, 61,  2])
    """

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        self.weights_ = np.full(self.n_features_in_, 1 / self.n_features_in_)
        if len(index.extra):
            self.missing_weights_ = np.full((self.n_features_in_, 2), 1 / self.n_features_in_)
        self._family = mixed_family(WeightedMean(index.n_variables), index.caps, index.extra)
        return Solution(self._theta, 0, index.n_records, Status.FIXED)
