"""Views of two files: coordinates whose differences a distance is a function of.

A file becomes *coordinates* once, so that every difference is a subtraction::

    diff_k(a, b) = (a_k - p_k) / s_k - (b_k - q_k) / t_k

================  ==================================  ===============================
``standardize``   original: shift p_k, scale s_k      masked: shift q_k, scale t_k
================  ==================================  ===============================
``"separate"``    mean(X_k), sd(X_k)                  mean(Y_k), sd(Y_k)
``"difference"``  mean(X_k), sd(X_k - Y_k)            the same (DBRL2, 2012 Choquet paper)
``None``          0, 1                                0, 1
================  ==================================  ===============================

``sd`` is the sample standard deviation. In ``"difference"`` the common shift cancels; it keeps
the coordinates small, and with them their rounding. A *key* there, ``X_k - Y_k`` constant while
``X_k`` is not, would be divided by zero: it takes ``sd(X_k)`` instead.

``"rank"`` takes ranks as coordinates: the share of the file below a value plus half the share
equal to it (its mid-rank divided by the number of records), from 0 to 1. Values that the file does
not hold are interpolated between their neighbours; beyond its ends they take the share of the end.
Any increasing transformation of a column of either file leaves its ranks as they are.

A column constant in either file tells no record from another: constant in ``Y``, it adds the
same to all candidates of a record; constant in ``X``, it ranks the candidates alike for every
record. It contributes nothing: it is not *informative*, and its coordinates are 0 in all views.
"""

from dataclasses import dataclass

import numpy as np

# X - Y carries the rounding of X and Y: a spread below this part of their size is no spread.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Scales:
    """Shift and scale of every variable in both files.

    Parameters
    ----------
    original_shift, original_scale, masked_shift, masked_scale : ndarray of shape (n_features,)
        A variable with an infinite scale contributes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.data.views import learn_scales
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> scales = learn_scales(X, 10 * X, "separate")
    >>> scales.original(X) - scales.masked(10 * X)
    array([[0.],
           [0.],
           [0.]])
    """

    original_shift: np.ndarray
    original_scale: np.ndarray
    masked_shift: np.ndarray
    masked_scale: np.ndarray

    def original(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of original records, (n_records, n_features)."""
        return np.asarray((X - self.original_shift) / self.original_scale)

    def masked(self, Y: np.ndarray) -> np.ndarray:
        """Coordinates of masked records, (n_records, n_features)."""
        return np.asarray((Y - self.masked_shift) / self.masked_scale)

    @property
    def informative(self) -> np.ndarray:
        """Which variables contribute, (n_features,)."""
        return np.isfinite(self.original_scale) & np.isfinite(self.masked_scale)


@dataclass(frozen=True)
class RankScales:
    """Distinct values of every variable in both files, and their mid-ranks.

    Attributes
    ----------
    original_table, masked_table : list of ndarray of shape (2, n_distinct)
        Distinct values in ascending order above their mid-ranks, for every variable.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.data.views import learn_ranks
    >>> X = np.array([[1.0], [5.0], [5.0], [9.0]])
    >>> scales = learn_ranks(X, np.exp(X))
    >>> scales.original(np.array([[1.0], [5.0], [7.0], [20.0]])).ravel()
    array([0.125 , 0.5   , 0.6875, 0.875 ])
    >>> bool((scales.original(X) == scales.masked(np.exp(X))).all())
    True
    """

    original_table: list[np.ndarray]
    masked_table: list[np.ndarray]

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
        return np.array([a.shape[1] > 1 and b.shape[1] > 1 for a, b in tables])

    def _look_up(self, file: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
        ranks = np.zeros(file.shape)
        for k in np.flatnonzero(self.informative):
            ranks[:, k] = np.interp(file[:, k], *tables[k])
        return ranks


def learn_view(X: np.ndarray, Y: np.ndarray, standardize: str | None) -> Scales | RankScales:
    """Learn how an original and a masked file become coordinates, if anything tells records apart.

    Ranks are learned from files of any length, scales from aligned ones.
    """
    ranked = standardize == "rank"
    view = learn_ranks(X, Y) if ranked else learn_scales(X, Y, standardize)
    if not view.informative.any():
        raise ValueError(
            f"all {X.shape[1]} columns are constant in X or in y: nothing tells one record from "
            "another, so there is no distance to learn"
        )
    return view


def learn_scales(X: np.ndarray, Y: np.ndarray, standardize: str | None) -> Scales:
    """Learn the scales of an original and a masked file.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        The files; row i of ``Y`` is the masked version of row i of ``X``.
    standardize : {"separate", "difference"} or None
        The row of the table above to use.

    Returns
    -------
    Scales
    """
    n_features = X.shape[1]
    sd_original, sd_masked = spread(X), spread(Y)
    if standardize == "separate":
        shifts = X.mean(axis=0), Y.mean(axis=0)
        scales = sd_original, sd_masked
    elif standardize == "difference":
        size = np.maximum(np.abs(X).mean(axis=0), np.abs(Y).mean(axis=0))
        sd_difference = spread(X - Y, size)
        common = np.where(sd_difference > 0, sd_difference, sd_original)
        shifts = (X.mean(axis=0),) * 2
        scales = common, common
    elif standardize is None:
        shifts = (np.zeros(n_features),) * 2
        scales = np.ones(n_features), np.ones(n_features)
    else:
        raise ValueError(
            f'standardize is {standardize!r}: it must be "separate", "difference" or None'
        )
    constant = (sd_original == 0) | (sd_masked == 0)
    original_scale, masked_scale = (np.where(constant, np.inf, scale) for scale in scales)
    return Scales(shifts[0], original_scale, shifts[1], masked_scale)


def learn_ranks(X: np.ndarray, Y: np.ndarray) -> RankScales:
    """Learn the ranks of an original and of a masked file, which need not be aligned.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        The files; they may differ in their number of records.

    Returns
    -------
    RankScales
    """
    original, masked = ([_mid_ranks(column) for column in file.T] for file in (X, Y))
    return RankScales(original, masked)


def spread(values: np.ndarray, size: np.ndarray | None = None) -> np.ndarray:
    """Sample standard deviation of every column, exactly 0 for a constant one.

    ``size`` is the magnitude of the numbers the values were computed from; a spread that is only
    their rounding counts as none.
    """
    if len(values) < 2:
        return np.zeros(values.shape[1])
    sd = values.std(axis=0, ddof=1)
    constant = (values == values[0]).all(axis=0)
    if size is not None:
        constant |= sd <= _ROUNDING * size
    return np.where(constant, 0.0, sd)


def _mid_ranks(column: np.ndarray) -> np.ndarray:
    values, counts = np.unique(column, return_counts=True)
    return np.array([values, (np.cumsum(counts) - counts / 2) / len(column)])
