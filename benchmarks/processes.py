"""Measurements in processes of their own, and the memory they took.

Nothing of the package is imported here: Linux counts what the parent held at the fork in the peak
memory of the child.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def json_of_process(*arguments: str, timeout: float | None = None, **options: Any) -> Any:
    """Run Python on a script; the last line that it prints, read as JSON.

    Solvers may print lines of their own before. ``options`` are those of `subprocess.run`.
    """
    process = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=timeout, **options
    )
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed: {process.stderr.strip()[-500:]}")
    return json.loads(process.stdout.strip().splitlines()[-1])


def quiet_workers(n_jobs: int) -> ProcessPoolExecutor:
    """Fresh processes of one thread each, without warnings of arithmetic."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the workers
    return ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn"), initializer=_be_quiet)


def _be_quiet() -> None:
    warnings.simplefilter("ignore", RuntimeWarning)


def peak_memory() -> float:
    """The largest resident set of this process so far, in MB."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
