"""General solvers of the papers' program: what they link is recounted."""

from __future__ import annotations

import pytest

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files


@pytest.mark.parametrize(
    "linker",
    [WeightedMeanLinker(), OWALinker(), ChoquetLinker(), BilinearLinker(constraint="free")],
    ids=repr,
)
def test_a_rival_links_no_more_than_the_proven_optimum(linker, tmp_path):
    from rivals import run_rivals

    X, Y = make_noisy_files(12, noise=[0.5] * 2, random_state=0)
    linker.set_params(random_state=0).fit(X, Y)
    found = run_rivals(["highs"], linker, X, Y, limit=20.0, folder=tmp_path)["highs"]
    assert linker.status_ == "optimal"
    assert found.optimal
    assert 0 < found.recounted <= linker.n_linked_
    assert list(tmp_path.iterdir()) == []
