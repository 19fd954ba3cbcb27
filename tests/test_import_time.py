"""Importing the package costs little more than importing scikit-learn."""

import json
import subprocess
import sys

import pytest

HEAVY = {"numba", "highspy", "cvxpy", "matplotlib", "pandas", "polars"}
RATIO = 1.3
ROUNDS = 3

# some releases of scikit-learn import pandas themselves
CODE = """
import json, sys, time
start = time.process_time()
import sklearn.neighbors
middle, known = time.process_time(), set(sys.modules)
from sklearn_reclink import *
end = time.process_time()
print(json.dumps([middle - start, end - middle, sorted(set(sys.modules) - known)]))
"""


@pytest.fixture(scope="module")
def imports():
    """Seconds of scikit-learn's neighbours, of the package after it, and modules that it brings."""
    run = [sys.executable, "-c", CODE]
    return [
        json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]


def test_heavy_dependencies_wait_until_needed(imports):
    for _, _, new in imports:
        assert "sklearn_reclink" in new
        assert not HEAVY & set(new)


def test_import_takes_at_most_1_3_times_that_of_sklearn_neighbors(imports):
    before, after, _ = zip(*imports, strict=True)
    assert min(before) + min(after) <= RATIO * min(before), imports
