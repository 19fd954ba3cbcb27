"""The squared distance that a linker has learned, in the vocabulary of metric-learn."""

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink.data.reading import read_pairs

if TYPE_CHECKING:
    from sklearn_reclink.search import Index, Search


class MetricMixin:
    """What a fitted linker says of pairs of records."""

    if TYPE_CHECKING:

        def _index(self, original: np.ndarray, masked: np.ndarray) -> Index: ...
        def _search(self, index: Index) -> Search: ...

    def pair_distance(self, pairs: Any) -> np.ndarray:
        """Squared distances of pairs of an original and a masked record.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            An original and a masked record each.

        Returns
        -------
        ndarray of shape (n_pairs,)
            As in `kneighbors`, without the prices of a rule.
        """
        check_is_fitted(self)
        return self._search(self._index(*read_pairs(self, pairs))).ask("own")[0]

    def get_metric(self) -> Callable[[Any, Any], float]:
        """The squared distance as a function of two records; later fits do not change it."""
        fitted = copy(self)
        return lambda original, masked: float(fitted.pair_distance([[original, masked]])[0])
