"""The benchmark of the hardest files: its complaints about made-up results."""

from __future__ import annotations

from dataclasses import replace

import pytest


@pytest.fixture
def rows():
    from checks import Cell
    from hard import Row

    def row(variant, linked, bound, goal):
        status = "optimal" if linked == bound else "time_limit"
        cell = Cell(0, "M4-33", variant, linked, linked, bound, status, 5.0)
        return Row("heavy, seed 0", cell, 300, goal)

    return [row("d2WM", 200, 200, 60.0), row("d2CI", 210, 290, None), row("psd", 220, 350, None)]


def test_expected_results_give_no_complaint(rows):
    from hard import complaints

    assert complaints(rows) == []


@pytest.mark.parametrize(
    ("place", "change", "complaint"),
    [
        (0, {"seconds": 61.0}, "goal 60 s"),
        (0, {"bound": 201, "status": "time_limit"}, "time_limit after"),
        (1, {"n_linked": 199, "scored": 199}, "the weighted mean 200"),
        (1, {"bound": 301}, "above the ceiling 300"),
        (2, {"bound": 199, "n_linked": 198, "scored": 198}, "d2WM on M4-33, seed 0 links 200"),
        (2, {"variant": "d2SB_NC"}, "220 of at most 350"),
    ],
)
def test_each_broken_expectation_gives_a_complaint(rows, place, change, complaint):
    from hard import complaints

    rows[place] = replace(rows[place], cell=replace(rows[place].cell, **change))
    assert any(complaint in sentence for sentence in complaints(rows))


def test_small_heavy_file_is_measured(monkeypatch):
    import hard

    monkeypatch.setattr(hard, "N_RECORDS", 40)
    monkeypatch.setattr(hard, "HEAVY_FILES", ("M4-33",))
    rows = list(hard.heavy_tails([1], time_limit=5.0))
    assert [row.cell.variant for row in rows] == list(hard.HEAVY_VARIANTS)
    assert hard.complaints(rows) == []
    assert rows[0].texts[:3] == ["heavy, seed 1", "M4-33", "d2WM"]
