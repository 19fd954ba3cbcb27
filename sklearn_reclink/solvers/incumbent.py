"""The best parameters so far, always by recount.

A solver's claim to have linked a record counts for nothing: the records that parameters link
are counted with the distances themselves and the rule of `search.ties`. The rows found so far give
a quick forecast of the count, so that most candidates never need one. Where presolve left all rows
that matter, and for matrices that no tree prunes, only records of small margin are counted again.
"""

import time

import numpy as np

from sklearn_reclink.families.base import QUICK_ROUNDING
from sklearn_reclink.solvers.feasibility import Feasibility
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import Problem

_CLOSE = 1e-6  # margins of unit rows that rounding might change


class Incumbent:
    """Keeps the parameters that link the most records.

    Parameters
    ----------
    problem, presolved, feasibility
        What is searched.
    at_least : int
        Links found elsewhere: only parameters that link more matter.

    Attributes
    ----------
    theta : ndarray or None
    linked : ndarray of bool
        Which records ``theta`` links, (n_records,).
    slowest : float
        The most seconds that a count took.
    """

    def __init__(
        self,
        problem: Problem,
        presolved: Presolved,
        feasibility: Feasibility,
        at_least: int = 0,
    ) -> None:
        self.family, self.index = problem.family, problem.index
        self.presolved = presolved
        self.feasibility = feasibility
        self.open = presolved.open
        self.at_least = at_least
        self.theta: np.ndarray | None = None
        self.linked = np.zeros(self.index.n_records, dtype=bool)
        self.slowest = 0.0

    @property
    def n_linked(self) -> int:
        return int(self.linked.sum())

    @property
    def losses(self) -> int:
        """Open records that the best parameters lose, here or elsewhere."""
        elsewhere = self.index.n_records - len(self.presolved.never) - self.at_least
        return max(0, min(int(np.count_nonzero(~self.linked[self.open])), elsewhere))

    @property
    def forecasts(self) -> bool:
        """Whether a forecast takes less time than a count."""
        by_formula = not self.family.monotone and self.index.is_dense
        return self.presolved.complete or by_formula

    def offer(self, theta: np.ndarray) -> bool:
        """Keep ``theta`` if it is admissible and links more than the best so far."""
        least = max(self.n_linked, self.at_least) + 1
        return self._keep(theta, least if self.theta is not None else 0)

    def deepen(self) -> None:
        """Move to the parameters of largest margin that link the same records.

        Among all optimal parameters these lie deepest inside their cell: they are the best
        conditioned, and carry over best to records not seen.
        """
        kept = np.intersect1d(self.open, np.flatnonzero(self.linked))
        theta = self.feasibility.deepest(kept) if len(kept) else None
        if theta is not None:
            self._keep(theta, self.n_linked)

    def _keep(self, theta: np.ndarray, at_least: int) -> bool:
        size = np.abs(theta).sum()
        if not np.isfinite(size) or size == 0:
            return False
        admissible = self.family.admissible(theta / size)
        if admissible is None or (self.forecasts and self.forecast(admissible) < at_least):
            return False
        theta = admissible
        begin = time.monotonic()
        linked = self._count(theta)
        self.slowest = max(self.slowest, time.monotonic() - begin)
        if linked.sum() < at_least:
            return False
        self.theta, self.linked = theta, linked
        return True

    def forecast(self, theta: np.ndarray) -> int:
        """About how many records ``theta`` links, without a recount."""
        lost = int(np.count_nonzero(~self.feasibility.satisfied(theta, self.open)))
        return self.index.n_records - len(self.presolved.never) - lost

    def _count(self, theta: np.ndarray) -> np.ndarray:
        """Which records ``theta`` links, (n_records,)."""
        if not self.presolved.complete:
            if self.family.monotone or self._is_pruned(theta):
                return self.index.linked(self.family, theta)
            return self._count_by_margins(theta)
        linked = np.ones(self.index.n_records, dtype=bool)
        linked[self.presolved.never] = False
        if len(self.open):
            margins = self.feasibility.source.worst(theta[None], self.open)[1][0]
            linked[self.open] = margins > 0
            close = self.open[np.abs(margins) <= _CLOSE * np.linalg.norm(theta)]
            linked[close] = self.index.linked(self.family, theta, close)
        return linked

    def _is_pruned(self, theta: np.ndarray) -> bool:
        """Whether a tree counts without comparing all pairs."""
        formula = None if self.index.is_dense else self.family.formula(theta)
        return formula is not None and bool(formula.weights.any())

    def _count_by_margins(self, theta: np.ndarray) -> np.ndarray:
        """The same by quick margins; those that ties or rounding might explain are counted again.

        Both are far below the bound of all magnitudes that the largest coordinates give.
        """
        index, family = self.index, self.family
        files = index.original, index.masked
        _, margins, doubt = family.nearest_others(theta[None], *files, np.arange(index.n_records))
        largest = np.sum([np.fmax.reduce(np.abs(file), initial=0.0) for file in files], axis=0)
        if index.caps is not None:
            largest = np.minimum(largest, index.caps)
        magnitude = float(np.abs(theta) @ np.abs(family.features(largest)))
        linked = margins[0] > 0
        close = np.flatnonzero(np.abs(margins[0]) <= max(doubt, QUICK_ROUNDING * magnitude))
        linked[close] = index.linked(family, theta, close)
        return np.asarray(linked)
