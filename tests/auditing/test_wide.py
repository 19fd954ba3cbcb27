"""Files with many variables: said at once what does not fit, and done in time."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sklearn_reclink import audit
from sklearn_reclink.auditing import SizeLimits, _audit, _running, _variables, compare
from sklearn_reclink.auditing._attack import attack
from sklearn_reclink.auditing._attackers import ATTACKERS, Setting, chosen_attackers
from sklearn_reclink.auditing._files import Files, read_files
from sklearn_reclink.auditing._findings import column_findings
from sklearn_reclink.auditing._running import NO_ESTIMATE, OUT_OF_TIME, Run, estimate_all, planned
from tests.auditing.pairs import masked, original


def wide(n_records, n_features):
    X = np.random.default_rng(0).normal(size=(n_records, n_features))
    return X, X + np.random.default_rng(1).normal(scale=0.5, size=X.shape)


def test_every_attacker_says_how_many_columns_it_takes():
    limits = SizeLimits()
    most = {
        "mahalanobis": limits.covariance_variables,
        "probabilistic": limits.pattern_variables,
        "weighted_mean": limits.weight_variables,
        "choquet": limits.capacity_variables,
        "bilinear": limits.matrix_variables,
        "hlms": limits.capacity_variables,
        "density": limits.density_variables,
    }
    for name, columns in most.items():
        reasons = [ATTACKERS[name].skip_reason(Setting(6, n)) for n in (columns, columns + 1)]
        assert reasons[0] is None
        assert f"choose at most {columns:,} columns" in reasons[1]
    assert set(ATTACKERS) - set(most) == {"euclidean"}
    assert ATTACKERS["euclidean"].skip_reason(Setting(6, 10_000)) is None


def test_the_cost_is_said():
    reason = ATTACKERS["bilinear"].skip_reason(Setting(6, 150))
    assert "11,325" in reason


def test_searches_in_wide_files_learn_from_a_sample_of_the_records():
    rows = np.arange(5_000)
    assert len(Setting(5_000, 13).learning_sample(rows, 4_000)) == 4_000
    assert len(Setting(5_000, 100).learning_sample(rows, 4_000)) == 500
    assert len(Setting(5_000, 10**8).learning_sample(rows, 4_000)) == 2


@pytest.mark.filterwarnings("ignore:no held-out estimate")  # on a busy machine
def test_a_file_of_500_columns_is_audited_in_time_and_the_rest_is_said():
    X, Y = wide(6, 500)
    begin = time.monotonic()
    found = audit(X, Y, time_limit=1.0)
    assert time.monotonic() - begin < 40  # on a busy machine; on a free one it took 45
    skipped = {one.name: reason for one, reason in found.skipped.items()}
    assert {"probabilistic", "choquet", "bilinear", "hlms"} <= set(skipped) < set(ATTACKERS)
    shown = found.contributions
    assert len(shown.tried) < 500
    text, data, page = found.to_text(), found.to_dict(), found.to_html()
    for reason in skipped.values():
        assert " ".join(reason.split()[:6]) in " ".join(text.split()) and reason in page
    assert shown.untried_note in " ".join(text.split()) and shown.untried_note in page
    assert data["gives_away"]["n_withheld"] == len(shown.tried)
    assert len(data["gives_away"]["variables"]) == 500
    json.dumps(data, allow_nan=False)
    assert "more variables: --json lists all" in text and "and 440 more" in page


@pytest.mark.filterwarnings("ignore:no held-out estimate")
def test_a_file_of_5_000_columns_needs_no_large_matrix():
    X, Y = wide(6, 5_000)
    begin = time.monotonic()
    found = audit(X, Y, time_limit=1.0)
    assert time.monotonic() - begin < 40
    assert [one.attacker.name for one in found.attacks] == ["euclidean"]
    assert len(found.skipped) == len(ATTACKERS) - 1


def test_variables_are_withheld_in_the_order_of_what_they_may_tell(monkeypatch):
    X, Y = wide(30, 5)
    Y[:, 3] = X[:, 3]
    files = Files(X, Y, None, None, None, None, tuple("abcde"), None, [])
    setting, chosen = Setting(30, 5), chosen_attackers(["euclidean"])
    found = attack(chosen[0], X, Y, setting, 1.0)[0]
    run = Run(planned(chosen, setting), (replace(found, seconds=1.0),), (), {})
    findings = column_findings(X, Y, files.names)
    without = []

    def judged(judge, some, *_):
        without.extend(set("abcde") - set(some.names))
        return 0.5, False

    monkeypatch.setattr(_variables, "_judged_again", judged)
    tell = partial(_variables.variable_contributions, files, run, findings)
    assert len(tell(2.4).tried) == 5 and without[0] == "d"
    none = tell(0.5)
    assert none.tried == [] and "no time to withhold any variable" in none.untried_note
    assert none.remedies == ()


def test_what_begins_too_late_is_left_out_and_said(monkeypatch):
    X = original()
    monkeypatch.setattr(_running.Steps, "late", True)
    names = ["euclidean", "mahalanobis"]
    with pytest.raises(ValueError, match="there was no time left"):
        audit(X, masked(X), attackers=names)


def test_one_note_names_all_attackers_that_have_no_estimate_for_one_reason():
    X = original()
    files = read_files(X, masked(X), None, None, None, {}, None)
    steps = _running.Steps(None, 3, 1e-9, 1.0)
    steps.start(time.monotonic() - 1.0)
    tested = chosen_attackers(["euclidean", "mahalanobis", "weighted_mean"])
    plan = planned(tested, Setting(*X.shape, 0, None))
    assert estimate_all(plan, {}, files, steps) == []
    (note,) = [one for one in files.notes if one.startswith(NO_ESTIMATE)]
    assert all(one.title in note for one in tested) and note.endswith(OUT_OF_TIME)


def test_an_attacker_without_memory_is_left_out_and_said(monkeypatch):
    X = original()

    def hungry(self, *_, **limits):
        raise MemoryError("Unable to allocate 233. GiB")

    monkeypatch.setattr("sklearn_reclink.linkers.WeightedMeanLinker._learn", hungry)
    monkeypatch.setattr(_audit, "compile_searches", lambda *_: None)
    found = audit(X, masked(X), attackers=["euclidean", "weighted_mean"], time_limit=1.0)
    assert [one.attacker.name for one in found.attacks] == ["euclidean"]
    assert [one.attacker.name for one in found.estimates] == ["euclidean"]
    (reason,) = found.skipped.values()
    assert "not enough memory" in reason and "not enough memory" in " ".join(
        found.to_text().split()
    )
    with pytest.raises(ValueError, match="not enough memory"):
        audit(X, masked(X), attackers=["weighted_mean"], time_limit=1.0)


def test_maskings_of_too_many_columns_are_refused_before_any_audit():
    X, Y = wide(6, 2_001)
    with pytest.raises(ValueError, match="at most 2,000 columns"):
        compare(X, {"a": Y})
