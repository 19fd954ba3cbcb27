"""What commands write: progress and complaints to standard error, results to files."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from sklearn_reclink.auditing.pacing import Progress

RISK_ABOVE_LIMIT = 1


def complain(notes: Iterable[str]) -> None:
    """Say on standard error what should be looked at."""
    for note in notes:
        typer.echo(f"reclink: note: {note}", err=True)


def split_names(names: list[str] | None) -> list[str] | None:
    """Names parted by commas, in one option or several; a name with a comma is quoted."""
    if not names:
        return None
    return [name.strip() for part in csv.reader(names) for name in part if name.strip()]


def check_folders(*paths: Path | None) -> None:
    """Find out before a long audit that its result has nowhere to go."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise FileNotFoundError(2, "the folder to write to does not exist", str(path.parent))


def write(path: Path, text: str) -> Path:
    """Write a text and give back where it is."""
    path.write_text(text, encoding="utf-8")
    return path


def as_json(data: dict[str, Any]) -> str:
    """Data as JSON in lines."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def end(written: list[Path], quiet: bool, above_limit: bool) -> None:
    """Name what was written, and end with the exit code of a risk above the limit."""
    if written and not quiet:
        typer.echo("\nWritten: " + ", ".join(map(str, written)))
    if above_limit:
        raise typer.Exit(RISK_ABOVE_LIMIT)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error, where that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield _step(bar, task)


def _step(bar: Any, task: Any) -> Callable[[str, int, int], None]:
    def step(what: str, done: int, total: int) -> None:
        bar.update(task, description=f"{what:<36.36}", completed=done, total=total)

    return step
