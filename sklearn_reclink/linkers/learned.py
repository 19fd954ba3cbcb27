"""What all linkers that search for their parameters share.

A family names its distance, the cone of admissible parameters, where to start, and how the
parameters found become what users read. Columns constant in either file take no part in the
search: they have coordinate 0 in all records.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sklearn_reclink.distances import WeightedMean
from sklearn_reclink.domains import Domain, Orthant
from sklearn_reclink.linkers.base import BaseLinker
from sklearn_reclink.linking import linked_mask
from sklearn_reclink.problem import LinkageProblem, Solution, linkage_problem

# Share of the time limit that may go into the best weighted mean, to start richer families from.
_START_SHARE = 0.25


class LearnedLinker(BaseLinker):
    """Base of the linkers that search for the parameters that link the most records."""

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

    def _problem(self, original: np.ndarray, masked: np.ndarray) -> LinkageProblem:
        """The problem to solve for standardised coordinates of all variables."""
        original, masked = original[:, self._informative], masked[:, self._informative]
        return linkage_problem(original, masked, self._distance, self._domain(original, masked))

    def _learn(self, original: np.ndarray, masked: np.ndarray) -> Solution:
        began = time.monotonic()
        problem = self._problem(original, masked)
        starts = self._starts(problem.original, problem.masked)
        left = self._seconds - (time.monotonic() - began)
        solution = self._search(problem, starts, max(left, 0.0))
        if solution.theta is None:
            solution = replace(solution, theta=starts[0])
        return self._settle(solution, original, masked)

    def _search(
        self, problem: LinkageProblem, starts: Sequence[np.ndarray], seconds: float
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
        )

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

    def _best_weights(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Weights of the best weighted mean found in a share of the time, and simpler ones.

        Every family that contains the weighted means starts from them, so that none ends below.
        """
        starts = simple_weights(original, masked)
        problem = linkage_problem(original, masked, WeightedMean(), Orthant(original.shape[1]))
        best = self._search(problem, starts, _START_SHARE * self._seconds).theta
        return starts if best is None else [*starts, np.maximum(best, 0.0)]


def simple_weights(original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
    """Equal weights, and the inverse variance of each difference."""
    n_features = original.shape[1]
    variance = np.var(original - masked, axis=0)
    largest = variance.max()
    inverse = 1 / np.maximum(variance, 1e-12 * largest) if largest > 0 else np.ones(n_features)
    return [np.full(n_features, 1 / n_features), inverse / inverse.sum()]
