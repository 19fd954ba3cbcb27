"""The demonstration: what it counts, what it says, and what it must never show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sklearn_reclink import demo
from sklearn_reclink.demo import HEADER, MASKINGS, VARIABLES, Masking, Result

TWO = Masking(((0, 1, 2), (3, 4)), 5)
OPEN = Result(TWO, 442, 201, 220, 231, 240, 300, (0.5, 0.25, 0.25, 0.0, 0.0))
CLOSED = replace(OPEN, bound=231)
SAFE = Result(Masking(((0, 1, 2, 3, 4),), 3), 442, 0, 0, 0, 0, 0, (0.2,) * 5)


@pytest.fixture(scope="module")
def few() -> list[Result]:
    X = demo.load_patients(60)
    return [demo.attack(X, masking, time_limit=2) for masking in MASKINGS[1:]]


def test_counts_are_in_order_and_stronger_masking_finds_fewer(few):
    for found in few:
        assert 0 <= found.euclidean <= found.learned <= found.bound <= found.ceiling <= 60
        assert sum(found.weights) == pytest.approx(1)
    assert few[0].found > few[1].found > few[-1].found == 0


def test_maskings_are_of_at_least_three_strengths_and_cover_every_variable():
    assert len(MASKINGS) >= 3
    for masking in MASKINGS:
        assert sorted(k for block in masking.blocks for k in block) == list(range(len(VARIABLES)))


def test_table_has_a_cell_for_every_column(few):
    assert all(len(demo.cells(found)) == len(HEADER) for found in few)
    lines = demo.table(few).splitlines()
    assert len(lines) == len(few) + 2
    assert len({len(line) for line in lines}) == 1


def test_open_proof_shows_as_a_range_and_is_explained():
    assert demo.cells(OPEN)[3] == "231 (at most 240)"
    assert demo.cells(CLOSED)[3] == "231 = 52 %"
    assert any("time limit" in line for line in demo.reading([OPEN, CLOSED]))
    assert not any("time limit" in line for line in demo.reading([CLOSED]))


def test_open_proof_warns_nobody():
    X = demo.load_patients(60)
    found = demo.attack(X, TWO, time_limit=1e-3)  # warnings are errors here
    assert found.learned <= found.bound


def test_most_revealing_variables_are_those_of_largest_weight():
    assert demo.most_revealing(OPEN) == "age 50 %, body mass 25 %"
    assert demo.most_revealing(replace(OPEN, weights=(0.0, 0.0, 0.0, 0.0, 1.0))) == "sugar 100 %"
    assert demo.most_revealing(SAFE) == "none"


def test_headline_names_the_weakest_the_strongest_and_the_safe_masking():
    stronger = replace(
        CLOSED, masking=Masking(TWO.blocks, 20), euclidean=9, mahalanobis=44, learned=9
    )
    sentence = demo.headline([CLOSED, stronger, SAFE])
    assert sentence.startswith("Of 442 patients")
    assert "231 (52 %) in averages over 5 patients in 2 blocks; 44 (10 %) in averages" in sentence
    assert sentence.endswith("nobody in averages over 3 patients in 1 block.")
    assert demo.headline([CLOSED]).count("in averages") == 1
    assert demo.headline([SAFE]).endswith("finds nobody in averages over 3 patients in 1 block.")


def test_whole_demonstration_writes_the_report_it_prints(monkeypatch, tmp_path, capsys):
    everyone = demo.load_patients
    monkeypatch.setattr(demo, "load_patients", lambda: everyone(60))
    path = tmp_path / "deep" / "report.md"
    assert demo.main(["--output", str(path)]) == 0
    printed, progress = capsys.readouterr()
    report = path.read_text(encoding="utf-8")
    assert str(path) in printed
    assert progress.count("masking ") == len(MASKINGS)
    assert report in printed
    assert all(masking.label in report for masking in MASKINGS)
    assert all(len(line) <= 125 for line in printed.splitlines() if str(path) not in line)


def test_no_value_of_a_record_is_shown(few):
    X = demo.load_patients(60)
    fractions = {f"{value:g}" for value in np.unique(X[:, 1:4]) if value % 1}  # such as 32.1
    words = set(demo.report(few).split())
    assert len(fractions) > 50
    assert not words & fractions


def test_report_that_cannot_be_written_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(demo, "MASKINGS", (SAFE.masking,))
    taken = tmp_path / "file"
    taken.write_text("")
    assert demo.main(["--output", str(taken / "report.md")]) == 2
    assert "could not be written" in capsys.readouterr().err


def test_another_report_is_overwritten_by_force_only_and_before_any_work(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(demo, "MASKINGS", (SAFE.masking,))
    monkeypatch.setattr(demo, "attack", lambda X, masking: SAFE)
    path = tmp_path / "report.md"
    path.write_text("mine")
    assert demo.main(["--output", str(path)]) == 2
    assert path.read_text() == "mine"
    assert f"--output {path} exists" in capsys.readouterr().err
    assert demo.main(["--output", str(path), "--force"]) == 0
    monkeypatch.chdir(tmp_path)
    assert demo.main([]) == demo.main([]) == 0  # its own default report
