from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink import ChoquetLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import (
    expected_reidentification_rate,
    interval_disclosure,
    linkage_ceiling,
    reidentification_rate,
)
from tests.metrics.files import permuted, tables


@pytest.fixture
def files():
    X = np.random.default_rng(0).normal(size=(60, 4))
    return X, Microaggregation(groups=[[0, 1], [2, 3]], k=3).fit_transform(X)


def test_rates_of_links_are_those_of_the_linker(files):
    X, Y = files
    found = EuclideanLinker().fit(X, Y).link(X, Y)
    assert reidentification_rate(found.links, n_tied=found.n_tied) == found.rate
    assert expected_reidentification_rate(found.own_tied, found.n_tied) == found.expected_rate


def test_one_group_for_all_variables_gives_zero_and_one_in_k(files):
    X = files[0]
    Y = Microaggregation(k=3).fit_transform(X)
    found = EuclideanLinker().fit(X, Y).link(X, Y)
    assert reidentification_rate(found.links, n_tied=found.n_tied) == 0.0
    assert reidentification_rate(found.links) > 0.0  # the first of those tied
    nearest = found.own_tied.mean()
    assert expected_reidentification_rate(found.own_tied, found.n_tied) == pytest.approx(
        nearest / 3
    )


@settings(deadline=None)
@given(st.lists(st.integers(-1, 9), min_size=1, max_size=10), st.integers(0, 99))
def test_rate_does_not_change_with_the_order_of_either_file(links, seed):
    links = np.array(links)
    rng = np.random.default_rng(seed)
    records, pool = rng.permutation(len(links)), rng.permutation(10)
    moved = np.where(links >= 0, pool[links], -1)
    assert reidentification_rate(
        moved[records], own=pool[np.arange(len(links))][records]
    ) == pytest.approx(reidentification_rate(links))


def test_records_that_are_not_linked_are_not_found():
    assert reidentification_rate([-1, 1, -1, -1]) == 0.25
    assert reidentification_rate([1, 0], own=[1, 0], sample_weight=[1, 3]) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reidentification_rate([0.0, 1.0]), "links .* one integer"),
        (lambda: reidentification_rate([[0, 1]]), "links .* one integer"),
        (lambda: reidentification_rate([0, 1], n_tied=[1, 0]), "n_tied is 0 in row 1"),
        (lambda: expected_reidentification_rate([True], [0]), "n_tied is 0 in row 0"),
        (lambda: interval_disclosure([[1], [2]], [[1], [2]], kind="iqr"), "kind is 'iqr'"),
        (lambda: interval_disclosure([[1], [2]], [[1], [2]], widths=[]), "widths are"),
        (lambda: interval_disclosure([[1], [2]], [[1], [2]], widths=-1), "widths are -1"),
        (lambda: interval_disclosure([[1], [2]], [[1], [2]], multioutput="x"), "multioutput is"),
        (lambda: linkage_ceiling([[1], [2]], [[1], [2], [3]]), "masked file has 3 records"),
        (lambda: linkage_ceiling([[1], [2]], [[1], [2]], standardize="x"), "standardize is 'x'"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("linker", [WeightedMeanLinker(), ChoquetLinker()], ids=repr)
def test_no_monotone_attacker_passes_the_ceiling(linker, files):
    X, Y = files
    linker.fit(X, Y)
    assert linker.score(X, Y) <= linkage_ceiling(X, Y) == linker.ceiling_ / len(X)


def test_columns_are_matched_by_name(files):
    X, Y = (pd.DataFrame(file, columns=list("abcd")) for file in files)
    assert linkage_ceiling(X, Y[list("dbca")]) == linkage_ceiling(*files)
    assert interval_disclosure(X, Y[list("dbca")]) == interval_disclosure(*files)


kinds = pytest.mark.parametrize("kind", ["rank", "sd"])


@kinds
@settings(deadline=None)
@given(tables(1))
def test_what_is_not_masked_is_disclosed_in_any_interval(kind, files):
    (X,) = files
    assert interval_disclosure(X, X, kind=kind, widths=0) == 1.0


@kinds
@settings(deadline=None)
@given(tables(), st.integers(-5, 5), st.sampled_from([0.25, 2.0, 8.0]), st.integers(0, 99))
def test_disclosure_is_a_share_kept_by_units_and_order(kind, files, shift, scale, seed):
    X, Y = files
    share = interval_disclosure(X, Y, kind=kind, widths=[5, 40])
    assert 0 <= share <= 1
    assert interval_disclosure(scale * X + shift, scale * Y + shift, kind=kind, widths=[5, 40]) == (
        pytest.approx(share)
    )
    moved = interval_disclosure(permuted(X, seed), permuted(Y, seed), kind=kind, widths=[5, 40])
    assert moved == pytest.approx(share)


@kinds
@settings(deadline=None)
@given(tables(), st.floats(0, 100), st.floats(0, 100))
def test_a_wider_interval_discloses_no_less(kind, files, width, more):
    narrow, wide = (interval_disclosure(*files, kind=kind, widths=w) for w in (width, width + more))
    assert narrow <= wide


@settings(deadline=None)
@given(tables())
def test_rank_intervals_keep_monotone_transformations(files):
    X, Y = files
    before = interval_disclosure(X, Y, widths=[10, 30], multioutput="raw_values")
    after = interval_disclosure(X**3, Y**3, widths=[10, 30], multioutput="raw_values")
    np.testing.assert_array_equal(before, after)
    assert before.shape == (X.shape[1],)
