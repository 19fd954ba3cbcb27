"""Cells that splitting does not settle: the active-set method decides, near the rule of ties.

Such a cell lies in a corner of a region: its weak rows are decided, but its middle does not clearly
link as many records. There are no generations of roundings here, so the rows may be nearer the
rule than those of `search`.
"""

import time
from collections.abc import Callable

import numpy as np

from sklearn_reclink.solvers.active_set import FEASIBLE, INFEASIBLE, least_norm
from sklearn_reclink.solvers.cells.conflicts import stands
from sklearn_reclink.solvers.cells.kernel import Problem
from sklearn_reclink.solvers.cells.rows import WEAK

_SETTLING = 0.97  # of the tie tolerance


def settle(
    problem: Problem,
    corners: np.ndarray,
    bound: int,
    offer: Callable[[np.ndarray], int],
    best: int,
    deadline: float,
) -> int:
    """How many records a tiny cell links at most.

    ``offer`` takes points to be counted and returns the most linked so far, ``best`` at first: a
    bound that is not above it is as low as needed.
    """
    if bound <= best:
        return bound
    p = len(corners)
    weak, _, ties, owners = problem[:4]
    lost = (weak @ corners.T <= 0).all(axis=1)
    kept = ~np.isin(owners, owners[lost])
    system = np.vstack([np.eye(p), weak[kept] - (_SETTLING - WEAK) * ties[kept]])
    sizes = np.vstack([np.zeros((p, p)), ties[kept]])
    norms = np.maximum(np.linalg.norm(system, axis=1, keepdims=True), 1e-300)
    system, sizes = system / norms, sizes / norms
    right = np.r_[np.zeros(p), np.ones(len(system) - p)]
    nothing = np.empty(0, np.int64)
    owner = np.r_[np.full(p, -1), owners[kept]]
    left, bound = np.arange(len(system)), min(bound, problem.free + len(np.unique(owners[kept])))
    while bound > best and time.monotonic() < deadline:  # conflicts without common records
        status, point, support, multipliers = least_norm(system, right, left, nothing)
        if status == FEASIBLE:
            best = offer(np.maximum(point, 0.0))
        for least in (1e-9, 0.0):  # multipliers that are only rounding come in last
            used = multipliers > least
            certificate = support[used], multipliers[used], np.count_nonzero(used)
            stood = status == INFEASIBLE and stands(system, sizes, p, *certificate)
            if stood:
                break
        if not stood:
            break
        bound -= 1
        conflict = np.unique(owner[certificate[0][certificate[0] >= p]])
        for record in conflict:  # one of them is lost
            others = left[owner[left] != record]
            status, point, _, _ = least_norm(system, right, others, nothing)
            if status == FEASIBLE:
                best = offer(np.maximum(point, 0.0))
        left = left[~np.isin(owner[left], conflict)]
    return bound
