"""What linkers say of files that are no file and its masked version."""

from __future__ import annotations

import traceback

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_reclink import EuclideanLinker, MahalanobisLinker, WeightedMeanLinker
from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.linkers import ALL_LINKERS
from sklearn_reclink.masking import Microaggregation

every_linker = pytest.mark.parametrize("linker", [c() for c in ALL_LINKERS], ids=repr)


# Errors: what was given, what is needed, what to do.


@every_linker
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, Y: (X, None), "requires y to be passed.*y is the masked file"),
        (lambda X, Y: (X, Y["age"]), "1-dimensional and so has 1 column, original has 4"),
        (lambda X, Y: (X, Y[["age"]].to_numpy()), "has 1 column, original has 4: they must"),
        (lambda X, Y: (X, Y[["age", "tax"]]), r"has 2 columns.*lacks \['income', 'hours'\]"),
        (lambda X, Y: (X, Y.assign(sex=1)), r"has 5 columns.*adds \['sex'\]"),
        (lambda X, Y: (X, Y.rename(columns={"tax": "tx"})), r"lacks \['tax'\] and adds \['tx'\]"),
        (lambda X, Y: (X, Y.set_axis(list("abba"), axis=1)), r"repeats \['a', 'b'\]"),
        (lambda X, Y: (X, Y[:-1]), "masked file has 59 records, original has 60"),
        (lambda X, Y: (X, Y[::-1]), "different indexes: row i of y"),
        (lambda X, Y: (X[:1], Y[:1]), "1 record .* needs at least 2"),
        (lambda X, Y: (X * 0, Y), "every column is constant"),
        (
            lambda X, Y: (X, Y.replace(Y.loc[3, "age"], np.inf)),
            r"column 'age' of the masked file y has an infinite value \(inf\) in row .*Input y",
        ),
        (
            lambda X, Y: (X.assign(income=["low"] * 60), Y),
            "column 'income' of the original file X holds text .* masked file y numbers",
        ),
        (
            lambda X, Y: (X, Y.assign(income=["low"] * 60)),
            "column 'income' of the original file X holds numbers .* masked file y text",
        ),
    ],
)
def test_errors_of_fit(linker, frames, change, message):
    with pytest.raises(ValueError, match=f"(?s){message}") as caught:
        clone(linker).fit(*change(*frames))
    assert "low'" not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.__cause__ is None  # no value of the files in a traceback


@every_linker
def test_errors_after_fit(linker, files):
    X, Y = files
    linker = clone(linker)
    for ask in (linker.predict, linker.kneighbors):
        with pytest.raises(NotFittedError):
            ask(X)
    with pytest.raises(NotFittedError):
        linker.score(X, Y)
    linker.fit(X, Y)
    with pytest.raises(ValueError, match="pool has 3 columns, original has 4"):
        linker.predict(X, pool=Y[:, :3])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* expecting 4"):
        linker.predict(X[:, :3])
    with pytest.raises(ValueError, match="from 1 to the 60 records of the pool"):
        linker.kneighbors(X, n_neighbors=61)
    with pytest.raises(ValueError, match="requires y to be passed"):
        linker.score(X, None)


@pytest.mark.parametrize("options", [{"standardize": "both"}, {"rule": "any"}, {"n_jobs": "all"}])
@every_linker
def test_invalid_options_are_refused(linker, options, files):
    with pytest.raises(ValueError, match=f"The '{next(iter(options))}' parameter"):
        clone(linker).set_params(**options).fit(*files)


def test_one_variable_and_a_constant_column(files):
    X, Y = files
    one = EuclideanLinker().fit(X[:, :1], Y[:, :1])
    constant = np.full((60, 1), 3.0)
    both = WeightedMeanLinker().fit(
        np.hstack([X[:, :1], constant]), np.hstack([Y[:, :1], constant])
    )
    assert both.n_linked_ == one.n_linked_
    np.testing.assert_array_equal(both.weights_, [1.0, 0.0])


# Warnings of files that are not a pair.


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_linker
@pytest.mark.parametrize("seed", range(3))
def test_shuffled_rows_are_warned_of(linker, files, seed):
    X, Y = files
    shuffled = np.random.default_rng(seed).permutation(Y)
    with pytest.warns(UserWarning, match="resembles row i of X no more"):
        limit = {"time_limit": 1} if hasattr(linker, "time_limit") else {}
        clone(linker).set_params(**limit).fit(X, shuffled)


def test_a_lazy_frame_is_refused_with_the_remedy(files):
    X, Y = (pl.DataFrame(one) for one in files)
    for tables in ((X.lazy(), Y), (X, Y.lazy())):
        with pytest.raises(TypeError, match=r"LazyFrame .* \.collect\(\) returns"):
            MahalanobisLinker().fit(*tables)
    with pytest.raises(TypeError, match=r"\.collect\(\)"):
        MahalanobisLinker().fit(X, Y).predict(X.lazy())


@pytest.mark.parametrize("standardize", ["difference", None])
def test_transforming_one_file_alone_is_warned_of(files, standardize):
    X, Y = files
    pipeline = make_pipeline(StandardScaler(), MahalanobisLinker(standardize=standardize))
    with pytest.warns(UserWarning, match=r"columns \[.*3\] of the two files are not in the same"):
        pipeline.fit(X, Y)


@pytest.mark.parametrize("n_records", [20, 40, 200])
@pytest.mark.parametrize("n_features", [1, 3, 8])
@pytest.mark.parametrize("heavy_tailed", [False, True])
def test_strong_masking_is_not_warned_of(n_records, n_features, heavy_tailed):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_records, n_features))
        X = np.exp(2 * X) if heavy_tailed else X
        noisy = X + 0.5 * X.std(axis=0) * rng.normal(size=X.shape)
        for Y in (Microaggregation(k=10).fit_transform(X), noisy):
            for standardize in ("separate", None):
                assert alignment_warning(X, Y, standardize) is None


@pytest.mark.parametrize("kind", [float, object])
def test_a_file_of_one_dimension_is_refused_without_its_values(kind):
    values = np.array([7001.5, 7002.5, 7003.5], dtype=kind)
    with pytest.raises(ValueError, match=r"got 1D array instead\. Reshape your data") as caught:
        EuclideanLinker().fit(values, values)
    assert "700" not in "".join(traceback.format_exception(caught.value)).split("got 1D")[1]
    assert caught.value.__cause__ is None
