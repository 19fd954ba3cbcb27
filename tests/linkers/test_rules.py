"""Rules, ranks and shrinkage on every linker."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.model_selection import GridSearchCV

from sklearn_reclink import BilinearLinker, ChoquetLinker, EuclideanLinker, HLMSChoquetLinker
from sklearn_reclink.linkers import ALL_LINKERS, MahalanobisLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.linkers._likelihood import LikelihoodLinker
from sklearn_reclink.masking import Microaggregation, RankSwapping
from sklearn_reclink.rules import RULES

BY_DISTANCE = [linker for linker in ALL_LINKERS if not issubclass(linker, LikelihoodLinker)]
LEARNED = (WeightedMeanLinker, OWALinker, ChoquetLinker, BilinearLinker, HLMSChoquetLinker)


@pytest.fixture(scope="module")
def swapped():
    X = np.random.default_rng(0).lognormal(size=(40, 3))
    return X, RankSwapping(p=6, random_state=0).fit_transform(X)


def distances_of(linker, X, Y):
    found, rows = linker.set_params(rule="nearest").kneighbors(X, len(Y), Y)
    table = np.empty((len(X), len(Y)))
    np.put_along_axis(table, rows, found, axis=1)
    return table


@pytest.mark.parametrize("linker_class", BY_DISTANCE)
@pytest.mark.parametrize("rule", RULES)
def test_score_link_and_predict_follow_the_rule_and_the_proof_stays_with_nearest(
    linker_class, rule, swapped
):
    X, Y = swapped
    linker = linker_class(rule=rule, random_state=0).fit(X, Y)
    found = linker.link(X, Y)
    assert linker.score(X, Y) == found.rate <= found.expected_rate
    np.testing.assert_array_equal(linker.predict(X), found.links)
    if rule != "one_to_one":
        np.testing.assert_array_equal(linker.kneighbors(X, 2)[1][:, 0], found.links)
    nearest = linker_class(random_state=0).fit(X, Y)
    assert (linker.n_linked_, linker.bound_) == (nearest.n_linked_, nearest.bound_)
    assert linker.n_linked_ == round(nearest.score(X, Y) * len(X))


def test_density_rule_is_its_formula(swapped):
    X, Y = swapped
    linker = EuclideanLinker(rule="density").fit(X, Y)
    links = linker.predict(X)
    scores = -distances_of(linker, X, Y) / linker.temperature_
    corrected = scores - np.log(np.exp(scores).sum(axis=0))
    np.testing.assert_array_equal(links, corrected.argmax(axis=1))


def test_one_to_one_rule_has_the_least_total_distance(swapped):
    X, Y = swapped
    linker = EuclideanLinker(rule="one_to_one").fit(X, Y)
    links = linker.predict(X)
    table = distances_of(linker, X, Y)
    rows, columns = linear_sum_assignment(table)
    assert table[np.arange(len(X)), links].sum() == pytest.approx(table[rows, columns].sum())
    assert len(np.unique(links)) == len(links)


@pytest.mark.parametrize("rule", RULES)
def test_ties_are_no_links_by_any_rule(rule):
    X = np.random.default_rng(0).normal(size=(60, 2))
    Y = Microaggregation(k=3).fit_transform(X)
    found = EuclideanLinker(rule=rule).fit(X, Y).link(X, Y)
    assert found.rate == 0
    assert found.expected_rate > 0


@pytest.mark.parametrize("linker_class", BY_DISTANCE)
def test_ranks_do_not_change_with_an_increasing_transformation(linker_class, swapped):
    X, Y = swapped
    first = linker_class(standardize="rank", random_state=0).fit(X, Y)
    second = linker_class(standardize="rank", random_state=0).fit(np.log(X), Y**2)
    assert first.n_linked_ == second.n_linked_
    assert first.n_linked_ <= first.bound_


def test_swapped_ranks_are_told_better_by_ranks():
    X = np.random.default_rng(1).lognormal(sigma=1.5, size=(300, 3))
    Y = RankSwapping(p=5, random_state=0).fit_transform(X)
    values, ranks = (
        EuclideanLinker(standardize=s).fit(X, Y).n_linked_ for s in ("separate", "rank")
    )
    assert ranks > values + 30


@pytest.mark.parametrize("linker_class", LEARNED)
def test_full_shrinkage_links_like_equal_weights_and_half_of_it_obeys_the_bound(
    linker_class, swapped
):
    X, Y = swapped
    plain = EuclideanLinker().fit(X, Y)
    free, half, full = (
        linker_class(shrinkage=share, random_state=0).fit(X, Y) for share in (0.0, 0.5, 1.0)
    )
    np.testing.assert_array_equal(full.predict(X), plain.predict(X))
    for linker in (half, full):
        assert linker.bound_ == free.bound_
        assert linker.n_linked_ == round(linker.score(X, Y) * len(X)) <= linker.bound_
        assert (linker.status_ == "optimal") == (linker.n_linked_ == linker.bound_)
        assert linker.status_ in ("optimal", "shrunk", "heuristic")


def test_shrunk_weights_are_the_mixture(swapped):
    X, Y = swapped
    wide = [np.column_stack([table, np.ones(len(table))]) for table in (X, Y)]
    free, half = (WeightedMeanLinker(shrinkage=s, random_state=0).fit(*wide) for s in (0.0, 0.5))
    np.testing.assert_allclose(half.weights_, np.add(free.weights_, [1 / 3, 1 / 3, 1 / 3, 0]) / 2)
    owa = OWALinker(shrinkage=1.0).fit(*wide)
    np.testing.assert_allclose(owa.weights_, [1 / 3, 1 / 3, 1 / 3, 0])
    capacity = ChoquetLinker(shrinkage=0.3, random_state=0).fit(*wide).capacity_
    assert capacity[0] == 0
    assert capacity[-1] == capacity[0b0111] == 1
    bilinear = BilinearLinker(shrinkage=0.3, random_state=0).fit(*wide)
    assert np.linalg.eigvalsh(bilinear.matrix_)[0] >= 0
    assert not bilinear.matrix_[3].any()


def test_a_k_additive_capacity_stays_one_when_shrunk(swapped):
    X, Y = swapped
    linker = ChoquetLinker(k_additive=2, shrinkage=0.4, random_state=0).fit(X, Y)
    assert abs(linker.mobius_[0b111]) < 1e-12
    assert linker.mobius_.sum() == pytest.approx(1.0)


def test_grid_search_over_constraint_standardize_rule_and_shrinkage(swapped):
    grid = {
        "constraint": ["simplex", "positive"],
        "standardize": ["separate", "rank"],
        "rule": ["nearest", "balanced"],
        "shrinkage": [0.0, 1.0],
    }
    search = GridSearchCV(WeightedMeanLinker(random_state=0), grid, cv=2).fit(*swapped)
    assert search.best_params_["rule"] == "balanced"


@pytest.mark.parametrize(
    ("linker", "message"),
    [
        (EuclideanLinker(rule="all"), "'rule' parameter"),
        (WeightedMeanLinker(shrinkage=1.5), "'shrinkage' parameter"),
        (MahalanobisLinker(standardize="ranks"), "'standardize' parameter"),
    ],
    ids=str,
)
def test_errors_say_what_is_needed(linker, message, swapped):
    with pytest.raises(ValueError, match=message):
        linker.fit(*swapped)
