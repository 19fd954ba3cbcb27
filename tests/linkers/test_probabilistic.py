from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_reclink import ProbabilisticLinker
from sklearn_reclink.metrics import expected_reidentification_rate, reidentification_rate
from tests.linkers.test_common import FIT_ON_ONE_COLUMN, SELF_MASKING

SelfMasking = SELF_MASKING[ProbabilisticLinker]


@pytest.fixture
def categories():
    """Five answers of 80 people, one in ten of which was changed."""
    rng = np.random.default_rng(0)
    X = rng.integers([3, 4, 5, 6, 9], size=(80, 5)).astype(float)
    return X, np.where(rng.random(X.shape) < 0.1, rng.integers([3, 4, 5, 6, 9], size=X.shape), X)


every_rule = pytest.mark.parametrize("rule", ["one_to_one", "nearest"])


@parametrize_with_checks(
    [ProbabilisticLinker(rule=rule) for rule in ("one_to_one", "nearest")],
    expected_failed_checks=lambda linker: FIT_ON_ONE_COLUMN,
)
def test_linker_passes_checks_but_for_one_column_y(estimator, check):
    check(estimator)


@parametrize_with_checks([SelfMasking(rule=rule) for rule in ("one_to_one", "nearest")])
def test_self_masking_linker_passes_checks(estimator, check):
    check(estimator)


@every_rule
@pytest.mark.parametrize("kind", ["files", "categories"])
def test_counts_and_rates_agree(rule, kind, request):
    X, Y = request.getfixturevalue(kind)
    linker = ProbabilisticLinker(rule=rule).fit(X, Y)
    found = linker.link(X, Y)
    assert linker.score(X, Y) * len(X) == pytest.approx(linker.n_linked_)
    assert linker.n_linked_ == found.n_linked > 0
    assert linker.score(X, Y) == found.rate <= found.expected_rate
    np.testing.assert_array_equal(linker.predict(X), found.links)
    assert reidentification_rate(found.links, n_tied=found.n_tied) == found.rate
    assert expected_reidentification_rate(found.own_tied, found.n_tied) == found.expected_rate
    assert linker.score(X, Y, sample_weight=found.reidentified) == 1.0
    again = pickle.loads(pickle.dumps(linker))
    np.testing.assert_array_equal(again.predict(X), found.links)


def test_no_masked_record_is_linked_twice_and_some_records_may_be_left(categories):
    X, Y = categories
    linker = ProbabilisticLinker(tolerance=0).fit(X, Y)
    for pool in (None, Y[:10]):
        links = linker.predict(X, pool=pool)
        used = links[links >= 0]
        assert len(np.unique(used)) == len(used) > 0
    assert links.max() < 10 and (links == -1).sum() >= 70


@every_rule
def test_rates_change_neither_with_units_nor_with_order_nor_with_the_seed(rule, files):
    X, Y = files
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    expected = ProbabilisticLinker(rule=rule, random_state=0).fit(X, Y)
    for seed, change in enumerate(
        [lambda t: t, lambda t: 4 * t, lambda t: t[rows], lambda t: t[:, columns]]
    ):
        other = ProbabilisticLinker(rule=rule, random_state=seed).fit(change(X), change(Y))
        assert other.n_linked_ == expected.n_linked_
        assert other.link(change(X), change(Y)).expected_rate == pytest.approx(
            expected.link(X, Y).expected_rate
        )


@every_rule
def test_a_key_variable_finds_everybody(rule, files):
    X, Y = files
    key = np.arange(len(X))[:, None]
    linker = ProbabilisticLinker(rule=rule, match_share=1 / len(X))
    assert linker.fit(np.hstack([X, key]), np.hstack([Y, key])).n_linked_ == len(X)


@every_rule
def test_equal_masked_records_are_not_told_apart(rule, categories):
    X, Y = categories
    linker = ProbabilisticLinker(rule=rule, tolerance=0).fit(X, Y)
    twice = [np.vstack([file, file]) for file in (X, Y)]
    found = linker.link(*twice)
    assert found.rate == 0.0
    assert found.expected_rate > 0.1


