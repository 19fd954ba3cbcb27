"""Reading a pair of files for an audit: CSV or Parquet, columns by name, rows by id or order.

Every problem is a `FileProblem` whose one sentence names the file, the column or row, and the
remedy, but no value of any record. Rows are numbered from 1, the first record.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink.auditing.writing import as_written

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
PARQUET = {".parquet", ".pq"}
_MOST_NAMED = 5
_WHOLE = 2**53  # from here on, not all whole numbers are floats
_SUBTRACT = (
    "if the column holds ids, choose other columns with --columns; otherwise subtract the same "
    "constant from it in both files"
)
_RAGGED = re.compile(r"Expected \d+ fields in line \d+, saw \d+")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)


class FileProblem(ValueError):
    """What is wrong with a file, in one sentence."""


class Selection(NamedTuple):
    """What to read of the files.

    Attributes
    ----------
    id_column : str or None, default=None
        Column that identifies records in all files; by default row i of each is the same record.
    columns : sequence of str or None, default=None
        Variables to use, by default all except the id.
    decimal : str, default="."
        Decimal separator of CSV files.
    """

    id_column: str | None = None
    columns: Sequence[str] | None = None
    decimal: str = "."

    def variables(self, table: pd.DataFrame) -> list[str]:
        """The columns of a table except the id."""
        return [name for name in table.columns if name != self.id_column]


class FilePair(NamedTuple):
    """An original file and its masked version, aligned: numbers only, the same columns; ids."""

    original: pd.DataFrame
    masked: pd.DataFrame
    ids: list[str] | None


def read_pair(original: Path, masked: Path, which: Selection) -> FilePair:
    """Read an original file and its masked version, CSV or Parquet, and align them."""
    paths, names = (original, masked), (original.name, masked.name)
    tables = [read_table(path, which) for path in paths]
    wanted = common_columns([which.variables(table) for table in tables], names, which.columns)
    ids = None
    if which.id_column is not None:
        tables[1] = _aligned(tables, names, which.id_column)
        ids = tables[0][which.id_column].tolist()
    elif len(tables[0]) != len(tables[1]):
        raise FileProblem(
            f"{names[0]} has {len(tables[0]):,} records and {names[1]} has {len(tables[1]):,}: "
            "they must describe the same people row by row, or name the column that identifies "
            "them with --id"
        )
    numbers = [numeric(table[wanted], name) for table, name in zip(tables, names, strict=True)]
    return FilePair(numbers[0], numbers[1], ids)


def read_table(path: Path, which: Selection) -> pd.DataFrame:
    """Read a CSV or Parquet file; ids are read as text, so that 007 stays 007.

    A quote that `harmless` put before the id or the name of a column of a CSV file is taken away.
    """
    id_column = which.id_column
    if not path.exists():
        raise FileProblem(f"{path} does not exist")
    parquet = path.suffix.lower() in PARQUET
    table = _read_parquet(path) if parquet else _read_csv(path, which)
    if id_column is not None:
        if id_column not in table.columns:
            raise FileProblem(
                f"{path.name} has no column {id_column!r} to identify its records; its columns are "
                f"{_some(list(table.columns))}"
            )
        _check_ids(table[id_column], path.name, id_column)
        table[id_column] = table[id_column].astype(str)
    if len(table) < 2:
        raise FileProblem(
            f"{path.name} has {len(table)} record{'s' * (len(table) != 1)}: at least 2 are needed"
        )
    return table


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        table = pd.read_parquet(path).reset_index(drop=True)
    except ImportError:
        raise
    except Exception as error:
        raise FileProblem(f"{path.name} cannot be read as Parquet") from error
    table.columns = table.columns.map(str)
    return table


def _read_csv(path: Path, which: Selection) -> pd.DataFrame:
    import pandas as pd

    raw, separator = _header(path)
    header = [as_written(name) for name in raw]
    _check_header(header, path.name)
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise FileProblem(f"{path.name} has the column {repeated[0]!r} more than once")
    layout: dict[str, Any] = {
        "sep": separator,
        "encoding": "utf-8-sig",
        "low_memory": False,
        "index_col": False,
    }
    ids = [one for one in raw if as_written(one) == which.id_column]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                path,
                decimal=which.decimal,
                dtype=dict.fromkeys(ids, str),
                float_precision="round_trip",  # the very floats that `reclink verify` reads
                **layout,
            )
            large = table.select_dtypes("float").abs().ge(_WHOLE).any()
            for name in large.index[large]:  # as text, so that no digit is lost
                digits = pd.read_csv(path, dtype=str, usecols=[name], **layout)[name]
                table[name] = digits.str.replace(which.decimal, ".", regex=False)
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path.name} is not a CSV file in UTF-8") from error
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        reason = _RAGGED.search(str(error))  # other texts may quote a cell
        where = f": {reason.group().lower()}" if reason else ""
        raise FileProblem(f"{path.name} is not a CSV file{where}") from error
    table.columns = pd.Index(header)
    if which.id_column in header:
        table[which.id_column] = table[which.id_column].map(as_written, na_action="ignore")
    return table


def _check_header(header: Sequence[str], file: str) -> None:
    """Refuse a first line that is a record: its values would be taken for names, and shown."""
    if all(_NUMBER.fullmatch(name.strip()) for name in header) and not all(
        name.strip().isdigit() for name in header
    ):
        raise FileProblem(
            f"the first line of {file} contains numbers only: write the names of the columns there"
        )


def _header(path: Path) -> tuple[list[str], str]:
    """Names of the columns, and the separator that gives the first line the most of them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            start = file.read(65536)
    except UnicodeError as error:
        raise FileProblem(f"{path.name} is not a CSV file in UTF-8") from error
    if "\0" in start:
        raise FileProblem(f"{path.name} is not a CSV file: it contains binary data")
    lines = start.splitlines(keepends=True)
    if not start.strip():
        raise FileProblem(f"{path.name} is empty")
    headers = {sign: next(csv.reader(lines, delimiter=sign)) for sign in SEPARATORS}
    separator = max(headers, key=lambda sign: len(headers[sign]))
    return headers[separator], separator


