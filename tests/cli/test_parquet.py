"""Parquet files: rows count from 1, an index is no column, and categories have an order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import cli

QUICK = ["--attackers", "euclidean", "--time-limit", "1"]


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def X():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])


def refusal(capsys, *command):
    assert cli.run([*command]) == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", ["audit o.parquet m.parquet", "mask o.parquet x.csv"])
def test_an_infinite_value_is_named_as_in_csv(X, command, capsys):
    X.to_parquet("m.parquet")
    X.assign(a=X["a"].where(X.index != 6, np.inf)).to_parquet("o.parquet")
    said = refusal(capsys, *command.split())
    assert "column 'a' of the file o.parquet has an infinite value (inf) in row 7" in said


def test_an_index_that_is_taken_for_a_column_has_a_remedy(X, capsys):
    indexed = X.set_index(pd.Index(range(100, 140), name="id"))
    indexed.to_parquet("o.parquet")
    (indexed + 0.1).to_parquet("m.parquet")
    said = refusal(capsys, "audit", "o.parquet", "m.parquet", "--id", "id")
    assert "no column 'id'" in said and "it is the index, so save it as a column" in said
    assert "index" not in refusal(capsys, "audit", "o.parquet", "m.parquet", "--id", "pid")


def test_orders_that_differ_are_told_without_their_levels(X, capsys):
    for file, levels in (("o", ["low", "mid", "top"]), ("m", ["top", "mid", "low"])):
        graded = pd.Categorical(["low", "mid", "mid", "top"] * 10, levels, ordered=True)
        X.assign(grade=graded).to_parquet(f"{file}.parquet")
    said = refusal(capsys, "audit", "o.parquet", "m.parquet", *QUICK)
    assert "levels of column 'grade'" in said and "not the same in the same order" in said
    assert not any(level in said for level in ("low", "mid", "top"))


def test_other_units_are_noted_by_name_in_the_words_of_the_command(X, capsys):
    X.to_parquet("o.parquet")
    X.assign(a=X["a"] + 50).to_parquet("m.parquet")
    options = ["--attackers", "probabilistic", "--time-limit", "1", "--trust-order"]
    cli.run(["audit", "o.parquet", "m.parquet", *options])
    noted = capsys.readouterr().err
    assert "columns ['a'] of the two files are not in the same units" in noted
    assert "write both files in the same units" in noted
    assert "TransformedLinker" not in noted and "standardize" not in noted
