"""The notebooks run from top to bottom and are kept with outputs, made by ``make notebooks``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def code_cells(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_with_outputs(notebook):
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and all(output["output_type"] != "error" for output in outputs)
    assert notebook.stat().st_size < 400_000


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_name_no_place_on_a_machine(notebook):
    shown = json.dumps([cell["outputs"] for cell in code_cells(notebook)])
    assert (
        re.findall(r"(?<![\w.<])/(?:home|root|tmp|work|Users|usr|opt|var)/\S*|[A-Z]:\\\\", shown)
        == []
    )
    assert not re.search(r"site-packages|ipykernel|0x[0-9a-f]{6,}", shown)


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
