"""Plain record linkage by the Euclidean distance, d2AM of the papers.

    d^2(a, b) = sum_k diff_k(a, b)^2 / n
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status


@dataclass(kw_only=True, eq=False, repr=False)
class EuclideanLinker(BaseLinker):
    """Link records by the mean of their squared differences.

    All variables weigh the same: the plain intruder, to compare others with.

    Parameters
    ----------
    %(standardize)s
    %(rule)s
    %(n_jobs)s
    %(rule_state)s
    %(verbose)s

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Equal weights that sum to 1.
    %(n_linked_)s
    %(fixed_)s
    %(ceiling_)s
    %(files_)s

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

    def _learn(self, index: Index) -> Solution:
        self.weights_ = np.full(self.n_features_in_, 1 / self.n_features_in_)
        self._family = WeightedMean(index.original.shape[1])
        return Solution(self._theta, 0, index.n_records, Status.FIXED)
