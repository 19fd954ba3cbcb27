"""Tables as files: CSV, Parquet or Excel, as the name of the file says; anything else is refused.

Texts are made harmless to spreadsheets, which would run a cell that begins like a formula.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing.writing import check_outputs, harmless
from sklearn_reclink.cli._tables import PARQUET, FileProblem, check_excel

if TYPE_CHECKING:
    import pandas as pd

    from sklearn_reclink.cli._masking import MaskedFile

CSV = {".csv", ".txt", ""}
EXCEL = ".xlsx"
_PAGES = {"--report": (".html", ".htm"), "--json": (".json",), "--certificate": (".json", ".gz")}
_EXCEL_ROWS = 2**20 - 1  # below the header


def check_table_format(path: Path | None, option: str, *, csv_only: bool = False) -> None:
    """Refuse a file whose name asks for a format that is not written.

    Parameters
    ----------
    path : Path or None
        Where to write; None if it was not asked for.
    option : str
        The option that names it.
    csv_only : bool, default=False
        Whether only CSV is written there.

    Raises
    ------
    FileProblem
        Names the option, the path and the remedy.
    """
    suffix = "" if path is None else path.suffix.lower()
    if path is None or suffix in CSV:
        return
    remedy = f"name it {path.with_suffix('.csv').name}"
    if csv_only:
        raise FileProblem(f"{option} {path} is written as CSV and nothing else: {remedy}")
    if suffix == EXCEL:
        check_excel(f"{option} {path}", remedy)
    elif suffix not in PARQUET:
        raise FileProblem(
            f"{option} {path}: files of the kind {suffix} are not written. Use .csv, .parquet or "
            f"{EXCEL}: {remedy}"
        )


def check_paths(outputs: Mapping[str, Path | None], inputs: Sequence[Path], *, force: bool) -> None:
    """Refuse outputs as `check_outputs` does, and pages whose name says that they are others.

    Parameters
    ----------
    outputs : mapping of str to (Path or None)
        Where to write, by option; None if it was not given.
    inputs : sequence of Path
        Files that are read.
    force : bool
        Whether existing files may be overwritten.

    Raises
    ------
    OutputError, FileProblem
        Names the option, the path and the remedy.
    """
    check_outputs(outputs, inputs, force=force)
    for option, suffixes in _PAGES.items():
        path = outputs.get(option)
        if path is not None and path.suffix.lower() not in ("", *suffixes):
            better = path.with_suffix(suffixes[0]).name
            raise FileProblem(
                f"{option} {path} is written as {suffixes[0][1:].upper()} and nothing else: name "
                f"it {better}"
            )


def file_content(masked: MaskedFile, path: Path) -> str | bytes:
    """A table as Parquet, Excel or CSV, as the name of a file says; CSV has its cells."""
    table = masked.table
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return bytes(table.to_parquet(None, index=False))
    if suffix != EXCEL:
        return str(_harmless(table, masked.cells).to_csv(index=False))
    safe = _harmless(table)
    if len(table) > _EXCEL_ROWS:
        raise FileProblem(
            f"{path} would have {len(table):,} records, and a sheet of Excel holds "
            f"{_EXCEL_ROWS:,}: write CSV or Parquet"
        )
    for name, column in table.select_dtypes("datetimetz").items():
        safe[name] = column.astype(str)  # Excel has no time zones
    content = io.BytesIO()
    safe.to_excel(content, index=False, engine="openpyxl")
    return content.getvalue()


def _harmless(table: pd.DataFrame, cells: pd.DataFrame | None = None) -> pd.DataFrame:
    """The table with these cells; text is made harmless, unless it is a missing value."""
    texts = table.select_dtypes(exclude=["number", "bool", "boolean", "datetime", "datetimetz"])
    safe: dict[str, Any] = {} if cells is None else {str(name): cells[name] for name in cells}
    for name, column in texts.items():
        mine = safe.get(str(name), column).astype(object)
        harmless_cells = mine.map(_harmless_cell, na_action="ignore")
        safe[str(name)] = harmless_cells.where(column.notna(), mine)
    return table.assign(**safe).rename(columns=harmless)


def _harmless_cell(cell: Any) -> Any:
    """A text made harmless to spreadsheets; codes of categories that are numbers as they are."""
    return harmless(cell) if isinstance(cell, str) else cell