def _check_ids(ids: pd.Series, file: str, id_column: str) -> None:
    missing = np.flatnonzero(ids.isna().to_numpy())
    if len(missing):
        raise FileProblem(
            f"row {missing[0] + 1} of {file} has no {id_column!r}: give every record an id"
        )
    texts = ids.astype(str)
    repeated = np.flatnonzero(texts.duplicated().to_numpy())
    if len(repeated):
        first = np.flatnonzero((texts == texts.iloc[repeated[0]]).to_numpy())[0]
        raise FileProblem(
            f"rows {first + 1} and {repeated[0] + 1} of {file} have the same {id_column!r}: every "
            "record must have its own id"
        )


def common_columns(
    held: Sequence[Sequence[str]], files: Sequence[str], columns: Sequence[str] | None
) -> list[str]:
    """The columns asked for, by default those of the first file; all files must have them."""
    wanted = list(dict.fromkeys(held[0] if columns is None else columns))
    needed = dict.fromkeys(chain(*held) if columns is None else wanted)
    for file, names in zip(files, held, strict=True):
        lacking = [name for name in needed if name not in names]
        if lacking:
            remedy = "" if columns is not None else "; name the columns to compare with --columns"
            some = f"the column{'s' * (len(lacking) != 1)} {_some(lacking)}"
            raise FileProblem(f"{file} lacks {some}; it has {_some(names)}{remedy}")
    if not wanted:
        raise FileProblem("there is no column to use: the files contain only ids")
    return wanted


def _aligned(tables: Sequence[pd.DataFrame], files: Sequence[str], id_column: str) -> pd.DataFrame:
    """The masked file in the order of the ids of the original one."""
    ids = [table[id_column] for table in tables]
    for mine, other in ((0, 1), (1, 0)):
        alone = np.flatnonzero(~ids[mine].isin(set(ids[other])).to_numpy())
        if len(alone):
            raise FileProblem(
                f"{len(alone):,} ids of {files[mine]} are not in {files[other]}, the first in row "
                f"{alone[0] + 1}: both files must describe the same people"
            )
    return tables[1].set_index(id_column, drop=False).loc[list(ids[0])].reset_index(drop=True)


def numeric(table: pd.DataFrame, file: str) -> pd.DataFrame:
    """The table as finite numbers."""
    import pandas as pd

    numbers = {}
    for name in table.columns:
        column = table[name]
        where = f"column {name!r} of {file}"
        if pd.api.types.is_datetime64_any_dtype(column):
            raise FileProblem(f"{where} contains dates: convert them to numbers, such as days")
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        missing = column.isna().to_numpy()
        n_missing = int(missing.sum())
        text, gaps = (
            "has text",
            f"has {n_missing:,} missing value{'s' * (n_missing != 1)}, the first",
        )
        encode = "encode it as numbers in both files, or choose other columns with --columns"
        for wrong, problem, remedy in (
            (np.isnan(values) & ~missing, text, encode),
            (missing, gaps, "impute them, or drop those records from both files"),
            (np.isinf(values), "is infinite", "replace it by a number"),
            (_rounded(column, values), "has a whole number beyond 2^53", _SUBTRACT),
        ):
            if wrong.any():
                raise FileProblem(f"{where} {problem} in row {wrong.argmax() + 1}: {remedy}")
        numbers[name] = values
    return pd.DataFrame(numbers)


def _rounded(column: pd.Series, values: np.ndarray) -> np.ndarray:
    """Whole numbers that no float equals; two of them might become one."""
    rounded = np.zeros(len(values), dtype=bool)
    for row in np.flatnonzero(np.isfinite(values) & (np.abs(values) >= _WHOLE)):
        with suppress(ValueError):  # text such as 1e300 is that float
            rounded[row] = int(column.iloc[row]) != int(values[row])
    return rounded


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    rest = len(names) - _MOST_NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
