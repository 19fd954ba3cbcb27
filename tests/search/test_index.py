"""Linking against a double loop in exact integer arithmetic, on data full of ties."""

import tracemalloc

import numpy as np
import pytest

from sklearn_reclink.families import OWA, Bilinear, Choquet, WeightedMean
from sklearn_reclink.search import Index
from sklearn_reclink.search.index import BATCH_BYTES
from sklearn_reclink.search.ties import TIE_TOLERANCE, strictly_nearer
from sklearn_reclink.search.tree_search import dominated
from tests.problems import MONOTONE, SmallBatches, as_floats, tied_files

INDEFINITE = np.array([[1, -2, 0], [-2, 1, 1], [0, 1, 3]])
DISTANCES = {
    "equal weights": (WeightedMean(3), np.ones(3)),
    "a weight of zero": (WeightedMean(3), np.array([2.0, 0.0, 1.0])),
    "indefinite matrix": (Bilinear(3), Bilinear(3).pack(INDEFINITE)),
}
by_either = pytest.mark.parametrize("dense_pairs", [0, 4_000_000], ids=["a tree", "all pairs"])


def integer_pair(seed, n_records=40, n_masked=40, largest=4):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, largest, (n_records, 3)),
        rng.integers(0, largest, (n_masked, 3)),
    )


def integer_distances(family, theta, original, masked):
    matrix = np.diag(theta) if isinstance(family, WeightedMean) else family.unpack(theta)
    entries = [[int(entry) for entry in row] for row in matrix]

    def form(a, b):
        diff = [int(x) - int(y) for x, y in zip(a, b, strict=True)]
        return sum(entries[k][m] * diff[k] * diff[m] for k in range(3) for m in range(3))

    return [[form(a, b) for b in masked] for a in original]


@pytest.fixture(params=DISTANCES, ids=str)
def distance(request):
    return DISTANCES[request.param]


@by_either
@pytest.mark.parametrize("seed", range(3))
def test_link_equals_double_loop(distance, seed, dense_pairs):
    original, masked = integer_pair(seed)
    table = integer_distances(*distance, original, masked)
    found = Index(original, masked, dense_pairs=dense_pairs).link(*distance)
    for i, row in enumerate(table):
        others = [d for j, d in enumerate(row) if j != i]
        assert found.links[i] == row.index(min(row))
        assert found.distance[i] == min(row)
        assert found.own_distance[i] == row[i]
        assert found.runner_up[i] == min(others)
        assert found.n_tied[i] == row.count(min(row))
        assert found.reidentified[i] == (row[i] < min(others))
    expected = [(row[i] == min(row)) / row.count(min(row)) for i, row in enumerate(table)]
    assert found.expected_rate == pytest.approx(np.mean(expected))
    assert found.rate == np.mean(found.reidentified) <= found.expected_rate
    assert max(found.n_tied) > 1


def test_linked_and_nearest_agree_with_link(distance):
    index = Index(*integer_pair(5))
    found = index.link(*distance)
    np.testing.assert_array_equal(index.linked(*distance), found.reidentified)
    np.testing.assert_array_equal(index.nearest(*distance), found.links)
    some = np.array([30, 2, 17])
    np.testing.assert_array_equal(index.linked(*distance, some), found.reidentified[some])


@by_either
@pytest.mark.parametrize("n_neighbors", [1, 4, 25])
def test_k_nearest_ranks_by_distance_then_row(distance, n_neighbors, dense_pairs):
    original, masked = integer_pair(2, n_masked=25)
    table = integer_distances(*distance, original, masked)
    values, rows = Index(original, masked, dense_pairs=dense_pairs).k_nearest(
        *distance, n_neighbors
    )
    for i, row in enumerate(table):
        expected = sorted(range(25), key=lambda j, row=row: (row[j], j))[:n_neighbors]
        np.testing.assert_array_equal(rows[i], expected)
        np.testing.assert_array_equal(values[i], [row[j] for j in expected])


@pytest.mark.parametrize("batch_bytes", [1, 50_000, 2**25])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_answers_do_not_depend_on_batches_or_workers(distance, batch_bytes, n_jobs):
    family, theta = distance
    rng = np.random.default_rng(0)
    files = rng.normal(size=(2, 60, 3)).round(1)
    theta = theta * np.pi
    whole = Index(*files)
    batched = SmallBatches(*files, batch_bytes=batch_bytes, n_jobs=n_jobs)
    assert batched.search(family, theta).batch_size == {1: 1, 50_000: 11, 2**25: 7767}[batch_bytes]
    expected = whole.link(family, theta)
    found = batched.link(family, theta)
    for field, value in vars(expected).items():
        np.testing.assert_array_equal(getattr(found, field), value)
    ranked = whole.k_nearest(family, theta, 3)
    np.testing.assert_array_equal(ranked, batched.k_nearest(family, theta, 3))


def test_distances_equal_to_rounding_are_tied():
    masked = np.array([[0.1 + 0.2], [0.3]])  # not the same float
    found = Index(np.array([[0.0], [9.0]]), masked).link(WeightedMean(1), np.ones(1))
    assert not found.reidentified.any()
    np.testing.assert_array_equal(found.n_tied, [2, 2])
    np.testing.assert_array_equal(found.links, [0, 0])
    assert found.expected_rate == 0.5


