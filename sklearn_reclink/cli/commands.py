"""The commands of ``reclink``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sklearn_reclink.cli.console import (
    as_json,
    check_folders,
    complain,
    end,
    progress_bar,
    split_names,
    write,
)
from sklearn_reclink.cli.options import (
    Attackers,
    Columns,
    Decimal,
    FailAbove,
    Id,
    Jobs,
    JsonPath,
    Original,
    Quiet,
    ReportPath,
    Seed,
    TimeLimit,
)

app = typer.Typer(
    name="reclink",
    help="How many people could be found again in a masked file?",
    epilog="Exit codes: 0 done, 1 risk above the limit, 2 wrong command or file, 3 program error.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from sklearn_reclink import __version__

        typer.echo(f"reclink {__version__}")
        raise typer.Exit


@app.callback()
def _reclink(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command("audit")
def audit_command(
    original: Original,
    masked: Annotated[
        Path, typer.Argument(metavar="MASKED", help="Its masked version, CSV or Parquet.")
    ],
    id_column: Id = None,
    columns: Columns = None,
    decimal: Decimal = ".",
    report: ReportPath = None,
    json_path: JsonPath = None,
    records: Annotated[
        Path | None,
        typer.Option(
            "--records",
            metavar="FILE.csv",
            help="Where to list the records at risk; by default beside the report.",
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    fail_above: FailAbove = None,
    include_values: Annotated[
        bool,
        typer.Option(
            "--include-values", help="Show values of records at risk in the report and the list."
        ),
    ] = False,
    attackers: Attackers = None,
    n_jobs: Jobs = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Audit a masked file: who would be found again, how surely, and what to protect."""
    from sklearn_reclink.auditing import audit
    from sklearn_reclink.auditing.files import read_pair

    check_folders(report, json_path, records)
    pair = read_pair(
        original, masked, id_column=id_column, columns=split_names(columns), decimal=decimal
    )
    with progress_bar(quiet) as progress:
        found = audit(
            pair.original,
            pair.masked,
            ids=pair.ids,
            masked_name=masked.name,
            attackers=split_names(attackers),
            time_limit=time_limit,
            limit=fail_above,
            n_jobs=n_jobs,
            random_state=seed,
            progress=progress,
        )
        page = None if report is None else found.to_html(include_values=include_values)
    complain(found.notes)
    if not quiet:
        typer.echo(found.to_text())
    if records is None and report is not None:
        records = report.with_name(f"{report.stem}-records.csv")
    written = []
    if report is not None and page is not None:
        written.append(write(report, page))
    if records is not None:
        values = found.values() if include_values else None
        written.append(write(records, found.records.to_csv(values=values)))
    if json_path is not None:
        written.append(write(json_path, as_json(found.to_dict())))
    end(written, quiet, found.above_limit)


@app.command("compare")
def compare_command(
    original: Original,
    masked: Annotated[
        list[Path], typer.Argument(metavar="MASKED", help="Masked versions, CSV or Parquet.")
    ],
    id_column: Id = None,
    columns: Columns = None,
    decimal: Decimal = ".",
    report: ReportPath = None,
    json_path: JsonPath = None,
    time_limit: TimeLimit = 60.0,
    fail_above: FailAbove = None,
    attackers: Attackers = None,
    n_jobs: Jobs = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Audit several masked versions of a file and set risk against information loss."""
    from sklearn_reclink.auditing import compare
    from sklearn_reclink.auditing.files import FileProblem, read_pair

    check_folders(report, json_path)
    names = [path.name for path in masked]
    if len(set(names)) < len(names):
        names = [str(path) for path in masked]
    if len(set(names)) < len(names):
        raise FileProblem("a masked file is given twice")
    pairs = [
        read_pair(
            original, path, id_column=id_column, columns=split_names(columns), decimal=decimal
        )
        for path in masked
    ]
    with progress_bar(quiet) as progress:
        found = compare(
            pairs[0].original,
            {name: pair.masked for name, pair in zip(names, pairs, strict=True)},
            ids=pairs[0].ids,
            attackers=split_names(attackers),
            time_limit=time_limit,
            limit=fail_above,
            n_jobs=n_jobs,
            random_state=seed,
            progress=progress,
        )
        page = None if report is None else found.to_html()
    complain([note for one in found.audits for note in one.notes])
    if not quiet:
        typer.echo(found.to_text())
    written = []
    if report is not None and page is not None:
        written.append(write(report, page))
    if json_path is not None:
        written.append(write(json_path, as_json(found.to_dict())))
    end(written, quiet, found.above_limit)


@app.command("mask")
def mask_command(
    original: Original,
    output: Annotated[
        Path,
        typer.Argument(metavar="OUTPUT", help="Where to write the masked file, CSV or Parquet."),
    ],
    method: Annotated[
        str, typer.Option(help="microaggregation, univariate, rank-swapping, noise or jpeg.")
    ] = "microaggregation",
    strength: Annotated[
        float | None,
        typer.Option(
            help="Records to a group (microaggregation, univariate), percent (rank-swapping, "
            "noise) or quality from 1 to 100 (jpeg); by default that of the method."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="A,B;C,D",
            help="Variables microaggregated together, groups parted by semicolons; by default one.",
        ),
    ] = None,
    keep_integers: Annotated[
        bool, typer.Option("--keep-integers", help="Whole numbers stay whole.")
    ] = False,
    id_column: Id = None,
    columns: Columns = None,
    decimal: Decimal = ".",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Mask a file; columns that are not masked are left out, but for the id."""
    from sklearn_reclink.auditing.masks import mask_file

    check_folders(output)
    masked, left_out = mask_file(
        original,
        method=method,
        strength=strength,
        groups=[part.split(",") for part in groups.split(";")] if groups else None,
        keep_integers=keep_integers,
        id_column=id_column,
        columns=split_names(columns),
        decimal=decimal,
        seed=seed,
    )
    if output.suffix.lower() in (".parquet", ".pq"):
        masked.to_parquet(output, index=False)
    else:
        write(output, masked.to_csv(index=False))
    if left_out:
        complain([f"left out, as not masked: {', '.join(left_out)}"])
    if not quiet:
        typer.echo(f"{len(masked):,} records masked: {output}")


@app.command("demo")
def demo_command(
    output: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Where to write the report.")
    ] = None,
) -> None:
    """Mask 442 patients in several strengths and count who can be found again."""
    from sklearn_reclink import demo

    raise typer.Exit(demo.main([] if output is None else ["--output", str(output)]))
