"""Large files: what presolve proves, and the best parameters that time allows.

The bound is the ceiling of every monotone attacker (or, for other distances, all records that have
a masked record of their own), found by a tree. Parameters come from the starts and from line
searches (`lines`); every count is one of the whole file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from sklearn_reclink.solvers.line_search import search_lines
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem, Solution, Status

# Records beyond which rows of all of them are not held.
MOST_RECORDS = 3500
_SHARE_OF_LATER = 0.7  # of the time, for starts that take long to find


class _Best:
    """The parameters that link the most records of the whole file."""

    def __init__(self, problem: Problem, n_jobs: int | None) -> None:
        self.problem, self.n_jobs = problem, n_jobs
        self.theta: np.ndarray | None = None
        self.n_linked = -1

    def offer(self, theta: np.ndarray) -> bool:
        size = np.abs(theta).sum()
        if not np.isfinite(size) or size == 0:
            return False
        theta = self.problem.domain.repair(theta / size)
        if not self.problem.domain.contains(theta):
            return False
        n_linked = int(self.problem.linked(theta, self.n_jobs).sum())
        if n_linked <= self.n_linked:
            return False
        self.theta, self.n_linked = theta, n_linked
        return True


def solve_large(
    problem: Problem,
    *,
    time_limit: float,
    n_jobs: int | None,
    rng: np.random.Generator,
    verbose: int = 0,
    start: Iterable[np.ndarray] = (),
    later: Callable[[float], Iterable[np.ndarray]] | None = None,
) -> Solution:
    """The best parameters found, and the bound of presolve."""
    begin = time.monotonic()
    presolved = presolve(problem, n_jobs)
    bound = problem.n_records - len(presolved.never)
    best = _Best(problem, n_jobs)

    slowest = 0.0

    def offer(theta: np.ndarray) -> bool:
        nonlocal slowest
        before = time.monotonic()
        gained = best.offer(theta)
        slowest = max(slowest, time.monotonic() - before)
        if verbose:
            print(
                f"[{time.monotonic() - begin:6.1f} s] {best.n_linked} of {problem.n_records} "
                f"records linked, at most {bound} can be",
                flush=True,
            )
        return gained

    for theta in (problem.domain.centre, *start):
        offer(theta)
    if later is not None and best.n_linked < bound:
        for theta in later(_SHARE_OF_LATER * (begin + time_limit - time.monotonic())):
            offer(theta)
    if best.theta is not None and best.n_linked < bound:
        # the last candidate is counted too, and once more by the estimator
        deadline = begin + time_limit - 2 * slowest
        search_lines(problem, presolved.open, best.theta, offer, deadline=deadline, rng=rng)
    status = Status.HEURISTIC if time_limit == np.inf else Status.TIME_LIMIT
    if best.n_linked == bound:
        status = Status.OPTIMAL
    return Solution(best.theta, max(best.n_linked, 0), bound, status)
