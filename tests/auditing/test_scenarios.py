"""The sweep over what an intruder knows: its laws, its limits and its words."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

from sklearn_reclink import EuclideanLinker, WeightedMeanLinker, audit, scenarios
from sklearn_reclink.auditing import Scenarios
from sklearn_reclink.auditing._scenario_output import sizes_table
from sklearn_reclink.auditing._variable_sets import Brackets, list_sets
from sklearn_reclink.auditing._verdict import verdict
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics.variable_sets import SetCounts

VIEWS = ("separate", "difference", "rank")
QUICK = {"pairs": (), "attackers": ()}


def noisy(n_records: int = 60, n_features: int = 4, seed: int = 0):
    X = make_microdata(n_records, n_features, random_state=seed, as_frame=True)
    rng = np.random.default_rng(seed)
    return X, X * rng.lognormal(sigma=0.25, size=X.shape)


@pytest.fixture(scope="module")
def found() -> Scenarios:
    X, Y = noisy()
    return scenarios(X, Y, time_limit=6, pairs=(5, 20, 500))


@pytest.fixture(scope="module")
def tied() -> Scenarios:
    X = make_microdata(90, 4, random_state=1, as_frame=True)
    masker = Microaggregation(k=2).set_output(transform="pandas")
    return scenarios(X, masker.fit_transform(X), time_limit=6, attackers=["mahalanobis"])


def assert_monotone(result: Scenarios) -> None:
    for one in result.scenarios:
        assert one.n_linked <= one.bound <= one.ceiling
        assert one.n_linked <= one.n_found <= one.expected + 1e-9
        assert set(one.used) <= set(one.variables)
        for other in result.scenarios:
            if set(one.variables) <= set(other.variables):
                for name in ("n_linked", "bound", "ceiling", "n_found", "expected"):
                    assert getattr(one, name) <= getattr(other, name), name
                assert one.expected_bound <= other.expected_bound + 1e-9


def test_brackets_are_monotone_in_the_order_of_sets(found, tied):
    for result in (found, tied):
        assert len(result.scenarios) == 15
        assert_monotone(result)


def test_a_time_limit_that_is_too_short_still_brackets_every_set():
    X, Y = noisy(80, 5)
    result = scenarios(X, Y, time_limit=0.001)
    assert_monotone(result)
    assert not any(one.searched for one in result.scenarios)
    whole = EuclideanLinker(standardize=VIEWS).fit(X, Y)
    assert result.whole.n_linked >= whole.n_linked_
    assert result.whole.bound == whole.ceiling_


def best_of_two(x: np.ndarray, y: np.ndarray) -> int:
    """The optimum of two weights: between two ratios at which rows change sign nothing changes."""
    squares = (x[:, None, :] - y[None, :, :]) ** 2
    own = squares[np.arange(len(x)), np.arange(len(x))]
    rows = squares - own[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = (rows[..., 0] / (rows[..., 0] - rows[..., 1])).ravel()
    roots = np.unique(roots[(roots > 0) & (roots < 1)])
    ends = np.concatenate([[0.0], roots, [1.0]])
    best = 0
    for share in np.concatenate([ends, (ends[1:] + ends[:-1]) / 2]):
        margins = rows @ [1 - share, share]
        margins[np.arange(len(x)), np.arange(len(x))] = np.inf
        best = max(best, int((margins > 1e-9).all(axis=1).sum()))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_the_bracket_of_two_variables_is_the_enumerated_optimum(seed):
    X, Y = noisy(14, 3, seed)
    result = scenarios(X, Y, time_limit=20, **QUICK)
    z = (X - X.mean()) / X.std(ddof=1), (Y - Y.mean()) / Y.std(ddof=1)
    d = X / (X - Y).std(ddof=1), Y / (X - Y).std(ddof=1)
    r = X.rank() / len(X), Y.rank() / len(Y)
    for pair in combinations(X.columns, 2):
        columns = list(pair)
        optimum = max(
            best_of_two(*(np.array(file[columns]) for file in view)) for view in (z, d, r)
        )
        one = result.of(pair)
        assert one.n_linked == one.bound == optimum


def test_links_are_what_a_linker_counts_on_the_same_columns(found):
    X, Y = noisy()
    for one in found.scenarios:
        columns = list(one.variables)
        linker = WeightedMeanLinker(standardize=VIEWS, time_limit=20)
        linker.fit(X[columns], Y[columns])
        assert one.n_linked <= linker.bound_ and linker.n_linked_ <= one.bound
        if one.is_exact and linker.status_ == "optimal":
            assert one.n_linked == linker.n_linked_


@pytest.mark.filterwarnings("ignore:the time limit of 0 s")
def test_weights_padded_with_zeros_link_the_very_same_people():
    X, Y = (np.array(file) for file in noisy())
    Y[:, 0] = np.round(Y[:, 0], -4)  # ties
    for view in VIEWS:
        small = WeightedMeanLinker(standardize=view, time_limit=5).fit(X[:, [0, 2]], Y[:, [0, 2]])
        large = WeightedMeanLinker(standardize=view, time_limit=0).fit(X, Y)
        large.weights_ = np.array([small.weights_[0], 0.0, small.weights_[1], 0.0])
        within, padded = small.link(X[:, [0, 2]], Y[:, [0, 2]]), large.link(X, Y)
        np.testing.assert_array_equal(within.reidentified, padded.reidentified)
        np.testing.assert_array_equal(within.n_tied, padded.n_tied)
        np.testing.assert_array_equal(within.own_distance, padded.own_distance)


@pytest.mark.filterwarnings("ignore:the time limit of 0 s")
def test_no_random_weights_pass_a_bound(found):
    rng = np.random.default_rng(0)
    X, Y = (np.array(file) for file in noisy())
    linker = WeightedMeanLinker(time_limit=0)
    for one in found.scenarios:
        columns = [found.names.index(name) for name in one.variables]
        linker.fit(X[:, columns], Y[:, columns])
        for linker.weights_ in rng.dirichlet(np.full(len(columns), 0.5), size=100):
            assert linker.score(X[:, columns], Y[:, columns]) * len(X) <= one.bound + 1e-9


def test_ties_count_as_exposed(tied):
    assert tied.whole.n_linked == tied.whole.bound == 0  # pairs of equal records
    assert 0.4 < tied.risk(tied.whole) <= 0.5
    assert tied.whole.expected <= tied.whole.expected_bound
    assert tied.smallest(0.3) and tied.fewest(0.1) is None
    assert "guessing" in tied.to_text()


def test_smallest_sets_expose_the_share_and_fewest_is_proven(found):
    for share in (0.05, 0.1, 0.5):
        fewest = found.fewest(share)
        for one in found.scenarios:
            if fewest is None or one.n_known < fewest:
                assert one.bound / found.n_records < share
        sets = found.smallest(share)
        assert all(found.risk(one) >= share for one in sets)
        size = sets[0].n_known if sets else len(found.names) + 1
        assert all(found.risk(one) < share for one in found.scenarios if one.n_known < size)


def test_the_words_and_the_data_tell_the_same(found):
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [one["variables"] for one in data["sets"]] == [
        list(s.variables) for s in found.scenarios
    ]
    assert data["answers"][0] in " ".join(found.to_text().split())
    assert len(found.to_frame()) == len(found.scenarios)
    assert f"{found.whole.n_found:,} of 60 people" in data["answers"][0]
    assert [one.n_known for one in found.envelope] == [1, 2, 3, 4]
    assert found.envelope[1].complete and found.envelope[1].n_sets == 6


def test_people_known_teach_no_less_than_fewer(found):
    assert [one.n_pairs for one in found.people][:2] == [0, 5]  # 500 is more than half
    rates = [one.rate for one in found.people]
    assert rates == sorted(rates)
    assert all(one.lowest <= one.rate <= one.highest for one in found.people)


def test_known_and_secret_choose_the_variables():
    X, Y = noisy()
    names = list(X.columns)
    part = scenarios(X, Y, known=names[:2], time_limit=5, **QUICK)
    assert part.names == tuple(names[:2]) and len(part.scenarios) == 3
    rest = scenarios(X, Y, secret=[names[0]], time_limit=1, **QUICK)
    assert rest.names == tuple(names[1:]) and rest.secret == (names[0],)
    assert names[0] in rest.to_text()
    with pytest.raises(ValueError, match="known names 'nobody'"):
        scenarios(X, Y, known=["nobody"])
    with pytest.raises(ValueError, match="both known and secret"):
        scenarios(X, Y, known=names, secret=names[:1])
    with pytest.raises(ValueError, match="no variable is left"):
        scenarios(X, Y, secret=names)
    with pytest.raises(KeyError, match="not looked at"):
        part.of([names[3]])


def test_mixed_files_and_a_pool_are_bracketed():
    X, Y = noisy(70, 3)
    rng = np.random.default_rng(0)
    X["town"] = pd.Categorical(rng.choice(list("abcdefgh"), size=70))
    Y["town"] = X["town"].where(rng.random(70) < 0.7, "a")
    X.iloc[::11, 1], Y.iloc[::9, 0] = np.nan, np.nan
    result = scenarios(X.iloc[:50], Y.iloc[:50], pool=Y, time_limit=3, **QUICK)
    assert result.n_pool == 70 and result.n_records == 50
    assert_monotone(result)


def test_a_sample_of_a_long_file_is_sought_in_the_whole_release():
    X, Y = noisy(300, 3)
    result = scenarios(X, Y, max_records=50, time_limit=2, pairs=(5,))
    assert (result.n_records, result.n_total, result.n_pool) == (50, 300, 300)
    assert_monotone(result)
    assert "drawn at random" in result.to_text()


def test_workers_find_the_same():
    X, Y = noisy(40, 3)
    with parallel_config("threading"):
        one, two = (scenarios(X, Y, time_limit=30, n_jobs=jobs, **QUICK) for jobs in (1, 2))
    assert one.to_frame().equals(two.to_frame())


def test_which_sets_are_listed():
    assert len(list_sets(1)) == 1 and len(list_sets(10)) == 1023
    assert len(list_sets(13)) == 13 + 78 + 286 + 13 + 1
    assert len(list_sets(200)) == 201  # pairs would be too many
    X, Y = noisy(40, 11)
    result = scenarios(X, Y, time_limit=0.01, **QUICK)
    assert_monotone(result)
    assert [one.complete for one in result.envelope] == [True] * 5
    assert "up to 3 variables, those that lack one variable" in result.to_text()


def test_a_wrong_proof_is_refused():
    counts = SetCounts("rank", *(np.array([3, 4, 5]) for _ in range(4)))
    brackets = Brackets([(0,), (1,), (0, 1)], [counts])
    with pytest.raises(RuntimeError, match="the proof is wrong"):
        brackets.searched_by_weights(2, 5, 5.0, 2)


def test_the_time_limit_holds():
    X, Y = noisy(150, 6)
    scenarios(X, Y, time_limit=0.01)  # compiles
    begin = time.monotonic()
    result = scenarios(X, Y, time_limit=2)
    assert result.settings["seconds"] <= time.monotonic() - begin < 2 + 4


def test_no_number_of_a_table_passes_its_bound(tied):
    header, rows = sizes_table(tied)
    for row in rows:
        linked, bound, ceiling = (
            int(row[header.index(name)]) for name in ("weighted mean", "at most", "ceiling")
        )
        assert linked <= bound <= ceiling
    assert "singled out; those exposed may be more" in tied.to_text().replace("\n    ", " ")


def test_what_the_sweep_finds_beyond_the_attackers_counts(found):
    X, Y = noisy()
    plain = audit(X, Y, attackers=["euclidean"], limit=found.people[0].rate)
    known = replace(found.people[-1], rate=0.97, highest=0.97)
    swept = replace(plain, scenarios=replace(found, people=(*found.people[:-1], known)))
    assert swept.risk == swept.to_dict()["risk"] == 0.97 and swept.rests_on_estimate
    assert swept.above_limit and "A risk of 97 % is above the limit" in verdict(swept).headline
