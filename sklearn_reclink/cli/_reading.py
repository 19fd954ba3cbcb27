"""Reading a pair of files for an audit: CSV or Parquet, columns by name, rows by id or order.

Every problem is a `FileProblem` whose one sentence names the file, the column or row, and the
remedy, but no value of any record. Rows are numbered from 1, the first record.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
_PARQUET = {".parquet", ".pq"}
_MOST_NAMED = 5


class FileProblem(ValueError):
    """What is wrong with a file, in one sentence."""


@dataclass(frozen=True, eq=False)
class FilePair:
    """An original file and its masked version, aligned.

    Attributes
    ----------
    original, masked : DataFrame of shape (n_records, n_features)
        Numbers only, the same columns in the same order.
    ids : list of str or None
        Ids of the records.
    """

    original: pd.DataFrame
    masked: pd.DataFrame
    ids: list[str] | None


def read_pair(
    original: Path,
    masked: Path,
    *,
    id_column: str | None = None,
    columns: Sequence[str] | None = None,
    decimal: str = ".",
) -> FilePair:
    """Read an original file and its masked version, and align them.

    Parameters
    ----------
    original, masked : Path
        CSV or Parquet files.
    id_column : str or None, default=None
        Column that identifies records in both files; by default row i of both is the same record.
    columns : sequence of str or None, default=None
        Variables to compare, by default all except the id.
    decimal : str, default="."
        Decimal separator of CSV files.

    Returns
    -------
    FilePair
    """
    tables = [read_table(path, id_column, decimal) for path in (original, masked)]
    names = [path.name for path in (original, masked)]
    wanted = _common_columns(tables, names, id_column, columns)
    ids = None
    if id_column is None:
        if len(tables[0]) != len(tables[1]):
            raise FileProblem(
                f"{names[0]} has {len(tables[0]):,} records and {names[1]} has "
                f"{len(tables[1]):,}: they must describe the same people row by row, or name the "
                "column that identifies them with --id"
            )
    else:
        tables[1] = _aligned(tables, names, id_column)
        ids = [str(value) for value in tables[0][id_column]]
    numbers = [numeric(table[wanted], name) for table, name in zip(tables, names, strict=True)]
    return FilePair(numbers[0], numbers[1], ids)


def read_table(path: Path, id_column: str | None = None, decimal: str = ".") -> pd.DataFrame:
    """Read a CSV or Parquet file; ids are read as text, so that 007 stays 007."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise FileProblem(
            "reading files requires pandas: pip install 'sklearn-reclink[report]'"
        ) from error
    if not path.exists():
        raise FileProblem(f"{path} does not exist")
    if path.is_dir():
        raise FileProblem(f"{path} is a folder, not a file")
    if path.stat().st_size == 0:
        raise FileProblem(f"{path.name} is empty")
    if path.suffix.lower() in _PARQUET:
        table = _read_parquet(path)
    else:
        table = _read_csv(path, decimal, id_column)
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
    except ImportError as error:
        raise FileProblem(
            "reading Parquet requires pyarrow: pip install 'sklearn-reclink[report]'"
        ) from error
    except Exception as error:
        raise FileProblem(f"{path.name} cannot be read as Parquet") from error
    table.columns = table.columns.map(str)
    return table


def _read_csv(path: Path, decimal: str, id_column: str | None) -> pd.DataFrame:
    import pandas as pd

    header, separator = _header(path)
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise FileProblem(f"{path.name} has the column {repeated[0]!r} more than once")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                path,
                sep=separator,
                decimal=decimal,
                encoding="utf-8-sig",
                dtype={} if id_column is None else {id_column: str},
                low_memory=False,
                index_col=False,
            )
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path.name} is not a CSV file in UTF-8") from error
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        raise FileProblem(f"{path.name} is not a CSV file: {reason[:120]}") from error
    table.columns = pd.Index(header)
    return table


def _header(path: Path) -> tuple[list[str], str]:
    """Names of the columns, and the separator that gives the first line the most of them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            start = file.read(65536)
    except (UnicodeDecodeError, UnicodeError) as error:
        raise FileProblem(f"{path.name} is not a CSV file in UTF-8") from error
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror}") from error
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
        row = int(repeated[0])
        first = int(np.flatnonzero((texts == texts.iloc[row]).to_numpy())[0])
        raise FileProblem(
            f"rows {first + 1} and {row + 1} of {file} have the same {id_column!r}: every record "
            "must have its own id"
        )


def _common_columns(
    tables: Sequence[pd.DataFrame],
    files: Sequence[str],
    id_column: str | None,
    columns: Sequence[str] | None,
) -> list[str]:
    """Variables to compare, in the order asked for or that of the original file."""
    held = [[name for name in table.columns if name != id_column] for table in tables]
    if columns is None:
        wanted = held[0]
        for mine, other in ((1, 0), (0, 1)):
            lacking = [name for name in held[other] if name not in held[mine]]
            if lacking:
                raise FileProblem(
                    f"{files[mine]} lacks {_columns(lacking)} that {files[other]} has; name the "
                    "columns to compare with --columns"
                )
    else:
        wanted = list(dict.fromkeys(columns))
        for file, names in zip(files, held, strict=True):
            lacking = [name for name in wanted if name not in names]
            if lacking:
                raise FileProblem(f"{file} lacks {_columns(lacking)}; it has {_some(names)}")
    if not wanted:
        raise FileProblem("there is no column to compare: both files contain only ids")
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
        text = np.flatnonzero(np.isnan(values) & ~column.isna().to_numpy())
        if len(text):
            raise FileProblem(
                f"{where} has text in row {text[0] + 1}: encode it as numbers in both files, or "
                "choose other columns with --columns"
            )
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise FileProblem(
                f"{where} has {len(missing):,} missing value{'s' * (len(missing) != 1)}, the first "
                f"in row {missing[0] + 1}: impute them, or drop those records from both files"
            )
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise FileProblem(
                f"{where} is infinite in row {infinite[0] + 1}: replace it by a number"
            )
        numbers[name] = values
    return pd.DataFrame(numbers)


def _columns(names: Sequence[str]) -> str:
    return f"the column{'s' * (len(names) != 1)} {_some(names)}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    rest = len(names) - _MOST_NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
