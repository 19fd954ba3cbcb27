"""The command waves no dangerous file through: exit codes, sentences, formats."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sklearn_reclink import cli
from sklearn_reclink.cli._masking import METHODS
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

QUICK = ["--attackers", "euclidean,mahalanobis", "--time-limit", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An original file, masked in pairs, and lightly masked, aligned and shuffled."""
    place = tmp_path_factory.mktemp("files")
    X = make_microdata(100, 4, random_state=2, as_frame=True)
    X.to_csv(place / "original.csv", index=False)
    for name, groups, k in (("pairs", 4, 2), ("light", 1, 3)):
        masker = Microaggregation(groups=groups, k=k, standardize=True)
        Y = masker.set_output(transform="pandas").fit_transform(X)
        Y.to_csv(place / f"{name}.csv", index=False)
    Y.sample(frac=1, random_state=0).to_csv(place / "shuffled.csv", index=False)
    return place


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def audit(masked: str, *options: str) -> int:
    return cli.run(["audit", "original.csv", masked, *options, *QUICK])


def test_pairs_fail_a_limit_of_five_percent(capsys):
    assert audit("pairs.csv", "--fail-above", "0.05") == 1
    printed = capsys.readouterr().out
    assert "would be right for about" in printed
    assert "Nothing more is needed" not in printed


def test_a_shuffled_file_is_refused_in_plain_words(capsys):
    assert audit("light.csv") == 0
    capsys.readouterr()
    assert audit("shuffled.csv", "--fail-above", "0.05", "--report", "page.html") == 2
    printed = capsys.readouterr()
    assert printed.out == "" and not Path("page.html").exists()
    for word in ("look unrelated", "--id", "Sort both files", "--unaligned", "--trust-order"):
        assert word in printed.err
    assert "linker" not in printed.err and "aligned=" not in printed.err


def test_an_order_that_is_trusted_is_audited_with_a_note(capsys):
    assert audit("shuffled.csv", "--trust-order") == 0
    printed = capsys.readouterr()
    assert "check that both are in the same order" in printed.err
    assert "transformer" not in printed.err


def test_a_shuffled_file_is_refused_in_a_comparison(capsys):
    assert cli.run(["compare", "original.csv", "light.csv", "shuffled.csv", *QUICK]) == 2
    assert "look unrelated" in capsys.readouterr().err


def test_columns_left_aside_are_said_in_the_verdict(capsys):
    assert audit("light.csv", "--columns", "rent,tax", "--unit", "firms") == 0
    printed = capsys.readouterr().out
    assert "Judged by 2 of the 4 variables: “rent” and “tax”." in printed
    assert "firms" in printed and "people" not in printed


def mask(output: str, *options: str) -> int:
    return cli.run(["mask", "original.csv", output, "--force", *options])


def test_columns_in_no_group_are_named_one_by_one(capsys):
    assert mask("grouped.csv", "--groups", "income,tax") == 0
    errors = capsys.readouterr().err.splitlines()
    assert [line.split()[2] for line in errors if "is LEFT OUT of the release" in line] == [
        "rent",
        "savings",
    ]
    assert list(pd.read_csv("grouped.csv")) == ["income", "tax"]


@pytest.mark.parametrize(
    ("method", "strength"),
    [
        ("microaggregation", "1"),
        ("univariate", "1"),
        ("suppression", "1"),
        ("rank-swapping", "0"),
        ("noise", "0"),
        ("shuffling", "0"),
        ("pram", "1"),
        ("top-bottom", "1 --option bottom=null"),
        ("rounding", "0.001"),
    ],
)
def test_a_strength_that_masks_nothing_is_refused(method, strength, capsys):
    assert mask("weak.csv", "--method", method, "--strength", *strength.split()) == 2
    error = capsys.readouterr().err
    assert "nothing" in error or "no value of any column changes" in error or "must be" in error
    assert not Path("weak.csv").exists()


def test_every_method_is_covered_by_the_test_above_or_always_masks():
    assert set(METHODS) - {"jpeg", "recoding"} == {
        "microaggregation",
        "univariate",
        "suppression",
        "rank-swapping",
        "noise",
        "shuffling",
        "pram",
        "top-bottom",
        "rounding",
    }


def test_a_column_that_masking_left_unchanged_is_named(capsys):
    table = pd.read_csv("original.csv")
    table.assign(sex=[1, 2] * 50).to_csv("with_sex.csv", index=False)
    options = ["--method", "rounding", "--strength", "10", "--columns", "rent,tax,sex", "--force"]
    pd.read_csv("with_sex.csv").assign(sex=[10, 20] * 50).to_csv("with_sex.csv", index=False)
    assert cli.run(["mask", "with_sex.csv", "rounded.csv", *options]) == 0
    errors = capsys.readouterr().err
    assert "sex is RELEASED UNCHANGED" in errors and "rent is RELEASED" not in errors


def test_excel_output_is_excel(capsys):
    assert mask("masked.xlsx", "--strength", "5") == 0
    assert mask("masked.csv", "--strength", "5") == 0
    assert Path("masked.xlsx").read_bytes()[:2] == b"PK"
    read = pd.read_excel("masked.xlsx", engine="openpyxl")
    pd.testing.assert_frame_equal(read, pd.read_csv("masked.csv"), check_dtype=False)


@pytest.mark.parametrize("name", ["masked.sav", "masked.xls", "masked.csv.gz"])
def test_formats_that_are_not_written_are_refused(name, capsys):
    assert mask(name) == 2
    assert "not written. Use .csv" in capsys.readouterr().err and not Path(name).exists()


def test_the_list_of_records_is_csv_and_nothing_else(capsys):
    assert audit("light.csv", "--records", "records.xlsx") == 2
    assert "name it records.csv" in capsys.readouterr().err
    assert not Path("records.xlsx").exists()
