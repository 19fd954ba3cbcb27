"""Linkers by likelihoods on files with categories, levels and missing values."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import DensityLinker, EuclideanLinker, ProbabilisticLinker
from sklearn_reclink.rules import RULES

KINDS = {"categorical_features": ["job", "area", "sex"], "ordinal_features": ["school"]}


def mixed_file(n_records=300, seed=0):
    """Three nominal, one ordinal and two numeric variables, and a release of them.

    Categories are drawn anew, a rare one is suppressed, numbers are noisy or rounded, and one value
    in 20 is missing from the release, in 50 from the original.
    """
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "job": rng.choice(20, size=n_records, p=np.arange(1, 21)[::-1] / 210).astype(float),
            "area": rng.integers(8, size=n_records).astype(float),
            "sex": rng.integers(2, size=n_records).astype(float),
            "school": rng.integers(5, size=n_records).astype(float),
            "age": rng.integers(18, 90, size=n_records).astype(float),
            "income": rng.lognormal(size=n_records),
        }
    )
    Y = X.copy()
    for name, n_levels in (("job", 20), ("area", 8), ("sex", 2)):
        drawn = rng.random(n_records) < 0.3
        Y.loc[drawn, name] = rng.integers(n_levels, size=drawn.sum())
    Y.loc[X["job"] >= 17, "job"] = np.nan
    Y["school"] = np.clip(X["school"] + rng.choice([-1, 0, 0, 1], size=n_records), 0, 4)
    Y["age"] = 5 * np.floor(X["age"] / 5)
    Y["income"] = X["income"] * np.exp(0.5 * rng.normal(size=n_records))
    return X.mask(rng.random(X.shape) < 0.02), Y.mask(rng.random(Y.shape) < 0.05)


@pytest.fixture(scope="module")
def split():
    X, Y = mixed_file()
    known, others = X.index < 150, X.index >= 150
    parts = (file[rows].reset_index(drop=True) for rows in (known, others) for file in (X, Y))
    return tuple(parts)


@pytest.fixture(scope="module")
def linker(split):
    return DensityLinker(**KINDS).fit(*split[:2])


def test_it_carries_over_to_other_people_where_the_plain_distance_does_not(split, linker):
    plain = EuclideanLinker(**KINDS).fit(*split[:2]).score(*split[2:])
    assert linker.score(*split[2:]) > plain + 0.3
    assert abs(linker.score(*split[2:]) - linker.score(*split[:2])) < 0.1


def test_weights_have_a_view_of_categories(linker):
    assert linker.weights_.shape == (4,)
    assert 0.7 < linker.weights_[3] < 1.3  # masked one by one
    assert len(linker.likelihood_.value_ratios) == 3
    assert len(linker.likelihood_.transitions) == 6


@pytest.mark.parametrize("rule", RULES)
def test_score_link_and_predict_agree(rule, split):
    X, Y, X_new, Y_new = split
    linker = DensityLinker(rule=rule, **KINDS).fit(X, Y)
    assert linker.score(X, Y) * len(X) == pytest.approx(linker.n_linked_)
    found = linker.link(X_new, Y_new)
    assert linker.score(X_new, Y_new) == found.rate <= found.expected_rate
    np.testing.assert_array_equal(linker.predict(X_new, Y_new), found.links)
    if rule != "one_to_one":
        np.testing.assert_array_equal(linker.kneighbors(X_new, 2, Y_new)[1][:, 0], found.links)


def test_equal_masked_records_are_never_told_apart(split):
    twice = [pd.concat([file[:40]] * 2, ignore_index=True) for file in split[:2]]
    for rule in RULES:
        assert DensityLinker(rule=rule, **KINDS).fit(*twice).n_linked_ == 0


def test_names_of_categories_and_order_of_rows_and_columns_change_no_rate(split, linker):
    X, Y, X_new, Y_new = split
    rate = linker.score(X_new, Y_new)

    def renamed(file):
        names = file["area"].map(lambda code: code if np.isnan(code) else (3 * code) % 8)
        return file.assign(area=names, income=4 * file["income"])

    other = DensityLinker(**KINDS).fit(renamed(X), renamed(Y))
    assert other.score(renamed(X_new), renamed(Y_new)) == rate
    order = list(X.columns[::-1])
    other = DensityLinker(**KINDS).fit(X[order][::-1], Y[::-1])
    assert other.score(X_new[order], Y_new) == pytest.approx(rate, abs=0.01)


def test_categories_never_seen_and_records_all_missing(split, linker):
    X_new, Y_new = split[2].copy(), split[3].copy()
    for file in (X_new, Y_new):
        file.loc[[0, 1], "area"] = [77.0, 78.0]
        file.loc[2] = np.nan
    found = linker.link(X_new, Y_new)
    assert found.reidentified[:2].all()
    assert np.isfinite(found.distance).all()
    again = pickle.loads(pickle.dumps(linker))
    assert again.link(X_new, Y_new).rate == found.rate


def test_numbers_with_missing_values_alone(split):
    X, Y, X_new, Y_new = (file[["age", "income"]] for file in split)
    linker = DensityLinker().fit(X, Y)
    assert linker.weights_.shape == (4,)
    assert linker.score(X_new, Y_new) > EuclideanLinker().fit(X, Y).score(X_new, Y_new)


def test_categories_alone_need_their_view(split):
    X, Y, *_ = (file[["job", "area", "sex"]] for file in split)
    kinds = {"categorical_features": ["job", "area", "sex"]}
    assert DensityLinker(**kinds).fit(X, Y).weights_[:3].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match='name "category" too'):
        DensityLinker(views=["value"], **kinds).fit(X, Y)


def test_files_of_numbers_have_three_views():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = X + 0.3 * rng.normal(size=X.shape)
    linker = DensityLinker().fit(X, Y)
    assert linker.weights_.shape == (3,)
    three = DensityLinker(views=("value", "rank", "joint")).fit(X, Y)
    np.testing.assert_array_equal(three.weights_, linker.weights_)
    with pytest.raises(ValueError, match="name some of"):
        DensityLinker(views=("category",)).fit(X, Y)


def test_agreement_weights_of_a_mixed_file_by_hand(split):
    X, Y, X_new, Y_new = split
    linker = ProbabilisticLinker(rule="nearest", tolerance=0.5, **KINDS).fit(X, Y)
    assert linker.tolerance_.tolist() == [0, 0, 0, 0.5, 0.5, 0.5]
    differences = X_new.to_numpy()[:5, None] - Y_new.to_numpy()[None]
    agree = np.abs(differences) <= linker.tolerance_
    weights = np.where(agree, linker.weights_[:, 1], linker.weights_[:, 0])
    weights[np.isnan(differences)] = 0.0
    distances, _ = linker.kneighbors(X_new[:5], 1, Y_new)
    np.testing.assert_allclose(distances[:, 0], -weights.sum(axis=2).max(axis=1))


def test_probabilities_of_categories_are_those_of_the_masking(split):
    X, Y, *_ = split
    linker = ProbabilisticLinker(match_share=1 / 150, **KINDS).fit(X, Y)
    both = ~(X["area"].isna() | Y["area"].isna())
    assert linker.m_[1] == pytest.approx((X["area"] == Y["area"])[both].mean(), abs=0.1)
    assert linker.u_[1] == pytest.approx(1 / 8, abs=0.03)
    assert linker.tolerance_[:3].tolist() == [0, 0, 0]
    assert linker.score(*split[2:]) > 0.2
