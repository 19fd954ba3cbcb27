"""Certificates of files with categories, levels and missing values, against exact enumeration.

200 cases per family; fewer where ``CI`` is set.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from sklearn.base import clone

from sklearn_reclink import (
    BilinearLinker,
    CertificateError,
    ChoquetLinker,
    OWALinker,
    Pool,
    WeightedMeanLinker,
    verify_certificate,
)
from sklearn_reclink.certificates import build, certificate_json
from tests.certificates.schema import SCHEMA, problems
from tests.linkers.mixed_enumeration import (
    FAMILIES,
    NOMINAL,
    enumerated,
    enumerated_matrices,
    fitted,
    informative,
    mixed_files,
)
from tests.linkers.test_mixed_matrices import narrow_files

N_EXAMPLES = 24 if os.environ.get("CI") else 200
VIEWS = ["separate", "difference", "rank", None]
LINKERS: dict[str, Any] = {
    "weighted mean": WeightedMeanLinker(),
    "positive": WeightedMeanLinker(constraint="positive"),
    "OWA": OWALinker(),
    "Choquet": ChoquetLinker(),
    "submodular": ChoquetLinker(constraint="submodular"),
    "2-additive": ChoquetLinker(k_additive=2),
    "submodular 2-additive": ChoquetLinker(k_additive=2, constraint="submodular"),
    "psd": BilinearLinker(),
    "nonnegative": BilinearLinker(constraint="nonnegative"),
    "free": BilinearLinker(constraint="free"),
    "projected": BilinearLinker(constraint="projected"),
}

pytestmark = pytest.mark.filterwarnings("ignore")


def mixed_tables(n: int = 40, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numbers, dates, text, bools, numbered categories and levels, with missing values."""
    rng = np.random.default_rng(seed)
    levels = pd.CategoricalDtype(["none", "some", "much", "all"], ordered=True)
    X = pd.DataFrame(
        {
            "income": rng.lognormal(7, 1, n).round(1),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "town": rng.choice(["north", "south", "west"], n),
            "pays": pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=levels),
            "owner": rng.random(n) < 0.5,
        }
    )
    Y = X.copy()
    Y["income"] += rng.normal(0, 300, n).round(1)
    Y["since"] += pd.to_timedelta(rng.integers(-60, 60, n), "D")
    for name in ("town", "pays", "owner"):
        Y[name] = Y[name].where(rng.random(n) < 0.8, Y[name].iloc[rng.permutation(n)].array)
    for file, share in ((X, 0.05), (Y, 0.15)):
        for name in ("income", "town", "pays", "since"):
            file[name] = file[name].where(rng.random(n) > share)
    return X, Y


def certified(linker: Any, X: Any, Y: Any, **params: Any) -> Any:
    return clone(linker).set_params(certify=True, random_state=0, **params).fit(X, Y)


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
