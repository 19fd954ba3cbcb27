"""Missing is a state: a column of one value and of missing ones tells records apart."""

import itertools

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    DensityLinker,
    EuclideanLinker,
    MahalanobisLinker,
    OWALinker,
    WeightedMeanLinker,
    audit,
    verify_certificate,
)
from sklearn_reclink.auditing import scenarios
from sklearn_reclink.data.mixed import learn_mixed_view

AGE = [1.0, 2.0, 1.0, 2.0]
FILES = {  # of four people, told apart by age and by what is missing
    "a flag": (["x", None, None, "x"], ["x", None, None, "x"]),
    "one number": ([7.0, None, None, 7.0], [7.0, None, None, 7.0]),
    "one category suppressed": (["y", "n", "n", "y"], [None, "n", "n", None]),
    "one number suppressed": ([1.0, 5.0, 5.0, 9.0], [None, 5.0, 5.0, None]),
    "other categories in the release": (["x", None, None, "x"], ["y", None, None, "z"]),
}
VIEWS = ["separate", "difference", "rank", None]
EXACT = [WeightedMeanLinker(), OWALinker(), ChoquetLinker(), BilinearLinker(constraint="psd")]


@pytest.fixture(params=FILES.values(), ids=FILES)
def files(request):
    return tuple(pd.DataFrame({"age": AGE, "flag": column}) for column in request.param)


@pytest.mark.parametrize("standardize", VIEWS)
@pytest.mark.parametrize("linker", EXACT, ids=lambda one: type(one).__name__)
def test_everybody_is_linked_and_the_certificate_holds(linker, standardize, files):
    linker.set_params(standardize=standardize, certify=True).fit(*files)
    assert linker.n_linked_ == linker.bound_ == 4
    assert verify_certificate(linker.certificate_, *files).bound == 4


@pytest.mark.parametrize("linker", [EuclideanLinker(), MahalanobisLinker()])
@pytest.mark.parametrize("name", ["a flag", "one number"])
def test_where_nothing_is_learned_present_and_missing_differ(linker, name):
    original, masked = (pd.DataFrame({"age": AGE, "flag": column}) for column in FILES[name])
    assert linker.fit(original, masked).n_linked_ == 4


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
@pytest.mark.parametrize("standardize", [*VIEWS, "gower"])
def test_columns_of_any_states_have_finite_coordinates(standardize, kind):
    """Or are left out, if all is missing, or the same, in one of the files."""
    states = [[0.0] * 3, [np.nan] * 3, [0, 0, np.nan], [0, np.nan, 1], [5, 5, np.nan], [0, 1, 1]]
    other = np.array([1.0, 2.0, 3.0])
    for x, y in itertools.product(states, repeat=2):
        X, Y = np.column_stack([other, x]), np.column_stack([other, y])
        view = learn_mixed_view(X, Y, Y, ["numeric", kind], standardize, expected=True)
        varies = all(len(set(map(str, one))) > 1 and not np.isnan(one).all() for one in (x, y))
        assert view.informative.tolist() == [True, varies]
        for file, values in zip(view.coordinates(X, Y), (X, Y), strict=True):
            assert not np.isinf(file).any()
            if varies:
                np.testing.assert_array_equal(np.isnan(file[:, 1]), np.isnan(values[:, 1]))


@pytest.fixture(scope="module")
def flags():
    """Ten flags, x or empty, released as they are beside an age in bands."""
    rng = np.random.default_rng(1)
    age, known = rng.integers(20, 80, 120), rng.random((120, 10)) < 0.5
    original = pd.DataFrame({f"flag {k}": np.where(known[:, k], "x", None) for k in range(10)})
    return original.assign(age=age), original.assign(age=age // 20 * 20)


def test_an_audit_sees_flags_that_are_released(flags):
    options = {"attackers": ["weighted_mean"], "time_limit": 5.0, "limit": 0.05}
    found = audit(*flags, **options)
    assert found.above_limit
    assert found.monotone_bound >= found.worst.n_found > 100
    unchanged = {one.column for one in found.findings if one.kind == "unchanged"}
    assert unchanged == {f"flag {k}" for k in range(10)}
    weights = {one.name: one.weight for one in found.contributions.variables}
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["age"] < 0.5


def test_copies_of_flags_are_found_in_a_release_that_is_not_aligned(flags):
    original, masked = (file.drop(columns="age") for file in flags)
    found = audit(original, masked.sample(frac=1, random_state=0), aligned=False)
    assert found.risk > 0.9


def test_scenarios_of_flags_are_bracketed(flags):
    original, masked = (file[["flag 0", "flag 1", "age"]] for file in flags)
    found = scenarios(original, masked, time_limit=3.0, pairs=(), attackers=[])
    flags_alone = next(one for one in found.scenarios if one.variables == ("flag 0",))
    assert flags_alone.expected > 1.5  # two states: a guess within each


@pytest.mark.parametrize("rule", ["nearest", "balanced", "one_to_one"])
def test_a_column_of_one_number_has_no_errors_to_learn(rule):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(80, 2)), np.where(rng.random(80) < 0.5, 1.0, np.nan)])
    Y = X.copy()
    Y[:, :2] += 0.1 * rng.normal(size=(80, 2))
    linker = DensityLinker(rule=rule, random_state=0).fit(X, Y)
    assert np.isfinite(linker.pair_distance(np.stack([X, Y], axis=1))).all()
    without = DensityLinker(rule=rule, random_state=0).fit(X[:, :2], Y[:, :2])
    assert linker.score(X, Y) >= without.score(X[:, :2], Y[:, :2]) - 0.05


@pytest.mark.parametrize("standardize", ["separate", "rank"])
@pytest.mark.parametrize("offset", [0.0, 100.0, 1e17])
def test_the_unit_of_a_column_with_one_original_value_changes_nothing(standardize, offset):
    rng = np.random.default_rng(0)
    kept = np.where(rng.random(60) < 0.5, 1.0, np.nan)
    X = np.column_stack([np.arange(60.0), 5 * kept])
    Y = np.column_stack([np.arange(60.0), (rng.normal(size=60) + offset) * kept])
    for files in ((X, Y), (np.column_stack([X[:, 0], (5 + offset) * kept]), Y)):
        assert EuclideanLinker(standardize=standardize).fit(*files).n_linked_ == 60


@pytest.mark.parametrize("kind", ["x", 5.0])
def test_a_far_impostor_with_another_value_changes_no_link(kind):
    rng = np.random.default_rng(1)
    known = rng.random((60, 8)) < 0.5
    frame = pd.DataFrame({f"flag {k}": np.where(known[:, k], kind, None) for k in range(8)})
    frame = frame.assign(age=np.arange(60) // 4 * 1.0).convert_dtypes()
    other = frame.iloc[:1].assign(age=1000.0, **{f"flag {k}": kind * 2 for k in range(8)})
    pool = pd.concat([frame, other.convert_dtypes()], ignore_index=True)
    for linker in (EuclideanLinker(), MahalanobisLinker()):
        alone = linker.fit(frame, frame).n_linked_
        assert linker.fit(frame, frame, pool=pool).n_linked_ == alone


def test_other_unseen_categories_change_no_distance():
    X = pd.DataFrame({"age": np.arange(6.0), "flag": ["a", None, "a", None, "a", "a"]})
    linker = EuclideanLinker().fit(X, X)
    new = pd.DataFrame({"age": [0.0] * 9, "flag": list("bcdefghij")})
    alone = linker.kneighbors(new.iloc[8:], 6)[0]
    np.testing.assert_array_equal(linker.kneighbors(new, 6)[0][8:], alone)
