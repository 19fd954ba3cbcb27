"""Importing the package costs little more than importing scikit-learn."""

import subprocess
import sys

HEAVY = {"numba", "highspy", "cvxpy", "matplotlib", "pandas", "polars"}
RATIO = 1.3
ROUNDS = 5

TIMED = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def test_heavy_dependencies_wait_until_needed():
    # some releases of scikit-learn import pandas themselves
    code = (
        "import sys, sklearn.neighbors; known = set(sys.modules); import sklearn_reclink; "
        f"print(sorted({HEAVY} & (set(sys.modules) - known)))"
    )
    assert run(code).strip() == "[]"


def test_import_takes_at_most_1_3_times_that_of_sklearn_neighbors():
    times = {"sklearn.neighbors": [], "sklearn_reclink": []}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment slows both
        for module, measured in times.items():
            measured.append(float(run(TIMED.format(module))))
    fastest = {module: min(measured) for module, measured in times.items()}
    assert fastest["sklearn_reclink"] <= RATIO * fastest["sklearn.neighbors"], fastest
