"""A bounded share of the campaign of `benchmarks/soundness.py`, and the oracle itself."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from sklearn_reclink.families import (
    Bilinear,
    Family,
    NonnegativeBilinear,
    SubmodularChoquet,
    WeightedMean,
)
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.exact import solve, solve_exact
from sklearn_reclink.solvers.problem import Problem
from tests.exact_arithmetic import (
    best_psd_subset,
    best_subset,
    family_rows,
    increments,
    ordered_squares,
    products,
    squares,
    submodular_rows,
    unit_rows,
)
from tests.soundness.claims import LINKERS, Case, examine
from tests.soundness.generators import (
    GENERATORS,
    at_tolerance,
    case_of,
    hard_floats,
    one_ulp,
    small_integers,
)
from tests.soundness.oracle import ABOVE, BELOW, FAMILIES, ExactProblem, linked
from tests.soundness.semidefinite import linking_matrix

ROUNDS = 2  # of every generator with every family
STRICT = Fraction(0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("generator", range(len(GENERATORS)), ids=list(GENERATORS))
def test_no_claim_of_a_fit_is_wrong_in_exact_arithmetic(generator):
    wrong = {}
    for number in range(generator, ROUNDS * len(GENERATORS) * len(LINKERS), len(GENERATORS)):
        name, case = case_of(0, number)
        assert name == list(GENERATORS)[generator]
        if found := examine(case).wrong:
            wrong[number] = case.family, found
    assert not wrong


# found by hand: one large value, an overflow, a column ratio of 2^48, a large common noise
LARGE_VALUE = [[1, 2e10], [2, 0], [2, 4]], [[3, 2e10], [1, 1], [0, 4]]
TIMES_1E80 = (
    np.array([[3, 4], [4, 2], [4, 4]]) * 1e80,
    np.array([[5, 2], [4, 3], [3, 3]]) * 1e80,
)
RATIO = (
    np.array([[1, 2, 2], [1, 1, 1], [1, 0, 2], [1, 1, 2], [0, 2, 2]]) * [1, 1, 2.0**48],
    np.array([[0, 1, 1], [0, 0, 0], [2, -1, 3], [2, 1, 1], [-1, 2, 1]]) * [1, 1, 2.0**48],
)
# a certificate whose sums were rounded once too often
SCALES = [1, 2.0**-19, 2.0**-71]
TWELVE = (
    np.array(
        [[1, 4, 3], [0, 2, 2], [0, 6, 5], [4, 1, 4], [3, 6, 0], [1, 4, 1],
         [0, 6, 4], [4, 1, 0], [1, 2, 0], [4, 4, 3], [3, 3, 2], [0, 2, 6]]
    ) * SCALES,
    np.array(
        [[2, 3, 3], [-1, 3, 2], [0, 7, 6], [3, 0, 5], [3, 7, 0], [1, 5, 2],
         [-1, 7, 3], [4, 1, 1], [0, 3, -1], [5, 4, 4], [2, 2, 2], [0, 1, 5]]
    ) * SCALES,
)  # fmt: skip


def common_noise(sd: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    difference = np.arange(6.0)[:, None] * [0, 1]
    noise = np.rint(rng.normal(scale=sd, size=(2, 6, 1)))
    return difference + noise[0], difference + noise[1]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("family", "files", "standardize"),
    [
        ("submodular", LARGE_VALUE, "separate"),
        *((family, TIMES_1E80, None) for family in LINKERS),
        ("psd", RATIO, None),
        ("submodular", TWELVE, None),
        ("submodular", tuple(file[:, [1, 2, 0]] for file in TWELVE), None),
        *((family, common_noise(1e6), None) for family in ("free", "nonnegative", "psd")),
        *((family, common_noise(1e9), None) for family in ("free", "nonnegative", "psd")),
    ],
)
def test_no_claim_is_wrong_where_one_was(family, files, standardize):
    X, Y = (np.asarray(file, dtype=float) for file in files)
    assert not examine(Case(family, X, Y, {"standardize": standardize})).wrong


SEARCHES = {
    "rows that are grown": partial(solve_exact, most_pairs=0),
    "large files": partial(solve, most_pairs=0),
}
PROBLEMS: dict[str, Callable[..., Family]] = {
    "weighted mean": lambda a, b: WeightedMean(a.shape[1]),
    "submodular": lambda a, b: SubmodularChoquet(a.shape[1]),
    "free": lambda a, b: Bilinear(a.shape[1]),
    "nonnegative": NonnegativeBilinear,
}


@pytest.mark.parametrize("family", PROBLEMS)
@pytest.mark.parametrize("search", SEARCHES)
def test_no_bound_is_too_low_where_files_are_large(search, family):
    """The searches of large files, asked of small ones."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        generator = (small_integers, hard_floats, one_ulp, at_tolerance)[seed % 4]
        X, Y = generator(rng, int(rng.integers(3, 7)), int(rng.integers(2, 4)))
        problem = Problem(PROBLEMS[family](X, Y), Index(X, Y))
        found = SEARCHES[search](problem, rng=rng, time_limit=0.1)
        assert found.n_linked <= found.bound
        if found.bound < len(X):
            exact = ExactProblem(FAMILIES[family], X, Y, ABOVE)
            assert exact.linkable(found.bound + 1) is None


