"""``reclink audit`` with --scenarios, --known and --secret."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sklearn_reclink.cli import run
from sklearn_reclink.datasets import make_microdata


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Income is nearly released, everything else is heavily masked."""
    place, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    original = make_microdata(80, 4, random_state=0, as_frame=True)
    masked = original * rng.lognormal(sigma=0.6, size=original.shape)
    masked["income"] = original["income"] * rng.lognormal(sigma=0.001, size=80)
    original.to_csv(place / "original.csv", index=False)
    masked.to_csv(place / "masked.csv", index=False)
    return place


def audit(folder, *options):
    files = [f"{folder}/original.csv", f"{folder}/masked.csv"]
    few = ["--time-limit", "3", "--attackers", "euclidean"]
    return run(["audit", *files, *few, *map(str, options)])


def test_the_sweep_is_in_text_json_and_page(folder, tmp_path, capsys):
    made = {"--json": tmp_path / "a.json", "--report": tmp_path / "a.html"}
    code = audit(
        folder, "--scenarios", "--unit", "firms", "--fail-above", 0.3, *sum(made.items(), ())
    )
    text = " ".join(capsys.readouterr().out.split())
    assert code == 1
    data = json.loads(made["--json"].read_text())["scenarios"]
    assert len(data["sets"]) == 15
    assert data["attackers"] == ["Euclidean"]  # besides weighted means, only those named
    assert data["smallest"][1]["sets"] == [["income"]]
    assert "The smallest set that exposes 50 % of the firms is “income”" in text
    page = made["--report"].read_text()
    assert "What does the intruder have to know?" in page and 'id="scenarios-wide' in page


def test_known_audits_the_intruder_who_knows_those(folder, tmp_path, capsys):
    path = tmp_path / "a.json"
    assert (
        audit(folder, "--known", "tax,rent", "--scenarios", "--fail-above", 0.3, "--json", path)
        == 0
    )
    data = json.loads(path.read_text())
    assert data["variables"] == data["scenarios"]["variables"] == ["tax", "rent"]
    assert set(data["left_out"]) == {"income", "savings"}
    assert data["risk"] < 0.3


def test_a_secret_is_no_part_of_the_linkage(folder, tmp_path):
    path = tmp_path / "a.json"
    assert audit(folder, "--secret", "income", "--scenarios", "--json", path) == 0
    data = json.loads(path.read_text())
    assert "income" not in data["variables"]
    assert data["scenarios"]["secret"] == ["income"]


def test_what_makes_no_sense_is_refused(folder, capsys):
    assert audit(folder, "--columns", "tax", "--known", "rent") == 2
    assert "--columns and --known" in capsys.readouterr().err
    assert audit(folder, "--known", "nobody") == 2
    assert "nobody" in capsys.readouterr().err
