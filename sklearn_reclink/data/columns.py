"""The columns of any table, one form for all: what is present, of which type, and what is missing.

Arrays, lists of lists and the dataframes that narwhals knows (pandas, polars, pyarrow) become
`Column`s. Dates, times and durations become seconds, dates with a time zone those of UTC, so that
the unit of a type makes no difference. Errors name column and row, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.data.exactness import check_exact, is_missing

_REMEDY = "convert it to numbers, text, bools or dates in all files, or leave it out"
_DATES, _ZONED = "dates", "dates with a time zone"
_OF_KIND = dict.fromkeys("iuf", "numbers") | {"b": "bools", "M": _DATES, "m": "durations"}
_OF_KIND |= dict.fromkeys("UST", "text")
_OF_CLASS: tuple[tuple[str, tuple[type, ...]], ...] = (  # a timedelta64 is an np.integer, too
    ("bools", (bool, np.bool_)),
    ("text", (str,)),
    ("durations", (timedelta, np.timedelta64)),
    (_DATES, (date, np.datetime64)),
    ("times of day", (time,)),
    ("numbers", (Real, Decimal)),
)


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str or int
        What errors call it.
    file : str
        What errors call the table.
    present : ndarray of shape (n_present,)
        Its values, without the missing ones.
    missing : ndarray of bool of shape (n_records,)
        Where values are missing.
    first_row : int, default=0
        What errors call the first row.
    nominal : bool, default=False
        Whether its type says that it holds categories.
    levels : list or None, default=None
        The levels in order, if its type has an order.
    type : str or None, default=None
        What it holds: numbers, text, bools, dates, ...; None if every value is missing.
    """

    name: Any
    file: str
    present: np.ndarray
    missing: np.ndarray
    first_row: int = 0
    nominal: bool = False
    levels: list[Any] | None = None
    type: str | None = None

    @property
    def where(self) -> str:
        """What errors call the column and its table."""
        return f"column {self.name!r} of the {self.file}"

    def row(self, wrong: np.ndarray) -> int:
        """The first record whose present value is wrong, as errors call it."""
        return int(np.flatnonzero(~self.missing)[wrong.argmax()]) + self.first_row

    def numbers(self) -> np.ndarray:
        """The column as floats, NaN where missing."""
        values = np.zeros(len(self.missing), dtype=self.present.dtype)
        values[~self.missing] = self.present
        table, names = values[:, None], [self.name]
        check_exact(table, names, self.file, text_is_number=False, first_row=self.first_row)
        floats = values.astype(np.float64)
        if np.isinf(floats).any():
            row = np.isinf(floats).argmax() + self.first_row
            raise ValueError(
                f"{self.where} has an infinite value (inf) in row {row}: "
                "replace it by a number, or mark it as missing"
            )
        floats[self.missing] = np.nan
        return floats

    def labels(self) -> list[Any]:
        """The present values as Python objects: 1 and 1.0 are equal, and so are their hashes."""
        return list(self.present.tolist())


def is_frame(table: Any) -> bool:
    """Whether narwhals reads the table as an eager dataframe."""
    if isinstance(table, np.ndarray | list | tuple):
        return False
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    return isinstance(frame, nw.DataFrame)


def read_columns(
    table: Any, names: Sequence[Any] | None, file: str, *, first_row: int = 0
) -> list[Column]:
    """The columns of a table, which are those of ``names``; errors call the table ``file``."""
    if is_frame(table):
        frame = list(series_of(table))
        return [_of_series(one, name, file, first_row) for one, name in _named(frame, names, file)]
    if hasattr(table, "tocsr"):
        raise TypeError(f"the {file} is sparse: pass an array or a dataframe in its place")
    values = table if isinstance(table, np.ndarray) else np.asarray(table, dtype=object)
    if values.dtype.names is not None:
        raise TypeError(f"the {file} is a structured array: pass a dataframe in its place")
    if values.ndim != 2:
        raise ValueError(f"the {file} is {values.ndim}-dimensional: it must be 2-dimensional")
    columns = []
    for masked, name in _named(list(values.T), names, file):
        column = np.ma.getdata(masked)
        missing = np.ma.getmaskarray(masked) | _is_missing(column)
        columns.append(_typed(Column(name, file, column[~missing], missing, first_row)))
    return columns


def _named(
    columns: Sequence[Any], names: Sequence[Any] | None, file: str
) -> Iterator[tuple[Any, Any]]:
    """Each column and what errors call it, by default its number."""
    names = range(len(columns)) if names is None else names
    if len(columns) != len(names):
        raise ValueError(
            f"the {file} has {len(columns)} columns, not {len(names)}: all files must describe the "
            "same variables"
        )
    return zip(columns, names, strict=True)


