"""The papers' mixed-integer program, in cvxpy, for any mixed-integer solver that is installed.

::

    minimise    sum_i K_i
    subject to  row_ij . theta + C K_i > 0      for all i and all j != i     eqs (2)-(4), 2015
                theta admissible,  v . theta = 1,  K_i in {0, 1}

Here ``C`` is one above the largest value that any ``-row_ij . theta`` can take, ``> 0`` is written
``>= strictness``, and ``v . theta = 1`` is the papers' scale of weights (their sum) and capacities
(``mu(V) = 1``). They fix none for matrices: bounds of -1 and 1 on the parameters stand in.

A solver satisfies rows and integrality only up to its tolerances, so a slack of ``C`` times the
tolerance on ``K_i`` is enough to "link" a record that no parameters link: the claimed count is
an objective, and only the recount is a count. Nothing that a solver returns is used as a bound.

Notation: ``misses`` is K, ``constant`` is C.
"""

import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_reclink.families import Family
from sklearn_reclink.solvers.problem import Problem

# What cvxpy passes on as a time limit has a name of its own in every solver.
_TIME_LIMITS: dict[str, Callable[[float], dict[str, Any]]] = {
    "CBC": lambda seconds: {"maximumSeconds": seconds},
    "COPT": lambda seconds: {"TimeLimit": seconds},
    "CPLEX": lambda seconds: {"cplex_params": {"timelimit": seconds}},
    "CUOPT": lambda seconds: {"time_limit": seconds},
    "GLPK_MI": lambda seconds: {"tm_lim": max(1, math.ceil(1000 * seconds))},
    "GUROBI": lambda seconds: {"TimeLimit": seconds},
    "HIGHS": lambda seconds: {"time_limit": seconds},
    "MOSEK": lambda seconds: {"mosek_params": {"MSK_DPAR_MIO_MAX_TIME": seconds}},
    "SCIP": lambda seconds: {"scip_params": {"limits/time": seconds}},
    "SCIPY": lambda seconds: {"scipy_options": {"time_limit": seconds}},
    "XPRESS": lambda seconds: {"timelimit": seconds},
}

# HiGHS keeps one pool of threads per process and refuses to run when another number is asked for
# later: the covering search asks for 1.
_OPTIONS: dict[str, dict[str, Any]] = {"HIGHS": {"threads": 1}}

# What violates the program by more than this is no point of it: some interfaces hand over zeros,
# or a fractional point, when the time limit comes before any solution.
_VIOLATION = 1e-5
_FRACTION = 1e-4


@dataclass(frozen=True)
class MilpSolution:
    """What a mixed-integer solver claims, and what its parameters really link.

    Attributes
    ----------
    theta : ndarray or None
        Its parameters, moved into the admissible set by as little as its tolerances left them
        outside; None when it found no point in time, or zeros, which are parameters of nothing.
    claimed_links : int
        The records whose ``K_i`` is 0; 0 without a point.
    recounted_links : int
        The records that ``theta`` links; 0 without a point.
    optimal : bool
        Whether it says that no point of the program claims more. This is no bound on links.
    solver : str
        Its name in cvxpy.
    """

    theta: np.ndarray | None
    claimed_links: int
    recounted_links: int
    optimal: bool
    solver: str


@dataclass(frozen=True)
class PapersProgram:
    """The program in cvxpy, and what its rows are made of.

    Row ``m`` of ``rows`` belongs to record ``records[m]`` and impostor ``impostors[m]``.
    """

    model: Any  # cvxpy.Problem
    theta: Any  # cvxpy.Variable
    misses: Any  # cvxpy.Variable
    records: np.ndarray
    impostors: np.ndarray
    rows: np.ndarray
    normaliser: np.ndarray
    constant: float
    strictness: float

    def point(self) -> tuple[np.ndarray, np.ndarray] | None:
        """``theta`` and ``K`` as the solver left them, if it left any."""
        if self.theta.value is None or self.misses.value is None:
            return None
        theta, misses = np.asarray(self.theta.value), np.asarray(self.misses.value)
        finite = np.isfinite(theta).all() and np.isfinite(misses).all()
        return (theta, misses) if finite else None

    def holds(self, theta: np.ndarray, misses: np.ndarray) -> bool:
        """Whether values are a point of the program, up to generous tolerances."""
        missed = np.round(misses)
        if np.any(np.abs(misses - missed) > _FRACTION) or np.any((missed != 0) & (missed != 1)):
            return False
        if self.normaliser.any() and abs(self.normaliser @ theta - 1) > _VIOLATION:
            return False
        slack = self.constant * misses[self.records]
        lacking = self.strictness - self.rows @ theta - slack
        size = np.abs(self.rows) @ np.abs(theta) + np.abs(slack)
        return bool(np.all(lacking <= _VIOLATION * np.maximum(size, 1.0)))


