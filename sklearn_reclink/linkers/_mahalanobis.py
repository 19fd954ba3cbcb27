"""Mahalanobis record linkage, d2MD of the papers.

    d^2(a, b) = diff' M diff,      M = Cov(X - Y)^-1 = (Var(X) + Var(Y) - 2 Cov(X, Y))^-1

on raw differences ``diff = a - b`` unless told otherwise.

``M = W W'`` is used through ``W`` (`families.bilinear.whitening`, which also says what is done with
singular covariances): the distance is the Euclidean one of the coordinates ``W' a`` and ``W' b``, a
sum of squares without the cancellation of ``diff' M diff``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink.data.reading import Files
from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.bilinear import Bilinear, spread_of, whitening
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class MahalanobisLinker(BaseLinker):
    """Link records by the Mahalanobis distance of the masking error.

    The matrix is the inverse covariance of ``X - y``. A variable, or a combination of variables,
    that masking left unchanged dominates the distance.

    Parameters
    ----------
    standardize : {"separate", "difference", "rank"}, None or several of them, default=None
        None is the papers' distance, on raw differences ``a - b``: both files must be in the
        same units. ``"separate"`` standardises each file by its own means and standard
        deviations first; ``"difference"`` divides by the standard deviation of ``X - y``, which
        changes the matrix but no link; ``"rank"`` compares ranks, each as a share of its own file.
        A column constant in either file contributes nothing. If several are given, the one that
        links the most records of `fit` is used.
    %(categorical_features ordinal_features of_rule)s

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        The matrix of the distance, on the differences that ``standardize`` defines.
    whitening_ : ndarray of shape (n_features, n_directions)
        ``matrix_ = whitening_ @ whitening_.T``.
    %(fixed_)s
    %(files_)s

    Examples
    --------
    >>> from sklearn_reclink import MahalanobisLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> linker = MahalanobisLinker().fit(*make_noisy_files(random_state=0))
    >>> linker.n_linked_, linker.matrix_.diagonal().round(1)
    (51, array([478.3,   4.1,   0. ]))
    """

    standardize: str | Sequence[str | None] | None = None

    _has_ceiling: ClassVar[bool] = False  # not monotone in |diff_k|
    _most_variables: ClassVar[int] = 1000
    _for_wide_files: ClassVar[str] = "EuclideanLinker"

    def _learn_scales(self, files: Files) -> None:
        super()._learn_scales(files)
        if self.variables_ is not None:
            return
        a, b = super()._coordinates(files.original, files.masked)
        self._learn_matrix(a - b, spread_of(a, None))

    def _learn_matrix(self, own: np.ndarray, spread: np.ndarray) -> None:
        used = self._informative
        self.whitening_ = np.zeros((len(used), np.count_nonzero(used)))
        self.whitening_[used] = whitening(own, spread)
        self.matrix_ = self.whitening_ @ self.whitening_.T

    def _coordinates(self, original: np.ndarray, masked: np.ndarray) -> tuple[Any, Any]:
        a, b = super()._coordinates(original, masked)
        if self.variables_ is not None:
            return a, b
        used = self._informative
        return _mapped(a, self.whitening_[used]), _mapped(b, self.whitening_[used])

    @property
    def _theta(self) -> np.ndarray:
        return super()._theta if self.variables_ else np.ones(self.whitening_.shape[1])

    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        if self.variables_ is None:
            self._family = WeightedMean(self.whitening_.shape[1])
        else:
            self._learn_mixed(index)
        return Solution(self._theta, 0, index.n_records, Status.FIXED)

    def _learn_mixed(self, index: Index) -> None:
        """The same matrix of differences that no linear map of the files gives."""
        n = index.n_variables
        own, caps = index.own_differences(), index.caps
        assert caps is not None
        # a missing difference is 0 here: the variance is that of those which are there
        present = ~np.isnan(index.original - index.masked[: len(own)])[:, :n]
        own *= np.sqrt(len(own) / np.maximum(present.sum(axis=0), 1))
        self._learn_matrix(own, spread_of(index.original[:, :n], caps[:n]))
        if len(index.extra):
            self.missing_weights_ = np.repeat(np.diag(self.matrix_)[:, None], 2, axis=1)
        self._family = mixed_family(Bilinear(n), caps, index.extra)


def _mapped(coordinates: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    # one variable at a time: the value of a record must not depend on the others in the batch
    mapped = np.zeros((len(coordinates), matrix.shape[1]))
    for column, row in zip(coordinates.T, matrix, strict=True):
        mapped += column[:, None] * row
    return mapped
