"""Ranks as coordinates, the view ``"rank"``.

A value becomes the share of the file below it plus half the share equal to it (its mid-rank divided
by the number of records), from 0 to 1. Values that the file does not hold are interpolated between
their neighbours; beyond its ends they take the share of the end. Any increasing transformation of
a column of either file leaves its ranks as they are.
"""

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.data.views import powers_of_two

_WIDEST_GAP = 2.0**1000  # of two values whose ranks are interpolated by a slope


@dataclass(frozen=True)
class RankScales:
    """Distinct values of every variable in both files, and their mid-ranks.

    Attributes
    ----------
    original_table, masked_table : list of ndarray of shape (2, n_distinct)
        Distinct values in ascending order above their mid-ranks, for every variable.
    keep_constant : bool
        Whether a variable with one value contributes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.data.ranks import learn_ranks
    >>> X = np.array([[1.0], [5.0], [5.0], [9.0]])
    >>> scales = learn_ranks(X, np.exp(X))
    >>> scales.original(np.array([[1.0], [5.0], [7.0], [20.0]])).ravel()
    array([0.125 , 0.5   , 0.6875, 0.875 ])
    >>> bool((scales.original(X) == scales.masked(np.exp(X))).all())
    True
    """

    original_table: list[np.ndarray]
    masked_table: list[np.ndarray]
    keep_constant: bool = False

    def original(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of original records, (n_records, n_features)."""
        return self._look_up(X, self.original_table)

    def masked(self, Y: np.ndarray) -> np.ndarray:
        """Coordinates of masked records, (n_records, n_features)."""
        return self._look_up(Y, self.masked_table)

    @property
    def informative(self) -> np.ndarray:
        """Which variables contribute: those constant in neither file, (n_features,)."""
        tables = zip(self.original_table, self.masked_table, strict=True)
        varies = [a.shape[1] > 1 and b.shape[1] > 1 for a, b in tables]
        return np.array(varies) | self.keep_constant

    def coordinates(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of both files."""
        return self.original(X), self.masked(Y)

    def _look_up(self, file: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
        ranks = np.zeros(file.shape)
        for k in np.flatnonzero(self.informative):
            ranks[:, k] = _interpolated(file[:, k], *tables[k])
        return ranks


def learn_ranks(X: np.ndarray, Y: np.ndarray, *, keep_constant: bool = False) -> RankScales:
    """Learn the ranks of an original and of a masked file, which need not be aligned.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        The files; they may differ in their number of records.
    keep_constant : bool, default=False
        Whether a variable with one value has a rank, 1/2, and contributes.

    Returns
    -------
    RankScales
    """
    original, masked = ([_mid_ranks(column) for column in file.T] for file in (X, Y))
    return RankScales(original, masked, keep_constant)


def _mid_ranks(column: np.ndarray) -> np.ndarray:
    values, counts = np.unique(column, return_counts=True)
    return np.array([values, (np.cumsum(counts) - counts / 2) / len(column)])


def _interpolated(column: np.ndarray, values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    found = np.interp(column, values, ranks)
    if len(values) == 1:
        return found
    with np.errstate(over="ignore"):
        gaps = np.diff(values)
    if gaps.max() <= _WIDEST_GAP and gaps.min() >= 1 / _WIDEST_GAP:
        return found
    # slopes over or under the range of floats: take shares of the gaps instead
    place = np.clip(np.searchsorted(values, column) - 1, 0, len(gaps) - 1)
    low, high = values[place], values[place + 1]
    between = (low < column) & (column < high)
    power = powers_of_two(low[None], high[None])
    with np.errstate(over="ignore", invalid="ignore"):  # of values beyond the ends
        share = (column / power - low / power) / (high / power - low / power)
    return np.where(between, ranks[place] + share * np.diff(ranks)[place], found)
