"""One way to standardise two files, a linker that learns in it, and what it found.

The way to standardise is part of an attack. With several ways, or *views*, ``v``::

    optimum = max_v optimum(v),     bound = max_v bound(v),     ceiling = max_v ceiling(v)

So a view counts only if it beats the links found in another. The view in which simple parameters
link the most goes first.

1. Of ``k`` views each is first searched as if it were the only one, with a ``k``-th of the time
   limit: the same steps in the same order, with their shares of that time. The search ends early
   only when proven, or when its bound is no larger than the links found in another view. So all
   views link at least as many records as each does alone in that time, as far as a clock allows.
2. What is left then goes to the views still open, from the start, if it is more than they had.
   These searches look only for more links than are known, which makes their proofs sharper.

*Weights given.* An audit learns weighted means first, and most other families contain them: a
linker that was given weights for a view links at least as many records as they do, however short
its search.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status

if TYPE_CHECKING:
    import numpy as np

    from sklearn_reclink.linkers._base import BaseLinker


_NOTHING = Solution(None, -1, None, Status.HEURISTIC)


@dataclass
class View:
    """A linker that knows how it standardises, coordinates so made, and what it learned of them.

    Attributes
    ----------
    linker : BaseLinker
        Has ``standardize_`` and ``scales_``, once it has learned the parameters that link the most.
    index : Index
    solution : Solution
        What is known of them; its ``bound`` is the lowest proven, None where nothing is.
    n_linked : int
        Links of the parameters, recounted; -1 where another view is known to link as many.
    given : tuple of ndarray and int, or None
        Parameters known beforehand, and how many records they link.
    """

    linker: "BaseLinker"
    index: Index
    solution: Solution = _NOTHING
    n_linked: int = -1
    given: "tuple[np.ndarray, int] | None" = None

    def keep(
        self, linker: "BaseLinker", n_linked: int, found: Solution, ceiling: int | None
    ) -> None:
        """Take over what was found: parameters that link more, and a bound that is lower."""
        if n_linked > self.n_linked:
            self.linker, self.n_linked = linker, n_linked
        before, fixed = self.solution, found.status is Status.FIXED
        bounds = [self.n_linked if fixed else found.bound, before.bound, ceiling]
        bound = min((one for one in bounds if one is not None), default=None)
        sampled = before if found.confidence_bound is None else found  # of one sample of blocks
        self.solution = replace(
            found,
            bound=bound,
            confidence_bound=sampled.confidence_bound,
            confidence_level=sampled.confidence_level,
            conflicts=before.conflicts + found.conflicts,
        )

    def status_above(self, n_linked: int) -> Status | None:
        """How the search ended, if it left open whether more can be linked."""
        return self.solution.status if (self.solution.bound or 0) > n_linked else None


def notes_on(refused: dict[str | None, ValueError], views: Sequence[View]) -> list[str]:
    """A sentence for each view that does not take the files; an error if there is no other view."""
    if not views:
        raise next(iter(refused.values()))
    return [
        f"standardize={one!r} does not take these files and is left out, also of the bound: {error}"
        for one, error in refused.items()
    ]


def check_width(linker: "BaseLinker") -> None:
    """Refuse more variables than a linker has memory and time for, and say what to use instead."""
    n_variables, most = int(linker._informative.sum()), linker._most_variables
    if n_variables > most:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant; "
            f"{type(linker).__name__} takes at most {most}: leave some out, or use "
            f"{linker._for_wide_files}"
        )


def best_of(views: Sequence[View]) -> View:
    """The view that links the most records; of equals, the first."""
    return max(views, key=lambda view: view.n_linked)


def in_turn(
    views: Sequence[View], seconds: float, promise: Callable[[View], float], *, told: bool
) -> Iterator[tuple[View, dict[str, Any]]]:
    """Which view is to learn next, and the options of its search, the most promising one first.

    ``told`` says whether a search is told of the links found in other views, or given before.
    """
    end = time.monotonic() + seconds
    todo = sorted(views, key=promise, reverse=True) if len(views) > 1 else list(views)
    had, alone = dict.fromkeys(map(id, views), seconds / len(views)), True
    while todo:
        for n_before, view in enumerate(todo):
            if not alone:
                left = max(end - time.monotonic(), 0.0)
                had[id(view)] = 2 * left / (len(todo) - n_before + 1)
            most = max(best_of(views).n_linked, 0) if told else 0
            options = {"at_least": most, "seconds": had[id(view)], "given": view.given}
            yield view, {**options, "alone": alone}
        most, left, alone = best_of(views).n_linked, end - time.monotonic(), False
        todo = [view for view in todo if view.status_above(most) is Status.TIME_LIMIT]
        todo = [view for view in todo if 2 * left / (len(todo) + 1) > had[id(view)]]


def conclude(views: Sequence[View]) -> tuple[int, int | None, Status]:
    """The most links found, the most there can be in any view, and how the searches ended."""
    best, bounds = best_of(views), [view.solution.bound for view in views]
    known = [one for one in bounds if one is not None]
    n_linked, bound = best.n_linked, max(known) if len(known) == len(views) else None
    if bound is not None and bound < n_linked:
        raise RuntimeError(
            f"the proof is wrong: it allows {bound} links at most, a recount finds {n_linked} of "
            f"{best.index.n_records}. Please report this, if possible with the files"
        )
    status, left_open = best.solution.status, [view.status_above(n_linked) for view in views]
    if status is not Status.FIXED and n_linked == bound:
        status = Status.OPTIMAL
    elif Status.TIME_LIMIT in left_open:
        status = Status.TIME_LIMIT
    elif status is Status.OPTIMAL or Status.UNDECIDED in left_open:
        status = Status.UNDECIDED
    return n_linked, bound, status


def confidence(views: Sequence[View]) -> tuple[int | None, float | None]:
    """A bound at a confidence level for all views, and that level; None where no blocks were asked.

    Which view has the largest optimum does not depend on what was drawn. Its own bound holds at the
    level, and the largest one is no lower.
    """
    found = [view.solution for view in views]
    levels = [one.confidence_level for one in found if one.confidence_level is not None]
    bounds = [one.bound if one.confidence_bound is None else one.confidence_bound for one in found]
    known = [one for one in bounds if one is not None]
    if not levels or len(known) < len(bounds):
        return None, None
    return max(best_of(views).n_linked, *known), min(levels)


def gap_message(views: Sequence[View], time_limit: float | None) -> str | None:
    """What to warn of where a proof is open, be it by ties or by the time limit."""
    n_linked, bound, status = conclude(views)
    if bound is None or status not in (Status.TIME_LIMIT, Status.UNDECIDED):
        return None
    cause, remedy = "ties within rounding left the proof open", ""
    if status is Status.TIME_LIMIT:
        cause = f"the time limit of {time_limit or 0:g} s ended the proof"
        remedy = "; raise time_limit to close the gap"
    n_records = views[0].index.n_records
    return f"{cause}: {n_linked} of {n_records} records linked, at most {bound} can be{remedy}"
