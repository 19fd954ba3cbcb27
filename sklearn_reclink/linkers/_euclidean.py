"""Plain record linkage by the Euclidean distance, d2AM of the papers.

d^2(a, b) = sum_k diff_k(a, b)^2 / n
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import StrOptions
from sklearn_reclink.data.reading import Files
from sklearn_reclink.data.views import GOWER, VIEWS
from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.gower import Gower
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class EuclideanLinker(BaseLinker):
    """Link records by the mean of their squared differences.

    All variables have the same weight. This is the plain intruder, to compare others with.

    A variable that is missing in one of two records adds the mean dissimilarity between the value
    present and all values present in the other file. ``standardize="gower"`` leaves such variables
    out instead and links by Gower's distance, as sdcMicro does: absolute differences divided by the
    range, 0 or 1 for categories, and their mean over the variables that both records have.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank", "gower"}, None or several, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; ``"rank"``
        compares ranks, each as a share of its own file; ``"gower"`` divides by the range of both
        files; None takes ``a - b`` as it is. A column constant in either file contributes nothing.
        If several are given, the one that links the most records of `fit` is used.
    %(categorical_features ordinal_features)s
    %(of_rule)s

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        Equal weights that sum to 1.
    %(fixed_ ceiling_)s
    %(files_)s

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(100, noise=(0.1, 0.1, 0.1), random_state=0)
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> linker.n_linked_, linker.score(X, Y)
    (97, 0.97)
    >>> linker.predict(X[:3])
    array([ 0, 61,  2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLinker._parameter_constraints,
        "standardize": [StrOptions({"separate", "difference", "rank", GOWER}), tuple, list, None],
    }
    _views: ClassVar[Sequence[str | None]] = (*VIEWS, GOWER)

    def _learn_scales(self, files: Files) -> None:
        super()._learn_scales(files)
        # with missing values it is not monotone
        self.__dict__["_has_ceiling"] = self.standardize_ != GOWER

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        self.weights_ = np.full(self.n_features_in_, 1 / self.n_features_in_)
        if len(index.extra):
            self.missing_weights_ = np.full((self.n_features_in_, 2), 1 / self.n_features_in_)
        base = Gower if self.standardize_ == GOWER else WeightedMean
        self._family = mixed_family(base(index.n_variables), index.caps, index.extra)
        return Solution(self._theta, 0, index.n_records, Status.FIXED)
