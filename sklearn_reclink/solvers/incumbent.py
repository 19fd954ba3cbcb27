"""The best parameters so far, always by recount.

A solver's claim to have linked a record counts for nothing: the records that parameters link
are counted with the distances themselves and the rule of `ties`. The oracle's rows give a quick
forecast of the count, so that most candidates never need one.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.solvers.feasibility import Oracle
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import LinkageProblem


class Incumbent:
    """Keeps the parameters that link the most records.

    Attributes
    ----------
    theta : ndarray or None
    linked : ndarray of bool
        Which records ``theta`` links, (n_records,).
    """

    def __init__(self, problem: LinkageProblem, presolved: Presolved, oracle: Oracle) -> None:
        self.problem = problem
        self.oracle = oracle
        self.open = presolved.open
        self.theta: np.ndarray | None = None
        self.linked = np.zeros(problem.n_records, dtype=bool)

    @property
    def n_linked(self) -> int:
        return int(self.linked.sum())

    @property
    def losses(self) -> int:
        """Open records that the best parameters lose."""
        return int(np.count_nonzero(~self.linked[self.open]))

    def offer(self, theta: np.ndarray) -> bool:
        """Keep ``theta`` if it is admissible and links more than the best so far."""
        return self._keep(theta, self.n_linked + 1 if self.theta is not None else 0)

    def deepen(self) -> None:
        """Move to the parameters of largest margin that link the same records.

        Among all optimal parameters these lie deepest inside their cell: they are the best
        conditioned, and carry over best to records not seen.
        """
        kept = np.intersect1d(self.open, np.flatnonzero(self.linked))
        theta = self.oracle.deepest(kept) if len(kept) else None
        if theta is not None:
            self._keep(theta, self.n_linked)

    def _keep(self, theta: np.ndarray, at_least: int) -> bool:
        size = np.abs(theta).sum()
        if not np.isfinite(size) or size == 0:
            return False
        theta = self.problem.domain.repair(theta / size)  # last, for scaling rounds
        if not self.problem.domain.contains(theta) or self.forecast(theta) < at_least:
            return False
        linked = self.problem.linked(theta)
        if linked.sum() < at_least:
            return False
        self.theta, self.linked = theta, linked
        return True

    def forecast(self, theta: np.ndarray) -> int:
        """About how many records ``theta`` links, without a recount."""
        lost = int(np.count_nonzero(~self.oracle.satisfied(theta, self.open)))
        return self.problem.n_records - self.oracle.n_never - lost