# -- the oracle itself ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_optimum_is_that_of_enumeration_by_features_alone(seed):
    X, Y = small_integers(np.random.default_rng(seed), 5, 2)
    files = X.astype(int).tolist(), Y.astype(int).tolist()
    expected = {
        "weighted mean": best_subset(family_rows(squares, *files), unit_rows(2)),
        "owa": best_subset(family_rows(ordered_squares, *files), unit_rows(2)),
        "submodular": best_subset(family_rows(increments, *files), submodular_rows(2)),
        "submodular 2-additive": best_subset(family_rows(increments, *files), submodular_rows(2)),
        "free": best_subset(family_rows(products, *files), []),
        "psd": best_psd_subset(family_rows(products, *files)),
    }
    for family, best in expected.items():
        assert ExactProblem(FAMILIES[family], X, Y, STRICT).optimum == len(best), family
        assert ExactProblem(FAMILIES[family], X, Y, ABOVE).optimum <= len(best), family


def test_gaps_on_both_sides_of_the_tolerance_are_told_apart():
    # one record whose impostor is farther by a factor of 1 + 2e-12 (1 +- 1e-4) in squares
    X = np.array([[0.0], [8.0]])
    near, far = (np.array([[1.0], [1.0 + 1e-12 * (1 + e)]]) for e in (-0.01, 0.01))
    for Y, linkable in ((near, 0), (far, 1)):
        for name in ("weighted mean", "choquet", "psd", "free"):
            family = FAMILIES[name]
            assert linked(family, [1.0], X, Y, ABOVE)[0] == bool(linkable)
            assert linked(family, [1.0], X, Y, BELOW)[0] == bool(linkable)
            one = ExactProblem(family, X, Y, ABOVE).conflict((0,)) is None
            assert one == bool(linkable)


def test_distances_below_zero_have_a_rule_of_their_own():
    # d = -c: the own record is nearer if its square is larger
    X, Y = np.array([[0.0], [5.0]]), np.array([[2.0], [1.0]])
    assert linked(FAMILIES["free"], [-1.0], X, Y, ABOVE) == [True, True]
    assert ExactProblem(FAMILIES["free"], X, Y, ABOVE).optimum == 2
    assert ExactProblem(FAMILIES["psd"], X, Y, ABOVE).optimum == 0


@pytest.mark.parametrize("seed", range(6))
def test_matrix_found_in_floats_links_what_an_exact_answer_says(seed):
    X, Y = small_integers(np.random.default_rng(seed), 6, 2)
    problem = ExactProblem(FAMILIES["psd"], X, Y, ABOVE)
    best = problem.linkable(problem.optimum)
    rows = [row for i in best for row in problem.necessary[i]]
    matrix = linking_matrix(rows, 2)
    assert matrix is not None
    theta = [matrix[0][0], 2 * matrix[0][1], matrix[1][1]]
    assert all(sum(x * y for x, y in zip(row, theta, strict=True)) > 0 for row in rows)
