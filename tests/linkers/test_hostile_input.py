"""Files that are hard on arithmetic: the answer is right, or refused in a sentence."""

from __future__ import annotations

from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    EuclideanLinker,
    MahalanobisLinker,
    OWALinker,
)
from sklearn_reclink.metrics import linkage_ceiling
from tests.linkers.hostile import (
    EXACT,
    MEAN,
    every_exact,
    every_linker,
    fitted,
    integers,
    noisy,
    proven,
)

# Values that overflow or underflow.


@pytest.mark.parametrize("factor", [1e80, 2.0**-900, 1e307])
@pytest.mark.parametrize("linker", [EXACT[0], *EXACT[2:]], ids=repr)
def test_factor_of_raw_files_changes_no_proof(linker, factor):
    X = np.array([[3.0, 4.0], [4.0, 2.0], [4.0, 4.0]])
    Y = np.array([[5.0, 2.0], [4.0, 3.0], [3.0, 3.0]])
    expected = proven(linker, X, Y, standardize=None)
    assert isinstance(linker, BilinearLinker) or expected == 1
    assert proven(linker, X * factor, Y * factor, standardize=None) == expected


@every_linker
def test_one_huge_masked_value_does_not_hide_everyone(linker):
    X, Y = noisy(30)
    linker = fitted(linker, X, Y)
    huge = Y.copy()
    huge[3, 1] = 1e160
    message = r"column 1 of the masked file .* row 3 .* too large"
    for ask in (
        lambda: linker.score(X, huge),
        lambda: linker.link(X, huge),
        lambda: linker.predict(X, pool=huge),
        lambda: linker.kneighbors(X, 2, pool=huge),
        lambda: linker.pair_distance(np.stack([X, huge], axis=1)),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
    with pytest.raises(ValueError, match=r"column 1 .*mixes numbers of very different sizes"):
        clone(linker).fit(X, huge)
    with pytest.raises(ValueError, match=r"column 1 .*mixes numbers of very different sizes"):
        linkage_ceiling(X, huge)


@pytest.mark.parametrize("factor", [1e160, 1e-170, 1e300, 1e-300])
@pytest.mark.parametrize("standardize", ["separate", "difference", "rank"])
def test_informative_columns_of_any_size_are_kept(standardize, factor):
    X, Y = noisy()
    for factors in (factor, [factor, 1], [1, factor], [factor, 1 / factor]):
        for linker in (MEAN, BilinearLinker(random_state=0), MahalanobisLinker()):
            found = fitted(linker, X * factors, Y * factors, standardize=standardize)
            assert found.n_linked_ == found.bound_ == 10
    assert fitted(MEAN, X * factor, Y / factor).n_linked_ == 10  # each file by its own spread


def test_raw_columns_too_far_apart_are_refused_by_name():
    X, Y = (pd.DataFrame(file * [1e300, 1e-300], columns=["a", "b"]) for file in noisy())
    with pytest.raises(ValueError, match=r"column 'a' .* beside those of column 'b'"):
        fitted(MEAN, X, Y, standardize=None)
    assert fitted(MEAN, X, Y).n_linked_ == 10


def exact_links(X, Y):
    """The number of records linked by the plain distance of the numbers given, as rationals."""
    a, b = ([[Fraction(value) for value in row] for row in file.tolist()] for file in (X, Y))
    tolerance = Fraction(1, 10**12)
    distances = [
        [sum((x - y) ** 2 for x, y in zip(mine, other, strict=True)) for other in b] for mine in a
    ]
    return sum(
        all(d - row[i] > tolerance * (d + row[i]) for j, d in enumerate(row) if j != i)
        for i, row in enumerate(distances)
    )


def test_raw_files_of_all_sizes_are_linked_as_by_rationals_or_refused():
    n_refused = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        centre, width = rng.integers(-950, 950), rng.choice([0, 5, 60, 150, 600])
        X, Y = integers(seed, 6, 2)
        powers = centre + rng.integers(-width, width + 1, (2, 6, 2) if seed % 2 else (2, 2))
        powers = np.clip(powers, -1060, 1000)
        X, Y = np.ldexp(X, powers[0]), np.ldexp(Y, powers[0] if seed % 3 else powers[1])
        try:
            found = fitted(EuclideanLinker(), X, Y, standardize=None)
        except ValueError as error:
            assert "very different sizes" in str(error) or "very large" in str(error)
            n_refused += 1
            continue
        used = [k for k in range(2) if min(len(np.unique(file[:, k])) for file in (X, Y)) > 1]
        assert found.n_linked_ == exact_links(X[:, used], Y[:, used])
    assert 10 < n_refused < 60


# Columns and rows that repeat or almost repeat.


@every_exact
@pytest.mark.parametrize("standardize", ["separate", None])
def test_constant_and_repeated_columns_prove_the_same(linker, standardize):
    X, Y = integers(n_features=2)
    expected = proven(linker, X, Y, standardize=standardize)
    constant = [np.insert(file, 1, 7.0, axis=1) for file in (X, Y)]
    assert proven(linker, *constant, standardize=standardize) == expected
    repeated = [file[:, [0, 1, 1]] for file in (X, Y)]
    found = proven(linker, *repeated, standardize=standardize)
    if isinstance(linker, OWALinker):  # ranks of differences are others
        return
    assert found >= expected if isinstance(linker, ChoquetLinker) else found == expected


@every_linker
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_repeated_masked_records_are_never_linked(linker):
    X, Y = noisy(12)
    X, Y = np.vstack([X, X[:6]]), np.vstack([Y, Y[:6]])
    linked = fitted(linker, X, Y).link(X, Y).reidentified
    assert not linked[:6].any() and not linked[12:].any()


@every_exact
@pytest.mark.filterwarnings("ignore:ties within rounding:sklearn.exceptions.ConvergenceWarning")
def test_neighbours_in_the_last_bit_are_told_apart_or_tied_but_never_wrong(linker):
    X, Y = integers(n_features=2)
    near = [np.column_stack([file, np.nextafter(file[:, 0], np.inf)]) for file in (X, Y)]
    for standardize in ("separate", None):
        found = fitted(linker, *near, standardize=standardize)
        assert found.n_linked_ <= found.bound_
    ones = 1 + np.arange(8)[:, None] * np.finfo(float).eps  # neighbours, one and all
    for standardize in ("separate", "difference", "rank", None):
        assert proven(linker, ones, ones, standardize=standardize) == 8


@every_linker
def test_one_record_is_refused_and_two_are_linked(linker):
    X, Y = noisy(2, 1)
    with pytest.raises(ValueError, match="needs at least 2"):
        clone(linker).fit(X[:1], Y[:1])
    far = np.array([[0.0], [1.0]])
    try:
        found = fitted(linker, far, far + 0.1 * (1 + far))
    except ValueError as error:  # of two records, agreement may tell nothing
        assert "agree in" in str(error)
        return
    assert 0 <= found.n_linked_ <= 2
    if found.bound_ is not None:
        assert found.n_linked_ == found.bound_ == 2
    assert found.score(far[:1], far[:1]) in (0.0, 1.0)


@pytest.mark.parametrize("n_features", range(1, 15))
def test_number_of_columns(n_features):
    X, Y = integers(1, 8, n_features)
    assert EuclideanLinker().fit(X, Y).n_linked_ <= proven(MEAN, X, Y) <= 8
    assert proven(BilinearLinker(random_state=0), X, Y) <= 8
    if n_features <= 4:
        assert proven(MEAN, X, Y) <= proven(ChoquetLinker(random_state=0), X, Y)


# What must not change a proven answer.


@pytest.mark.parametrize(
    ("linker", "standardize"),
    [
        *((linker, view) for linker in EXACT for view in ("separate", None)),
        *((MEAN, view) for view in ("difference", "rank")),
    ],
    ids=repr,
)
def test_order_shift_and_powers_of_two_change_no_proof(linker, standardize):
    X, Y = integers(3)
    rng = np.random.default_rng(0)
    expected = proven(linker, X, Y, standardize=standardize)
    rows, columns = rng.permutation(len(X)), rng.permutation(3)
    shift = np.array([2.0**20, -3.0, 1024.5])
    factors = np.array([2.0**-3, 2.0**500, 2.0**-700])
    if standardize is None:
        factors = np.full(3, 2.0**500)
    changes = [
        (X[rows], Y[rows]),
        (X[:, columns], Y[:, columns]),
        (X + shift, Y + shift),
        (X * factors, Y * factors),
        (X / factors, Y / factors),
    ]
    if standardize in ("separate", "rank"):
        changes += [(X * factors, Y + shift), (X - shift, Y / factors)]
    for files in changes:
        assert proven(linker, *files, standardize=standardize) == expected


@pytest.mark.parametrize(
    "linker", [MEAN, *(e for e in EXACT if isinstance(e, BilinearLinker))], ids=repr
)
@pytest.mark.filterwarnings("ignore:ties within rounding:sklearn.exceptions.ConvergenceWarning")
def test_units_of_raw_columns_contradict_no_proof_of_families_closed_under_them(linker):
    X, Y = integers(3)
    expected = proven(linker, X, Y, standardize=None)
    for factors in ([1, 2.0**20, 2.0**-10], [2.0**30, 1, 1], [1, 2.0**48, 1], [1, 1, 2.0**-80]):
        found = fitted(linker, X * factors, Y * factors, standardize=None)
        assert found.n_linked_ <= expected <= found.bound_
        assert linker is not MEAN or found.status_ == "optimal"


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_change_no_answer(backend):
    X, Y = integers(5, 12)
    many = noisy(1500)  # several batches
    expected = [fitted(linker, X, Y) for linker in EXACT]
    nearest = EuclideanLinker().fit(*many)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        for linker, alone in zip(EXACT, expected, strict=True):
            found = fitted(linker, X, Y, n_jobs=2)
            assert (found.n_linked_, found.bound_) == (alone.n_linked_, alone.bound_)
        found = EuclideanLinker(n_jobs=2).fit(*many)
        assert found.n_linked_ == nearest.n_linked_
        np.testing.assert_array_equal(found.predict(many[0]), nearest.predict(many[0]))
