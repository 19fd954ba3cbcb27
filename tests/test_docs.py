"""What the pages of the documentation show is what the code does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PAGES = sorted(page for page in DOCS.rglob("*.md") if ">>>" in page.read_text(encoding="utf-8"))


def test_the_guide_has_examples():
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_give_the_output_shown(page):
    # the blocks of a page are read from top to bottom, and share their names
    text = "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    test = doctest.DocTestParser().get_doctest(text, {}, page.stem, str(page), 0)
    report: list[str] = []
    results = doctest.DocTestRunner().run(test, out=report.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("example", sorted((DOCS / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_example_is_a_script_with_a_title(example):
    source = example.read_text(encoding="utf-8")
    compile(source, str(example), "exec")
    title, line = source.split("\n")[1:3]
    assert line == "=" * len(title)
