"""The columns of a file, read one at a time and written back as they came.

A file is a data frame (pandas or polars, read through narwhals) or a 2-D array. A masker asks a
column for its kind, its missing cells, its numbers or its levels, and gives back one of these:

==============  ==================================================================================
`take`          cells of other records of the same column, or none: no new value is made
`with_numbers`  new numbers, or dates
`with_labels`   new categories
==============  ==================================================================================

The container, the order of the columns, the index and the data type are those of the file. The two
exceptions: whole numbers become floats if they must, and whole numbers and booleans of numpy become
nullable where a cell of a pandas column is suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

NUMERIC = frozenset({"number", "date"})
_PLURAL = {"ordered": "ordered categories", "category": "categories", "other": "other values"}
_KIND_OF_ARRAY = {"b": "boolean", "U": "text", "S": "text", "M": "date", "m": "other"}
_KIND_OF_SERIES = {"Boolean": "boolean", "String": "text", "Categorical": "category"}
_KIND_OF_SERIES |= {"Enum": "ordered", "Date": "date", "Datetime": "date"}
_MICROSECONDS = "datetime64[us]"  # of which a float counts those of three centuries


def frame_of(X: Any) -> Any:
    """The data frame of narwhals around a file, None if the file is an array or a list."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        raise ValueError(
            "X has columns of the same name: give every column a name of its own"
        ) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def factorize(values: Sequence[Any], missing: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Codes of the values, -1 where missing, and the levels, sorted where they can be.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking.columns import factorize
    >>> factorize(["b", "a", None, "b"], np.array([False, False, True, False]))
    (array([ 1,  0, -1,  1]), ['a', 'b'])
    """
    levels = list(
        dict.fromkeys(value for value, gap in zip(values, missing, strict=True) if not gap)
    )
    try:
        levels.sort()
    except TypeError:  # several types: in the order of the file
        pass
    number = {level: code for code, level in enumerate(levels)}
    codes = [-1 if gap else number[value] for value, gap in zip(values, missing, strict=True)]
    return np.array(codes, dtype=np.intp), levels


def _kind_of_objects(values: Sequence[Any], missing: np.ndarray) -> str:
    present = [value for value, gap in zip(values, missing, strict=True) if not gap]
    for kind, types in (("boolean", (bool, np.bool_)), ("number", Real), ("text", str)):
        if present and all(isinstance(value, types) for value in present):
            return kind
    return "text" if not present else "other"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a file.

    Attributes
    ----------
    name : str or int
        Its name, or its position in an array.
    data : narwhals.Series or ndarray of shape (n_records,)
        Its cells.
    place : int
        Its position in the file.
    """

    name: Any
    data: Any
    place: int

    @property
    def is_array(self) -> bool:
        """Whether the file is an array."""
        return isinstance(self.data, np.ndarray)

    @cached_property
    def kind(self) -> str:
        """number, date, boolean, ordered, category, text or other."""
        if self.is_array:
            if self.data.dtype.kind == "O":
                return _kind_of_objects(self.data, self.missing)
            return _KIND_OF_ARRAY.get(self.data.dtype.kind, "number")
        dtype = self.data.dtype
        if dtype.is_numeric():
            return "number"
        name = type(dtype).__name__
        if name == "Object":
            return _kind_of_objects(self.data.to_list(), self.missing)
        return _KIND_OF_SERIES.get(name, "other")

    @property
    def held(self) -> str:
        """What errors say that it holds."""
        return _PLURAL.get(self.kind, f"{self.kind}s")

    @cached_property
    def missing(self) -> np.ndarray:
        """Whether each cell is missing."""
        if not self.is_array:
            gaps = np.array(self.data.is_null().to_numpy(), dtype=bool)
            if self.data.dtype.is_float():
                gaps |= np.isnan(self.data.to_numpy().astype(np.float64))
            return gaps
        if self.data.dtype.kind == "O":
            return np.array([is_missing(value) for value in self.data], dtype=bool)
        if self.data.dtype.kind in "fMm":
            return np.asarray(np.isnan(self.data))
        return np.zeros(len(self.data), dtype=bool)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The cells as floats, NaN where missing; dates in microseconds, levels by rank."""
        if self.kind in ("ordered", "category", "text", "other"):
            codes, _ = self.levels
            return np.where(codes < 0, np.nan, codes)
        values = self._present
        if values.dtype.kind == "M":
            values = values.astype(_MICROSECONDS).astype(np.int64)
        found = np.full(len(self.missing), np.nan)
        found[~self.missing] = values.astype(np.float64)
        return found

    @property
    def _present(self) -> np.ndarray:
        """The values that are not missing, exactly as they are."""
        if self.is_array:
            return np.asarray(self.data[~self.missing])
        kept = self.data.filter((~self.missing).tolist()) if self.missing.any() else self.data
        return np.asarray(kept.to_numpy())

    @cached_property
    def levels(self) -> tuple[np.ndarray, list[Any]]:
        """Codes, -1 where missing, and the levels that occur, in their order."""
        if self.kind in ("number", "date", "boolean"):
            # not by `numbers`: whole numbers beyond 2^53 may be one float
            values, codes = np.unique(self._present, return_inverse=True)
            found = np.full(len(self.missing), -1, dtype=np.intp)
            found[~self.missing] = codes
            return found, values.tolist()
        values = self.data.tolist() if self.is_array else self.data.to_list()
        codes, levels = factorize(values, self.missing)
        if self.kind == "ordered":
            rank = {one: place for place, one in enumerate(self.data.dtype.categories)}
            order = sorted(range(len(levels)), key=lambda code: rank[levels[code]])
            new = np.append(np.argsort(order), -1)  # the last is that of missing cells
            return new[codes], [levels[code] for code in order]
        return codes, levels

    @property
    def is_whole(self) -> bool:
        """Whether its type holds whole numbers only."""
        if self.is_array:
            return bool(self.data.dtype.kind in "iu")
        return bool(self.data.dtype.is_integer())

    def number_of(self, value: Any) -> float | None:
        """A value of the kind of the column among its `numbers`, None if it is of another kind."""
        if self.kind == "number":
            return float(value) if isinstance(value, Real) else None
        if getattr(value, "tzinfo", None) is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        try:
            return float(np.datetime64(value).astype(_MICROSECONDS).astype(np.int64))
        except (TypeError, ValueError):
            return None

    def take(self, rows: np.ndarray) -> Any:
        """The cells of these rows of the column, missing where a row is negative."""
        taken = self.data[np.maximum(rows, 0)]
        return _suppressed(taken, rows < 0) if (rows < 0).any() else taken

    def with_numbers(self, values: np.ndarray, *, whole: bool = False) -> Any:
        """New numbers, or dates in microseconds; cells that were missing stay so.

        ``whole`` says that numbers that were whole still are. What became no finite number is
        refused.
        """
        if not (np.isfinite(values) | self.missing).all():
            raise ValueError(
                f"column {self.name!r} holds numbers so large or so small that masking leaves the "
                "range of floats: multiply it by a constant that brings them nearer to 1, or mask "
                "it by another method"
            )
        cells = np.where(self.missing, np.nan, values)
        if self.kind == "date":
            return self._with_dates(cells)
        if self.is_array:
            return self._array_of(cells, whole)
        import narwhals as nw

        dtype = self.data.dtype
        new = nw.new_series(self.name, cells, nw.Float64, backend=self.data.implementation)
        if self.data.implementation.is_pandas_like():
            native = self.data.to_native()
            target: Any = native.dtype
            if self.is_whole and not whole:
                target = "Float64" if hasattr(native.dtype, "na_value") else np.float64
            return nw.from_native(new.to_native().astype(target), series_only=True)
        if self.missing.any():
            new = _suppressed(new, self.missing)
        return new if self.is_whole and not whole else new.cast(dtype)

    def _array_of(self, cells: np.ndarray, whole: bool) -> np.ndarray:
        if self.data.dtype.kind == "O":
            return np.where(self.missing, self.data, cells.astype(object))
        return cells if self.is_whole and not whole else cells.astype(self.data.dtype)

    def _with_dates(self, cells: np.ndarray) -> Any:
        old = np.asarray(self.data if self.is_array else self.data.to_numpy())
        new = np.where(self.missing, 0, np.rint(cells)).astype(np.int64).astype(_MICROSECONDS)
        # a date in nanoseconds that was not changed stays itself
        new = np.where(self.missing | (cells == self.numbers), old, new.astype(old.dtype))
        if self.is_array:
            return new
        import narwhals as nw

        series = nw.new_series(self.name, new, backend=self.data.implementation)
        zone = getattr(self.data.dtype, "time_zone", None)
        if zone is not None:
            series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
        return series.cast(self.data.dtype)

    def with_labels(self, codes: np.ndarray, labels: Sequence[Any], *, ordered: bool) -> Any:
        """New categories: texts stay texts, and other columns of a frame become categories."""
        names = np.array([*labels, None], dtype=object)[codes]  # -1 is the last
        if self.is_array:
            return np.where(codes < 0, np.array(np.nan, dtype=object), names)
        import narwhals as nw

        texts = [None if name is None else str(name) for name in names]
        dtype: Any = nw.Enum([str(label) for label in labels]) if ordered else nw.Categorical()
        if self.kind == "text" and not ordered:
            dtype = self.data.dtype
        return nw.new_series(self.name, texts, dtype, backend=self.data.implementation)


def _suppressed(data: Any, cells: np.ndarray) -> Any:
    """The same data without the cells marked."""
    if isinstance(data, np.ndarray):
        if data.dtype.kind in "Mm":
            return np.where(cells, np.array("NaT", data.dtype), data)
        kind = np.float64 if data.dtype.kind in "iufb" else object
        return np.where(cells, np.nan, data.astype(kind))
    import narwhals as nw

    if data.implementation.is_pandas_like():
        native = data.to_native()
        name = str(native.dtype)
        if isinstance(native.dtype, np.dtype) and native.dtype.kind in "iub":
            nullable = "boolean" if name == "bool" else name.replace("int", "Int")
            native = native.astype(nullable.replace("u", "U"))
        return nw.from_native(native.mask(cells), series_only=True)
    kept = nw.new_series("kept", ~cells, backend=data.implementation)
    return data.to_frame().select(nw.when(kept).then(nw.col(data.name)))[data.name]


@dataclass(frozen=True, eq=False)
class Table:
    """A file of columns.

    Attributes
    ----------
    data : narwhals.DataFrame or ndarray of shape (n_records, n_features)
        The file.
    columns : list of Column
    """

    data: Any
    columns: list[Column]

    @classmethod
    def of(cls, data: Any) -> Table:
        """The table of a data frame of narwhals, or of a 2-D array."""
        if isinstance(data, np.ndarray):
            return cls(data, [Column(place, cells, place) for place, cells in enumerate(data.T)])
        names = enumerate(data.columns)
        return cls(data, [Column(name, data[:, place], place) for place, name in names])

    def __len__(self) -> int:
        return len(self.data)

    def at(self, places: Sequence[int]) -> list[Column]:
        """The columns at some positions."""
        return [self.columns[place] for place in places]

    def replaced(self, new: Mapping[int, Any]) -> Any:
        """The file, in its own container, with new data at some positions."""
        if not isinstance(self.data, np.ndarray):
            changed = [new[place].alias(self.columns[place].name) for place in new]
            return self.data.with_columns(*changed).to_native()
        held = [new.get(place, one.data) for place, one in enumerate(self.columns)]
        return np.stack(held, axis=1)