@by_either
def test_a_pool_of_one_record_is_always_linked(dense_pairs):
    index = Index(np.zeros((1, 1)), np.ones((1, 1)), dense_pairs=dense_pairs)
    found = index.link(WeightedMean(1), np.ones(1))
    assert found.rate == found.expected_rate == 1.0
    assert found.runner_up[0] == np.inf
    assert index.ceiling == 1


def test_memory_stays_far_below_all_pairs():
    rng = np.random.default_rng(0)
    index = Index(*rng.normal(size=(2, 4000, 2)), dense_pairs=4000**2)
    tracemalloc.start()
    index.linked(WeightedMean(2), np.ones(2))
    _ = index.dominated
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * BATCH_BYTES < 4000**2 * 8


def dominated_by_brute_force(original, masked):
    own = (original - masked[: len(original)]) ** 2
    table = (original[:, None] - masked) ** 2 - own[:, None]
    allowed = 0.5 * TIE_TOLERANCE * ((original[:, None] - masked) ** 2 + own[:, None])
    near = (table <= allowed).all(axis=2)
    near[np.arange(len(original)), np.arange(len(original))] = False
    return near.any(axis=1)


def test_dominated_records_by_all_pairs_by_a_tree_and_by_brute_force():
    kinds = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n_records = int(rng.integers(1, 60))
        original, masked = tied_files(rng, n_records, n_records + int(rng.choice([0, 3, 40])))
        if seed % 2:  # near, as a masked file is
            masked[:n_records] = original + rng.normal(scale=0.2, size=original.shape).round(1)
        expected = dominated_by_brute_force(original, masked)
        kinds |= set(expected)
        index = Index(original, masked)
        tree = Index(original, masked, dense_pairs=0, n_jobs=2 if seed % 10 == 0 else None)
        np.testing.assert_array_equal(index.dominated, expected)
        np.testing.assert_array_equal(tree.dominated, expected)
        chunk = int(rng.integers(1, 20))
        np.testing.assert_array_equal(dominated(tree, chunk=chunk), expected)
        assert index.ceiling == tree.ceiling == n_records - expected.sum()
    assert kinds == {True, False}


@pytest.mark.parametrize("name", MONOTONE)
def test_impostors_of_parameters_a_hair_outside_the_cone(name):
    family = MONOTONE[name](3)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        original, masked = as_floats(*integer_pair(seed, 30, 40, largest=9))
        if seed % 2:
            original, masked = original + 0.1 * rng.normal(size=original.shape), masked / 7
        border = np.stack(
            [family.repair(rng.integers(-2, 3, family.n_parameters) / 4) for _ in range(6)]
        )
        theta = border - 1e-15 * np.abs(rng.normal(size=border.shape))
        theta[0] = family.centre
        records = rng.permutation(30)[:20]
        tree = Index(original, masked, dense_pairs=0)
        impostors, margins = tree.nearest_impostors(family, theta, records)
        assert impostors.shape == margins.shape == (6, 20)
        assert np.all(impostors != records)
        _, quick = Index(original, masked).nearest_impostors(family, border, records)
        for t, repaired in enumerate(map(family.repair, theta)):
            values, magnitudes = family.evaluate(repaired, original[records, None] - masked)
            here = np.arange(20)
            own, own_magnitude = values[here, records], magnitudes[here, records]
            other, magnitude = values[here, impostors[t]], magnitudes[here, impostors[t]]
            values[here, records] = np.inf
            np.testing.assert_array_equal(other, values.min(axis=1))
            nearer = strictly_nearer(own, own_magnitude, other, magnitude)
            np.testing.assert_array_equal(margins[t] > 0, nearer)
            np.testing.assert_array_equal(nearer, tree.linked(family, repaired, records))
            np.testing.assert_allclose(margins[t], other - own, atol=1e-9)
            if t:
                np.testing.assert_allclose(margins[t], quick[t], atol=1e-9)


def test_trees_are_planted_once_and_shared():
    rng = np.random.default_rng(0)
    index = Index(*rng.normal(size=(2, 50, 3)), dense_pairs=0)
    weights = np.array([0.5, 0.3, 0.2])
    index.linked(WeightedMean(3), weights)
    (planted,) = index.trees.values()
    index.linked(WeightedMean(3), weights * [1.02, 0.98, 1.01])
    assert len(index.trees) == 1
    assert index.search(WeightedMean(3), 7 * weights).tree is planted
    shared = [index.search(of(3), of(3).centre).tree for of in (OWA, Choquet, WeightedMean)]
    assert all(tree is shared[0] for tree in shared)
    assert len(index.trees) == 2
    _ = index.dominated
    index.nearest_impostors(WeightedMean(3), weights[None], np.arange(50))
    assert len(index.trees) == 2 and any(tree is shared[0] for tree in index.trees.values())


def test_few_trees_are_kept_and_every_one_answers_alike():
    rng = np.random.default_rng(1)
    files = rng.integers(0, 5, (2, 60, 4))
    few, dense = Index(*files, dense_pairs=0), Index(*files)
    for _ in range(40):
        weights = 10.0 ** rng.integers(-3, 3, 4) * rng.integers(0, 2, 4)
        family = WeightedMean(4)
        np.testing.assert_array_equal(few.linked(family, weights), dense.linked(family, weights))
        assert len(few.trees) <= 2
