"""A rule on all pairs: pools, thresholds and prices, against their definitions."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sklearn_reclink.likelihood import pair_likelihood
from sklearn_reclink.likelihood.fellegi_sunter import AgreementPairs
from sklearn_reclink.likelihood.table_kernel import add_tabulated
from sklearn_reclink.rules import RULES, Rule


@pytest.fixture
def pairs():
    """Five answers of 40 people, one in ten changed, and 15 masked records of others."""
    rng = np.random.default_rng(0)
    X, others = (rng.integers([3, 4, 5, 6, 9], size=(n, 5)).astype(float) for n in (40, 15))
    Y = np.where(rng.random(X.shape) < 0.1, rng.integers([3, 4, 5, 6, 9], size=X.shape), X)
    weights = np.array([[-2.0, 1.3], [-2.1, 1.7], [-2.2, 2.1], [-2.4, 2.4], [-2.5, 3.1]])
    return AgreementPairs(X, np.vstack([Y, others]), np.zeros(5), weights)


def test_distance_is_minus_the_sum_of_weights_and_magnitude_that_of_their_sizes(pairs):
    values, magnitudes = pairs.distances(np.array([3, 7]))
    agree = pairs.original[[3, 7], None] == pairs.masked
    terms = np.where(agree, pairs.weights[:, 1], pairs.weights[:, 0])
    np.testing.assert_allclose(values, -terms.sum(axis=2))
    np.testing.assert_allclose(magnitudes, np.abs(terms).sum(axis=2))


@pytest.mark.parametrize("threshold", [None, -4.0])
@pytest.mark.parametrize("name", RULES)
def test_link_and_predict_agree_and_masked_records_beyond_are_impostors(name, threshold, pairs):
    rule = Rule(name, threshold=threshold)
    found = rule.link(pairs)
    np.testing.assert_array_equal(rule.predict(pairs), found.links)
    own = np.arange(40)
    assert found.links.max() < 55
    assert (found.links[found.reidentified] == own[found.reidentified]).all()
    assert found.rate <= found.expected_rate
    assert (found.n_tied >= 1).all()
    if threshold is not None and name in ("nearest", "one_to_one"):
        linked = found.links >= 0
        assert 0 < np.count_nonzero(linked) < 40
        assert (found.distance[linked] < threshold).all()
        assert not found.own_tied[~linked & (found.n_tied == 1)].any()


def test_nearest_links_are_those_of_the_definition(pairs):
    found = Rule("nearest", threshold=0.0).link(pairs)
    values = pairs.distances(np.arange(40))[0]
    tied = values <= values.min(axis=1, keepdims=True) + 1e-9
    linked = values.min(axis=1) < 0
    np.testing.assert_array_equal(found.links, np.where(linked, tied.argmax(axis=1), -1))
    np.testing.assert_array_equal(found.n_tied, np.where(linked, tied.sum(axis=1), 1))
    np.testing.assert_array_equal(found.own_tied, linked & tied[np.arange(40), np.arange(40)])
    np.testing.assert_array_equal(found.reidentified, found.own_tied & (found.n_tied == 1))


def test_a_seed_chooses_among_optimal_assignments_and_changes_no_rate(pairs):
    twice = AgreementPairs(
        np.repeat(pairs.original, 2, axis=0), np.repeat(pairs.masked, 2, axis=0),
        pairs.tolerance, pairs.weights,
    )  # fmt: skip
    first, second = (Rule("one_to_one", random_state=seed).link(twice) for seed in (0, 1))
    assert (first.links != second.links).any()
    np.testing.assert_array_equal(first.n_tied, second.n_tied)
    np.testing.assert_array_equal(first.reidentified, second.reidentified)


def test_compiled_lookup_gives_the_same_floats_as_numpy():
    rng = np.random.default_rng(0)
    x, y, logs = rng.normal(size=300), rng.normal(size=200), rng.normal(size=60)
    plain, compiled = np.zeros((2, 300, 200))
    pair_likelihood._add_tabulated(plain, x, y, 17.0, logs)
    add_tabulated(compiled, x, y, 17.0, logs)
    np.testing.assert_array_equal(plain, compiled)


def test_small_files_are_linked_without_compilation():
    code = """
import sys
import numpy as np
from sklearn_reclink import DensityLinker, ProbabilisticLinker
X = np.random.default_rng(0).normal(size=(200, 4))
Y = X + 0.1
for rule in ("one_to_one", "balanced"):
    DensityLinker(rule=rule).fit(X, Y)
ProbabilisticLinker().fit(X, Y)
kernels = {"rules.matching_kernel", "likelihood.table_kernel"}
print({f"sklearn_reclink.{name}" for name in kernels} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
