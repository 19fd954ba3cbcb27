"""A certificate with one number changed is rejected, or what it still proves is true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sklearn_reclink import (
    BilinearLinker,
    CertificateError,
    ChoquetLinker,
    OWALinker,
    WeightedMeanLinker,
    verify_certificate,
)
from sklearn_reclink.certificates import build
from tests.certificates.cases import replaced
from tests.problems import noisy_files

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FEW, MORE = (noisy_files(5, n_records=n, n_features=3, noise=0.8) for n in (24, 60))
LINKERS = {
    "cells": OWALinker(),
    "conflicts": WeightedMeanLinker(),
    "submodular": ChoquetLinker(constraint="submodular"),
    "2-additive": ChoquetLinker(k_additive=2),
    "nonnegative": BilinearLinker(constraint="nonnegative"),
    "psd": BilinearLinker(),
}
N_TIMES = 25  # each


def files_of(name):
    return MORE if name == "cells" else FEW  # few records need no cells


@pytest.fixture(scope="module")
def certificates():
    """By name: certificates as they are read from JSON."""
    found, method = {}, None
    make = build.build_certificate

    def chosen(fit, **options):
        return make(fit, **(options | {"method": method}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "build_certificate", chosen)
        for name, linker in LINKERS.items():
            method = name if name in ("cells", "conflicts") else None
            linker.set_params(certify=True, random_state=0).fit(*files_of(name))
            found[name] = json.loads(json.dumps(linker.certificate_))
    return found


@pytest.mark.parametrize("name", LINKERS)
def test_one_number_changed_is_rejected_or_harmless(name, certificates, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from corruption import corrupted

    certificate, files = certificates[name], files_of(name)
    optimum = verify_certificate(certificate, *files)
    assert optimum.n_linked == optimum.bound
    rng = np.random.default_rng(len(name))
    rejected = 0
    for _ in range(N_TIMES):
        what, changed = corrupted(certificate, rng)
        try:
            verified = verify_certificate(changed, *files)
        except CertificateError:
            rejected += 1
            continue
        assert verified.n_linked <= optimum.bound <= verified.bound, what
    assert rejected >= N_TIMES // 2


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ("another", ["format"], "format"),
        (2, ["version"], "version"),
        (1e-3, ["tolerance"], "tolerance"),
        ("0" * 64, ["sha256", "original"], "original file is not the one"),
        ("0" * 64, ["sha256", "masked"], "masked file is not the one"),
        ("0" * 64, ["sha256", "pool"], "pool file is not the one"),
        (["a"], ["theta"], "malformed|number"),
        ("free", ["family", "constraint"], "family is unknown"),
        ("none", ["family", "name"], "malformed"),
        (None, ["view", "scales", 0], "not constant"),
        ([0.0, 1.0, 0.0, 1.0], ["view", "scales", 0], "scale"),
        ("other", ["view", "standardize"], "view is unknown"),
        (3, ["proof"], "malformed"),
        ([], ["proof", "tree"], "too few nodes"),
        ([{}], ["proof", "tree"], "ends before it is proven"),
        ([[0, 0]], ["proof", "never"], "compared with itself"),
        (23.0, ["bound"], "bound is not an integer"),
        (25, ["bound"], "bound is not an integer"),
        (23, ["n_records"], "count is wrong"),
        (1, ["n_linked"], "count is wrong"),
        ([0, 0], ["linked"], "listed twice"),
    ],
)
def test_what_is_wrong_is_said(value, path, reason, certificates):
    with pytest.raises(CertificateError, match=reason):
        verify_certificate(replaced(certificates["conflicts"], value, *path), *FEW)


def test_a_tree_cannot_be_cut_short_or_lengthened(certificates):
    for name, certificate in certificates.items():
        tree, files = certificate["proof"]["tree"], files_of(name)
        with pytest.raises(CertificateError, match="too many"):
            verify_certificate(replaced(certificate, [*tree, {}], "proof", "tree"), *files)
        with pytest.raises(CertificateError, match=r"too few|before it is proven"):
            verify_certificate(replaced(certificate, tree[:-1], "proof", "tree"), *files)
        assert any("split" in node for node in tree) == (name == "cells")


def test_a_bound_is_not_lowered_by_saying_so(certificates):
    for name, certificate in certificates.items():
        lower = replaced(certificate, certificate["bound"] - 1, "bound")
        with pytest.raises(CertificateError, match="before it is proven"):
            verify_certificate(lower, *files_of(name))


def test_records_counted_twice_prove_nothing(certificates):
    certificate = certificates["conflicts"]
    never = certificate["proof"]["never"]
    twice = replaced(certificate, never + never, "proof", "never")
    assert verify_certificate(twice, *FEW).bound == certificate["bound"]
    lower = replaced(twice, certificate["bound"] - len(never) - 1, "bound")
    with pytest.raises(CertificateError):
        verify_certificate(lower, *FEW)


@pytest.mark.parametrize("text", ["", "[", "[]", "3", "null", '"x"', "[" * 100_000])
def test_what_is_no_certificate_is_rejected(text):
    with pytest.raises(CertificateError):
        verify_certificate(text, *FEW)
