"""``reclink verify``: exit codes, and what it says."""

from __future__ import annotations

import gzip
import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.certificates import certificate_json
from sklearn_reclink.cli import run
from tests.problems import noisy_files


@pytest.fixture
def folder(tmp_path):
    """Two files with ids, the second in another order, and a certificate of them."""
    X, Y = (
        pd.DataFrame(file.round(3), columns=["age", "income"])
        for file in noisy_files(1, n_records=20, n_features=2)
    )
    linker = WeightedMeanLinker(certify=True).fit(X, Y)
    (tmp_path / "proof.json").write_text(certificate_json(linker.certificate_))
    packed = gzip.compress(certificate_json(linker.certificate_).encode())
    (tmp_path / "proof.json.gz").write_bytes(packed)
    ids = np.arange(100, 120)
    X.assign(id=ids).to_csv(tmp_path / "original.csv", index=False)
    Y.assign(id=ids).to_csv(tmp_path / "masked.csv", index=False)
    Y.assign(id=ids)[::-1].to_csv(tmp_path / "shuffled.csv", index=False, sep=";", decimal=",")
    X.assign(id=ids).to_csv(tmp_path / "original-comma.csv", index=False, sep=";", decimal=",")
    return tmp_path


def verify(folder, proof, original, masked, *options):
    return run(["verify", *(str(folder / name) for name in (proof, original, masked)), *options])


@pytest.mark.parametrize("proof", ["proof.json", "proof.json.gz"])
def test_a_right_certificate_is_verified(folder, proof, capsys):
    assert verify(folder, proof, "original.csv", "masked.csv") == 0
    assert "verified: The parameters link" in capsys.readouterr().out


def test_ids_and_decimal_commas_are_read(folder, capsys):
    options = ("--id", "id", "--decimal", ",", "--quiet")
    assert verify(folder, "proof.json", "original-comma.csv", "shuffled.csv", *options) == 0
    assert capsys.readouterr().out == ""


def test_another_file_is_rejected_with_the_reason(folder, capsys):
    assert verify(folder, "proof.json", "masked.csv", "original.csv") == 1
    assert "rejected: the original file is not the one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("proof", "masked", "options", "message"),
    [
        ("masked.csv", "masked.csv", [], "is not JSON"),
        ("none.json", "masked.csv", [], "No such file"),
        ("list.json", "masked.csv", [], "is not a certificate"),
        ("proof.json", "text.csv", [], "of text.csv has no plain number in row 1"),
        ("proof.json", "lacking.csv", [], "must have the column 'income' exactly once"),
        ("proof.json", "empty.csv", [], "empty.csv is empty"),
        ("proof.json", "none.parquet", [], "none.parquet does not exist"),
        ("proof.json", "texts.csv", [], "of texts.csv has no plain number in row 1"),
        ("proof.json", "masked.csv", ["--decimal", "x"], "is a point or a comma, not 'x'"),
        ("cut.json.gz", "masked.csv", [], "cut.json.gz is damaged"),
        ("changed.json.gz", "masked.csv", [], "changed.json.gz is damaged"),
        ("columns.json", "masked.csv", [], "its columns are not a list of names"),
        ("proof.json", "other-ids.csv", ["--id", "id"], "no id in 'id' is in both files"),
        ("proof.json", "twice.csv", ["--id", "id"], "'id' occurs twice in a file"),
    ],
)
def test_wrong_files_are_said_to_be_wrong(folder, proof, masked, options, message, capsys):
    (folder / "list.json").write_text(json.dumps([1]))
    (folder / "texts.csv").write_text("age,income\n" + 10 * "1,x\n3,secret\n")
    packed = (folder / "proof.json.gz").read_bytes()
    (folder / "cut.json.gz").write_bytes(packed[:-30])
    changed = bytearray(packed)
    changed[len(packed) // 2] ^= 0xFF
    (folder / "changed.json.gz").write_bytes(bytes(changed))
    certificate = json.loads((folder / "proof.json").read_text())
    (folder / "columns.json").write_text(json.dumps({**certificate, "columns": 5}))
    (folder / "text.csv").write_text("age,income\n3,secret\n" + 19 * "5,y\n")
    (folder / "lacking.csv").write_text("age\n1\n")
    (folder / "empty.csv").write_text("")
    (folder / "other-ids.csv").write_text("age,income,id\n1,2,7\n")
    (folder / "twice.csv").write_text("age,income,id\n1,2,100\n1,3,100\n")
    assert verify(folder, proof, "original.csv", masked, *options) == 2
    error = capsys.readouterr().err
    assert message in error and "secret" not in error


def test_audit_writes_a_certificate_that_verifies_and_names_its_hash(tmp_path):
    rng = np.random.default_rng(0)
    original = rng.integers(0, 50, size=(30, 3))
    masked = original + rng.integers(-6, 7, size=original.shape)
    for name, file in (("original.csv", original), ("masked.csv", masked)):
        lines = ["a,b,c", *(",".join(map(str, row)) for row in file.tolist())]
        (tmp_path / name).write_text("\n".join(lines))
    paths = [str(tmp_path / name) for name in ("original.csv", "masked.csv")]
    proof, numbers = tmp_path / "proof.json", tmp_path / "risk.json"
    written = ["--certificate", str(proof), "--json", str(numbers)]
    options = ["--attackers", "euclidean,weighted_mean", "--time-limit", "5", "--quiet"]
    assert run(["audit", *paths, *written, *options]) == 0
    assert run(["verify", str(proof), *paths]) == 0
    told = json.loads(numbers.read_text())["certificate_sha256"]
    assert told == hashlib.sha256(proof.read_bytes()).hexdigest()
    options[1] = "euclidean"
    proof.unlink()
    assert run(["audit", *paths, *written, *options, "--force"]) == 2
    assert json.loads(numbers.read_text())["certificate_sha256"] is None  # nothing else is lost
    assert not proof.exists()


def test_a_numeric_audit_by_ids_of_files_with_other_people_verifies(tmp_path):
    X, Y = noisy_files(3, n_records=40, n_features=2)
    rng, ids = np.random.default_rng(0), np.arange(100, 140)
    for name, file, rows in (
        ("original.csv", X, rng.permutation(40)[:34]),  # some people are in one file only
        ("masked.csv", Y, rng.permutation(40)[4:]),
    ):
        table = pd.DataFrame(file[rows].round(3), columns=["age", "income"])
        table.assign(id=ids[rows]).to_csv(tmp_path / name, index=False)
    paths = [str(tmp_path / name) for name in ("original.csv", "masked.csv")]
    proof = tmp_path / "proof.json"
    options = ["--attackers", "weighted_mean", "--time-limit", "5", "--quiet"]
    assert run(["audit", *paths, "--id", "id", "--certificate", str(proof), *options]) == 0
    assert run(["verify", str(proof), *paths, "--id", "id"]) == 0
    certificate = json.loads(proof.read_text())
    assert certificate["sha256"]["pool"] is not None and certificate["n_records"] < 34
