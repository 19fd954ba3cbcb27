"""``reclink audit --unaligned``, with and without a holdout, and ``--secret``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.cli import run


def people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "person": rng.permutation(10_000)[:n],
            "income": np.exp(rng.normal(8, 0.6, n)).round(2),
            "age": rng.integers(18, 90, n),
            "region": rng.choice(["Graz", "Köln", "Zürich"], n),
            "ill": rng.choice(["no", "yes"], n, p=[0.7, 0.3]),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Originals, new draws, a release with a fifth of copies and no ids, and a holdout."""
    rng, place = np.random.default_rng(0), tmp_path_factory.mktemp("files")
    original, fresh, holdout = (people(rng, n) for n in (250, 300, 200))
    copies = pd.concat([fresh[50:], original[:50]]).drop(columns="person")
    masked = original.assign(income=original["income"] * rng.normal(1, 0.01, 250))
    files = {"original": original, "copies": copies, "holdout": holdout, "masked": masked}
    for name, table in (files | {"fresh": fresh.drop(columns="person")}).items():
        table.to_csv(place / f"{name}.csv", index=False)
    return place


def audit(folder, release, *options):
    return run(["audit", f"{folder}/original.csv", f"{folder}/{release}.csv", *map(str, options)])


def test_copies_fail_the_gate(folder, tmp_path, capsys):
    outputs = {"--json": tmp_path / "a.json", "--report": tmp_path / "a.html"}
    code = audit(
        *(folder, "copies", "--unaligned", "--holdout", folder / "holdout.csv"),
        *("--secret", "ill,income", "--unit", "firms", "--fail-above", 0.1),
        *(part for pair in outputs.items() for part in pair),
    )
    text = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "The release gives firms away: copies.csv is nearer" in text
    assert "above the limit of 10 %" in text
    numbers = json.loads(outputs["--json"].read_text())
    assert numbers["copied"]["right"] == 50 and numbers["above_limit"]
    assert {one["secret"] for one in numbers["secrets"]} == {"ill", "income"}
    assert "What cannot be concluded" in outputs["--report"].read_text()
    records = pd.read_csv(tmp_path / "a-records.csv")
    assert records["copied"].sum() == 50


def test_new_draws_pass_and_without_a_holdout_the_text_warns(folder, capsys):
    holdout = ["--unaligned", "--holdout", folder / "holdout.csv"]
    assert audit(folder, "fresh", *holdout, "--fail-above", 0.1) == 0
    assert "is no nearer to" in capsys.readouterr().out
    assert audit(folder, "copies", "--unaligned", "--fail-above", 0.1, "--time-limit", 9) == 1
    told = capsys.readouterr()
    assert "Without a holdout nobody can tell" in " ".join(told.out.split())
    assert "--time-limit has no effect with --unaligned" in told.err


def test_ids_name_the_originals(folder, tmp_path):
    pd.read_csv(folder / "copies.csv").assign(person="").to_csv(tmp_path / "c.csv", index=False)
    listed = tmp_path / "records.csv"
    code = run(
        [
            *("audit", f"{folder}/original.csv", f"{tmp_path}/c.csv", "--unaligned", "-q"),
            *("--id", "person", "--records", str(listed)),
        ]
    )
    assert code == 0
    records = pd.read_csv(listed)
    original = pd.read_csv(folder / "original.csv")
    assert (records["id"] == original["person"].to_numpy()[records["row"] - 1]).all()


def test_a_holdout_of_originals_is_refused(folder, tmp_path, capsys):
    original = pd.read_csv(folder / "original.csv")
    original.to_csv(tmp_path / "copy.csv", index=False)
    original.assign(income=original["income"] + 1).to_csv(tmp_path / "wave.csv", index=False)
    gate = ["--unaligned", "--fail-above", 0.01, "--holdout"]
    assert audit(folder, "copies", *gate, tmp_path / "copy.csv", "--columns", "income,age") == 2
    assert "also in the original" in capsys.readouterr().err
    assert audit(folder, "copies", *gate, tmp_path / "wave.csv", "--id", "person") == 2
    assert "have a 'person' that is also in original.csv" in capsys.readouterr().err


def test_ids_of_a_holdout_are_read_like_those_of_the_original(folder, tmp_path, capsys):
    original = pd.read_csv(folder / "original.csv")
    ids, paths = original["person"].astype(str), [tmp_path / "original.csv", tmp_path / "wave.csv"]
    original.assign(person="=" + ids).to_csv(paths[0], index=False)
    other = original.assign(person="'=" + ids, income=original["income"] + 1)
    other.to_csv(paths[1], index=False)  # as a command writes them, harmless to spreadsheets
    command = ["audit", str(paths[0]), f"{folder}/copies.csv", "--unaligned", "--id", "person"]
    assert run([*command, "--holdout", str(paths[1])]) == 2
    assert "250 of the 250 records of wave.csv" in capsys.readouterr().err


def test_the_variables_left_out_are_told(folder, tmp_path, capsys):
    options = ["--unaligned", "--known", "income", "--json", tmp_path / "a.json"]
    assert audit(folder, "copies", *options) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Judged by 1 of the 4 variables: “income”" in text
    assert json.loads((tmp_path / "a.json").read_text())["left_out"] == ["age", "region", "ill"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--unaligned", "--certificate", "c.json"], "--certificate has no meaning"),
        (["--unaligned", "--attackers", "euclidean"], "--attackers has no meaning"),
        (["--unaligned", "--secret", "wage"], "secret names 'wage'"),
        (["--unaligned", "--columns", "size"], "lacks the column 'size'"),
    ],
)
def test_refusals(folder, capsys, options, words):
    assert audit(folder, "copies", *options) == 2
    assert words in capsys.readouterr().err


def test_a_holdout_needs_unaligned_and_must_not_be_overwritten(folder, capsys):
    holdout = folder / "holdout.csv"
    assert audit(folder, "masked", "--id", "person", "--holdout", holdout) == 2
    assert "add --unaligned" in capsys.readouterr().err
    over = ["--unaligned", "--holdout", holdout, "--json", holdout, "--force"]
    assert audit(folder, "copies", *over) == 2
    assert "is an input of this command" in capsys.readouterr().err


def test_secrets_of_an_aligned_release(folder, capsys, tmp_path):
    options = ["--id", "person", "--secret", "ill", "--attackers", "euclidean", "--time-limit", 3]
    assert audit(folder, "masked", *options, "--columns", "income,age") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "“ill”: the linked record reveals it for 2" in text
    assert "Judged by 2 of the 4 variables" in text


def test_a_limit_is_not_met_where_the_holdout_is_in_the_release_too(folder, tmp_path, capsys):
    paths = [str(tmp_path / f"{name}.csv") for name in ("original", "release", "holdout")]
    for path in paths:
        pd.DataFrame({"band": np.arange(100) % 5}).to_csv(path, index=False)
    command = ["audit", *paths[:2], "--unaligned", "--holdout", paths[2]]
    assert run([*command, "--fail-above", "0.05", "-q"]) == 1
    told = capsys.readouterr().err
    assert "every record of the holdout" in told and "not shown to be within the limit" in told
