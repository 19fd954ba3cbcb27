"""A Choquet integral learnt by gradient steps, HRLA of the 2012 heuristic paper.

    d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),   mu a capacity

as in `ChoquetLinker`, but found by the heuristic of `solvers.hlms`: nothing is proven of it beyond
the ceiling that holds for every capacity, and the number of records may be as large as linking
itself allows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from sklearn_reclink.capacity import capacity_to_mobius
from sklearn_reclink.families import Choquet, Distance
from sklearn_reclink.families.cones import Domain, MonotoneCapacities
from sklearn_reclink.linkers.choquet import check_size, shrunk, with_null_variables
from sklearn_reclink.linkers.learned import LearnedLinker
from sklearn_reclink.solvers.problem import LinkageProblem, Solution, Status


class HLMSChoquetLinker(LearnedLinker):
    """Link records by a Choquet integral distance learnt by gradient steps.

    The heuristic least mean squares of Grabisch, adapted to record linkage in 2012. It starts
    from the Euclidean distance and links at least as many records of the training file; unlike
    `ChoquetLinker` it proves nothing, and an epoch is near-linear in the number of records.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Length of the first steps; it falls linearly to 0 over the epochs.
    max_iter : int, default=10
        Number of epochs. In an epoch every record that is not linked makes one step, away
        from its impostors.
    steps : {"relative", "absolute"}, default="relative"
        Whether a step changes a value of the capacity in proportion to it, or by as much as
        any other, as in the paper. With ``"absolute"`` a learning rate near 0.02 is apt.
    refine : int, default=300
        Number of exact line searches after the epochs, from the best capacity and again from
        inverse variances as weights. 0 for the epochs alone, as in the paper.
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
        Seconds after which the search ends with the best capacity so far and a
        `ConvergenceWarning`; None for no limit.
    n_jobs : int or None, default=None
        Number of joblib workers that look for impostors and link records.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which records are visited, and of the line searches.
    verbose : int, default=0
        Print the progress of the search when positive.

    Attributes
    ----------
    capacity_ : ndarray of shape (2**n_features,)
        The learnt capacity by dyadic index: bit k of an index is set iff variable k is in the
        subset. ``capacity_[0]`` is 0, ``capacity_[-1]`` is 1, and it never falls as a subset
        grows, all of it exactly.
    mobius_ : ndarray of shape (2**n_features,)
        Its Moebius transform, ``capacity_[A] = sum of mobius_[B] over the subsets B of A``.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, recounted with ``capacity_``.
    bound_ : int
        No capacity re-identifies more records than this: it is ``ceiling_``.
    status_ : str
        ``"heuristic"``, or ``"optimal"`` when ``n_linked_ == bound_``.
    ceiling_ : int
        Number of records that some weighted mean, OWA or Choquet distance might re-identify:
        the others are beaten by an impostor in every variable.
    history_ : ndarray of int of shape (n_epochs + 1,)
        Number of records linked at the start and after every epoch.
    n_iter_ : int
        Number of epochs made.
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
    >>> from sklearn_reclink import EuclideanLinker, HLMSChoquetLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(size=X.shape) * [0.05, 0.5, 5.0]
    >>> EuclideanLinker().fit(X, Y).n_linked_
    17
    >>> linker = HLMSChoquetLinker(random_state=0).fit(X, Y)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (65, 86, 'heuristic')
    """

    _parameter_constraints = {
        **LearnedLinker._parameter_constraints,
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "steps": [StrOptions({"relative", "absolute"})],
        "refine": [Interval(Integral, 0, None, closed="left")],
    }

    capacity_: np.ndarray
    mobius_: np.ndarray

    def __init__(
        self,
        *,
        learning_rate: float = 0.1,
        max_iter: int = 10,
        steps: str = "relative",
        refine: int = 300,
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
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.steps = steps
        self.refine = refine

    @property
    def _distance(self) -> Distance:
        return Choquet()

    @property
    def _theta(self) -> np.ndarray:
        return self.capacity_[1:]

    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        check_size(original.shape[1], len(self._informative), None)
        return MonotoneCapacities(original.shape[1])

    def _starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        return [MonotoneCapacities(original.shape[1]).centre]

    def _best_of(self, problem: LinkageProblem, starts: Sequence[np.ndarray]) -> Solution:
        """The heuristic, in place of a search with a proof."""
        from sklearn_reclink.solvers.hlms import learner as hlms

        learnt = hlms.learn(
            problem.original,
            problem.masked,
            rng=self._generator,
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            floor={"relative": hlms.RELATIVE, "absolute": hlms.ABSOLUTE}[self.steps],
            n_lines=self.refine,
            time_limit=self._seconds,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.history_ = learnt.history
        self.n_iter_ = len(learnt.history) - 1
        if not learnt.complete:
            warnings.warn(
                f"the time limit of {self.time_limit:g} s ended the search after {self.n_iter_} of "
                f"{self.max_iter} epochs: raise time_limit for a better capacity",
                ConvergenceWarning,
                stacklevel=4,
            )
        return Solution(learnt.capacity[1:], learnt.n_linked, problem.n_records, Status.HEURISTIC)

    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        # the search counted on rounded coordinates: let the count of `score` have the last word
        assert solution.theta is not None
        kept = original[:, self._informative], masked[:, self._informative]
        candidates = [solution.theta, *self._starts(*kept)]
        theta = max(candidates, key=lambda candidate: self._n_linked(candidate, *kept))
        self.capacity_ = with_null_variables(np.append(0.0, theta), self._informative)
        self.mobius_ = capacity_to_mobius(self.capacity_)
        return solution

    def _shrink(self, share: float) -> None:
        self.capacity_, self.mobius_ = shrunk(
            self.capacity_, self.mobius_, share, self._informative
        )
