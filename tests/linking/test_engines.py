"""Tree and brute force give the same answers, on data full of exact ties."""

import numpy as np
import pytest
from joblib import parallel_config

from sklearn_reclink import search as linking
from sklearn_reclink.families import OWA, Bilinear, Choquet, KAdditiveChoquet, WeightedMean
from sklearn_reclink.search import all_pairs, batches, questions
from sklearn_reclink.search import tree_search as treed
from tests.trees.test_trees import monotone_capacity

N_FEATURES = 4
FAMILIES = ["weighted mean", "OWA", "Choquet", "2-additive", "psd", "singular", "indefinite"]


def family_of(rng, name):
    if name == "weighted mean":
        return WeightedMean(), rng.integers(0, 4, N_FEATURES) / 3
    if name == "OWA":
        return OWA(), rng.integers(0, 4, N_FEATURES) / 3
    if name == "Choquet":
        return Choquet(), monotone_capacity(rng, N_FEATURES, 4)[1:]
    if name == "2-additive":
        distance = KAdditiveChoquet(2)
        # a mixture of minima and maxima of two variables: monotone, with negative coefficients
        mobius = np.zeros(2**N_FEATURES)
        for first in range(N_FEATURES):
            for second in range(first):
                minimum, maximum = rng.dirichlet([0.3, 0.3])
                mobius[1 << first | 1 << second] += minimum - maximum
                mobius[1 << first] += maximum
                mobius[1 << second] += maximum
        return distance, distance.pack(np.array([mobius_sum(mobius, A) for A in range(16)]))
    rank = {"psd": N_FEATURES, "singular": 2, "indefinite": N_FEATURES}[name]
    root = rng.integers(-2, 3, (N_FEATURES, rank)) + (0 if name == "singular" else np.eye(4))
    sign = np.eye(rank)
    if name == "indefinite":
        sign[0, 0] = -1
    return Bilinear(), Bilinear().pack(root @ sign @ root.T)


def mobius_sum(mobius, subset):
    return sum(mobius[part] for part in range(16) if part & subset == part)


def files_of(rng, n_records, n_masked):
    kind = rng.choice(["grid", "groups", "rounded", "near ties"])
    if kind == "grid":
        original, masked = (
            rng.integers(0, 4, (n, N_FEATURES)).astype(float) for n in (n_records, n_masked)
        )
    else:
        original = rng.normal(size=(n_records, N_FEATURES))
        masked = rng.normal(size=(n_masked, N_FEATURES))
    if kind == "groups":
        masked = masked[rng.integers(0, n_masked // 3 + 1, n_masked)]
        masked[:, 0] = masked[:, 0].round()
    if kind == "rounded":
        original, masked = original.round(1), masked.round(1)
    if kind == "near ties":  # the same distances up to a few units in the last place
        masked = masked[rng.integers(0, n_masked // 3 + 1, n_masked)]
        masked = masked * (1 + rng.integers(-3, 4, masked.shape) * 2.0**-52)
    return original, masked


def answers(distance, theta, original, masked, ranked=True, **options):
    found = {"nearest": linking.nearest(distance, theta, original, masked, **options)}
    if ranked:
        found["k"] = linking.k_nearest(distance, theta, original, masked, 4, **options)
    if len(original) == len(masked):
        found["linked"] = linking.linked_mask(distance, theta, original, masked, **options)
        found |= vars(linking.link(distance, theta, original, masked, **options))
    return found


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("name", FAMILIES)
def test_tree_equals_brute_force(monkeypatch, name):
    for seed in range(200):
        rng = np.random.default_rng(seed)
        distance, theta = family_of(rng, name)
        n_records = int(rng.integers(4, 60))
        n_masked = n_records if rng.random() < 0.7 else int(rng.integers(4, 60))
        original, masked = files_of(rng, n_records, n_masked)
        monkeypatch.setattr(questions, "few_pairs", lambda: np.inf)
        ranked = seed % 3 == 0
        expected = answers(distance, theta, original, masked, ranked)
        monkeypatch.setattr(questions, "few_pairs", lambda: 0)
        batch = int(rng.choice([1, 7, 30, 10_000], p=[0.1, 0.3, 0.3, 0.3]))
        monkeypatch.setattr(treed, "BATCH_SIZE", batch)
        monkeypatch.setattr(treed, "_PAIRS", batch * n_masked)
        monkeypatch.setattr(treed, "_LISTED", int(rng.choice([1, 40, 2**22], p=[0.2, 0.4, 0.4])))
        n_jobs = 2 if seed % 10 == 0 else 1
        assert_same(answers(distance, theta, original, masked, ranked, n_jobs=n_jobs), expected)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_monotone_family_has_a_tree(name):
    distance, theta = family_of(np.random.default_rng(1), name)
    assert distance.aggregation(theta, N_FEATURES).weights.any() == (name != "indefinite")


@pytest.mark.parametrize("name", FAMILIES)
def test_processes_give_the_same_answers(monkeypatch, name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        distance, theta = family_of(rng, name)
        original, masked = files_of(rng, 90, 90)
        with monkeypatch.context() as patched:
            patched.setattr(questions, "few_pairs", lambda: np.inf)
            expected = answers(distance, theta, original, masked)
            patched.setattr(questions, "few_pairs", lambda: 0)
            patched.setattr(all_pairs, "BATCH_BYTES", 300_000)
            patched.setattr(treed, "BATCH_SIZE", 30)
            patched.setattr(treed, "_PAIRS", 3000)
            with parallel_config(backend="loky", n_jobs=2):
                assert_same(answers(distance, theta, original, masked), expected)


def test_progress_is_printed_on_long_work(monkeypatch, capsys):
    rng = np.random.default_rng(0)
    original, masked = rng.normal(size=(2, 300, 2))
    monkeypatch.setattr(batches, "_LONG", 0.0)
    monkeypatch.setattr(all_pairs, "BATCH_BYTES", 10**6)
    monkeypatch.setattr(questions, "few_pairs", lambda: np.inf)
    quiet = linking.nearest(WeightedMean(), np.ones(2), original, masked)
    assert capsys.readouterr().out == ""
    loud = linking.nearest(WeightedMean(), np.ones(2), original, masked, verbose=1)
    np.testing.assert_array_equal(loud, quiet)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("linking 300 records by all pairs, about ")
    assert printed[-1] == "linked 300 of 300 records, 0 s left"
