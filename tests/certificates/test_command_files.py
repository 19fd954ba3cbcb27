"""``reclink verify`` reads whatever file of numbers ``reclink audit`` has certified."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.cli import run
from tests.problems import noisy_files

QUICK = ["--attackers", "weighted_mean", "--time-limit", "5", "--quiet"]


@pytest.fixture
def tables():
    """Two files of numbers, with ids and a text that is not used."""
    X, Y = noisy_files(1, n_records=20, n_features=2)
    ids = np.arange(100, 120)
    return [
        pd.DataFrame({"id": ids, "a": 1000 * file[:, 0], "b": file[:, 1], "t": "Köln"}).round(2)
        for file in (X, Y)
    ]


def certify_and_verify(folder, suffix, *options):
    """Exit codes of an audit that writes a certificate, and of its verification."""
    paths = [str(folder / f"{name}.{suffix}") for name in ("original", "masked")]
    proof = str(folder / "proof.json")
    options = ("--columns", "a,b", *options)
    audited = run(["audit", *paths, *options, "--certificate", proof, *QUICK])
    return audited, run(["verify", proof, *paths, *options])


def write(folder, tables, change=lambda text: text, encoding="utf-8", **options):
    for table, name in zip(tables, ("original", "masked"), strict=True):
        text = change(table.to_csv(index=False, **options))
        (folder / f"{name}.csv").write_bytes(text.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings(tables, tmp_path, encoding, capsys):
    write(tmp_path, tables, encoding=encoding)
    assert certify_and_verify(tmp_path, "csv") == (0, 0)
    assert "read as by audit" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("id,a,b,t", "id, a ,b ,t"),
        lambda text: text.replace("Köln", "one\u2028two\x85"),
        lambda text: text.replace("Köln", '"one\ntwo"'),
        lambda text: text.replace(",", ";") + "\n\n",
        lambda text: "sep=,\n" + text,
    ],
)
def test_plain_files_are_read_by_the_standard_library(tables, tmp_path, change, capsys):
    write(tmp_path, tables, change)
    assert certify_and_verify(tmp_path, "csv", "--id", "id") == (0, 0)
    assert "read as by audit" not in capsys.readouterr().err


def test_names_and_ids_that_were_made_harmless(tables, tmp_path, capsys):
    tables = [table.assign(id=table["id"].map("=id{}".format)) for table in tables]
    write(tmp_path, [one.rename(columns={"b": "=f"}) for one in tables])
    masked = (tmp_path / "masked.csv").read_text().replace("=", "'=").replace("=id", " =id")
    (tmp_path / "masked.csv").write_text(masked.replace("' =id", " '=id"))
    options = ("--id", "id", "--columns", "a,=f")
    paths = [str(tmp_path / f"{name}.csv") for name in ("original", "masked")]
    proof = str(tmp_path / "proof.json")
    assert run(["audit", *paths, *options, "--certificate", proof, *QUICK]) == 0
    assert run(["verify", proof, *paths, "--id", "id"]) == 0
    assert "read as by audit" not in capsys.readouterr().err


def test_decimal_commas_and_thousands(tables, tmp_path, capsys):
    write(tmp_path, tables, sep=";", decimal=",")
    assert certify_and_verify(tmp_path, "csv") == (0, 0)
    assert "read as by audit" in capsys.readouterr().err
    for table in tables:
        table["a"] = table["a"].map("{:,.2f}".format)
    write(tmp_path, tables)
    (tmp_path / "proof.json").unlink()
    assert certify_and_verify(tmp_path, "csv") == (0, 0)


def test_points_of_thousands_where_the_decimal_sign_is_told(tables, tmp_path):
    for table in tables:
        table["a"] = table["a"].abs().map("{:,.0f}".format).str.replace(",", ".")
        table["b"] = table["b"].abs().mul(1e4).map("{:,.0f}".format).str.replace(",", ".")
    write(tmp_path, tables, sep=";")
    assert certify_and_verify(tmp_path, "csv", "--decimal", ",") == (0, 0)


@pytest.mark.parametrize("suffix", ["parquet", "xlsx"])
@pytest.mark.parametrize("options", [(), ("--id", "id")])
def test_other_formats(tables, tmp_path, suffix, options):
    pytest.importorskip("openpyxl")
    for table, name in zip(tables, ("original", "masked"), strict=True):
        save = table.to_parquet if suffix == "parquet" else table.to_excel
        save(tmp_path / f"{name}.{suffix}", index=False)
    assert certify_and_verify(tmp_path, suffix, *options) == (0, 0)


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_a_release_with_other_people_may_be_shuffled(tables, tmp_path, kind):
    original, masked = tables
    rng = np.random.default_rng(0)
    masked["t"] = [f"town {k}" for k in rng.integers(0, 8, len(masked))]
    write(tmp_path, (original[:14].assign(t=masked["t"]), masked))
    columns = "a,b" if kind == "numbers" else "a,b,t"
    paths = [str(tmp_path / f"{name}.csv") for name in ("original", "masked")]
    proof, options = str(tmp_path / "proof.json"), ["--id", "id", "--columns", columns]
    assert run(["audit", *paths, *options, "--certificate", proof, *QUICK]) == 0
    masked.sample(frac=1, random_state=3).to_csv(paths[1], index=False)
    assert run(["verify", proof, *paths, *options]) == 0
