"""Every public linker keeps scikit-learn's conventions and says clearly what is wrong.

scikit-learn's own checks hand every estimator a ``y`` of one column. A linker must refuse it, so
the checks run twice: on the linkers, where exactly those that fit on such a ``y`` are expected to
fail, and with that one error; and on subclasses that mask ``X`` themselves when handed such a
``y``, where none may fail.
"""

from __future__ import annotations

import inspect
import pickle
import re
from unittest import SkipTest

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_reclink import (
    DensityLinker,
    EuclideanLinker,
    HLMSChoquetLinker,
    MahalanobisLinker,
    ProbabilisticLinker,
    WeightedMeanLinker,
)
from sklearn_reclink.linkers import ALL_LINKERS
from sklearn_reclink.solvers.problem import Solution, Status

ONE_COLUMN = "the checks hand it a masked file of one column"
ONE_COLUMN_ERROR = r"masked file has 1 column, original has \d+: they must describe"

# Checks that fit on a one-column y, with an X of more columns, before anything else fails.
FIT_ON_ONE_COLUMN = {
    name: ONE_COLUMN
    for name in (
        "check_array_api_input",
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
    )
    if hasattr(estimator_checks, name)
}


def self_masking(linker_class):
    """A subclass that makes its own masked file of ``X`` when ``y`` is no masked file."""

    def mask(X, y):
        if y is None or (np.ndim(y) == 2 and np.shape(y)[1] == np.shape(X)[-1] > 1):
            return y
        values = np.asarray(X, dtype=object)
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            return values
        with np.errstate(invalid="ignore"):  # scikit-learn's checks pass infinite values
            return values + 0.01 * np.sin(1000 * values)

    class SelfMasking(linker_class):
        __init__ = linker_class.__init__

        def fit(self, X, y=None, **options):
            return super().fit(X, mask(X, y), **options)

        def score(self, X, y, sample_weight=None, pool=None):
            return super().score(X, mask(X, y), sample_weight, pool)

        def link(self, X, y, pool=None):
            return super().link(X, mask(X, y), pool)

    SelfMasking.__name__ = SelfMasking.__qualname__ = f"SelfMasking{linker_class.__name__}"
    globals()[SelfMasking.__name__] = SelfMasking  # where pickle looks for it
    return SelfMasking


SELF_MASKING = {linker: self_masking(linker) for linker in ALL_LINKERS}


@parametrize_with_checks(
    [linker() for linker in ALL_LINKERS], expected_failed_checks=lambda linker: FIT_ON_ONE_COLUMN
)
def test_linker_passes_checks_but_for_one_column_y(estimator, check):
    check(estimator)


@pytest.mark.parametrize("linker", [linker() for linker in ALL_LINKERS], ids=repr)
def test_expected_failures_have_one_reason(linker):
    run = set()
    for estimator, check in estimator_checks.estimator_checks_generator(linker, mark=None):
        name = getattr(check, "func", check).__name__
        if name in FIT_ON_ONE_COLUMN:
            run.add(name)
            try:
                check(estimator)
            except SkipTest:
                continue
            except Exception as failure:
                reason = failure.__cause__ or failure  # some checks wrap what they met
                assert type(reason) is ValueError, name
                assert re.match(ONE_COLUMN_ERROR, str(reason)), name
            else:
                pytest.fail(f"{name} passes: expect it to")
    # older releases do not run the check of array namespaces on plain estimators
    assert run >= set(FIT_ON_ONE_COLUMN) - {"check_array_api_input"}


@parametrize_with_checks([linker() for linker in SELF_MASKING.values()])
def test_self_masking_linker_passes_all_checks(estimator, check):
    check(estimator)


every_linker = pytest.mark.parametrize("linker", [c(random_state=0) for c in ALL_LINKERS], ids=repr)


@every_linker
def test_constructor_assigns_keyword_only_parameters(linker):
    parameters = inspect.signature(type(linker).__init__).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters if p.name != "self")
    assert {"standardize", "rule", "n_jobs", "random_state", "verbose"} <= set(linker.get_params())
    assert clone(linker).get_params() == linker.get_params()


@every_linker
def test_fitted_attributes(linker, files):
    X, Y = files
    linker = clone(linker).fit(X, Y)
    assert linker.n_features_in_ == 4
    np.testing.assert_array_equal(linker.masked_, Y)
    fixed, unproven = (EuclideanLinker, MahalanobisLinker), (DensityLinker, ProbabilisticLinker)
    assert type(linker.status_) is str and type(linker.n_linked_) is int
    if isinstance(linker, unproven):
        assert linker.status_ == "heuristic" and linker.bound_ is None
    else:
        expected = {"fixed"} if isinstance(linker, fixed) else {"optimal"}
        expected |= {"heuristic"} if isinstance(linker, HLMSChoquetLinker) else set()
        assert linker.status_ in expected and type(linker.bound_) is int


