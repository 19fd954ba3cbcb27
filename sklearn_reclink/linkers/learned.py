"""What all linkers that search for their parameters share.

A family names its distance, the cone of admissible parameters, where to start, and how the
parameters found become what users read. *Shrinkage* mixes the parameters found with those of equal
weights, ``(1 - s) theta + s theta_equal``, both normalised alike: every set of admissible
parameters here is convex and holds the equal ones. What was proven of the parameters found stays a
bound; the links are recounted. Columns constant in either file take no part in the
search: they have coordinate 0 in all records.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.cones import Domain, Orthant
from sklearn_reclink.linkers.base import BaseLinker
from sklearn_reclink.search import linked_mask
from sklearn_reclink.solvers.problem import LinkageProblem, Solution, Status, linkage_problem


class LearnedLinker(BaseLinker):
    """Base of the linkers that search for the parameters that link the most records."""

    _parameter_constraints = {
        **BaseLinker._parameter_constraints,
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        *,
        standardize: str | None = "separate",
        rule: str = "nearest",
        shrinkage: float = 0.0,
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        super().__init__(
            standardize=standardize,
            rule=rule,
            time_limit=time_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.shrinkage = shrinkage

    @abstractmethod
    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        """The admissible parameters, for coordinates of informative variables."""

    @abstractmethod
    def _starts(self, original: np.ndarray, masked: np.ndarray) -> Sequence[np.ndarray]:
        """Parameters to start from; the first stand in where a search finds none."""

    @abstractmethod
    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        """Set what users read from the parameters found for the informative variables.

        The coordinates are those of all variables. Returns what is proven of what was set.
        """

    @abstractmethod
    def _shrink(self, share: float) -> None:
        """Mix what users read with that of equal weights, ``share`` of the latter."""

    def _problem(self, original: np.ndarray, masked: np.ndarray) -> LinkageProblem:
        """The problem to solve for standardised coordinates of all variables."""
        original, masked = original[:, self._informative], masked[:, self._informative]
        return linkage_problem(original, masked, self._distance, self._domain(original, masked))

    def _from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        """The parameters of a weighted mean, in a family that contains the weighted means."""
        return None

    def _learn(self, original: np.ndarray, masked: np.ndarray) -> Solution:
        problem = self._problem(original, masked)
        starts = self._starts(problem.original, problem.masked)
        solution = self._best_of(problem, starts)
        if solution.theta is None:
            solution = replace(solution, theta=starts[0])
        settled = self._settle(solution, original, masked)
        if self.shrinkage > 0:
            self._shrink(float(self.shrinkage))
            if settled.status in (Status.OPTIMAL, Status.PROJECTED):
                settled = replace(settled, status=Status.SHRUNK)
        return settled

    def _best_of(self, problem: LinkageProblem, starts: Sequence[np.ndarray]) -> Solution:
        """Search with the options of this linker."""
        return self._search(problem, starts, self._seconds, self._more_starts(problem))

    def _more_starts(
        self, problem: LinkageProblem
    ) -> Callable[[float], Sequence[np.ndarray]] | None:
        """Finds more parameters to start from in the seconds it is given: the best weighted mean.

        So no family that contains the weighted means ends below them, and a proof, which needs
        no such start, does not wait for it.
        """
        if self._from_weights(np.ones(problem.original.shape[1])) is None:
            return None

        def best_mean(seconds: float) -> list[np.ndarray]:
            mean = self._from_weights(self._best_weights(problem, seconds))
            return [] if mean is None else [mean]

        return best_mean

    def _search(
        self,
        problem: LinkageProblem,
        starts: Sequence[np.ndarray],
        seconds: float,
        later: Callable[[float], Sequence[np.ndarray]] | None = None,
    ) -> Solution:
        """Solve any problem with the options of this linker."""
        from sklearn_reclink.solvers import solve

        return solve(
            problem,
            time_limit=seconds,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
            start=starts,
            later=later,
        )

    @property
    def _generator(self) -> np.random.Generator:
        """A generator seeded by ``random_state``."""
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return np.random.default_rng(seed)

    @property
    def _seconds(self) -> float:
        return math.inf if self.time_limit is None else float(self.time_limit)

    @property
    def _informative(self) -> np.ndarray:
        return self.scales_.informative

    def _widen(self, values: np.ndarray) -> np.ndarray:
        """Values of the informative variables among zeros, along every axis."""
        wide = np.zeros((len(self._informative),) * values.ndim)
        wide[np.ix_(*[self._informative] * values.ndim)] = values
        return wide

    def _n_linked(self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray) -> int:
        """How many records parameters link, by the count of `score`."""
        linked = linked_mask(self._distance, theta, original, masked, n_jobs=self.n_jobs)
        return int(np.count_nonzero(linked))

    def _best_weights(self, problem: LinkageProblem, seconds: float) -> np.ndarray:
        """Weights of the best weighted mean found in some time."""
        starts = simple_weights(problem.original, problem.masked)
        orthant = Orthant(problem.original.shape[1])
        means = replace(problem, distance=WeightedMean(), domain=orthant)
        best = self._search(means, starts, max(seconds, 0.0)).theta
        return starts[0] if best is None else np.maximum(best, 0.0)


def simple_weights(original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
    """Equal weights, and the inverse variance of each difference."""
    n_features = original.shape[1]
    variance = np.var(original - masked[: len(original)], axis=0)
    largest = variance.max()
    inverse = 1 / np.maximum(variance, 1e-12 * largest) if largest > 0 else np.ones(n_features)
    return [np.full(n_features, 1 / n_features), inverse / inverse.sum()]
