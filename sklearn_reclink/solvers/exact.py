"""The exact solver: the most records that any admissible parameters link, with the proof.

Presolve and the given starts come first; then one of two proofs, or both. They share one
incumbent, which is always a recount (`incumbent`), and one bound, which only proofs move:

    records  -  never linked (presolve)  -  losses proven   >=   optimum

*Cells* (`cells`) bisect the cone of parameters. They do not care how many records miss, and serve
the simplicial cones of few parameters: weighted means and OWA. *Conflicts* (`covering`) do not care
how many parameters there are, and serve all cones as long as few records miss. Where both apply,
cells go first and conflicts use what time they leave.

At the time limit the best parameters and the bound so far are returned; both stay valid.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np
from joblib import cpu_count, effective_n_jobs
from threadpoolctl import threadpool_limits

from sklearn_reclink.solvers.active_set import thin_out
from sklearn_reclink.solvers.cells.search import prove_by_cells
from sklearn_reclink.solvers.covering.search import CoveringSearch
from sklearn_reclink.solvers.feasibility import Oracle
from sklearn_reclink.solvers.impostors import AllRows
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import compile_kernels as presolve_kernels
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import LinkageProblem, Solution, Status

_MOST_CELL_PARAMETERS = 8
_SHARE_OF_CELLS = 0.7
_SHARE_BEFORE_LATE = 0.7


def solve_exact(
    problem: LinkageProblem,
    *,
    time_limit: float,
    n_jobs: int | None,
    rng: np.random.Generator,
    verbose: int = 0,
    start: Iterable[np.ndarray] = (),
    later: Callable[[float], Iterable[np.ndarray]] | None = None,
) -> Solution:
    """Maximise the number of linked records over the domain of the problem."""
    by_cells = (
        problem.monotone
        and problem.domain.generators is not None
        and problem.n_parameters <= _MOST_CELL_PARAMETERS
    )
    _compile(problem, by_cells)
    begin = time.monotonic()

    def report(stage: str, losses: int) -> None:
        if verbose:
            print(
                f"[{time.monotonic() - begin:6.1f} s] {stage}: {incumbent.n_linked} of "
                f"{problem.n_records} records linked, at most "
                f"{problem.n_records - len(presolved.never) - losses} can be"
            )

    deadline = begin + time_limit
    presolved = presolve(problem, n_jobs)
    by_cells = by_cells and presolved.complete
    oracle = Oracle(problem, presolved, deadline)
    incumbent = Incumbent(problem, presolved, oracle)
    for theta in sorted((problem.domain.centre, *start), key=incumbent.forecast, reverse=True):
        incumbent.offer(theta)
    losses = 0
    report("presolve and starts", losses)
    # the products here are small: threads of the linear algebra would only get in the way
    with threadpool_limits(1):
        if by_cells:
            losses = _lose_by_cells(oracle, incumbent, begin + _SHARE_OF_CELLS * time_limit, n_jobs)
            report("cells", losses)
        if losses < incumbent.losses:
            n_threads = min(effective_n_jobs(n_jobs), cpu_count())  # a cluster has more workers
            search = CoveringSearch(
                oracle, incumbent, rng, n_threads, losses, _SHARE_BEFORE_LATE, later
            )
            losses = search.run()
            report("conflicts", losses)
        incumbent.deepen()
    bound = problem.n_records - len(presolved.never) - losses
    status = Status.OPTIMAL
    if incumbent.n_linked < bound:
        status = Status.TIME_LIMIT if time.monotonic() >= deadline else Status.UNDECIDED
    return Solution(incumbent.theta, incumbent.n_linked, bound, status)


def _lose_by_cells(
    oracle: Oracle, incumbent: Incumbent, deadline: float, n_jobs: int | None
) -> int:
    """How many open records are lost at least; candidates go to the incumbent."""
    generators, every = oracle.problem.domain.generators, oracle.threats
    assert generators is not None and isinstance(every, AllRows)
    n_open = len(incumbent.open)
    proof = prove_by_cells(
        every.rows,
        every.magnitudes,
        every.owners,
        generators,
        at_least=n_open - incumbent.losses,
        deadline=deadline,
        n_jobs=n_jobs,
    )
    if proof.theta is not None:
        incumbent.offer(proof.theta)
    return n_open - proof.bound


def _compile(problem: LinkageProblem, by_cells: bool) -> None:
    """Load or compile the kernels, so that the clock starts on the problem itself."""
    if not problem.monotone:
        problem.nearest_impostors(problem.domain.centre[None], np.arange(1))
    rows = np.array([[1.0, -1.0], [-1.0, 2.0], [-1.0, 1.0]])
    presolve_kernels()
    thin_out(rows, np.ones(3), np.arange(3), np.arange(3), 3)
    if by_cells:
        prove_by_cells(rows, np.abs(rows), np.arange(3), np.eye(2))
