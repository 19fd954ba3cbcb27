"""The notebooks run from top to bottom and are kept without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def code_cells(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(notebook):
    for cell in code_cells(notebook):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.filterwarnings("ignore:no held-out estimate")  # where the machine is busy
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(notebook, tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook), 1):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)
    plt.close("all")
