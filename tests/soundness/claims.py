"""Fits of generated files, and what is wrong with what they claim."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.solvers.row_cache import RowCache
from tests.soundness.oracle import ABOVE, BELOW, FAMILIES, ExactProblem, admissible, linked

LINKERS: dict[str, Any] = {
    "weighted mean": WeightedMeanLinker(),
    "positive": WeightedMeanLinker(constraint="positive"),
    "owa": OWALinker(),
    "choquet": ChoquetLinker(),
    "submodular": ChoquetLinker(constraint="submodular"),
    "2-additive": ChoquetLinker(k_additive=2),
    "submodular 2-additive": ChoquetLinker(k_additive=2, constraint="submodular"),
    "free": BilinearLinker(constraint="free"),
    "nonnegative": BilinearLinker(constraint="nonnegative"),
    "psd": BilinearLinker(constraint="psd"),
    "projected": BilinearLinker(constraint="projected"),
}

WRONG = ("count", "bound", "status", "conflict", "parameters", "columns", "error")


@dataclass(frozen=True)
class Case:
    """Two files, the family to fit and the options of the linker."""

    family: str
    X: np.ndarray
    Y: np.ndarray
    options: dict[str, Any] = field(default_factory=dict)
    pool: np.ndarray | None = None

    def linker(self, **options: Any) -> Any:
        return clone(LINKERS[self.family]).set_params(
            **{"time_limit": 2.0, "random_state": 0, **self.options, **options}
        )

    def fit(self, **options: Any) -> Any:
        """Fit a linker, silently."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", UserWarning)
            return self.linker(**options).fit(self.X, self.Y, pool=self.pool)

    def coordinates(self, linker: Any) -> tuple[np.ndarray, np.ndarray]:
        """What the linker makes of the files; masked records of the pool follow the own ones."""
        used = linker.scales_.informative
        masked = self.Y if self.pool is None else self.pool  # a pool begins with Y here
        return linker.scales_.original(self.X)[:, used], linker.scales_.masked(masked)[:, used]


@dataclass
class Verdict:
    """What is wrong with a fit: a sentence for each of `WRONG`; ``refused`` is no fault."""

    proven: bool = False
    refused: str = ""
    wrong: dict[str, str] = field(default_factory=dict)


Conflicts = set[tuple[int, tuple[int, ...]]]


@contextmanager
def noted_conflicts() -> Iterator[Conflicts]:
    """The conflicts that certificates were accepted for: number of parameters, and records."""
    accepted: Conflicts = set()
    true = RowCache.conflict_of

    def noted(cache: RowCache, *certificate: Any) -> Any:
        records = true(cache, *certificate)
        if records is not None:
            accepted.add((cache.problem.family.n_parameters, tuple(map(int, records))))
        return records

    with patch.object(RowCache, "conflict_of", noted):
        yield accepted


def examine(case: Case, **options: Any) -> Verdict:
    """Fit, and check every claim."""
    with noted_conflicts() as conflicts:
        try:
            linker = case.fit(**options)
        except ValueError as error:
            return Verdict(refused=str(error))
        except Exception as error:
            return Verdict(wrong={"error": f"{type(error).__name__}: {error}"})
    verdict = check(case, linker)
    if false := false_conflict(case, linker, conflicts):
        verdict.wrong["conflict"] = f"records {false} can be linked"
    return verdict


def false_conflict(case: Case, linker: Any, conflicts: Conflicts) -> tuple[int, ...] | None:
    """A set of records that was accepted as a conflict and is none, in exact arithmetic."""
    original, masked = case.coordinates(linker)
    problem = ExactProblem(FAMILIES[case.family], original, masked, ABOVE)
    n_parameters = len(problem.features[0][0])
    if case.family == "psd" and original.shape[1] > 2:
        return None
    for n, records in sorted(conflicts):
        # a search may ask for the best weighted mean, too, which has fewer parameters
        if n == n_parameters and problem.conflict(records) is None:
            return records
    return None


def check(case: Case, linker: Any) -> Verdict:
    """What a fitted linker claims, against exact arithmetic."""
    verdict = Verdict(proven=linker.status_ == "optimal")
    used = linker.scales_.informative
    files = case.Y if case.pool is None or case.options.get("standardize") != "rank" else case.pool
    varies = np.array(
        [len(set(x)) > 1 and len(set(y)) > 1 for x, y in zip(case.X.T, files.T, strict=True)]
    )
    if not np.array_equal(used, varies):
        verdict.wrong["columns"] = f"{varies.tolist()} vary, {used.tolist()} are used"
    family = FAMILIES[case.family]
    original, masked = case.coordinates(linker)
    if not np.isfinite(original).all() or not np.isfinite(masked).all():
        verdict.wrong["columns"] = "coordinates are not finite"
        return verdict
    theta = family.theta(linker, used)
    shrunk = case.family == "projected" or "shrinkage" in case.options  # perhaps to nothing
    if not np.isfinite(theta).all() or not (any(theta) or shrunk):
        verdict.wrong["parameters"] = f"{theta}"
        return verdict
    n_linked, bound = linker.n_linked_, linker.bound_
    certain = linked(family, theta, original, masked, ABOVE, terms=family.terms)
    possible = linked(family, theta, original, masked, BELOW)
    said = linker.link(case.X, case.Y, pool=case.pool).reidentified.tolist()
    if sum(said) != n_linked or any(
        yes < sure or yes > can for yes, sure, can in zip(said, certain, possible, strict=True)
    ):
        verdict.wrong["count"] = f"{n_linked} of {said}, certain {certain}, possible {possible}"
    if case.family == "positive" and not all(weight > 0 for weight in linker.weights_):
        verdict.wrong["parameters"] = f"weights {linker.weights_.tolist()}"
    if (n_linked == bound) != (linker.status_ == "optimal"):
        verdict.wrong["status"] = f"{linker.status_} with {n_linked} of at most {bound}"
    if not admissible(family, theta, original, masked):
        loose = ExactProblem(family, original, masked, BELOW)
        first = tuple(i for i, yes in enumerate(said) if yes)
        undecided = family.semidefinite and original.shape[1] > 2
        if not undecided and loose.linkable(n_linked, first) is None:
            verdict.wrong["parameters"] = f"no admissible ones link {n_linked}: {theta}"
    if bound < len(original):
        found = ExactProblem(family, original, masked, ABOVE).linkable(bound + 1)
        if found is not None:
            verdict.wrong["bound"] = f"{bound}, but records {found} can be linked"
    return verdict
