"""The kinds of the variables of two files, and the numbers that stand for their values.

A variable is numeric (numbers, dates, times and durations), ordinal (ordered categories) or nominal
(categories, text and bools). The type of a column says which, unless the user does. Categories are
those of all files together: level l is the number l, a missing value NaN. A note names what the
user should check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.data.columns import Column, is_frame, read_columns, series_of
from sklearn_reclink.data.exactness import is_missing
from sklearn_reclink.data.reading import column_names

NUMERIC, ORDINAL, NOMINAL = "numeric", "ordinal", "nominal"
_MOST_SHOWN = 12  # levels in an error

File = tuple[Any, str]  # a table, and what errors call it


@dataclass(frozen=True)
class Variables:
    """The columns of the files of `fit`.

    Attributes
    ----------
    names : list of str or None
        Names of the columns, if they have any.
    kinds : tuple of {"numeric", "ordinal", "nominal"}
        One per column.
    categories : tuple of (list or None)
        The levels of all files together, in order, None for a numeric column.
    types : tuple of (str or None)
        What each column holds, such as text; None if no file has a value.
    notes : list of str
        What the user should check, in sentences.
    """

    names: list[str] | None
    kinds: tuple[str, ...]
    categories: tuple[list[Any] | None, ...]
    types: tuple[str | None, ...]
    notes: list[str]

    def codes(self, *files: File) -> list[np.ndarray]:
        """Tables as numbers: levels by their number, missing values as NaN.

        Parameters
        ----------
        *files : tuple of (table, str)
            Tables with the columns of `fit`, and what errors call them. A category of a nominal
            variable that `fit` did not see gets the next number, the same in all these tables.

        Returns
        -------
        list of ndarray of shape (n_records, n_features)
        """
        names = self.names or range(len(self.kinds))
        tables = [read_columns(table, names, file) for table, file in files]
        codes = [np.empty((len(one[0].missing), len(one))) for one in tables]
        for k, columns in enumerate(zip(*tables, strict=True)):
            numbers = {level: number for number, level in enumerate(self.categories[k] or ())}
            for column, of_table in zip(columns, codes, strict=True):
                if self.types[k] not in (None, column.type) and column.type is not None:
                    raise ValueError(
                        f"{column.where} holds {column.type}, but {self.types[k]} in the files of "
                        "fit: give it the same type"
                    )
                of_table[:, k] = self._column_codes(k, column, numbers)
        return codes

    def _column_codes(self, k: int, column: Column, numbers: dict[Any, int]) -> np.ndarray:
        if self.kinds[k] == NUMERIC:
            return column.numbers()
        labels = column.labels()
        if self.kinds[k] == ORDINAL:
            _check_levels(column, labels, list(numbers))
        for label in dict.fromkeys(labels):
            numbers.setdefault(label, len(numbers))
        found = np.full(len(column.missing), np.nan)
        found[~column.missing] = list(map(numbers.__getitem__, labels))
        return found


def is_plain(table: Any) -> bool:
    """Whether a table holds numbers only, none missing, or is none that kinds apply to.

    Examples
    --------
    >>> is_plain(np.ones((3, 2))), is_plain([[1, "low"]])
    (True, False)
    """
    if isinstance(table, np.ndarray):
        kind = table.dtype.kind
        if table.ndim != 2 or not table.size or kind == "c":
            return True  # left to other checks
        if np.ma.is_masked(table) or kind not in "iuf":
            return False
        return kind != "f" or not np.isnan(table.min())
    if hasattr(table, "tocsr") or not hasattr(table, "__len__"):
        return True
    if is_frame(table):
        return all(
            series.dtype.is_numeric()
            and not series.dtype.is_decimal()
            and not (series.is_null().any() or series.is_nan().any())
            for series in series_of(table)
        )
    try:
        values = np.asarray(table, dtype=object)
    except (TypeError, ValueError):
        return True
    numbers = (int, float, np.integer, np.floating)
    return values.ndim != 2 or all(
        isinstance(value, numbers) and not isinstance(value, bool) and not is_missing(value)
        for value in values.flat
    )


def learn_variables(
    X: Any,
    y: Any,
    *,
    categorical_features: Any = None,
    ordinal_features: Any = None,
    others: Sequence[File] = (),
) -> Variables:
    """Learn the kinds and categories of the columns of an original and a masked file.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original and the masked file, with the same columns in the same order.
    categorical_features : array-like of str, int or bool, default=None
        Columns that are nominal whatever their type, by name, index or mask.
    ordinal_features : array-like of str, int or bool, or dict, default=None
        Columns that are ordinal. Numbers are ordered already; a dict gives for each column its
        levels in order, or None.
    others : sequence of (table, str), default=()
        Further files whose categories count, such as a pool, and what errors call them.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [31, 40], "sex": ["m", "f"]})
    >>> found = learn_variables(X, X[::-1], ordinal_features=["age"])
    >>> found.kinds, found.categories
    (('ordinal', 'nominal'), ([31, 40], ['f', 'm']))
    >>> found.codes((X, "original file X"))[0].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    files = [(X, "original file X"), (y, "masked file y"), *others]
    names = next(filter(None, (column_names(table) for table, _ in files)), None)
    tables = [read_columns(table, names, file) for table, file in files[:1]]
    called = [column.name for column in tables[0]]
    tables += [read_columns(table, called, file) for table, file in files[1:]]
    nominal = _chosen(categorical_features, names, len(tables[0]), "categorical_features")
    ordinal = _chosen(ordinal_features, names, len(tables[0]), "ordinal_features")
    for k in nominal.keys() & ordinal.keys():
        raise ValueError(
            f"column {tables[0][k].name!r} is in both categorical_features and ordinal_features: "
            "name it in one of them"
        )
    notes: list[str] = []
    kinds, categories, types = [], [], []
    like_codes: dict[str, int] = {}
    for k, columns in enumerate(zip(*tables, strict=True)):
        types.append(common_type(columns))
        told = NOMINAL if k in nominal else ORDINAL if k in ordinal else None
        kind, levels = _learn(columns, told, ordinal.get(k))
        kinds.append(kind)
        categories.append(levels)
        notes += _notes(columns, kind)
        if kind == NUMERIC and (n_values := code_like(columns[:2])):
            like_codes[columns[0].name] = n_values
    notes += _note_on_codes(like_codes)
    return Variables(names, tuple(kinds), tuple(categories), tuple(types), notes)


