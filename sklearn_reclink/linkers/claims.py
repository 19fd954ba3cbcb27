"""What a linker may claim of its parameters, and what it has to say where the proof is open."""

from __future__ import annotations

from sklearn_reclink.solvers.problem import Solution, Status


def status_of(n_linked: int, bound: int, solution: Solution | None) -> Status:
    """Optimal where the recount meets the bound, whatever the solver says of itself."""
    if n_linked == bound:
        return Status.OPTIMAL
    said = None if solution is None else solution.status
    if said in (Status.TIME_LIMIT, Status.PROJECTED, Status.SHRUNK, Status.HEURISTIC):
        return said
    return Status.UNDECIDED


def gap_of(
    status: Status, n_linked: int, bound: int, n_records: int, time_limit: float | None
) -> str | None:
    """A sentence on the gap that an unfinished proof leaves, None where there is none to tell."""
    if status is Status.TIME_LIMIT:
        cause = f"the time limit of {time_limit:g} s ended the proof"
        remedy = "; raise time_limit to close the gap"
    elif status is Status.UNDECIDED:
        cause, remedy = "ties within rounding left the proof open", ""
    else:
        return None
    return f"{cause}: {n_linked} of {n_records} records linked, at most {bound} can be{remedy}"
