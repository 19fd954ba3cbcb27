"""Temporary: gives today's linkers the interface that the new base class will have.

Delete this file, and its one import in ``model_selection.py``, once the new linkers are merged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_reclink.data.reading import impostors_beyond, read_masked, read_pair
from sklearn_reclink.data.views import column_names
from sklearn_reclink.linkers import base, density, euclidean, mahalanobis, probabilistic
from sklearn_reclink.linkers.probabilistic_links import AgreementWeights
from sklearn_reclink.search import Links, link
from sklearn_reclink.search.batches import ask_all

Base: Any = base.BaseLinker
Density: Any = density.DensityLinker
Probabilistic: Any = probabilistic.ProbabilisticLinker
old_fit, old_link = Base.fit, Base.link
density_fit, density_link = Density.fit, Density.link
probabilistic_fit, probabilistic_link = Probabilistic.fit, Probabilistic.link
FIXED = (euclidean.EuclideanLinker, mahalanobis.MahalanobisLinker)


def fit_base(self: Any, X: Any, y: Any = None, pool: Any = None, reference: Any = None) -> Any:
    old_fit(self, X, y, pool)
    if isinstance(self, FIXED):
        self.status_ = "fixed"
    return self


def fit_density(self: Any, X: Any, y: Any = None, pool: Any = None, reference: Any = None) -> Any:
    density_fit(self, X, y, files=None if pool is None else (reference, pool))
    self.status_, self.bound_ = "heuristic", None
    return self


def fit_probabilistic(
    self: Any, X: Any, y: Any = None, pool: Any = None, reference: Any = None
) -> Any:
    probabilistic_fit(self, X, y)
    self.status_, self.bound_ = "heuristic", None
    return self


def with_pool(self: Any, X: Any, y: Any, pool: Any) -> tuple[np.ndarray, np.ndarray]:
    original, masked = read_pair(self, X, y, reset=False)
    whole = read_masked(self, pool, column_names(X), file="pool", name="pool")
    return original, np.concatenate([masked, impostors_beyond(masked, whole)])


def link_base(self: Any, X: Any, y: Any, pool: Any = None) -> Links:
    if pool is None:
        return old_link(self, X, y)
    original, masked = with_pool(self, X, y, pool)
    files = (self.scales_.original(original), self.scales_.masked(masked))
    return link(self._distance, self._theta, *map(self._coordinates, files), **self._work)


def link_density(self: Any, X: Any, y: Any, pool: Any = None) -> Links:
    if pool is None:
        return density_link(self, X, y)
    known = self._coordinates(*with_pool(self, X, y, pool))
    pairs = density.EvidencePairs(self.evidence_, *known)
    return Links(*ask_all(pairs, "link", **self._work))


def link_probabilistic(self: Any, X: Any, y: Any, pool: Any = None) -> Links:
    found = probabilistic_link(self, X, y)
    original, masked = read_pair(self, X, y, reset=False)
    files = self.scales_.original(original), self.scales_.masked(masked)
    best, own, other = [], [], []
    for start, weights in AgreementWeights(self.tolerance_, self.weights_).of_pairs(*files):
        rows = np.arange(len(weights))
        best += (-weights.max(axis=1)).tolist()
        own += (-weights[rows, start + rows]).tolist()
        weights[rows, start + rows] = -np.inf
        other += (-weights.max(axis=1)).tolist()
    distances = [np.array(one) for one in (best, own, other)]
    return Links(
        found.links,
        distances[0],
        distances[1],
        distances[2],
        found.n_tied,
        found.reidentified,
        found.own_tied,
    )


Base.fit, Base.link = fit_base, link_base
Density.fit, Density.link = fit_density, link_density
Probabilistic.fit, Probabilistic.link = fit_probabilistic, link_probabilistic
