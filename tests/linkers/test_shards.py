"""Linkers give the same answers about files in shards as about files in memory."""

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import DensityLinker, EuclideanLinker, HLMSChoquetLinker, Shards
from sklearn_reclink.data.reading import in_shards
from sklearn_reclink.linkers import (
    BilinearLinker,
    ChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    ProbabilisticLinker,
    WeightedMeanLinker,
)

DISTANCES = [
    EuclideanLinker(),
    EuclideanLinker(standardize="rank"),
    MahalanobisLinker(),
    WeightedMeanLinker(time_limit=0.0),
    OWALinker(time_limit=0.0),
    ChoquetLinker(time_limit=0.0),
    BilinearLinker(time_limit=0.0),
    BilinearLinker(constraint="free", time_limit=0.0),
    HLMSChoquetLinker(max_iter=2),
]


def tied_files(n_records=80, n_features=3):
    """Rounded numbers, so that there are ties."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_records, n_features)).round(1)
    return X, (X + rng.normal(scale=0.2, size=X.shape)).round(1)


def frames():
    return [pd.DataFrame(file, columns=["age", "income", "rent"]) for file in tied_files()]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("linker", DISTANCES, ids=repr)
def test_shards_give_the_answers_of_arrays(linker):
    X, Y = tied_files()
    linker.fit(X[:40], Y[:40])
    original, masked = Shards(X, shard_size=33), Shards(Y, shard_size=17)
    weights = np.arange(1, 81)
    assert linker.score(original, masked) == linker.score(X, Y)
    assert linker.score(original, masked, weights) == linker.score(X, Y, weights)
    np.testing.assert_array_equal(linker.predict(original, pool=masked), linker.predict(X, pool=Y))
    found, expected = linker.link(original, masked), linker.link(X, Y)
    for name, values in vars(expected).items():
        np.testing.assert_array_equal(getattr(found, name), values, err_msg=name)


def test_either_file_may_be_in_memory():
    X, Y = tied_files()
    linker = EuclideanLinker().fit(X[:40], Y[:40])
    assert linker.score(X, Shards(Y)) == linker.score(Shards(X), Y) == linker.score(X, Y)
    np.testing.assert_array_equal(linker.predict(Shards(X)), linker.predict(X))
    np.testing.assert_array_equal(
        linker.predict(X[:9].tolist(), pool=Shards(Y)), linker.predict(X[:9], pool=Y)
    )


def test_parquet_files_of_any_row_groups_and_order_of_columns(tmp_path):
    X, Y = frames()
    linker = EuclideanLinker().fit(X, Y)
    X.to_parquet(tmp_path / "original.parquet", row_group_size=30)
    (tmp_path / "masked").mkdir()
    for start, stop in ((0, 50), (50, 80)):
        path = tmp_path / "masked" / f"part-{start}.parquet"
        Y[start:stop].assign(other="text")[["rent", "other", "age", "income"]].to_parquet(path)
    original = Shards(tmp_path / "original.parquet", shard_size=25)
    masked = Shards(tmp_path / "masked", columns=["rent", "age", "income"])
    assert (original.shape, masked.shape) == ((80, 3), (80, 3))
    assert linker.score(original, masked) == linker.score(X, Y)
    rows = np.arange(3, 80, 7)
    learned = EuclideanLinker().fit(original.take(rows), masked.take(rows))
    expected = EuclideanLinker().fit(X.iloc[rows], Y.iloc[rows])
    assert learned.n_linked_ == expected.n_linked_
    np.testing.assert_array_equal(learned.scales_.masked_scale, expected.scales_.masked_scale)


def test_mapped_arrays_of_many_records_are_in_shards(tmp_path):
    X, _ = tied_files()
    np.save(tmp_path / "original.npy", X)
    mapped = np.load(tmp_path / "original.npy", mmap_mode="r")
    assert in_shards(mapped, most=79)
    assert not in_shards(mapped, most=80)
    assert not in_shards(X, None, most=79)
    np.testing.assert_array_equal(Shards(tmp_path / "original.npy").take([1, 5]), X[[1, 5]])


def test_an_error_names_the_row_where_its_shard_begins():
    X, Y = tied_files()
    linker = EuclideanLinker().fit(X, Y)
    Y[50, 1] = np.nan
    with pytest.raises(ValueError, match=r"column 1 .* in row 10, .*counted from row 40"):
        linker.score(Shards(X), Shards(Y, shard_size=20))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda linker, X, Y: linker.score(Shards(X), Shards(Y[:70])), "has 70 records"),
        (lambda linker, X, Y: linker.score(Shards(X), Y, pool=Y), "leave pool out"),
        (lambda linker, X, Y: linker.score(Shards(X), Y[:, :2]), "has 2 columns"),
        (lambda linker, X, Y: linker.kneighbors(Shards(X), 2, pool=Y), "score, predict and link"),
        (lambda linker, X, Y: linker.fit(Shards(X), Y), r"shards\.take"),
    ],
)
def test_errors_say_what_to_do(ask, message):
    X, Y = tied_files()
    with pytest.raises((TypeError, ValueError), match=message):
        ask(EuclideanLinker().fit(X, Y), X, Y)


@pytest.mark.parametrize(
    "linker",
    [
        EuclideanLinker(rule="balanced"),
        DensityLinker(),
        DensityLinker(rule="nearest"),
        ProbabilisticLinker(),
    ],
    ids=repr,
)
def test_linkers_that_compare_all_pairs_refuse_shards(linker):
    X, Y = tied_files()
    with pytest.raises(ValueError, match="compares all pairs"):
        linker.fit(X, Y).score(Shards(X), Y)


def test_files_that_cannot_be_read_are_named(tmp_path):
    X, _ = frames()
    X.to_parquet(tmp_path / "original.parquet")
    (tmp_path / "table.csv").touch()
    for source, options, message in (
        ("nowhere.parquet", {}, "does not exist"),
        ("table.csv", {}, "neither a Parquet file"),
        ("original.parquet", {"columns": ["ages"]}, "has no column 'ages'"),
        ("original.parquet", {"shard_size": 0}, "at least 1"),
    ):
        with pytest.raises((FileNotFoundError, ValueError), match=message):
            Shards(tmp_path / source, **options)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no Parquet files"):
        Shards(tmp_path / "empty")
    with pytest.raises(ValueError, match="1-dimensional"):
        Shards(np.arange(3))
    with pytest.raises(ValueError, match="columns are those of Parquet"):
        Shards(np.eye(3), columns=["age"])
    with pytest.raises(ValueError, match="ascending"):
        Shards(np.eye(3)).take([2, 1])
