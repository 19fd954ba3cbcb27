"""One variable in all files: of the same type in each, with the categories of all together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink.cli._cells import BOOLS, DATES, NUMBERS, TEXT, ZONED, Cells
from sklearn_reclink.cli._tables import FileProblem
from sklearn_reclink.data.columns import read_columns
from sklearn_reclink.data.kinds import NUMERIC, code_like, learn_variables

if TYPE_CHECKING:
    import pandas as pd

_FREE_TEXT = 0.9  # share of distinct values from which text may be names


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

    has_leading_zeros = False

    def __init__(self, series: pd.Series, file: str):
        self.series, self.name, self.file = series, series.name, file
        column = read_columns(series.to_frame(), [series.name], f"file {file}")[0]
        self.where, self.held, self.missing = column.where, column.type, column.missing
        self.ordered = column.levels is not None
        self._labels = column.labels

    def labels(self, held: str | None) -> list[Any]:
        """The present values as categories."""
        labels = self._labels()
        return list(map(str, labels)) if held == TEXT else labels


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
    if len(types) > 1:
        raise _types_differ(columns, held)
    if types & {TEXT, BOOLS} and not ordered:
        return _categories(columns, types, told)
    days = _day_first([one for one in columns if isinstance(one, Cells)], types, told)
    return [one.series if isinstance(one, Typed) else _as_type(one, types, days) for one in columns]


def _types_differ(columns: Sequence[Cells | Typed], held: Sequence[str | None]) -> FileProblem:
    known = [(one.file, mine) for one, mine in zip(columns, held, strict=True) if mine]
    (file, first), (other_file, other) = known[0], next(k for k in known if k[1] != known[0][1])
    name = columns[0].name
    return FileProblem(
        f"column {name!r} holds {first} in {file} and {other} in {other_file}: write it alike in "
        f"both files, or compare it as categories with --nominal {name}"
    )


def _as_type(column: Cells, types: set[str], day_first: dict[str, bool]) -> Any:
    import pandas as pd

    if types & {DATES, ZONED}:
        dates = column.dates(day_first[column.file])
        return pd.to_datetime(pd.Series(dates, dtype=object), utc=ZONED in types)
    if TEXT in types:
        return pd.Categorical(column.filled(column.labels(TEXT)))
    return column.numbers()


def _day_first(columns: Sequence[Cells], types: set[str], told: Told) -> dict[str, bool]:
    """By file, whether the day comes first: as told, as its dates show, or as the others'."""
    if not types & {DATES, ZONED}:
        return {}
    shown = {one.file: one.day_first() for one in columns}
    common = {order for order, _ in shown.values() if order is not None}
    found = {}
    for one in columns:
        order, matters = shown[one.file]
        if order is None and told.day_first is None and matters and len(common) != 1:
            raise FileProblem(
                f"{one.where} has dates whose day and month cannot be told apart: say which comes "
                "first with --dates day-first or --dates month-first"
            )
        orders = [order, told.day_first, *common, True]
        found[one.file] = next(one for one in orders if one is not None)
    return found


def _categories(columns: Sequence[Cells | Typed], types: set[str], told: Told) -> list[Any]:
    """The variable as categories: those of all files, in the order that is told."""
    import pandas as pd

    held = next(iter(types)) if len(types) == 1 else TEXT
    if held == NUMBERS and any(map(_is_code, columns)):
        held = TEXT
    labels = [one.labels(held) for one in columns]
    if told.levels:
        levels = [float(one) for one in told.levels] if held == NUMBERS else list(told.levels)
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
    found = []
    for one, mine in zip(columns, labels, strict=True):
        values = np.full(len(one.missing), None, dtype=object)
        values[~one.missing] = mine
        found.append(pd.Categorical(values, dtype=dtype))
    return found


def _is_code(column: Cells | Typed) -> bool:
    """Whether text of digits is no number: cells that are none, or both 1 and 01."""
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
    found = []
    for k, name in enumerate(original.columns):
        levels = variables.categories[k]
        columns = [
            read_columns(table[[name]], [name], file)[0]
            for table, file in ((original, "original file"), (masked, "masked file"))
        ]
        seen = [len(set(column.labels())) for column in columns] if levels is not None else [0, 0]
        shares = [float(column.missing.mean()) for column in columns]
        empty = [f"no value in the {one.file}" for one in columns if one.type is None]
        note = ", ".join(empty)
        if levels is None and code_like(columns):
            note = f"few whole numbers: if they are codes, use --nominal {name}"
        elif levels is not None and variables.kinds[k] == "nominal" and not empty:
            one_file = [len(levels) - seen[1], len(levels) - seen[0]]
            note = f"{one_file[0]} only in the original, {one_file[1]} only in the masked file"
            note = note if any(one_file) else ""
            if seen[0] > 20 and seen[0] > _FREE_TEXT * len(columns[0].present):
                note = "nearly all values differ: names or free text?"
        n_levels = None if variables.kinds[k] == NUMERIC else len(levels or [])
        found.append(
            ReadColumn(str(name), variables.kinds[k], n_levels, shares[0], shares[1], note)
        )
    return found
