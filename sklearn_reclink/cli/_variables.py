"""One variable in all files: of the same type in each, with the categories of all together.

The column of sampling weights is no variable: it holds numbers, in one of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink.cli._cells import (
    BOOLS,
    DATES,
    NUMBERS,
    TEXT,
    ZONED,
    Cells,
    in_rows,
    settle_decimals,
)
from sklearn_reclink.cli._tables import FileProblem, Table, some
from sklearn_reclink.data.columns import Column, read_columns
from sklearn_reclink.data.kinds import NUMERIC, code_like, learn_variables
from sklearn_reclink.data.weights import check_weights

if TYPE_CHECKING:
    import pandas as pd

    from sklearn_reclink.cli._reading import Selection

_FREE_TEXT = 0.9  # share of distinct values from which text may be names
_WEIGHT = "give every record a weight, a number below 2^53"


class Told(NamedTuple):
    """What the user says of a variable: its kind, its levels, the order of day and month."""

    nominal: bool = False
    ordinal: bool = False
    levels: Sequence[str] | None = None
    day_first: bool | None = None


class ReadColumn(NamedTuple):
    """What was read of a column: kind, levels (None if numeric), shares missing, what to check."""

    name: str
    kind: str
    n_levels: int | None
    missing_original: float
    missing_masked: float
    note: str


class Typed:
    """A column that has a type already, with the interface of `Cells`."""

    has_leading_zeros, n_none = False, 0

    def __init__(self, series: pd.Series, file: str):
        self.series, self.name, self.file = series, series.name, file
        try:
            table, names = series.to_frame(), [series.name]
            (self._column,) = read_columns(table, names, f"file {file}", first_row=1)
        except (TypeError, ValueError) as error:
            raise FileProblem(str(error)) from error
        self.where, self.missing = self._column.where, self._column.missing
        self.held, self.ordered = self._column.type, self._column.levels is not None

    def labels(self, held: str) -> list[Any]:
        """The present values as categories."""
        labels = self._column.labels()
        return list(map(str, labels)) if held == TEXT else labels

    def values(self) -> Any:
        """The column as it is; objects that are numbers as floats."""
        if self.held not in (NUMBERS, None):
            return self.series
        numbers = self._column.numbers()  # refuses what is infinite
        return numbers if self.series.dtype == object else self.series


def column_of(table: Table, name: str) -> Cells | Typed:
    """A column of a file: cells to be interpreted, or values that have a type."""
    return (Cells if holds_cells(table, name) else Typed)(table.frame[name], table.file)


def holds_cells(table: Table, name: str) -> bool:
    """Whether a column of a file is text that is to be interpreted."""
    from pandas.api.types import is_string_dtype

    return table.as_text and is_string_dtype(table.frame[name])


def same_type(columns: Sequence[Cells | Typed], told: Told) -> list[Any]:
    """The variable in each file: floats, dates or categories of all files together."""
    typed = [one for one in columns if isinstance(one, Typed)]
    held = [one.held for one in columns]
    if any(one.held == TEXT for one in typed):  # then text that looks like numbers is text
        held = [TEXT if one else None for one in held]
    types = {one for one in held if one is not None}
    ordered = any(one.ordered for one in typed)
    if told.nominal or told.levels or (told.ordinal and not ordered):
        return _categories(columns, types, told)
    for one in columns:
        if isinstance(one, Cells) and one.held == TEXT:
            one.refuse_short_years()
    if len(types) > 1:
        raise _types_differ(columns, held)
    if types & {TEXT, BOOLS} and not ordered:
        return _categories(columns, types, told)
    raw = [one for one in columns if isinstance(one, Cells)]
    orders = iter(_day_first(raw, told) if types & {DATES, ZONED} else [True] * len(raw))
    return [
        _as_type(one, types, next(orders)) if isinstance(one, Cells) else one.values()
        for one in columns
    ]


def note_on(columns: Sequence[Cells | Typed], categories: bool) -> str | None:
    """What the user should check of a variable that is read as a number, or as categories."""
    name = columns[0].name
    zeros = [one.file for one in columns if one.has_leading_zeros]
    if zeros and not categories:
        return (
            f"{name!r} has leading zeros in {' and '.join(zeros)} and is read as a number: if it "
            f"is a code, use --nominal {name}; if it identifies records, use --id {name}"
        )
    none = [f"{one.n_none:,} in {one.file}" for one in columns if one.n_none]
    if none and categories:
        return (
            f"{name!r} has the word none ({', '.join(none)}), which is read as missing: if it is a "
            "category, write it with another word in all files"
        )
    return None


def _types_differ(columns: Sequence[Cells | Typed], held: Sequence[str | None]) -> FileProblem:
    known = [(one.file, mine) for one, mine in zip(columns, held, strict=True) if mine]
    (file, first), (other_file, other) = known[0], next(k for k in known if k[1] != known[0][1])
    name = columns[0].name
    return FileProblem(
        f"column {name!r} holds {first} in {file} and {other} in {other_file}: write it in the "
        f"same way in both files, or compare it as categories with --nominal {name}"
    )


def _as_type(column: Cells, types: set[str], day_first: bool) -> Any:
    import pandas as pd

    if types & {DATES, ZONED}:
        dates = column.dates(day_first)
        return pd.to_datetime(pd.Series(dates, dtype=object), utc=ZONED in types)
    if TEXT in types:
        return pd.Categorical(in_rows(column.labels(TEXT), column.missing))
    return column.numbers()


def _day_first(columns: Sequence[Cells], told: Told) -> list[bool]:
    """Whether the day comes first in each file: as told, as its dates show, or as the others'."""
    shown = [one.day_first() for one in columns]
    common = {order for order, _ in shown if order is not None}
    found = []
    for column, (order, matters) in zip(columns, shown, strict=True):
        orders = [one for one in (told.day_first, order) if one is not None]
        if not orders and matters and len(common) != 1:
            raise FileProblem(
                f"{column.where} has dates whose day and month cannot be told apart: say which "
                "comes first with --dates day-first or --dates month-first"
            )
        found.append([*orders, *common, True][0])
    return found


