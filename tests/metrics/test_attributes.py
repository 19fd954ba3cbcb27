"""Attribute disclosure: attack, baseline, control and risk against hand counts and definitions."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import EuclideanLinker
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import Excess, SuccessRate, attribute_disclosure
from sklearn_reclink.metrics._told_secrets import ReleasedSecret, classes_of

RAW = EuclideanLinker(standardize=None)


def test_risk_by_hand():
    found = Excess(SuccessRate(9, 10), SuccessRate(5, 10))
    assert found.risk == pytest.approx(0.8)
    low, high = found.interval
    assert low < 0.8 < high <= 1
    assert Excess(SuccessRate(3, 10), SuccessRate(5, 10)).risk == pytest.approx(-0.4)
    assert Excess(SuccessRate(10, 10), SuccessRate(10, 10)).risk is None
    assert Excess(SuccessRate(0, 0), SuccessRate(1, 10)).risk is None


def test_interval_of_the_risk_holds_in_19_of_20_samples():
    rng = np.random.default_rng(0)
    for a, c in ((0.5, 0.5), (0.24, 0.05), (0.9, 0.3)):
        draws = zip(rng.binomial(300, a, 1000), rng.binomial(200, c, 1000), strict=True)
        ends = np.array(
            [Excess(SuccessRate(n, 300), SuccessRate(m, 200)).interval for n, m in draws]
        )
        holds = (ends[:, 0] <= (a - c) / (1 - c)) & ((a - c) / (1 - c) <= ends[:, 1])
        assert 0.93 <= holds.mean() <= 0.98


def test_four_people_by_hand():
    X = np.array([[0.0], [1.0], [5.0], [9.0]])
    Y = np.array([[0.2], [0.7], [5.0], [6.0]])  # the last is nearest to its own all the same
    secret, released = ["a", "b", "b", "c"], ["a", "b", "a", "c"]
    found = attribute_disclosure(RAW.fit(X, Y), X, Y, secret, released)
    # told: a, b, a, c; without the own records: b, a, c, a; the most frequent is a
    assert (found.attack.n_right, found.baseline.n_right, found.control.n_right) == (3, 1, 0)
    assert found.control_people == "own record left out"
    assert found.risk == pytest.approx(0.75)
    others = attribute_disclosure(
        RAW, X, Y, secret, released, absent=[[0.9], [7.0]], absent_secret=["b", "b"]
    )
    assert others.control == SuccessRate(1, 2) and others.control_people == "absent"
    assert others.risk == pytest.approx(0.5)


def test_a_class_of_one_secret_tells_it_although_nobody_is_found():
    X = np.repeat(np.arange(20.0), 5)[:, None] + np.tile(np.linspace(0, 0.1, 5), 20)[:, None]
    Y = Microaggregation(k=5).fit_transform(X)
    secret = np.repeat(["ill", "well"] * 10, 5)
    linker = EuclideanLinker().fit(X, Y)
    assert linker.score(X, Y) == 0
    assert attribute_disclosure(linker, X, Y, secret, secret).attack == SuccessRate(100, 100)


def test_a_file_released_as_it_is_tells_everything():
    rng = np.random.default_rng(0)
    X, secret = rng.normal(size=(200, 3)), rng.choice(list("abcd"), 200)
    linker = EuclideanLinker().fit(X, X)
    found = attribute_disclosure(linker, X, X, secret, secret)
    assert found.attack.share == 1 and found.risk == 1
    income = rng.lognormal(size=200)
    numbers = attribute_disclosure(linker, X, X, income, income)
    assert numbers.attack.share == 1 and numbers.rank_correlation == pytest.approx(1)
    assert numbers.baseline.share < 0.5


def test_an_independent_release_adds_nothing():
    missed = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        people, release = rng.normal(size=(600, 3)), rng.normal(size=(300, 3))
        secrets, told = (rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2]) for n in (600, 300))
        X = people[:300]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "row i of y")
            linker = EuclideanLinker().fit(X, release)
        control = {"absent": people[300:], "absent_secret": secrets[300:]}
        args = linker, X, release, secrets[:300], told
        for k in (1, 5):
            own_left_out = attribute_disclosure(*args, n_neighbors=k)
            assert own_left_out.risk_interval[0] <= 0 <= own_left_out.risk_interval[1]
            low, high = attribute_disclosure(*args, n_neighbors=k, **control).risk_interval
            missed.append(not low <= 0 <= high)
    assert np.mean(missed) <= 0.1  # 5 % are expected


def test_units_and_order_of_rows_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    Y = X.round()  # many records alike
    secret = rng.lognormal(size=150)
    told = secret * rng.normal(1, 0.05, 150)
    before = attribute_disclosure(EuclideanLinker().fit(X, Y), X, Y, secret, told, n_neighbors=3)
    order, units = rng.permutation(150), np.array([1e3, 1e-3, -4.0])
    X, Y = X[order] * units + 7, Y[order] * units + 7
    linker = EuclideanLinker().fit(X, Y)
    secret, told = secret[order] * 100 + 5, told[order] * 100 + 5
    after = attribute_disclosure(linker, X, Y, secret, told, n_neighbors=3)
    assert (after.attack, after.control) == (before.attack, before.control)
    assert after.baseline == before.baseline


def test_missing_secrets_are_left_out_and_missing_guesses_are_wrong():
    X = np.arange(4.0)[:, None]
    found = attribute_disclosure(
        RAW.fit(X, X), X, X, ["a", None, "b", "b"], ["a", "b", None, "b"], absent=[[0.0]],
        absent_secret=[None],
    )  # fmt: skip
    assert found.attack == SuccessRate(2, 3)
    assert found.control == SuccessRate(0, 0) and found.risk is None


def test_mixed_frames_with_a_pool():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "age": rng.normal(50, 9, 90),
            "sex": rng.choice(["f", "m"], 90),
            "ill": pd.Categorical(rng.choice(["no", "yes"], 90)),
        }
    )
    known, release = table[["age", "sex"]], table[["age", "sex"]][:80]
    X, Y = known[:60], release[:60]
    linker = EuclideanLinker().fit(X, Y, pool=release)
    found = attribute_disclosure(
        linker, X, Y, table["ill"][:60], table["ill"][:80], pool=release,
        absent=known[80:], absent_secret=table["ill"][80:],
    )  # fmt: skip
    assert found.attack.share == 1 and found.control.n_tried == 10
    with pytest.raises(ValueError, match="put them first"):
        attribute_disclosure(linker, X, Y, table["ill"][:60], table["ill"][:80], pool=release[::-1])


@pytest.mark.parametrize("categorical", [True, False])
def test_classes_tell_what_the_definition_says(categorical):
    rng = np.random.default_rng(3)
    records = rng.integers(0, 4, size=(60, 2)).astype(float)
    secret = rng.integers(0, 4, 60).astype(float)
    secret[rng.random(60) < 0.15] = np.nan
    first, classes = classes_of(records)
    released = ReleasedSecret(classes, secret, categorical)
    overall = Counter(secret[~np.isnan(secret)])

    def told(rows):
        values = [secret[row] for row in rows if not np.isnan(secret[row])]
        if not values:
            return np.nan
        if not categorical:
            return np.median(values)
        counts = Counter(values)
        return max(counts, key=lambda one: (counts[one], overall[one], -one))

    nearest = np.array([rng.permutation(len(first))[:4] for _ in range(60)])
    nearest[::2, 0] = classes[::2]  # the own class among them
    nearest = np.array([[*dict.fromkeys(row), *row][:4] for row in nearest.tolist()])
    own = np.arange(60)
    with_own = [told(np.flatnonzero(classes == row[0])) for row in nearest]
    np.testing.assert_array_equal(released.guesses(nearest, 1), with_own)
    without = []
    for person, row in enumerate(nearest):
        groups = [[r for r in np.flatnonzero(classes == c) if r != person] for c in row]
        without.append(told(next(group for group in groups if group)))
    np.testing.assert_array_equal(released.guesses(nearest, 1, own), without)


def test_the_k_nearest_vote_and_the_nearest_of_equals_wins():
    released = ReleasedSecret(np.arange(4), np.array([0.0, 1.0, 1.0, 2.0]), True)
    nearest = np.array([[0, 1, 2], [3, 0, 1], [0, 3, 1]])
    assert released.guesses(nearest, 3).tolist() == [1, 2, 0]
    numbers = ReleasedSecret(np.arange(4), np.array([0.0, 1.0, 1.0, 9.0]), False)
    assert numbers.guesses(nearest, 3).tolist() == [1, 1, 1]


def test_refusals():
    X = np.arange(4.0)[:, None]
    linker, secret = RAW.fit(X, X), list("abab")
    with pytest.raises(ValueError, match="give both or neither"):
        attribute_disclosure(linker, X, X, secret, secret, absent=X)
    with pytest.raises(ValueError, match="n_neighbors is 0"):
        attribute_disclosure(linker, X, X, secret, secret, n_neighbors=0)
    with pytest.raises(ValueError, match="tolerance is -1"):
        attribute_disclosure(linker, X, X, secret, secret, tolerance=-1)
    with pytest.raises(ValueError, match="one value per record"):
        attribute_disclosure(linker, X, X, X, X)
