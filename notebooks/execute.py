"""Runs the notebooks from top to bottom and keeps their outputs: ``make notebooks``.

Each runs in an empty folder, so that outputs name no place on this machine. Figures are small, and
what changes from run to run without meaning (times, ids of the kernel) is left out.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
# figures of a few kilobytes, and warnings without the place of a file
SETUP = """
%matplotlib inline
%config InlineBackend.figure_formats = ['png']
import warnings, matplotlib
matplotlib.rcParams['figure.dpi'] = 65
warnings.formatwarning = lambda message, category, *rest: f"{category.__name__}: {message}\\n"
"""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> None:
    """Run one notebook and write it back."""
    notebook = nbformat.read(path, as_version=4)
    setup = nbformat.v4.new_code_cell(SETUP)
    notebook.cells.insert(0, setup)
    with TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    notebook.cells.remove(setup)
    number = 0
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            number += 1
            cell.execution_count = number
            for output in cell.outputs:
                if "execution_count" in output:
                    output["execution_count"] = number
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    chosen = [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.ipynb"))
    for notebook_path in chosen:
        print(notebook_path.name, flush=True)
        execute(notebook_path)
