"""CSV files: their layout (encoding, separator, names) and their records, and both as a table.

Lines that are blank are no records, except in a file of one column: there a blank line between
two records is a missing value.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = ",;\t|"
_START = 2**16  # bytes that tell the layout
_LONGEST_CELL = 2**31 - 1
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19]")
_TOLD = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # the first line of files for Excel


class FileProblem(ValueError):
    """What is wrong with a file, in one sentence."""


class Layout(NamedTuple):
    """How a CSV file is written.

    Attributes
    ----------
    encoding : str
    separator : str
    n_before : int
        Lines before the names that are no part of the table.
    header : list of str
        The names as they are written.
    """

    encoding: str
    separator: str
    n_before: int
    header: list[str]


def read_csv(path: Path) -> tuple["pd.DataFrame", str, list[str]]:
    """The cells of a file as text, its separator, and what to check."""
    import pandas as pd

    layout = layout_of(path)
    notes = list[str]()
    if layout.encoding != "utf-8-sig":
        notes.append(f"{path.name} is not in UTF-8: it is read as {layout.encoding}")
    if len(layout.header) == 1:
        table = pd.DataFrame(records_of(path, layout), columns=layout.header, dtype=str)
        return table, layout.separator, notes
    table = pd.read_csv(
        path,
        sep=layout.separator,
        encoding=layout.encoding,
        dtype=str,
        keep_default_na=False,
        index_col=False,
        names=range(len(layout.header)),
        header=0,
        skiprows=layout.n_before,
    )
    return table.set_axis(layout.header, axis=1), layout.separator, notes


def layout_of(path: Path) -> Layout:
    """Find the layout of a file in which all rows have the same number of cells."""
    with path.open("rb") as file:
        start = file.read(_START)
    if not start.strip():
        raise FileProblem(f"{path.name} is empty")
    for encoding in _encodings(start):
        try:
            layout = _layout(path, start, encoding)
            for _ in records_of(path, layout):
                pass
        except UnicodeError:
            continue
        return layout
    raise FileProblem(f"{path.name} is not a CSV file in UTF-8, UTF-16 or Latin-1")


def records_of(path: Path, layout: Layout) -> Iterator[list[str]]:
    """The records of a file; one with more or fewer cells than the names is refused."""
    csv.field_size_limit(_LONGEST_CELL)
    n_columns = len(layout.header)
    with path.open(encoding=layout.encoding, newline="") as file:
        for _ in range(layout.n_before):
            next(file)
        rows = csv.reader(file, delimiter=layout.separator, strict=True)
        number, n_blank, is_header = 0, 0, True
        try:
            for row in rows:
                if is_header:
                    is_header = _is_blank(row)
                elif not row or (n_columns == 1 and _is_blank(row)):
                    n_blank += 1
                else:
                    missing = n_blank if n_columns == 1 else 0
                    yield from ([""] for _ in range(missing))
                    number, n_blank = number + 1 + missing, 0
                    if len(row) != n_columns:
                        cells = f"{len(row)} cell{'s' * (len(row) != 1)}"
                        raise FileProblem(
                            f"{path.name} is not a CSV file: row {number} has {cells}, the header "
                            f"has {n_columns}"
                        )
                    yield row
        except csv.Error as error:
            line = rows.line_num + layout.n_before
            raise FileProblem(
                f"{path.name} is not a CSV file: its quotes are wrong before line {line}"
            ) from error


def _is_blank(row: Sequence[str]) -> bool:
    """Whether a line is empty or holds spaces alone; two quotes are a cell, one that is missing."""
    return not row or (len(row) == 1 and row[0].isspace())


def _encodings(start: bytes) -> Sequence[str]:
    """The encodings that a file may have, likely ones first."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ["utf-16"]
    zeros = [2 * start[k::2].count(0) / len(start) for k in (0, 1)]
    if max(zeros) > 0.7 and min(zeros) < 0.1:
        return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]
    return ["utf-8-sig", "cp1252", "latin-1"]


def _layout(path: Path, start: bytes, encoding: str) -> Layout:
    whole = len(start) < _START
    text = codecs.getincrementaldecoder(encoding)().decode(start, final=whole)
    if _CONTROL.search(text):
        raise FileProblem(f"{path.name} is not a CSV file: it contains binary data")
    csv.field_size_limit(_LONGEST_CELL)
    lines = list(io.StringIO(text, newline=""))
    lines = lines if whole or len(lines) < 3 else lines[:-1]
    told = _TOLD.fullmatch(lines[0])
    separator = told[1] if told else _separator(lines)
    rows = csv.reader(lines[1:] if told else lines, delimiter=separator)
    header = next((row for row in rows if not _is_blank(row)), [])
    if not any(header):
        raise FileProblem(f"{path.name} is empty")
    return Layout(encoding, separator, int(told is not None), header)


def _separator(lines: Iterable[str]) -> str:
    """The separator that gives all lines the same number of cells, or else the header the most."""

    def layout(sign: str) -> tuple[bool, int, bool]:
        rows = csv.reader(lines, delimiter=sign)
        counts = [len(row) for row in rows if not _is_blank(row)]
        n_columns, is_even = max(counts[:1], default=0), len(set(counts)) == 1
        return is_even and n_columns > 1, n_columns, is_even

    return max(_SEPARATORS, key=layout)
