"""The command waves no dangerous file through: exit codes, sentences, formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from sklearn_reclink import cli
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
