"""The parameters that link the most records, with a proof.

Presolve and the starts of the family come first; then one of two proofs, or both. They share one
incumbent, which is always a recount (`incumbent`), and one bound, which only proofs move:

    records  -  never linked (presolve)  -  losses proven   >=   optimum

*Cells* (`cells`) bisect the cone of parameters. They do not care how many records miss, and serve
the simplicial cones of few parameters: weighted means and OWA. *Conflicts* (`covering`) do not care
how many parameters there are, and serve all cones as long as few records miss. Where both apply,
cells go first and conflicts use what time they leave.

*Late starts* take long to find, and a proof needs none: they are asked for only when a search has
gone on for long, or cannot end in a proof. They are the best weighted mean, so that no family that
contains the weighted means ends below them; for capacities of a long file also that of `hlms`.

At the time limit the best parameters and the bound so far are returned; both stay valid.
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from joblib import cpu_count, effective_n_jobs
from threadpoolctl import threadpool_limits

from sklearn_reclink.families import Choquet, WeightedMean
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells.search import compile_kernels as compile_cells
from sklearn_reclink.solvers.cells.search import prove_by_cells
from sklearn_reclink.solvers.covering.search import CoveringSearch
from sklearn_reclink.solvers.feasibility import Feasibility, compile_kernels
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import MOST_PAIRS, presolve
from sklearn_reclink.solvers.problem import Problem, Solution, Status
from sklearn_reclink.solvers.row_cache import AllRows

MOST_RECORDS = 3500
_MOST_CELL_PARAMETERS = 8
_SHARE_OF_CELLS = 0.7
_SHARE_BEFORE_BLOCKS = 0.3
_SHARE_BEFORE_LATE = 0.7
_SHARE_OF_HLMS = 0.7  # of the time for late starts

LateStarts = Callable[[float], list[np.ndarray]]


def solve(
    problem: Problem,
    *,
    rng: np.random.Generator,
    time_limit: float = 60.0,
    verbose: int = 0,
    most_records: int = MOST_RECORDS,
) -> Solution:
    """The parameters that link the most records, and a proven bound.

    Parameters
    ----------
    problem : Problem
    rng : numpy.random.Generator
        Orders what is tried; the optimum does not depend on it.
    time_limit : float
        Seconds after which the search stops and returns what it has.
    verbose : int
        Above 0, progress is printed.
    most_records : int
        Beyond so many records line searches look for parameters, and presolve gives the bound.
    """
    late = partial(late_starts, problem, rng=rng, most_records=most_records)
    strategy: Callable[..., Solution] = solve_exact
    deadline = time.monotonic() + time_limit
    if problem.index.n_records > most_records:
        if time_limit < np.inf:
            time_limit *= _SHARE_BEFORE_BLOCKS
        from sklearn_reclink.solvers.line_search import solve_by_line_search

        strategy = solve_by_line_search
    try:
        found = strategy(problem, time_limit=time_limit, rng=rng, verbose=verbose, late_starts=late)
        if found.status is Status.TIME_LIMIT and time.monotonic() < deadline:
            from sklearn_reclink.solvers.blocks.search import improve_by_blocks

            found = improve_by_blocks(problem, found, deadline=deadline, rng=rng, verbose=verbose)
        return found
    except SystemError as error:
        # what numba makes of an interrupt that arrives while it converts arguments
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is None:
            raise
        raise KeyboardInterrupt from error


def late_starts(
    problem: Problem, seconds: float, *, rng: np.random.Generator, most_records: int
) -> list[np.ndarray]:
    """Parameters found in some seconds by searches of simpler families."""
    family, index = problem.family, problem.index
    n_features = family.n_features
    found = []
    if type(family) is Choquet and index.n_records > most_records:
        from sklearn_reclink.solvers.hlms.learner import learn

        found.append(
            learn(
                index.original,
                index.masked,
                rng=rng,
                time_limit=_SHARE_OF_HLMS * seconds,
                n_jobs=index.n_jobs,
            ).capacity[1:]
        )
        seconds *= 1 - _SHARE_OF_HLMS
    mean = family.from_weights(np.ones(n_features))
    if mean is not None and not isinstance(family, WeightedMean):
        means = Problem(WeightedMean(n_features), index)
        best = solve(means, rng=rng, time_limit=max(seconds, 0.0), most_records=most_records).theta
        if best is not None and (theta := family.from_weights(np.maximum(best, 0.0))) is not None:
            found.append(theta)
    return found


def solve_exact(
    problem: Problem,
    *,
    time_limit: float,
    rng: np.random.Generator,
    verbose: int = 0,
    late_starts: LateStarts | None = None,
    most_pairs: int = MOST_PAIRS,
) -> Solution:
    """Maximise the number of linked records over the cone of the family."""
    family, index = problem.family, problem.index
    by_cells = (
        family.monotone
        and family.generators is not None
        and family.n_parameters <= _MOST_CELL_PARAMETERS
    )
    _compile(problem, by_cells)
    begin = time.monotonic()

    def report(stage: str, losses: int) -> None:
        if verbose:
            print(
                f"[{time.monotonic() - begin:6.1f} s] {stage}: {incumbent.n_linked} of "
                f"{index.n_records} records linked, at most "
                f"{index.n_records - len(presolved.never) - losses} can be"
            )

    deadline = begin + time_limit
    presolved = presolve(problem, most_pairs=most_pairs, deadline=begin + time_limit / 2)
    feasibility = Feasibility(problem, presolved, deadline)
    incumbent = Incumbent(problem, presolved, feasibility)
    starts = [family.centre, *family.starts(index.original, index.masked)]
    for theta in sorted(starts, key=incumbent.forecast, reverse=True):
        incumbent.offer(theta)
    losses, conflicts = 0, tuple[np.ndarray, ...]()
    report("presolve and starts", losses)
    # the products here are small: threads of the linear algebra would only get in the way
    with threadpool_limits(1):
        if by_cells and presolved.complete:
            until = begin + _SHARE_OF_CELLS * time_limit
            losses = _lose_by_cells(problem, feasibility, incumbent, until)
            report("cells", losses)
        if losses < incumbent.losses:
            if by_cells:  # compilation does not count
                before = time.monotonic()
                with _no_collection():
                    compile_kernels()
                deadline = feasibility.deadline = deadline + time.monotonic() - before
            n_threads = min(effective_n_jobs(index.n_jobs), cpu_count())  # a cluster has more
            search = CoveringSearch(
                feasibility, incumbent, rng, n_threads, losses, _SHARE_BEFORE_LATE, late_starts
            )
            losses, conflicts = search.run(), search.conflicts
            report("conflicts", losses)
        incumbent.deepen()
    bound = index.n_records - len(presolved.never) - losses
    status = Status.OPTIMAL
    if incumbent.n_linked < bound:
        status = Status.TIME_LIMIT if time.monotonic() >= deadline else Status.UNDECIDED
    return Solution(incumbent.theta, incumbent.n_linked, bound, status, conflicts)


def _lose_by_cells(
    problem: Problem, feasibility: Feasibility, incumbent: Incumbent, deadline: float
) -> int:
    """How many open records are lost at least; candidates go to the incumbent."""
    generators, every = problem.family.generators, feasibility.source
    assert generators is not None and isinstance(every, AllRows)
    n_open = len(incumbent.open)
    proof = prove_by_cells(
        every.rows,
        every.magnitudes,
        every.owners,
        generators,
        at_least=n_open - incumbent.losses,
        deadline=deadline,
        n_jobs=problem.index.n_jobs,
    )
    if proof.theta is not None:
        incumbent.offer(proof.theta)
    return n_open - proof.bound


def _compile(problem: Problem, by_cells: bool) -> None:
    """Load or compile the kernels, so that the clock starts on the problem itself."""
    family, index = problem.family, problem.index
    if not family.monotone or not index.is_dense:
        few = Index(index.original[:2], index.masked[:2], dense_pairs=0)
        few.nearest_impostors(family, family.centre[None], np.arange(1))
        if not index.is_dense:
            few.linked(family, family.centre)
            _ = few.dominated
    with _no_collection():
        if by_cells:
            compile_cells()
        else:
            compile_kernels()


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector, which takes a fifth of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
