"""A capacity stays a capacity at every step, and no count is below that of the start."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.families import Choquet
from sklearn_reclink.solvers.hlms import impostors as hlms_impostors
from sklearn_reclink.solvers.hlms import kernel as hlms_kernel
from sklearn_reclink.solvers.hlms import learner as hlms
from sklearn_reclink.solvers.hlms.refinement import refine
from tests.problems import problem_of

SEEDS = st.integers(0, 2**32 - 1)


def random_pair(seed, n_records=40, n_features=3):
    """A heavy-tailed file, its version with noise of very different size, and some ties."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, size=(n_records, n_features))
    Y = X + rng.normal(size=X.shape) * 10.0 ** rng.uniform(-3, 0, n_features)
    Y[1::5] = Y[::5][: len(Y[1::5])]
    return X, Y


def random_capacity(rng, n_features):
    values = rng.choice([0.0, 1.0, 0.3, 0.5], size=2**n_features) * rng.random(2**n_features)
    capacity = np.append(0.0, Choquet(n_features).repair(values[1:]))
    capacity[-1] = 1.0
    return capacity


def is_capacity(values):
    """Exactly: 0 for nothing, 1 for all, and never falling as a subset grows."""
    subsets = np.arange(len(values))
    n_features = len(values).bit_length() - 1
    grows = all(np.all(values[subsets | 1 << k] >= values) for k in range(n_features))
    return grows and values[0] == 0 and values[-1] == 1


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_features=st.integers(1, 5))
def test_repair_moves_as_far_as_neighbours_allow_and_never_past_them(seed, n_features):
    rng = np.random.default_rng(seed)
    capacity = random_capacity(rng, n_features)
    wanted = capacity + rng.normal(scale=0.3, size=len(capacity))
    by_size = np.argsort(subset_sizes(n_features), kind="stable")
    moved = capacity.copy()
    hlms_kernel.move(moved, wanted, by_size)
    assert is_capacity(moved)
    between = np.minimum(capacity, wanted) <= moved
    assert np.all(between & (moved <= np.maximum(capacity, wanted)))
    admissible = random_capacity(rng, n_features)  # nothing stops a move to another capacity
    hlms_kernel.move(moved, admissible, by_size)
    np.testing.assert_array_equal(moved, admissible)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, n_features=st.integers(1, 4), floor=st.sampled_from([1e-4, 1.0]))
def test_capacity_stays_a_capacity_after_every_epoch(seed, n_features, floor):
    files = hlms_impostors.Files(*random_pair(seed, n_features=n_features), None)
    start = hlms.equilibrium(n_features)
    rng = np.random.default_rng(seed)
    step = partial(files.stepped, floor=floor)
    epochs = list(hlms.epochs(start, step, len(files.original), rng, 0.5, 4, np.inf))
    assert len(epochs) == 4
    assert all(is_capacity(capacity) for capacity in epochs)
    refined, finished = refine(files, epochs[-1], rng, 40, np.inf)
    assert finished and is_capacity(refined)
    assert files.count(refined) >= files.count(epochs[-1])


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, n_features=st.integers(1, 4))
def test_never_below_the_start_and_counted_as_the_problem_counts(seed, n_features):
    X, Y = random_pair(seed, n_features=n_features)
    learned = hlms.learn(X, Y, rng=np.random.default_rng(seed), max_iter=3, n_lines=50)
    problem = problem_of(Choquet, X, Y)
    assert is_capacity(learned.capacity)
    assert problem.index.linked(problem.family, learned.capacity[1:]).sum() == learned.n_linked
    start = problem.index.linked(problem.family, problem.family.centre)
    assert start.sum() == learned.history[0]
    assert learned.n_linked >= learned.history.max()


def test_step_increases_the_distance_of_impostors():
    X, Y = random_pair(0)
    files = hlms_impostors.Files(X, Y, None)
    before = hlms.equilibrium(3)
    for record in range(len(X)):
        impostors = files.impostors(before, np.array([record]), 12)
        after = before.copy()
        hlms_kernel.step_through_block(
            after, X, Y, np.array([record]), impostors, files.dominated, 0.01, 1e-4, files.by_size
        )
        if np.array_equal(after, before):
            continue
        near = impostors[0][impostors[0] >= 0]
        problem = problem_of(Choquet, X, Y)
        rows, _ = problem.index.rows(problem.family, np.full(len(near), record), near)
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        assert np.sum(units @ (after - before)[1:]) > 0


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, n_features=st.integers(1, 4))
def test_no_capacity_links_a_dominated_record(seed, n_features):
    X, Y = random_pair(seed, n_features=n_features)
    dominated = hlms_impostors.Files(X, Y).dominated
    assert dominated[1::5].all()  # duplicates
    problem = problem_of(Choquet, X, Y)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        capacity = random_capacity(rng, n_features)
        linked = problem.index.linked(problem.family, capacity[1:])
        assert not linked[dominated].any()


def test_blocks_and_samples_of_a_larger_file():
    X, Y = random_pair(3, n_records=300)
    rng = np.random.default_rng
    options = {"max_iter": 2, "n_lines": 60}
    expected = hlms.learn(X, Y, rng=rng(0), **options)
    for n_jobs in (1, 2):
        again = hlms.learn(X, Y, rng=rng(0), n_jobs=n_jobs, batch=7, **options)
        np.testing.assert_array_equal(again.capacity, expected.capacity)
    sampled = hlms.learn(X, Y, rng=rng(0), n_sample=100, **options)
    assert sampled.n_linked >= sampled.history.max()


def test_no_time_leaves_the_start():
    X, Y = random_pair(0)
    learned = hlms.learn(X, Y, rng=np.random.default_rng(0), time_limit=0.0)
    assert not learned.complete
    assert len(learned.history) == 1
    assert learned.n_linked >= learned.history[0]


def test_a_start_that_links_all_but_the_dominated_records_is_complete():
    X, Y = random_pair(4)
    learned = hlms.learn(X, Y, rng=np.random.default_rng(0), time_limit=0.0)
    assert learned.n_linked == len(X) - hlms_impostors.Files(X, Y).dominated.sum()
    assert learned.complete


@pytest.mark.parametrize("n_features", [1, 2, 4])
def test_columns_are_put_back(n_features):
    rng = np.random.default_rng(n_features)
    capacity = random_capacity(rng, n_features)
    columns = rng.permutation(n_features)
    restored = hlms._with_columns(capacity, columns)
    for subset in range(2**n_features):
        members = [columns[p] for p in range(n_features) if subset >> p & 1]
        assert restored[sum(1 << int(k) for k in members)] == capacity[subset]
