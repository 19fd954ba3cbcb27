"""Do pairs answer alike, compared one by one and by a tree?"""

import numpy as np

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
