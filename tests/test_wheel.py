"""The wheel and the source archive hold what the library needs, and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from sklearn_reclink import __version__, cli

ROOT = Path(__file__).parents[1]
SOURCES = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
BUILD = """
import setuptools.build_meta as backend
backend.build_sdist("out")
backend.build_wheel("out")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A copy of the sources, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "sklearn_reclink", folder / "sklearn_reclink", ignore=ignored)
    (folder / "docs").mkdir()
    for path in (*(ROOT / name for name in SOURCES), *(ROOT / "docs").glob("*.schema.json")):
        shutil.copy(path, folder / path.relative_to(ROOT))
    run = subprocess.run(
        [sys.executable, "-c", BUILD], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def wheel(built) -> zipfile.ZipFile:
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path)


def package_files() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sklearn_reclink").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_every_file_of_the_package(wheel):
    names = set(wheel.namelist())
    assert package_files() <= names
    others = {name for name in names - package_files() if ".dist-info/" not in name}
    data = f"sklearn_reclink-{__version__}.data/data/share/sklearn-reclink"
    assert others == {f"{data}/{name}.schema.json" for name in ("audit", "certificate")}


def test_the_wheel_says_what_it_is(wheel):
    info = f"sklearn_reclink-{__version__}.dist-info"
    metadata = wheel.read(f"{info}/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: BSD-3-Clause\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "reclink = sklearn_reclink.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()


def test_a_wheel_can_be_built_from_the_source_archive(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert package_files() | {*SOURCES, "docs/audit.schema.json"} <= names


def test_what_is_missing_can_be_installed_by_the_command_given():
    """The package is on no index, so its own extras cannot be named by it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [re.split(r"[><=]", one)[0] for one in project["optional-dependencies"]["report"]]
    assert cli.WITH_REPORT == "pip install " + " ".join(needed)
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    files += (ROOT / "sklearn_reclink").rglob("*.py")
    named = re.compile(r"pip install\W+sklearn-reclink")
    assert [path.name for path in files if named.search(path.read_text(encoding="utf-8"))] == []


def test_every_version_named_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert versions == re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*?)\]", workflow).group(1))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "PYTHONS ?= " + " ".join(f"python{one}" for one in versions) in makefile


def test_the_readme_names_the_wheel_that_is_built(built):
    (path,) = built.glob("*.whl")
    assert f"dist/{path.name}[report]" in (ROOT / "README.md").read_text(encoding="utf-8")