def n_paper_constraints(problem: Problem) -> int:
    """The papers' count: N (M - 1) links, N for the K_i, and those of the family."""
    n = problem.index.n_records
    return n * (problem.index.n_masked - 1) + n + problem.family.n_paper_constraints


def papers_program(problem: Problem, *, strictness: float | None = None) -> PapersProgram:
    """The program of a problem. Masked records beyond the originals are impostors only.

    Parameters
    ----------
    problem : Problem
    strictness : float or None
        What stands for "> 0"; the papers do not say. None is 0, or 1e-4 where the papers ask for
        no normalisation: ``theta = 0`` would link everyone.
    """
    import cvxpy as cp

    family, index = problem.family, problem.index
    n = index.n_records
    normaliser = family.normaliser
    if strictness is None:
        strictness = 0.0 if normaliser.any() else 1e-4
    if not (math.isfinite(strictness) and strictness >= 0):
        raise ValueError(f"strictness is {strictness!r}: it must be a finite number, at least 0")
    admissible = family.all_rows
    others = np.ones((n, index.n_masked), dtype=bool)
    np.fill_diagonal(others, False)
    records, impostors = np.nonzero(others)
    rows, _ = index.rows(family, records, impostors)  # (n (n_masked - 1), p)
    constant = _largest_violation(rows, family) + max(1.0, strictness)

    theta = cp.Variable(family.n_parameters, bounds=list(family.box))
    misses = cp.Variable(n, boolean=True)
    slack = sparse.csr_array(
        (np.full(len(records), constant), (np.arange(len(records)), records)),
        shape=(len(records), n),
    )
    constraints = [rows @ theta + slack @ misses >= strictness]
    if len(admissible):
        constraints.append(admissible @ theta >= 0)
    if normaliser.any():
        constraints.append(normaliser @ theta == 1)
    model = cp.Problem(cp.Minimize(cp.sum(misses)), constraints)
    return PapersProgram(
        model, theta, misses, records, impostors, rows, normaliser, constant, float(strictness)
    )


def _largest_violation(rows: np.ndarray, family: Family) -> float:
    """A number that ``-row . theta`` does not exceed for normalised parameters."""
    if family.generators is not None:
        # linear in theta, so largest at a corner
        corners = family.generators / (family.generators @ family.normaliser)[:, None]
        return float(np.max(np.abs(rows @ corners.T), initial=0.0))
    lower, upper = family.box
    return float(np.max(np.maximum(-rows * lower, -rows * upper).sum(axis=1), initial=0.0))


def solve_milp(
    problem: Problem,
    *,
    solver: str | None = None,
    time_limit: float | None = 60.0,
    strictness: float | None = None,
    verbose: int = 0,
) -> MilpSolution:
    """Solve the papers' program by a mixed-integer solver at its default tolerances.

    Parameters
    ----------
    problem : Problem
    solver : str or None
        The solver's name in cvxpy: "HIGHS", "SCIP", "GUROBI", "CPLEX", ...; None is HiGHS.
    time_limit : float or None
        Seconds after which the solver ends; None or infinity for no limit. The time to build the
        program is not counted, and solvers may end a little later.
    strictness : float or None
        As for `papers_program`.
    verbose : int
        Show the messages of cvxpy and of the solver when positive.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import WeightedMean
    >>> from sklearn_reclink.search import Index
    >>> from sklearn_reclink.solvers.milp import solve_milp
    >>> from sklearn_reclink.solvers.problem import Problem
    >>> X = np.array([[0.0, 3.0], [1.0, 1.0], [5.0, 2.0]])
    >>> Y = np.array([[0.0, 1.0], [1.0, 3.0], [5.0, 2.0]])
    >>> found = solve_milp(Problem(WeightedMean(2), Index(X, Y)), strictness=1e-3)
    >>> found.claimed_links, found.recounted_links, found.optimal, found.solver
    (3, 3, True, 'HIGHS')
    """
    name = _installed(solver)
    options = _options(name, time_limit) | {"verbose": verbose > 0}
    program = papers_program(problem, strictness=strictness)
    status, point = _run(program, name, options, time_limit), program.point()
    optimal = status == "optimal"
    if point is None or not (optimal or program.holds(*point)):
        return MilpSolution(None, 0, 0, False, name)
    theta, misses = point
    claimed = problem.index.n_records - int(np.count_nonzero(misses > 0.5))
    if not theta.any():
        return MilpSolution(None, claimed, 0, optimal, name)
    theta = problem.family.repair(theta)
    recounted = int(np.count_nonzero(problem.index.linked(problem.family, theta)))
    return MilpSolution(theta, claimed, recounted, optimal, name)


