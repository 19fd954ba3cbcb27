"""The command ``reclink protect``."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.auditing._running import Steps
from sklearn_reclink.auditing.protection.trials import Trial
from sklearn_reclink.cli import run
from sklearn_reclink.datasets import make_microdata

QUICK = ["--attackers", "euclidean,mahalanobis", "--time-limit", "20", "--quiet"]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("protect") / "original.csv"
    frame = make_microdata(60, 3, random_state=0, as_frame=True).astype(int)
    frame.insert(0, "person", np.arange(1000, 1060))
    frame["note"] = "=1+1"
    frame.to_csv(path, index=False)
    return path


def test_a_release_within_the_target_is_written_with_its_report(original, tmp_path):
    masked, page, numbers = (tmp_path / name for name in ("m.csv", "m.html", "m.json"))
    outputs = ["-o", str(masked), "--report", str(page), "--json", str(numbers)]
    which = ["--id", "person", "--columns", "income,tax,rent"]
    command = ["protect", str(original), "--max-risk", "0.1", *outputs, *which, *QUICK]
    assert run(command) == 0
    before, after = pd.read_csv(original), pd.read_csv(masked)
    assert list(after.columns) == ["person", "income", "tax", "rent"]
    assert (after.person == before.person).all()
    assert (after.dtypes == "int64").all()
    found = json.loads(numbers.read_text())
    assert found["feasible"] is True
    assert found["chosen"]["risk"] <= 0.1
    assert found["chosen"]["name"] in page.read_text()
    assert run(["protect", str(original), "-o", str(original), *QUICK]) == 2
    assert run(["protect", str(original), "-o", str(masked), *QUICK]) == 2  # without --force


def test_nothing_is_written_if_the_target_is_out_of_reach(original, tmp_path, capsys):
    masked = tmp_path / "m.csv"
    which = ["--id", "person", "--columns", "income", "--keep", "tax,rent"]
    command = ["protect", str(original), "--max-risk", "0.01", "-o", str(masked), *which, *QUICK]
    assert run(command) == 1
    assert not masked.exists()
    assert "RELEASED UNMASKED" in capsys.readouterr().err
    assert run([*command, "--write-anyway"]) == 1
    assert list(pd.read_csv(masked).columns) == ["person", "income", "tax", "rent"]


def test_nothing_is_written_while_attackers_lack_time(original, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Trial, "is_proven", lambda trial, max_risk: False)
    monkeypatch.setattr(Steps, "has_time_for", lambda steps, one, n: one.name != "mahalanobis")
    masked = tmp_path / "m.csv"
    which = ["--id", "person", "--columns", "income,tax,rent", "--max-risk", "0.9"]
    assert run(["protect", str(original), "-o", str(masked), *which, *QUICK]) == 1
    assert not masked.exists()
    assert "give a longer --time-limit" in capsys.readouterr().err


def test_a_file_within_the_target_is_written_as_it_is(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"r": rng.choice(["N", "S", "E"], 80), "x": rng.integers(0, 4, 80)})
    source, masked = tmp_path / "o.csv", tmp_path / "m.csv"
    frame.to_csv(source, index=False)
    options = ["--max-risk", "0.3", "--nominal", "x", "--attackers", "euclidean", "--time-limit"]
    assert run(["protect", str(source), "-o", str(masked), *options, "10"]) == 0
    assert pd.read_csv(masked).equals(frame)
    told = capsys.readouterr()
    assert "the release equals the original" in " ".join(told.out.split())
    assert "x is RELEASED UNCHANGED" in told.err


def test_codes_of_categories_are_written_as_they_are(original, tmp_path):
    masked = tmp_path / "m.csv"
    frame = pd.read_csv(original).assign(region=np.arange(60) % 4)
    source = tmp_path / "codes.csv"
    frame.to_csv(source, index=False)
    options = ["--columns", "region", "--nominal", "region", "--method", "pram"]
    assert run(["mask", str(source), str(masked), *options, "--quiet"]) == 0
    assert set(pd.read_csv(masked).region) <= {0, 1, 2, 3}


def test_a_target_of_zero_is_refused(original, tmp_path, capsys):
    assert run(["protect", str(original), "-o", str(tmp_path / "m.csv"), "--max-risk", "0"]) == 2
    assert "above 0" in capsys.readouterr().err