def test_probabilities_are_those_of_the_masking(categories):
    X, Y = categories
    linker = ProbabilisticLinker(tolerance=0, match_share=1 / 80).fit(X, Y)
    agree = X[:, None] == Y[None]
    own = np.eye(80, dtype=bool)
    np.testing.assert_allclose(linker.m_, agree[own].mean(axis=0), atol=0.1)
    np.testing.assert_allclose(linker.u_, agree[~own].mean(axis=0), atol=0.02)
    np.testing.assert_allclose(
        linker.weights_,
        np.column_stack(
            [np.log2((1 - linker.m_) / (1 - linker.u_)), np.log2(linker.m_ / linker.u_)]
        ),
    )
    assert linker.tolerance_.tolist() == [0.0] * 5


@pytest.mark.parametrize("standardize", ["separate", "difference"])
def test_tolerances_are_in_the_units_of_standardize(standardize, files):
    X, Y = files
    linker = ProbabilisticLinker(standardize=standardize, tolerance=0.5).fit(X, Y)
    assert linker.n_linked_ > 0
    shifted = ProbabilisticLinker(standardize=standardize, tolerance=0.5).fit(8 * X + 1, 8 * Y + 1)
    assert shifted.n_linked_ == linker.n_linked_


def test_columns_are_matched_by_name(frames):
    X, Y = frames
    linker = ProbabilisticLinker().fit(X, Y[["tax", "age", "hours", "income"]])
    assert linker.n_linked_ == ProbabilisticLinker().fit(X.to_numpy(), Y.to_numpy()).n_linked_
    assert linker.score(X, Y[["tax", "age", "hours", "income"]]) * 60 == linker.n_linked_
    with pytest.raises(ValueError, match="lacks"):
        linker.predict(X, pool=Y.drop(columns="tax"))


def test_grid_search_over_tolerances(files):
    X, Y = files
    grid = {"tolerance": ["auto", 0.5], "standardize": ["difference"]}
    search = GridSearchCV(ProbabilisticLinker(), grid, cv=3).fit(X, Y)
    assert 0 < search.best_score_ <= 1


def test_equality_of_continuous_variables_is_refused(files):
    X, Y = files
    with pytest.raises(ValueError, match=r"no two records agree in any variable: .* tolerance"):
        ProbabilisticLinker(tolerance=0).fit(X, Y)


def test_a_variable_that_never_agrees_is_named(categories):
    X, Y = (pd.DataFrame(file, columns=list("abcde")) for file in categories)
    changed = Y.assign(c=Y["c"] + 0.25)
    with pytest.warns(UserWarning, match=r"agree in the columns \['c'\], .* tolerance"):
        linker = ProbabilisticLinker(tolerance=0).fit(X, changed)
    others = ProbabilisticLinker(tolerance=0).fit(X.drop(columns="c"), Y.drop(columns="c"))
    assert linker.n_linked_ == others.n_linked_


def test_files_in_which_all_agree_are_refused(files):
    X, Y = files
    with pytest.raises(ValueError, match="all pairs of records agree in the same variables"):
        ProbabilisticLinker(tolerance=1e9).fit(X, Y)


def test_constant_columns_contribute_nothing(categories):
    X, Y = categories
    plain = ProbabilisticLinker().fit(X, Y)
    linker = ProbabilisticLinker().fit(*(np.column_stack([f, np.full(80, 3.0)]) for f in (X, Y)))
    assert linker.n_linked_ == plain.n_linked_
    np.testing.assert_allclose(linker.weights_[-1, 1], 0, atol=1e-9)


@pytest.mark.parametrize("tolerance", [[0.0, 1.0], [[0.0]], [0, 0, 0, -1.0], [0, 0, 0, np.nan]])
def test_tolerances_that_do_not_fit(tolerance, files):
    with pytest.raises(ValueError, match=r"tolerance is .* or 4, one for each variable"):
        ProbabilisticLinker(tolerance=tolerance).fit(*files)


def test_unfinished_search_warns(files):
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations: raise max_iter"):
        ProbabilisticLinker(max_iter=2).fit(*files)