def _chosen(
    features: Any, names: Sequence[str] | None, n_features: int, option: str
) -> dict[int, list[Any] | None]:
    """The columns that an option names, and the levels of each, if given."""
    if features is None:
        return {}
    given = list(features)
    levels = features if isinstance(features, Mapping) else {}
    if given and all(isinstance(one, bool | np.bool_) for one in given):
        if len(given) != n_features:
            raise ValueError(
                f"{option} is a mask of length {len(given)}: there are {n_features} columns"
            )
        given = np.flatnonzero(given).tolist()
    chosen = {}
    for one in given:
        if isinstance(one, str):
            if names is None or one not in names:
                held = "the files have no names" if names is None else f"the columns are {names}"
                raise ValueError(f"{option} names {one!r}, which is not a column: {held}")
            k = names.index(one)
        elif isinstance(one, int | np.integer) and -n_features <= one < n_features:
            k = int(one) % n_features
        else:
            raise ValueError(
                f"{option} has {one!r}: give names of columns, indices below {n_features} or a mask"
            )
        told = levels.get(one)
        chosen[k] = None if told is None else list(told)
    return chosen


def common_type(columns: Sequence[Column]) -> str | None:
    """What the columns hold in all files, the same in each."""
    held = [column for column in columns if column.type is not None]
    for other in held[1:]:
        if other.type != held[0].type:
            raise ValueError(
                f"{held[0].where} holds {held[0].type} and that of the {other.file} {other.type}: "
                "convert one of them, so that both have one type"
            )
    return held[0].type if held else None


