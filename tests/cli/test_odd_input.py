"""Options and columns of a wrong kind are wrong input, not errors of the program."""

from __future__ import annotations

import pandas as pd
import pytest

from sklearn_reclink import cli


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"age": [34.0, 41, 29, 56], "reg": ["a", "b", "a", "c"]})
    table.to_csv("o.csv", index=False)
    table.assign(age=table["age"] + 1).to_csv("m.csv", index=False)
    table.assign(odd=[[1], [2], [3], [4]]).to_parquet("lists.parquet")
    table.assign(odd=[b"w", b"x", b"y", b"z"]).to_parquet("bytes.parquet")


@pytest.mark.parametrize("option", ["--columns", "--nominal", "--ordinal"])
def test_a_line_break_in_a_list_of_names(option, capsys):
    assert cli.run(["audit", "o.csv", "m.csv", option, "age\nreg"]) == 2
    assert "put double quotes around a name that holds one" in capsys.readouterr().err
    assert cli.run(["audit", "o.csv", "m.csv", option, '"age\nreg"']) == 2
    assert "'age\\nreg'" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "kind"), [("lists", "ndarray"), ("bytes", "bytes")])
def test_a_column_of_lists_or_bytes(file, kind, capsys):
    assert cli.run(["mask", f"{file}.parquet", "out.csv"]) == 2
    masked = capsys.readouterr().err
    pd.read_parquet(f"{file}.parquet").to_parquet("other.parquet")
    assert cli.run(["audit", f"{file}.parquet", "other.parquet"]) == 2
    error = capsys.readouterr().err
    assert error == masked
    assert f"column 'odd' of the file {file}.parquet has a value of type {kind} in row 1" in error


def test_a_column_that_is_not_masked_may_hold_anything(capsys):
    for file in ("lists.parquet", "bytes.parquet"):
        assert cli.run(["mask", file, "out.csv", "--columns", "age", "--force"]) == 0
        assert "odd is LEFT OUT" in capsys.readouterr().err
        assert list(pd.read_csv("out.csv")) == ["age"]
        assert cli.run(["mask", file, "out.csv", "--columns", "age", "--keep", "odd"]) == 2


def test_rows_of_files_with_types_count_from_1(capsys):
    pytest.importorskip("openpyxl")
    dates = pd.Series([1.5, None, pd.Timestamp("2020-01-04"), 4], dtype=object)
    pd.DataFrame({"age": [34, 41, 29, 56], "born": dates}).to_excel("p.xlsx", index=False)
    assert cli.run(["mask", "p.xlsx", "out.csv"]) == 2
    assert "'born' of the file p.xlsx holds numbers in row 1 and dates in row 3" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("recoding", 'n_levels={"reg":"x"}'),
        ("recoding", 'n_levels={"reg":1.5}'),
        ("recoding", 'bands={"age":"x"}'),
        ("rounding", 'base={"age":"x"}'),
        ("rounding", 'base={"age":[1]}'),
        ("pram", 'p={"reg":"x"}'),
        ("pram", 'matrix={"reg":"x"}'),
        ("top-bottom", 'top={"age":"x"}'),
    ],
)
def test_an_option_by_column_of_a_wrong_kind(method, option, capsys):
    assert cli.run(["mask", "o.csv", "out.csv", "--method", method, "--option", option]) == 2
    error = capsys.readouterr().err
    assert option.partition("=")[0] in error and "Traceback" not in error
