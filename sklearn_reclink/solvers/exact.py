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
there will be no time for them later: they come at once. So they do in a mixed file, where simple
starts are poor.

*Files of any size.* The rows of a small file are held. In a large one they are found by the index
as parameters violate them, cells grow the ones they need (`cells.rows`), and before conflicts are
looked for, late starts and line searches find parameters that link many; a few line searches come
before cells, too. Where the proof is not near, random blocks of the records bound it (`blocks`).
One block tells beforehand if cells cannot be in time.

At the time limit the best parameters and the bound so far are returned; both stay valid. `shares`
says how time is divided. What takes as long as a count of a large file begins only if it can end.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells.search import compile_kernels as compile_cells
from sklearn_reclink.solvers.cells.search import prove_by_cells, prove_with_few_rows
from sklearn_reclink.solvers.covering.search import CoveringSearch
from sklearn_reclink.solvers.feasibility import (
    AllRows,
    Feasibility,
    compile_kernels,
    n_threads,
    no_collection,
    one_thread,
)
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import MOST_PAIRS, cells_apply, presolve
from sklearn_reclink.solvers.problem import Problem, Solution, Status
from sklearn_reclink.solvers.shares import SHARES, Shares
from sklearn_reclink.solvers.starts import LateStarts, late_starts, search_large, seconds_of_count

_MOST_PAIRS_OF_CELLS = 4_000_000  # beyond, cells start with few rows
_FEW = 50  # open records: conflicts settle at once what cells may split for ever
_NEAR_PROOF = 0.01  # of the records
_LINES_PER_START = 5  # seconds of the first line searches, for each that presolve and starts took
_COUNTS = 20  # of a large file, that a search by conflicts takes at least


def solve(
    problem: Problem,
    *,
    rng: np.random.Generator,
    time_limit: float = 60.0,
    at_least: int = 0,
    enough: int = 0,
    verbose: int = 0,
    most_pairs: int = MOST_PAIRS,
    shares: Shares = SHARES,
) -> Solution:
    """The parameters that link the most records, and a proven bound.

    Parameters
    ----------
    problem : Problem
    rng : numpy.random.Generator
        Orders what is tried; the optimum does not depend on it.
    time_limit, shares : float, Shares
        Seconds after which the search returns what it has, and how they are divided.
    at_least, enough : int
        Links found elsewhere: the search also stops as soon as the bound is at most that. Of the
        first only parameters that link more are looked for; the second changes no other step.
    verbose : int
        Above 0, progress is printed.
    most_pairs : int
        Pairs of an original and a masked record beyond which rows are not held.
    """
    size: dict[str, Any] = {"most_pairs": most_pairs, "shares": shares}
    options: dict[str, Any] = {"rng": rng, "verbose": verbose}
    deadline = time.monotonic() + time_limit
    found = solve_exact(
        problem,
        time_limit=time_limit,
        late_starts=partial(late_starts, problem, solve=solve_exact, rng=rng, **size),
        for_blocks=time_limit < np.inf,
        at_least=at_least,
        enough=enough,
        **size,
        **options,
    )
    left = deadline - time.monotonic()
    if found.status is Status.TIME_LIMIT and left > max(shares.blocks * time_limit, 1.0):
        from sklearn_reclink.solvers.blocks.search import improve_by_blocks

        most = max(at_least, enough)
        found = improve_by_blocks(problem, found, deadline=deadline, at_least=most, **options)
    return found


def solve_exact(problem: Problem, **options: Any) -> Solution:
    """The same without blocks; ``options`` are those of `ExactSearch`."""
    compile_search(problem)
    return ExactSearch(problem, **options).run()


