"""The exact solver: the most records that any admissible parameters link, with the proof.

Presolve, strong candidates first, then the proof. All parts share one incumbent, counted by
`incumbent`, and one bound, which only proofs move:

    records  -  never linked (presolve)  -  losses proven (covering)   >=   optimum

At the time limit the best parameters and the bound so far are returned; both stay valid.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_reclink.presolve import presolve
from sklearn_reclink.problem import LinkageProblem, Solution, Status
from sklearn_reclink.solvers.covering import CoveringSearch
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.oracle import Oracle


def solve_exact(
    problem: LinkageProblem,
    *,
    time_limit: float,
    rng: np.random.Generator,
    start: Iterable[np.ndarray] = (),
) -> Solution:
    """Maximise the number of linked records over the domain of the problem."""
    deadline = time.monotonic() + time_limit
    presolved = presolve(problem)
    oracle = Oracle(problem, presolved)
    incumbent = Incumbent(problem, presolved, oracle)
    for theta in (problem.domain.centre, *start):
        incumbent.offer(theta)
    search = CoveringSearch(oracle, presolved.open, incumbent, deadline, rng)
    # the products here are small: threads of the linear algebra would only get in the way
    with threadpool_limits(1):
        search.run()
        incumbent.deepen()
    bound = problem.n_records - len(presolved.never) - search.bound
    status = Status.OPTIMAL if incumbent.n_linked == bound else Status.TIME_LIMIT
    return Solution(incumbent.theta, incumbent.n_linked, bound, status)
