"""Solve an MPS file by HiGHS or SCIP and print what was found as one line of JSON.

    python benchmarks/solve_mps.py {highs,scip} FILE SECONDS

Run as a process of its own, so that a solver that outstays its limit can be ended, and so that
neither shares the memory of the caller. Both keep their default tolerances; the gap asked for is
0. HiGHS may use two threads; SCIP has one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def by_highs(path: str, limit: float) -> dict[str, Any]:
    """Whether proven, the seconds of the solve alone, and the values by column name."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 2)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("time_limit", limit)
    highs.readModel(path)
    begin = time.perf_counter()
    highs.run()
    seconds = time.perf_counter() - begin
    found = highs.getInfo().primal_solution_status == int(
        highspy.SolutionStatus.kSolutionStatusFeasible
    )
    values = zip(highs.getLp().col_names_, highs.getSolution().col_value, strict=True)
    return {
        "optimal": highs.getModelStatus() == highspy.HighsModelStatus.kOptimal,
        "seconds": seconds,
        "values": dict(values) if found else None,
    }


def by_scip(path: str, limit: float) -> dict[str, Any]:
    """Whether proven, the seconds of the solve alone, and the values by column name."""
    from pyscipopt import Model

    model = Model()
    model.hideOutput()
    model.readProblem(path)
    model.setParam("limits/time", limit)
    model.setParam("limits/gap", 0.0)
    begin = time.perf_counter()
    model.optimize()
    seconds = time.perf_counter() - begin
    values = None
    if model.getNSols() > 0:
        best = model.getBestSol()
        values = {v.name: model.getSolVal(best, v) for v in model.getVars(transformed=False)}
    return {"optimal": model.getStatus() == "optimal", "seconds": seconds, "values": values}


SOLVERS: dict[str, Callable[[str, float], dict[str, Any]]] = {"highs": by_highs, "scip": by_scip}


if __name__ == "__main__":
    solver, path, limit = sys.argv[1:]
    print(json.dumps(SOLVERS[solver](path, float(limit))))
