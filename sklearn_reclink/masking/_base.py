"""What the maskers share: a stateless transformer that masks the file given to it.

`fit` checks the file. `transform` masks any file with the same variables by that file's own values,
so the masked file says nothing about another one.
"""

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_reclink._sklearn_compat import fit_context


def round_whole_columns(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
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

    A subclass is a dataclass of its options: Python writes the ``__init__`` that scikit-learn asks
    for. It masks one file in `_mask`. If it has the option ``keep_integers``, whole numbers are
    released as whole numbers.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"keep_integers": ["boolean"]}

    keep_integers: bool = False

    @abstractmethod
    def _mask(self, X: np.ndarray) -> np.ndarray:
        """The masked version of a file."""

    def _check(self, X: np.ndarray) -> None:
        """Raise if the file cannot be masked."""

    def _settle(self, n_features: int) -> None:
        """Set in `fit` what depends on the variables alone."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the options and the file.

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
        X = validate_data(self, X, dtype=np.float64)
        self._settle(X.shape[1])
        self._check(X)
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
