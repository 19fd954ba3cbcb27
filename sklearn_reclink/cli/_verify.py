"""``reclink verify``: is the proof of a certificate right about these files?

Files of numbers in plain CSV are read here by the standard library alone, numbers as Python's
`float` reads them, so that nothing of what made the certificate takes part in checking it. What a
cell of a mixed file means (a date, a category, a missing value) is for `reclink audit` to say, so
these are read as it reads them, by the kinds of columns in the certificate. So are numbers that
`float` does not read, such as those with thousands separators, and other formats than CSV.
Checking is the same for all.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sklearn_reclink.auditing.writing import as_written
from sklearn_reclink.certificates import CertificateError
from sklearn_reclink.certificates.coordinates import Table
from sklearn_reclink.certificates.tables import kinds_of, read_tables
from sklearn_reclink.certificates.verify import verify
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._console import split_names
from sklearn_reclink.cli._csv import layout_of, records_of
from sklearn_reclink.cli._reading import Selection, check_decimal, compare_columns, read_pair
from sklearn_reclink.cli._tables import EXCEL, PARQUET, FileProblem, load

REJECTED = 1

Proof = Annotated[Path, typer.Argument(help="The certificate, JSON or JSON.gz.")]
PoolPath = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The whole masked file, if the proof was made with a pool."),
]


def verify_command(
    proof: Proof,
    original: options.Original,
    masked: options.Masked,
    pool: PoolPath = None,
    id_column: options.Id = None,
    columns: options.Columns = None,
    decimal: options.Decimal = None,
    dates: options.Dates = None,
    quiet: options.Quiet = False,
) -> None:
    """Check a certificate in exact arithmetic; exit code 1 if it does not prove its claim."""
    certificate = read_certificate(proof)
    names = split_names(columns) or certificate.get("columns")
    which = Selection(id_column, names, decimal, dates=dates)
    paths = [original, masked, *([] if pool is None else [pool])]
    try:
        if "variables" in certificate:
            files = read_mixed(certificate, paths, which)
        else:
            files = read_numbers(paths, which, quiet=quiet)
        verified = verify(certificate, *files)
    except CertificateError as error:
        typer.echo(f"rejected: {error}", err=True)
        raise typer.Exit(REJECTED) from None
    if not quiet:
        typer.echo(f"verified: {verified.statement}")


def read_certificate(path: Path) -> dict[str, Any]:
    """Read a certificate, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            certificate = json.load(file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileProblem(f"{path.name} is damaged: fetch or write it again") from error
    except (ValueError, RecursionError) as error:
        raise FileProblem(f"{path.name} is not JSON") from error
    if not isinstance(certificate, dict) or "family" not in certificate:
        raise FileProblem(f"{path.name} is not a certificate")
    names = certificate.get("columns")
    if names is not None and not _are_names(names):
        raise FileProblem(f"{path.name} is not a certificate: its columns are not a list of names")
    return certificate


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


class NotPlain(FileProblem):
    """A file is no CSV file of numbers as Python writes them."""


def read_numbers(paths: Sequence[Path], which: Selection, *, quiet: bool) -> list[Table]:
    """Files of numbers; by ids, the people in both, and the whole masked file if it has more."""
    check_decimal(which.decimal)
    id_column = which.id_column
    try:
        read = [read_file(path, which) for path in paths]
    except NotPlain as refused:
        tables = _numbers_as_audited(refused, paths, which)
        if not quiet:
            typer.echo(f"reclink: note: {refused}, so the files are read as by audit", err=True)
        return tables
    (ids, first), (other_ids, second), *pool = read
    tables = [first, second, *(table for _, table in pool)]
    if id_column is None:
        return tables
    mine, other = (dict(zip(*one, strict=True)) for one in ((ids, first), (other_ids, second)))
    if len(mine) < len(ids) or len(other) < len(other_ids):
        raise FileProblem(f"an id in {id_column!r} occurs twice in a file: each must be there once")
    both = [one for one in ids if one in other]
    if not both:
        raise FileProblem(f"no id in {id_column!r} is in both files")
    if not pool and len(both) < len(other):
        tables.append(second)
    return [[mine[one] for one in both], [other[one] for one in both], *tables[2:]]


def _numbers_as_audited(refused: NotPlain, paths: Sequence[Path], which: Selection) -> list[Table]:
    """Files of numbers as `reclink audit` reads them."""
    from pandas.api.types import is_numeric_dtype

    remedy = "name the columns of the certificate with --columns, or the sign with --decimal"
    try:
        tables = _as_audited(paths, which)
    except FileProblem as error:
        if "--nominal" not in str(error):
            raise
        raise FileProblem(f"{refused}: {remedy}") from None
    for name in tables[0].columns:
        if not all(is_numeric_dtype(table[name]) for table in tables):
            raise FileProblem(f"column {name!r} does not hold numbers in all files: {remedy}")
    return [table.astype(float).to_numpy().tolist() for table in tables]


def read_mixed(certificate: dict[str, Any], paths: Sequence[Path], which: Selection) -> list[Table]:
    """Mixed files as `reclink audit` reads them; by ids, the whole masked file is the pool."""
    kinds, names = kinds_of(certificate), which.columns
    if names is None or len(names) != len(kinds):
        raise FileProblem("the certificate names no columns: name them, in order, with --columns")
    nominal = [name for name, kind in zip(names, kinds, strict=True) if kind != "numeric"]
    tables = _as_audited(paths, which._replace(nominal=nominal))
    return read_tables({**certificate, "columns": names}, tables)


def _as_audited(paths: Sequence[Path], which: Selection) -> list[Any]:
    """The two files and the pool, as dataframes."""
    if len(paths) > 2:
        if which.id_column is not None:
            raise FileProblem(f"--pool is read from {paths[1].name}, by --id: leave it out")
        return compare_columns([load(path) for path in paths], which).frames
    pair = read_pair(paths[0], paths[1], which)
    return [pair.original, pair.masked, *([] if pair.whole is None else [pair.whole])]


def read_file(path: Path, which: Selection) -> tuple[list[str], Table]:
    """Ids, if there is a column of them, and rows of numbers of the columns named."""
    names, id_column, decimal = which.columns, which.id_column, which.decimal or "."
    if path.suffix.lower() in PARQUET | EXCEL:
        raise NotPlain(f"{path.name} is not a CSV file")
    layout = layout_of(path)
    header = [as_written(name.strip()) for name in layout.header]
    wanted = [name for name in header if name not in ("", id_column)] if names is None else names
    for name in [*wanted, *([] if id_column is None else [id_column])]:
        if header.count(name) != 1:
            raise FileProblem(f"{path.name} must have the column {name!r} exactly once")
    places = [header.index(name) for name in wanted]
    key = None if id_column is None else header.index(id_column)
    ids, table = list[str](), list[list[float]]()
    for number, row in enumerate(records_of(path, layout), start=1):
        for place in places:
            if not _is_number(row[place], decimal):
                name = header[place]
                raise NotPlain(
                    f"column {name!r} of {path.name} has no plain number in row {number}"
                )
        table.append([float(row[place].replace(decimal, ".")) for place in places])
        if key is not None:
            ids.append(as_written(row[key].strip()))
    return ids, table


def _is_number(cell: str, decimal: str) -> bool:
    """Whether Python and an audit read a cell as the same number."""
    if "_" in cell or (decimal == "," and "." in cell):
        return False
    try:
        float(cell.replace(decimal, "."))
    except ValueError:
        return False
    return True
