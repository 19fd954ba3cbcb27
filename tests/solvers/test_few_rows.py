"""Cells that grow their rows, and searches of files beyond what rows are held of."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.families import OWA, Bilinear, WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells.rows import CellRows, NearestRows, Rows, spread_thetas
from sklearn_reclink.solvers.cells.search import prove_by_cells, prove_with_few_rows
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.presolve import presolve
from sklearn_reclink.solvers.problem import Problem, Status
from tests.problems import n_linked, noisy_files, problem_of, random_integer_files, solved


def proofs(problem, **options):
    """By all rows, and by the rows that points violate."""
    presolved = presolve(problem)
    open_records = np.flatnonzero(~problem.index.dominated)
    rows = problem.index.rows(problem.family, presolved.records, presolved.impostors)
    generators = problem.family.generators
    held = prove_by_cells(*rows, presolved.records, generators)
    grown = prove_with_few_rows(problem, open_records, None, **options)
    always = len(presolved.always)
    return (held.n_linked + always, held.bound + always), grown


@pytest.mark.parametrize("family", [WeightedMean, OWA])
@pytest.mark.parametrize("dense_pairs", [0, 10**6])
def test_rows_that_are_grown_prove_the_same_optimum(family, dense_pairs):
    for seed in range(4):
        problem = problem_of(family, *noisy_files(seed, 90, noise=0.3), dense_pairs=dense_pairs)
        held, grown = proofs(problem)
        assert (grown.n_linked, grown.bound) == held
        assert n_linked(problem, grown.theta) == grown.n_linked


@settings(max_examples=30, deadline=None)
@given(files=random_integer_files(n_records=(3, 12), n_features=(2, 3), noise=2))
def test_rows_that_are_grown_prove_the_same_optimum_among_ties(files):
    problem = problem_of(WeightedMean, *files)
    held, grown = proofs(problem)
    assert grown.bound == held[1] == held[0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cells_that_hold_no_rows_prove_the_same_optimum(n_jobs):
    problem = problem_of(WeightedMean, *noisy_files(5, 200))
    presolved = presolve(problem)
    rows = problem.index.rows(problem.family, presolved.records, presolved.impostors)
    options = {"owners": presolved.records, "generators": np.eye(4), "n_jobs": n_jobs}
    held, bare = (prove_by_cells(*rows, **options, most_bytes=most) for most in (2**27, 0))
    assert (bare.n_linked, bare.bound) == (held.n_linked, held.bound)


def test_a_bound_of_a_few_rows_is_never_too_low():
    problem = problem_of(WeightedMean, *noisy_files(3, 150, noise=0.4))
    best = solved(problem)
    open_records = np.flatnonzero(~problem.index.dominated)
    for seconds in (0.0, 0.02, 0.05):
        proof = prove_with_few_rows(
            problem, open_records, None, deadline=time.monotonic() + seconds
        )
        assert proof.n_linked <= best.n_linked <= proof.bound


def test_added_rows_are_those_given_at_once():
    problem = problem_of(WeightedMean, *noisy_files(0, 50))
    source = NearestRows(problem, np.arange(50))
    every = source.start(spread_thetas(problem.family, None), np.inf)
    order = np.random.default_rng(0).permutation(len(every.owners))
    parts = [np.sort(part) for part in np.array_split(order, 3)]
    some = [Rows(every.values[p], every.magnitudes[p], every.owners[p]) for p in parts]
    rows = CellRows(some[0], np.eye(4), 50)
    for part in some[1:]:
        rows.add(part)
    whole = CellRows(every, np.eye(4), 50)
    assert rows.problem.free == whole.problem.free == 50 - len(np.unique(every.owners))
    np.testing.assert_array_equal(rows.problem.owners, whole.problem.owners)
    for a, b in zip(rows.problem[:3], whole.problem[:3], strict=True):
        np.testing.assert_array_equal(a[np.lexsort(a.T)], b[np.lexsort(b.T)])


def test_a_row_is_found_once_and_no_harmless_one():
    problem = problem_of(WeightedMean, *noisy_files(1, 60))
    source = NearestRows(problem, np.arange(60))
    count, rows = source.count(np.ones(4))
    assert count == n_linked(problem, np.ones(4))
    assert len(rows.owners) == 60 - count
    assert (rows.values @ np.ones(4) <= 0).all()
    again, nothing = source.count(np.ones(4))
    assert (again, len(nothing.owners)) == (count, 0)


@pytest.fixture(scope="module")
def firms():
    X = make_microdata(4092, 5, random_state=0)
    return X, Microaggregation(groups=[[0, 1, 2], [3, 4]], k=[3, 8]).fit_transform(X)


def test_four_thousand_records_are_proven(firms):
    linker = WeightedMeanLinker(n_jobs=1).fit(*firms)
    assert linker.n_linked_ == linker.bound_ < linker.ceiling_
    assert linker.status_ == "optimal"
    assert linker.score(*firms) * 4092 == pytest.approx(linker.n_linked_)


LEARNERS = {
    "weighted mean": WeightedMeanLinker(),
    "owa": OWALinker(),
    "choquet": ChoquetLinker(),
    "2-additive": ChoquetLinker(k_additive=2),
    "free": BilinearLinker(constraint="free"),
    "psd": BilinearLinker(),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_status_and_time_limit_mean_what_they_say_in_large_files(name):
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(3600, 4))
    Y = X * rng.lognormal(sigma=0.3, size=X.shape)
    linker = LEARNERS[name].set_params(time_limit=1.0, random_state=0, n_jobs=1)
    linker.fit(X[:2100], Y[:2100])  # compiles
    start = time.process_time()
    linker.fit(X, Y)
    assert time.process_time() - start < 1.1 * linker.time_limit + 2
    assert linker.status_ == "time_limit"
    assert linker.n_linked_ < linker.bound_
    assert linker.bound_ <= getattr(linker, "ceiling_", len(X))
    assert linker.score(X, Y) * len(X) == pytest.approx(linker.n_linked_)


def common_noise(original, masked):
    """Files whose forms cancel: a large term common to all variables of a record."""
    noise = 1e9 * np.random.default_rng(0).normal(size=(len(original), 1))
    return original + noise, masked + noise


def with_categories(original, masked):
    """A category of three codes, and some missing values."""
    codes = np.random.default_rng(1).integers(3, size=len(original))
    for file in (original, masked):
        file[:, 0] = 4.0 * codes
    original[::7, 1], masked[::5, 2] = np.nan, np.nan
    return original, masked


@pytest.mark.parametrize("kind", ["plain", "common noise", "categories"])
@pytest.mark.parametrize("definite", [False, True])
@pytest.mark.parametrize("dense_pairs", [0, 10**6])
def test_matrices_are_counted_by_margins_as_by_all_pairs(kind, definite, dense_pairs):
    caps = np.array([2.0, np.inf, np.inf]) if kind == "categories" else None
    change = {"common noise": common_noise, "categories": with_categories}.get(kind)
    for seed in range(5):
        files = noisy_files(seed, 60, 3)
        files[1][:5] = files[1][5:10]  # equal masked records
        files = change(*files) if change else files
        index = Index(*files, caps=caps, dense_pairs=dense_pairs)
        problem = Problem(mixed_family(Bilinear(3), caps), index)
        half = np.random.default_rng(seed).normal(size=(3, 3))
        theta = problem.family.pack(half @ half.T if definite else half + half.T)
        incumbent = Incumbent(problem, presolve(problem), None)
        expected = Index(*files, caps=caps).linked(problem.family, theta)
        np.testing.assert_array_equal(incumbent._count_by_margins(theta), expected)
        np.testing.assert_array_equal(incumbent._count(theta), expected)


def test_free_matrices_are_searched_and_proven_beyond_the_rows_held():
    problem = problem_of(Bilinear, *noisy_files(0, 40, 2, noise=0.05), dense_pairs=0)
    best = solved(problem)
    large = solved(problem, most_pairs=0)
    assert best.status is large.status is Status.OPTIMAL
    assert large.n_linked == best.n_linked
