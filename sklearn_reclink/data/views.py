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
so small that sums of squares would overflow or underflow. Means and standard deviations are those
of the columns so divided. ``w`` is one for all columns, so it changes no link; where it is not 1,
raw differences are in its units.

``sd`` is the sample standard deviation. In ``"difference"`` the common shift cancels; it keeps
the coordinates small, and with them their rounding. A *key* there, ``X_k - Y_k`` constant while
``X_k`` is not, would be divided by zero: it takes ``sd(X_k)`` instead.

``"rank"`` takes ranks as coordinates (`ranks`).

A column constant in either file tells no record from another: constant in ``Y``, it adds the
same to all candidates of a record; constant in ``X``, it ranks the candidates alike for every
record. It contributes nothing: it is not *informative*, and its coordinates are 0 in all views.

*Safe range.* A solver squares differences, multiplies the squares and adds the squares of those.
None of that leaves the range of floats if every difference of an original and a masked coordinate
is 0 or has a size from ``2^-200`` to ``2^200``. What does not fit is refused with the name of its
column. So is a column whose values are lost beside its mean: standardising keeps 16 digits of the
mean, and nothing of values far below them. Up to 3 values of a column, or 1 % of its records if
that is more, may become equal to others: so small a number is noise next to 0, or two values that
happen to be near. More may not, nor may values that differ by less than ``2^-200`` of the range of
the column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# X - Y carries the rounding of X and Y: a spread below this part of their size is no spread.
_ROUNDING = 1e-14
VIEWS = ("separate", "difference", "rank", None)
GOWER = "gower"  # ranges of both files together, for `EuclideanLinker` alone
LARGEST = 2.0**199  # of a coordinate
SMALLEST = 2.0**-200  # of a difference that is not 0
_ORDINARY = 2.0**100  # up to this, and down to its inverse, columns are left as they are
_COARSE = 2.0**-147  # floats of this size or above are multiples of 2^-199
_ROWS_AT_ONCE = 64  # of a reduction over rows
_LOW = 2.0**-20  # values below this part of the mean may lose digits that matter
_ADVICE = (
    "if an extreme value of it stands for a missing one, replace it or drop the record from both "
    "files; otherwise round the column in both files, so that values of no account become 0, or "
    'use standardize="rank"'
)


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


def chosen_views(standardize: Any, views: Sequence[str | None] = VIEWS) -> tuple[str | None, ...]:
    """The views that a parameter names: one, or several different ones."""
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
    if standardize == "rank":
        from sklearn_reclink.data.ranks import learn_ranks

        view: Any = learn_ranks(X, Y)
    else:
        view = learn_scales(X, Y, standardize, names)
    if not view.informative.any():
        raise ValueError(
            "every column is constant in the original or in the masked file, so nothing tells "
            "one record from another: add a column whose values differ in both"
        )
    return view


