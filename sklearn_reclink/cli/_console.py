"""What commands write: progress and notes to standard error, results to files."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sklearn_reclink.auditing import Audit, Comparison

RISK_ABOVE_LIMIT = 1

Progress = Callable[[str, int, int], None]  # what is being done, steps done, all steps
Output = tuple[Path | None, Callable[[], str]]  # where to write, and how to make the text


def print_notes(notes: Iterable[str]) -> None:
    """Print on standard error what the user should check."""
    for note in notes:
        typer.echo(f"reclink: note: {note}", err=True)


def split_names(names: list[str] | None) -> list[str] | None:
    """Names separated by commas, in one option or several; a name with a comma is quoted."""
    if not names:
        return None
    return [name.strip() for part in csv.reader(names) for name in part if name.strip()]


def as_json(found: Audit | Comparison) -> str:
    """All numbers as indented JSON."""
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def finish(
    found: Audit | Comparison, outputs: Sequence[Output], *, quiet: bool, force: bool
) -> None:
    """Print the result, write the files asked for, and exit with 1 if the risk is too high."""
    from sklearn_reclink.auditing.writing import write_files

    made = {path: make() for path, make in outputs if path is not None}
    if not quiet:
        typer.echo(found.to_text())
    write_files(made, overwrite=force)
    if made and not quiet:
        typer.echo("\nWritten: " + ", ".join(map(str, made)))
    if found.above_limit:
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
