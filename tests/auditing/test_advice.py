"""Advice is measured: whoever follows it and audits again finds the number that it gave."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from sklearn_reclink import audit
from sklearn_reclink.auditing._running import OUT_OF_TIME
from sklearn_reclink.auditing._verdict import verdict
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping

QUICK = ["euclidean", "mahalanobis", "density"]
SENTENCE = re.compile(r"Leave out (.*): (?:about )?([\d,]+) instead of ([\d,]+) people are then")


def generated(seed):
    """A file of 3 to 5 variables, masked in one of three ways, mostly with one masked weakly."""
    rng = np.random.default_rng([seed, 11])
    n_records, n_features = 60 + 10 * (seed % 3), 3 + seed % 3
    tail = "heavy" if seed % 2 else "light"
    X = make_microdata(n_records, n_features, tail=tail, random_state=seed).astype(float)
    masker = [
        RankSwapping(p=15, random_state=seed),
        AdditiveNoise(p=40, random_state=seed),
        Microaggregation(groups=n_features, k=3, standardize=True),
    ][seed % 3]
    Y = masker.fit_transform(X)
    if seed != 9:
        k = seed % n_features
        Y[:, k] = X[:, k] + rng.normal(scale=0.01 * X[:, k].std() * (seed % 4), size=n_records)
    return X, Y


@pytest.mark.parametrize("seed", range(10))
def test_advice_that_is_followed_lowers_the_risk_to_the_number_given(seed):
    X, Y = generated(seed)
    options = {"attackers": [*QUICK, *["weighted_mean"] * (seed < 2)], "time_limit": 60}
    found = audit(X, Y, **options)
    told = [one for text in verdict(found).what_to_protect for one in SENTENCE.findall(text)]
    assert told
    for names, n_after, n_before in told:
        left_out = re.findall(r"“x(\d)”", names)
        kept = [k for k in range(X.shape[1]) if str(k) not in left_out]
        again = audit(X[:, kept], Y[:, kept], aligned="unchecked", **options)
        assert round(found.risk * len(X)) == int(n_before)
        assert round(again.risk * len(X)) == int(n_after) < int(n_before)


@pytest.fixture(scope="module")
def unmasked_column():
    """One column of four is released as it was."""
    X = make_microdata(80, 4, random_state=1).astype(float)
    Y = Microaggregation(groups=4, k=3, standardize=True).fit_transform(X)
    Y[:, 2] = X[:, 2]
    return audit(X, Y, attackers=QUICK)


def test_the_numbers_of_verdict_table_and_data_agree(unmasked_column):
    found = unmasked_column
    data, text = found.to_dict(), " ".join(found.to_text().split())
    n_found = round(found.risk * 80)
    assert data["gives_away"]["found_with_all"] == found.contributions.n_with == n_found
    (remedy,) = data["gives_away"]["remedies"][:1]
    assert remedy["leave_out"] == ["x2"] and remedy["n_before"] == n_found
    sentence = f"Leave out “x2”: {remedy['n_after']} instead of {n_found} people are then found"
    assert sentence in text and sentence in found.to_html()
    assert f"with all variables it finds {n_found}" in text
    assert found.strongest.attacker.title in found.contributions.judged_note
    for words in ("No variable", "Protect “"):
        assert words not in text


def test_no_advice_without_a_drop():
    X = make_microdata(60, 3, random_state=0).astype(float)
    found = audit(X, X, attackers=["euclidean"])  # any two variables give everybody away
    words = " ".join(verdict(found).what_to_protect)
    assert "Leave out" not in words
    assert "instead of" not in words and "No single variable is decisive" in words
    assert all(one.drop == 0 for one in found.contributions.variables)


def test_without_time_nothing_untrue_is_said(monkeypatch):
    X, Y = generated(0)
    monkeypatch.setattr("sklearn_reclink.auditing._audit.LEAST_SECONDS", 0.0)
    monkeypatch.setattr("sklearn_reclink.auditing._audit.VARIABLES_WEIGHT", 0.0)
    found = audit(X, Y, attackers=["euclidean"])
    assert not found.contributions.tried and not found.contributions.remedies
    (sentence,) = verdict(found).what_to_protect
    assert sentence.startswith("There was no time to withhold any variable")


def test_the_size_of_groups_that_ties_need_is_said():
    X = make_microdata(80, 3, random_state=0).astype(float)
    Y = Microaggregation(groups=3, k=2, standardize=True).fit_transform(X)
    found = audit(X, Y, attackers=["euclidean"], limit=0.05)
    assert any("the same as 19 others" in text for text in verdict(found).what_to_protect)
    grouped = Microaggregation(groups=3, k=20, standardize=True).fit_transform(X)
    assert audit(X, grouped, attackers=["euclidean"]).risk <= 0.05 + 1e-9


def test_a_file_within_its_limit_needs_nothing_more():
    X = make_microdata(60, 3, random_state=1)
    Y = Microaggregation(groups=3, k=30, standardize=True).fit_transform(X)
    found = audit(X, Y, attackers=["euclidean", "mahalanobis"], limit=0.1, time_limit=20)
    assert found.within_limit and found.risk > 1 / 60
    texts = verdict(found).what_to_protect
    assert texts[-1] == "The risk is within the limit: nothing more is needed to meet it."
    assert not any("others in all variables" in text or "stronger" in text for text in texts)
    # half of that risk would need more equal records than there are
    texts = verdict(replace(found, limit=None)).what_to_protect
    assert not any("others in all variables" in text for text in texts)


def test_attackers_that_time_left_out_are_said_in_the_verdict():
    X, Y = generated(0)
    found = audit(X, Y, attackers=["euclidean", "density"])
    late = replace(
        found, attacks=found.attacks[:1], skipped={found.attacks[1].attacker: OUT_OF_TIME}
    )
    assert verdict(late).how_sure[0].startswith("Not tried, because time or memory ran out: Error")
    assert not any("Not tried" in text for text in verdict(found).how_sure)