def _learn(
    columns: Sequence[Column], told: str | None, levels: list[Any] | None
) -> tuple[str, list[Any] | None]:
    """The kind of a variable and its levels."""
    ordered = _order(columns) if levels is None and told != NOMINAL else levels
    if ordered is not None:
        if len(set(ordered)) < len(ordered):
            raise ValueError(f"the levels of column {columns[0].name!r} are not distinct")
        for column in columns:
            _check_levels(column, column.labels(), ordered)
        return ORDINAL, ordered
    nominal = any(column.nominal for column in columns if column.type is not None)
    if told is None and not nominal:
        return NUMERIC, None
    if told == ORDINAL and any(column.type == "text" for column in columns):
        raise ValueError(
            f"column {columns[0].name!r} is in ordinal_features, but text has no order: use an "
            f"ordered category, or ordinal_features={{{columns[0].name!r}: [levels in order]}}"
        )
    seen = dict.fromkeys(label for column in columns for label in column.labels())
    return told or NOMINAL, sorted(seen)


def _order(columns: Sequence[Column]) -> list[Any] | None:
    """The levels of an ordered category, the same in all files that have an order."""
    ordered = [column for column in columns if column.levels is not None]
    for other in ordered[1:]:
        if other.levels != ordered[0].levels:
            raise ValueError(
                f"the levels of {ordered[0].where} and those of the {other.file} are not the same "
                "in the same order: give the column the same ordered categories in both files"
            )
    return ordered[0].levels if ordered else None


def _check_levels(column: Column, labels: Sequence[Any], levels: Sequence[Any]) -> None:
    unknown = set(labels).difference(levels)
    if unknown:
        wrong = np.array([label in unknown for label in labels])
        raise ValueError(
            f"{column.where} has a value in row {column.row(wrong)} that is not among the levels "
            f"{_shown(levels)}: add its level before fit, "
            f"ordinal_features={{{column.name!r}: [levels in order]}}, or mark the value as missing"
        )


def _shown(levels: Sequence[Any] | None) -> str:
    levels = levels or []
    shown = ", ".join(map(repr, levels[:_MOST_SHOWN]))
    return f"[{shown}{', ...' * (len(levels) > _MOST_SHOWN)}]"


def _notes(columns: Sequence[Column], kind: str) -> list[str]:
    """What the user should check of a variable."""
    name = columns[0].name
    files = [column.file.removesuffix(" X").removesuffix(" y") for column in columns]
    empty = [file for file, column in zip(files, columns, strict=True) if column.type is None]
    if empty:
        where = " and ".join(f"the {file}" for file in empty)
        return [f"column {name!r} has no value in {where}: it tells nobody apart there"]
    if kind == NUMERIC:
        return []
    seen = [set(column.labels()) for column in columns[:2]]
    counts = [
        f"{len(mine - other)} only in the {file}"
        for mine, other, file in zip(seen, reversed(seen), files, strict=False)
        if mine - other
    ]
    return [f"column {name!r} has categories in one file only: {', '.join(counts)}"] * bool(counts)


def code_like(columns: Sequence[Column], most: int = 20, share: float = 0.05) -> int:
    """How many whole numbers stand in a column that looks like codes; 0 if it does not.

    Codes are few, each shared by many records, and masking leaves them whole.
    """
    if any(column.type != "numbers" for column in columns):
        return 0
    found: set[float] = set()
    most = min(most, int(share * min(len(column.missing) for column in columns)))
    for column in columns:
        for start in range(0, len(column.present), 2**16):
            found.update(column.present[start : start + 2**16].tolist())
            if len(found) > most:
                return 0
    return len(found) if len(found) > 1 and all(one == int(one) for one in found) else 0


def _note_on_codes(n_values: Mapping[str, int]) -> list[str]:
    """One note on all columns whose numbers may be codes."""
    shown = [f"{name!r} ({n})" for name, n in list(n_values.items())[:_MOST_SHOWN]]
    more = f" and {len(n_values) - _MOST_SHOWN} more" if len(n_values) > _MOST_SHOWN else ""
    return [
        f"columns with few different whole numbers are read as numbers: {', '.join(shown)}{more}. "
        "Name those that are codes in categorical_features or ordinal_features (--nominal or "
        "--ordinal on the command line)"
    ] * bool(n_values)
