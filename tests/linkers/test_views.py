"""Several ways to standardise: the best of them, and a bound for all."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from sklearn_reclink import BilinearLinker, ChoquetLinker, DensityLinker, EuclideanLinker, Pool
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.linkers import (
    HLMSChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    ProbabilisticLinker,
    WeightedMeanLinker,
)
from sklearn_reclink.linkers._base import learn_in
from sklearn_reclink.linkers._export import export_mps
from sklearn_reclink.linkers._transformed import TransformedLinker
from sklearn_reclink.linkers._view import View, conclude, in_turn, notes_on
from sklearn_reclink.masking import Microaggregation, RankSwapping
from sklearn_reclink.solvers.problem import Solution, Status
from tests.problems import noisy_files

VIEWS = ("separate", "difference", "rank")
LEARNED = (WeightedMeanLinker, OWALinker, ChoquetLinker, BilinearLinker, HLMSChoquetLinker)
MASKINGS = {"M4-33": ([[0, 1], [2, 3]], [3, 3]), "M5-38": ([[0, 1, 2], [3, 4]], [3, 8])}


def business_files(name: str, seed: int, n_records: int = 400):
    """Raw MDAV of business accounts, as in the papers."""
    groups, k = MASKINGS[name]
    X = make_microdata(n_records, sum(map(len, groups)), tail="heavy", random_state=seed)
    return X, Microaggregation(groups=groups, k=k).fit_transform(X)


# -- the laws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MASKINGS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_several_views_link_as_many_as_the_best_and_bound_them_all(name):
    X, Y = business_files(name, seed=0, n_records=100)
    for linker in (*LEARNED, EuclideanLinker, MahalanobisLinker):
        limited = linker in LEARNED
        one = linker(time_limit=0.5, random_state=0) if limited else linker()
        single = {view: clone(one).set_params(standardize=view).fit(X, Y) for view in VIEWS}
        several = one.set_params(standardize=VIEWS, **{"time_limit": 1.5} if limited else {})
        several.fit(X, Y)
        most = max(each.n_linked_ for each in single.values())
        assert several.bound_ >= most
        if several.status_ != "time_limit":  # else it is a matter of luck
            assert several.n_linked_ >= most
        assert several.score(X, Y) * len(X) == several.n_linked_
        # the scales are those of the view that won
        winner = single[several.standardize_]
        np.testing.assert_array_equal(
            several.scales_.original(X), winner.scales_.original(X), strict=True
        )
        if hasattr(several, "ceiling_"):
            assert several.ceiling_ == max(each.ceiling_ for each in single.values())
        if all(each.status_ == "optimal" for each in (several, *single.values())):
            assert several.bound_ == max(each.bound_ for each in single.values())


class Ticks:
    """A clock that each look moves on, so that a search does the same whatever the load."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 2.0**-10
        return self.now


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_views_with_little_time_link_as_many_as_the_best_does_alone(seed, monkeypatch):
    monkeypatch.setattr(time, "monotonic", Ticks())
    for name in MASKINGS:
        X, Y = business_files(name, seed)
        for linker in LEARNED:
            one = linker(time_limit=2.0**-4, random_state=0)
            most = max(
                clone(one).set_params(standardize=view).fit(X, Y).n_linked_ for view in VIEWS
            )
            several = one.set_params(standardize=VIEWS, time_limit=3 * 2.0**-4).fit(X, Y)
            if linker is BilinearLinker:
                most = max(most, MahalanobisLinker().fit(X, Y).n_linked_)
            assert most <= several.n_linked_ <= several.bound_


@pytest.mark.parametrize(("name", "seed"), [("M4-33", 0), ("M4-33", 1), ("M5-38", 0)])
def test_weighted_means_of_business_files_are_proven_in_all_views(name, seed):
    X, Y = business_files(name, seed)
    linker = WeightedMeanLinker(standardize=VIEWS).fit(X, Y)
    assert (linker.status_, linker.standardize_) == ("optimal", "difference")
    assert linker.n_linked_ > WeightedMeanLinker().fit(X, Y).n_linked_ + 100


