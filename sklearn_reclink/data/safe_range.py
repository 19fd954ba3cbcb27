"""Numbers kept where squared distances neither overflow nor underflow.

A solver squares differences, multiplies the squares and adds the squares of those. None of that
leaves the range of floats if every difference of an original and a masked coordinate is 0 or has a
size from ``2^-200`` to ``2^200``. Two means see to it:

*Powers of two.* Dividing by a power of two rounds nothing. Columns are divided by one before their
moments are taken, and raw files by a common one, where their numbers are out of the ordinary.

*Refusal.* What still does not fit is refused with the name of its column. So is a column whose
values are lost beside its mean: standardising keeps 16 digits of the mean, and nothing of values
far below them. Up to 3 values of a column, or 1 % of its records if that is more, may become equal
to others: so small a number is noise next to 0, or two values that happen to be near. More may not,
nor may values that differ by less than ``2^-200`` of the range of the column.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

LARGEST = 2.0**199  # of a coordinate
SMALLEST = 2.0**-200  # of a difference that is not 0
_ORDINARY = 2.0**100  # up to this, and down to its inverse, columns are left as they are
_COARSE = 2.0**-147  # floats of this size or above are multiples of 2^-199
_LOW = 2.0**-20  # values below this part of the mean may lose digits that matter
_ADVICE = (
    "if an extreme value of it stands for a missing one, replace it or drop the record from both "
    "files; otherwise round the column in both files, so that values of no account become 0, or "
    'use standardize="rank"'
)


def powers_of_two(*files: np.ndarray) -> np.ndarray:
    """The power of two to divide every column by, 1 if its numbers are ordinary, (n_features,).

    Examples
    --------
    >>> import numpy as np
    >>> powers_of_two(np.array([[3.0, 2.0**600], [40.0, 1.5 * 2.0**601]])) == [1, 2.0**601]
    array([ True,  True])
    """
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
    """Refuse a file with columns whose values are lost beside their mean.

    Parameters
    ----------
    file, coordinates : ndarray of shape (n_records, n_features)
        Columns, and what became of them.
    power, shift : ndarray of shape (n_features,)
        What the columns were divided by, and what was subtracted then.
    labels : sequence of shape (n_features,)
        What errors call the columns.
    name : str
        What errors call the file.
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
    return np.maximum(values.max(axis=0), -values.min(axis=0))


def _smallest(values: np.ndarray) -> np.ndarray:
    """The smallest size in every column that is not 0, infinite if there is none."""
    sizes = np.abs(values)
    sizes[sizes == 0] = np.inf
    return np.asarray(sizes.min(axis=0))


def _is_coarse(*files: np.ndarray) -> bool:
    """Whether differences of such numbers are 0 or in the range, as multiples of 2^-199."""
    return all((_smallest(file) >= _COARSE).all() for file in files)
