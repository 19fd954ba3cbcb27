"""Tables of any library as rows of cells, the form in which `verify` takes files.

Numbers, dates and durations become floats, as the linkers read them; categories stay what they are.
This is for convenience: if you trust no reader but your own, give `verify` your own rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_reclink.certificates.coordinates import CertificateError, Table, require
from sklearn_reclink.data.columns import Column, read_columns
from sklearn_reclink.data.reading import column_names

_OF_NUMBERS = (None, "numbers", "dates", "dates with a time zone", "durations", "times of day")


def variables_of(
    kinds: Sequence[str], categories: Sequence[list[Any] | None], files: Sequence[np.ndarray]
) -> list[dict[str, Any]]:
    """The columns of a mixed file for a certificate; files have levels by their number.

    ``levels`` are the numbers of the levels of all files, the levels in ascending order of what
    they are called; the names themselves are left out.
    """
    found: list[dict[str, Any]] = []
    for k, (kind, of_column) in enumerate(zip(kinds, categories, strict=True)):
        found.append({"kind": kind})
        if kind == "ordinal" and of_column is not None:
            held = np.unique(np.concatenate([file[:, k] for file in files]))
            present = held[~np.isnan(held)].astype(int).tolist()
            found[-1]["levels"] = sorted(present, key=of_column.__getitem__)
    return found


def read_tables(certificate: Any, files: Sequence[Any]) -> list[list[list[Any]]]:
    """Files as rows of cells, by the columns and kinds of a certificate."""
    claim = certificate if isinstance(certificate, dict) else {}
    names = claim.get("columns")
    if "variables" not in claim:
        return [_numbers_of(file, names) for file in files]
    return [_cells_of(file, names, kinds_of(claim)) for file in files]


def kinds_of(certificate: dict[str, Any]) -> list[str]:
    """The kinds of the columns of a mixed file."""
    try:
        return [str(one["kind"]) for one in certificate["variables"]]
    except (LookupError, TypeError) as error:
        raise CertificateError(f"it is malformed ({type(error).__name__})") from error


def _numbers_of(file: Any, names: Any) -> Table:
    """Rows of floats; columns by name where both sides have names."""
    if isinstance(names, list) and hasattr(file, "columns"):
        _check_names(names, list(file.columns))
        file = file[names]
    file = file.to_numpy() if hasattr(file, "to_numpy") else file
    try:
        return [[float(value) for value in row] for row in file]
    except (TypeError, ValueError):
        raise CertificateError(
            "a file has cells that are not numbers, but the certificate is for numbers"
        ) from None


def _cells_of(file: Any, names: Any, kinds: Sequence[str]) -> list[list[Any]]:
    """Rows of floats, categories as they are, and None for missing values."""
    own = column_names(file)
    try:
        columns = read_columns(file, own, "file")
        if isinstance(names, list) and own is not None:
            _check_names(names, own)
            columns = [columns[own.index(name)] for name in names]
        require(len(columns) == len(kinds), "a file has other columns")
        cells = [_cells(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    except CertificateError:
        raise
    except (TypeError, ValueError) as error:
        raise CertificateError(str(error)) from error
    return [list(row) for row in zip(*cells, strict=True)]


def _check_names(names: Sequence[Any], held: Sequence[Any]) -> None:
    for name in names:
        require(name in held, f"a file lacks the column {name!r}")


def _cells(column: Column, kind: str) -> list[Any]:
    if kind == "numeric":
        reason = f"{column.where} holds {column.type}, but the certificate is for numbers"
        require(column.type in _OF_NUMBERS, reason)
        return [None if value != value else value for value in column.numbers().tolist()]
    present = iter(column.labels())
    return [None if is_missing else next(present) for is_missing in column.missing]
