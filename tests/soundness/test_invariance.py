"""What changes no distance changes no proven answer: order of rows and columns, shifts, scales.

Files of these tests may be larger than an oracle can enumerate. Two fits of the same problem prove
two intervals, from ``n_linked_`` to ``bound_``, and the optimum is in both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.soundness.claims import LINKERS, Case, examine
from tests.soundness.generators import (
    column_ratios,
    decimals,
    hard_floats,
    huge_value,
    kept_totals,
    near_collinear,
    small_integers,
)

COLUMN_WISE = ("weighted mean", "positive", "free", "nonnegative", "psd", "projected")
FILES = (small_integers, hard_floats, decimals, huge_value, column_ratios, kept_totals)


def rows_in_another_order(case: Case, rng: np.random.Generator) -> Case:
    order = rng.permutation(len(case.X))
    return replace(case, X=case.X[order], Y=case.Y[order])


def columns_in_another_order(case: Case, rng: np.random.Generator) -> Case:
    order = rng.permutation(case.X.shape[1])
    return replace(case, X=case.X[:, order], Y=case.Y[:, order])


def shifted(case: Case, rng: np.random.Generator) -> Case:
    """By whole numbers, where the sums are exact."""
    shift = rng.integers(-100, 100, case.X.shape[1])
    X, Y = case.X + shift, case.Y + shift
    exact = np.array_equal(X - shift, case.X) and np.array_equal(Y - shift, case.Y)
    differences = (case.X[:, None] - case.Y == X[:, None] - Y).all()
    return replace(case, X=X, Y=Y) if exact and differences else case


def scaled(case: Case, rng: np.random.Generator) -> Case:
    """By powers of two, column by column where the family learns weights of columns."""
    n = case.X.shape[1] if case.family in COLUMN_WISE else 1
    scale = 2.0 ** rng.integers(-40, 41, n)
    return replace(case, X=case.X * scale, Y=case.Y * scale)


CHANGES: tuple[Callable[[Case, np.random.Generator], Case], ...] = (
    rows_in_another_order,
    columns_in_another_order,
    shifted,
    scaled,
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("family", LINKERS)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_proofs_of_one_problem_agree(change, family):
    first = (CHANGES.index(change) + list(LINKERS).index(family)) % 3
    for seed, generator in list(enumerate(FILES))[first::3]:
        rng = np.random.default_rng([seed, len(family)])
        n = int(rng.integers(2, 5 if "additive" in family or family in COLUMN_WISE else 4))
        case = Case(family, *generator(rng, 10, n), {"standardize": None, "time_limit": 0.3})
        if not np.ptp(case.X, axis=0).any() or not np.ptp(case.Y, axis=0).any():
            continue
        one, other = case.fit(), change(case, rng).fit()
        assert max(one.n_linked_, other.n_linked_) <= min(one.bound_, other.bound_)
        if one.status_ == other.status_ == "optimal":
            assert one.n_linked_ == other.n_linked_


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("family", LINKERS)
def test_no_claim_of_two_records_is_wrong(family):
    for seed, generator in enumerate((small_integers, hard_floats, near_collinear)):
        case = Case(family, *generator(np.random.default_rng(seed), 2, 2))
        assert not examine(case).wrong


@pytest.mark.parametrize("family", ["weighted mean", "free", "nonnegative", "psd"])
@pytest.mark.parametrize("n", [1, 5, 8, 9, 14])
def test_a_variable_that_nobody_changed_links_everyone_among_any_number(family, n):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 50, (10, n)).astype(float)
    X[:, 0] = rng.permutation(10)
    Y = rng.permuted(X, axis=0)
    Y[:, 0] = X[:, 0]
    linker = Case(family, X, Y, {"standardize": None, "time_limit": 5.0}).fit()
    assert (linker.n_linked_, linker.bound_, linker.status_) == (10, 10, "optimal")
