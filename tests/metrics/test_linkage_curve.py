"""Recall and precision by margin, against a dense computation with all distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from sklearn_reclink import (
    DensityLinker,
    EuclideanLinker,
    MahalanobisLinker,
    Pool,
    ProbabilisticLinker,
    TransformedLinker,
    WeightedMeanLinker,
)
from sklearn_reclink.metrics import linkage_curve

N_PAIRS, N_RELEASE = 25, 40
MARGINS = {
    "difference": lambda first, second: second - first,
    "relative": lambda first, second: (second - first) / (abs(second) + abs(first)),
}


def numbers():
    rng = np.random.default_rng(0)
    people = rng.normal(size=(60, 3))
    return people, people[:N_RELEASE] + rng.normal(scale=0.4, size=(N_RELEASE, 3))


def numbers_with_ties():
    people, release = numbers()
    return people.round(), release.round()


def mixed():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "age": rng.integers(18, 90, size=60).astype(float),
            "sex": rng.choice(["f", "m"], size=60),
            "region": rng.choice(list("abcdefgh"), size=60),
            "school": pd.Categorical(rng.choice([1, 2, 3], size=60), [1, 2, 3], ordered=True),
        }
    )
    release = people[:N_RELEASE].copy()
    release["age"] += rng.integers(-4, 5, size=N_RELEASE)
    release.loc[rng.random(N_RELEASE) < 0.2, "region"] = None
    people.loc[rng.random(60) < 0.1, "age"] = np.nan
    return people, release


FILES = {"numbers": numbers, "ties": numbers_with_ties, "mixed": mixed}


def split(people, release):
    """Pairs, then people only in the release, then people only in the original."""
    return people[:N_PAIRS], release[:N_PAIRS], release, people[N_RELEASE:]


def distances(linker, people, pool):
    """All distances, one pair at a time."""
    original, masked = (np.asarray(file, dtype=object) for file in (people, pool))
    pairs = np.array([[a, b] for a in original for b in masked], dtype=object)
    return linker.pair_distance(pairs).reshape(len(original), len(masked))


def dense_claims(linker, people, pool, own, weights, margin):
    """Margin, rightness and weight of every link that is strict, person by person."""
    found = []
    for row, own_row, weight in zip(distances(linker, people, pool), own, weights, strict=True):
        first, second = np.argsort(row, kind="stable")[:2]
        gap = row[second] - row[first]
        if gap > 1e-12 * (abs(row[first]) + abs(row[second])):
            found.append((MARGINS[margin](row[first], row[second]), first == own_row, weight))
    return found


def check(claims, expected, weight_of_pairs):
    thresholds = sorted({margin for margin, _, _ in expected}, reverse=True)
    assert claims.threshold[0] == np.inf and claims.n_claimed[0] == 0 and claims.recall[0] == 0
    assert np.isnan(claims.precision[0])
    np.testing.assert_allclose(claims.threshold[1:], thresholds, rtol=1e-12)
    for place, threshold in enumerate(thresholds, start=1):
        claimed = [one for one in expected if one[0] >= threshold]
        right = [one for one in claimed if one[1]]
        number = sum(weight for *_, weight in right)
        assert (claims.n_claimed[place], claims.n_right[place]) == (len(claimed), len(right))
        assert claims.expected_number[place] == pytest.approx(number)
        assert claims.recall[place] == pytest.approx(number / weight_of_pairs)
        total = sum(weight for *_, weight in claimed)
        assert claims.precision[place] == pytest.approx(number / total)


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("files", "Linker"),
    [*((files, EuclideanLinker) for files in FILES), ("numbers", DensityLinker)],
)
def test_curve_equals_a_dense_computation(files, Linker, weighted, margin):
    X, Y, pool, absent = split(*FILES[files]())
    linker = Linker(rule="nearest").fit(X, Y, pool=pool)
    rng = np.random.default_rng(2)
    w, v = rng.uniform(1, 9, size=N_PAIRS), rng.uniform(1, 9, size=len(absent))
    options = {"sample_weight": w, "absent_weight": v} if weighted else {}
    if not weighted:
        w, v = np.ones(N_PAIRS), np.ones(len(absent))
    curve = linkage_curve(linker, X, Y, pool=pool, absent=absent, margin=margin, **options)
    of_pairs = dense_claims(linker, X, pool, range(N_PAIRS), w, margin)
    of_absent = dense_claims(linker, absent, pool, [-1] * len(absent), v, margin)
    check(curve.known, of_pairs, w.sum())
    check(curve.unknown, of_pairs + of_absent, w.sum())
    assert of_absent and any(right for _, right, _ in of_pairs)
    assert (curve.n_pairs, curve.n_absent, curve.pool_size) == (N_PAIRS, 20, N_RELEASE)


LINKERS = [
    EuclideanLinker(),
    EuclideanLinker(standardize="gower"),
    EuclideanLinker(rule="density"),
    MahalanobisLinker(),
    WeightedMeanLinker(),
]
CASES = [(files, linker) for files in FILES for linker in LINKERS]
CASES += [("numbers", DensityLinker()), ("numbers", ProbabilisticLinker(rule="nearest"))]


@pytest.mark.parametrize(("files", "linker"), CASES, ids=str)
def test_recall_of_all_strict_links_is_the_score(files, linker):
    X, Y, pool, _ = split(*FILES[files]())
    linker = clone(linker).fit(X, Y, pool=pool)
    weights = np.arange(1.0, N_PAIRS + 1)
    for where in (None, pool):
        curve = linkage_curve(linker, X, Y, pool=where)
        assert curve.known.recall[-1] == curve.unknown.recall[-1] == linker.score(X, Y, pool=where)
        curve = linkage_curve(linker, X, Y, pool=where, sample_weight=weights)
        assert curve.known.recall[-1] == pytest.approx(linker.score(X, Y, weights, where))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=10))
def test_a_tie_is_never_claimed(rows):
    pool = np.array(rows, dtype=float)
    pool[0], pool[1] = (0, 0), (3, 3)
    X = np.round(pool[::-1] / 2)[: len(pool) // 2]
    linker = EuclideanLinker(standardize=None).fit(pool, pool)
    Y = pool[: len(X)]
    curve = linkage_curve(linker, X, Y, pool=Pool(pool), absent=pool[:3] + 0.5)
    assert curve.known.recall[-1] == linker.score(X, Y, pool=Pool(pool))
    assert curve.known.n_claimed[-1] == np.count_nonzero(
        linker.link(X, Y, pool=Pool(pool)).n_tied == 1
    )
    assert np.all(curve.unknown.threshold > 0) and np.all(np.diff(curve.unknown.threshold) < 0)


def test_nothing_is_claimed_where_all_are_tied():
    X = np.array([[0.0], [1.0], [2.0]])
    linker = EuclideanLinker(standardize=None).fit(X, X)
    Y = np.ones((3, 1))
    for claims in (
        linkage_curve(linker, X, Y, absent=X).known,
        linkage_curve(linker, X, Y).unknown,
    ):
        assert len(claims.threshold) == 1 and claims.recall[-1] == claims.n_claimed[-1] == 0
        assert claims.at_precision(0.5) == 0 and np.isnan(claims.at_recall(0.5))


def test_absent_people_lower_the_precision_of_those_who_do_not_know_only():
    X, Y, pool, absent = split(*numbers())
    linker = EuclideanLinker().fit(X, Y, pool=pool)
    alone = linkage_curve(linker, X, Y, pool=pool)
    curve = linkage_curve(linker, X, Y, pool=pool, absent=absent)
    pd.testing.assert_frame_equal(alone.known.to_frame(), curve.known.to_frame())
    pd.testing.assert_frame_equal(alone.known.to_frame(), alone.unknown.to_frame())
    assert curve.unknown.precision[-1] < curve.known.precision[-1]
    assert curve.unknown.recall[-1] == curve.known.recall[-1]
    empty = linkage_curve(linker, X, Y, pool=pool, absent=absent[:0])
    pd.testing.assert_frame_equal(alone.unknown.to_frame(), empty.unknown.to_frame())


@pytest.mark.parametrize("reading", ["known", "unknown"])
def test_auto_takes_the_margin_of_larger_average_precision(reading):
    X, Y, pool, absent = split(*numbers())
    linker = EuclideanLinker().fit(X, Y, pool=pool)
    each = [
        getattr(linkage_curve(linker, X, Y, pool=pool, absent=absent, margin=margin), reading)
        for margin in ("auto", *MARGINS)
    ]
    best = max(each[1:], key=lambda claims: claims.average_precision)
    assert (each[0].margin, each[0].average_precision) == (best.margin, best.average_precision)
    ends = {(one.recall[-1], one.precision[-1], one.n_claimed[-1], one.n_right[-1]) for one in each}
    assert len(ends) == 1  # which margin is asked for does not matter where all are claimed


def test_links_that_predict_leaves_out_are_not_claimed():
    rng = np.random.default_rng(0)
    people = rng.integers(30, size=(120, 3))
    X, Y, absent = people[:60], people[:60], people[60:]
    linker = ProbabilisticLinker(tolerance=0, rule="nearest").fit(X, Y)
    curve = linkage_curve(linker, X, Y, absent=absent)
    linked = np.count_nonzero(linker.predict(absent, pool=Y) >= 0)
    assert 0 < linked < len(absent)
    assert curve.unknown.n_claimed[-1] - curve.known.n_claimed[-1] <= linked


def test_order_of_the_pool_and_kind_of_table_do_not_matter():
    X, Y, pool, absent = split(*numbers())
    linker = TransformedLinker(EuclideanLinker(), StandardScaler(), fit_on="each")
    linker.fit(X, Y, pool=pool)
    expected = linkage_curve(linker, X, Y, pool=pool, absent=absent)
    for other in (Pool(pool[::-1]), pool[::-1].tolist()):
        found = linkage_curve(linker, X, Y, pool=other, absent=absent.tolist())
        pd.testing.assert_frame_equal(found.unknown.to_frame(), expected.unknown.to_frame())


def test_errors_name_what_is_wrong():
    X, Y, _, absent = split(*numbers())
    linker = EuclideanLinker().fit(X, Y)
    ones = np.ones(N_PAIRS)
    for options, message in [
        ({"margin": "wide"}, '"auto", "difference" or "relative"'),
        ({"absent_weight": [1.0]}, "give absent too"),
        ({"absent": absent, "sample_weight": ones}, "absent_weight is not"),
        ({"absent": absent, "absent_weight": np.ones(20)}, "sample_weight is not"),
        (
            {"absent": absent, "sample_weight": ones, "absent_weight": [1]},
            r"absent_weight has .*20",
        ),
        ({"sample_weight": -ones}, "sample_weight is negative in row 0"),
        ({"sample_weight": 0 * ones}, "sample_weight is 0 in all rows"),
        ({"absent": absent[:, :2]}, "2 features"),
    ]:
        with pytest.raises(ValueError, match=message):
            linkage_curve(linker, X, Y, **options)
    with pytest.raises(ValueError, match="the pool has 1 record"):
        linkage_curve(linker, X[:1], Y[:1])
    with pytest.raises(NotFittedError):
        linkage_curve(EuclideanLinker(), X, Y)
    with pytest.raises(ValueError, match=r'"one_to_one" have no margin: use rule="nearest"'):
        linkage_curve(linker.set_params(rule="one_to_one"), X, Y)
    with pytest.raises(ValueError, match=r"'balanced' depend on who else"):
        linkage_curve(DensityLinker().fit(X, Y), X, Y, absent=absent)
    claims = linkage_curve(linker.set_params(rule="nearest"), X, Y).known
    with pytest.raises(ValueError, match="precision is 95: it must be a share"):
        claims.at_precision(95)
    with pytest.raises(ValueError, match=r"recall is 1\.5: it must be a share"):
        claims.at_recall(1.5)