def series_of(table: Any) -> Iterator[Any]:
    """The columns of a dataframe as series of narwhals."""
    import narwhals as nw

    return iter(nw.from_native(table, eager_only=True).iter_columns())


def _of_series(series: Any, name: Any, file: str, first_row: int) -> Column:
    import narwhals as nw

    dtype = series.dtype
    category = isinstance(dtype, nw.Categorical | nw.Enum)
    zoned = isinstance(dtype, nw.Datetime) and dtype.time_zone is not None
    missing = series.is_null().to_numpy().astype(bool)
    present = series.drop_nulls().to_numpy()
    column = _typed(Column(name, file, present, missing, first_row, category), zoned)
    levels = _levels(series)
    if levels is None:
        return column
    values, none = np.array(levels, dtype=object), np.zeros(len(levels), dtype=bool)
    of_levels = _typed(Column(name, f"levels of the {file}", values, none, nominal=True))
    return column._replace(levels=of_levels.labels())


def _levels(series: Any) -> list[Any] | None:
    """The levels of an ordered category: of pandas, of a polars Enum, of a pyarrow dictionary."""
    native = series.to_native()
    if getattr(getattr(native, "type", None), "ordered", False):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    levels = getattr(series.dtype, "categories", None)
    return None if levels is None else list(levels)


def _is_missing(values: np.ndarray) -> np.ndarray:
    """None, NaN, NaT, pandas' NA and masked entries."""
    if values.dtype.kind in "fmMc":
        return values != values
    if values.dtype.kind not in "OT":
        return np.zeros(len(values), dtype=bool)
    return np.array([is_missing(value) for value in values], dtype=bool)


def _typed(column: Column, zoned: bool = False) -> Column:
    """The column with what it holds; times become seconds."""
    present = column.present
    if present.dtype.kind == "f" and np.isnan(present).any():  # polars has NaN beside null
        missing = column.missing.copy()
        missing[~missing] = np.isnan(present)
        present = present[~np.isnan(present)]
        column = column._replace(present=present, missing=missing)
    if not len(present):
        return column
    held = _OF_KIND.get(present.dtype.kind) or _of_objects(column)
    if held in (_DATES, "durations", "times of day"):
        held, present = _seconds(column, held)
    elif present.dtype.kind == "S":
        present = np.char.decode(present, "utf-8", "surrogateescape")
    return column._replace(
        type=_ZONED if zoned else held,
        present=present,
        nominal=column.nominal or held in ("text", "bools"),
    )


def _of_objects(column: Column) -> str:
    """What a column of objects holds; a mixture is refused."""
    classes = list(map(type, column.present.tolist()))
    of_class = {one: _of_one_class(one, column) for one in dict.fromkeys(classes)}
    first = of_class[classes[0]]
    if len(set(of_class.values())) > 1:
        other = np.array([of_class[one] != first for one in classes])
        raise _mixture(column, (first, of_class[classes[int(other.argmax())]]), other)
    return first


def _of_one_class(one: type, column: Column) -> str:
    for held, classes in _OF_CLASS:
        if issubclass(one, classes):
            return held
    if column.nominal:  # categories may be anything, such as the intervals of pandas' cut
        return f"values of type {one.__name__}"
    wrong = np.array([type(value) is one for value in column.present.tolist()])
    raise TypeError(
        f"{column.where} has a value of type {one.__name__} in row {column.row(wrong)}: each "
        f"argument must be a string, a bool, a date or a number; {_REMEDY}"
    )


def _mixture(column: Column, held: tuple[str, str], other: np.ndarray) -> ValueError:
    return ValueError(
        f"{column.where} holds {held[0]} in row {column.row(~other)} and {held[1]} in row "
        f"{column.row(other)}: give all its values one type"
    )


def _seconds(column: Column, held: str) -> tuple[str, np.ndarray]:
    """Dates, durations or times as seconds since 1970, in all or since midnight."""
    values = column.present
    if held == "times of day":
        return held, np.array(
            [
                3600 * one.hour + 60 * one.minute + one.second + one.microsecond / 1e6
                for one in values
            ]
        )
    if values.dtype.kind == "O":
        aware = np.array([getattr(one, "tzinfo", None) is not None for one in values])
        if aware.any() and not aware.all():
            zoned = bool(aware[0])
            names = (_ZONED, _DATES) if zoned else (_DATES, _ZONED)
            raise _mixture(column, names, aware != zoned)
        if aware.all():
            held = _ZONED
            values = np.array([one.astimezone(UTC).replace(tzinfo=None) for one in values])
        values = values.astype("datetime64[us]" if held != "durations" else "timedelta64[us]")
    unit = "M8[s]" if values.dtype.kind == "M" else "m8[s]"
    whole = values.astype(unit)  # towards minus infinity, so that the rest is in [0, 1)
    rest = (values - whole) / np.timedelta64(1, "s")
    return held, whole.astype(np.int64) + rest
