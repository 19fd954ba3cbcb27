"""``reclink audit --weight``: a column of sampling weights."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sklearn_reclink.cli import run
from tests.auditing.pairs import masked, original

QUICK = ["--attackers", "euclidean", "--time-limit", "2"]


def write_pair(folder, weights, *, released=False, **form):
    """60 people with weights, and their masked records in another order, two of them left out."""
    X = original()
    X, Y = X.assign(person=range(60), w8=weights), masked(X).assign(person=range(60))
    if released:
        Y = Y.assign(w8=1)
    paths = [folder / "original.csv", folder / "masked.csv"]
    X.to_csv(paths[0], index=False, **form)
    Y[2:][::-1].to_csv(paths[1], index=False, **form)
    return [*map(str, paths), "--id", "person", "--weight", "w8"]


@pytest.mark.parametrize("released", [False, True])
def test_weights_follow_the_ids_and_link_nobody(tmp_path, capsys, released):
    weights = np.arange(1, 61) * 10 + 0.125
    target = tmp_path / "found.json"
    arguments = write_pair(tmp_path, weights, released=released, sep=";", decimal=",")
    assert run(["audit", *arguments, "--json", str(target), *QUICK]) == 0
    found = json.loads(target.read_text(encoding="utf-8"))
    assert "w8" not in found["variables"]
    assert found["left_out"] == (["w8"] if released else [])
    assert found["population"]["weight"] == "w8"
    assert found["population"]["total"] == pytest.approx(weights[2:].sum())
    told = capsys.readouterr()
    assert "Population" in told.out and "only original.csv" not in told.err


@pytest.mark.parametrize(
    ("row", "cell", "message"),
    [
        (6, "-3.5", "column 'w8' of original.csv is negative in row 7: weights must be at least 0"),
        (6, "", "column 'w8' of original.csv has no weight in row 7: give every record a weight"),
        (6, "many", "column 'w8' of original.csv has text in row 7: give every record a weight"),
        (6, "inf", "column 'w8' of original.csv is infinite in row 7: give every record a weight"),
        (slice(None), "0", "column 'w8' of original.csv is 0 in all rows"),
        (slice(None), "", "column 'w8' of original.csv has no weight in row 1"),
        (slice(None), "heavy", "column 'w8' of original.csv holds text: weights must be numbers"),
    ],
)
def test_wrong_weights_are_named_by_column_and_row(tmp_path, capsys, row, cell, message):
    weights = np.full(60, "2.5", dtype=object)
    weights[row] = cell
    assert run(["audit", *write_pair(tmp_path, weights), *QUICK]) == 2
    told = capsys.readouterr().err
    assert message in told and "3.5" not in told and "many" not in told


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--weight", "weight"], "--weight names 'weight', which is not a column of either file: "),
        (["--weight", "person"], "--weight names 'person', which --id names too"),
        (["--columns", "w8"], "--weight names 'w8', which --columns or --known names too"),
        (["--secret", "w8"], "--weight names 'w8', which --secret names too"),
        (["--unaligned"], "--weight has no meaning with --unaligned"),
    ],
)
def test_a_weight_is_a_column_and_no_variable(tmp_path, capsys, more, message):
    assert run(["audit", *write_pair(tmp_path, 1.0), *more, *QUICK]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_weights_may_stand_in_the_release_alone(tmp_path):
    X = original()
    paths = [tmp_path / "original.csv", tmp_path / "masked.csv"]
    X.to_csv(paths[0], index=False)
    masked(X).assign(w8=3).to_csv(paths[1], index=False)
    target = tmp_path / "found.json"
    arguments = ["audit", *map(str, paths), "--weight", "w8", "--json", str(target)]
    assert run([*arguments, *QUICK, "-q"]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))["population"]["total"] == 180
