"""What all linkers that search for their parameters share.

A linker names its family of distances; a solver finds the parameters. *Shrinkage* mixes the
parameters found with those of equal weights, ``(1 - s) theta + s theta_equal``, both normalised
alike: every cone here is convex and holds the equal ones. What was proven of the parameters found
stays a bound; the links are recounted. Columns constant in either file take no part.
"""

import math
import sys
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.data.reading import Files
from sklearn_reclink.families import Family
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._view import View, in_turn
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Problem, Solution, Status

LEAST_SECONDS = 120.0  # for a certificate, whatever the time limit of the search


@dataclass(kw_only=True, eq=False, repr=False)
class LearnedLinker(BaseLinker):
    """Base of the linkers that search for the parameters that link the most records."""

    _learns: ClassVar[bool] = True
    _most_variables: ClassVar[int] = 2000
    _for_wide_files: ClassVar[str] = "EuclideanLinker"

    shrinkage: float = 0.0
    time_limit: float | None = 60.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLinker._parameter_constraints,
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
        "time_limit": [Interval(Real, 0, sys.float_info.max, closed="both"), None],
    }

    @abstractmethod
    def _base_family(self, index: Index) -> Family:
        """The family of distances of the informative variables."""

    def _family_of(self, index: Index) -> Family:
        """The family of distances to search, what missing values cost included."""
        family = self._base_family(index)
        return family if index.caps is None else mixed_family(family, index.caps, index.extra)

    @abstractmethod
    def _solve(
        self, problem: Problem, *, seconds: float, at_least: int = 0, enough: int = 0
    ) -> Solution:
        """Search for some seconds with the options of this linker; see `solvers.exact.solve`."""

    def _in_turn(self, views: list[View]) -> Iterator[tuple[View, dict[str, Any]]]:
        if len(views) > 1:
            self._compile(views[0].index)
        # shrinking and projecting change what is found: each view is searched to its own optimum
        told = self.shrinkage == 0 and not self._family_of(views[0].index).projects
        for view in views if told else ():
            view.given = self._given(view)
        return in_turn(views, self._seconds, self._promise, told=told)

    def _compile(self, index: Index) -> None:
        """Compile what a search needs, before its time begins."""

    def _promise(self, view: View, n_starts: int = 3, n_records: int = 300) -> int:
        """How many of some records simple parameters link."""
        index, family = view.index, self._family_of(view.index)
        some = np.unique(np.linspace(0, index.n_records - 1, n_records).astype(int))
        starts = family.starts(index.original, index.masked)[:n_starts]
        return max(int(index.linked(family, theta, some).sum()) for theta in starts)

    def _given(self, view: View) -> tuple[np.ndarray, int] | None:
        """The parameters of weights given for a view, and how many records they link."""
        given, informative = getattr(self, "_given_weights", {}), view.linker._informative
        if view.linker.standardize_ not in given:
            return None
        index, family = view.index, self._family_of(view.index)
        theta = family.from_weights(given[view.linker.standardize_][informative])
        if theta is None:
            return None
        theta = family.settled(theta, lambda one: int(index.linked(family, one).sum()))
        return theta, int(index.linked(family, theta).sum())

    def _learn(
        self,
        index: Index,
        *,
        at_least: int = 0,
        seconds: float = math.inf,
        given: tuple[np.ndarray, int] | None = None,
        alone: bool = False,
    ) -> Solution:
        """Search as if no links were known ``alone``, but for those of the weights given."""
        if self.verbose and self.standardize_ != self.standardize:
            print(f"standardize={self.standardize_!r}:")
        family = self._family_of(index)
        told = max(0 if alone else at_least, given[1] if given else 0)
        problem = Problem(family, index)
        solution = self._solve(problem, seconds=seconds, at_least=told, enough=at_least)
        if given and solution.n_linked <= given[1]:
            solution = replace(solution, theta=given[0], n_linked=given[1])
        if 0 < at_least >= solution.n_linked:
            return solution
        theta = solution.theta
        if theta is None:
            theta = family.starts(index.original, index.masked)[0]
        theta = family.settled(theta, lambda one: int(index.linked(family, one).sum()))
        status = solution.status
        if family.projects and status is Status.OPTIMAL:
            status = Status.PROJECTED
        if self.shrinkage > 0:
            theta = family.shrunk(theta, float(self.shrinkage))
            if status in (Status.OPTIMAL, Status.PROJECTED):
                status = Status.SHRUNK
        self._family = family.without_files
        for name, value in family.published(theta, self._informative).items():
            setattr(self, name, value)
        return replace(solution, status=status)

    @property
    def _seconds(self) -> float:
        return math.inf if self.time_limit is None else float(self.time_limit)

    @property
    def _generator(self) -> np.random.Generator:
        """A generator seeded by ``random_state``."""
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return np.random.default_rng(seed)


@dataclass(kw_only=True, eq=False, repr=False)
class ExactLinker(LearnedLinker):
    """Base of the linkers whose parameters are proven to be the best."""

    method: str = "exact"
    solver: str | None = None
    certify: bool = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LearnedLinker._parameter_constraints,
        "method": [StrOptions({"exact", "milp"})],
        "solver": [str, None],
        "certify": ["boolean"],
    }

    _family_name: ClassVar[str]  # in a certificate

    def _compile(self, index: Index) -> None:
        from sklearn_reclink.solvers.exact import compile_search

        compile_search(Problem(self._family_of(index), index))

    def _solve(
        self, problem: Problem, *, seconds: float, at_least: int = 0, enough: int = 0
    ) -> Solution:
        self.claimed_links_: int | None = None
        self.confidence_bound_: int | None = None
        self.confidence_level_: float | None = None
        self.certificate_: dict[str, Any] | None = None
        options: dict[str, Any] = {"time_limit": seconds, "verbose": self.verbose}
        if self.method == "milp":
            from sklearn_reclink.solvers.milp import solve_milp
            from sklearn_reclink.solvers.presolve import presolve

            found = solve_milp(problem, solver=self.solver, **options)
            self.claimed_links_ = found.claimed_links
            bound = problem.index.n_records - len(presolve(problem).never)
            return Solution(found.theta, found.recounted_links, bound, Status.CLAIMED)
        from sklearn_reclink.solvers.exact import solve

        known: dict[str, Any] = {"at_least": at_least, "enough": enough}
        return solve(problem, rng=self._generator, **known, **options)

    def _check_files(self, files: Files) -> None:
        if self.certify and self.standardize_ == "rank" and files.whole is not files.original:
            raise ValueError(
                "a certificate of ranks needs the file that they are counted in: leave out "
                'reference, or take another standardize than "rank"'
            )

    def _certify(self, X: Any, y: Any, pool: Any, views: list[View]) -> None:
        """Write down a proof of ``bound_`` that `verify_certificate` accepts."""
        from sklearn_reclink.linkers._certificates import NoCertificateError, certificate_of

        seconds = max(self._seconds, LEAST_SECONDS)
        try:
            self.certificate_ = certificate_of(self, X, y, pool, views, seconds=seconds)
        except NoCertificateError as error:
            warnings.warn(f"no certificate was made: {error}", UserWarning, stacklevel=5)
