"""A fit ends when it is told to: by its time limit, or by an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import BilinearLinker, ChoquetLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

HARD = """
import sys, time
import numpy as np
from sklearn_reclink import BilinearLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

X = np.asarray(make_microdata(200, 5, tail="heavy", random_state=0))
Y = Microaggregation(groups=[[0, 1, 2], [3, 4]], k=[3, 8]).fit_transform(X)
BilinearLinker(constraint="free", time_limit=0.1, random_state=0).fit(X, Y)
print("ready", flush=True)
try:
    BilinearLinker(constraint="free", time_limit=600, n_jobs=2, random_state=0).fit(X, Y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def hard_files() -> tuple[np.ndarray, np.ndarray]:
    X = np.asarray(make_microdata(400, 5, tail="heavy", random_state=0))
    return X, Microaggregation(groups=[[0, 1, 2], [3, 4]], k=[3, 8]).fit_transform(X)


@pytest.mark.parametrize(
    "linker",
    [
        ChoquetLinker(time_limit=1, n_jobs=2, random_state=0),
        BilinearLinker(constraint="free", time_limit=1, n_jobs=2, random_state=0),
        WeightedMeanLinker(time_limit=0, random_state=0),
    ],
    ids=lambda linker: type(linker).__name__,
)
def test_time_limit_ends_a_fit_with_a_valid_bound_and_a_warning(linker):
    X, Y = hard_files()
    with pytest.warns(ConvergenceWarning, match="at most"):
        linker.fit(X, Y)
    assert linker.status_ == "time_limit"
    assert linker.n_linked_ < linker.bound_ <= len(X)
    assert round(linker.score(X, Y) * len(X)) == linker.n_linked_


@pytest.mark.skipif(os.name == "nt", reason="an interrupt is sent to a process group there")
def test_interrupt_ends_a_fit_and_leaves_nothing_running():
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HARD], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=30)
    assert said == "interrupted\n"
    assert process.returncode == 0
