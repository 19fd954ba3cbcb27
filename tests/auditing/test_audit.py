"""What an audit counts, and that its parts agree with each other and with the linkers."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from sklearn_reclink import EuclideanLinker, audit
from sklearn_reclink.auditing import SizeLimits, _running, compare
from sklearn_reclink.auditing._attack import halves
from sklearn_reclink.auditing._attackers import ATTACKERS, VIEWS, Setting, chosen_attackers
from sklearn_reclink.auditing._running import in_order
from sklearn_reclink.auditing._variables import _pairs
from sklearn_reclink.capacity import additive_capacity, symmetric_capacity
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import linkage_ceiling, wilson_interval
from sklearn_reclink.model_selection import held_out_search
from tests.auditing.pairs import masked, original
from tests.problems import noisy_files


def test_every_attacker_runs_once_from_cheap_to_strong(found):
    assert [one.attacker.name for one in found.attacks] == list(ATTACKERS)
    assert not found.skipped


def test_counts_bounds_and_ceiling_are_in_order(found):
    assert found.ceiling == round(
        linkage_ceiling(found.X, found.Y, standardize=VIEWS) * found.n_records
    )
    for one in found.attacks:
        assert one.seconds > 0
        assert one.rate <= one.expected_rate + 1e-12
        if one.bound is not None:
            assert one.n_found <= one.bound
        if one.attacker.monotone:
            assert one.n_found <= found.monotone_bound <= found.ceiling
    assert found.risk == max(one.expected_rate for one in found.attacks)


def test_an_attack_is_what_its_linker_scores(found):
    for one in found.attacks:
        assert one.linker.score(found.X, found.Y) == pytest.approx(one.rate)


def test_everybody_is_looked_for_once_in_the_whole_file(found):
    for one in found.estimates:
        assert sorted(one.rows) == list(range(found.n_records))
        assert one.n_train == found.n_records // 2
        assert one.n_pool == found.n_records
        low, high = one.interval
        assert low <= one.rate <= high


def test_halves_part_the_people():
    (first, second), (third, fourth) = halves(11, seed=3)
    assert sorted([*first, *second]) == list(range(11))
    assert (first == fourth).all() and (second == third).all()


def test_wilson_interval_solves_its_quadratic():
    z = 1.959964
    for found_, tested in [(3, 10), (50, 100), (999, 1000)]:
        for end in wilson_interval(found_, tested):
            gap = abs(found_ / tested - end)
            assert gap == pytest.approx(z * np.sqrt(end * (1 - end) / tested), rel=1e-6)
    assert wilson_interval(0, 20)[0] == 0.0 and wilson_interval(20, 20)[1] == 1.0


def test_some_people_are_found_among_all_as_by_link():
    X = original(80)
    Y = masked(X, groups=2, k=3)
    X, Y = X.to_numpy(), Y.to_numpy()
    known, sought = np.arange(0, 80, 2), np.arange(0, 80, 3)
    some, everybody = (
        held_out_search(EuclideanLinker(), X, Y, known, (sought,), link_all=link_all)[
            0
        ].reidentified
        for link_all in (False, True)
    )
    assert (some == everybody).all()
    expected = EuclideanLinker().fit(X[known], Y[known]).link(X, Y).reidentified[sought]
    assert (everybody == expected).all()


def test_variables_are_judged_by_the_attacker_that_the_risk_comes_from(found):
    shown = found.contributions
    assert shown.judge == found.strongest.attacker.title
    assert shown.n_with == round(found.risk * found.n_records)
    for variable in shown.variables:
        assert variable.drop == shown.n_with - variable.n_without
    for values in zip(
        *[(one.weight, one.shapley) for one in found.contributions.variables], strict=True
    ):
        assert sum(values) == pytest.approx(1)
    assert len(found.contributions.pairs) == 6


def test_pairs_are_listed_only_where_some_act_together():
    additive = additive_capacity(np.array([0.5, 0.3, 0.2]))
    assert _pairs(["a", "b", "c"], additive) == ()
    together = symmetric_capacity(np.array([0.0, 0.0, 1.0]))
    assert len(_pairs(["a", "b", "c"], together)) == 3


def test_records_at_risk_are_those_found(found):
    count = np.sum([one.reidentified for one in found.attacks], axis=0)
    unseen = np.zeros(found.n_records, dtype=int)
    for one in found.estimates:
        unseen[one.rows] += one.reidentified
    assert sorted(found.records.rows) == np.flatnonzero(count + unseen).tolist()
    listed = [len(names) for names in found.records.found_by]
    assert listed == count[found.records.rows].tolist() == sorted(listed, reverse=True)
    assert found.records.to_frame().shape == (len(found.records), 6)


def test_csv_of_records_keeps_ids_whatever_they_hold(found):
    lines = list(csv.DictReader(io.StringIO(found.records.to_csv())))
    assert [line["id"] for line in lines] == found.records.ids
    assert all(
        int(line["row"]) - 1 == row for line, row in zip(lines, found.records.rows, strict=True)
    )


def test_values_are_listed_only_when_asked_for(found):
    plain = found.records.to_csv()
    assert "original: rent" not in plain
    assert "original: rent" in found.records.to_csv(values=found.values())


def test_plain_data_is_json_without_values(found):
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["risk"] == found.risk and data["above_limit"] is True
    assert [one["name"] for one in data["attackers"]] == list(ATTACKERS)
    numbers = {f"{value:g}" for value in found.X.ravel() if value > found.n_records}
    assert not numbers & set(json.dumps(data).replace(",", " ").split())


def test_nothing_at_risk(safe):
    assert safe.strict_rate == 0 and not safe.above_limit
    assert "None of the 60 people" in safe.to_text()
    assert safe.risk == safe.expected_rate > 0


def test_columns_are_matched_by_name(found):
    X = original()
    Y = masked(X)
    shuffled = audit(X, Y[Y.columns[::-1]], attackers=["euclidean"])
    assert shuffled.worst.n_found == found.attacks[0].n_found


def test_searches_learn_from_a_sample_of_a_long_file_and_count_in_the_whole():
    X = original(90)
    Y = masked(X)
    names = ["weighted_mean", "probabilistic", "density"]
    limits = SizeLimits(search=40, all_pairs=50)
    found = audit(X, Y, attackers=names, time_limit=10.0, size_limits=limits)
    (one,) = found.attacks
    assert one.status == "sampled" and one.n_learned == 40 and one.bound is None
    assert len(one.reidentified) == 90
    reasons = {attacker.name: reason for attacker, reason in found.skipped.items()}
    assert list(reasons) == ["probabilistic", "density"]
    assert all("with 90 records it takes too long" in reason for reason in reasons.values())
    assert [name for name, reason in reasons.items() if "instead" in reason] == ["density"]
    assert [e.attacker.name for e in found.estimates] == ["weighted_mean", "density"]
    assert found.risk == max(one.risk for one in (one, *found.estimates))
    assert "sample" in found.to_text()


def test_wide_files_skip_what_cannot_be_learned():
    setting = Setting(100, 13, 0, None)
    refusing = [one.name for one in ATTACKERS.values() if one.skip_reason(setting) is not None]
    assert refusing == ["choquet", "hlms"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attackers": ["euclid"]}, "euclidean"),
        ({"attackers": []}, "choose"),
        ({"limit": 20}, "0.2"),
        ({"time_limit": 0}, "seconds"),
        ({"ids": ["a"]}, "60 records"),
    ],
)
def test_wrong_options_are_explained(options, message):
    X = original()
    with pytest.raises(ValueError, match=message):
        audit(X, masked(X), **options)


def test_attackers_are_ordered_whatever_order_is_asked_for():
    assert [one.name for one in chosen_attackers(["hlms", "euclidean"])] == ["euclidean", "hlms"]


def test_quick_attackers_begin_before_searches_and_slow_ones_take_what_is_left():
    def names(quick):
        return [one.name for one in in_order(chosen_attackers(None), quick)]

    searches = ["weighted_mean", "choquet", "bilinear", "hlms"]
    plain = ["euclidean", "mahalanobis"]
    assert names(1.0) == [*plain, "probabilistic", "density", *searches]
    assert names(1e-6) == [*plain, "density", *searches, "probabilistic"]
    assert names(0.0) == [*plain, *searches, "probabilistic", "density"]


def test_progress_counts_every_step():
    seen = []
    X = original()
    audit(X, masked(X), attackers=["euclidean"], progress=lambda *step: seen.append(step))
    assert [done for _, done, _ in seen] == list(range(seen[0][2]))


def test_comparison_names_the_safest_and_the_frontier():
    X = original()
    maskings = {"weak": masked(X, k=3), "strong": masked(X, groups=4, k=6), "none": X}
    found = compare(X, maskings, attackers=["euclidean"])
    assert found.safest.masked_name == "strong"
    assert found.losses[2] == 0 and found.frontier.all()
    assert "strong" in found.to_text()
    assert len(found.to_dict()["maskings"]) == 3
    page = found.to_html()
    assert page.count("<svg") == 2 and "another is better" not in page


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_search_finds_fewer_people_than_the_weighted_mean_before_it():
    X = make_microdata(300, 4, tail="heavy", random_state=0)
    Y = Microaggregation(groups=[[0, 1], [2, 3]], k=3).fit_transform(X)
    names = ["weighted_mean", "choquet", "bilinear", "hlms"]
    found = {one.attacker.name: one for one in audit(X, Y, attackers=names, time_limit=1.0).attacks}
    least = found["weighted_mean"].n_found
    assert all(one.n_found >= least for one in found.values())
    assert all(one.bound >= least for one in found.values())


def test_loading_counts_against_the_time_limit_and_compiling_does_not(monkeypatch):
    now = 100.0
    monkeypatch.setattr(_running.time, "monotonic", lambda: now)
    for begin, left in [(99.0, 7.0), (40.0, 5.0)]:  # of 10 s, 2 are kept back
        steps = _running.Steps(None, 1, 10.0, 1.0)
        steps.start(begin)
        assert steps.end == now + left


def test_a_random_guess_is_among_all_masked_records():
    X, Y = noisy_files(5, n_records=60, n_features=3)
    found = audit(X[:40], Y[:40], pool=Y, attackers=["euclidean", "mahalanobis"], time_limit=20)
    assert (found.n_records, found.n_masked) == (40, 60)
    assert found.to_dict()["random_guess_rate"] == 1 / 60
    text = " ".join(found.to_text().split())
    assert "each among all 60 masked records. A random guess finds 1 in 60." in text
    page = found.to_html()
    assert "looks for the other half among all 60 masked records" in page
    assert "a random guess finds 1 in 60." in page and "finds 1 in 40" not in page
