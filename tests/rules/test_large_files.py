"""Rules by trees give what they give by all pairs, forced on files small enough for both."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import DensityLinker, EuclideanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping
from sklearn_reclink.rules import Rule, Scores
from sklearn_reclink.rules.assignment import Program
from sklearn_reclink.rules.candidates import search_with_prices
from sklearn_reclink.rules.tree_assignment import TreeProgram, assign_by_tree
from sklearn_reclink.search import DistancePairs
from sklearn_reclink.search.priced import plant
from sklearn_reclink.search.priced.tree import build
from tests.rules.same_answers import (
    assert_same_answers,
    assert_same_balanced_prices,
    assert_same_density_prices,
    refuse_all_pairs,
    same_assignments,
)

MASKERS = {
    "noise": AdditiveNoise(p=20, random_state=0),
    "groups": Microaggregation(k=3),
    "swapping": RankSwapping(p=5, random_state=0),
}
SHAPES = [(400, 400), (250, 400), (400, 250)]


@pytest.fixture(scope="module")
def files():
    X = make_microdata(400, 4, random_state=1, tail="heavy")
    X[7] = X[3]  # a twin
    return X, {name: masker.fit_transform(X) for name, masker in MASKERS.items()}


def pairs_of(files, masking, shape=(400, 400), linker="likelihood"):
    X, masked = files
    Y = masked[masking]
    if linker == "likelihood":
        fitted = DensityLinker(rule="density", random_state=0).fit(X[:250], Y[:250])
        return fitted._search(fitted._index(X[: shape[0]], Y[: shape[1]]))
    fitted = EuclideanLinker(rule="density").fit(X[:250], Y[:250])
    index = fitted._index(X[: shape[0]], Y[: shape[1]])
    return DistancePairs(fitted._family, fitted._theta, index.original, index.masked)


@pytest.mark.parametrize("linker", ["likelihood", "distance"])
@pytest.mark.parametrize("masking", MASKERS)
def test_answers_with_prices_are_those_of_all_pairs_to_the_last_bit(files, masking, linker):
    pairs = pairs_of(files, masking, (250, 400), linker)
    assert_same_answers(pairs)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKERS)
def test_density_prices_are_those_of_all_pairs(files, masking, shape):
    assert_same_density_prices(pairs_of(files, masking, shape))


@pytest.mark.parametrize("masking", MASKERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_balanced_prices_are_exact_with_all_candidates(files, masking, shape):
    assert_same_balanced_prices(pairs_of(files, masking, shape))


@pytest.mark.parametrize("rule", ["density", "balanced"])
@pytest.mark.parametrize("masking", MASKERS)
def test_rules_by_candidates_link_as_by_all_pairs(files, masking, rule):
    pairs = pairs_of(files, masking)
    expected = Rule(rule).ask("linked", pairs)[0]
    found = Rule(rule, dense_pairs=0).ask("linked", pairs)[0]
    if masking == "noise" and rule == "balanced":  # a tenth is found: 32 candidates are too few
        assert abs(np.mean(found) - np.mean(expected)) <= 0.005
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("threshold", [None, 0.05])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masking", MASKERS)
@pytest.mark.parametrize("linker", ["likelihood", "distance"])
def test_assignments_by_tree_are_those_by_all_pairs(files, masking, shape, linker, threshold):
    pairs = pairs_of(files, masking, shape, linker)
    if threshold is not None and linker == "likelihood":
        threshold = -2.0
    expected, found = same_assignments(pairs, threshold)
    # a pair whose slack is near the tolerance may be tied by one dual and not by another
    assert np.count_nonzero(found.n_tied != expected.n_tied) <= 1


@pytest.mark.parametrize("threshold", [None, 0.05])
@pytest.mark.parametrize("shape", SHAPES)
def test_tree_and_all_pairs_find_the_same_tight_pairs_of_the_same_dual(files, shape, threshold):
    pairs = pairs_of(files, "swapping", shape, "distance")
    least = None if threshold is None else -threshold
    by_pairs = Program(Scores.of_pairs(pairs), least, np.random.default_rng(0))
    by_tree = TreeProgram(pairs.coordinates(), least, np.random.default_rng(0), 16, 2**13, None)
    assert by_tree.tolerance == by_pairs.tolerance
    keys = np.union1d(by_tree.some_matching(), by_tree.first)
    while True:
        matching = by_tree.match(keys, None)
        found, expected = (program.review(matching, 16) for program in (by_tree, by_pairs))
        if not by_tree.flipped:  # else the one adds over columns, the other over rows
            assert found.shortfall == pytest.approx(expected.shortfall, abs=1e-9)
        assert (len(found.missing) == 0) == (len(expected.missing) == 0)
        if not len(found.missing):
            break
        keys = np.union1d(keys, found.missing)
    tight = [np.sort(r.records * by_pairs.n_masked + r.masked) for r in (found, expected)]
    np.testing.assert_array_equal(*tight)


def test_one_to_one_links_by_tree_are_those_by_all_pairs(files):
    pairs = pairs_of(files, "swapping")
    expected = Rule("one_to_one").link(pairs)
    found = Rule("one_to_one", dense_pairs=0).link(pairs)
    certain = expected.n_tied == 1
    for name, values in vars(expected).items():
        some = certain if name in ("links", "distance") else slice(None)
        np.testing.assert_allclose(getattr(found, name)[some], values[some], err_msg=name)


def test_gap_of_an_assignment_cut_short_holds_the_optimum(files):
    pairs = pairs_of(files, "noise", linker="distance")
    best = Rule("one_to_one")._assignment(pairs).total
    cut = assign_by_tree(pairs.coordinates(), n_candidates=1, max_rounds=1)
    assert not cut.optimal
    assert not cut.certain.any()
    assert cut.bound >= best - 1e-9
    assert (cut.n_tied >= 1).all()


def test_rule_warns_of_a_gap(files, monkeypatch):
    from sklearn_reclink.rules import tree_assignment

    pairs = pairs_of(files, "noise", linker="distance")
    cut = assign_by_tree(pairs.coordinates(), n_candidates=1, max_rounds=1)
    monkeypatch.setattr(tree_assignment, "assign_by_tree", lambda *_, **__: cut)
    with pytest.warns(ConvergenceWarning, match="not proven optimal"):
        Rule("one_to_one", dense_pairs=0).predict(pairs)


def test_search_cut_short_says_from_which_value_on_records_may_be_missing(files):
    search = plant(pairs_of(files, "noise").coordinates())
    everyone = np.arange(400)
    found, values, beyond, sums = search.candidates(everyone, k=5, scale=1.0, budget=1)
    exact, least, _, whole = search.candidates(everyone, k=5, scale=1.0)
    assert (beyond <= least[:, -1]).all()
    for i in everyone:
        missed = np.setdiff1d(exact[i], found[i])
        assert (least[i][np.isin(exact[i], missed)] >= beyond[i]).all()
    assert np.median(np.abs(sums - whole)) < 0.1
    np.testing.assert_array_equal(values[beyond >= values[:, -1]], least[beyond >= values[:, -1]])


def test_many_equal_records_are_one_point_with_one_price():
    X = np.repeat(np.arange(20.0), 20)[:, None] + np.arange(2)
    Y = np.round(X / 4) * 4
    linker = EuclideanLinker(rule="balanced").fit(X, Y)
    index = linker._index(X, Y)
    pairs = DistancePairs(linker._family, linker._theta, index.original, index.masked)
    search = search_with_prices(pairs.coordinates(), "balanced", linker.temperature_)
    assert search.n_points == len(np.unique(Y, axis=0))
    assert not search.ask("linked")[0].any()
    assert Rule("one_to_one", dense_pairs=0)._assignment(pairs).optimal


def test_boxes_hold_their_points():
    points = np.random.default_rng(0).normal(size=(1000, 3))
    tree = build(points, np.ones(3), counts=np.full(1000, 2), leaf=4)
    np.testing.assert_array_equal(tree.points, points[tree.rows])
    for node in range(len(tree.begin)):
        inside = tree.points[tree.begin[node] : tree.end[node]]
        np.testing.assert_array_equal(tree.low[node], inside.min(axis=0))
        np.testing.assert_array_equal(tree.high[node], inside.max(axis=0))
        assert tree.node_counts[node] == 2 * len(inside)


@pytest.mark.parametrize("rule", ["nearest", "balanced", "one_to_one"])
def test_large_files_are_linked_by_trees_alone(rule, monkeypatch):
    X = make_microdata(5800, 3, random_state=0)
    Y = RankSwapping(p=1, random_state=0).fit_transform(X)
    refuse_all_pairs(monkeypatch)
    linker = DensityLinker(rule=rule, random_state=0).fit(X, Y)
    assert linker.n_linked_ / 5800 == linker.score(X, Y)
    assert 0.1 < linker.n_linked_ / 5800 < 1


@pytest.mark.parametrize("name", ["density", "balanced"])
def test_prices_are_kept_for_the_same_files_and_for_no_others(files, name):
    pairs, others = pairs_of(files, "noise"), pairs_of(files, "noise", (400, 250))
    memory = {}
    rule = Rule(name, dense_pairs=0, memory=memory)
    fresh = Rule(name, dense_pairs=0)
    first = rule.ask("linked", pairs)[0]
    (key,) = memory
    memory[key] = memory[key] + 0.0  # what is asked next takes these
    kept = memory[key]
    np.testing.assert_array_equal(rule.ask("linked", pairs)[0], first)
    assert memory[key] is kept
    np.testing.assert_array_equal(first, fresh.link(pairs).reidentified)
    np.testing.assert_array_equal(rule.predict(others), fresh.predict(others))
    assert memory.keys().isdisjoint({key})


def test_score_of_the_files_of_fit_is_their_count(files):
    X, masked = files
    linker = DensityLinker(random_state=0).fit(X, masked["noise"])
    assert linker.score(X, masked["noise"]) == linker.n_linked_ / len(X)
