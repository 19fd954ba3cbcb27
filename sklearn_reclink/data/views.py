"""Views of two files: coordinates whose differences a distance is a function of.

A file becomes *coordinates* once, so that every difference is a subtraction::

    diff_k(a, b) = (a_k / u_k - p_k) / s_k - (b_k / v_k - q_k) / t_k

================  ==================================  ===============================
``standardize``   original: shift p_k, scale s_k      masked: shift q_k, scale t_k
================  ==================================  ===============================
``"separate"``    mean(X_k), sd(X_k)                  mean(Y_k), sd(Y_k)
``"difference"``  mean(X_k), sd(X_k - Y_k)            the same (DBRL2, 2012 Choquet paper)
``None``          0, w                                0, w
================  ==================================  ===============================

``u_k``, ``v_k`` and ``w`` are powers of two, which round nothing: 1, unless numbers are so large or
so small that sums of squares would overflow or underflow (`safe_range`). Means and standard
deviations are those of the columns so divided. ``w`` is one for all columns, so it changes no link;
where it is not 1, raw differences are in its units.

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.data.safe_range import (
    check_differences,
    check_resolution,
    common_power,
    powers_of_two,
)

# X - Y carries the rounding of X and Y: a spread below this part of their size is no spread.
_ROUNDING = 1e-14
VIEWS = ("separate", "difference", "rank", None)
GOWER = "gower"  # ranges of both files together, for `EuclideanLinker` alone
_WIDEST_GAP = 2.0**1000  # of two values whose ranks are interpolated by a slope


@dataclass(frozen=True)
class Scales:
    """Shift and scale of every variable in both files.

    Parameters
    ----------
    original_shift, original_scale, masked_shift, masked_scale : ndarray of shape (n_features,)
        A variable with an infinite scale contributes nothing.
    original_power, masked_power : ndarray of shape (n_features,)
        Powers of two, in whose units shifts and scales are: 1 for ordinary numbers.
    names : sequence of shape (n_features,), default=None
        What errors call the variables; by default they are numbered.

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
    original_power: np.ndarray
    masked_power: np.ndarray
    names: Sequence[Any] | None = None

    def original(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of original records, (n_records, n_features)."""
        return self._coordinates(X, self.original_power, self.original_shift, self.original_scale)

    def masked(self, Y: np.ndarray) -> np.ndarray:
        """Coordinates of masked records, (n_records, n_features)."""
        return self._coordinates(Y, self.masked_power, self.masked_shift, self.masked_scale)

    def _coordinates(
        self, file: np.ndarray, power: np.ndarray, shift: np.ndarray, scale: np.ndarray
    ) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):  # `coordinates` refuses what overflows
            found = np.asarray((file / power - shift) / scale)
        found[:, ~self.informative] = 0.0
        return found

    @property
    def informative(self) -> np.ndarray:
        """Which variables contribute, (n_features,)."""
        return np.isfinite(self.original_scale) & np.isfinite(self.masked_scale)

    def coordinates(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of both files, if their differences and values fit into floats."""
        a, b = self.original(X), self.masked(Y)
        labels = self.names if self.names is not None else range(X.shape[1])
        check_differences(a, b, labels)
        for file, found, power, shift, name in (
            (X, a, self.original_power, self.original_shift, "original file"),
            (Y, b, self.masked_power, self.masked_shift, "masked file"),
        ):
            used_shift = np.where(self.informative, shift, 0.0)
            check_resolution(file, found, power, used_shift, labels, name)
        return a, b


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

    def coordinates(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of both files."""
        return self.original(X), self.masked(Y)

    def _look_up(self, file: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
        ranks = np.zeros(file.shape)
        for k in np.flatnonzero(self.informative):
            ranks[:, k] = _interpolated(file[:, k], *tables[k])
        return ranks


def chosen_views(standardize: Any, views: Sequence[str | None] = VIEWS) -> tuple[str | None, ...]:
    """The views that a parameter names: one, or several different ones.

    Examples
    --------
    >>> from sklearn_reclink.data.views import chosen_views
    >>> chosen_views("rank"), chosen_views(["separate", None])
    (('rank',), ('separate', None))
    """
    chosen = tuple(standardize) if isinstance(standardize, list | tuple) else (standardize,)
    if not chosen or any(chosen.count(one) > 1 or one not in views for one in chosen):
        known = ", ".join(f'"{one}"' for one in views if one is not None)
        raise ValueError(
            f"standardize is {standardize!r}: name one or several of {known} and None, each once"
        )
    return chosen


def learn_view(
    X: np.ndarray,
    Y: np.ndarray,
    standardize: str | None,
    names: Sequence[Any] | None = None,
    mixed: tuple[np.ndarray, Sequence[str], bool] | None = None,
) -> Any:
    """Learn how an original and a masked file become coordinates, if anything tells records apart.

    Ranks are learned from files of any length, scales from aligned ones. ``names`` are what errors
    call the columns; ``mixed`` the pool, the kinds of the variables and whether missing values cost
    what is expected, for files that are not of numbers alone (`mixed`).
    """
    if mixed is not None:
        from sklearn_reclink.data.mixed import learn_mixed_view

        pool, kinds, expected = mixed
        return learn_mixed_view(X, Y, pool, kinds, standardize, names, expected=expected)
    ranked = standardize == "rank"
    view = learn_ranks(X, Y) if ranked else learn_scales(X, Y, standardize, names)
    if not view.informative.any():
        raise ValueError(
            f"all {X.shape[1]} columns are constant in X or in y: nothing tells one record from "
            "another, so there is no distance to learn"
        )
    return view


def check_width(informative: np.ndarray, linker: object, most: int, instead: str) -> None:
    """Refuse more variables than a linker has memory and time for, and say what to use instead."""
    n_variables = np.count_nonzero(informative)
    if n_variables > most:
        raise ValueError(
            f"the files have {n_variables} variables that are not constant; "
            f"{type(linker).__name__} takes at most {most}: leave some out, or use {instead}"
        )


def learn_scales(
    X: np.ndarray, Y: np.ndarray, standardize: str | None, names: Sequence[Any] | None = None
) -> Scales:
    """Learn the scales of an original and a masked file.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        The files; row i of ``Y`` is the masked version of row i of ``X``.
    standardize : {"separate", "difference"} or None
        The row of the table above to use.
    names : sequence of shape (n_features,), default=None
        What errors call the columns; by default they are numbered.

    Returns
    -------
    Scales
    """
    informative = ~(_is_constant(X) | _is_constant(Y))
    one = np.ones(X.shape[1])
    if standardize == "separate":
        powers = powers_of_two(X), powers_of_two(Y)
        a, b = X / powers[0], Y / powers[1]
        shifts, scales = (a.mean(axis=0), b.mean(axis=0)), (_sd(a), _sd(b))
    elif standardize == "difference":
        powers = (powers_of_two(X, Y),) * 2
        a, b = X / powers[0], Y / powers[1]
        shifts, scales = (a.mean(axis=0),) * 2, (_sd_of_difference(a, b),) * 2
    elif standardize is None:
        power = common_power(X, Y, informative, names)
        powers, shifts, scales = (one, one), (0 * one, 0 * one), (power * one, power * one)
    else:
        raise ValueError(
            f'standardize is {standardize!r}: it must be "separate", "difference" or None'
        )
    original_scale, masked_scale = (np.where(informative, scale, np.inf) for scale in scales)
    return Scales(shifts[0], original_scale, shifts[1], masked_scale, *powers, names)


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


def spread(values: np.ndarray) -> np.ndarray:
    """Sample standard deviation of every column, exactly 0 for a constant one."""
    power = powers_of_two(values)
    with np.errstate(over="ignore"):
        return np.asarray(_sd(values / power) * power)


def _sd(values: np.ndarray) -> np.ndarray:
    if len(values) < 2:
        return np.zeros(values.shape[1])
    return np.where(_is_constant(values), 0.0, values.std(axis=0, ddof=1))


def _sd_of_difference(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """``sd(X_k - Y_k)``, or ``sd(X_k)`` where that is only rounding."""
    sd = _sd(X - Y)
    size = np.maximum(np.abs(X).mean(axis=0), np.abs(Y).mean(axis=0))
    return np.where(sd > _ROUNDING * size, sd, _sd(X))


def _is_constant(values: np.ndarray) -> np.ndarray:
    return np.asarray((values == values[0]).all(axis=0))


def _mid_ranks(column: np.ndarray) -> np.ndarray:
    values, counts = np.unique(column, return_counts=True)
    return np.array([values, (np.cumsum(counts) - counts / 2) / len(column)])


def _interpolated(column: np.ndarray, values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    found = np.interp(column, values, ranks)
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
