"""Sampling weights in an audit: what the people found stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import audit
from tests.auditing.pairs import masked, original
from tests.certificates.schema import AUDIT_SCHEMA, problems

QUICK = {"attackers": ["euclidean", "mahalanobis"], "time_limit": 5.0}


@pytest.fixture(scope="module")
def files() -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    X = original()
    weights = pd.Series(np.random.default_rng(1).integers(1, 400, len(X)), name="w8")
    return X, masked(X), weights


def test_expected_numbers_are_sums_of_weights(files):
    X, Y, weights = files
    found = audit(X, Y, sample_weight=weights, **QUICK)
    plain = audit(X, Y, **QUICK)
    written = found.to_dict()["population"]
    assert written["weight"] == "w8" and written["total"] == weights.sum()
    for one, mine in zip(plain.attacks, written["attackers"][:2], strict=True):
        assert mine["name"] == one.attacker.name and not mine["not_seen"]
        assert mine["expected_number"] == pytest.approx(weights[one.reidentified].sum())
        assert mine["expected_number_guessing"] == pytest.approx(weights @ one.chance)
        assert mine["weighted_recall"] == pytest.approx(
            weights[one.reidentified].sum() / weights.sum()
        )
    for one, mine in zip(plain.estimates, written["attackers"][2:], strict=True):
        sought = weights.to_numpy()[one.rows]
        share = sought[one.reidentified].sum() / sought.sum()
        assert mine["not_seen"] and mine["weighted_recall"] == pytest.approx(share)
        assert mine["expected_number"] == pytest.approx(share * weights.sum())
    assert (found.risk, found.strict_rate) == (plain.risk, plain.strict_rate)
    assert plain.population is None and plain.to_dict()["population"] is None


def test_the_column_of_weights_is_not_a_variable(files):
    X, Y, weights = files
    found = audit(X.assign(w8=weights), Y.assign(w8=weights), sample_weight=weights, **QUICK)
    plain = audit(X, Y, sample_weight=weights, **QUICK)
    assert found.names == plain.names and found.left_out == ("w8",)
    assert [one.n_found for one in found.attacks] == [one.n_found for one in plain.attacks]


@pytest.mark.parametrize("in_release", [False, True])
def test_weights_in_one_of_the_files_are_their_column(files, in_release):
    X, Y, weights = files
    both = [X.assign(w8=weights), Y.assign(w8=weights)]
    both[not in_release]["w8"] = 1.0
    assert audit(*both, sample_weight=weights, **QUICK).left_out == ("w8",)


def test_a_variable_that_gave_weights_its_name_is_not_left_out(files):
    X, Y, _ = files
    name = X.columns[0]
    with pytest.raises(ValueError, match=f"has the name of the column '{name}', but other values"):
        audit(X, Y, sample_weight=X[name].rank(), **QUICK)
    with pytest.raises(ValueError, match=f"'{name}' is the only column"):
        audit(X[[name]], Y[[name]], sample_weight=X[name], **QUICK)


def test_weights_of_other_people_are_refused(files):
    X, Y, weights = files
    with pytest.raises(ValueError, match="X and sample_weight have different indexes"):
        audit(X, Y, sample_weight=weights[::-1], **QUICK)
    with pytest.raises(ValueError, match="X and sample_weight have different indexes"):
        audit(X[::-1], Y[::-1], sample_weight=weights, **QUICK)


@pytest.mark.parametrize("given", [["many"] * 60, np.full(60, 2j), [[1.0], [2.0, 3.0]]])
def test_weights_that_are_no_numbers_are_refused_without_their_values(files, given):
    X, Y, _ = files
    with pytest.raises(ValueError, match="sample_weight must hold 60 numbers, one weight") as told:
        audit(X, Y, sample_weight=given, **QUICK)
    assert "many" not in str(told.value) and "j" not in str(told.value)


def test_equal_weights_give_the_plain_shares(files):
    X, Y, _ = files
    found = audit(X, Y, sample_weight=np.full(len(X), 50.0), **QUICK)
    one = found.population.strongest
    assert one.recall == pytest.approx(found.strict_rate)
    assert one.expected_recall == pytest.approx(found.expected_rate)
    assert found.population.total == 50 * len(X)


def test_text_page_and_json_agree(files):
    X, Y, weights = files
    found = audit(X, Y, sample_weight=weights, unit="firms", **QUICK)
    one = found.population.strongest
    number = f"{found.population.number(one.recall):,.0f}"
    text, page = found.to_text(), found.to_html()
    for shown in (" ".join(text.split()), page):
        assert f"the 60 firms compared stand for {weights.sum():,} firms in the population" in shown
        assert f"stand for about {number} of them" in shown
        assert "w8" in shown
    assert "Sampling weights “w8” were used" in page
    assert problems(found.to_dict(), AUDIT_SCHEMA) == []


def test_nobody_found_stands_for_nobody():
    X = original()
    found = audit(X, masked(X, groups=4, k=20), sample_weight=np.full(60, 0.5), **QUICK)
    assert "stand for 30 people in the population" in " ".join(found.to_text().split())
    assert "stand for none of them" in " ".join(found.to_text().split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({3: np.nan}, r"^sample_weight \(column 'w8'\) contains NaN in row 3: give every record"),
        ({3: np.inf}, r"\(column 'w8'\) contains infinity in row 3"),
        ({5: -2.0, 7: -1.0}, r"\(column 'w8'\) is negative in row 5: weights must be at least 0"),
        (dict.fromkeys(range(60), 0.0), r"\(column 'w8'\) is 0 in all rows"),
        (dict.fromkeys(range(60), 1e308), r"\(column 'w8'\) is too large to be added up"),
    ],
)
def test_wrong_weights_are_refused_without_their_values(files, change, message):
    X, Y, weights = files
    wrong = weights.astype(float)
    wrong[list(change)] = list(change.values())
    with pytest.raises(ValueError, match=message) as told:
        audit(X, Y, sample_weight=wrong, **QUICK)
    assert "2.0" not in str(told.value)


def test_weights_of_another_length_or_of_a_release_that_is_not_aligned_are_refused(files):
    X, Y, weights = files
    with pytest.raises(ValueError, match=r"shape \(59,\): it must be \(60,\)"):
        audit(X, Y, sample_weight=weights[1:], **QUICK)
    with pytest.raises(ValueError, match="sample_weight needs aligned files"):
        audit(X, Y, aligned=False, sample_weight=weights)
