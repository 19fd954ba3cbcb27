"""The map of the rooms in CONTRIBUTING is true: imports point up its table only.

Every room of the package has a row; a room imports only what its row names, and a row names only
rooms above it. A module with a leading underscore is imported only inside its own room.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "sklearn_reclink"
ROOT = Path(__file__).parents[1] / PACKAGE
CONTRIBUTING = ROOT.parent / "CONTRIBUTING.md"
ROW = re.compile(r"^\| `(\w+)(?:/|\.py)` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
ONE_FILE_ONLY = {"highspy": "solvers/covering/master.py", "cvxpy": "solvers/milp.py"}
PRIVATE_SKLEARN = re.compile(r"sklearn(\.\w+)*\._\w+")


def rooms_of_the_map() -> dict[str, set[str]]:
    """What each room may import, in the order of the table."""
    rows = ROW.findall(CONTRIBUTING.read_text(encoding="utf-8"))
    return {room: set(re.findall(r"`(\w+)`", allowed)) for room, allowed in rows}


MAP = rooms_of_the_map()


def room_of(path: Path, root: Path) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


def imported_modules(path: Path, root: Path) -> Iterator[str]:
    """Every module or name imported in a file, at any depth of its code, by its full name."""
    package = [PACKAGE, *path.relative_to(root).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*parent, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def violations(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.py")):
        room, name = room_of(path, root), path.relative_to(root).as_posix()
        if room not in MAP:
            found.append(f"{name}: the room {room!r} is not in the map of CONTRIBUTING")
            continue
        for parts in (module.split(".") for module in imported_modules(path, root)):
            if parts[0] != PACKAGE or len(parts) == 1 or parts[1] == room:
                continue
            other = parts[1] if parts[1] in MAP else "__init__"
            if other not in MAP[room]:
                found.append(f"{name}: {room} may not import {other}")
            elif parts[2:] and re.match("_[a-z]", parts[2]):
                found.append(f"{name}: {'.'.join(parts[1:3])} is private to its room")
    return found


def importers(library: str, root: Path) -> list[str]:
    return [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if any(module.split(".")[0] == library for module in imported_modules(path, root))
    ]


def test_the_map_names_every_room_and_points_up_only():
    rooms = {room_of(path, ROOT) for path in ROOT.rglob("*.py")}
    assert set(MAP) == rooms
    above: set[str] = set()
    for room, allowed in MAP.items():
        assert allowed <= above, f"{room} may import {allowed - above}, which is not above it"
        above.add(room)


def test_imports_are_those_of_the_map():
    assert violations(ROOT) == []


def test_the_map_allows_nothing_that_is_not_used():
    used: dict[str, set[str]] = {room: set() for room in MAP}
    for path in ROOT.rglob("*.py"):
        for parts in (module.split(".") for module in imported_modules(path, ROOT)):
            if parts[0] == PACKAGE and len(parts) > 1 and parts[1] in MAP:
                used[room_of(path, ROOT)].add(parts[1])
    assert {room: used[room] - {room} for room in MAP} == MAP


@pytest.mark.parametrize("library", ONE_FILE_ONLY)
def test_one_file_only_imports_each_optimisation_library(library):
    assert importers(library, ROOT) == [ONE_FILE_ONLY[library]]


def test_private_names_of_scikit_learn_are_in_one_file():
    found = {
        path.name
        for path in ROOT.rglob("*.py")
        for module in imported_modules(path, ROOT)
        if PRIVATE_SKLEARN.fullmatch(module)
    }
    assert found <= {"_sklearn_compat.py"}


def test_no_room_is_a_lumber_room():
    names = {path.name for path in ROOT.rglob("*.py")}
    assert not names & {"utils.py", "helpers.py", "common.py"}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("capacity/subsets.py", "from sklearn_reclink.search.ties import TIE_TOLERANCE"),
        ("data/views.py", "import sklearn_reclink.families"),
        ("families/choquet.py", "from ..solvers.problem import Solution"),
        ("families/deep/choquet.py", "from ...search import Index"),
        ("search/index.py", "def reduce():\n    from sklearn_reclink import solvers"),
        ("solvers/exact.py", "from sklearn_reclink.data.views import Scales"),
        ("search/index.py", "from sklearn_reclink.linkers import EuclideanLinker"),
        ("linkers/_base.py", "from sklearn_reclink import ChoquetLinker"),
        ("masking/noise.py", "from sklearn_reclink.search import Index"),
        ("datasets/census.py", "from sklearn_reclink.masking import mdav"),
        ("inspection/plot.py", "from sklearn_reclink.auditing import audit"),
        ("auditing/_html.py", "from sklearn_reclink.linkers._base import BaseLinker"),
        ("attic.py", "import numpy"),
    ],
)
def test_a_planted_violation_is_found(tmp_path, name, source):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    assert len(violations(tmp_path)) == 1
