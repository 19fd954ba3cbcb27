"""A dangerous file is never waved through: ties, rows out of order, words for the unit."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from sklearn_reclink import audit
from sklearn_reclink.auditing import UnrelatedRowsError, _running, compare
from sklearn_reclink.auditing._attackers import SizeLimits
from sklearn_reclink.auditing._running import Steps
from sklearn_reclink.auditing._verdict import verdict
from sklearn_reclink.auditing.formatting import Unit, percent
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping

PLAIN = ["euclidean", "mahalanobis"]


def in_groups(X: np.ndarray, k: int) -> np.ndarray:
    return Microaggregation(groups=X.shape[1], k=k, standardize=True).fit_transform(X)


@pytest.fixture(scope="module")
def pairs():
    """A file masked in pairs: nobody is singled out, and a guess is right half of the time."""
    X = make_microdata(120, 4, random_state=1)
    return audit(X, in_groups(X, 2), attackers=[*PLAIN, "density"], limit=0.05, unit="firms")


def test_ties_do_not_pass_as_safety(pairs):
    assert pairs.strict_rate == 0
    assert 0.3 < pairs.expected_rate <= 0.5 and pairs.risk == pairs.expected_rate
    assert pairs.above_limit and verdict(pairs).level == "above"
    text = pairs.to_text()
    assert "Nothing more is needed" not in text
    n_right = round(pairs.risk * 120)
    assert f"right for about {n_right} of 120 firms" in verdict(pairs).headline
    data = pairs.to_dict()
    assert data["strict_rate"] == 0 and data["risk"] == data["expected_rate"] == pairs.risk
    assert f"about {n_right} of 120 firms" in pairs.to_html()


def test_the_risk_is_the_larger_of_strict_and_expected_over_all(pairs):
    everyone = [*pairs.attacks, *pairs.estimates]
    assert pairs.risk == max(max(one.rate, one.expected_rate) for one in everyone)
    for one in everyone:
        assert one.expected_rate == pytest.approx(np.mean(one.chance))
        assert (one.chance[one.reidentified] == 1).all()


def test_larger_groups_are_safer_in_a_comparison():
    X = make_microdata(120, 4, random_state=1)
    maskings = {f"k = {k}": in_groups(X, k) for k in (2, 5)}
    found = compare(X, maskings, attackers=["euclidean"], limit=0.3)
    assert all(one.strict_rate == 0 for one in found.audits)
    assert found.safest.masked_name == "k = 5"
    assert found.above_limit and not found.audits[1].above_limit
    assert found.to_text().count("chosen") == 1
    assert "k = 5 is within the limit" in found.to_text()


def test_a_file_without_information_is_no_better_than_a_random_guess():
    X = make_microdata(60, 3, random_state=0)
    Y = in_groups(X, 30)
    found = audit(X, Y, attackers=["euclidean"])
    assert not found.at_chance  # two groups: a guess is right for 2 on average
    assert "Nothing more is needed" not in found.to_text()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_records", [25, 200])
def test_shuffled_files_are_refused_and_aligned_ones_are_not(seed, n_records):
    X = make_microdata(n_records, 4, tail="heavy" if seed % 2 else "light", random_state=seed)
    maskers = [
        RankSwapping(p=10, random_state=seed),
        AdditiveNoise(p=50, random_state=seed),
        Microaggregation(groups=2, k=3, standardize=True),
    ]
    Y = maskers[seed % 3].fit_transform(X)
    assert audit(X, Y, attackers=["euclidean"], time_limit=20).n_records == n_records
    order = np.random.default_rng([seed, 7]).permutation(n_records)
    with pytest.raises(UnrelatedRowsError, match=r"far too low.*aligned=False"):
        audit(X, Y[order], attackers=["euclidean"])


def test_rows_said_to_belong_together_are_audited_with_a_note():
    X = make_microdata(80, 3, random_state=0)
    Y = np.random.default_rng(1).permutation(X)
    with pytest.warns(UserWarning, match="hardly resemble"):
        found = audit(X, Y, attackers=["euclidean"], aligned="unchecked")
    assert [note for note in found.notes if "same order" in note] == list(found.notes)
    assert "transformer" not in found.to_html()
    with pytest.raises(ValueError, match="unchecked"):
        audit(X, Y, aligned="maybe")


def test_few_records_that_do_not_resemble_each_other_are_noted():
    X = make_microdata(12, 3, random_state=0)
    with pytest.warns(UserWarning, match="hardly resemble"):
        audit(X, X[::-1].copy(), attackers=["euclidean"])


@pytest.mark.parametrize(
    ("text", "one", "many"),
    [
        ("people", "person", "people"),
        ("firm", "firm", "firms"),
        ("companies", "company", "companies"),
        ("households", "household", "households"),
        ("business", "business", "businesses"),
        ("boxes", "box", "boxes"),
        ("houses", "house", "houses"),
        ("child/children", "child", "children"),
    ],
)
def test_units_have_a_singular_and_a_plural(text, one, many):
    assert Unit.of(text) == Unit(one, many)


@pytest.mark.parametrize("text", ["", " / ", "a/b/c"])
def test_a_unit_that_is_no_noun_is_refused(text):
    with pytest.raises(ValueError, match="child/children"):
        Unit.of(text)


def test_firms_are_never_called_people(pairs):
    X = make_microdata(60, 3, random_state=0)
    Y = AdditiveNoise(p=20, random_state=0).fit_transform(X)
    options = {"attackers": [*PLAIN, "weighted_mean"], "unit": "firms"}
    more = {"pool": np.vstack([Y, Y[:9] + 3]), "absent": X[:7] + 5}
    found = audit(X, Y, time_limit=6, **options, **more)
    both = compare(X, {"a": Y, "b": in_groups(X, 3)}, time_limit=12, **options)
    for one in (pairs, found, both):
        for text in (one.to_text(), one.to_html(), json.dumps(one.to_dict())):
            words = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
            assert not re.findall(r".{30}\b(?:people|persons?|nobody|everybody)\b", words, re.I)


def test_variables_that_were_not_compared_are_counted_in_the_verdict():
    X = make_microdata(60, 5, random_state=0)
    Y = AdditiveNoise(p=20, random_state=0).fit_transform(X)
    found = audit(X[:, :3], Y[:, :3], attackers=PLAIN, left_out=["d", "e"])
    assert any("Judged by 3 of the 5 variables" in text for text in verdict(found).how_sure)
    assert found.to_dict()["left_out"] == ["d", "e"]


def test_a_limit_is_not_met_while_attackers_lack_time(monkeypatch):
    monkeypatch.setattr(Steps, "has_time_for", lambda steps, one, n: one.name != "density")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = X + rng.normal(scale=2.0, size=X.shape)
    found = audit(X, Y, limit=0.9, attackers=["euclidean", "density"], aligned="unchecked")
    assert not found.above_limit and found.unsettled and not found.within_limit
    assert "not every attacker was tried" in found.to_text().replace("\n", " ")
    assert "Not shown to be within the limit" in found.to_html()
    assert audit(X, Y, limit=0.9, attackers=["euclidean"], aligned="unchecked").within_limit


def test_guesses_about_people_not_seen_are_told_beside_the_risk_that_counts_them():
    X = make_microdata(60, 3, random_state=0)
    Y = X * np.random.default_rng(0).lognormal(sigma=0.2, size=X.shape)
    found = audit(np.r_[X, X], np.r_[Y, Y], attackers=["euclidean"], limit=0.05)
    assert found.strict_rate == 0 and found.estimate.expected_rate > 0.1
    told = next(one for one in verdict(found).how_sure if one.startswith("Tested"))
    assert "finds 0 % of the others" in told
    assert f"and {percent(found.estimate.expected_rate)} with guesses among ties" in told
    assert ") (" not in verdict(found).headline


def test_a_risk_that_the_headline_has_not_told_is_told_with_the_limit():
    X = np.arange(50.0)[:, None]
    Y = np.where(X < 10, X, 100.0)  # of those masked alike, one is found by a guess
    found = audit(X, Y, attackers=["euclidean"], aligned="unchecked")
    limit = (found.strict_rate + found.risk) / 2
    assert found.strict_rate < limit < found.risk
    headline = verdict(replace(found, limit=limit)).headline
    assert f"A risk of {percent(found.risk)} is " in headline and "above the limit" in headline
    assert "just above" in verdict(replace(found, limit=found.risk - 1e-6)).headline
    assert "There was time" not in found.to_text() and "only variable compared" in found.to_text()


def test_the_number_found_is_a_least_number_if_a_bound_is_higher(found):
    found = replace(found, estimates=(), limit=None)
    most = max(found.monotone_bound, *(one.bound or 0 for one in found.attacks))
    told = f"{found.worst.n_found:,} of {found.n_records:,} people"
    proven = replace(found, ceiling=found.worst.n_found, skipped={})
    proven = replace(proven, attacks=tuple(one for one in found.attacks if one.bound is None))
    assert f"would find {told}" in verdict(proven).headline
    more = replace(proven, ceiling=found.worst.n_found + 1, limit=0.99)
    assert f"would find at least {told}" in verdict(more).headline
    assert f"A risk of {percent(more.risk)} is within the limit" in verdict(more).headline
    assert ("at least" in verdict(found).headline) == (most > found.worst.n_found)


@pytest.mark.filterwarnings("ignore:the rows of the two files hardly", "ignore:no held-out")
def test_few_records_above_the_limit_are_not_called_safe():
    X = np.arange(10.0)[:, None]
    Y = np.where(X == 0, 9.0, 0.0)
    found = audit(X, Y, attackers=["euclidean"], limit=0.01, aligned="unchecked")
    assert found.at_chance and found.above_limit
    assert "Nothing more is needed" not in found.to_text()
    assert f"A risk of {percent(found.risk)} is above the limit" in verdict(found).headline


@pytest.mark.parametrize("reason", ["memory", "time"])
def test_a_limit_is_not_met_where_an_attacker_that_seeks_some_people_could_not(monkeypatch, reason):
    X = make_microdata(200, 4, random_state=0)
    Y = AdditiveNoise(p=60, random_state=0).fit_transform(X)
    options = {
        "attackers": ["euclidean", "density"],
        "limit": 0.9,
        "size_limits": SizeLimits(all_pairs=100),
    }
    found = audit(X, Y, **options)
    assert [one.attacker.name for one in found.estimates] == ["euclidean", "density"]
    assert found.within_limit and not found.unsettled

    def hungry(*_):
        raise MemoryError("Unable to allocate 233. GiB")

    # compiling and Euclidean come first, then the people not seen
    if reason == "memory":
        monkeypatch.setattr(_running, "held_out", hungry)
    else:
        monkeypatch.setattr(Steps, "late", property(lambda steps: steps.done > 2))
    with pytest.warns(UserWarning, match="no held-out estimate"):
        found = audit(X, Y, **options)
    assert found.estimates == ()
    assert [one.name for one in found.out_of_time] == ["density"]
    assert found.unsettled and not found.within_limit
    assert "it looks for some people instead" not in found.to_text()


def test_an_attacker_for_which_the_file_is_too_large_is_not_tried_and_counts_if_named():
    X = make_microdata(200, 4, random_state=0)
    Y = AdditiveNoise(p=60, random_state=0).fit_transform(X)
    sizes = {"size_limits": SizeLimits(all_pairs=100), "limit": 0.9, "time_limit": 10.0}
    named = audit(X, Y, attackers=["euclidean", "probabilistic"], **sizes)
    by_default = audit(X, Y, **sizes)
    for found in (named, by_default):
        assert [one.name for one in found.untried] == ["probabilistic"]
        assert not found.out_of_time and not found.above_limit
        (told,) = [text for text in verdict(found).how_sure if text.startswith("Not tried")]
        assert "too large: Probabilistic" in told
        assert "at least" in verdict(found).headline
    assert named.unsettled and not named.within_limit
    assert "not every attacker was tried" in verdict(named).headline
    assert by_default.within_limit and not by_default.unsettled


def test_a_proof_says_which_costs_of_missing_values_it_covers():
    X = make_microdata(60, 3, random_state=2)
    Y = AdditiveNoise(20, random_state=0).fit_transform(X)
    costs = "with a fixed cost for each missing value"
    assert costs not in audit(X, Y, attackers=["euclidean"]).to_text().replace("\n", " ")
    X[3, 1] = np.nan  # the Euclidean distance takes another cost for every value of the release
    text = " ".join(audit(X, Y, attackers=["euclidean"]).to_text().split())
    assert f"any weighted mean, OWA or Choquet distance {costs}" in text
