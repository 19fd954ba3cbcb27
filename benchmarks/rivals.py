"""The papers' mixed-integer program, as they wrote it, solved by general solvers.

`export_mps` writes the program of a linker, which every rival reads. What a rival *claims* is its
objective; what it *links* is a recount with its own parameters, mixed with as little of equal
parameters as makes them admissible: a solver keeps its rows only up to a tolerance.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
from processes import json_of_process

from sklearn_reclink import OWALinker, export_mps
from sklearn_reclink.capacity import is_monotone, is_submodular, subset_members, subset_sizes

# What a solver may take beyond its time limit, reading and presolve included, until it is ended.
_GRACE = 60.0
AS_GOOD_AS_0 = 1e-12  # far below the tolerances of solvers, to which "> 0" is ">= 0"


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
    """Whether the papers wrote a program for this variant: psd would need endlessly many rows."""
    return variant != "psd"


def run_rivals(
    rivals: list[str], linker: Any, X: np.ndarray, Y: np.ndarray, *, limit: float, folder: Path
) -> dict[str, RivalResult]:
    """Give the papers' program of a fitted linker to every rival in turn."""
    path = folder / "program.mps"
    # the papers do not normalise matrices: with 0 for their "> 0" the zero matrix would link all
    strictness = 1e-4 if hasattr(linker, "matrix_") else AS_GOOD_AS_0
    export_mps(linker, X, Y, path, strictness=strictness)
    results = {}
    for rival in rivals:
        found = _solved(rival, path, limit)
        counts: tuple[int | None, int | None] = (None, None)
        if found["values"] is not None:
            counts = _counts(found["values"], linker, X, Y)
        results[rival] = RivalResult(*counts, found["optimal"], found["seconds"], limit)
    path.unlink()
    return results


def _solved(rival: str, path: Path, limit: float) -> dict[str, Any]:
    script = str(Path(__file__).with_name("solve_mps.py"))
    try:
        found: dict[str, Any] = json_of_process(
            script, rival, str(path), str(limit), timeout=limit + _GRACE
        )
    except subprocess.TimeoutExpired:
        return {"values": None, "optimal": False, "seconds": limit + _GRACE}
    return found


def _counts(
    values: Mapping[str, float], linker: Any, X: np.ndarray, Y: np.ndarray
) -> tuple[int, int]:
    """The links that a point claims, and those that its parameters make."""
    claimed = len(X) - round(sum(values[f"K_{i}"] for i in range(len(X))))
    linker = deepcopy(linker)
    name, given, equal = _parameters(linker, values, X.shape[1])
    for share in (0.0, *np.geomspace(1e-15, 1e-3, 49)):
        setattr(linker, name, given + share * np.abs(given).max() * equal)
        if _is_admissible(linker, X, Y):
            break
    return claimed, round(linker.score(X, Y) * len(X))


def _parameters(
    linker: Any, values: Mapping[str, float], n_features: int
) -> tuple[str, np.ndarray, np.ndarray]:
    """The attribute of the linker, its value from the columns of the program, and equal ones."""
    if hasattr(linker, "matrix_"):
        matrix = np.zeros((n_features, n_features))
        for a, b in combinations_with_replacement(range(n_features), 2):
            matrix[a, b] = values[f"theta_{a}_{b}"]
        return "matrix_", (matrix + matrix.T) / 2, np.eye(n_features)
    if hasattr(linker, "capacity_"):
        names = ["_".join(map(str, np.flatnonzero(a))) for a in subset_members(n_features)[1:]]
        share = subset_sizes(n_features) / n_features  # of which this is strictly submodular:
        capacity = np.array([0.0, *(values[f"theta_{name}"] for name in names)])
        return "capacity_", capacity, share * (2 - share)
    ranks = isinstance(linker, OWALinker)
    names = [f"rank{k + 1}" if ranks else str(k) for k in range(n_features)]
    weights = np.array([values[f"theta_{name}"] for name in names])
    return "weights_", weights, np.ones(n_features)


def _is_admissible(linker: Any, X: np.ndarray, Y: np.ndarray) -> bool:
    """Whether the parameters keep the constraint of the linker exactly."""
    if hasattr(linker, "matrix_"):
        return linker.constraint == "free" or linker.kneighbors(X, 1, pool=Y)[0].min() >= 0
    if hasattr(linker, "capacity_"):
        submodular = linker.constraint != "submodular" or is_submodular(linker.capacity_, atol=0)
        return submodular and is_monotone(linker.capacity_, atol=0)
    return bool(linker.weights_.min() >= 0)