def _run(program: PapersProgram, name: str, options: dict[str, Any], limit: float | None) -> str:
    """The status that cvxpy gives the program once the solver has ended."""
    import cvxpy as cp

    begin = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a point that may be inaccurate: it is recounted
            program.model.solve(solver=name, **options)
    except cp.SolverError as error:
        # so some interfaces say that the time limit came before any point
        if limit is None or time.monotonic() - begin < limit:
            raise RuntimeError(
                f"{name} failed on a program of {len(program.rows)} links and "
                f"{program.misses.size} integers: see its messages with verbose=1, and whether its "
                "licence allows that size"
            ) from error
    return str(program.model.status)


def _installed(solver: str | None) -> str:
    """The name of a solver that is here and takes integers."""
    from cvxpy.reductions.solvers import defines

    name = "HIGHS" if solver is None else solver.upper()
    if name in defines.INSTALLED_MI_SOLVERS:
        return name
    found = ", ".join(sorted(defines.INSTALLED_MI_SOLVERS))
    if name in defines.INSTALLED_SOLVERS:
        reason = "does not take integers"
    elif name in defines.MI_SOLVERS:
        reason = "is not installed"
    else:
        reason = "is no mixed-integer solver that cvxpy knows"
    raise ValueError(f"solver {solver!r} {reason}: the mixed-integer solvers here are {found}")


def _options(name: str, time_limit: float | None) -> dict[str, Any]:
    """What to pass to a solver."""
    options = dict(_OPTIONS.get(name, {}))
    if time_limit is None or time_limit == math.inf:
        return options
    if not time_limit >= 0:
        raise ValueError(f"time_limit is {time_limit!r}: it must be at least 0, or None")
    if name not in _TIME_LIMITS:
        raise ValueError(
            f"how to give {name} a time limit is not known here: pass time_limit=None to let it "
            f"run to its end, or take one of {', '.join(_TIME_LIMITS)}"
        )
    return options | _TIME_LIMITS[name](float(time_limit))


def write_mps(
    problem: Problem,
    path: str | os.PathLike[str],
    labels: Sequence[str] = (),
    strictness: float | None = None,
) -> None:
    """Write the papers' program as an MPS file, from the matrices of the cvxpy model.

    Parameters
    ----------
    problem : Problem
    path : str or path
    labels : sequence of str
        Words without spaces for the parameters, to name their columns by; by default their numbers.
    strictness : float or None
        As for `papers_program`.
    """
    lines = _mps_lines(papers_program(problem, strictness=strictness), labels)
    try:
        with open(path, "w", encoding="ascii") as file:
            file.writelines(lines)
    except OSError as error:
        raise OSError(f"could not write {os.fspath(path)!r}: {error.strerror}") from error


def _mps_lines(program: PapersProgram, labels: Sequence[str]) -> Iterator[str]:
    """The file: rows ``normalised``, ``link_i_j``, ``admissible_m``, then theta, then K."""
    data = program.model.get_problem_data("HIGHS")[0]  # A x <= b, after the first rows: = b
    p, n, first = program.theta.size, program.misses.size, data["dims"].zero
    place = data["param_prob"].var_id_to_col
    order = np.r_[place[program.theta.id] + np.arange(p), place[program.misses.id] + np.arange(n)]
    columns = [f"theta_{word}" for word in labels or range(p)] + [f"K_{i}" for i in range(n)]
    links = zip(program.records.tolist(), program.impostors.tolist(), strict=True)
    names = ["normalised"] * first + [f"link_{i}_{j}" for i, j in links]
    names += [f"admissible_{m}" for m in range(len(data["b"]) - len(names))]
    signs = np.where(np.arange(len(names)) < first, 1.0, -1.0)  # >= as the papers have it
    matrix = sparse.csc_array(sparse.diags_array(signs) @ data["A"])[:, order]
    matrix.eliminate_zeros()

    yield "NAME papers\nROWS\n N missed\n"
    yield from (f" {'E' if m < first else 'G'} {name}\n" for m, name in enumerate(names))
    yield "COLUMNS\n"
    costs = data["c"][order].tolist()
    for column, (name, cost) in enumerate(zip(columns, costs, strict=True)):
        if column == p:
            yield " MARK 'MARKER' 'INTORG'\n"
        # a column without entries would not be there at all
        yield f" {name} missed {cost!r}\n"
        part = slice(*matrix.indptr[column : column + 2])
        values = zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)
        yield from (f" {name} {names[m]} {value!r}\n" for m, value in values)
    yield " MARK 'MARKER' 'INTEND'\nRHS\n"
    rights = zip(names, (signs * data["b"]).tolist(), strict=True)
    yield from (f" RHS {name} {right!r}\n" for name, right in rights if right != 0)
    yield "BOUNDS\n"
    lower, upper = (data[f"{side}_bounds"][order[:p]].tolist() for side in ("lower", "upper"))
    for name, least, most in zip(columns[:p], lower, upper, strict=True):
        yield f" LO BOUND {name} {least!r}\n UP BOUND {name} {most!r}\n"
    yield from (f" BV BOUND {name}\n" for name in columns[p:])
    yield "ENDATA\n"
