"""One way to standardise two files, a linker that learns in it, and what it found.

The way to standardise is part of an attack. With several ways, or *views*, ``v``::

    optimum = max_v optimum(v),     bound = max_v bound(v),     ceiling = max_v ceiling(v)

So a view counts only if it beats the links found in another: its search is told of these and stops
once its bound is no larger. The view in which simple parameters link the most goes first. Each may
use up twice the time of each that follows, so a half, a third and a sixth of it; what one does not
need goes to the next. What is left at the end goes to the views still open, from the start, if it
is more than they had.

*Weights given.* An audit learns weighted means first, and most other families contain them: a
linker that was given weights for a view links at least as many records as they do, however short
its search.
"""

import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sklearn_reclink.data.reading import Files
from sklearn_reclink.data.views import check_width
from sklearn_reclink.linkers._callbacks import task
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
        Has ``standardize_`` and ``scales_``, and after `learn` the parameters that link the most.
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

    def start(self) -> None:
        """Count what the weights link that the linker was given for this view, if any."""
        linker, given = copy(self.linker), getattr(self.linker, "_given_weights", {})
        weights = given.get(linker.standardize_) if given else None
        if weights is None:
            return
        theta = linker._family_of(self.index).from_weights(weights[linker._informative])
        if theta is not None:
            self._publish(linker, theta)
            self.given = linker._theta, linker._count(self.index)

    def _publish(self, linker: "BaseLinker", theta: "np.ndarray") -> None:
        """Give a linker parameters."""
        family = linker._family_of(self.index)
        theta = family.settled(theta, lambda one: int(self.index.linked(family, one).sum()))
        linker._family = family.without_files
        for name, value in family.published(theta, linker._informative).items():
            setattr(linker, name, value)

    def learn(self, at_least: int = 0, **search: Any) -> None:
        """Learn, once more if need be; of use are only more links than ``at_least``."""
        with task(self.linker, f"standardize={self.linker.standardize_!r}"):
            self._learn(at_least, **search)

    def _learn(self, at_least: int, **search: Any) -> None:
        linker, before = copy(self.linker), self.solution
        told = max(at_least, self.given[1] if self.given else 0)
        found = linker._learn(self.index, at_least=told, **search)
        if self.given and found.n_linked <= self.given[1] > at_least:
            self._publish(linker, self.given[0])
            found = replace(found, n_linked=self.given[1])
        if at_least == 0 or found.n_linked > at_least:
            linker.temperature_ = linker._learn_temperature(self.index)
            n_linked = linker._count(self.index)
            if n_linked > self.n_linked:
                self.linker, self.n_linked = linker, n_linked
        bounds = [self.n_linked if found.status is Status.FIXED else found.bound, before.bound]
        if linker._has_ceiling:
            bounds.append(self.index.ceiling)
        bound = min((one for one in bounds if one is not None), default=None)
        conflicts = before.conflicts + found.conflicts
        self.solution = replace(found, bound=bound, conflicts=conflicts)

    def status_above(self, n_linked: int) -> Status | None:
        """How the search ended, if it left open whether more can be linked."""
        return self.solution.status if (self.solution.bound or 0) > n_linked else None


def prepared(linker: "BaseLinker", files: Files, standardize: str | None) -> View:
    """A view of files that were read, before anything is learned."""
    one = copy(linker)
    one.standardize_ = standardize
    one._learn_scales(files.original, files.masked, files.whole)
    one._informative = one.scales_.informative
    check_width(one._informative, one, one._most_variables, one._for_wide_files)
    return View(one, one._index(files.original, files.everyone))


def accepted(
    chosen: Sequence[str | None], prepare: Callable[[str | None], View]
) -> tuple[list[View], list[str]]:
    """The views that take the files, and a sentence for each of the others.

    If no view takes them, the error of the first one is raised.
    """
    views, refused = list[View](), dict[str | None, ValueError]()
    for standardize in chosen:
        try:
            views.append(prepare(standardize))
        except ValueError as error:
            refused[standardize] = error
    if not views:
        raise refused[chosen[0]]
    return views, [
        f"standardize={one!r} does not take these files and is left out, also of the bound: {error}"
        for one, error in refused.items()
    ]


def best_of(views: Sequence[View]) -> View:
    """The view that links the most records; of equals, the first."""
    return max(views, key=lambda view: view.n_linked)


def learn_in_turn(
    views: Sequence[View], seconds: float, promise: Callable[[View], float], *, told: bool
) -> None:
    """Learn in all views within some seconds, the most promising one first.

    ``told`` says whether a search is told of the links found in other views.
    """
    end = time.monotonic() + seconds
    todo = sorted(views, key=promise, reverse=True) if len(views) > 1 else list(views)
    had = dict.fromkeys(map(id, views), 0.0)
    for view in views if told else ():
        view.start()
    while todo:
        for n_before, view in enumerate(todo):
            left = max(end - time.monotonic(), 0.0)
            had[id(view)] = 2 * left / (len(todo) - n_before + 1)
            most = max(best_of(views).n_linked, 0) if told else 0
            view.learn(at_least=most, seconds=had[id(view)])
        most, left = best_of(views).n_linked, end - time.monotonic()
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


def gap_message(n_linked: int, n_records: int, bound: int, time_limit: float | None) -> str:
    """What to warn of where a proof is open, by ties or, if it is given, by the time limit."""
    cause, remedy = "ties within rounding left the proof open", ""
    if time_limit is not None:
        cause = f"the time limit of {time_limit:g} s ended the proof"
        remedy = "; raise time_limit to close the gap"
    gap = f"{n_linked} of {n_records} records linked, at most {bound} can be"
    return f"{cause}: {gap}{remedy}"
