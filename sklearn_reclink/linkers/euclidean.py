"""Plain distance-based record linkage, d2AM of the papers.

    d^2(a, b) = (1 / n) sum_k diff_k(a, b)^2

Nothing is learnt but the scales: this is the intruder every learnt distance is compared with.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.families import Distance, WeightedMean
from sklearn_reclink.linkers.base import BaseLinker


class EuclideanLinker(BaseLinker):
    """Link records by the Euclidean distance of standardised variables.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; None takes
        ``a - b`` as it is. A column constant in either file contributes nothing.
        ``"rank"`` compares ranks, each as a share of its own file.
    rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
        How distances become links in `predict`, `link` and `score`: the nearest masked record,
        as in the papers; the same with a price for masked records that many originals are near
        to (``"density"``, and ``"balanced"``, where prices leave one link each on average); or
        the one-to-one assignment of least total distance. ``n_linked_``, ``bound_`` and
        ``status_`` are always of ``"nearest"``.
    time_limit : float or None, default=60.0
        Not used; present so that all linkers take the same options.
    n_jobs : int or None, default=None
        Number of joblib workers that link records.
    random_state : int, RandomState instance or None, default=None
        Not used; present so that all linkers take the same options.
    verbose : int, default=0
        Print the progress of linking when positive.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        ``1 / n_features`` each.
    n_linked_ : int
        Number of records re-identified in the files of `fit`.
    bound_ : int
        Equal to ``n_linked_``: there are no parameters to choose.
    status_ : str
        ``"optimal"``.
    ceiling_ : int
        Number of records that some weighted mean, OWA or Choquet distance might re-identify:
        the others are beaten by an impostor in every variable.
    masked_ : ndarray of shape (n_records, n_features)
        The masked file of `fit`, columns in the order of ``X``.
    scales_ : Scales
        Shifts and scales of both files.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the variables, when ``X`` has names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(scale=0.1, size=X.shape)
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> linker.n_linked_
    97
    >>> linker.score(X, Y)
    0.97
    >>> linker.predict(X[:3])
    array([ 0, 61,  2])
    """

    weights_: np.ndarray

    @property
    def _distance(self) -> Distance:
        return WeightedMean()

    @property
    def _theta(self) -> np.ndarray:
        return self.weights_

    def _learn(self, original: np.ndarray, masked: np.ndarray) -> None:
        self.weights_ = np.full(original.shape[1], 1 / original.shape[1])
