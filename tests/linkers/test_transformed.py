"""A transformer in front of a linker changes both files."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, PowerTransformer, StandardScaler

from sklearn_reclink import (
    ChoquetLinker,
    EuclideanLinker,
    MahalanobisLinker,
    Pool,
    TransformedLinker,
    WeightedMeanLinker,
)


def test_transformer_of_the_original_is_applied_to_both_files(files):
    X, Y = files
    scaler = StandardScaler().fit(X)
    expected = EuclideanLinker(standardize=None).fit(scaler.transform(X), scaler.transform(Y))
    linker = TransformedLinker(EuclideanLinker(standardize=None), StandardScaler()).fit(X, Y)
    assert linker.n_linked_ == expected.n_linked_ == round(linker.score(X, Y) * len(X), 9)
    assert (linker.status_, linker.bound_) == ("fixed", expected.n_linked_)
    np.testing.assert_array_equal(linker.predict(X), expected.predict(scaler.transform(X)))
    np.testing.assert_array_equal(linker.link(X, Y).links, linker.predict(X))
    np.testing.assert_array_equal(linker.kneighbors(X, 3)[1][:, 0], linker.predict(X))


def test_transformer_of_each_file_is_its_own(files):
    X, Y = files
    linker = TransformedLinker(EuclideanLinker(standardize=None), StandardScaler(), fit_on="each")
    assert linker.fit(X, Y * 7 + 3).n_linked_ == EuclideanLinker().fit(X, Y).n_linked_
    assert linker.masked_transformer_ is not linker.original_transformer_


def test_one_sided_pipeline_warns_where_the_transformed_linker_is_right(files):
    X, Y = files
    direct = MahalanobisLinker().fit(X, Y)
    linker = TransformedLinker(MahalanobisLinker(), StandardScaler()).fit(X, Y)
    assert linker.n_linked_ == direct.n_linked_
    with pytest.warns(UserWarning, match="TransformedLinker"):
        one_sided = make_pipeline(StandardScaler(), MahalanobisLinker()).fit(X, Y)
    assert one_sided.score(X, Y) < direct.score(X, Y)


def test_scores_and_pools_are_transformed(files):
    X, Y = files
    linker = TransformedLinker(WeightedMeanLinker(), PCA(3)).fit(X[:30], Y[:30], pool=Y)
    assert round(linker.score(X[:30], Y[:30], pool=Y) * 30, 9) == linker.n_linked_
    assert linker.score(X[:30], Y[:30], pool=Pool(Y)) == linker.link(X[:30], Y[:30], pool=Y).rate
    assert linker.predict(X, pool=Y[:7]).max() < 7


def test_grid_search_over_transformers_and_constraints(files):
    X, Y = files
    grid = {
        "transformer": [PCA(2), make_pipeline(StandardScaler(), PCA(2)), PowerTransformer()],
        "linker__constraint": ["monotone", "submodular"],
    }
    search = GridSearchCV(TransformedLinker(ChoquetLinker(random_state=0), PCA(2)), grid, cv=3)
    search.fit(X, Y)
    assert len(search.cv_results_["mean_test_score"]) == 6
    assert search.best_score_ > 0
    scores = cross_validate(clone(search.best_estimator_), X, Y, cv=3)["test_score"]
    assert np.all((scores > 0) & (scores <= 1))


def test_frames_with_categories_and_missing_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.normal(40, 9, 50), "region": rng.choice(["north", "south", "west"], 50)}
    )
    Y = X[["region", "age"]].copy()  # columns are matched by name
    Y["age"] = Y["age"].round()
    X.loc[3, "age"] = np.nan
    transformer = make_column_transformer(
        (SimpleImputer(), ["age"]), (OrdinalEncoder(), ["region"])
    )
    linker = TransformedLinker(EuclideanLinker(), transformer).fit(X, Y)
    assert linker.score(X, Y) > 0.5


def test_errors_are_clear(files):
    X, Y = files
    linker = TransformedLinker(EuclideanLinker(), StandardScaler())
    with pytest.raises(ValueError, match="requires y to be passed"):
        linker.fit(X)
    for ask in (linker.predict, linker.kneighbors, partial(linker.link, y=Y)):
        with pytest.raises(NotFittedError):
            ask(X, pool=Y)
    with pytest.raises(ValueError, match="masked file has 59 records, original has 60"):
        linker.fit(X, Y[1:])
    with pytest.raises(ValueError, match="The 'transformer' parameter"):
        TransformedLinker(EuclideanLinker(), 3).fit(X, Y)
