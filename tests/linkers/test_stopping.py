"""A fit ends when it is told to: by its time limit, or by an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import highspy
import numpy as np
import pytest
from joblib import parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sklearn_reclink import BilinearLinker, ChoquetLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.families import WeightedMean
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells import open_cells
from sklearn_reclink.solvers.feasibility import Feasibility
from tests.problems import noisy_files
from tests.soundness.deadly import Deadly

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


LEARNED = [
    WeightedMeanLinker(random_state=0),
    ChoquetLinker(random_state=0),
    ChoquetLinker(constraint="submodular", k_additive=2, n_jobs=2, random_state=0),
    BilinearLinker(constraint="free", n_jobs=2, random_state=0),
    BilinearLinker(constraint="nonnegative", random_state=0),
    BilinearLinker(constraint="psd", random_state=0),
]
learned = pytest.mark.parametrize("linker", LEARNED, ids=str)


def small_files() -> tuple[np.ndarray, np.ndarray]:
    return noisy_files(3, n_records=16, n_features=3, noise=0.3)


class JumpingClock:
    """A clock that jumps far ahead at one of its calls."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.true = time.monotonic

    def __call__(self) -> float:
        self.left -= 1
        return self.true() + (1e6 if self.left < 0 else 0)


@learned
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_time_that_ends_at_any_stage_leaves_a_valid_bound(monkeypatch, linker):
    X, Y = small_files()
    optimum = clone(linker).fit(X, Y).n_linked_
    statuses = set()
    at = 0
    while True:
        clock = JumpingClock(at)
        monkeypatch.setattr(time, "monotonic", clock)
        fitted = clone(linker).fit(X, Y)
        monkeypatch.undo()
        assert fitted.n_linked_ <= optimum <= fitted.bound_
        assert round(fitted.score(X, Y) * len(X)) == fitted.n_linked_
        assert (fitted.status_ == "optimal") == (fitted.n_linked_ == fitted.bound_)
        statuses.add(fitted.status_)
        if clock.left >= 0:  # the fit was over before
            break
        at += 1 + at // 3
    assert "optimal" in statuses


STAGES = [
    (Feasibility, "check_known"),
    (highspy.Highs, "run"),
    (Index, "linked"),
    (open_cells, "_explore"),
]


class Interrupt:
    """A function that is interrupted at one of its calls."""

    def __init__(self, true, at):
        self.true, self.left = true, at

    def __get__(self, instance, owner=None):
        return self if instance is None else partial(self, instance)

    def __call__(self, *arguments, **options):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.true(*arguments, **options)


@learned
def test_interrupt_at_any_stage_leaves_the_linker_as_it_was(monkeypatch, linker):
    X, Y = small_files()
    linker = clone(linker).fit(X, Y)
    before, threads = dict(vars(linker)), threading.active_count()
    n_interrupts = 0
    for stage in STAGES:
        for at in (0, 3):
            monkeypatch.setattr(*stage, Interrupt(getattr(*stage), at))
            try:
                clone(linker).fit(X, Y)
                continue  # this linker is never there
            except KeyboardInterrupt:
                n_interrupts += 1
            finally:
                monkeypatch.undo()
            monkeypatch.setattr(*stage, Interrupt(getattr(*stage), at))
            with pytest.raises(KeyboardInterrupt):
                linker.fit(X[::-1] * [1, 5, 9], Y[::-1] * [1, 5, 9])
            monkeypatch.undo()
            assert vars(linker).keys() == before.keys()
            assert all(vars(linker)[name] is value for name, value in before.items())
            assert threading.active_count() == threads
    assert n_interrupts >= 2


def test_linker_whose_first_fit_was_interrupted_is_not_fitted(monkeypatch):
    X, Y = small_files()
    linker = ChoquetLinker()

    def interrupt(*_, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("sklearn_reclink.solvers.exact.solve", interrupt)
    with pytest.raises(KeyboardInterrupt):
        linker.fit(X, Y)
    with pytest.raises(NotFittedError):
        linker.score(X, Y)


def test_an_interrupt_that_compiled_code_turns_into_an_error_is_an_interrupt(monkeypatch):
    X, Y = small_files()
    linker = EuclideanLinker().fit(X, Y)

    def cut_off(*_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("sklearn_reclink.search.DistancePairs.linked", cut_off)
    for method in ("fit", "score"):
        with pytest.raises(KeyboardInterrupt):
            getattr(linker, method)(X, Y)


@pytest.mark.slow
def test_killed_worker_is_an_error_and_not_a_wait():
    X, Y = small_files()
    deadly = Deadly(WeightedMean(3), np.ones(3), X, Y)
    with parallel_config("loky", n_jobs=2), pytest.raises(TerminatedWorkerError):
        deadly.ask("link", n_jobs=2)
