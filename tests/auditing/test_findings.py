"""Columns that masking left as they were are the first finding of an audit."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink import audit
from sklearn_reclink.auditing._findings import column_findings, finding_sentences, singled_out
from sklearn_reclink.auditing._verdict import verdict
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise, Microaggregation, RankSwapping

NAMES = ["a", "b", "c", "d"]


def kinds(X, Y, **options):
    found = column_findings(X, Y, [f"x{k}" for k in range(X.shape[1])], **options)
    return {one.column: one.kind for one in found}


@pytest.fixture(scope="module")
def release():
    """Four columns: masked, unchanged, with tiny errors, constant."""
    X = make_microdata(150, 4, random_state=3).astype(float)
    Y = RankSwapping(p=20, random_state=0).fit_transform(X)
    Y[:, 1] = X[:, 1]
    Y[:, 2] = X[:, 2] + np.random.default_rng(0).normal(scale=1e-4 * X[:, 2].std(), size=150)
    Y[:, 3] = Y[0, 3]
    return X, Y


def test_columns_are_named_by_what_masking_did(release):
    assert kinds(*release) == {"x1": "unchanged", "x2": "nearly unchanged", "x3": "constant"}


@pytest.mark.parametrize("seed", range(4))
def test_masked_columns_are_not_blamed(seed):
    X = make_microdata(300, 3, random_state=seed)
    for masker in (
        RankSwapping(p=5, random_state=seed),
        AdditiveNoise(p=10, random_state=seed),
        Microaggregation(groups=3, k=3, standardize=True),
        Microaggregation(groups=1, k=3, standardize=True),
    ):
        assert kinds(X, masker.fit_transform(X)) == {}


def test_singled_out_is_counted_as_by_hand():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 40, size=60).astype(float)
    y = x + rng.choice([-1.0, 0.0, 0.25, 3.0], size=60)
    gaps = np.abs(x[:, None] - y)
    own = gaps.diagonal().copy()
    np.fill_diagonal(gaps, np.inf)
    assert singled_out(x, y) == np.mean(own < gaps.min(axis=1))


def test_chance_does_not_make_a_category_unchanged():
    rng = np.random.default_rng(0)
    rare = (rng.random(500) < 0.03).astype(float)  # 94 % agree however they are dealt out
    dealt = rng.permutation(rare)
    few = rare.copy()
    few[np.flatnonzero(rare)[:1]] = 0  # one of some fifteen was changed
    X, Y = np.column_stack([rare, rare, rare]), np.column_stack([dealt, rare, few])
    found = kinds(X, Y, nominal=(0, 1, 2))
    assert found == {"x1": "unchanged", "x2": "nearly unchanged"}


def test_missing_values_are_changes_and_an_emptied_column_is_named():
    X = make_microdata(100, 3, random_state=0).astype(float)
    Y = X.copy()
    Y[:, 0] = np.nan
    Y[:5, 1] = np.nan
    Y[::4, 2] = np.nan
    Y[1::4, 2] = np.nan
    Y[2::4, 2] = np.nan
    X[:4, 1] = np.nan
    found = column_findings(X, Y, NAMES[:3])
    shares = {one.column: (one.kind, round(one.unchanged, 3)) for one in found}
    assert set(shares) == {"a", "b"}
    assert shares["a"] == ("emptied", 0)
    assert shares["b"] == ("nearly unchanged", round(95 / 96, 3))


def test_a_column_that_tells_nothing_is_not_blamed():
    X = make_microdata(60, 2, random_state=0).astype(float)
    X[:, 1] = 7
    Y = RankSwapping(p=30, random_state=0).fit_transform(X[:, :1])
    assert kinds(X, np.column_stack([Y, X[:, 1]])) == {}


def test_findings_come_first_in_text_page_and_data(release):
    X, Y = release
    found = audit(X, Y, attackers=["euclidean"])
    first = verdict(found).findings
    assert first[0] == "“x1” is released unchanged." and len(first) == 3
    text, page = found.to_text(), found.to_html()
    assert text.index("“x1” is released") < text.index("How sure is that?")
    assert page.index("“x1” is released") < page.index("What to protect")
    data = found.to_dict()
    assert [one["kind"] for one in data["findings"]] == [
        "unchanged",
        "nearly unchanged",
        "constant",
    ]
    assert data["verdict"]["findings"] == first


def test_several_columns_of_a_kind_share_a_sentence():
    X = make_microdata(60, 4, random_state=0)
    (sentence,) = finding_sentences(column_findings(X, X, NAMES))
    assert sentence == "4 columns are released unchanged: “a”, “b”, “c” and “d”."


@pytest.mark.parametrize("masked", [[5.0, 5, 5, 7], [5, 5, 5, np.nan], [np.nan, np.nan, np.nan, 7]])
def test_constant_and_emptied_are_said_of_the_whole_release(masked):
    X = np.array([[1.0], [2], [3], [np.nan]])
    kinds = {one.kind for one in column_findings(X, np.array(masked)[:, None], ["age"])}
    assert not kinds & {"constant", "emptied"}
