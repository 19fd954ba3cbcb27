"""The page of a comparison: pass and fail of each masking, and which to take."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from sklearn_reclink.auditing import Comparison, compare
from tests.auditing.pairs import masked, original


@pytest.fixture(scope="module")
def three() -> Comparison:
    X = original()
    maskings = {"weak": masked(X, k=3), "all alike": masked(X, groups=4, k=30), "none": X}
    return compare(X, maskings, attackers=["euclidean"], limit=0.2)


def level(page: str) -> str:
    return re.search(r'<header class="verdict (\w+)">', page).group(1)


def test_the_table_says_pass_or_fail_of_each(three):
    page = three.to_html()
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = re.findall(r'<tr class="(\w+)">.*?>([^<>]+)</a>.*?class="pill">(\w+)<', table, re.DOTALL)
    assert [row[1] for row in rows] == ["weak", "all alike", "none"]
    expected = ["above" if one.above_limit else "within" for one in three.audits]
    assert [row[2] for row in rows] == expected == ["above", "within", "above"]


def test_the_page_is_green_if_a_masking_can_be_taken(three):
    assert three.above_limit and three.chosen.masked_name == "all alike"
    assert level(three.to_html()) == "below"
    assert "all alike is within the limit of 20 %" in three.headline
    assert "all alike is within the limit" in three.to_text()


def test_the_page_is_red_only_if_none_can_be_taken(three):
    failing = Comparison(three.audits[::2], three.losses[::2])
    assert failing.chosen is None and level(failing.to_html()) == "above"
    assert failing.headline.startswith("None of the 2 maskings is within the limit of 20 %.")


def test_without_a_limit_nothing_passes_or_fails():
    X = original(20)
    found = compare(X, {"a": X, "b": X.round(-4)}, attackers=["euclidean"])
    page = found.to_html()
    assert level(page) == "some" and "pill" not in page[page.index("<body>") :]
    assert found.chosen is None


def test_one_masking_and_one_attacker_are_counted_in_the_singular(three):
    page = Comparison(three.audits[:1], three.losses[:1]).to_html()
    assert "risk of 1 masking of one file" in page and "1 masking by information loss" in page
    audit = three.audits[0]
    assert "found by 1 attacker." in audit.to_html()
    nobody, chance = np.zeros(60, dtype=bool), np.full(60, 1 / 60)
    attack = replace(audit.attacks[0], reidentified=nobody, chance=chance)
    safe = replace(audit, attacks=(attack,), estimates=())
    assert "by the one attacker tried, and guesses" in " ".join(safe.to_text().split())
    assert not re.search(r"\b1 (maskings|attackers)\b", page + audit.to_html() + safe.to_html())
