"""A bounded share of the campaign of `benchmarks/faults.py`: solvers lie, bounds do not."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import highspy
import numpy as np
import pytest

from sklearn_reclink.solvers.covering.master import CoveringMaster
from tests.soundness.faults import KINDS, lying
from tests.soundness.lies import fit_with_lies

FITS = 25  # of each kind


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_no_lie_of_a_solver_makes_a_bound_or_a_count_wrong(kind):
    wrong, lied_to = {}, 0
    for number in range(FITS):
        told = fit_with_lies(0, number, (kind,))
        lied_to += told.lies > 0
        if told.wrong:
            wrong[number] = told
    assert not wrong
    assert lied_to > FITS / 4


def test_duals_of_any_size_prove_no_more_than_a_cover_has(monkeypatch):
    # so many entries that sums of large duals could pass the largest integer
    n_records = 800
    master = CoveringMaster(n_records)
    master.add([np.delete(np.arange(n_records), row) for row in range(n_records)])
    optimal = highspy.HighsModelStatus.kOptimal
    monkeypatch.setattr(highspy.Highs, "run", lambda _: highspy.HighsStatus.kOk)
    monkeypatch.setattr(highspy.Highs, "getModelStatus", lambda _: optimal)
    nobody = np.empty(0, dtype=np.int64)
    for size in (1e-3, 1.0, 4096.0, 1e9, 1e300, np.inf, np.nan, -1.0):
        told = SimpleNamespace(
            col_value=[0.0] * n_records,
            col_dual=[size] * n_records,
            row_value=[0.0] * n_records,
            row_dual=[size] * n_records,
        )
        monkeypatch.setattr(highspy.Highs, "getSolution", lambda _, told=told: told)
        cover = master.solve_held(nobody, nobody)
        assert cover.bound <= 2  # any two records cover all conflicts
        assert cover.value <= 2


def test_lies_end_with_their_block():
    true = highspy.Highs.getModelStatus
    with lying("HiGHS", np.random.default_rng(0)):
        pass
    assert highspy.Highs.getModelStatus is true


CRASH = """
import os, sys
import highspy
highspy.Highs = lambda: os._exit(9)
from sklearn_reclink.cli import main
sys.argv = ["reclink", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
def test_solver_that_kills_the_process_leaves_nothing_half_written(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))  # so many conflicts that a relaxation is needed
    for name, table in (("original", X), ("masked", X + rng.normal(scale=0.4, size=X.shape))):
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header="a,b,c", comments="")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    arguments = ["audit", "original.csv", "masked.csv", "--attackers", "choquet"]
    arguments += ["--report", "r.html", "--json", "r.json"]
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CRASH, *arguments], cwd=tmp_path, capture_output=True
    )
    assert ended.returncode == 9
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
