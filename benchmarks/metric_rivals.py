"""Metric learners of other libraries, on the pairs that linkers learn from.

An original record and its masked version are the two points of a class. Each
learner finds ``L``; records are then linked by ``|L (a - b)|^2`` of the coordinates standardised
by the known pairs. Options are the learners' own defaults unless stated otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from sklearn_reclink import EuclideanLinker

N_ITERATIONS = 500  # of the two NCA, which mostly converge before


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


def _lmnn(seed: int) -> Any:
    """LMNN with the impostors of all classes found at once, not class by class.

    The pairs are those of metric-learn, in another order; a fit of 400 points takes about a tenth
    of the seconds, and may go on for the default of 1,000 iterations. A first step of 1e-3, not
    1e-7, lets most fits converge before.
    """
    metric_learn = _metric_learn()

    class AtOnce(metric_learn.LMNN):  # type: ignore[misc, name-defined]
        def _find_impostors(
            self, furthest: np.ndarray, X: np.ndarray, labels: np.ndarray, L: np.ndarray
        ) -> np.ndarray:
            mapped = X @ L.T
            radii = 1 + ((mapped[furthest] - mapped) ** 2).sum(axis=1)
            near = cdist(mapped, mapped, "sqeuclidean") < np.maximum(radii[:, None], radii)
            return np.array(np.nonzero(near & (labels[:, None] < labels)))

    return AtOnce(n_neighbors=1, learn_rate=1e-3, random_state=seed)


def _scml(seed: int, n_impostors: int) -> Any:
    return _metric_learn().SCML_Supervised(k_genuine=1, k_impostor=n_impostors, random_state=seed)


# The candidates of a learner: the one that links most of the known pairs is kept. SCML, with its
# default of 10 impostors per point, finds no metric at all if most impostors are nearer.
RIVALS: dict[str, Callable[[int], list[Any]]] = {
    "LMNN": lambda seed: [_lmnn(seed)],
    "NCA": lambda seed: [_metric_learn().NCA(max_iter=N_ITERATIONS, random_state=seed)],
    "SCML": lambda seed: [_scml(seed, n_impostors) for n_impostors in (10, 50, 150)],
    "sklearn NCA": lambda seed: [
        NeighborhoodComponentsAnalysis(max_iter=N_ITERATIONS, random_state=seed)
    ],
}


PACKAGES = dict.fromkeys(("LMNN", "NCA", "SCML", "LMNN, bal.", "NCA, bal."), ("metric_learn",))


class MetricLinker:
    """A learned metric with the interface of a linker, as far as the benchmarks need it."""

    def __init__(self, rival: str, seed: int = 0, rule: str = "nearest"):
        self.rival = rival
        self.seed = seed
        self.rule = rule

    def fit(self, X: np.ndarray, y: np.ndarray) -> MetricLinker:
        self.scales_ = EuclideanLinker().fit(X, y).scales_
        points = np.concatenate([self.scales_.original(X), self.scales_.masked(y)])
        people = np.tile(np.arange(len(X)), 2)
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for learner in RIVALS[self.rival](self.seed):
                self.components_ = np.asarray(learner.fit(points, people).components_)
                found.append((self.score(X, y), self.components_))
        _, self.components_ = max(found, key=lambda rate_and_map: rate_and_map[0])
        return self

    def score(self, X: np.ndarray, y: np.ndarray) -> float:
        if not len(self.components_):  # SCML may find no direction worth keeping: all are tied
            return 0.0
        a, b = self.scales_.original(X) @ self.components_.T, self._masked(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # coordinates, not files in one unit
            return EuclideanLinker(standardize=None, rule=self.rule).fit(a, b).score(a, b)

    def _masked(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(self.scales_.masked(y) @ self.components_.T)