class ExactSearch:
    """Maximises the number of linked records over the cone of a family.

    Parameters are those of `solve`; ``late_starts`` finds parameters in the seconds it is given,
    and with ``for_blocks`` the search of a large file leaves time where its proof is not near.
    ``losses`` are the open records proven to be lost, whatever the parameters.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        time_limit: float,
        rng: np.random.Generator,
        at_least: int = 0,
        enough: int = 0,
        verbose: int = 0,
        late_starts: LateStarts | None = None,
        most_pairs: int = MOST_PAIRS,
        for_blocks: bool = False,
        shares: Shares = SHARES,
    ) -> None:
        self.problem, self.rng, self.verbose = problem, rng, verbose
        self.at_least = max(at_least, enough)
        self.late_starts, self.shares = late_starts, shares
        self.by_cells = cells_apply(problem.family)
        if self.by_cells:
            most_pairs = min(most_pairs, _MOST_PAIRS_OF_CELLS)
        self.large = problem.index.n_records * problem.index.n_masked > most_pairs
        self.for_blocks = for_blocks and self.large
        self.n_threads = n_threads(problem.index.n_jobs)
        if self.for_blocks and not self.by_cells:
            time_limit *= shares.conflicts
        self.begin, self.time_limit = time.monotonic(), time_limit
        self.deadline = self._at(1.0)
        self.losses, self.conflicts = 0, tuple[np.ndarray, ...]()
        self.presolved = presolve(problem, most_pairs=most_pairs, deadline=self._at(0.5))
        self.feasibility = Feasibility(problem, self.presolved, self.deadline)
        self.incumbent = Incumbent(problem, self.presolved, self.feasibility, at_least)

    def _at(self, share: float) -> float:
        """The moment when a share of the time is gone."""
        return self.begin + share * self.time_limit

    @property
    def _bound(self) -> int:
        return self.problem.index.n_records - len(self.presolved.never) - self.losses

    @property
    def _enough(self) -> int:
        """Losses of open records that leave no more links than are known elsewhere."""
        return max(self._bound + self.losses - self.at_least, 0)

    @property
    def _open(self) -> bool:
        """Whether parameters better than all that is known are still possible."""
        return self.losses < min(self.incumbent.losses, self._enough)

    def _report(self, stage: str) -> None:
        if self.verbose:
            seconds, n_records = time.monotonic() - self.begin, self.problem.index.n_records
            print(
                f"[{seconds:6.1f} s] {stage}: {self.incumbent.n_linked} of {n_records} records "
                f"linked, at most {self._bound} can be",
                flush=True,
            )

    def run(self) -> Solution:
        """Search until proven or out of time."""
        self._offer_starts()
        with one_thread():
            complete = self._search_large() if self.large else self._search_small()
            if self.incumbent.n_linked > self.at_least and not (self.large and self._open):
                self.incumbent.deepen()
        best, status = self.incumbent, Status.OPTIMAL
        if max(best.n_linked, self.at_least) < self._bound:
            in_time = complete and time.monotonic() < self.deadline
            status = Status.UNDECIDED if in_time else Status.TIME_LIMIT
        return Solution(best.theta, best.n_linked, self._bound, status, self.conflicts)

    def _offer_starts(self) -> None:
        """Offer the starts of the family, the most promising first where that is known."""
        index, incumbent = self.problem.index, self.incumbent
        starts = self.problem.family.all_starts(index.original, index.masked)
        if incumbent.forecasts:
            starts = sorted(starts, key=incumbent.forecast, reverse=True)
        for theta in starts:
            in_time = time.monotonic() < self._at(0.5)
            if incumbent.forecasts or incumbent.theta is None or in_time:
                incumbent.offer(theta)
        self._report("presolve and starts")

    def _search_small(self) -> bool:
        """Cells, then conflicts, with all rows held; True, as both run until proven or late."""
        mixed = self.problem.family.caps is not None
        at_once = mixed or time.monotonic() > self._at(self.shares.slow_presolve)
        if at_once and self.late_starts is not None and self._open:
            left = self.deadline - time.monotonic()
            for theta in self.late_starts(self.shares.early_starts * left):
                self.incumbent.offer(theta)
            self.late_starts = None
            self._report("late starts")
        if mixed:
            left = self.deadline - time.monotonic()
            self._search_lines(time.monotonic() + self.shares.lines_of_mixed * left)
        if self.by_cells:
            few = len(self.incumbent.open) <= _FEW
            review = self.begin + self.shares.seconds_of_few if few else np.inf
            self._prove_by_cells(self._at(self.shares.cells), review)
        self._prove_by_conflicts(self.shares.before_late, self.late_starts)
        return True

    def _search_large(self) -> bool:
        """Line searches between proofs that can be in time; whether the last proof began."""
        shares, time_limit = self.shares, self.time_limit
        count = seconds_of_count(self.problem, self.incumbent)
        # the last candidate is counted too, and once more by the estimator
        self.deadline -= min(2 * self.incumbent.slowest, shares.reserved * time_limit)
        self.feasibility.deadline = self.deadline
        enough = _COUNTS * count < (1 - shares.before_conflicts) * time_limit
        until = self._at(shares.before_conflicts) if enough else self.deadline
        all_pairs = self.by_cells or enough
        if self.by_cells:
            seconds = _LINES_PER_START * (time.monotonic() - self.begin)
            seconds = min(seconds, shares.first_lines * time_limit)
            self._search_lines(time.monotonic() + seconds)
            late = self.for_blocks and self._cells_take_longer()
            before = shares.before_blocks_alone if late else shares.before_blocks
            until = self._at(before) if self.for_blocks else self.deadline
            if enough and not late:
                review = self._at(shares.review) if self.for_blocks else np.inf
                self._prove_by_cells(min(self._at(shares.large_cells), self.deadline), review)
        self._search_lines(until, self.late_starts, all_pairs=all_pairs)
        in_time = self.deadline - time.monotonic() >= _COUNTS * count
        in_time = in_time and not (self.for_blocks and self.by_cells)
        if in_time:
            self._prove_by_conflicts()
        return in_time

    def _search_lines(
        self, until: float, late: LateStarts | None = None, *, all_pairs: bool = True
    ) -> None:
        if self._open:
            known = self.problem, self.incumbent, self.rng
            search_large(*known, until, late, all_pairs=all_pairs, shares=self.shares)
            self._report("line searches")

    def _cells_take_longer(self) -> bool:
        """Whether one block shows that a proof by cells is out of reach."""
        if self.incumbent.theta is None or not self._open:
            return False
        from sklearn_reclink.solvers.blocks.search import takes_longer

        known = self.incumbent.theta, self.incumbent.open
        return takes_longer(self.problem, *known, self.time_limit * self.n_threads, self.rng)

    def _prove_by_cells(self, until: float, review: float = np.inf) -> None:
        """Lower the bound by cells; they end at the review if it is then not near the links."""
        if not self._open:
            return
        source, incumbent = self.feasibility.source, self.incumbent
        n_open, generators = len(incumbent.open), self.problem.family.generators
        options: dict[str, Any] = {
            "at_least": n_open - min(incumbent.losses, self._enough),
            "deadline": until,
            "review": review,
            "near": int(_NEAR_PROOF * n_open),
            "n_jobs": self.problem.index.n_jobs,
        }
        if isinstance(source, AllRows) and generators is not None:
            held = source.rows, source.magnitudes, source.owners
            proof = prove_by_cells(*held, generators, **options)
        else:
            proof = prove_with_few_rows(self.problem, incumbent.open, incumbent.theta, **options)
        if proof.theta is not None:
            incumbent.offer(proof.theta)
        self.losses = n_open - proof.bound
        self._report("cells")

    def _prove_by_conflicts(self, share: float = 1.0, late: LateStarts | None = None) -> None:
        """Lower the bound by conflicts; after a share of the time, late starts are asked for."""
        if not self._open:
            return
        if self.by_cells:  # compilation does not count
            before = time.monotonic()
            compile_kernels(self.problem.family)
            self.deadline += time.monotonic() - before
            self.feasibility.deadline = self.deadline
        known = self.feasibility, self.incumbent, self.rng
        search = CoveringSearch(*known, self.n_threads, self.losses, share, late, self._enough)
        self.losses, self.conflicts = search.run(), search.conflicts
        self._report("conflicts")


def compile_search(problem: Problem) -> None:
    """Load or compile the kernels, so that the clock starts on the problem itself."""
    family, index = problem.family, problem.index
    if not family.monotone or not index.is_dense:
        few = Index(index.original[:2], index.masked[:2], caps=index.caps, dense_pairs=0)
        few.nearest_impostors(family, family.centre[None], np.arange(1))
        if not index.is_dense:
            few.linked(family, family.centre)
            _ = few.dominated
    if cells_apply(family):
        with no_collection():
            compile_cells()
    else:
        compile_kernels(family)
