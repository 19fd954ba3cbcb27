"""Linking against a double loop in exact integer arithmetic, on data full of ties."""

import numpy as np
import pytest

from sklearn_reclink import search as linking
from sklearn_reclink.families import Bilinear, WeightedMean
from sklearn_reclink.search import all_pairs

INDEFINITE = np.array([[1, -2, 0], [-2, 1, 1], [0, 1, 3]])
FAMILIES = {
    "equal weights": (WeightedMean(), np.ones(3)),
    "a weight of zero": (WeightedMean(), np.array([2.0, 0.0, 1.0])),
    "indefinite matrix": (Bilinear(), Bilinear().pack(INDEFINITE)),
}


def integer_files(seed, n_records=40, n_masked=40, largest=4):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, largest, (n_records, 3)),
        rng.integers(0, largest, (n_masked, 3)),
    )


def integer_distances(distance, theta, original, masked):
    matrix = np.diag(theta) if isinstance(distance, WeightedMean) else distance.unpack(theta, 3)
    entries = [[int(entry) for entry in row] for row in matrix]

    def form(a, b):
        diff = [int(x) - int(y) for x, y in zip(a, b, strict=True)]
        return sum(entries[k][m] * diff[k] * diff[m] for k in range(3) for m in range(3))

    return [[form(a, b) for b in masked] for a in original]


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    return FAMILIES[request.param]


@pytest.mark.parametrize("seed", range(3))
def test_link_equals_double_loop(family, seed):
    distance, theta = family
    original, masked = integer_files(seed)
    table = integer_distances(distance, theta, original, masked)
    found = linking.link(distance, theta, original.astype(float), masked.astype(float))
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


def test_linked_mask_and_nearest_agree_with_link(family):
    distance, theta = family
    original, masked = (file.astype(float) for file in integer_files(5))
    found = linking.link(distance, theta, original, masked)
    np.testing.assert_array_equal(
        linking.linked_mask(distance, theta, original, masked), found.reidentified
    )
    np.testing.assert_array_equal(linking.nearest(distance, theta, original, masked), found.links)


@pytest.mark.parametrize("n_neighbors", [1, 4, 25])
def test_k_nearest_ranks_by_distance_then_row(family, n_neighbors):
    distance, theta = family
    original, masked = integer_files(2, n_masked=25)
    table = integer_distances(distance, theta, original, masked)
    values, rows = linking.k_nearest(
        distance, theta, original.astype(float), masked.astype(float), n_neighbors
    )
    for i, row in enumerate(table):
        expected = sorted(range(25), key=lambda j, row=row: (row[j], j))[:n_neighbors]
        np.testing.assert_array_equal(rows[i], expected)
        np.testing.assert_array_equal(values[i], [row[j] for j in expected])


@pytest.mark.parametrize("chunk_bytes", [1, 5000, 2**25])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_answers_do_not_depend_on_chunks_or_workers(monkeypatch, family, chunk_bytes, n_jobs):
    distance, theta = family
    rng = np.random.default_rng(0)
    original, masked = rng.normal(size=(2, 60, 3)).round(1)
    theta = theta * np.pi
    expected = linking.link(distance, theta, original, masked)
    ranked = linking.k_nearest(distance, theta, original, masked, 3)
    monkeypatch.setattr(all_pairs, "BATCH_BYTES", chunk_bytes)
    found = linking.link(distance, theta, original, masked, n_jobs=n_jobs)
    for field, value in vars(expected).items():
        np.testing.assert_array_equal(getattr(found, field), value)
    again = linking.k_nearest(distance, theta, original, masked, 3, n_jobs=n_jobs)
    np.testing.assert_array_equal(ranked, again)


def test_distances_equal_to_rounding_are_tied():
    original = np.array([[0.0], [9.0]])
    masked = np.array([[0.1 + 0.2], [0.3]])  # not the same float
    found = linking.link(WeightedMean(), np.ones(1), original, masked)
    assert not found.reidentified.any()
    np.testing.assert_array_equal(found.n_tied, [2, 2])
    np.testing.assert_array_equal(found.links, [0, 0])
    assert found.expected_rate == 0.5


def test_a_pool_of_one_record_is_always_linked():
    found = linking.link(WeightedMean(), np.ones(1), np.zeros((1, 1)), np.ones((1, 1)))
    assert found.rate == found.expected_rate == 1.0
    assert found.runner_up[0] == np.inf


def test_memory_stays_far_below_all_pairs():
    import tracemalloc

    rng = np.random.default_rng(0)
    original, masked = rng.normal(size=(2, 4000, 2))
    tracemalloc.start()
    linking.linked_mask(WeightedMean(), np.ones(2), original, masked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * all_pairs.BATCH_BYTES < 4000**2 * 8
