"""Files as tables: CSV in any common layout, Parquet, and Excel by openpyxl.

Cells of CSV files, and those columns of Excel files that hold text, are read as text; `_cells` says
what they mean. Columns without a name, such as the row names of R, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink.auditing.writing import as_written
from sklearn_reclink.cli._csv import FileProblem as FileProblem
from sklearn_reclink.cli._csv import read_csv
from sklearn_reclink.cli._header import looks_like_record

if TYPE_CHECKING:
    import pandas as pd

PARQUET = {".parquet", ".pq"}
EXCEL = {".xlsx", ".xlsm"}
_OTHER_FORMATS = set(
    ".xls .xlsb .ods .sav .dta .sas7bdat .rds .rda .json .html .htm .xml .docx .zip .gz .pdf "
    ".feather .pkl .npy".split()
)
_MOST_NAMED = 5
_SHOWING = 1000  # records that show whether the first line is one


class Table(NamedTuple):
    """A file: its name, its columns, whether its text is to be interpreted, and what to check.

    The index of a dataframe in Parquet is no column; errors know its names.
    """

    file: str
    frame: pd.DataFrame
    as_text: bool
    separator: str | None
    notes: list[str]
    indexed_by: Sequence[str] = ()


def load(path: Path) -> Table:
    """Read a file as its name says: Parquet, Excel or CSV."""
    suffix = path.suffix.lower()
    if not path.exists():
        raise FileProblem(f"{path} does not exist")
    if path.is_dir():
        raise FileProblem(f"{path} is a folder: name a file in it")
    if suffix in _OTHER_FORMATS:
        raise FileProblem(f"{path.name} cannot be read: save it as CSV, Parquet or Excel (.xlsx)")
    separator, notes = None, list[str]()
    if suffix in PARQUET:
        frame = _read_parquet(path)
    elif suffix in EXCEL:
        frame = _read_excel(path)
    else:
        frame, separator, notes = read_csv(path)
    index = list(map(str, frame.index.names))
    header = [as_written(str(name).strip()) for name in frame.columns]
    named = [bool(name) and not name.startswith("Unnamed: ") for name in header]
    if suffix not in PARQUET:
        shown = frame.iloc[:_SHOWING].astype(object).map(str, na_action="ignore").fillna("")
        if looks_like_record(header, [shown.iloc[:, k].tolist() for k in range(len(header))]):
            raise FileProblem(
                f"the first line of {path.name} looks like a record: write the names of the "
                "columns into a line above it"
            )
    frame = frame.set_axis(header, axis=1).loc[:, named].reset_index(drop=True)
    if not all(named):
        notes.append(f"{path.name}: a column without a name is left out")
    repeated = [name for name in frame.columns if header.count(name) > 1]
    if repeated:
        raise FileProblem(f"{path.name} has the column {repeated[0]!r} more than once")
    if len(frame) < 2:
        n_records = f"{len(frame)} record{'s' * (len(frame) != 1)}"
        raise FileProblem(f"{path.name} has {n_records}: at least 2 are needed")
    return Table(path.name, frame, suffix not in PARQUET, separator, notes, index)


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError:
        raise
    except Exception as error:
        raise FileProblem(
            f"{path.name} cannot be read as Parquet: save it again, or as CSV"
        ) from error


def _read_excel(path: Path) -> pd.DataFrame:
    """The first sheet; a column with a cell of text becomes text.

    A blank row between two records is a record that lacks all values, as in a CSV file. Blank rows
    before the names and after the last record are none.
    """
    import pandas as pd

    check_excel(path.name, "save it as CSV")
    try:
        rows = _sheet(path)
    except Exception as error:
        raise FileProblem(
            f"{path.name} cannot be read as Excel: save it again, or as CSV"
        ) from error
    filled = [number for number, row in enumerate(rows) if any(map(_is_filled, row))]
    if not filled:
        raise FileProblem(f"{path.name} is empty")
    width = max(map(len, rows))
    rows = [row + [math.nan] * (width - len(row)) for row in rows[filled[0] : filled[-1] + 1]]
    header = [str(name) if _is_filled(name) else "" for name in rows[0]]
    columns = [pd.Series([row[k] for row in rows[1:]], dtype=object) for k in range(width)]
    for k, column in enumerate(columns):
        if column.map(lambda value: isinstance(value, str)).any():
            columns[k] = column.map(str, na_action="ignore").fillna("")
    table = pd.DataFrame(dict(enumerate(columns))).infer_objects()
    return table.set_axis(header, axis=1)


def check_excel(file: str, remedy: str) -> None:
    """Refuse an Excel file if the library for it is not installed."""
    if find_spec("openpyxl") is None:
        raise FileProblem(f"{file}: Excel files need openpyxl: pip install openpyxl, or {remedy}")


def _sheet(path: Path) -> list[list[Any]]:
    """The values of the cells of the first sheet; NaN where there is none, or an error."""
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # which other programs may have written wrongly
        return [[_value(cell) for cell in row] for row in sheet.rows]
    finally:
        book.close()


def _value(cell: Any) -> Any:
    value = cell.value
    if value is None or value == "" or cell.data_type == "e":
        return math.nan
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_filled(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value == value)


def some(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    rest = len(names) - _MOST_NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
