"""Solvers know rows and domains: never a distance, never the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sklearn_reclink.solvers.exact import solve_exact
from sklearn_reclink.solvers.large import MOST_RECORDS, solve_large
from sklearn_reclink.solvers.problem import LinkageProblem, Solution

__all__ = ["solve"]


def solve(
    problem: LinkageProblem,
    *,
    time_limit: float = 60.0,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    start: Iterable[np.ndarray] = (),
    later: Callable[[float], Iterable[np.ndarray]] | None = None,
) -> Solution:
    """The parameters that link the most records, and a proven bound.

    Parameters
    ----------
    problem : LinkageProblem
    time_limit : float
        Seconds after which the search stops and returns what it has.
    n_jobs : int or None
        Threads.
    random_state : int, RandomState instance or None
        Seeds the order in which records are tried; the optimum does not depend on it.
    verbose : int
        Above 0, progress is printed.
    start : iterable of ndarray
        Parameters to start from.
    later : callable
        Finds more of them in the seconds it is given. A proof needs none, so it is asked only
        when a search has gone on for long, or cannot end in a proof.
    """
    from sklearn.utils import check_random_state

    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    search = solve_large if problem.n_records > MOST_RECORDS else solve_exact
    try:
        return search(
            problem,
            time_limit=time_limit,
            n_jobs=n_jobs,
            rng=np.random.default_rng(seed),
            verbose=verbose,
            start=start,
            later=later,
        )
    except SystemError as error:
        # what numba makes of an interrupt that arrives while it converts arguments
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is None:
            raise
        raise KeyboardInterrupt from error
