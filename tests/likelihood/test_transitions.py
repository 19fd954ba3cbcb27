"""Transition frequencies of categories, missing as one of them."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink.likelihood.transitions import MISSING, learn_transitions


def changed(n_pairs=2000, n_levels=4, seed=0):
    """Categories of which one in five is drawn anew; one in ten is lost, of level 0 one half."""
    rng = np.random.default_rng(seed)
    a = rng.choice(n_levels, size=n_pairs, p=np.arange(1, n_levels + 1) / 10)
    b = np.where(rng.random(n_pairs) < 0.2, rng.integers(n_levels, size=n_pairs), a)
    b[rng.random(n_pairs) < np.where(a == 0, 0.5, 0.1)] = MISSING
    return a, b


def test_ratios_are_those_of_the_masking():
    a, b = changed()
    found, _ = learn_transitions(a, b)
    states = np.array([0, 1, 2, 3, MISSING])
    shares = np.array([np.mean(b == state) for state in states])
    lost = np.array([0.5, 0.1, 0.1, 0.1])
    truth = np.column_stack([(1 - lost[:, None]) * (0.8 * np.eye(4) + 0.05), lost])
    estimate = np.exp(found.table(np.arange(4), states)) * shares
    np.testing.assert_allclose(estimate, truth, atol=0.06)


def test_probabilities_of_a_row_sum_to_one():
    a, b = changed(n_pairs=300)
    a[:20] = MISSING
    found, _ = learn_transitions(a, b)
    states = np.array([0, 1, 2, 3, MISSING])
    missing = (np.count_nonzero(b == MISSING) + 0.5) / 301
    present = np.array([np.count_nonzero(b == state) for state in range(4)])
    shares = np.append((1 - missing) * present / present.sum(), missing)
    sums = (np.exp(found.table(states, states)) * shares).sum(axis=1)
    np.testing.assert_allclose(sums, 1.0)


def test_a_pair_left_out_is_judged_by_the_others():
    a, b = changed(n_pairs=400)
    _, left_out = learn_transitions(a, b)
    apart = []
    for i in range(0, 400, 10):
        others = np.delete(np.arange(400), i)
        found, _ = learn_transitions(a[others], b[others])
        apart.append(left_out[i] - found.table(a[[i]], b[[i]])[0, 0])
    # the strength of the pooled model may be another one without the pair
    assert np.quantile(np.abs(apart), 0.9) < 0.05


def test_a_variable_that_tells_nothing_has_ratio_one():
    rng = np.random.default_rng(0)
    states = np.array([0, 1, 2, MISSING])
    a, b = rng.choice(states, size=(2, 3000))
    assert np.abs(learn_transitions(a, b)[0].table(states, states)).max() < 0.15
    present, lost = np.zeros(200, dtype=int), np.repeat([0, MISSING], 100)
    table = learn_transitions(present, lost)[0].table(np.array([0]), np.array([0, MISSING]))
    np.testing.assert_allclose(table, 0.0, atol=1e-12)  # everyone was present


def test_suppression_tells_who_was_suppressed():
    a = np.repeat([0, 1, 2, 3], [300, 300, 5, 5])
    b = np.where(a >= 2, MISSING, a)
    table = learn_transitions(a, b)[0].table(np.array([0, 2, 3]), np.array([0, MISSING]))
    assert (table[1:, 1] > 3).all() and table[0, 1] < -3
    assert (table[1:, 0] < -1.5).all()


def test_categories_never_seen_have_the_pooled_model():
    a, b = changed(n_pairs=500)
    found, _ = learn_transitions(a, b)
    table = found.table(np.array([7, 8]), np.array([7, 8, 0, 1, MISSING]))
    assert table[0, 0] == table[1, 1] > 3  # kept
    assert table[0, 1] == table[1, 0] == table[0, 2] == table[0, 3] < -1
    assert table[0, 4] == table[1, 4]
    assert (found.table(np.array([1]), np.array([7, 9]))[0] < -1).all()


def test_rare_rows_are_shrunk_and_frequent_ones_are_not():
    rng = np.random.default_rng(0)
    a = np.repeat(np.arange(30), np.r_[[200], np.full(29, 2)])
    b = np.where(rng.random(len(a)) < 0.1, rng.integers(30, size=len(a)), a)
    b[200:202] = 5  # both of level 1 were changed
    table = learn_transitions(a, b)[0].table(np.arange(3), np.arange(3))
    assert table[1, 1] > 1  # one in thirty is not a rule
    assert np.exp(table[0, 0]) == pytest.approx(1 / 0.75, rel=0.1)


def test_a_table_does_not_depend_on_what_else_is_asked():
    a, b = changed(n_pairs=200)
    a[::17] = MISSING
    found, _ = learn_transitions(a, b)
    states = np.array([MISSING, 0, 1, 2, 3, 4, 9])
    whole = found.table(states, states)
    for i, of_original in enumerate(states):
        for j, of_masked in enumerate(states):
            alone = found.table(np.array([of_original]), np.array([of_masked]))
            assert alone[0, 0] == whole[i, j]
    assert np.isfinite(whole).all()


@pytest.mark.parametrize("lost", [False, True])
def test_one_pair_is_enough(lost):
    a, b = np.array([0, 1]), np.full(2, MISSING) if lost else np.array([0, 1])
    found, left_out = learn_transitions(a, b)
    assert np.isfinite(left_out).all()
    assert np.isfinite(found.table(np.array([0, 5, MISSING]), np.array([0, 1, 5, MISSING]))).all()
