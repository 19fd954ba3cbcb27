"""The Choquet integral that links the most records, d2CI and d2CI_m of the papers.

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),   mu a capacity

with ``c_(1) <= ... <= c_(n)`` the squared differences in order and ``A_(k)`` the variables of the
``n - k + 1`` largest. A capacity has ``mu(empty) = 0``, ``mu(V) = 1`` and grows with the subset;
``constraint="submodular"`` asks ``mu(A) + mu(B) >= mu(A u B) + mu(A n B)`` too (d2CI_m).

An additive capacity is a weighted mean, one that depends on the number of variables alone an
OWA. A capacity of ``n`` variables has ``2^n - 2`` values to learn; a *k-additive* one, whose
Moebius transform ends at subsets of ``k`` variables, has few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sklearn_reclink.capacity import (
    additive_capacity,
    capacity_to_mobius,
    mobius_to_capacity,
    small_subsets,
)
from sklearn_reclink.families import Choquet, Distance, KAdditiveChoquet
from sklearn_reclink.families.cone_submodular_k_additive import SubmodularKAdditiveCapacities
from sklearn_reclink.families.cones import (
    Domain,
    KAdditiveCapacities,
    MonotoneCapacities,
    SubmodularCapacities,
)
from sklearn_reclink.linkers.learned import LearnedLinker, simple_weights
from sklearn_reclink.solvers.problem import LinkageProblem, Solution

CONSTRAINTS: dict[str, Callable[[int], Domain]] = {
    "monotone": MonotoneCapacities,
    "submodular": SubmodularCapacities,
}
K_ADDITIVE: dict[str, Callable[[int, int], Domain]] = {
    "monotone": KAdditiveCapacities,
    "submodular": SubmodularKAdditiveCapacities,
}

# The rows of the domain are held: n 2^(n-1) of them, of 2^n - 1 or of a few hundred parameters.
MAX_VARIABLES = 10
MAX_VARIABLES_K_ADDITIVE = 14
MAX_COLUMNS = 20

_SHARE_OF_HLMS = 0.7  # of the time for starts of a large file


class ChoquetLinker(LearnedLinker):
    """Link records by the Choquet integral distance that re-identifies the most of them.

    Parameters
    ----------
    constraint : {"monotone", "submodular"}, default="monotone"
        All capacities, or the submodular ones, with which the distance is a metric.
    k_additive : int or None, default=None
        Largest number of variables that may interact: the Moebius transform of the capacity
        vanishes on larger subsets. 1 gives the weighted means, None sets no limit and takes at
        most 10 variables that are not constant; with a limit, at most 14.
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; None takes
        ``a - b`` as it is. A column constant in either file contributes nothing: adding it to a
        subset leaves the capacity as it is.
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
        Seconds after which the search ends without a proof; None for no limit. The best capacity
        found is kept, ``bound_`` says how far it may be from the optimum, and a
        `ConvergenceWarning` is given. A search without proof goes on from the best
        weighted mean, so it does not end below it.
    n_jobs : int or None, default=None
        Number of joblib workers.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. An optimum has many capacities; the seed decides among them.
    verbose : int, default=0
        Print the progress of the search when positive.

    Attributes
    ----------
    capacity_ : ndarray of shape (2**n_features,)
        The learnt capacity by dyadic index: bit k of an index is set iff variable k is in the
        subset. ``capacity_[0]`` is 0, ``capacity_[-1]`` is 1, and it never falls as a subset
        grows, all of it exactly; submodularity holds up to rounding.
    mobius_ : ndarray of shape (2**n_features,)
        Its Moebius transform, ``capacity_[A] = sum of mobius_[B] over the subsets B of A``.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, recounted with ``capacity_`` (with
        ``k_additive``, with ``mobius_``).
    bound_ : int
        No admissible capacity re-identifies more records than this.
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
    >>> from sklearn_reclink import ChoquetLinker, WeightedMeanLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(size=X.shape) * [0.05, 0.5, 5.0]
    >>> WeightedMeanLinker().fit(X, Y).n_linked_
    64
    >>> linker = ChoquetLinker(random_state=0).fit(X, Y)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (65, 65, 'optimal')
    >>> linker.capacity_.shape
    (8,)
    """

    _parameter_constraints = {
        **LearnedLinker._parameter_constraints,
        "constraint": [StrOptions(set(CONSTRAINTS))],
        "k_additive": [Interval(Integral, 1, None, closed="left"), None],
    }

    capacity_: np.ndarray
    mobius_: np.ndarray

    def __init__(
        self,
        *,
        constraint: str = "monotone",
        k_additive: int | None = None,
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
        self.k_additive = k_additive

    @property
    def _distance(self) -> Distance:
        return Choquet() if self.k_additive is None else KAdditiveChoquet(self.k_additive)

    @property
    def _theta(self) -> np.ndarray:
        if self.k_additive is None:
            return self.capacity_[1:]
        return self.mobius_[small_subsets(len(self._informative), self.k_additive)]

    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        n_variables = original.shape[1]
        check_size(n_variables, len(self._informative), self.k_additive)
        if self.k_additive is None:
            return CONSTRAINTS[self.constraint](n_variables)
        return K_ADDITIVE[self.constraint](n_variables, self.k_additive)

    def _starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        return [self._from_weights(weights) for weights in simple_weights(original, masked)]

    def _from_weights(self, weights: np.ndarray) -> np.ndarray:
        return self._distance.pack(additive_capacity(weights))

    def _more_starts(
        self, problem: LinkageProblem
    ) -> Callable[[float], Sequence[np.ndarray]] | None:
        """Of a large file also the capacity of the HLMS heuristic, which needs no proof."""
        from sklearn_reclink.solvers.hlms import learner as hlms
        from sklearn_reclink.solvers.large import MOST_RECORDS

        means = super()._more_starts(problem)
        free = self.k_additive is None and self.constraint == "monotone"
        if means is None or not free or problem.n_records <= MOST_RECORDS:
            return means

        def heuristic_and_means(seconds: float) -> list[np.ndarray]:
            learnt = hlms.learn(
                problem.original,
                problem.masked,
                rng=self._generator,
                time_limit=_SHARE_OF_HLMS * seconds,
                n_jobs=self.n_jobs,
            )
            return [learnt.capacity[1:], *means((1 - _SHARE_OF_HLMS) * seconds)]

        return heuristic_and_means

    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        assert solution.theta is not None
        if self.k_additive is None:
            capacity = _monotone(np.append(0.0, solution.theta))
            self.capacity_ = with_null_variables(capacity, self._informative)
            self.mobius_ = capacity_to_mobius(self.capacity_)
            return solution
        n_variables = int(np.count_nonzero(self._informative))
        mobius = np.zeros(2**n_variables)
        mobius[small_subsets(n_variables, self.k_additive)] = solution.theta
        mobius /= mobius.sum()
        self.capacity_ = with_null_variables(
            _monotone(mobius_to_capacity(mobius)), self._informative
        )
        self.mobius_ = np.zeros(len(self.capacity_))
        self.mobius_[_subsets_of(self._informative)] = mobius
        return solution

    def _shrink(self, share: float) -> None:
        self.capacity_, self.mobius_ = shrunk(
            self.capacity_, self.mobius_, share, self._informative
        )


def check_size(n_variables: int, n_columns: int, k_additive: int | None) -> None:
    """Refuse more variables than a capacity can be learnt of."""
    if n_columns > MAX_COLUMNS:
        raise ValueError(
            f"the files have {n_columns} columns, and a capacity has 2^n values: leave out "
            f"columns until at most {MAX_COLUMNS} are left"
        )
    if k_additive is None and n_variables > MAX_VARIABLES:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant, so a capacity has "
            f"2^{n_variables} - 2 values to learn; at most {MAX_VARIABLES} variables are possible: "
            "leave some out, or limit how many may interact, e.g. k_additive=2"
        )
    if k_additive is not None and n_variables > MAX_VARIABLES_K_ADDITIVE:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant, and monotonicity is "
            f"asked of all their 2^{n_variables} subsets; at most {MAX_VARIABLES_K_ADDITIVE} "
            "variables are possible with k_additive: leave some out, or use WeightedMeanLinker"
        )


def shrunk(
    capacity: np.ndarray, mobius: np.ndarray, share: float, informative: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A capacity and its Moebius transform mixed with those of equal weights."""
    equal = additive_capacity(informative / np.count_nonzero(informative))
    mixed = (1 - share) * capacity + share * equal / equal[-1]
    # rounding is monotone, and so is division: mu(V) = 1 and monotonicity stay exact
    mixed_mobius = (1 - share) * mobius + share * capacity_to_mobius(equal)
    return mixed / mixed[-1], mixed_mobius


def _monotone(capacity: np.ndarray) -> np.ndarray:
    """The capacity with ``mu(V) = 1``, its rounding lifted until it falls nowhere."""
    n_variables = len(capacity).bit_length() - 1
    values = MonotoneCapacities(n_variables).repair(capacity[1:])
    return np.append(0.0, values / values[-1])


def _subsets_of(informative: np.ndarray) -> np.ndarray:
    """Dyadic numbers, among all variables, of the subsets of the informative ones in order."""
    bits = 1 << np.flatnonzero(informative)
    members = np.arange(2 ** len(bits))[:, None] >> np.arange(len(bits)) & 1
    return np.asarray(members @ bits)


def with_null_variables(capacity: np.ndarray, informative: np.ndarray) -> np.ndarray:
    """The capacity on all variables to which the others add nothing: ``mu(A + k) = mu(A)``."""
    wide = np.zeros(2 ** len(informative))
    wide[_subsets_of(informative)] = capacity
    for k in np.flatnonzero(~informative):
        halves = wide.reshape(-1, 2, 2**k)
        halves[:, 1] = halves[:, 0]
    return wide
