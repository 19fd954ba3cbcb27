"""Counts of sets of variables: against linkers on the same columns, and against definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sklearn_reclink import EuclideanLinker, Pool, WeightedMeanLinker
from sklearn_reclink.metrics.variable_sets import (
    SetCounts,
    coordinates_of,
    count_sets,
    informative_views,
)

VIEWS = ("separate", "difference", "rank")
SETS = [one for size in (1, 2, 3, 4) for one in combinations(range(4), size)]


def tied_files(seed: int, n_records: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Small integers and a constant column: many ties."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_records, 4)).astype(float)
    Y = X + rng.integers(-1, 2, size=X.shape)
    Y[:, 3] = 1.0
    return X, Y


def counted(X, Y, view, pool=None, nominal=None) -> SetCounts:
    everyone = Y if pool is None else pool
    return count_sets(coordinates_of(X, Y, everyone, X, view, nominal), SETS)


@pytest.mark.filterwarnings("ignore:the files look unrelated")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("extra", [0, 15])
def test_counts_are_those_of_a_linker_on_the_same_columns(view, extra):
    X, Y = tied_files(0)
    pool = np.concatenate([Y, tied_files(1)[1][:extra]])
    found = counted(X, Y, view, pool)
    for number, one in enumerate(SETS):
        if one == (3,):
            continue
        columns = list(one)
        whole = Pool(pool[:, columns]) if extra else None
        linker = EuclideanLinker(standardize=view)
        linker.fit(X[:, columns], Y[:, columns], pool=whole)
        links = linker.link(X[:, columns], Y[:, columns], pool=whole)
        assert found.n_linked[number] == links.n_linked
        assert found.ceiling[number] == linker.ceiling_
        assert found.expected[number] == pytest.approx(links.expected_rate * len(X))


def test_a_variable_constant_in_a_file_leaves_a_random_guess():
    X, Y = tied_files(0)
    found = counted(X, Y, "separate")
    alone = SETS.index((3,))
    assert (found.n_linked[alone], found.ceiling[alone]) == (0, 0)
    assert found.expected[alone] == found.expected_others[alone] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("view", VIEWS)
def test_no_weights_pass_the_bound_on_guessing_among_ties(seed, view):
    X, Y = tied_files(seed)
    found = counted(X, Y, view)
    rng = np.random.default_rng(seed)
    for number, one in enumerate(SETS):
        columns = [k for k in one if k != 3]
        if not columns:
            continue
        linker = WeightedMeanLinker(standardize=view, time_limit=5)
        linker.fit(X[:, columns], Y[:, columns])
        bound = found.expected_bound(np.array(linker.bound_))[number]
        weights = [linker.weights_, *np.eye(len(columns))]
        weights += list(rng.dirichlet(np.full(len(columns), 0.5), size=10))
        for linker.weights_ in weights:
            links = linker.link(X[:, columns], Y[:, columns])
            assert links.expected_rate * len(X) <= bound + 1e-9


def test_counts_are_monotone_with_categories_and_missing_values():
    X, Y = tied_files(2)
    X[::7, 0], Y[::5, 1] = np.nan, np.nan
    found = counted(X, Y, "separate", nominal=(2,))
    for i, small in enumerate(SETS):
        for j, large in enumerate(SETS):
            if set(small) <= set(large):
                assert found.ceiling[i] <= found.ceiling[j]
                one, other = (n * np.ones(len(SETS)) for n in (found.ceiling[i], len(X)))
                assert found.expected_bound(one)[i] <= found.expected_bound(other)[j] + 1e-9


def test_a_view_that_refuses_the_files_is_left_out_with_its_reason():
    def build(view):
        if view == "rank":
            raise ValueError("no ranks")
        return view

    views, notes = informative_views(VIEWS, build)
    assert views == ["separate", "difference"]
    assert len(notes) == 1 and "no ranks" in notes[0]
    with pytest.raises(ValueError, match="no ranks"):
        informative_views(["rank"], build)
