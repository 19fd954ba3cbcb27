"""Certificates of files with categories, levels and missing values, against exact enumeration.

200 cases per family; fewer where ``CI`` is set.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings

from sklearn_reclink import (
    BilinearLinker,
    CertificateError,
    ChoquetLinker,
    Pool,
    WeightedMeanLinker,
    verify_certificate,
)
from sklearn_reclink.certificates import certificate_json
from tests.certificates.cases import certified, mixed_tables, replaced
from tests.certificates.schema import SCHEMA, problems
from tests.linkers.mixed_enumeration import (
    FAMILIES,
    NOMINAL,
    enumerated,
    enumerated_matrices,
    fitted,
    informative,
    mixed_files,
    narrow_files,
)
from tests.soundness.claims import LINKERS

N_EXAMPLES = 12 if os.environ.get("CI") else 200
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
N_TIMES = 25  # corruptions of each
N_FEW = 24  # records
VIEWS = ["separate", "difference", "rank", None]

pytestmark = pytest.mark.filterwarnings("ignore")


@lru_cache
def certified_few(name: str, standardize: Any) -> Any:
    return certified(LINKERS[name], *mixed_tables(N_FEW), standardize=standardize)


# -- against enumeration --------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=N_EXAMPLES, deadline=None)
@given(mixed_files())
def test_the_enumerated_optimum_is_between_links_and_bound(
    family: str, files: tuple[np.ndarray, np.ndarray]
) -> None:
    X, Y = files
    assume(informative(X, Y))
    nominal = [] if family == "free bilinear" else NOMINAL
    told = {"categorical_features": nominal, "certify": True}
    linker = fitted(FAMILIES[family][0], X, Y, **told)
    verified = verify_certificate(json.loads(certificate_json(linker.certificate_)), X, Y)
    optimum = enumerated(X, Y, family)
    assert verified.n_linked <= optimum <= verified.bound
    assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)


@pytest.mark.parametrize("constraint", ["free", "nonnegative", "psd"])
@settings(max_examples=N_EXAMPLES, deadline=None)
@given(narrow_files())
def test_the_optimum_of_matrices_is_between_links_and_bound(
    constraint: str, files: tuple[np.ndarray, np.ndarray, list[int]]
) -> None:
    X, Y, nominal = files
    assume(np.isnan(np.vstack([X, Y])[:, informative(X, Y)]).any())
    told = {"categorical_features": nominal, "certify": True}
    linker = fitted(BilinearLinker(constraint=constraint), X, Y, **told)
    verified = verify_certificate(linker.certificate_, X, Y)
    optimum = enumerated_matrices(X, Y, nominal, constraint)
    assert verified.n_linked <= optimum <= verified.bound
    assert verified.bound == linker.bound_


# -- files of every kind --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "x", "y", "n_linked"),
    [
        ("nonnegative", [0, 0, 0, 0, 4], [np.nan, np.nan, 1, 1, 0], 0),
        ("psd", [0, 0, 1], [2, 4, np.nan], 1),
    ],
)
def test_ties_on_the_border_of_the_cone_are_proven(
    constraint: str, x: list[float], y: list[float], n_linked: int
) -> None:
    X, Y = np.column_stack([x, np.zeros(len(x))]), np.column_stack([y, np.zeros(len(y))])
    told = {"categorical_features": [], "certify": True}
    linker = fitted(BilinearLinker(constraint=constraint), X, Y, **told)
    assert verify_certificate(linker.certificate_, X, Y).bound == linker.bound_ == n_linked


@pytest.mark.parametrize("name", LINKERS)
@pytest.mark.parametrize("standardize", ["separate", None, ("rank", "difference")])
def test_a_certificate_proves_links_and_bound_of_the_fit(name: str, standardize: Any) -> None:
    X, Y = mixed_tables(N_FEW)
    linker = certified_few(name, standardize)
    certificate = json.loads(certificate_json(linker.certificate_))
    assert problems(certificate, SCHEMA) == []
    kinds = [one["kind"] for one in certificate["variables"]]
    assert kinds == ["numeric", "numeric", "nominal", "ordinal", "nominal"]
    verified = verify_certificate(certificate, X, Y)
    assert verified.n_linked == linker.n_linked_
    assert verified.bound == linker.bound_


def test_neither_values_nor_names_of_categories_are_in_a_certificate() -> None:
    X, Y = mixed_tables()
    text = certificate_json(certified(WeightedMeanLinker(), X, Y).certificate_)
    for word in ("north", "south", "west", "some", "much", "true", "True", "2020"):
        assert word not in text
    # all < much < none < some by name: the levels 3, 2, 0, 1; nobody pays all
    assert json.loads(text)["variables"][3] == {"kind": "ordinal", "levels": [2, 0, 1]}


def test_categories_may_have_other_names_if_they_are_the_same_ones() -> None:
    X, Y = mixed_tables()
    linker = certified(ChoquetLinker(k_additive=2), X, Y)
    names = {"north": 7, "south": 2, "west": 4}
    renamed = [file.assign(town=file["town"].map(names)) for file in (X, Y)]
    assert verify_certificate(linker.certificate_, *renamed).bound == linker.bound_
    merged = [file.assign(town=file["town"].replace("west", "north")) for file in (X, Y)]
    with pytest.raises(CertificateError, match="original file is not the one"):
        verify_certificate(linker.certificate_, *merged)
    as_text = [file.assign(pays=file["pays"].astype(object)) for file in (X, Y)]
    assert verify_certificate(linker.certificate_, *as_text).bound == linker.bound_
    other = Y.assign(owner=~Y["owner"])  # other people own: not the same categories as in X
    with pytest.raises(CertificateError, match="masked file is not the one"):
        verify_certificate(linker.certificate_, X, other)


@pytest.mark.parametrize("standardize", VIEWS)
def test_pools_and_columns_that_tell_nobody_apart(standardize: str | None) -> None:
    X, Y = mixed_tables(30)
    X, Y = (file[["income", "town", "pays"]].assign(same="x", empty=np.nan) for file in (X, Y))
    X.loc[3, "same"] = None
    pool = pd.concat([Y.iloc[::-1], mixed_tables(9, 1)[1][["income", "town", "pays"]]])
    pool = pool.reset_index(drop=True).assign(same="x", empty=np.nan)
    pool["town"] = pool["town"].astype(object)
    pool.loc[[32, 34, 37], "town"] = ["abroad", "away", "abroad"]
    linker = WeightedMeanLinker(certify=True, standardize=standardize).fit(X, Y, pool=pool)
    certificate = linker.certificate_
    assert certificate["view"]["scales"][3:] == [None, None]
    shuffled = pool.sample(frac=1, random_state=0)
    other_columns = pool[["same", "pays", "empty", "town", "income"]]
    for given_pool in (pool, Pool(pool), other_columns, shuffled, pool[::-1]):
        verified = verify_certificate(certificate, X, Y, given_pool)
        assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)
    with pytest.raises(CertificateError, match="pool"):
        verify_certificate(certificate, X, Y)
    with pytest.raises(CertificateError, match="lacks the column 'town'"):
        verify_certificate(certificate, X.drop(columns="town"), Y, pool)


def test_values_that_are_never_there_in_both_files_have_no_scale() -> None:
    """By "difference" a variable is compared where both values are there: here all are 5."""
    nan = np.nan
    X = np.array([[5, 0], [5, 1], [7, 2], [nan, 4], [9, 8]], dtype=float)
    Y = np.array([[5, 0], [5, 2], [nan, 2], [3, 4], [nan, 7]], dtype=float)
    told = {"standardize": "difference", "categorical_features": []}
    linker = certified(WeightedMeanLinker(), X, Y, **told)
    assert linker.certificate_["view"]["scales"][0] == []
    verified = verify_certificate(linker.certificate_, X, Y)
    assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)


def test_dataframes_of_polars_and_arrays_of_objects_are_read_alike() -> None:
    pl = pytest.importorskip("polars")
    X, Y = (file.drop(columns="pays") for file in mixed_tables())
    linker = certified(WeightedMeanLinker(), X, Y)
    frames = [pl.from_pandas(file) for file in (X, Y)]
    assert verify_certificate(linker.certificate_, *frames).bound == linker.bound_
    arrays = [file.astype(object).to_numpy() for file in (X, Y)]
    assert verify_certificate(linker.certificate_, *arrays).bound == linker.bound_


def test_a_text_in_a_numeric_column_is_refused_and_not_shown() -> None:
    X, Y = mixed_tables()
    linker = certified(WeightedMeanLinker(), X, Y)
    wrong = Y.assign(income="secret")
    with pytest.raises(CertificateError) as refused:
        verify_certificate(linker.certificate_, X, wrong)
    assert "income" in str(refused.value) and "secret" not in str(refused.value)


# -- one number changed ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINKERS)
def test_one_number_changed_is_rejected_or_harmless(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from corruption import corrupted

    X, Y = mixed_tables(N_FEW)
    certificate = json.loads(certificate_json(certified_few(name, "separate").certificate_))
    truth = verify_certificate(certificate, X, Y)
    rng, rejected = np.random.default_rng(len(name)), 0
    for _ in range(N_TIMES):
        what, changed = corrupted(certificate, rng)
        try:
            verified = verify_certificate(changed, X, Y)
        except CertificateError:
            rejected += 1
            continue
        assert verified.n_linked <= truth.bound and truth.n_linked <= verified.bound, what
    assert rejected >= N_TIMES // 2


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        (None, ["variables"], "malformed"),
        ([], ["variables"], "other columns"),
        ({"kind": "number"}, ["variables", 0], "kind of a column is unknown"),
        ({"kind": "nominal"}, ["variables", 0], "not the one"),
        ({"kind": "numeric"}, ["variables", 2], "column 'town'"),
        ({"kind": "ordinal"}, ["variables", 3], "malformed"),
        ([0, 1, 2], ["variables", 3, "levels"], "not the one"),
        ([2, 0], ["variables", 3, "levels"], "malformed"),
        ([2, 0, 0], ["variables", 3, "levels"], "same level"),
        ([2, 0, 1.0], ["variables", 3, "levels"], "level is not an integer"),
        ([2, 0, -1], ["variables", 3, "levels"], "level is not an integer"),
        (None, ["view", "scales", 2], "left out"),
        ([1.0], ["view", "scales", 2], "cap"),
        ([-1.0], ["view", "scales", 2], "cap"),
        ([float("nan")], ["view", "scales", 2], "not finite"),
        ([], ["view", "scales", 2], "malformed"),
        ([0.0, 1.0, 0.0, 1.0], ["view", "scales", 3], "scale"),
        ([], ["view", "scales", 0], "malformed"),
    ],
)
def test_what_is_wrong_is_said(value: Any, path: list[Any], reason: str) -> None:
    X, Y = mixed_tables(N_FEW)
    certificate = certified_few("weighted mean", "separate").certificate_
    changed = replaced(json.loads(certificate_json(certificate)), value, *path)
    with pytest.raises(CertificateError, match=reason):
        verify_certificate(changed, X, Y)


def test_a_certificate_of_numbers_does_not_pass_for_one_of_a_mixed_file() -> None:
    X, Y = mixed_tables(N_FEW)
    linker = certified_few("weighted mean", "separate")
    less = {k: v for k, v in linker.certificate_.items() if k != "variables"}
    with pytest.raises(CertificateError, match="not numbers"):
        verify_certificate(less, X, Y)