@every_linker
def test_predict_link_and_kneighbors_agree(linker, files):
    X, Y = files
    linker = clone(linker).set_params(rule="nearest").fit(X, Y)
    found = linker.link(X, Y)
    np.testing.assert_array_equal(linker.predict(X), found.links)
    distances, rows = linker.kneighbors(X, n_neighbors=7)
    linked = found.links >= 0  # likelihoods leave some without a link
    np.testing.assert_array_equal(rows[linked, 0], found.links[linked])
    assert np.all(np.diff(distances, axis=1) >= -1e-9 * np.abs(distances[:, :1]))
    np.testing.assert_array_equal(linker.kneighbors(X, 7, return_distance=False), rows)
    np.testing.assert_array_equal(linker.predict(X, pool=Y[:10]), linker.predict(X, Y[:10]))
    assert linker.predict(X, pool=Y[:10]).max() < 10
    assert linker.score(X, Y) == found.rate
    assert set(found.to_frame().columns) >= {"link", "distance", "reidentified"}


@every_linker
def test_score_takes_sample_weight(linker, files):
    X, Y = files
    linker = clone(linker).fit(X, Y)
    linked = linker.link(X, Y).reidentified
    assert linker.score(X, Y, sample_weight=linked) == 1.0


@every_linker
def test_pickling_read_only_arrays_and_workers_change_nothing(linker, files):
    X, Y = files
    fitted = clone(linker).fit(X, Y)
    for array in (X, Y):
        array.flags.writeable = False
    other = clone(linker).set_params(n_jobs=2).fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    assert fitted.n_linked_ == other.n_linked_ == again.score(X, Y) * len(X)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


@every_linker
def test_pipeline_scales_both_files(linker, files):
    X, Y = files
    linker = clone(linker).set_params(standardize="separate")
    pipeline = make_pipeline(StandardScaler(), linker)
    assert pipeline.fit(X, Y).score(X, Y) == pytest.approx(linker.fit(X, Y).score(X, Y))


@every_linker
def test_cross_validation_links_inside_the_fold(linker, files):
    X, Y = files
    linker = clone(linker)
    results = cross_validate(linker, X, Y, cv=KFold(3), return_estimator=True)
    fold = slice(0, 20)
    first = results["estimator"][0]
    assert results["test_score"][0] == first.score(X[fold], Y[fold])
    assert set(first.predict(X[fold], pool=Y[fold])) <= set(range(-1, 20))


def test_grid_search_over_constraint(files):
    X, Y = files
    grid = {"constraint": ["simplex", "positive"], "standardize": ["separate", "difference"]}
    search = GridSearchCV(WeightedMeanLinker(), grid, cv=3).fit(X, Y)
    assert search.best_params_["constraint"] in grid["constraint"]
    assert search.best_estimator_.status_ == "optimal"


@every_linker
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_matched_by_name(linker, library, frames):
    X, Y = frames
    expected = clone(linker).fit(X.to_numpy(), Y.to_numpy())
    shuffled = Y[["tax", "age", "hours", "income"]]
    if library == "polars":
        X, shuffled = (pl.DataFrame({c: t[c].to_numpy() for c in t}) for t in (X, shuffled))
    linker = clone(linker).fit(X, shuffled)
    if library == "pandas":  # not every pair of releases of scikit-learn and polars keeps names
        assert list(linker.feature_names_in_) == ["age", "income", "tax", "hours"]
    np.testing.assert_array_equal(linker.masked_, expected.masked_)
    assert linker.n_linked_ == expected.n_linked_
    assert linker.score(X, shuffled) == expected.score(expected.masked_ * 0 + np.asarray(X), Y)
    np.testing.assert_array_equal(linker.predict(X, pool=shuffled), linker.predict(X))


def test_time_limit_keeps_the_best_weights_and_warns(monkeypatch, files):
    X, Y = files
    best = np.array([0.0, 2.0, 1.0, 1.0])

    def stopped(problem, **options):
        return Solution(best, 0, len(X), Status.TIME_LIMIT)

    monkeypatch.setattr("sklearn_reclink.solvers.exact.solve", stopped)
    with pytest.warns(ConvergenceWarning, match=r"time limit of 60 s .* of 60 .* raise time_limit"):
        linker = WeightedMeanLinker().fit(X, Y)
    np.testing.assert_array_equal(linker.weights_, best / 4)
    assert linker.status_ == "time_limit"
    assert linker.score(X, Y) * 60 == pytest.approx(linker.n_linked_)
    assert linker.n_linked_ < linker.bound_ == linker.ceiling_


def test_search_without_incumbent_falls_back_to_equal_weights(monkeypatch, files):
    X, Y = files
    nothing = Solution(None, 0, len(X), Status.TIME_LIMIT)
    monkeypatch.setattr("sklearn_reclink.solvers.exact.solve", lambda problem, **options: nothing)
    with pytest.warns(ConvergenceWarning, match="at most"):
        linker = WeightedMeanLinker().fit(X, Y)
    assert linker.n_linked_ == EuclideanLinker().fit(X, Y).n_linked_
