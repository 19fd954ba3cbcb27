"""Certificates of fits verify, say what the fit says, and prove nothing false."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import (
    BilinearLinker,
    CertificateError,
    ChoquetLinker,
    Pool,
    WeightedMeanLinker,
    verify_certificate,
)
from sklearn_reclink.certificates import build, certificate_json
from tests.certificates.cases import certified
from tests.certificates.schema import SCHEMA, problems
from tests.exact_arithmetic import best_subset
from tests.problems import TIES_ALONG_RATIOS, as_floats, noisy_files
from tests.soundness.claims import LINKERS


@pytest.fixture
def handed_over(monkeypatch):
    """What fits hand over to the builder."""
    fits = []
    make = build.build_certificate

    def record(fit, **options):
        fits.append(fit)
        return make(fit, **options)

    monkeypatch.setattr(build, "build_certificate", record)
    return fits


@pytest.mark.parametrize("name", LINKERS)
@pytest.mark.parametrize("standardize", ["separate", "rank", ("rank", "difference", "separate")])
def test_a_certificate_proves_links_and_bound_of_the_fit(name, standardize):
    X, Y = noisy_files(3, n_records=30, n_features=3, noise=0.25)
    linker = certified(LINKERS[name], X, Y, standardize=standardize)
    certificate = json.loads(certificate_json(linker.certificate_))
    assert problems(certificate, SCHEMA) == []
    verified = verify_certificate(certificate, X, Y)
    assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)
    assert "no parameters" in verified.statement.lower()


def test_a_certificate_of_several_views_has_a_proof_of_each():
    X, Y = noisy_files(3, n_records=30, n_features=3, noise=0.25)
    linker = certified(LINKERS["weighted mean"], X, Y, standardize=("rank", "difference"))
    certificate = linker.certificate_
    (other,) = certificate["other_views"]
    assert {other["view"]["standardize"], linker.standardize_} == {"rank", "difference"}
    statement = verify_certificate(certificate, X, Y).statement
    assert "rank" in statement and "difference" in statement
    unproven = {"view": other["view"], "proof": {"never": [], "tree": [{}]}}
    with pytest.raises(CertificateError):
        verify_certificate({**certificate, "other_views": [unproven]}, X, Y)


@pytest.mark.parametrize("name", ["weighted mean", "owa"])
@pytest.mark.parametrize("method", ["cells", "conflicts"])
def test_cells_and_conflicts_prove_the_same_bound(name, method, handed_over):
    X, Y = noisy_files(5, n_records=60, n_features=3, noise=0.8)
    linker = certified(LINKERS[name], X, Y)
    certificate = build.build_certificate(handed_over[0], method=method)
    tree = certificate["proof"]["tree"]
    assert any("split" in node for node in tree) == (method == "cells")
    assert verify_certificate(certificate, X, Y).bound == linker.bound_


@pytest.mark.parametrize("standardize", ["separate", "difference", "rank", None])
def test_pools_frames_and_constant_columns(standardize):
    X, Y = noisy_files(7, n_records=30, n_features=2)
    X, Y = (pd.DataFrame(file, columns=["a", "b"]).assign(same=4.0) for file in (X, Y))
    pool = pd.concat([Y.iloc[::-1], Y.iloc[:6] * 1.1], ignore_index=True)
    linker = WeightedMeanLinker(certify=True, standardize=standardize).fit(X, Y, pool=pool)
    certificate = linker.certificate_
    assert certificate["columns"] == ["a", "b", "same"]
    assert certificate["view"]["scales"][2] is None
    own_first = pd.concat([Y, Y.iloc[:6] * 1.1], ignore_index=True)
    shuffled = pool.sample(frac=1, random_state=0)
    for given in (pool, Pool(pool), pool[["same", "b", "a"]], own_first, shuffled):
        verified = verify_certificate(certificate, X, Y, given)
        assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)
    with pytest.raises(CertificateError, match="pool"):
        verify_certificate(certificate, X, Y)
    with pytest.raises(CertificateError, match="masked file is not the one"):
        verify_certificate(certificate, X, Y.iloc[::-1], pool)


@pytest.mark.parametrize("seed", range(12))
def test_no_certificate_proves_less_than_can_be_linked(seed):
    """Against an exact search over all sets of records, which shares no code with the package."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (6, 2))
    Y = X + rng.integers(-2, 3, X.shape)
    X, Y = (np.vstack([file, [[9, -9]]]).astype(float) for file in (X, Y))
    linker = certified(WeightedMeanLinker(), X, Y, standardize=None)
    squares = (X[:, None] - Y) ** 2
    rows = [
        [(squares[i, j] - squares[i, i]).astype(int).tolist() for j in range(len(X)) if j != i]
        for i in range(len(X))
    ]
    most = len(best_subset(rows, [[1, 0], [0, 1]]))
    verified = verify_certificate(linker.certificate_, X, Y)
    assert verified.n_linked <= most <= verified.bound == linker.bound_


