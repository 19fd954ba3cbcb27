"""What the README shows is what the code does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from sklearn_reclink import demo
from sklearn_reclink.linkers import ALL_LINKERS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def test_the_readme_has_examples():
    assert BLOCKS
    assert all(">>>" in block for block in BLOCKS)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_examples_give_the_output_shown(number):
    test = doctest.DocTestParser().get_doctest(BLOCKS[number], {}, f"block {number}", "README", 0)
    report: list[str] = []
    results = doctest.DocTestRunner().run(test, out=report.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("masking", demo.MASKINGS, ids=lambda masking: masking.label)
def test_table_is_that_of_the_demonstration(masking):
    # no time limit to speak of: the row shows a proven optimum, the same on any machine
    found = demo.attack(demo.load_patients(), masking, time_limit=120)
    row = " | ".join(demo.cells(found)[:-1])
    assert f"\n| {row} |\n" in README
    assert f"\n| {' | '.join(demo.HEADER[:-1])} |\n" in README


def test_commands_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^`?make (\w+)", README, flags=re.MULTILINE)
    assert {"demo", "test"} <= set(commands)
    for target in commands:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


@pytest.mark.parametrize("linker", ALL_LINKERS, ids=lambda linker: linker.__name__)
def test_every_linker_is_in_the_table(linker):
    assert f"\n| `{linker.__name__}` |" in README


@pytest.mark.parametrize("path", re.findall(r"`([\w/]+\.\w{2,4})`", README))
def test_files_named_exist(path):
    assert (ROOT / path).exists()
