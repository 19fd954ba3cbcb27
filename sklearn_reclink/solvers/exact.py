"""The parameters that link the most records, with a proof.

Presolve and the starts of the family come first; then one of two proofs, or both. They share one
incumbent, which is always a recount (`incumbent`), and one bound, which only proofs move:

    records  -  never linked (presolve)  -  losses proven   >=   optimum

*Cells* (`cells`) bisect the cone of parameters. They do not care how many records miss, and serve
the simplicial cones of few parameters: weighted means and OWA. *Conflicts* (`covering`) do not care
how many parameters there are, and serve all cones as long as few records miss. Where both apply,
cells go first and conflicts use what time they leave.

*Late starts* (`starts`) take long to find, and a proof needs none: they are asked for only when a
search has gone on for long, or cannot end in a proof. Where presolve took a good part of the time,
there will be no time for them later: they come at once.

*Files of any size.* The rows of a small file are held. In a large one they are found by the index
as parameters violate them, cells grow the ones they need (`cells.rows`), and before conflicts are
looked for, late starts and line searches find parameters that link many. Cells take a good
incumbent, too: a few line searches come first. Where the proof of a large
file is not near, random blocks of its records bound it (`blocks`). One block tells beforehand if
cells cannot be in time.

At the time limit the best parameters and the bound so far are returned; both stay valid. What takes
as long as a count of the file begins only where there is time for it.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from threadpoolctl import threadpool_limits

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells.search import compile_kernels as compile_cells
from sklearn_reclink.solvers.cells.search import prove_by_cells, prove_with_few_rows
from sklearn_reclink.solvers.covering.search import CoveringSearch
from sklearn_reclink.solvers.feasibility import AllRows, Feasibility, compile_kernels
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import MOST_PAIRS, presolve
from sklearn_reclink.solvers.problem import Problem, Solution, Status
from sklearn_reclink.solvers.starts import (
    LateStarts,
    late_starts,
    search_large,
    seconds_of_count,
)

_MOST_PAIRS_OF_CELLS = 4_000_000  # beyond, few rows do
_MOST_CELL_PARAMETERS = 8
_SHARE_OF_CELLS = 0.7
_SHARE_OF_CELLS_OF_LARGE = 0.9
_SHARE_OF_MIXED_LINES = 0.3  # of the time, where categories make simple starts poor
_SHARE_OF_REVIEW = 0.2  # of the time, after which a proof by cells must be near
_SHARE_BEFORE_BLOCKS = 0.3  # of a large file far from a proof
_SHARE_WITHOUT_CELLS = 0.2  # the same where cells cannot be in time
_LEAST_OF_BLOCKS = 0.1
_NEAR_PROOF = 0.01  # of the records
_SHARE_OF_CONFLICTS = 0.5  # of a large file, before blocks
_SHARE_BEFORE_LATE = 0.7
_SHARE_OF_SLOW_PRESOLVE = 0.1  # from which on late starts come at once
_SHARE_OF_EARLY_STARTS = 0.25  # of the time left
_SHARE_OF_STARTS = 0.5  # of a large file
_SHARE_OF_FIRST_LINES = 0.15  # of a large file, before cells
_MOST_OF_FIRST_LINES = 5  # times what presolve and starts took
_MOST_RESERVED = 0.3
_COUNTS = 20  # that a search by conflicts takes at least


def solve(
    problem: Problem,
    *,
    rng: np.random.Generator,
    time_limit: float = 60.0,
    at_least: int = 0,
    verbose: int = 0,
    most_pairs: int = MOST_PAIRS,
) -> Solution:
    """The parameters that link the most records, and a proven bound.

    Parameters
    ----------
    problem : Problem
    rng : numpy.random.Generator
        Orders what is tried; the optimum does not depend on it.
    time_limit : float
        Seconds after which the search stops and returns what it has.
    at_least : int
        Links found elsewhere: the search also stops as soon as the bound is at most that.
    verbose : int
        Above 0, progress is printed.
    most_pairs : int
        Pairs of an original and a masked record beyond which rows are not held.
    """
    late = partial(late_starts, problem, solve=solve_exact, rng=rng, most_pairs=most_pairs)
    deadline = time.monotonic() + time_limit
    try:
        found = solve_exact(
            problem,
            time_limit=time_limit,
            rng=rng,
            at_least=at_least,
            verbose=verbose,
            late_starts=late,
            most_pairs=most_pairs,
            for_blocks=time_limit < np.inf,
        )
        left = deadline - time.monotonic()
        if found.status is Status.TIME_LIMIT and left > max(_LEAST_OF_BLOCKS * time_limit, 1.0):
            from sklearn_reclink.solvers.blocks.search import improve_by_blocks

            found = improve_by_blocks(
                problem, found, deadline=deadline, rng=rng, at_least=at_least, verbose=verbose
            )
        return found
    except SystemError as error:
        # what numba makes of an interrupt that arrives while it converts arguments
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is None:
            raise
        raise KeyboardInterrupt from error


def solve_exact(
    problem: Problem,
    *,
    time_limit: float,
    rng: np.random.Generator,
    at_least: int = 0,
    verbose: int = 0,
    late_starts: LateStarts | None = None,
    most_pairs: int = MOST_PAIRS,
    for_blocks: bool = False,
) -> Solution:
    """Maximise the number of linked records over the cone of the family.

    With ``for_blocks``, the search of a large file leaves time where its proof is not near.
    """
    family, index = problem.family, problem.index
    by_cells = _cells_apply(family)
    compile_search(problem)
    begin = time.monotonic()

    def report(stage: str, losses: int) -> None:
        if verbose:
            print(
                f"[{time.monotonic() - begin:6.1f} s] {stage}: {incumbent.n_linked} of "
                f"{index.n_records} records linked, at most "
                f"{index.n_records - len(presolved.never) - losses} can be",
                flush=True,
            )

    if by_cells:
        most_pairs = min(most_pairs, _MOST_PAIRS_OF_CELLS)
    large = index.n_records * index.n_masked > most_pairs
    for_blocks = for_blocks and large
    if for_blocks and not by_cells:
        time_limit *= _SHARE_OF_CONFLICTS
    presolved = presolve(problem, most_pairs=most_pairs, deadline=begin + time_limit / 2)
    feasibility = Feasibility(problem, presolved, begin + time_limit)
    incumbent = Incumbent(problem, presolved, feasibility, at_least)
    starts = family.all_starts(index.original, index.masked)
    if incumbent.forecasts:
        starts = sorted(starts, key=incumbent.forecast, reverse=True)
    for theta in starts:
        in_time = time.monotonic() < begin + time_limit / 2
        if incumbent.forecasts or incumbent.theta is None or in_time:
            incumbent.offer(theta)
    count = seconds_of_count(problem, incumbent) if large else 0.0
    # the last candidate is counted too, and once more by the estimator
    reserved = min(2 * incumbent.slowest, _MOST_RESERVED * time_limit) if large else 0.0
    deadline = feasibility.deadline = begin + time_limit - reserved
    losses, conflicts = 0, tuple[np.ndarray, ...]()
    report("presolve and starts", losses)
    slow = time.monotonic() - begin > _SHARE_OF_SLOW_PRESOLVE * time_limit
    if slow and not large and late_starts is not None and incumbent.losses:
        for theta in late_starts(_SHARE_OF_EARLY_STARTS * (deadline - time.monotonic())):
            incumbent.offer(theta)
        late_starts = None
        report("late starts", losses)
    # the products here are small: threads of the linear algebra would only get in the way
    with threadpool_limits(1):
        enough = not large or _COUNTS * count < (1 - _SHARE_OF_STARTS) * time_limit
        if by_cells and large and incumbent.losses:
            seconds = _MOST_OF_FIRST_LINES * (time.monotonic() - begin)
            until = time.monotonic() + min(seconds, _SHARE_OF_FIRST_LINES * time_limit)
            search_large(problem, incumbent, rng, until, None, all_pairs=True)
            report("line searches", losses)
        if family.caps is not None and not large and incumbent.losses:
            until = time.monotonic() + _SHARE_OF_MIXED_LINES * (deadline - time.monotonic())
            search_large(problem, incumbent, rng, until, None, all_pairs=True)
            report("line searches", losses)
        before_blocks = _SHARE_BEFORE_BLOCKS
        if for_blocks and by_cells and _cells_take_longer(problem, incumbent, time_limit, rng):
            enough, before_blocks = False, _SHARE_WITHOUT_CELLS
        if by_cells and enough:
            share = _SHARE_OF_CELLS_OF_LARGE if large else _SHARE_OF_CELLS
            until = min(begin + share * time_limit, deadline)
            review = begin + _SHARE_OF_REVIEW * time_limit if for_blocks else np.inf
            losses = _lose_by_cells(problem, feasibility, incumbent, until, review)
            report("cells", losses)
        if large and losses < incumbent.losses:
            until = begin + _SHARE_OF_STARTS * time_limit
            if by_cells:
                until = begin + before_blocks * time_limit if for_blocks else deadline
            elif not enough:
                until = deadline
            search_large(problem, incumbent, rng, until, late_starts, all_pairs=by_cells or enough)
            report("line searches", losses)
        in_time = not large or deadline - time.monotonic() >= _COUNTS * count
        in_time = in_time and not (for_blocks and by_cells)
        if losses < incumbent.losses and in_time:
            if by_cells:  # compilation does not count
                before = time.monotonic()
                with _no_collection():
                    compile_kernels(family)
                deadline = feasibility.deadline = deadline + time.monotonic() - before
            n_threads = min(effective_n_jobs(index.n_jobs), cpu_count())  # a cluster has more
            search = CoveringSearch(
                feasibility,
                incumbent,
                rng,
                n_threads,
                losses,
                1.0 if large else _SHARE_BEFORE_LATE,
                None if large else late_starts,
            )
            losses, conflicts = search.run(), search.conflicts
            report("conflicts", losses)
        if incumbent.n_linked > at_least and (not large or incumbent.losses == losses):
            incumbent.deepen()
    bound = index.n_records - len(presolved.never) - losses
    status = Status.OPTIMAL
    if max(incumbent.n_linked, at_least) < bound:
        in_time = in_time and time.monotonic() < deadline
        status = Status.UNDECIDED if in_time else Status.TIME_LIMIT
    return Solution(incumbent.theta, incumbent.n_linked, bound, status, conflicts)


def _cells_take_longer(
    problem: Problem, incumbent: Incumbent, time_limit: float, rng: np.random.Generator
) -> bool:
    """Whether one block shows that a proof by cells is out of reach."""
    if incumbent.theta is None or not incumbent.losses:
        return False
    from sklearn_reclink.solvers.blocks.search import takes_longer

    seconds = time_limit * min(effective_n_jobs(problem.index.n_jobs), cpu_count())
    return takes_longer(problem, incumbent.theta, incumbent.open, seconds, rng)


def _lose_by_cells(
    problem: Problem,
    feasibility: Feasibility,
    incumbent: Incumbent,
    deadline: float,
    review: float,
) -> int:
    """How many open records are lost at least; candidates go to the incumbent.

    The search ends at the review if the bound is then not near the links.
    """
    generators, source = problem.family.generators, feasibility.source
    assert generators is not None
    n_open = len(incumbent.open)
    options: dict[str, Any] = {
        "at_least": n_open - incumbent.losses,
        "deadline": deadline,
        "review": review,
        "near": int(_NEAR_PROOF * n_open),
        "n_jobs": problem.index.n_jobs,
    }
    if isinstance(source, AllRows):
        held = source.rows, source.magnitudes, source.owners
        proof = prove_by_cells(*held, generators, **options)
    else:
        proof = prove_with_few_rows(problem, incumbent.open, incumbent.theta, **options)
    if proof.theta is not None:
        incumbent.offer(proof.theta)
    return n_open - proof.bound


def _cells_apply(family: Family) -> bool:
    few = family.n_parameters <= _MOST_CELL_PARAMETERS
    return family.monotone and family.generators is not None and few


def compile_search(problem: Problem) -> None:
    """Load or compile the kernels, so that the clock starts on the problem itself."""
    family, index = problem.family, problem.index
    if not family.monotone or not index.is_dense:
        few = Index(index.original[:2], index.masked[:2], caps=index.caps, dense_pairs=0)
        few.nearest_impostors(family, family.centre[None], np.arange(1))
        if not index.is_dense:
            few.linked(family, family.centre)
            _ = few.dominated
    with _no_collection():
        if _cells_apply(family):
            compile_cells()
        else:
            compile_kernels(family)


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
