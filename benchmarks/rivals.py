"""The papers' mixed-integer program, as they wrote it, in the hands of general solvers.

The program is built once a cell and written as an MPS file, which every rival reads. What a rival
*claims* is its objective; what it *links* is a recount with its own parameters, moved into the
admissible set by as little as its tolerances left them outside.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sklearn_reclink.families import OWA, Bilinear, Choquet, Distance, WeightedMean
from sklearn_reclink.families.cones import (
    Domain,
    MonotoneCapacities,
    NonnegativeOnPairs,
    Orthant,
    SubmodularCapacities,
    SymmetricMatrices,
)
from sklearn_reclink.solvers.milp import papers_program
from sklearn_reclink.solvers.problem import LinkageProblem, linkage_problem

# What a solver may take beyond its time limit, reading and presolve included, until it is ended.
_GRACE = 60.0

# No entry for psd: the papers have no program of it, and endlessly many rows would be needed.
_PROGRAMS: dict[str, tuple[Distance, Callable[[np.ndarray, np.ndarray], Domain]]] = {
    "d2WM": (WeightedMean(), lambda a, b: Orthant(a.shape[1])),
    "d2WM_m": (WeightedMean(), lambda a, b: Orthant(a.shape[1])),
    "OWA": (OWA(), lambda a, b: Orthant(a.shape[1])),
    "d2CI": (Choquet(), lambda a, b: MonotoneCapacities(a.shape[1])),
    "d2CI_m": (Choquet(), lambda a, b: SubmodularCapacities(a.shape[1])),
    "d2SB_NC": (Bilinear(), lambda a, b: SymmetricMatrices(a.shape[1])),
    "d2SB": (Bilinear(), NonnegativeOnPairs),
}


@dataclass(frozen=True)
class RivalResult:
    """What a rival did with a cell; the counts are None where it found no point in time."""

    claimed: int | None
    recounted: int | None
    optimal: bool
    seconds: float
    limit: float

    def within(self, factor: float, ours: float) -> bool:
        """Whether it proved its claim in less than ``factor`` times our seconds."""
        return self.optimal and self.seconds < factor * ours


def has_program(variant: str) -> bool:
    """Whether the papers wrote a program for this variant."""
    return variant in _PROGRAMS


def rival_problem(variant: str, original: np.ndarray, masked: np.ndarray) -> LinkageProblem:
    """The problem of a variant, for standardised coordinates."""
    distance, domain = _PROGRAMS[variant]
    return linkage_problem(original, masked, distance, domain(original, masked))


def run_rivals(
    rivals: list[str], problem: LinkageProblem, *, limit: float, folder: Path
) -> dict[str, RivalResult]:
    """Give the papers' program of a problem to every rival in turn."""
    path = folder / "program.mps"
    papers_program(problem).write_mps(str(path))
    results = {rival: _run(rival, path, problem, limit) for rival in rivals}
    path.unlink()
    return results


def _run(rival: str, path: Path, problem: LinkageProblem, limit: float) -> RivalResult:
    script = Path(__file__).with_name("solve_mps.py")
    command = [sys.executable, str(script), rival, str(path), str(limit)]
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=limit + _GRACE, check=True
        )
    except subprocess.TimeoutExpired:
        return RivalResult(None, None, False, limit + _GRACE, limit)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"{rival} failed: {error.stderr.strip()[-500:]}") from error
    # solvers may print a line or two of their own before ours
    found = json.loads(process.stdout.strip().splitlines()[-1])
    if found["values"] is None:
        return RivalResult(None, None, found["optimal"], found["seconds"], limit)
    claimed, recounted = _count(found["values"], problem)
    return RivalResult(claimed, recounted, found["optimal"], found["seconds"], limit)


def _count(values: Mapping[str, float], problem: LinkageProblem) -> tuple[int, int]:
    """The links a point claims, and those that its parameters make."""
    theta = np.array([values[f"theta_{m}"] for m in range(problem.n_parameters)])
    misses = sum(values[f"K_{i}"] for i in range(problem.n_records))
    recounted = int(problem.linked(problem.domain.repair(theta)).sum())
    return problem.n_records - round(misses), recounted
