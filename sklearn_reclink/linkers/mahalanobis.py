"""Mahalanobis record linkage, d2MD of the papers.

    d^2(a, b) = diff' M diff,      M = Cov(X - Y)^-1 = (Var(X) + Var(Y) - 2 Cov(X, Y))^-1

on raw differences ``diff = a - b`` unless told otherwise.

``M = W W'`` is used through ``W``: the distance is the Euclidean one of the coordinates ``W' a``
and ``W' b``, a sum of squares without the cancellation of ``diff' M diff``.

Singular covariances. Let ``s_k = sd(X_k - Y_k)``, at least ``1e-7 sd(X_k)``, and ``R`` the
covariance of ``(X - Y) / s``, with spectrum ``V diag(l) V'``. Then ``W = diag(1 / s) V
diag(l)^-1/2`` with ``l`` at least ``1e-10`` of its largest. A direction that masking did not
change, a key variable or a preserved total, has ``l = 0``: the floor lets it dominate the
distance, as it would in the limit of ever smaller changes, where a pseudo-inverse would have it
vanish.
"""

from __future__ import annotations

import numpy as np

from sklearn_reclink.data.views import spread
from sklearn_reclink.families import Distance, WeightedMean
from sklearn_reclink.linkers.base import BaseLinker

_SPREAD_FLOOR = 1e-7
_EIGENVALUE_FLOOR = 1e-10


def whitening(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """``W`` with ``W W'`` the inverse covariance of ``original - masked``, floored as above.

    A column constant in either file has a row of zeros.

    Returns
    -------
    ndarray of shape (n_features, n_directions)
    """
    sd = spread(original)
    informative = (sd > 0) & (spread(masked) > 0)
    scale = np.maximum(spread(original - masked), _SPREAD_FLOOR * sd)[informative]
    differences = (original - masked)[:, informative] / scale
    covariance = np.atleast_2d(np.cov(differences, rowvar=False))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    largest = eigenvalues[-1] if eigenvalues[-1] > 0 else 1.0
    eigenvalues = np.maximum(eigenvalues, _EIGENVALUE_FLOOR * largest)
    whiten = np.zeros((original.shape[1], len(eigenvalues)))
    whiten[informative] = vectors / np.sqrt(eigenvalues) / scale[:, None]
    return whiten


class MahalanobisLinker(BaseLinker):
    """Link records by the Mahalanobis distance of the masking error.

    The matrix is the inverse covariance of ``X - y``. A variable, or a combination of variables,
    that masking left unchanged dominates the distance.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank"} or None, default=None
        None is the papers' distance, on raw differences ``a - b``: both files must be in the
        same units. ``"separate"`` standardises each file by its own means and standard
        deviations first; ``"difference"`` divides by the standard deviation of ``X - y``, which
        changes the matrix and no link. A column constant in either file contributes nothing.
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
    matrix_ : ndarray of shape (n_features, n_features)
        The matrix of the distance, on the differences that ``standardize`` defines.
    whitening_ : ndarray of shape (n_features, n_directions)
        ``matrix_ = whitening_ @ whitening_.T``.
    n_linked_ : int
        Number of records re-identified in the files of `fit`.
    bound_ : int
        Equal to ``n_linked_``: there are no parameters to choose.
    status_ : str
        ``"optimal"``.
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
    >>> from sklearn_reclink import MahalanobisLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(size=X.shape) * [0.05, 0.5, 5.0]
    >>> linker = MahalanobisLinker().fit(X, Y)
    >>> linker.n_linked_
    51
    >>> np.diag(linker.matrix_).round(1)
    array([478.3,   4.1,   0. ])
    """

    _has_ceiling = False  # not monotone in |diff_k|

    matrix_: np.ndarray
    whitening_: np.ndarray

    def __init__(
        self,
        *,
        standardize: str | None = None,
        rule: str = "nearest",
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        super().__init__(
            standardize=standardize,
            rule=rule,
            time_limit=time_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    @property
    def _distance(self) -> Distance:
        return WeightedMean()

    @property
    def _theta(self) -> np.ndarray:
        return np.ones(self.whitening_.shape[1])

    def _coordinates(self, standardised: np.ndarray) -> np.ndarray:
        # one variable at a time: the value of a record must not depend on the others in the chunk
        coordinates = np.zeros((len(standardised), self.whitening_.shape[1]))
        for column, row in zip(standardised.T, self.whitening_, strict=True):
            coordinates += column[:, None] * row
        return coordinates

    def _learn(self, original: np.ndarray, masked: np.ndarray) -> None:
        self.whitening_ = whitening(original, masked[: len(original)])
        self.matrix_ = self.whitening_ @ self.whitening_.T