def learn_scales(
    X: np.ndarray, Y: np.ndarray, standardize: str | None, names: Sequence[Any] | None = None
) -> Scales:
    """Learn the scales of aligned files by the row of the table that ``standardize`` names.

    ``names`` are what errors call the columns; by default they are numbered.
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


def powers_of_two(*files: np.ndarray) -> np.ndarray:
    """The power of two to divide every column by, 1 if its numbers are ordinary, (n_features,)."""
    largest = np.max([_largest(file) for file in files], axis=0)
    ordinary = (largest == 0) | ((largest >= 1 / _ORDINARY) & (largest <= _ORDINARY))
    return np.where(ordinary, 1.0, np.ldexp(1.0, np.frexp(largest)[1] - 1))


def common_power(
    X: np.ndarray, Y: np.ndarray, used: np.ndarray, names: Sequence[Any] | None = None
) -> float:
    """The power of two to divide two files by, so that their differences lie in the range.

    It is 1 if they lie there already. Columns other than those ``used`` (n_features,) do not count;
    ``names`` are what errors call them.
    """
    X, Y, places = X[:, used], Y[:, used], np.flatnonzero(used).tolist()
    largest = np.maximum(_largest(X), _largest(Y))
    if (largest <= LARGEST).all() and _is_coarse(X, Y):
        return 1.0
    labels = places if names is None else [names[k] for k in places]
    smallest = np.array([smallest_difference(x, y) for x, y in zip(X.T, Y.T, strict=True)])
    least = max(int(np.frexp(largest.max())[1]) - 199, -1022)
    most = min(int(np.frexp(smallest.min())[1]) + 199, 1023)
    if least > most:
        large, small = int(largest.argmax()), int(smallest.argmin())
        what = "squares of raw differences are out of the range of floats"
        if np.frexp(smallest[large])[1] + 199 < least:
            raise ValueError(
                f"column {labels[large]!r} mixes numbers of very different sizes: {what}; {_ADVICE}"
            )
        raise ValueError(
            f"column {labels[large]!r} has numbers that are very large beside those of column "
            f'{labels[small]!r}: {what}. Use standardize="separate", or bring the columns to like '
            "units"
        )
    return 1.0 if least <= 0 <= most else 2.0 ** ((least + most) // 2)


def smallest_difference(a: np.ndarray, b: np.ndarray) -> float:
    """The smallest ``|a_i - b_j|`` above 0; the largest float if there is none."""
    values, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    in_a, in_b = np.zeros((2, len(values)), dtype=bool)
    in_a[places[: len(a)]] = in_b[places[len(a) :]] = True
    across = (in_a[:-1] & in_b[1:]) | (in_b[:-1] & in_a[1:])
    with np.errstate(over="ignore"):
        return float(np.diff(values)[across].min(initial=np.finfo(float).max))


def check_differences(a: np.ndarray, b: np.ndarray, labels: Sequence[Any]) -> None:
    """Refuse coordinates whose differences leave the range; ``labels`` name the columns."""
    for coordinates, file in ((a, "original file"), (b, "masked file")):
        if not (_largest(coordinates) <= LARGEST).all():
            row, k = np.argwhere(~(np.abs(coordinates) <= LARGEST))[0]
            raise ValueError(
                f"column {labels[k]!r} of the {file} has a value in row {row} that is too large "
                "to be compared with those of `fit`: squared distances would overflow. If it "
                "stands for a missing value, replace it; otherwise drop the record from both files"
            )
    if _is_coarse(a, b):
        return
    for label, x, y in zip(labels, a.T, b.T, strict=True):
        if smallest_difference(x, y) < SMALLEST:
            raise ValueError(
                f"column {label!r} mixes numbers of very different sizes: squares of its smallest "
                f"differences are out of the range of floats; {_ADVICE}"
            )


def check_resolution(
    file: np.ndarray,
    coordinates: np.ndarray,
    power: np.ndarray,
    shift: np.ndarray,
    labels: Sequence[Any],
    name: str,
) -> None:
    """Refuse a file whose values are lost beside the mean of their column.

    Its columns were divided by ``power``, less ``shift``; errors call them by ``labels`` and it by
    ``name``.
    """
    limit = _LOW * np.abs(shift)
    for k in np.flatnonzero(_smallest(file) / power <= limit).tolist():
        values, first = np.unique(file[:, k], return_index=True)
        low = np.abs(values / power[k]) <= limit[k]
        merged = np.diff(coordinates[first, k]) == 0
        merged &= low[1:] & low[:-1]
        gaps = (values[1:][merged] - values[:-1][merged]) / power[k]
        allowed = max(3, len(file) // 100)
        if len(gaps) > allowed or (gaps < SMALLEST * np.ptp(values / power[k])).any():
            raise ValueError(
                f"column {labels[k]!r} of the {name} mixes numbers of very different sizes: "
                f"different values become equal beside its largest ones; {_ADVICE}"
            )


def _largest(values: np.ndarray) -> np.ndarray:
    """The largest size in every column."""
    return np.maximum(_reduced(np.maximum, values), -_reduced(np.minimum, values))


def _smallest(values: np.ndarray) -> np.ndarray:
    """The smallest size in every column that is not 0, infinite if there is none."""
    sizes = np.abs(values)
    np.putmask(sizes, sizes == 0, np.inf)
    return _reduced(np.minimum, sizes)


def _reduced(extreme: np.ufunc, values: np.ndarray) -> np.ndarray:
    """The extreme of every column; rows beside each other first, as numpy is slow on short ones."""
    n_whole = len(values) // _ROWS_AT_ONCE * _ROWS_AT_ONCE
    if n_whole and values.flags.c_contiguous:
        n_features = values.shape[1]
        shape = n_whole // _ROWS_AT_ONCE, _ROWS_AT_ONCE * n_features
        few = extreme.reduce(values[:n_whole].reshape(shape), axis=0)
        few = few.reshape(_ROWS_AT_ONCE, n_features)
        values = np.concatenate([few, values[n_whole:]])
    return np.asarray(extreme.reduce(values, axis=0))


def _is_coarse(*files: np.ndarray) -> bool:
    """Whether differences of such numbers are 0 or in the range, as multiples of 2^-199."""
    return all((_smallest(file) >= _COARSE).all() for file in files)
