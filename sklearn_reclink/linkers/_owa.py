"""The ordered weighted average that links the most records, after Torra et al. (2010).

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k w_k c_(k)(a, b),   sum_k w_k = 1,   w_k >= 0

with ``c_(1) >= ... >= c_(n)`` the squared differences in order. A weight belongs to a rank, not to
a variable: a large first weight says that one large difference is enough to tell two records
apart, a large last weight that they must differ everywhere.
"""

from dataclasses import dataclass
from typing import ClassVar

from sklearn_reclink.families import OWA, Family
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._learned import ExactLinker
from sklearn_reclink.search import Index


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class OWALinker(ExactLinker):
    """Link records by the ordered weighted average distance that re-identifies the most of them.

    Parameters
    ----------
    %(of_exact)s

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The learned weights, which sum to 1; the first is that of the largest squared difference.
    %(exact_)s

    Examples
    --------
    >>> from sklearn_reclink import OWALinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> files = make_noisy_files(noise=(0.1, 0.1, 0.1), random_state=0)
    >>> linker = OWALinker(random_state=0).fit(*files)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (97, 97, 'optimal')
    """

    _family_name: ClassVar[str] = "owa"

    def _base_family(self, index: Index) -> Family:
        return OWA(index.n_variables)
