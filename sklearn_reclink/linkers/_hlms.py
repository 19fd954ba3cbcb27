"""A Choquet integral learned by gradient steps, HRLA of the 2012 heuristic paper.

    d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),   mu a capacity

as in `ChoquetLinker`, but found by the heuristic of `solvers.hlms`: nothing is proven of it beyond
the ceiling that holds for every capacity, and the number of records may be as large as linking
itself allows.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.families import Choquet, Family
from sklearn_reclink.linkers._choquet import check_size
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._learned import LearnedLinker
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Problem, Solution, Status


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class HLMSChoquetLinker(LearnedLinker):
    """Link records by a Choquet integral distance learned by gradient steps.

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
        any other, as in the paper. With ``"absolute"`` a learning rate near 0.02 works well.
    refine : int, default=300
        Number of exact line searches after the epochs, from the best capacity and again from
        inverse variances as weights. 0 for the epochs alone, as in the paper.
    %(of_view)s
    %(rule shrinkage)s
    time_limit : float or None, default=60.0
        Seconds after which the search ends with the best capacity so far and a
        `ConvergenceWarning`; None for no limit.
    %(n_jobs)s
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which records are visited, and of the line searches.
    %(verbose)s

    Attributes
    ----------
    %(capacity_ mobius_)s
    %(n_linked_)s
    bound_ : int
        No capacity re-identifies more records than this: it is ``ceiling_``.
    status_ : str
        ``"heuristic"``, or ``"optimal"`` when ``n_linked_ == bound_``.
    %(ceiling_)s
    history_ : ndarray of int of shape (n_epochs + 1,)
        Number of records linked at the start and after every epoch.
    n_iter_ : int
        Number of epochs made.
    %(files_)s

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker, HLMSChoquetLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> files = make_noisy_files(random_state=0)
    >>> EuclideanLinker().fit(*files).n_linked_
    17
    >>> linker = HLMSChoquetLinker(random_state=0).fit(*files)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (65, 86, 'heuristic')
    """

    learning_rate: float = 0.1
    max_iter: int = 10
    steps: str = "relative"
    refine: int = 300

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LearnedLinker._parameter_constraints,
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "steps": [StrOptions({"relative", "absolute"})],
        "refine": [Interval(Integral, 0, None, closed="left")],
    }

    def _index(self, original: np.ndarray, masked: np.ndarray, **options: Any) -> Index:
        # the heuristic compiles the trees anyway
        return super()._index(original, masked, dense_pairs=0, **options)

    def _base_family(self, index: Index) -> Family:
        check_size(index.n_variables, self.n_features_in_, None)
        return Choquet(index.n_variables)

    def _compile(self, index: Index) -> None:
        if index.caps is None:
            from sklearn_reclink.solvers.hlms.learner import compile_kernels

            compile_kernels(index.original, index.masked)

    def _solve(
        self, problem: Problem, *, seconds: float, at_least: int = 0, enough: int = 0
    ) -> Solution:
        """The heuristic, in place of a search with a proof."""
        from sklearn_reclink.solvers.hlms.learner import ABSOLUTE, RELATIVE, learn

        self._compile(problem.index)
        family, index = problem.family, problem.index
        options: dict[str, Any] = {
            "rng": self._generator,
            "learning_rate": self.learning_rate,
            "max_iter": self.max_iter,
            "floor": RELATIVE if self.steps == "relative" else ABSOLUTE,
            "time_limit": seconds,
        }
        if index.caps is not None:
            from sklearn_reclink.solvers.hlms.mixed import learn_mixed

            theta, self.history_, complete = learn_mixed(problem, refine=self.refine > 0, **options)
        else:
            options |= self._work
            learned = learn(index.original, index.masked, n_lines=self.refine, **options)
            theta, complete = learned.capacity[1:], learned.complete
            self.history_ = learned.history
        self.n_iter_ = len(self.history_) - 1
        if not complete:
            warnings.warn(
                f"the time limit of {self.time_limit:g} s ended the search after {self.n_iter_} of "
                f"{self.max_iter} epochs: raise time_limit for a better capacity",
                ConvergenceWarning,
                stacklevel=7,
            )
        # the search counted on rounded coordinates: let the count of `score` have the last word
        found = [theta, family.normalised(family.centre)]
        counts = [int(np.count_nonzero(index.linked(family, theta))) for theta in found]
        best = int(np.argmax(counts))
        return Solution(found[best], counts[best], index.n_records, Status.HEURISTIC)