def _categories(columns: Sequence[Cells | Typed], types: set[str], told: Told) -> list[Any]:
    """The variable as categories: those of all files, in the order that is told."""
    import pandas as pd

    held = next(iter(types)) if len(types) == 1 else TEXT
    if held == NUMBERS and any(map(_is_code, columns)):
        held = TEXT
    labels = [one.labels(held) for one in columns]
    if told.levels:
        levels = _told_levels(told.levels, held, columns[0].name)
        for one, mine in zip(columns, labels, strict=True):
            _check_levels(one, mine, levels)
    elif told.ordinal and held not in (NUMBERS, BOOLS):
        raise FileProblem(
            f"column {columns[0].name!r} holds {held}, which has no order: give its levels, as in "
            f"--ordinal '{columns[0].name}=low<middle<high'"
        )
    else:
        levels = sorted({label for mine in labels for label in mine})
    dtype = pd.CategoricalDtype(levels, ordered=told.ordinal)
    return [
        pd.Categorical(in_rows(mine, one.missing), dtype=dtype)
        for one, mine in zip(columns, labels, strict=True)
    ]


def _told_levels(levels: Sequence[str], held: str, name: Any) -> list[Any]:
    """The levels that are told, as numbers if the column holds numbers."""
    try:
        found = [float(one) for one in levels] if held == NUMBERS else list(levels)
    except ValueError:
        raise FileProblem(
            f"column {name!r} holds numbers, but the levels in --ordinal are text"
        ) from None
    if len(set(found)) < len(found):
        raise FileProblem(f"--ordinal names a level of {name!r} twice")
    return found


