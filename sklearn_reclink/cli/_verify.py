"""``reclink verify``: is the proof of a certificate right about these files?

Files of numbers are read here by the standard library alone, numbers as Python's `float` reads
them, so that nothing of what made the certificate takes part in checking it. What a cell of a mixed
file means (a date, a category, a missing value) is for `reclink audit` to say, so these are read as
it reads them, by the kinds of columns in the certificate. Checking is the same for both.
"""

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sklearn_reclink.certificates import CertificateError
from sklearn_reclink.certificates.coordinates import Table
from sklearn_reclink.certificates.verify import verify
from sklearn_reclink.cli import _options as options

REJECTED = 1
_SEPARATORS = ",;\t|"

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
    decimal: options.FoundDecimal = None,
    dates: options.Dates = None,
    quiet: options.Quiet = False,
) -> None:
    """Check a certificate in exact arithmetic; exit code 1 if it does not prove its claim."""
    from sklearn_reclink.cli._console import split_names

    certificate = read_certificate(proof)
    names = split_names(columns) or certificate.get("columns")
    paths = [original, masked, *([] if pool is None else [pool])]
    try:
        if "variables" in certificate:
            files = read_mixed(certificate, paths, names, id_column, decimal, dates)
        else:
            files = read_numbers(paths, names, id_column, decimal or ".")
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
    except (ValueError, RecursionError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path.name} is not JSON") from error
    if not isinstance(certificate, dict) or "family" not in certificate:
        raise ValueError(f"{path.name} is not a certificate")
    return certificate


def read_numbers(
    paths: Sequence[Path], names: list[str] | None, id_column: str | None, decimal: str
) -> list[Table]:
    """Files of numbers; by ids, the people in both, and the whole masked file if it has more."""
    (ids, first), (other_ids, second), *pool = (
        read_file(path, names, id_column, decimal) for path in paths
    )
    tables = [first, second, *(table for _, table in pool)]
    if id_column is None:
        return tables
    mine, other = (dict(zip(*one, strict=True)) for one in ((ids, first), (other_ids, second)))
    if len(mine) < len(ids) or len(other) < len(other_ids):
        raise ValueError(f"an id in {id_column!r} occurs twice in a file: each must be there once")
    both = [one for one in ids if one in other]
    if not both:
        raise ValueError(f"no id in {id_column!r} is in both files")
    if not pool and len(both) < len(other):
        tables.append(second)
    return [[mine[one] for one in both], [other[one] for one in both], *tables[2:]]


def read_mixed(
    certificate: dict[str, Any],
    paths: Sequence[Path],
    names: list[str] | None,
    id_column: str | None,
    decimal: str | None,
    dates: str | None,
) -> list[Table]:
    """Mixed files as `reclink audit` reads them; by ids, the whole masked file is the pool."""
    from sklearn_reclink.certificates.tables import kinds_of, read_tables
    from sklearn_reclink.cli._reading import Selection, read_pair, read_together

    kinds = kinds_of(certificate)
    if names is None or len(names) != len(kinds):
        raise ValueError("the certificate names no columns: name them, in order, with --columns")
    if id_column is not None and len(paths) > 2:
        raise ValueError(f"--pool is read from {paths[1].name}, by --id: leave it out")
    nominal = [name for name, kind in zip(names, kinds, strict=True) if kind != "numeric"]
    which = Selection(id_column, names, decimal, nominal, dates=dates)
    if len(paths) > 2:
        tables = read_together(paths, which)
    else:
        pair = read_pair(paths[0], paths[1], which)
        tables = [pair.original, pair.masked, *([] if pair.whole is None else [pair.whole])]
    return read_tables({**certificate, "columns": names}, tables)


def read_file(
    path: Path, names: list[str] | None, id_column: str | None, decimal: str
) -> tuple[list[str], Table]:
    """Ids, if there is a column of them, and rows of numbers of the columns named."""
    if path.suffix.lower() in (".parquet", ".pq"):
        raise ValueError(f"{path.name}: only CSV files can be verified")
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = file.read().splitlines(keepends=True)
    if not lines:
        raise ValueError(f"{path.name} is empty")
    headers = {sign: next(csv.reader(lines, delimiter=sign)) for sign in _SEPARATORS}
    separator = max(headers, key=lambda sign: len(headers[sign]))
    header, *rows = csv.reader(lines, delimiter=separator)
    wanted = [name for name in header if name != id_column] if names is None else names
    for name in [*wanted, *([] if id_column is None else [id_column])]:
        if header.count(name) != 1:
            raise ValueError(f"{path.name} must have the column {name!r} exactly once")
    places = [header.index(name) for name in wanted]
    table = []
    for number, row in enumerate((row for row in rows if row), start=1):
        if len(row) != len(header):
            cells = f"{len(row)} cells, the header has {len(header)}"
            raise ValueError(f"{path.name} is not a CSV file: row {number} has {cells}")
        for place in places:
            if not _is_number(row[place], decimal):
                raise ValueError(
                    f"column {header[place]!r} of {path.name} is not a number in row {number}: "
                    "choose the columns of the certificate with --columns"
                )
        table.append([float(row[place].replace(decimal, ".")) for place in places])
    key = None if id_column is None else header.index(id_column)
    return ([] if key is None else [row[key] for row in rows if row]), table


def _is_number(cell: str, decimal: str) -> bool:
    try:
        float(cell.replace(decimal, "."))
    except ValueError:
        return False
    return True
