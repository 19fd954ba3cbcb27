"""The Choquet integral that links the most records, d2CI and d2CI_m of the papers.

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),   mu a capacity

with ``c_(1) <= ... <= c_(n)`` the squared differences in order and ``A_(k)`` the variables of the
``n - k + 1`` largest. A capacity has ``mu(empty) = 0``, ``mu(V) = 1`` and grows with the subset;
``constraint="submodular"`` asks ``mu(A) + mu(B) >= mu(A u B) + mu(A n B)`` too (d2CI_m).

An additive capacity gives a weighted mean, one that depends on the number of variables alone
an OWA. A capacity of ``n`` variables has ``2^n - 2`` values to learn; a *k-additive* one, whose
Moebius transform ends at subsets of ``k`` variables, has few.
"""

from dataclasses import dataclass
from math import comb
from numbers import Integral
from typing import Any, ClassVar

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.capacity import small_subsets
from sklearn_reclink.families import (
    Choquet,
    Family,
    KAdditiveChoquet,
    SubmodularChoquet,
    SubmodularKAdditiveChoquet,
)
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._learned import ExactLinker
from sklearn_reclink.search import Index

FAMILIES = {"monotone": Choquet, "submodular": SubmodularChoquet}
K_ADDITIVE = {"monotone": KAdditiveChoquet, "submodular": SubmodularKAdditiveChoquet}

# The rows of the cone are held: n 2^(n-1) of them, of 2^n - 1 or of a few hundred parameters.
MAX_VARIABLES = 10
MAX_VARIABLES_K_ADDITIVE = 14
MAX_COLUMNS = 20
MAX_NUMBERS = 25_000_000


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetLinker(ExactLinker):
    """Link records by the Choquet integral distance that re-identifies the most of them.

    A search without proof continues from the best weighted mean, so it does not end below it.

    Parameters
    ----------
    constraint : {"monotone", "submodular"}, default="monotone"
        All capacities, or the submodular ones, with which the distance is a metric.
    k_additive : int or None, default=None
        Largest number of variables that may interact: the Moebius transform of the capacity
        vanishes on larger subsets. 1 gives the weighted means, None sets no limit and takes at
        most 10 variables that are not constant; with a limit, at most 14.
    %(of_exact)s

    Attributes
    ----------
    capacity_ : ndarray of shape (2**n_features,)
        The learned capacity by dyadic index: bit k of an index is set iff variable k is in the
        subset. ``capacity_[0]`` is 0, ``capacity_[-1]`` is 1, and it never falls as a subset grows;
        all of this holds exactly, submodularity up to rounding. A column constant in either file
        adds nothing to any subset.
    mobius_ : ndarray of shape (2**n_features,)
        Its Moebius transform, ``capacity_[A] = sum of mobius_[B] over the subsets B of A``. With
        ``k_additive``, distances are computed from it.
    %(exact_)s

    Examples
    --------
    >>> from sklearn_reclink import ChoquetLinker, WeightedMeanLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> files = make_noisy_files(random_state=0)
    >>> linker = ChoquetLinker(random_state=0).fit(*files)
    >>> linker.capacity_.shape, linker.n_linked_, linker.bound_, linker.status_
    ((8,), 65, 65, 'optimal')
    >>> WeightedMeanLinker().fit(*files).n_linked_
    64
    """

    constraint: str = "monotone"
    k_additive: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactLinker._parameter_constraints,
        "constraint": [StrOptions(set(FAMILIES))],
        "k_additive": [Interval(Integral, 1, None, closed="left"), None],
    }

    _family_name: ClassVar[str] = "choquet"

    def _base_family(self, index: Index) -> Family:
        n_variables = index.n_variables
        check_size(n_variables, self.n_features_in_, self.k_additive)
        if self.k_additive is None:
            return FAMILIES[self.constraint](n_variables)
        return K_ADDITIVE[self.constraint](n_variables, self.k_additive)


def check_size(n_variables: int, n_columns: int, k_additive: int | None) -> None:
    """Refuse more variables than a capacity can be learned of."""
    if n_columns > MAX_COLUMNS:
        raise ValueError(
            f"the files have {n_columns} columns, and a capacity has 2^n values: leave out "
            f"columns until at most {MAX_COLUMNS} are left"
        )
    if k_additive is None and n_variables > MAX_VARIABLES:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant, so a capacity has "
            f"2^{n_variables} - 2 values to learn; at most {MAX_VARIABLES} variables are possible: "
            "leave some out, or limit how many may interact: ChoquetLinker(k_additive=2)"
        )
    if k_additive is None:
        return
    if n_variables > MAX_VARIABLES_K_ADDITIVE:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant, and monotonicity is "
            f"required of all their 2^{n_variables} subsets; at most {MAX_VARIABLES_K_ADDITIVE} "
            "variables are possible with k_additive: leave some out, or use WeightedMeanLinker"
        )
    n_rows = comb(n_variables, 2) * 2**n_variables // 4
    n_numbers = n_rows * len(small_subsets(n_variables, k_additive))
    if k_additive > 2 and n_numbers > MAX_NUMBERS:
        raise ValueError(
            f"the capacity of {n_variables} variables with k_additive={k_additive} must "
            f"satisfy rows of {n_numbers:,} numbers, and at most {MAX_NUMBERS:,} are held: "
            "leave some variables out, or take k_additive=2"
        )