def key_files(seed):
    """A column that is not masked, with ties."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(12, size=120), rng.normal(size=(120, 3))])
    Y = X + rng.normal(size=X.shape) * [0, 0.2, 0.4, 0.6]
    return X, Y


def total_files(seed):
    """Masking keeps the sum of every record."""
    rng = np.random.default_rng(seed)
    X = rng.integers(9, size=(120, 4)).astype(float)
    error = rng.integers(-1, 2, size=X.shape)
    error[:, -1] = -error[:, :-1].sum(axis=1)
    return X, X + error


@pytest.mark.parametrize("constraint", ["psd", "nonnegative", "free"])
@pytest.mark.parametrize("files", [key_files, total_files, lambda seed: business_files("M5-38", 0)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_bilinear_never_ends_below_mahalanobis(constraint, files):
    X, Y = files(1)
    plain = MahalanobisLinker().fit(X, Y).n_linked_
    for views in ("difference", ("separate", "difference")):
        linker = BilinearLinker(constraint=constraint, standardize=views, time_limit=0.0)
        assert linker.fit(X, Y).n_linked_ >= plain


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nor_does_it_in_a_large_file_without_time_for_a_second_count():
    X = make_microdata(2500, 4, tail="heavy", random_state=0)
    Y = X + 0.05 * X.std(axis=0) * np.random.default_rng(0).normal(size=X.shape)
    plain = MahalanobisLinker().fit(X, Y).n_linked_
    linker = BilinearLinker(standardize=("separate", "difference"), time_limit=0.0)
    assert linker.fit(X, Y).n_linked_ >= plain


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ranks_win_on_rank_swapped_files():
    X = make_microdata(200, 4, tail="heavy", random_state=0)
    Y = RankSwapping(p=10, random_state=0).fit_transform(X)
    assert WeightedMeanLinker(standardize=VIEWS).fit(X, Y).standardize_ == "rank"


def test_fixed_linker_takes_the_view_that_links_the_most():
    X, Y = business_files("M4-33", 0, 100)
    single = [EuclideanLinker(standardize=view).fit(X, Y).n_linked_ for view in VIEWS]
    linker = EuclideanLinker(standardize=VIEWS).fit(X, Y)
    assert linker.n_linked_ == linker.bound_ == max(single)
    assert linker.status_ == "fixed"
    assert linker.standardize_ == VIEWS[int(np.argmax(single))]


def test_shrunk_and_projected_parameters_are_the_best_of_the_views():
    X, Y = business_files("M4-33", 0, 25)
    for one in (WeightedMeanLinker(shrinkage=0.5), BilinearLinker(constraint="projected")):
        single = [clone(one).set_params(standardize=view).fit(X, Y) for view in VIEWS]
        several = one.set_params(standardize=VIEWS).fit(X, Y)
        assert several.n_linked_ == max(each.n_linked_ for each in single)
        assert several.bound_ == max(each.bound_ for each in single)


# -- time and status ------------------------------------------------------------------------------


def test_views_share_the_time_limit():
    X, Y = noisy_files(0, 400, 6, spread=2, noise=1)
    linker = BilinearLinker(standardize=VIEWS, time_limit=1.5)
    with pytest.warns(ConvergenceWarning, match="time limit of 0.1 s"):
        clone(linker).set_params(time_limit=0.1).fit(X, Y)  # compiles
    begin = time.monotonic()
    with pytest.warns(ConvergenceWarning, match=r"time limit of 1\.5 s"):
        linker.fit(X, Y)
    assert time.monotonic() - begin < 15
    assert (linker.status_, linker.n_linked_ < linker.bound_) == ("time_limit", True)


class Searcher:
    """A linker that finds and proves what it is told, and notes how it was asked."""

    _has_ceiling = False
    standardize_ = None

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def _learn(self, index, *, at_least, seconds, given, alone):
        self.asked.append((at_least, seconds, alone))
        return self.answers.pop(0)

    def _count(self, index):
        return 10

    def _learn_temperature(self, index):
        return 1.0


def test_a_view_is_told_of_the_links_found_and_an_open_one_gets_the_time_left():
    proven = Solution(None, 3, 9, Status.OPTIMAL)
    first = Searcher(
        Solution(None, 10, 20, Status.TIME_LIMIT), Solution(None, 0, 10, Status.OPTIMAL)
    )
    views = [View(Searcher(proven), None), View(first, None)]
    for view, search in in_turn(views, 60.0, lambda view: view.linker is first, told=True):
        learn_in(view, **search)
    assert first.asked[0] == (0, 30.0, True)
    assert views[0].linker.asked == [(10, 30.0, True)]
    told, more, alone = first.asked[1]
    assert 59 < more <= 60 and (told, alone) == (10, False)
    assert conclude(views) == (10, 10, Status.OPTIMAL)


@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_each_view_is_searched_as_if_alone_before_any_gets_more(n_views):
    found = [Solution(None, 10, 20, Status.TIME_LIMIT)] * 2
    views = [View(Searcher(*found), None) for _ in range(n_views)]
    turns = in_turn(views, 6.0, lambda view: 0, told=True)
    begin = time.monotonic()
    for _ in range(n_views):
        view, search = next(turns)
        learn_in(view, **search)
        while time.monotonic() < begin + 0.01:  # one takes longer than it should
            pass
    asked = [one for view in views for one in view.linker.asked]
    assert [(seconds, alone) for _, seconds, alone in asked] == [(6.0 / n_views, True)] * n_views


def test_an_open_view_leaves_the_whole_open():
    views = [View(Searcher(), None), View(Searcher(), None)]
    for view, bound, status in zip(views, (5, 8), (Status.OPTIMAL, Status.TIME_LIMIT), strict=True):
        view.n_linked, view.solution = 5, Solution(None, 5, bound, status)
    assert conclude(views) == (5, 8, Status.TIME_LIMIT)


# -- conventions ----------------------------------------------------------------------------------


def test_views_work_with_the_rest_of_the_library():
    X, Y = business_files("M4-33", 0, 60)
    linker = WeightedMeanLinker(standardize=list(VIEWS))
    fitted = pickle.loads(pickle.dumps(clone(linker).fit(X, Y)))
    best = WeightedMeanLinker(standardize=fitted.standardize_).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X), best.predict(X))
    np.testing.assert_array_equal(fitted.kneighbors(X)[1], best.kneighbors(X)[1])
    assert best.standardize_ == best.standardize
    half = linker.fit(X[:30], Y[:30], pool=Y, reference=X)
    assert half.score(X[:30], Y[:30], pool=Y) * 30 == half.n_linked_
    grid = {"standardize": ["separate", VIEWS, ("rank", None)]}
    search = GridSearchCV(WeightedMeanLinker(), grid, cv=2).fit(X, Y, pool=Pool(Y))
    assert search.best_params_["standardize"] in grid["standardize"]
    both = TransformedLinker(WeightedMeanLinker(standardize=VIEWS), StandardScaler()).fit(X, Y)
    assert both.n_linked_ == both.linker_.n_linked_


@pytest.mark.parametrize("given", [(), ("rank", "rank"), ("rank", "z-score"), [["rank"]]])
def test_views_that_are_no_views_are_refused(given):
    X, Y = noisy_files(0, 30)
    with pytest.raises(ValueError, match="each once"):
        EuclideanLinker(standardize=given).fit(X, Y)


@pytest.mark.parametrize("linker", [DensityLinker, ProbabilisticLinker])
def test_likelihood_linkers_take_one_view(linker):
    with pytest.raises(ValueError, match="'standardize' parameter"):
        linker(standardize=("separate", "difference")).fit(*noisy_files(0, 30))


def test_a_program_is_of_one_view(tmp_path):
    with pytest.raises(ValueError, match="name one"):
        export_mps(WeightedMeanLinker(standardize=VIEWS), *noisy_files(0, 30), tmp_path / "a.mps")


def test_other_units_are_no_matter_if_a_view_does_not_mind_them():
    X, Y = noisy_files(0, 60)
    assert WeightedMeanLinker(standardize=VIEWS).fit(X, 1000 * Y + 5).standardize_ != "difference"
    with pytest.warns(UserWarning, match="same units"):
        WeightedMeanLinker(standardize=("difference", None)).fit(X, 1000 * Y + 5)


def test_of_views_that_link_the_same_one_is_whole():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for linker in (HLMSChoquetLinker, WeightedMeanLinker):  # all link everybody
        fitted = linker(standardize=VIEWS, random_state=0).fit(X, X + 1e-9)
        assert fitted.score(X, X + 1e-9) == 1 and fitted.status_ == "optimal"


# -- what is known or refused beforehand -----------------------------------------------------------


@pytest.mark.parametrize("linker", [ChoquetLinker, BilinearLinker, HLMSChoquetLinker])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_search_without_time_links_as_many_as_weights_that_it_was_given(linker):
    X, Y = business_files("M4-33", seed=1, n_records=150)
    mean = WeightedMeanLinker(standardize=VIEWS, random_state=0).fit(X, Y)
    late = linker(standardize=VIEWS, time_limit=0.0, random_state=0)
    late._given_weights = {mean.standardize_: mean.weights_}
    late.fit(X, Y)
    assert mean.n_linked_ <= late.n_linked_ <= late.bound_
    assert late.n_linked_ == round(late.score(X, Y) * len(X))
    assert {"n_linked_", "bound_", "status_"} <= vars(late).keys()


def test_a_view_that_refuses_the_files_is_left_out_with_a_sentence():
    refused = {"rank": ValueError("too wide")}
    assert notes_on(refused, [View(Searcher(), None)]) == [
        "standardize='rank' does not take these files and is left out, also of the bound: too wide"
    ]
    with pytest.raises(ValueError, match="too wide"):
        notes_on(refused, [])


class RefusesRanks(EuclideanLinker):
    def _learn_scales(self, files):
        if self.standardize_ == "rank":
            raise ValueError("too wide")
        super()._learn_scales(files)


def test_the_other_views_are_searched_where_one_refuses_the_files():
    X, Y = noisy_files(0, 30)
    with pytest.warns(UserWarning, match="standardize='rank' does not take these files"):
        linker = RefusesRanks(standardize=VIEWS).fit(X, Y)
    assert linker.standardize_ in ("separate", "difference")
    with pytest.raises(ValueError, match="too wide"):
        RefusesRanks(standardize=("rank",)).fit(X, Y)
