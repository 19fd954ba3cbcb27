"""Imports point down only: the rooms of the package, read from its source.

A room may import the rooms of lower floors; only those of the top floor know each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "sklearn_reclink"
ROOT = Path(__file__).parents[1] / PACKAGE

FLOORS = [
    {"_sklearn_compat", "capacity"},
    {"data"},
    {"families"},
    {"search"},
    {"solvers"},
    {"rules"},
    {"likelihood"},
    {"metrics"},
    {"linkers"},
    {"inspection", "model_selection"},
    {"auditing", "cli", "demo", "__init__", "__main__"},
]
INDEPENDENT = {"masking", "datasets"}
FORBIDDEN = {"solvers": {"data", "linkers"}}
ONE_FILE_ONLY = {"highspy": "solvers", "cvxpy": "solvers"}

FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def room_of(path: Path, root: Path) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


def imported_modules(path: Path, root: Path) -> Iterator[str]:
    """Every module imported in a file, at any depth of its code, by its full name."""
    package = [PACKAGE, *path.relative_to(root).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*parent, *([node.module] if node.module else [])])
            if module == PACKAGE:
                yield from (f"{module}.{alias.name}" for alias in node.names)
            else:
                yield module


def imported_rooms(path: Path, root: Path) -> set[str]:
    parts = [module.split(".") for module in imported_modules(path, root)]
    rooms = {(names[1] if len(names) > 1 else "__init__") for names in parts if names[0] == PACKAGE}
    # `from sklearn_reclink import ChoquetLinker` asks for the public interface
    return {room if room in FLOOR or room in INDEPENDENT else "__init__" for room in rooms}


def violations(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.py")):
        room = room_of(path, root)
        name = path.relative_to(root).as_posix()
        if room not in FLOOR and room not in INDEPENDENT:
            found.append(f"{name}: the room {room!r} is on no floor of tests/test_rooms.py")
            continue
        for other in imported_rooms(path, root) - {room}:
            if not may_import(room, other):
                found.append(f"{name}: {room} may not import {other}")
    return found


def may_import(room: str, other: str) -> bool:
    if room in INDEPENDENT:
        return other == "_sklearn_compat"
    if other in FORBIDDEN.get(room, ()):
        return False
    if other in INDEPENDENT:
        return True
    if FLOOR[room] == len(FLOORS) - 1:
        return True
    return FLOOR[other] < FLOOR[room]


def importers(library: str, root: Path) -> list[Path]:
    return [
        path
        for path in sorted(root.rglob("*.py"))
        if any(module.split(".")[0] == library for module in imported_modules(path, root))
    ]


def test_imports_point_down_only():
    assert violations(ROOT) == []


@pytest.mark.parametrize("library", ONE_FILE_ONLY)
def test_one_file_only_imports_each_optimisation_library(library):
    files = importers(library, ROOT)
    assert len(files) <= 1, f"{library} is imported by {[str(path) for path in files]}"
    assert all(room_of(path, ROOT) == ONE_FILE_ONLY[library] for path in files)


def test_no_room_is_a_lumber_room():
    names = {path.name for path in ROOT.rglob("*.py")}
    assert not names & {"utils.py", "helpers.py", "common.py"}


def plant(root: Path, name: str, source: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("capacity.py", "from sklearn_reclink.search.ties import TIE_TOLERANCE"),
        ("capacity.py", "from sklearn_reclink.families import Family"),
        ("data/views.py", "import sklearn_reclink.families"),
        ("families/choquet.py", "from ..solvers.problem import Solution"),
        ("families/deep/choquet.py", "from ...search import link"),
        ("search/index.py", "def reduce():\n    from sklearn_reclink import solvers"),
        ("solvers/exact.py", "from sklearn_reclink.data.views import Scales"),
        ("search.py", "from sklearn_reclink.linkers import EuclideanLinker"),
        ("linkers/base.py", "from sklearn_reclink import ChoquetLinker"),
        ("linkers/base.py", "import sklearn_reclink"),
        ("masking/noise.py", "from sklearn_reclink.search import link"),
        ("masking/noise.py", "from sklearn_reclink.search.ties import TIE_TOLERANCE"),
        ("datasets/census.py", "from sklearn_reclink.masking import mdav"),
        ("inspection/plot.py", "from sklearn_reclink.auditing import audit"),
        ("attic.py", "import numpy"),
    ],
)
def test_a_planted_violation_is_found(tmp_path, name, source):
    plant(tmp_path, name, source)
    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("families/choquet.py", "from . import base\nfrom ..data import views"),
        (
            "solvers/exact.py",
            "from .problem import Solution\nfrom sklearn_reclink.search import ties",
        ),
        ("linkers/base.py", "from sklearn_reclink.solvers import solve\nimport numpy"),
        ("linkers/choquet.py", "from sklearn_reclink.capacity import shapley"),
        ("families/choquet.py", "from sklearn_reclink.capacity import small_subsets"),
        ("auditing/html.py", "from sklearn_reclink import ChoquetLinker, masking"),
        ("__init__.py", "from sklearn_reclink.linkers import ChoquetLinker"),
    ],
)
def test_an_import_downwards_is_allowed(tmp_path, name, source):
    plant(tmp_path, name, source)
    assert violations(tmp_path) == []


def test_a_second_importer_of_a_library_is_found(tmp_path):
    plant(tmp_path, "solvers/milp.py", "import highspy")
    plant(tmp_path, "solvers/lp.py", "def solve():\n    from highspy import Highs")
    assert [path.name for path in importers("highspy", tmp_path)] == ["lp.py", "milp.py"]