def _is_code(column: Cells | Typed) -> bool:
    """Whether a column of digits holds codes: some cell is no number, or both 1 and 01 occur."""
    if not isinstance(column, Cells):
        return False
    texts = set(column.distinct)
    return bool(column.not_numbers()) or any(
        text.startswith("0") and text.lstrip("0") in texts for text in texts
    )


def _check_levels(column: Cells | Typed, labels: Sequence[Any], levels: Sequence[Any]) -> None:
    unknown = set(labels).difference(levels)
    if unknown:
        place = next(k for k, label in enumerate(labels) if label in unknown)
        row = np.flatnonzero(~column.missing)[place] + 1
        raise FileProblem(
            f"{column.where} has a value in row {row} that is not among the levels "
            f"{'<'.join(map(str, levels))}: add its level to --ordinal"
        )


def describe(original: pd.DataFrame, masked: pd.DataFrame) -> list[ReadColumn]:
    """What was read of each column."""
    variables = learn_variables(original, masked)
    names = [str(name) for name in original.columns]
    first = read_columns(original, names, "original file")
    second = read_columns(masked, names, "masked file")
    return [
        ReadColumn(
            name,
            kind,
            None if levels is None else len(levels),
            float(mine.missing.mean()),
            float(other.missing.mean()),
            _note(kind, mine, other),
        )
        for name, kind, levels, mine, other in zip(
            names, variables.kinds, variables.categories, first, second, strict=True
        )
    ]


def _note(kind: str, mine: Column, other: Column) -> str:
    """What the user should check of a column."""
    empty = [column.file for column in (mine, other) if column.type is None]
    if empty:
        return f"no value in the {' and the '.join(empty)}"
    if kind == NUMERIC:
        is_code = code_like([mine, other])
        return f"few whole numbers: if they are codes, use --nominal {mine.name}" if is_code else ""
    seen, seen_other = set(mine.labels()), set(other.labels())
    if len(seen | seen_other) == 1:
        some = mine.missing.any() or other.missing.any()
        return "one value, or none" if some else "one value only: it tells nobody apart"
    if len(seen) > max(20, _FREE_TEXT * len(mine.present)):
        return "nearly all values differ: names or free text?"
    if seen == seen_other:
        return ""
    n_mine, n_other = len(seen - seen_other), len(seen_other - seen)
    return f"{n_mine} only in the original, {n_other} only in the masked file"


def read_weights(read: Sequence[Table], which: Selection) -> tuple[int, pd.Series | None]:
    """Which of the files has the weights, the first if both, and the weights of all its rows."""
    import pandas as pd

    name = which.weight
    if name is None:
        return 0, None
    having = [number for number, table in enumerate(read) if name in table.frame]
    if not having:
        has = "; ".join(f"{table.file} has {some(list(map(str, table.frame)))}" for table in read)
        raise FileProblem(f"--weight names {name!r}, which is not a column of either file: {has}")
    table = read[having[0]]
    return having[0], pd.Series(_weights(table, name, which), name=name)


def _weights(table: Table, name: str, which: Selection) -> object:
    """The weights as numbers, refused by row and without their values."""
    cells = column_of(table, name)
    if isinstance(cells, Cells):
        together = [cells]
        if (cells.possible_decimal() or "").endswith("?"):  # as in the other columns
            others = (column_of(table, one) for one in which.variables(table.frame))
            together += [one for one in others if isinstance(one, Cells)]
        settle_decimals(together, table.separator, which.decimal)
    no_number = isinstance(cells, Typed) or len(cells.not_numbers()) == len(cells.distinct)
    if no_number and cells.held not in (NUMBERS, None):
        raise FileProblem(f"{cells.where} holds {cells.held}: weights must be numbers")
    if cells.missing.any():
        row = int(cells.missing.argmax()) + 1
        raise FileProblem(f"{cells.where} has no weight in row {row}: give every record a weight")
    values = cells.numbers(_WEIGHT) if isinstance(cells, Cells) else cells.values()
    return check_weights(values, len(table.frame), cells.where, first_row=1)