def test_a_proof_that_is_too_large_gives_way_to_a_weaker_bound(handed_over):
    X, Y = noisy_files(11, n_records=50, n_features=3, noise=0.8)
    linker = certified(ChoquetLinker(), X, Y)
    sizes = [10**7, 1000, 10]
    certificates = [build.build_certificate(handed_over[0], most_bytes=size) for size in sizes]
    bounds = [verify_certificate(one, X, Y).bound for one in certificates]
    assert bounds[0] == linker.bound_ < bounds[-1] and bounds == sorted(bounds)
    assert [one["bound_of_fit"] for one in certificates] == [linker.bound_] * 3


def test_a_fit_that_ran_out_of_time_is_certified_as_far_as_it_went(handed_over):
    X, Y = noisy_files(13, n_records=60, n_features=4, noise=1.0)
    with pytest.warns(UserWarning):
        linker = certified(BilinearLinker(), X, Y, time_limit=0)
    verified = verify_certificate(linker.certificate_, X, Y)
    assert verified.n_linked == linker.n_linked_ and verified.bound <= linker.bound_
    begin = time.monotonic()
    hurried = build.build_certificate(replace(handed_over[0], bound=0), seconds=1.0)
    assert time.monotonic() - begin < 10
    assert verify_certificate(hurried, X, Y).bound >= linker.n_linked_


def test_only_fits_that_ask_for_a_certificate_have_one():
    X, Y = noisy_files(0, n_records=20, n_features=2)
    linker = WeightedMeanLinker(certify=True).fit(X, Y)
    assert linker.certificate_ is not None
    assert linker.set_params(certify=False).fit(X, Y).certificate_ is None
    with pytest.raises(ValueError, match="leave out reference"):
        WeightedMeanLinker(certify=True, standardize="rank").fit(X, Y, reference=X[:-1])


def test_shrunk_and_claimed_parameters_keep_their_own_links():
    X, Y = noisy_files(2, n_records=40, n_features=3, noise=0.8)
    linker = certified(WeightedMeanLinker(shrinkage=0.9), X, Y)
    verified = verify_certificate(linker.certificate_, X, Y)
    assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)
    assert verified.n_linked < verified.bound


def test_the_checker_imports_the_standard_library_alone():
    import ast
    import sys
    from pathlib import Path

    room, checker = Path(build.__file__).parent, ("verify", "distances", "coordinates", "mixed")
    ours = {f"sklearn_reclink.certificates.{name}" for name in checker}
    for name in checker:
        source = (room / f"{name}.py").read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 350
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert all(one.name in sys.stdlib_module_names for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                known = (node.module or "").split(".")[0] in sys.stdlib_module_names
                assert known or node.module in ours


def test_a_fit_without_a_certificate_says_so_and_stands():
    X, Y = noisy_files(2, n_records=25, n_features=2)
    X, Y = (pd.DataFrame(file * [1.0, 1e-40], columns=["a", "tiny"]) for file in (X, Y))
    with pytest.warns(UserWarning, match="no certificate was made: .* 'tiny'"):
        linker = WeightedMeanLinker(certify=True).fit(X, Y)
    assert linker.certificate_ is None
    assert linker.n_linked_ == linker.bound_ == round(linker.score(X, Y) * 25)


@pytest.mark.parametrize("files", TIES_ALONG_RATIOS)
def test_ties_along_ratios_of_integers_are_proven_to_the_bound_of_the_fit(files):
    linker = BilinearLinker(constraint="psd", standardize=None, certify=True, random_state=0)
    linker.fit(*as_floats(*files))
    verified = verify_certificate(linker.certificate_, *as_floats(*files))
    assert linker.status_ == "optimal"
    assert (verified.n_linked, verified.bound) == (linker.n_linked_, linker.bound_)
