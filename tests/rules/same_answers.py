"""Do pairs answer alike, compared one by one and by a tree?"""

import numpy as np
import pytest

from sklearn_reclink.likelihood.pair_likelihood import LikelihoodPairs
from sklearn_reclink.rules import Rule
from sklearn_reclink.rules.candidates import search_with_prices
from sklearn_reclink.rules.linking import PricedPairs
from sklearn_reclink.search.priced import plant

QUESTIONS = {
    "linked": {},
    "nearest": {},
    "link": {},
    "own": {},
    "k_nearest": {"n_neighbors": 7},
}


def assert_same_answers(pairs, prices=None):
    """Every question, with prices of the masked records; random ones by default."""
    search = plant(pairs.coordinates())
    rng = np.random.default_rng(0)
    prices = rng.normal(size=search.n_points).round(1) if prices is None else prices
    by_pairs, by_tree = PricedPairs(pairs, prices[search.groups]), search.with_prices(prices)
    for question, options in QUESTIONS.items():
        answers = by_pairs.ask(question, **options), by_tree.ask(question, **options)
        for expected, found in zip(*answers, strict=True):
            np.testing.assert_array_equal(found, expected)


def prices_by_tree(pairs, rule, **options):
    """Of each masked record."""
    found = search_with_prices(pairs.coordinates(), rule, **options)
    return found.prices[found.tree.place][found.groups]


def assert_same_density_prices(pairs):
    expected, prices = Rule("density").priced(pairs).prices, prices_by_tree(pairs, "density")
    np.testing.assert_allclose(prices, expected, atol=0.01)
    assert np.mean(np.abs(prices - expected)) < 5e-4


def assert_same_balanced_prices(pairs):
    """With all candidates they are exact."""
    everything = {"n_candidates": max(pairs.shape), "budget": 2**62, "depth": np.inf}
    prices = prices_by_tree(pairs, "balanced", **everything)
    np.testing.assert_allclose(prices, Rule("balanced").priced(pairs).prices, atol=1e-6)


def same_assignments(pairs, threshold):
    """The optimal assignments by all pairs and by a tree, whose certain links are the same."""
    expected = Rule("one_to_one", threshold=threshold)._assignment(pairs)
    found = Rule("one_to_one", threshold=threshold, dense_pairs=0)._assignment(pairs)
    assert expected.optimal
    assert found.optimal
    assert found.total == pytest.approx(expected.total, rel=1e-9, abs=1e-7)
    np.testing.assert_array_equal(found.certain, expected.certain)
    return expected, found


def refuse_all_pairs(monkeypatch):
    """Let a comparison of all pairs fail."""

    def refuse(*_):
        raise AssertionError("all pairs were compared")

    monkeypatch.setattr(LikelihoodPairs, "distances", refuse)
