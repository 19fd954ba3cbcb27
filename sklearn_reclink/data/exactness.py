"""What a table holds that an array of floats would not.

Masks of numpy arrays are lost by a conversion to floats, and so are whole numbers beyond ``2^53``
that no float equals: neighbours become one number, and a file of ids a file of ties. Both are
refused. Other numbers of more digits than a float has, such as ``Decimal("0.1")``, are rounded to
the nearest float, as any text of digits is.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np

_WHOLE = 2**53  # floats of this size or above are whole, and not all whole numbers are floats


def check_exact(
    table: Any,
    names: Sequence[Any] | None,
    file: str,
    *,
    text_is_number: bool = True,
    first_row: int = 0,
) -> None:
    """Refuse a table whose values become others in an array of floats.

    Parameters
    ----------
    table : array-like or dataframe of shape (n_records, n_features)
        What is no table of two dimensions is left to other checks.
    names : sequence of shape (n_features,) or None
        What errors call the columns; by default they are numbered.
    file : str
        What errors call the table.
    text_is_number : bool, default=True
        Whether text of digits will become a number.
    first_row : int, default=0
        What errors call the first row.
    """
    _check_unmasked(table, names, file)
    for k, column in enumerate(_columns(table)):
        inexact = _inexact(column, text_is_number)
        if inexact.any():
            raise ValueError(
                f"column {(k if names is None else names[k])!r} of the {file} has a number in row "
                f"{inexact.argmax() + first_row} that a float cannot hold (a whole number beyond "
                "2^53, or one too near to 0), so it would become equal to others. If the column "
                "holds ids, leave it out; otherwise subtract the same constant from it in both "
                "files"
            )


def _check_unmasked(table: Any, names: Sequence[Any] | None, file: str) -> None:
    """Refuse a numpy masked array with masked entries."""
    if not isinstance(table, np.ma.MaskedArray) or table.ndim != 2:
        return
    masked = np.argwhere(np.ma.getmaskarray(table))
    if len(masked):
        row, k = masked[0]
        raise ValueError(
            f"column {(int(k) if names is None else names[k])!r} of the {file} has masked values, "
            f"the first in row {row}: fill them, or drop the records from both files"
        )


def _columns(table: Any) -> Iterator[np.ndarray]:
    """The columns of a table before they have one type, none of what is no table."""
    if hasattr(table, "iloc"):  # pandas
        series = (table.iloc[:, k] for k in range(table.shape[1])) if table.ndim == 2 else ()
        yield from map(np.asarray, series)
    elif hasattr(table, "get_columns"):  # polars
        yield from (column.to_numpy() for column in table.get_columns())
    elif hasattr(table, "itercolumns"):  # pyarrow
        yield from (column.to_numpy() for column in table.itercolumns())
    elif not hasattr(table, "tocsr"):  # sparse tables are refused elsewhere
        try:
            values = np.asarray(table, dtype=None if hasattr(table, "dtype") else object)
        except (TypeError, ValueError):
            return
        if values.ndim == 2:
            yield from values.T


def _inexact(column: np.ndarray, text_is_number: bool) -> np.ndarray:
    """Whether a float holds each number only roughly, (n_records,)."""
    kind = column.dtype.kind
    if kind in "mM":
        column, kind = column.view(np.int64), "i"
    if kind in "iu" and column.dtype.itemsize == 8:
        with np.errstate(over="ignore"):
            size = np.where(column < 0, -column, column).astype(np.uint64)
        odd = size // np.maximum(size & -size, 1)
        return np.asarray(odd > _WHOLE)
    if kind == "f" and column.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            floats = column.astype(np.float64)
        extreme = (np.abs(floats) >= _WHOLE) | (floats == 0)
        return np.isfinite(floats) & (floats != column) & extreme
    if kind in "OUS":
        return np.array([_is_inexact(value, text_is_number) for value in column], dtype=bool)
    return np.zeros(len(column), dtype=bool)


def _is_inexact(value: Any, text_is_number: bool) -> bool:
    if text_is_number and isinstance(value, str | bytes):
        try:
            value = int(value)
        except ValueError:
            return False
    if isinstance(value, np.integer):
        value = int(value)
    if not isinstance(value, Rational | Decimal | np.longdouble):
        return False
    try:
        number = float(value)
    except OverflowError:
        return True
    except ValueError:  # a signalling NaN
        return False
    # infinite and missing values have errors of their own
    rounded = np.isfinite(number) and number != value
    return bool(rounded and (abs(number) >= _WHOLE or number == 0))


def offender(table: Any, names: Sequence[Any] | None, file: str) -> str | None:
    """Describe the first value of a table that is not a finite number, if there is one."""
    try:
        values = np.asarray(table, dtype=object)
    except (TypeError, ValueError):
        return None
    if values.ndim != 2:
        return None
    for column, of_column in zip(names or range(values.shape[1]), values.T, strict=True):
        place = f"column {column!r} of the {file}"
        for row, value in enumerate(of_column):
            if is_missing(value):
                return (
                    f"{place} has a missing value (NaN) in row {row}, and the files of fit had "
                    "none: fit on files with missing values too, or drop the record"
                )
            try:
                number = float(value)
            except (TypeError, ValueError):
                return (
                    f"{place} has a value of type {type(value).__name__} in row {row}, which is no "
                    "number: encode the column as numbers in both files, or leave it out"
                )
            if np.isinf(number):
                return (
                    f"{place} has an infinite value (inf) in row {row}: replace it by a number, or "
                    "drop the record from both files"
                )
    return None


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, NaN, NaT, pandas' NA and masked entries."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    return isinstance(value, float | np.generic) and bool(value != value)
