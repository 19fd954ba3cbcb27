"""Metric learners of other libraries, on the pairs that linkers learn from.

An original record and its masked version are two points of one class, which has no others. Each
learner finds ``L``; records are then linked by ``|L (a - b)|^2`` of the coordinates standardised
by the known pairs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from sklearn_reclink import EuclideanLinker
from sklearn_reclink.differences import learn_scales


def _metric_learn() -> Any:
    """metric-learn 0.7, whose keyword ``force_all_finite`` scikit-learn has renamed."""
    import metric_learn
    from metric_learn import _util

    def renamed(check: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(check)
        def call(*args: Any, force_all_finite: Any = True, **options: Any) -> Any:
            return check(*args, ensure_all_finite=force_all_finite, **options)

        call.is_renamed = True  # type: ignore[attr-defined]
        return call

    for name in ("check_array", "check_X_y"):
        check = getattr(_util, name)
        if not hasattr(check, "is_renamed"):
            setattr(_util, name, renamed(check))
    return metric_learn


RIVALS: dict[str, Callable[[int], Any]] = {
    "LMNN": lambda seed: _metric_learn().LMNN(n_neighbors=1, max_iter=50, random_state=seed),
    "NCA": lambda seed: _metric_learn().NCA(random_state=seed),
    "SCML": lambda seed: _metric_learn().SCML_Supervised(k_genuine=1, random_state=seed),
    "sklearn NCA": lambda seed: NeighborhoodComponentsAnalysis(random_state=seed),
}


class MetricLinker:
    """A learnt metric with the interface of a linker, as far as the benchmarks need it."""

    def __init__(self, rival: str, seed: int = 0):
        self.rival = rival
        self.seed = seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> MetricLinker:
        self.scales_ = learn_scales(X, y, "separate")
        points = np.concatenate([self.scales_.original(X), self.scales_.masked(y)])
        people = np.tile(np.arange(len(X)), 2)
        learner = RIVALS[self.rival](self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner.fit(points, people)
        self.components_ = np.asarray(learner.components_)
        return self

    def score(self, X: np.ndarray, y: np.ndarray) -> float:
        if not len(self.components_):  # SCML may find no direction worth keeping: all are tied
            return 0.0
        a, b = self.scales_.original(X) @ self.components_.T, self._masked(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # coordinates, not files in one unit
            return EuclideanLinker(standardize=None).fit(a, b).score(a, b)

    def _masked(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(self.scales_.masked(y) @ self.components_.T)
