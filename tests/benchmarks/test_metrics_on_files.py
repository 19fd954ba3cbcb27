"""The benchmark of learned metrics on the files they learn from: its laws, on generated records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation


@pytest.fixture(scope="module")
def pair():
    X = make_microdata(50, 3, random_state=1)
    return X, Microaggregation(groups=[[0, 1], [2]], k=3).fit_transform(X)


@pytest.fixture(scope="module")
def row(pair):
    from metrics_on_files import measure

    return measure("generated", 0, *pair, ["sklearn NCA"], time_limit=60.0)


def test_no_metric_links_more_than_the_proven_semidefinite_optimum(row):
    from metrics_on_files import verdict

    assert row.is_proven
    assert row.n_records == 50
    assert max(row.euclidean, *row.links.values()) <= row.psd <= 50
    lines, code = verdict([row])
    assert code == 0
    assert "the law holds" in lines[-1]


def test_a_broken_law_and_a_missing_proof_give_exit_code_1(row):
    from metrics_on_files import verdict

    lines, code = verdict([row, replace(row, seed=1, links={"sklearn NCA": row.psd + 1})])
    assert code == 1
    assert lines[-1].startswith("LAW BROKEN: sklearn NCA")
    lines, code = verdict([replace(row, is_proven=False)])
    assert code == 1
    assert lines[-1].startswith("NOT PROVEN")


def test_a_row_has_a_cell_for_every_title(row):
    from metrics_on_files import cells, titles

    assert len(cells(row)) == len(titles(list(row.links)))


@pytest.mark.parametrize("rival", ["LMNN", "NCA", "SCML"])
def test_metrics_of_metric_learn_are_below_the_optimum(rival, pair, row):
    pytest.importorskip("metric_learn", exc_type=ImportError)
    from metric_rivals import MetricLinker

    X, Y = pair
    assert 0 < MetricLinker(rival).fit(X, Y).score(X, Y) * len(X) <= row.psd


def test_impostors_found_at_once_are_those_of_metric_learn():
    metric_learn = pytest.importorskip("metric_learn", exc_type=ImportError)
    from metric_rivals import RIVALS

    points = np.random.default_rng(0).normal(size=(40, 3))
    people = np.tile(np.arange(20), 2)
    (learner,) = RIVALS["LMNN"](0)
    learner.labels_ = np.arange(20)
    own = np.roll(np.arange(40), 20)
    found = [
        set(zip(*find(learner, own, points, people, np.eye(3)), strict=True))
        for find in (type(learner)._find_impostors, metric_learn.LMNN._find_impostors)
    ]
    assert found[0] == found[1]
    assert found[0]
