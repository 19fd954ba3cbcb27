"""``reclink verify`` and ``reclink audit --certificate`` on files that are not numbers alone."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.certificates import certificate_json
from sklearn_reclink.cli import run
from tests.certificates.cases import exchange_some, leave_out_some
from tests.certificates.schema import SCHEMA, problems

N = 30
AUDIT = ["--attackers", "euclidean,weighted_mean", "--time-limit", "5", "--quiet"]
LEVELS = "size=small<middle<large"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files with ids: text, words for levels, dates, numbers; the second in another order."""
    folder = tmp_path_factory.mktemp("mixed")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(N)],
            "income": rng.lognormal(7, 1, N).round(1),
            "town": rng.choice(["north", "south", "west"], N),
            "code": rng.choice([1, 2, 10], N),
            "size": rng.choice(["small", "middle", "large"], N),
            "born": pd.Timestamp("1970-05-17") + pd.to_timedelta(rng.integers(0, 9000, N), "D"),
        }
    )
    Y = X.copy()
    Y["income"] += rng.normal(0, 300, N).round(1)
    Y["born"] += pd.to_timedelta(rng.integers(-90, 90, N), "D")
    exchange_some(rng, Y, ["town", "code", "size"])
    leave_out_some(rng, X, Y, ["income", "town", "size"])
    for file in (X, Y):
        file["born"] = file["born"].dt.strftime("%d/%m/%Y")
    X.to_csv(folder / "original.csv", index=False)
    Y.to_csv(folder / "masked.csv", index=False, na_rep="NA")
    Y[::-1].to_csv(folder / "shuffled.csv", index=False, sep=";", decimal=",")
    others = Y.iloc[:4].assign(id=["q0", "q1", "q2", "q3"], town="east")
    pd.concat([Y, others])[::-1].to_csv(folder / "whole.csv", index=False)
    return folder


def audited(folder, masked, *options):
    """The command's exit code, and where the certificate is."""
    proof = folder / f"{masked}.json"
    files = [str(folder / "original.csv"), str(folder / masked)]
    told = ["--id", "id", "--nominal", "code", "--ordinal", LEVELS, "--certificate", str(proof)]
    assert run(["audit", *files, *told, *AUDIT, *options, "--force"]) == 0
    return proof


def verify(folder, proof, masked, *options):
    files = [str(folder / "original.csv"), str(folder / masked)]
    return run(["verify", str(proof), *files, *options])


def test_an_audit_of_a_mixed_file_writes_a_certificate_that_verifies(folder, capsys):
    proof = audited(folder, "masked.csv")
    certificate = json.loads(proof.read_text())
    assert problems(certificate, SCHEMA) == []
    kinds = [one["kind"] for one in certificate["variables"]]
    assert kinds == ["numeric", "nominal", "nominal", "ordinal", "numeric"]
    assert certificate["variables"][3]["levels"] == [2, 1, 0]  # large, middle, small
    for word in ("north", "middle", "p0"):
        assert word not in proof.read_text()
    capsys.readouterr()
    assert verify(folder, proof, "masked.csv", "--id", "id") == 0
    assert "verified: The parameters link" in capsys.readouterr().out
    assert verify(folder, proof, "shuffled.csv", "--id", "id") == 0  # another layout and order
    assert verify(folder, proof, "masked.csv") == 0  # by order, as the ids are alike


def test_a_changed_category_is_another_file(folder, capsys):
    proof = audited(folder, "masked.csv")
    text = (folder / "masked.csv").read_text()
    (folder / "changed.csv").write_text(text.replace(",north,", ",south,", 1))
    assert verify(folder, proof, "changed.csv", "--id", "id") == 1
    assert "rejected: the masked file is not the one" in capsys.readouterr().err


def test_by_ids_the_whole_masked_file_is_the_pool(folder, capsys):
    proof = audited(folder, "whole.csv")
    assert json.loads(proof.read_text())["sha256"]["pool"] is not None
    assert verify(folder, proof, "whole.csv", "--id", "id") == 0
    assert verify(folder, proof, "masked.csv", "--id", "id") == 1
    assert "pool file is not the one" in capsys.readouterr().err
    pool = ["--id", "id", "--pool", str(folder / "whole.csv")]
    assert verify(folder, proof, "masked.csv", *pool) == 2
    assert "leave it out" in capsys.readouterr().err


def test_secret_columns_are_no_part_of_the_claim(folder):
    proof = audited(folder, "masked.csv", "--secret", "town")
    assert "town" not in json.loads(proof.read_text())["columns"]
    assert verify(folder, proof, "masked.csv", "--id", "id") == 0


def test_a_certificate_of_dataframes_is_verified_from_csv_files(folder, tmp_path, capsys):
    # the default of pandas 2 may miss the last bit
    exact = {} if pd.__version__ >= "3" else {"float_precision": "round_trip"}
    X, Y = (pd.read_csv(folder / f"{name}.csv", **exact) for name in ("original", "masked"))
    X, Y = (file[["income", "town", "code"]] for file in (X, Y))
    pool = pd.concat([Y.iloc[::-1], Y.iloc[:5].assign(code=2)], ignore_index=True)
    linker = WeightedMeanLinker(certify=True, categorical_features=["town", "code"])
    linker.fit(X, Y, pool=pool)
    proof = tmp_path / "proof.json"
    proof.write_text(certificate_json(linker.certificate_))
    pool.to_csv(tmp_path / "pool.csv", index=False)
    options = ["--pool", str(tmp_path / "pool.csv"), "--quiet"]
    assert verify(folder, proof, "masked.csv", *options) == 0
    proof.write_text(
        certificate_json(
            linker.set_params(categorical_features=[1, 2])
            .fit(X.to_numpy(), Y.to_numpy())
            .certificate_
        )
    )
    assert verify(folder, proof, "masked.csv") == 2
    assert "--columns" in capsys.readouterr().err
    assert verify(folder, proof, "masked.csv", "--columns", "income,town,code") == 0


def test_wrong_cells_are_refused_by_row_and_column(folder, capsys):
    proof = audited(folder, "masked.csv")
    text = (folder / "masked.csv").read_text().splitlines()
    first = text[1].split(",")
    first[1] = "confidential"
    (folder / "wrong.csv").write_text("\n".join([text[0], ",".join(first), *text[2:]]))
    assert verify(folder, proof, "wrong.csv", "--id", "id") == 2
    error = capsys.readouterr().err
    assert "'income'" in error and "confidential" not in error
