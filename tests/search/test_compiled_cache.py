"""Compiled walks are found again by the next process."""

import json
import subprocess
import sys

import pytest

CODE = """
import json
import numpy as np
from sklearn_reclink import EuclideanLinker
from sklearn_reclink.search.tree import descent, walks

rng = np.random.default_rng(0)
X = rng.normal(size=(2100, 2))
Y = X + rng.normal(scale=0.1, size=X.shape)
if {mixed}:
    X[::9, 0] = np.nan
linker = EuclideanLinker().fit(X, Y)
linker.score(X, Y)
linker.predict(X)
compiled = [*walks._WALKS[{mixed}][0], *descent._LOOPS[{mixed}]]
used = [kernel for kernel in compiled if kernel.signatures]
print(json.dumps([len(used), sum(sum(kernel.stats.cache_misses.values()) for kernel in used)]))
"""


@pytest.mark.parametrize("mixed", [False, True])
def test_walks_are_compiled_once_for_all_processes(mixed):
    run = [sys.executable, "-c", CODE.format(mixed=mixed)]
    for _ in range(2):  # the first one compiles what no process has compiled before
        printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    used, misses = json.loads(printed)
    assert used > 0
    assert misses == 0
