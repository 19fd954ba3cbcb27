"""Tree and brute force give the same answers, on data full of exact ties."""

import numpy as np
import pytest
from joblib import parallel_config

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.search import DistancePairs, Index, batches
from tests.problems import (
    DISTANCES,
    IN_PROCESSES,
    SmallBatches,
    answers,
    assert_same,
    random_distance,
    tied_files,
)


@pytest.mark.parametrize("name", DISTANCES)
def test_tree_equals_brute_force(name):
    for seed in range(200):
        rng = np.random.default_rng(seed)
        distance = random_distance(rng, name)
        n_records = int(rng.integers(4, 60))
        n_masked = n_records if rng.random() < 0.7 else int(rng.integers(4, 60))
        files = tied_files(rng, n_records, n_masked)
        ranked = seed % 3 == 0
        expected = answers(
            Index(*files, dense_pairs=n_records * n_masked), *distance, ranked=ranked
        )
        index = SmallBatches(
            *files,
            dense_pairs=0,
            batch=int(rng.choice([1, 7, 30, 10_000], p=[0.1, 0.3, 0.3, 0.3])),
            listed=int(rng.choice([1, 40, 2**22], p=[0.2, 0.4, 0.4])),
            n_jobs=2 if seed % 10 == 0 else 1,
        )
        assert_same(answers(index, *distance, ranked=ranked), expected)


@pytest.mark.parametrize("name", DISTANCES)
def test_every_monotone_family_has_a_tree(name):
    rng = np.random.default_rng(1)
    family, theta = random_distance(rng, name)
    assert family.formula(theta).weights.any() == (name != "indefinite")
    search = Index(*tied_files(rng, 5, 5), dense_pairs=0).search(family, theta)
    assert search.name == ("all pairs" if name == "indefinite" else "a tree")


@pytest.mark.parametrize("name", IN_PROCESSES)
def test_processes_give_the_same_answers(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        distance = random_distance(rng, name)
        files = tied_files(rng, 90, 90)
        expected = answers(Index(*files), *distance)
        with parallel_config(backend="loky", n_jobs=2):
            index = SmallBatches(*files, dense_pairs=0, batch=30)
            assert_same(answers(index, *distance), expected)


def test_progress_is_printed_on_long_work(capsys, monkeypatch):
    monkeypatch.setattr(batches, "_LONG", 0.0)
    rng = np.random.default_rng(0)
    search = DistancePairs(WeightedMean(2), np.ones(2), *rng.normal(size=(2, 300, 2)))
    search.batch_bytes = 10**6
    (quiet,) = search.ask("nearest")
    assert capsys.readouterr().out == ""
    (loud,) = search.ask("nearest", verbose=1)
    np.testing.assert_array_equal(loud, quiet)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("linking 300 records by all pairs, about ")
    assert printed[-1] == "linked 300 of 300 records, 0 s left"


def test_an_index_tells_of_long_work_alone(capsys):
    index = SmallBatches(*np.random.default_rng(0).normal(size=(2, 300, 2)), verbose=1)
    assert index.search(WeightedMean(2), np.ones(2)).batch_size < 300
    index.nearest(WeightedMean(2), np.ones(2))
    assert capsys.readouterr().out == ""
