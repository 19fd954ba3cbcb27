"""The oracle against exact arithmetic: every *no* is true, every *yes* links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink.families import OWA, Bilinear, Choquet, WeightedMean
from sklearn_reclink.families.cones import MonotoneCapacities, Orthant, SymmetricMatrices
from sklearn_reclink.solvers.feasibility import Oracle
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import LinkageProblem, linkage_problem
from tests.exact_arithmetic import best_subset

FAMILIES = {
    "weighted mean": (WeightedMean(), Orthant),
    "owa": (OWA(), Orthant),
    "choquet": (Choquet(), MonotoneCapacities),
    "bilinear": (Bilinear(), SymmetricMatrices),
}
every_family = pytest.mark.parametrize("family", FAMILIES)


@st.composite
def integer_files(draw):
    n_records, n_features = draw(st.integers(3, 6)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    original = rng.integers(0, 8, (n_records, n_features))
    return original, original + rng.integers(-2, 3, original.shape)


def small_problem(family: str, files) -> LinkageProblem:
    distance, domain = FAMILIES[family]
    original, masked = (file.astype(float) for file in files)
    return linkage_problem(original, masked, distance, domain(original.shape[1]))


def can_be_linked(problem: LinkageProblem, records) -> bool:
    """In exact arithmetic, over all rows of the records."""
    rows = []
    for i in records:
        impostors = np.array([j for j in range(problem.n_records) if j != i])
        rows.append(problem.rows(np.full(len(impostors), i), impostors)[0].astype(int).tolist())
    domain = np.sign(problem.domain.rows).astype(int).tolist()
    return len(best_subset(rows, domain)) == len(rows)


@every_family
@settings(max_examples=30, deadline=None)
@given(files=integer_files())
def test_answers_agree_with_exact_arithmetic(family, files):
    problem = small_problem(family, files)
    left = presolve(problem)
    oracle = Oracle(problem, left)
    for size in range(1, len(left.open) + 1):
        for records in combinations(left.open.tolist(), size):
            answer = oracle.ask(np.array(records))
            assert (answer.theta is None) != (answer.conflict is None)  # small integers: decided
            if answer.theta is not None:
                assert can_be_linked(problem, records)
                # zero: no row was needed, the centre links them
                theta = answer.theta if answer.theta.any() else problem.domain.centre
                assert problem.linked(problem.domain.repair(theta))[list(records)].all()
            else:
                assert set(answer.conflict.tolist()) <= set(records)
                assert not can_be_linked(problem, answer.conflict.tolist())


@every_family
@settings(max_examples=40, deadline=None)
@given(files=integer_files())
def test_minimised_conflict_is_a_conflict_and_can_spare_nobody(family, files):
    problem = small_problem(family, files)
    left = presolve(problem)
    oracle = Oracle(problem, left)
    answer = oracle.ask(left.open)
    if answer.conflict is None:
        return
    minimal = oracle.minimise(answer.conflict).tolist()
    assert set(minimal) <= set(answer.conflict.tolist())
    assert not can_be_linked(problem, minimal)
    if problem.monotone:  # rows that were not grown yet may shorten a conflict further
        for record in minimal:
            assert can_be_linked(problem, [i for i in minimal if i != record])


def three_records() -> Oracle:
    """Records 0 and 1 want opposite weights; record 2 wants nothing in particular.

    Rows against each impostor: record 0 is linked iff w_0 > w_1, record 1 iff w_1 > w_0.
    """
    original = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 300.0], [0.0, 900.0], [50.0, 900.0]])
    masked = np.array([[1.0, 2.0], [102.0, 1.0], [1.0, 301.0], [2.0, 1.0], [101.0, 2.0]])
    problem = linkage_problem(original, masked, WeightedMean(), Orthant(2))
    return Oracle(problem, presolve(problem))


def test_hand_made_conflict_of_two():
    oracle = three_records()
    assert oracle.ask(np.array([0])).theta is not None
    assert oracle.ask(np.array([1])).theta is not None
    assert oracle.ask(np.array([0, 1])).conflict.tolist() == [0, 1]
    assert oracle.minimise(np.array([0, 1])).tolist() == [0, 1]


def test_nobody_wanted_is_no_conflict():
    oracle = three_records()
    assert oracle.ask(np.empty(0, dtype=np.int64)).conflict is None


def test_pairs_are_held_once():
    oracle = three_records()
    oracle.ask(np.array([0, 1]))
    store = oracle.store
    before = len(store.rows)
    known = np.flatnonzero(store.owners == 0)
    assert len(known)
    assert store.add_pairs(np.array([0, 0]), np.array([3, 3])) <= 1
    assert store.add_pairs(np.array([0]), np.array([3])) == 0
    assert len(store.rows) <= before + 1
    lengths = np.linalg.norm(store.rows, axis=1)
    np.testing.assert_allclose(lengths, 1)


def test_combination_above_what_ties_allow_proves_nothing():
    oracle = three_records()
    oracle.ask(np.array([0, 1]))
    store = oracle.store
    rows = np.flatnonzero(store.owners >= 0)[:1]
    assert store.conflict_of(rows, np.ones(1)) is None


def test_impostor_at_the_opposite_difference_ties_for_every_matrix():
    # a_0 - b_0 = (-2, 1) and a_0 - b_2 = (2, -1): the row is zero, quick distances round it to more
    original = np.array([[0, 4], [4, 1], [0, 4], [0, 2], [1, 3]])
    masked = np.array([[2, 3], [6, 2], [-2, 5], [-1, 1], [0, 2]])
    problem = small_problem("bilinear", (original, masked))
    assert Oracle(problem, presolve(problem)).ask(np.array([0])).conflict.tolist() == [0]
