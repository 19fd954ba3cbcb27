"""Benchmarks run to their end where a rival is not installed, and say so."""

from __future__ import annotations

import pytest


@pytest.fixture
def bare(monkeypatch):
    """No package of a rival is installed."""
    import installed

    monkeypatch.setattr(installed, "find_spec", lambda package: None)


def test_rivals_that_need_nothing_are_left(bare, capsys):
    from installed import installed
    from metric_rivals import PACKAGES, RIVALS

    assert installed(RIVALS, PACKAGES) == ["sklearn NCA"]
    assert capsys.readouterr().out.splitlines() == [
        f"{rival}: left out, not installed: metric_learn" for rival in ("LMNN", "NCA", "SCML")
    ]


def test_every_installed_rival_runs(monkeypatch, capsys):
    import installed
    from exact import RIVALS

    monkeypatch.setattr(installed, "find_spec", lambda package: package)
    assert installed.installed(RIVALS, RIVALS) == list(RIVALS)
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("ignore")
def test_the_table_of_linking_goes_on_to_its_last_row(bare, capsys):
    from linking import Table, files, learn, measure

    measure(Table(), learn(*files(60)), 60, None)
    *_, missing, last = capsys.readouterr().out.splitlines()
    assert missing == "recordlinkage: left out, not installed: recordlinkage, pandas"
    assert last.startswith("bilinear, indefinite")
