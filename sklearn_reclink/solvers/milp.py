"""The papers' mixed-integer program, as they wrote it: a reference, not the way to solve.

::

    minimise    sum_i K_i
    subject to  row_ij . theta + C K_i > 0      for all i and all j != i     eqs (2)-(4), 2015
                theta in the domain,  K_i in {0, 1}

Here ``C`` is one above the largest value that any ``-row_ij . theta`` can take, and ``> 0`` is
written ``>= strictness``. The papers fix the scale of weights (their sum) and of capacities
(``mu(V) = 1``), not that of matrices: bounds of -1 and 1 on their parameters stand in.

A solver satisfies rows and integrality only up to its tolerances, so a slack of ``C`` times the
tolerance on ``K_i`` is enough to "link" a record that no parameters link: the claimed count is
an objective, and only the recount is a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sklearn_reclink.families.cones import Domain
from sklearn_reclink.solvers.covering.master import MixedIntegerProgram
from sklearn_reclink.solvers.problem import LinkageProblem


@dataclass(frozen=True)
class ReferenceSolution:
    """What the program claims, and what its parameters really link.

    ``theta`` is None and ``recounted_links`` 0 when the solver found no point in time.
    """

    theta: np.ndarray | None
    claimed_links: int
    recounted_links: int
    optimal: bool


def n_paper_constraints(problem: LinkageProblem) -> int:
    """The papers' count: N (N - 1) links, N for the K_i, and those of the domain."""
    n = problem.n_records
    return n * (n - 1) + n + problem.domain.n_paper_constraints


def papers_program(
    problem: LinkageProblem,
    *,
    constant: float | None = None,
    strictness: float | None = None,
    labels: Sequence[str] = (),
) -> MixedIntegerProgram:
    """The program over the columns ``theta`` then ``K``.

    Parameters
    ----------
    problem : LinkageProblem
    constant : float or None
        C of the papers; None takes one above the largest possible violation.
    strictness : float or None
        What stands for "> 0"; the papers do not say. None is 0, or 1e-4 where the papers ask for
        no normalisation: ``theta = 0`` would link everyone.
    labels : sequence of str
        Words for the parameters, to name the columns by; by default their numbers.
    """
    n, p = problem.n_records, problem.n_parameters
    domain = problem.domain
    records, impostors = np.nonzero(~np.eye(n, dtype=bool))
    rows, _ = problem.rows(records, impostors)  # (n (n - 1), p)
    if constant is None:
        constant = _largest_violation(rows, domain) + 1.0
    misses = sparse.csr_array(
        (np.full(len(records), constant), (np.arange(len(records)), records)),
        shape=(len(records), n),
    )
    links = sparse.hstack([sparse.csr_array(rows), misses], format="csr")
    normalised = bool(domain.normaliser.any())
    extra = np.vstack([domain.all_rows, *([domain.normaliser] * normalised)])
    names = [f"domain_{m}" for m in range(len(domain.all_rows))] + ["normalised"] * normalised
    blank = sparse.csr_array((len(extra), n))
    matrix = sparse.vstack([links, sparse.hstack([sparse.csr_array(extra), blank])], format="csr")
    if strictness is None:
        strictness = 0.0 if normalised else 1e-4
    row_lower = np.r_[np.full(len(records), strictness), np.zeros(len(extra))]
    row_upper = np.full(len(row_lower), np.inf)
    if normalised:
        row_lower[-1] = row_upper[-1] = 1.0
    lower, upper = domain.box
    return MixedIntegerProgram(
        cost=np.r_[np.zeros(p), np.ones(n)],
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        lower=np.r_[lower, np.zeros(n)],
        upper=np.r_[upper, np.ones(n)],
        integer=np.r_[np.zeros(p, dtype=bool), np.ones(n, dtype=bool)],
        column_names=[f"theta_{word}" for word in labels or range(p)]
        + [f"K_{i}" for i in range(n)],
        row_names=[f"link_{i}_{j}" for i, j in zip(records, impostors, strict=True)] + names,
    )


def _largest_violation(rows: np.ndarray, domain: Domain) -> float:
    """A number that ``-row . theta`` does not exceed for normalised parameters."""
    if domain.generators is not None:
        # linear in theta, so largest at a corner
        corners = domain.generators / (domain.generators @ domain.normaliser)[:, None]
        return float(np.max(np.abs(rows @ corners.T)))
    lower, upper = domain.box
    return float(np.max(np.maximum(-rows * lower, -rows * upper).sum(axis=1)))


def solve_papers_program(
    problem: LinkageProblem, *, time_limit: float = 60.0, strictness: float | None = None
) -> ReferenceSolution:
    """Solve the papers' program by HiGHS at its default tolerances."""
    program = papers_program(problem, strictness=strictness)
    point, _, optimal = program.solve(time_limit)
    if point is None:
        return ReferenceSolution(None, 0, 0, False)
    theta = point[: problem.n_parameters]
    claimed = problem.n_records - round(float(point[problem.n_parameters :].sum()))
    recounted = int(problem.linked(problem.domain.repair(theta)).sum())
    return ReferenceSolution(theta, claimed, recounted, optimal)
