"""The command reclink: results, exit codes, and one clear sentence for every bad file."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sklearn_reclink
from sklearn_reclink import __version__, cli
from tests.auditing.pairs import masked, original

QUICK = ["--attackers", "euclidean,mahalanobis", "--time-limit", "1"]


@pytest.fixture
def files(tmp_path):
    """A pair of CSV files with ids, columns and rows of the second in another order."""
    X = original()
    Y = masked(X)
    ids = [f"{k:03d}" for k in range(len(X))]
    X.assign(pid=ids).to_csv(tmp_path / "original.csv", index=False)
    Y = Y.assign(pid=ids)[["savings", "pid", "tax", "income", "rent"]]
    Y.sample(frac=1, random_state=0).to_csv(tmp_path / "masked.csv", index=False)
    return tmp_path


def audit(folder, *options, quick=True, first="original.csv", second="masked.csv"):
    arguments = ["audit", str(folder / first), str(folder / second), *options]
    return cli.run([*arguments, *(QUICK if quick else [])])


def test_an_audit_prints_the_verdict_and_writes_what_is_asked_for(files, capsys):
    report, numbers = files / "risk.html", files / "risk.json"
    code = audit(files, "--id", "pid", "--report", str(report), "--json", str(numbers))
    printed = capsys.readouterr()
    assert code == 0
    assert printed.out.startswith("An intruder who knows the original values would find ")
    assert printed.err == ""
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    data = json.loads(numbers.read_text(encoding="utf-8"))
    assert data["variables"] == ["income", "tax", "rent", "savings"]
    listed = pd.read_csv(files / "risk-records.csv", dtype={"id": str})
    assert len(listed) == data["n_records_at_risk"]
    assert (listed["id"].astype(int) + 1 == listed["row"]).all()


def test_rows_aligned_by_id_give_the_rate_of_aligned_rows(files, capsys):
    X = original()
    X.to_csv(files / "o.csv", index=False)
    masked(X).to_csv(files / "m.csv", index=False)
    audit(files, "--id", "pid", "--json", str(files / "1.json"), "-q")
    audit(files, "--json", str(files / "2.json"), "-q", first="o.csv", second="m.csv")
    first, second = (json.loads((files / f"{k}.json").read_text()) for k in (1, 2))
    assert first["risk"] == second["risk"] > 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("limit", "code"), [("0.01", 1), ("1", 0)])
def test_risk_above_the_limit_is_exit_code_1(files, limit, code, capsys):
    assert audit(files, "--id", "pid", "--fail-above", limit) == code
    assert "limit" in capsys.readouterr().out


def test_columns_may_be_chosen(files, capsys):
    numbers = files / "risk.json"
    audit(
        files, "--id", "pid", "--columns", "rent,tax", "--columns", "income", "--json", str(numbers)
    )
    assert json.loads(numbers.read_text())["variables"] == ["rent", "tax", "income"]


def test_parquet_and_semicolons_are_read(tmp_path, capsys):
    X = original()
    X.to_parquet(tmp_path / "original.parquet")
    masked(X).to_csv(tmp_path / "masked.csv", index=False, sep=";", decimal=",")
    options = ["--decimal", ",", "--json", str(tmp_path / "risk.json")]
    assert audit(tmp_path, *options, first="original.parquet") == 0
    assert json.loads((tmp_path / "risk.json").read_text())["n_records"] == 60


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


GOOD = "a,b\n1,2\n3,4\n5,6\n7,9\n"
BAD = {
    "no common column": ("c\n1\n2\n3\n4\n", [], "the files have no column in common"),
    "missing column": ("a\n1\n2\n3\n4\n", ["--columns", "a,b"], "masked.csv lacks the column 'b'"),
    "different rows": ("a,b\n1,2\n3,4\n", [], "4 records and masked.csv has 2"),
    "text": ("a,b\n1,2\nsecret,4\n5,6\n7,8\n", [], "column 'a' of masked.csv has text in row 2"),
    "infinite": ("a,b\n1,2\n3,4\n5,inf\n7,8\n", [], "'b' of masked.csv is infinite in row 3"),
    "empty": ("", [], "masked.csv is empty"),
    "blank": ("\n\n", [], "masked.csv is empty"),
    "header only": ("a,b\n", [], "masked.csv has 0 records"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", [], "masked.csv is not a CSV file"),
    "zeros": (b"a,b\n1,\x00\n", [], "masked.csv is not a CSV file"),
    "ragged": ("a,b\n1,2\n3,4,5,6\n", [], "masked.csv is not a CSV file"),
    "repeated column": ("a,a\n1,2\n3,4\n", [], "column 'a' more than once"),
    "duplicated ids": ("a,b\n1,2\n1,4\n5,6\n7,8\n", ["--id", "a"], "rows 1 and 2 of masked.csv"),
    "other ids": (
        "a,b\n1,2\n2,4\n6,6\n8,8\n",
        ["--id", "a"],
        "1 id is in both original.csv and masked.csv",
    ),
    "no id": ("a,b\n1,2\n3,4\n5,6\n7,8\n", ["--id", "pid"], "no column 'pid'"),
    "empty id": ("a,b\n,2\n3,4\n5,6\n7,8\n", ["--id", "a"], "row 1 of masked.csv has no 'a'"),
    "wrong column": (GOOD, ["--columns", "z"], "original.csv lacks the column 'z'"),
    "no attacker": (GOOD, ["--attackers", "nobody"], "choose from euclidean"),
    "constant": ("a,b\n1,2\n1,2\n1,2\n1,2\n", [], "constant"),
    "no folder": (GOOD, ["--report", "nowhere/risk.html"], "folder"),
    "wrong limit": (GOOD, ["--fail-above", "20"], "--fail-above"),
}


@pytest.mark.parametrize(("text", "options", "sentence"), BAD.values(), ids=BAD)
def test_a_bad_file_ends_in_one_clear_sentence_and_exit_code_2(
    tmp_path, text, options, sentence, capsys
):
    write(tmp_path / "original.csv", GOOD)
    write(tmp_path / "masked.csv", text)
    assert audit(tmp_path, *options, quick=False) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in " ".join(printed.err.replace("│", " ").split())
    assert "Traceback" not in printed.err and "secret" not in printed.err
    if printed.err.startswith("reclink: "):
        assert len(printed.err.splitlines()) == 1


def test_a_file_that_is_not_there(tmp_path, capsys):
    assert audit(tmp_path) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["noise", "--strength", "-20"], "the strength of noise is -20: it must be a number of"),
        (["pram", "--strength", "1.5"], "the strength of pram is 1.5: it must be from 0 to 1"),
        (["microaggregation", "--strength", "0"], "it must be a number of at least 1"),
        (["top-bottom", "--strength", "0.1"], "give --option bottom=0.1 --option top=0.9"),
        (["top-bottom", "--option", "top=85"], "or --option by=value"),
        (["recoding"], "or name the columns to mask with --columns"),
    ],
)
def test_what_a_method_does_not_take_is_said_in_options(files, options, words, capsys):
    paths = [str(files / "original.csv"), str(files / "out.csv")]
    assert cli.run(["mask", *paths, "--id", "pid", "--method", *options]) == 2
    assert words in capsys.readouterr().err
    assert not (files / "out.csv").exists()


def test_unknown_commands_and_options_are_exit_code_2(capsys):
    assert cli.run(["audits"]) == 2
    assert cli.run(["audit", "--nothing"]) == 2


def test_maskings_are_compared(files, capsys):
    X = original()
    for name, groups in (("weak", 2), ("strong", 4)):
        masked(X, groups=groups).to_csv(files / f"{name}.csv", index=False)
    X.to_csv(files / "o.csv", index=False)
    paths = [str(files / f"{name}.csv") for name in ("o", "weak", "strong")]
    report = files / "compared.html"
    code = cli.run(["compare", *paths, "--report", str(report), "--fail-above", "0.3", *QUICK])
    assert code == 1
    assert "strong.csv is within the limit of 30 %." in capsys.readouterr().out
    assert report.read_text(encoding="utf-8").count("<svg") == 2


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("microaggregation", ["--strength", "5", "--groups", "income,tax;rent,savings"]),
        ("univariate", []),
        ("rank-swapping", ["--strength", "20"]),
        ("noise", ["--keep-integers"]),
        ("jpeg", ["--strength", "50"]),
        ("pram", ["--strength", "0.5", "--option", "invariant=true"]),
        ("top-bottom", ["--strength", "0.8", "--option", "replace=mean"]),
        ("rounding", ["--option", 'base={"income": 1000, "tax": 100, "rent": 50, "savings": 10}']),
    ],
)
def test_a_file_is_masked_and_keeps_its_ids(files, method, options, capsys):
    output = files / "out.csv"
    arguments = ["mask", str(files / "original.csv"), str(output), "--id", "pid"]
    assert cli.run([*arguments, "--method", method, *options]) == 0
    X, Y = (pd.read_csv(path, dtype={"pid": str}) for path in (files / "original.csv", output))
    assert (X["pid"] == Y["pid"]).all() and set(X.columns) == set(Y.columns)
    assert not np.allclose(X.drop(columns="pid"), Y[X.columns].drop(columns="pid"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "magic"], "choose from microaggregation"),
        (["--strength", "2.5"], "whole number"),
        (["--strength", "inf"], "the strength of microaggregation is a whole number, not inf"),
        (["--method", "jpeg", "--strength", "nan"], "the strength of jpeg is a whole number"),
        (["--method", "noise", "--groups", "tax"], "noise takes no groups"),
        (["--columns", "z"], "lacks the column 'z'"),
        (["--keep", "z"], "lacks the column 'z'"),
        (["--method", "recoding", "--strength", "2"], "recoding takes no strength"),
        (["--option", "k"], "write NAME=VALUE"),
        (["--option", "depth=3"], "microaggregation takes no depth; its options are groups, k"),
        (["--method", "recoding", "--option", "bands={age"], "is not JSON"),
        (["--method", "recoding"], "have no rule, so they would be released unmasked"),
    ],
)
def test_masking_options_that_make_no_sense_are_explained(files, options, sentence, capsys):
    paths = [str(files / "original.csv"), str(files / "out.csv")]
    assert cli.run(["mask", *paths, "--id", "pid", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_columns_left_out_by_masking_are_named(files, capsys):
    output = files / "out.parquet"
    arguments = ["mask", str(files / "original.csv"), str(output), "--columns", "tax,rent"]
    assert cli.run(arguments) == 0
    errors = capsys.readouterr().err
    assert all(f"{name} is LEFT OUT" in errors for name in ("income", "savings", "pid"))
    assert list(pd.read_parquet(output).columns) == ["tax", "rent"]


def test_columns_in_no_group_are_left_out_by_name(files, capsys):
    output = files / "out.csv"
    arguments = ["mask", str(files / "original.csv"), str(output), "--id", "pid"]
    assert cli.run([*arguments, "--groups", "tax,rent"]) == 0
    errors = capsys.readouterr().err
    assert all(f"{name} is LEFT OUT" in errors for name in ("income", "savings"))
    assert list(pd.read_csv(output).columns) == ["pid", "tax", "rent"]
    assert cli.run([*arguments, "--groups", "tax,rent", "--keep", "savings", "--force"]) == 0
    errors = capsys.readouterr().err
    assert "savings is RELEASED UNMASKED, as --keep asks" in errors
    assert "income is LEFT OUT" in errors
    assert list(pd.read_csv(output).columns) == ["pid", "tax", "rent", "savings"]


@pytest.fixture
def mixed_file(tmp_path):
    rng = np.random.default_rng(0)
    table = {
        "pid": [f"{row:03d}" for row in range(80)],
        "sex": rng.choice(["f", "m"], 80),
        "region": rng.choice(["north", "south", "west", "east"], 80, p=[0.6, 0.3, 0.05, 0.05]),
        "code": rng.integers(1, 4, 80),
        "age": rng.integers(18, 90, 80),
        "income": np.where(rng.uniform(size=80) < 0.1, np.nan, rng.lognormal(8, 1, 80).round(2)),
    }
    pd.DataFrame(table).to_csv(tmp_path / "mixed.csv", index=False)
    return tmp_path / "mixed.csv"


def mask_mixed(path, *options):
    output = path.with_name("out.csv")
    code = cli.run(["mask", str(path), str(output), "--id", "pid", "--force", *options])
    dtypes = {"pid": str, "code": "Int64", "age": "Int64"}
    return (code, pd.read_csv(output, dtype=dtypes)) if code == 0 else (code, None)


def test_a_method_for_numbers_names_the_columns_it_cannot_mask(mixed_file, capsys):
    code, _ = mask_mixed(mixed_file, "--method", "noise")
    assert code == 2
    errors = capsys.readouterr().err
    assert "other kinds are in 'sex', 'region': name the columns to mask with --columns" in errors


def test_a_mixed_file_is_masked_by_categories(mixed_file, capsys):
    X = pd.read_csv(mixed_file, dtype={"pid": str})
    keys = ["--columns", "sex,region,code"]
    _, Y = mask_mixed(mixed_file, "--method", "suppression", "--strength", "4", *keys)
    assert list(Y.columns) == ["pid", "sex", "region", "code"]
    errors = capsys.readouterr().err
    assert all(f"{name} is LEFT OUT" in errors for name in ("age", "income"))
    assert Y.isna().any().any()
    same = (Y[X.columns[1:4]] == X[X.columns[1:4]]) | Y[X.columns[1:4]].isna()
    assert same.all().all()
    assert ".0" not in mixed_file.with_name("out.csv").read_text()  # codes stay whole
    table = pd.read_csv(mixed_file).assign(code=lambda file: file["code"].mask(file["sex"] == "f"))
    table.to_csv(mixed_file, index=False)
    mask_mixed(mixed_file, "--method", "pram", *keys)
    assert ".0" not in mixed_file.with_name("out.csv").read_text()  # beside missing cells too
    X.to_csv(mixed_file, index=False)
    _, Y = mask_mixed(mixed_file, "--method", "pram", *keys, "--keep", "age,income")
    assert list(Y.columns) == list(X.columns)
    assert (Y["age"] == X["age"]).all()
    errors = capsys.readouterr().err
    assert all(f"{name} is RELEASED UNMASKED" in errors for name in ("age", "income"))


def test_a_mixed_file_is_recoded_by_rules_in_json(mixed_file):
    rules = ['bands={"age": [30, 65]}', 'mapping={"code": {"3": 2}}', 'n_levels={"region": 2}']
    options = [text for rule in rules for text in ("--option", rule)]
    output = mixed_file.with_name("out.csv")
    command = ["mask", str(mixed_file), str(output), "--id", "pid", "--method", "recoding"]
    assert cli.run([*command, *options]) == 0
    Y = pd.read_csv(output)
    assert list(Y.columns) == ["pid", "region", "code", "age"]
    assert set(Y["age"]) == {"< 30", "30 to < 65", ">= 65"}
    assert set(Y["code"]) == {1, 2}
    assert set(Y["region"]) == {"north", "south", "other"}


def test_the_demonstration_is_the_one_of_the_package(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(
        "sklearn_reclink.demo.main", lambda arguments: called.append(arguments) or 0
    )
    assert cli.run(["demo", "--output", "x.md"]) == 0
    assert called == [["--output", "x.md"]]


def test_an_error_in_the_program_is_exit_code_3(files, monkeypatch, capsys):
    def broken(*_, **__):
        raise RuntimeError("the proof is wrong")

    monkeypatch.setattr("sklearn_reclink.auditing.audit", broken)
    assert audit(files, "--id", "pid") == 3
    assert "please report" in capsys.readouterr().err


OF_COMPILED_CODE = SystemError("returned a result with an exception set")
OF_COMPILED_CODE.__cause__ = KeyboardInterrupt()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OF_COMPILED_CODE], ids=repr)
def test_an_interrupt_is_exit_code_130(files, monkeypatch, capsys, error):
    def interrupted(*_, **__):
        raise error

    monkeypatch.setattr("sklearn_reclink.auditing.audit", interrupted)
    assert audit(files, "--id", "pid") == 130
    assert capsys.readouterr().err.splitlines()[-1] == "reclink: interrupted"


IMPORTS_INTERRUPTED = """
import runpy, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["reclink", "audit", "a.csv", "b.csv"]
runpy.run_module("sklearn_reclink", run_name="__main__")
"""


def test_an_interrupt_of_the_imports_is_exit_code_130():
    shown = subprocess.run([sys.executable, "-c", IMPORTS_INTERRUPTED], capture_output=True)
    assert (shown.returncode, shown.stderr.decode()) == (130, "reclink: interrupted\n")


def test_public_names_and_subpackages_are_imported_on_first_use():
    assert all(hasattr(sklearn_reclink, name) for name in sklearn_reclink.__all__)
    assert sklearn_reclink.masking.Microaggregation
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sklearn_reclink.nothing


def test_module_shows_version_and_help():
    run = [sys.executable, "-m", "sklearn_reclink"]
    shown = subprocess.run([*run, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"reclink {__version__}\n"
    for command in ("audit", "compare", "mask", "demo"):
        assert cli.run([command, "--help"]) == 0
