"""What commands write: progress and notes to standard error, results to files."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer

from sklearn_reclink import auditing
from sklearn_reclink.auditing.formatting import Unit
from sklearn_reclink.auditing.writing import write_files
from sklearn_reclink.cli._groups import Pages, Reading, Run
from sklearn_reclink.cli._reading import FilePair, Selection

RISK_ABOVE_LIMIT = 1
NOT_COMPLETED = 2
UNSETTLED = (
    "not every attacker was tried, so the risk is not shown to be within the limit: give a longer "
    "--time-limit, or name with --attackers only those that must be tried"
)

Progress = Callable[[str, int, int], None]  # what is being done, steps done, all steps
Result = auditing.Audit | auditing.Comparison | auditing.Protection | auditing.UnalignedAudit
Output = tuple[Path | None, Callable[[], str | bytes]]  # where to write, and how to make it


def print_notes(notes: Iterable[str]) -> None:
    """Print on standard error what the user should check."""
    for note in notes:
        typer.echo(f"reclink: note: {note}", err=True)


def split_names(names: list[str] | None) -> list[str] | None:
    """Names separated by commas, in one option or several; a name with a comma is quoted."""
    if not names:
        return None
    try:
        found = [name.strip() for part in csv.reader(names) for name in part if name.strip()]
    except csv.Error as error:
        raise ValueError(
            "a list of names has a line break: put double quotes around a name that holds one"
        ) from error
    if not found:
        raise ValueError(
            f"{','.join(names)!r} names nothing: separate names by commas, such as age,income"
        )
    return found


def split_levels(names: list[str] | None) -> dict[str, list[str] | None]:
    """Names as in `split_names`, each with its levels in order if it has some: ``size=s<m<l``."""
    found: dict[str, list[str] | None] = {}
    for name in split_names(names) or ():
        column, is_given, levels = name.partition("=")
        given = [one.strip() for one in levels.split("<")] if is_given else None
        if given is not None and not all(given):
            raise ValueError(
                f"--ordinal gives {column.strip()!r} an empty level: write all levels, as in "
                f"'{column.strip()}=low<middle<high'"
            )
        found[column.strip()] = given
    return found


def selection(read: Reading, weight: str | None = None) -> Selection:
    """What to read, as the options say."""
    categories = split_names(read.nominal) or (), split_levels(read.ordinal)
    columns = split_names(read.columns)
    return Selection(read.id_column, columns, read.decimal, *categories, read.dates, weight)


def print_read(pair: FilePair, unit: str, *, quiet: bool) -> None:
    """Print what was read of two files, if not all of it is numbers of the same people."""
    print_notes(pair.notes)
    plain = all(
        one.kind == "numeric" and not one.missing_original and not one.missing_masked
        for one in pair.columns
    )
    if not quiet and not (plain and pair.pool is None and pair.absent is None):
        typer.echo(what_was_read(pair, unit), err=True)


def what_was_read(pair: FilePair, unit: str = "people") -> str:
    """What was read of two files, as a table, and how many units are in both."""
    header = ("column", "kind", "levels", "missing, original", "masked", "note")
    rows = [
        (
            one.name,
            one.kind,
            "" if one.n_levels is None else f"{one.n_levels:,}",
            f"{one.missing_original:.1%}",
            f"{one.missing_masked:.1%}",
            one.note,
        )
        for one in pair.columns
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, tuple("-" * width for width in widths), *rows)
    ]
    noun = Unit.of(unit)
    counts = [f"{noun.count(len(pair.original))} {_are(pair.original)} in both files"]
    if pair.pool is not None:
        records = f"{len(pair.pool):,} masked record{'s' * (len(pair.pool) != 1)}"
        counts.append(f"{records} {_are(pair.pool)} not in the original file")
    if pair.absent is not None:
        people = noun.count(len(pair.absent))
        counts.append(f"{people} of the original file {_are(pair.absent)} not in the masked file")
    return "\n".join([*lines, f"{'; '.join(counts)}."])


def _are(table: Sized) -> str:
    return "is" if len(table) == 1 else "are"


@contextmanager
def plain_refusal(id_column: str | None) -> Iterator[None]:
    """Say in the words of the command line that the rows of two files look unrelated."""
    try:
        yield
    except auditing.UnrelatedRowsError:
        matched = "in the same order" if id_column is None else f"matched by {id_column!r}"
        remedy = "Sort both files in the same way, or name the id column with --id. "
        if id_column is not None:
            remedy = "Check that both files use the same ids. "
        raise ValueError(
            "the files are not audited, because their rows look unrelated. They were taken to be "
            f"{matched}, but row by row they resemble each other no more than by chance, so any "
            f"risk would be far too low. {remedy}If the rows are not meant to belong "
            "together, pass --unaligned. If they do, and masking removed every resemblance, pass "
            "--trust-order"
        ) from None


def _as_json(found: Result) -> str:
    """All numbers as indented JSON."""
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def pages_of(found: Result, pages: Pages, *lists: Output, **options: Any) -> list[Output]:
    """The report, made with these options, the lists and the JSON of a result."""
    report = pages.report, partial(found.to_html, **options)
    return [report, *lists, (pages.json_path, partial(_as_json, found))]


def finish(
    found: Result, outputs: Sequence[Output], run: Run, *, unsettled: str = UNSETTLED
) -> None:
    """Print the result, write the files asked for, and exit with 1 unless the limit is met."""
    made = {path: make() for path, make in outputs if path is not None}
    if not run.quiet:
        typer.echo(found.to_text())
    write_files(made, overwrite=run.force)
    if made and not run.quiet:
        typer.echo("\nWritten: " + ", ".join(map(str, made)))
    if found.above_limit:
        raise typer.Exit(RISK_ABOVE_LIMIT)
    if found.unsettled:
        print_notes([unsettled])
        raise typer.Exit(RISK_ABOVE_LIMIT)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def step(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{what:<36.36}", completed=done, total=total)

        yield step
