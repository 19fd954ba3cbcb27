"""Files as tables: CSV in any common layout, Parquet, and Excel by openpyxl.

Cells of CSV files, and those columns of Excel files that hold text, are read as text; `_cells` says
what they mean. Columns without a name, such as the row names of R, are left out.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sklearn_reclink.auditing.writing import as_written

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
PARQUET = {".parquet", ".pq"}
EXCEL = {".xlsx", ".xlsm"}
_OTHER_FORMATS = {".xls", ".xlsb", ".ods", ".sav", ".dta", ".sas7bdat", ".rds", ".rda", ".json"}
_OTHER_FORMATS |= {
    ".html",
    ".htm",
    ".xml",
    ".docx",
    ".zip",
    ".gz",
    ".pdf",
    ".feather",
    ".pkl",
    ".npy",
}
_MOST_NAMED = 5
_START = 2**16  # bytes that tell the layout of a CSV file
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19]")


class FileProblem(ValueError):
    """What is wrong with a file, in one sentence."""


class Table(NamedTuple):
    """A file: its name, its columns, whether its text is to be interpreted, and what to check."""

    file: str
    frame: pd.DataFrame
    as_text: bool
    separator: str | None
    notes: list[str]


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
        frame, separator, notes = _read_csv(path)
    header = [as_written(str(name).strip()) for name in frame.columns]
    named = [bool(name) and not name.startswith("Unnamed: ") for name in header]
    frame = frame.set_axis(header, axis=1).loc[:, named].reset_index(drop=True)
    if not all(named):
        notes.append(f"{path.name}: a column without a name is left out")
    repeated = [name for name in frame.columns if header.count(name) > 1]
    if repeated:
        raise FileProblem(f"{path.name} has the column {repeated[0]!r} more than once")
    if len(frame) < 2:
        n_records = f"{len(frame)} record{'s' * (len(frame) != 1)}"
        raise FileProblem(f"{path.name} has {n_records}: at least 2 are needed")
    return Table(path.name, frame, suffix not in PARQUET, separator, notes)


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
    """The first sheet; a column with a cell of text becomes text."""
    import pandas as pd

    if find_spec("openpyxl") is None:
        raise FileProblem(
            f"{path.name}: Excel files need openpyxl: pip install openpyxl, or save it as CSV"
        )
    try:
        table = pd.read_excel(path, dtype=object, keep_default_na=False, engine="openpyxl")
    except Exception as error:
        raise FileProblem(
            f"{path.name} cannot be read as Excel: save it again, or as CSV"
        ) from error
    table = table.mask(table == "").dropna(how="all").reset_index(drop=True)
    for name in table.columns:
        column = table[name]
        is_text = column.map(lambda value: isinstance(value, str)).any()
        table[name] = column.map(str, na_action="ignore").fillna("") if is_text else column
    return table.infer_objects()


def _read_csv(path: Path) -> tuple[pd.DataFrame, str, list[str]]:
    with path.open("rb") as file:
        start = file.read(_START)
    if not start.strip():
        raise FileProblem(f"{path.name} is empty")
    for encoding in _encodings(start):
        try:
            frame, separator = _parse(path, start, encoding)
        except UnicodeError:
            continue
        note = f"{path.name} is not in UTF-8: it is read as {encoding}"
        return frame, separator, [] if encoding == "utf-8-sig" else [note]
    raise FileProblem(f"{path.name} is not a CSV file in UTF-8, UTF-16 or Latin-1")


def _encodings(start: bytes) -> Sequence[str]:
    """The encodings that a file may have, likely ones first."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ["utf-16"]
    zeros = [2 * start[k::2].count(0) / len(start) for k in (0, 1)]
    if max(zeros) > 0.7 and min(zeros) < 0.1:
        return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]
    return ["utf-8-sig", "cp1252", "latin-1"]


def _parse(path: Path, start: bytes, encoding: str) -> tuple[pd.DataFrame, str]:
    import pandas as pd

    whole = len(start) < _START
    text = codecs.getincrementaldecoder(encoding)().decode(start, final=whole)
    if _CONTROL.search(text):
        raise FileProblem(f"{path.name} is not a CSV file: it contains binary data")
    lines = text.splitlines(keepends=True)[: None if whole or text.count("\n") < 2 else -1]
    separator = _separator(lines)
    header = next(filter(None, csv.reader(lines, delimiter=separator)), [])
    if not any(header):
        raise FileProblem(f"{path.name} is empty")
    _check_header(header, path.name)
    _check_rows(path, encoding, separator, len(header))
    table = pd.read_csv(
        path,
        sep=separator,
        encoding=encoding,
        dtype=str,
        keep_default_na=False,
        index_col=False,
        names=range(len(header)),
        header=0,
        skip_blank_lines=len(header) > 1,  # a blank line may be a missing value
    )
    table.columns = pd.Index(header)
    return table, separator


def _check_rows(path: Path, encoding: str, separator: str, n_columns: int) -> None:
    """Refuse rows that have more or fewer cells than the header, and quotes left open."""
    with path.open(encoding=encoding, newline="") as file:
        rows = csv.reader(file, delimiter=separator, strict=True)
        try:
            for number, row in enumerate(row for row in rows if row):
                if len(row) != n_columns:
                    raise FileProblem(
                        f"{path.name} is not a CSV file: row {number} has {len(row)} cells, the "
                        f"header has {n_columns}"
                    )
        except csv.Error as error:
            raise FileProblem(
                f"{path.name} is not a CSV file: its quotes are wrong before line {rows.line_num}"
            ) from error


def _separator(lines: Sequence[str]) -> str:
    """The separator that gives all lines the same number of cells, or else the header the most."""

    def layout(sign: str) -> tuple[bool, int, bool]:
        counts = [len(row) for row in csv.reader(lines, delimiter=sign) if row]
        n_columns, is_even = max(counts[:1], default=0), len(set(counts)) == 1
        return is_even and n_columns > 1, n_columns, is_even

    return max(SEPARATORS, key=layout)


def _check_header(header: Sequence[str], file: str) -> None:
    """Refuse a first line that is a record: its values would be taken for names, and shown."""
    names = [name.strip() for name in header]
    if all(map(_NUMBER.fullmatch, names)) and not all(map(str.isdigit, names)):
        raise FileProblem(
            f"the first line of {file} contains numbers only: write the names of the columns there"
        )


def some(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    rest = len(names) - _MOST_NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
