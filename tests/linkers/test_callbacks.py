"""Callbacks of scikit-learn see the tasks of a fit, and change nothing that it finds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from sklearn_reclink import EuclideanLinker, TransformedLinker, WeightedMeanLinker
from tests.auditing.pairs import masked, original

pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")


class Recorder:
    """Writes down what it is told; passed on to estimators inside others."""

    max_propagation_depth = None

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.told.append(f"end {context.task_name}")


@pytest.fixture(scope="module")
def files():
    X = original(40)
    return X, masked(X)


def test_every_way_to_standardise_is_a_task(files):
    recorder = Recorder()
    views = ("separate", "rank")
    EuclideanLinker(standardize=views).set_callbacks(recorder).fit(*files)
    parts = [f"{when} standardize={view!r}" for view in views for when in ("begin", "end")]
    assert recorder.told == ["setup", "begin fit", *parts, "end fit", "teardown"]


def test_callbacks_change_nothing(files):
    plain = WeightedMeanLinker(random_state=0).fit(*files)
    told = WeightedMeanLinker(random_state=0).set_callbacks(Recorder()).fit(*files)
    np.testing.assert_array_equal(plain.weights_, told.weights_)
    assert vars(plain).keys() ^ vars(told).keys() == {"_skl_callbacks"}


def test_callbacks_end_where_a_fit_fails(files):
    recorder = Recorder()
    linker = EuclideanLinker().set_callbacks(recorder)
    with pytest.raises(ValueError, match="5 records"):
        linker.fit(files[0], files[1][:5])
    assert recorder.told == ["setup", "begin fit", "teardown"]
    assert vars(linker).keys() == vars(EuclideanLinker()).keys() | {"_skl_callbacks"}


def test_a_search_over_parameters_hands_its_callbacks_on(files):
    recorder = Recorder()
    grid = {"standardize": ["separate", "rank"]}
    search = GridSearchCV(EuclideanLinker(), grid, cv=2, refit=False).set_callbacks(recorder)
    search.fit(*files)
    assert recorder.told.count("begin standardize='rank'") == 2


def test_a_transformed_linker_hands_its_callbacks_on(files):
    recorder = Recorder()
    TransformedLinker(EuclideanLinker(), StandardScaler()).set_callbacks(recorder).fit(*files)
    assert recorder.told[0] == "setup" and recorder.told[-1] == "teardown"
    assert "begin standardize='separate'" in recorder.told
