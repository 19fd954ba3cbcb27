"""The benchmark of attacks on records never seen: what it keeps, counts and asks for."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise

LEARNERS = ["d2AM", "d2WM", "ours"]


@pytest.fixture(scope="module")
def cells():
    from maskings import Split
    from overfitting import measure

    X = make_microdata(120, 3, random_state=0)
    Y = AdditiveNoise(30, random_state=0).fit_transform(X)
    split = Split(X[:50], Y[:50], X[50:], Y[50:])
    return [measure("Noise-16", 0, learner, 20.0, split) for learner in LEARNERS]


def test_known_records_of_the_proven_optimum_are_at_least_those_of_equal_weights(cells):
    euclidean, optimum, _ = cells
    assert optimum.is_proven
    assert optimum.known >= euclidean.known
    assert not euclidean.is_proven


def test_cells_saved_are_read_again(cells, tmp_path):
    from overfitting import saved

    path = tmp_path / "cells.jsonl"
    assert saved(path) == saved(None) == []
    path.write_text("".join(json.dumps(asdict(cell)) + "\n" for cell in cells), encoding="utf-8")
    assert saved(path) == cells


def test_nothing_is_fitted_again_where_all_cells_are_saved(cells, tmp_path):
    from overfitting import collect, parse

    path = tmp_path / "cells.jsonl"
    path.write_text("".join(json.dumps(asdict(cell)) + "\n" for cell in cells), encoding="utf-8")
    asked = ["--maskings", "Noise-16", "--seeds", "0", "--time-limit", "20", "--n-jobs", "1"]
    options = parse([*asked, "--save", str(path), "--learners", *LEARNERS])
    assert collect(options, np.empty((0, 0))) == cells


def test_the_table_has_a_row_for_each_masking_and_says_what_is_proven(cells, capsys):
    from overfitting import print_table, proofs

    print_table(cells, ["Noise-16"], LEARNERS)
    table = capsys.readouterr().out.splitlines()
    assert len({line.count("|") for line in table}) == 1
    assert table[2].startswith("| Noise-16")
    assert proofs(cells).endswith("d2WM 1 of 1")


def test_the_verdict_asks_for_the_mean_the_worst_masking_and_every_rival():
    from overfitting import verdict

    names = ["d2AM", "NCA", "ours"]
    lines, code = verdict(names, np.array([[50.0, 49.0, 60.0], [10.0, 12.0, 14.0]]))
    assert code == 0
    assert len(lines) == 3
    assert all(line.endswith("holds") for line in lines)
    _, code = verdict(names, np.array([[50.0, 49.0, 70.0], [10.0, 12.0, 9.4]]))
    assert code == 1  # 0.6 below the plain distance on the second masking
    lines, code = verdict(names, np.array([[50.0, 52.0, 57.0], [10.0, 12.0, 14.0]]))
    assert code == 1
    assert lines[-1].endswith("FAILS")
