"""The weighted mean that links the most records, d2WM and d2WM_m of the papers.

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k w_k diff_k(a, b)^2,   sum_k w_k = 1,   w_k >= 0

``constraint="positive"`` asks for ``w_k > 0`` (d2WM_m); `families.weighted_mean` shows why both
have the same optimum.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn_reclink._sklearn_compat import StrOptions
from sklearn_reclink.families import Family, WeightedMean
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._learned import ExactLinker
from sklearn_reclink.search import Index


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class WeightedMeanLinker(ExactLinker):
    """Link records by the weighted mean distance that re-identifies the most of them.

    Parameters
    ----------
    constraint : {"simplex", "positive"}, default="simplex"
        Weights that sum to 1 and are at least 0, or greater than 0. Both link the same number of
        records.
    %(of_exact)s

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The learned weights, which sum to 1. The larger a weight, the more its variable helps to
        find people. The weight of a column constant in either file is 0.
    %(exact_)s

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker, WeightedMeanLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(random_state=0)
    >>> linker = WeightedMeanLinker().fit(X, Y)
    >>> EuclideanLinker().fit(X, Y).n_linked_, linker.n_linked_, linker.bound_, linker.status_
    (17, 64, 64, 'optimal')
    """

    constraint: str = "simplex"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactLinker._parameter_constraints,
        "constraint": [StrOptions({"simplex", "positive"})],
    }

    _family_name: ClassVar[str] = "weighted_mean"

    def _base_family(self, index: Index) -> Family:
        return WeightedMean(index.n_variables, positive=self.constraint == "positive")
