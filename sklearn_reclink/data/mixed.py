"""Coordinates of mixed files: numbers, levels in order, categories and missing values.

Every variable has a dissimilarity ``c_k(a, b) >= 0`` on the scale of a squared standardised
difference (two people drawn at random differ by 2 on average)::

    numeric    (a_k - b_k)^2 of the view's coordinates, see `views`
    ordinal    the same of the number of the level
    nominal    0 if equal, else 2 / (1 - sum_v p_v^2), p_v the share of category v in the original

A nominal variable with ``cap = sqrt(c_k)`` is coded ``2 cap v``, v = 0, 1, ..., so that capped
differences (`families.differences`) are 0 or ``cap``.

*Missing values* are NaN, which differ by 0 from anything. What they cost is a coordinate of its own
for a variable and a direction, 0 missing in the masked file and 1 in the original one::

            a: present   a: missing   b: present   b: missing
    0          e(a)          NaN          NaN           0
    1          NaN            0          e(b)          NaN

So the extra difference is ``e`` where the variable is missing in that record alone, else 0. Where a
linker learns, ``e = 1``, and it finds a weight for it (`families.missing`). Elsewhere ``e`` is the
root of the mean dissimilarity of the value and those present in the other file. Nothing is imputed.

Under ``"gower"`` numbers and levels are divided by their range over both files, and the cap of a
nominal variable is 1; `families.gower` leaves out missing values itself.

A variable is *informative* if it takes two states in each file, "missing" being one of them. The
values that are present may then all be the same. If they are so in the original, numbers differ by
0, in every view but None, and missing values tell records apart. If they are so in the masked file
alone, it has the coordinate 0 (as a rank, 1/2), and the original its own mean and standard
deviation. A category takes the cap of the first file that has several, or 1. If all present values
are the same in each file and nothing is learned, missing and present differ as two categories do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_reclink.data.ranks import RankScales, learn_ranks
from sklearn_reclink.data.views import (
    GOWER,
    Scales,
    common_power,
    learn_scales,
    powers_of_two,
    spread,
)


@dataclass(frozen=True)
class MixedView:
    """How two files of codes become coordinates.

    Attributes
    ----------
    scales : list of Scales, RankScales or None
        Of each variable by itself; None for a nominal or uninformative one.
    variable_caps : ndarray of shape (n_features,)
        The difference of two categories; infinite for numbers and levels.
    informative : ndarray of bool of shape (n_features,)
    extra : ndarray of int of shape (n_extra, 2)
        Variable and direction of what missing values cost.
    expected : list of _Expected or None
        What a value costs beside a missing one; None where the cost is learned.
    """

    scales: list[Scales | RankScales | None]
    variable_caps: np.ndarray
    informative: np.ndarray
    extra: np.ndarray
    expected: "list[_Expected] | None"

    @property
    def used(self) -> np.ndarray:
        """Which coordinates contribute, (n_features + n_extra,)."""
        return np.append(self.informative, np.ones(len(self.extra), dtype=bool))

    @property
    def caps(self) -> np.ndarray:
        """The caps of the coordinates that contribute."""
        return np.append(self.variable_caps, np.full(len(self.extra), np.inf))[self.used]

    def coordinates(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of both files, (n_records, n_features + n_extra)."""
        n_features = X.shape[1]
        a, b = (np.zeros((len(file), n_features + len(self.extra))) for file in (X, Y))
        for k in np.flatnonzero(self.informative):
            a[:, k], b[:, k] = _column(self.scales[k], self.variable_caps[k], X[:, k], Y[:, k])
        for e in range(len(self.extra)):
            a[:, n_features + e], b[:, n_features + e] = self._costs(e, a, b)
        return a, b

    def _costs(self, e: int, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """An extra coordinate of both files."""
        k, direction = self.extra[e]
        lacks = np.isnan(a[:, k]), np.isnan(b[:, k])
        values = (a[:, k], b[:, k])[direction]
        known, other = lacks[direction], lacks[1 - direction]
        present, missing = np.where(known, np.nan, 1.0), np.where(other, 0.0, np.nan)
        if self.expected is not None:
            present = self.expected[e].of(values)
        return (present, missing) if direction == 0 else (missing, present)


@dataclass(frozen=True)
class _Expected:
    """The mean dissimilarity of a value and the present values of the other file.

    ``centre`` and ``variance`` are those of numbers; ``shares`` of categories by code. With
    ``constant``, it is the variance whatever the value.
    """

    cap: float
    centre: float
    variance: float
    shares: np.ndarray
    constant: bool = False

    def of(self, values: np.ndarray) -> np.ndarray:
        """Its root, NaN for a missing value."""
        if self.constant:
            return np.where(np.isnan(values), np.nan, np.sqrt(self.variance))
        if not np.isfinite(self.cap):
            return np.asarray(np.sqrt((values - self.centre) ** 2 + self.variance))
        codes = np.nan_to_num(values / (2 * self.cap)).round().astype(np.int64)
        shares = np.append(self.shares, 0.0)[np.minimum(codes, len(self.shares))]
        return np.where(np.isnan(values), np.nan, self.cap * np.sqrt(1 - shares))


def _expected(cap: float, others: np.ndarray) -> _Expected:
    others = others[~np.isnan(others)]
    if not np.isfinite(cap):
        return _Expected(cap, float(others.mean()), float(others.var()), np.empty(0))
    counts = np.bincount((others / (2 * cap)).round().astype(np.int64))
    return _Expected(cap, 0.0, 0.0, counts / len(others))


def _cost(caps: np.ndarray, X: np.ndarray, Y: np.ndarray, k: int, others: np.ndarray) -> _Expected:
    """What a missing value costs; as two categories if present ones are the same in each file."""
    x, y = X[:, k], Y[:, k]
    if varies(x) or varies(y):
        return _expected(caps[k], others)
    states = _cap(np.isnan(x), np.isnan(y)) ** 2
    return _Expected(np.inf, 0.0, states, np.empty(0), constant=True)


def _column(
    scale: Scales | RankScales | None, cap: float, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of one variable of both files."""
    if scale is None:
        return 2 * cap * x, 2 * cap * y
    files = np.full(len(x), np.nan), np.full(len(y), np.nan)
    known = ~np.isnan(x), ~np.isnan(y)
    values = x[known[0], None], y[known[1], None]
    if all(map(len, values)):
        found = scale.coordinates(*values)
    else:  # nothing to compare
        found = scale.original(values[0]), scale.masked(values[1])
    for file, present, here in zip(files, known, found, strict=True):
        file[present] = here[:, 0]
    return files


def learn_mixed_view(
    X: np.ndarray,
    Y: np.ndarray,
    pool: np.ndarray,
    kinds: Sequence[str],
    standardize: str | None,
    names: Sequence[Any] | None = None,
    *,
    expected: bool = False,
) -> MixedView:
    """Learn how the codes of an original and a masked file become coordinates.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        Codes, NaN for missing; aligned unless ranks are learned.
    pool : ndarray of shape (n_masked, n_features)
        The whole masked file.
    kinds : sequence of {"numeric", "ordinal", "nominal"}
    standardize : {"separate", "difference", "rank", "gower"} or None
    names : sequence of shape (n_features,), default=None
        What errors call the columns.
    expected : bool, default=False
        Whether missing values cost what is to be expected; else their cost is learned.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.data.mixed import learn_mixed_view
    >>> X = np.array([[1.0, 0], [2.0, 1], [3.0, 0], [np.nan, 1]])
    >>> view = learn_mixed_view(X, X, X, ["numeric", "nominal"], "separate")
    >>> view.coordinates(X, X)[0].round(1)
    array([[-1.,  0.,  1., nan],
           [ 0.,  4.,  1., nan],
           [ 1.,  0.,  1., nan],
           [nan,  4., nan,  0.]])
    """
    n_features, both = X.shape[1], zip(X.T, Y.T, strict=True)
    informative = np.array([_has_states(x) and _has_states(y) for x, y in both])
    if not informative.any():
        raise ValueError(
            "every column is constant in the original or in the masked file, so nothing tells "
            "one record from another: add a column whose values differ in both"
        )
    nominal = informative & (np.array(kinds) == "nominal")
    caps, numbers = _caps(X, Y, nominal, standardize), np.flatnonzero(informative & ~nominal)
    scales: list[Scales | RankScales | None] = [None] * n_features
    for k, scale in zip(numbers, _scales(X, Y, pool, numbers, standardize, names), strict=True):
        scales[k] = scale
    gaps = np.isnan(pool).any(axis=0), np.isnan(X).any(axis=0)
    costly = np.flatnonzero(informative & (standardize != GOWER)).tolist()
    lacking = [(k, way) for k in costly for way in (0, 1) if gaps[way][k]]
    extra = np.array(lacking, int).reshape(-1, 2)
    view = MixedView(scales, caps, informative, extra, None)
    if not expected or not len(extra):
        return view
    files = replace(view, extra=extra[:0]).coordinates(X, pool)
    costs = [_cost(caps, X, Y, k, files[1 - way][:, k]) for k, way in lacking]
    return replace(view, expected=costs)


def _caps(X: np.ndarray, Y: np.ndarray, nominal: np.ndarray, standardize: str | None) -> np.ndarray:
    """The difference of two categories, infinite for the other variables, (n_features,)."""
    caps = np.full(X.shape[1], np.inf)
    for k in np.flatnonzero(nominal):
        caps[k] = 1.0 if standardize == GOWER else _cap(X[:, k], Y[:, k])
    return caps


def _cap(x: np.ndarray, y: np.ndarray) -> float:
    """The difference of two categories of a column, by the first file that has several."""
    for column in (x, y):
        shares = np.unique(column[~np.isnan(column)], return_counts=True)[1]
        if len(shares) > 1:
            shares = shares / shares.sum()
            return float(np.sqrt(2 / (1 - (shares**2).sum())))
    return 1.0


def _scales(
    X: np.ndarray,
    Y: np.ndarray,
    pool: np.ndarray,
    numbers: np.ndarray,
    standardize: str | None,
    names: Sequence[Any] | None,
) -> list[Scales | RankScales]:
    """The scales of some columns, each by itself; from the values that are there."""
    if standardize is None and len(numbers):  # one unit for all of them
        labels = None if names is None else [names[k] for k in numbers]
        files = _filled(X[:, numbers]), _filled(Y[:, numbers])
        power = np.array([common_power(*files, np.ones(len(numbers), dtype=bool), labels)])
        zero, one = np.zeros(1), np.ones(1)
        return [Scales(zero, power, zero, power, one, one, _name(names, k)) for k in numbers]
    return [
        _scale(X[:, [k]], Y[:, [k]], pool[:, [k]], standardize, _name(names, k)) for k in numbers
    ]


def _scale(
    x: np.ndarray,
    y: np.ndarray,
    pool: np.ndarray,
    standardize: str | None,
    names: Sequence[Any] | None,
) -> Scales | RankScales:
    """The scales of one column."""
    if standardize == GOWER:
        return _range(x, pool, names)
    known = ~np.isnan(x[:, 0]), ~np.isnan(y[:, 0])
    if standardize == "rank" and varies(x):
        return learn_ranks(x[known[0]], y[known[1]], keep_constant=True)
    if varies(x) and not varies(y):
        return _own_scales(x[known[0]], y[known[1]], names)
    if standardize == "difference" and varies(x):
        both = known[0] & known[1]
        if both.sum() > 1:  # else each file by itself
            return learn_scales(x[both], y[both], standardize, names)
    return learn_scales(x[known[0]], y[known[1]], "separate", names)


def _name(names: Sequence[Any] | None, k: int) -> list[Any] | None:
    return None if names is None else [names[k]]


def _range(x: np.ndarray, y: np.ndarray, names: Sequence[Any] | None) -> Scales:
    """The scales of one column that divide by its range over both files."""
    both = np.concatenate([x, y])
    power = powers_of_two(both[~np.isnan(both)][:, None])
    low, high = np.nanmin(both) / power, np.nanmax(both) / power
    width = high - low if high > low else np.ones(1)
    return Scales(low, width, low, width, power, power, names)


def _own_scales(x: np.ndarray, y: np.ndarray, names: Sequence[Any] | None) -> Scales:
    """The scales of one column that is constant in the masked file, each file by itself."""
    power, one = powers_of_two(x), powers_of_two(y)
    spread_of_x = spread(x / power)
    return Scales((x / power).mean(axis=0), spread_of_x, y[0] / one, one / one, power, one, names)


def varies(column: np.ndarray) -> bool:
    """Whether there are two different values in a column."""
    present = column[~np.isnan(column)]
    return bool(len(present) > 0 and (present != present[0]).any())


def _has_states(column: np.ndarray) -> bool:
    """Whether the column is not the same everywhere, nor missing everywhere."""
    n_missing = np.count_nonzero(np.isnan(column))
    return bool(0 < n_missing < len(column)) or varies(column)


def _filled(columns: np.ndarray) -> np.ndarray:
    """Columns with a present value of their own in the place of missing ones."""
    first = [column[~np.isnan(column)][0] for column in columns.T]
    return np.where(np.isnan(columns), first, columns)
