"""What the maskers share: a stateless transformer that masks the file given to it.

`fit` checks the file. `transform` masks any file with the same variables by its own values, so
the masked file may be released with no word about another one.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data


def round_whole_columns(X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round the columns of a masked file whose original holds whole numbers only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._base import round_whole_columns
    >>> round_whole_columns(np.array([[1.0, 0.5]]), np.array([[1.4, 0.7]]))
    array([[1. , 0.7]])
    """
    whole = (X == np.rint(X)).all(axis=0)
    return np.where(whole, np.rint(Y), Y)


class Masker(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the maskers.

    A subclass masks one file in `_mask`; where it offers ``keep_integers``, whole numbers are
    released as whole numbers.
    """

    _parameter_constraints: dict[str, list[Any]] = {"keep_integers": ["boolean"]}

    keep_integers: bool = False

    @abstractmethod
    def _mask(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The masked version of a file."""

    def _check(self, X: NDArray[np.float64]) -> None:
        """Raise where the file cannot be masked."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the file.

        Parameters
        ----------
        X : array-like of shape (n_records, n_features)
            The original file.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._check(validate_data(self, X, dtype=np.float64))
        return self

    def transform(self, X: Any) -> Any:
        """Mask a file.

        Parameters
        ----------
        X : array-like of shape (n_records, n_features)
            The file to mask, with the variables seen in `fit`.

        Returns
        -------
        Y : ndarray of shape (n_records, n_features)
            The masked file; row i is the masked version of row i of ``X``.
        """
        check_is_fitted(self, "n_features_in_")
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        self._check(X)
        Y = self._mask(X)
        return round_whole_columns(X, Y) if self.keep_integers else Y
