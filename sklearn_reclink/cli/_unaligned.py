"""Reading and auditing a release whose rows belong to nobody, perhaps with a holdout.

The files may differ in length. The columns that all of them have are used, each of the same kind in
all. An id names the originals in the list of records, and nothing is matched by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _tables as tables
from sklearn_reclink.cli._reading import (
    Selection,
    check_different,
    common_columns,
    ids_of,
    interpret,
)
from sklearn_reclink.cli._tables import FileProblem

TOO_MANY = 0.05  # of the people of a holdout

if TYPE_CHECKING:
    import pandas as pd

    from sklearn_reclink.auditing import UnalignedAudit


class Release(NamedTuple):
    """An original file, a release and a holdout, none aligned with another.

    Attributes
    ----------
    original, release : DataFrame
        The files, with the same columns.
    holdout : DataFrame or None
        People whom the release was not made from.
    name : str
        What the release is called.
    ids : list of str or None
        Who the originals are.
    notes : list of str
        What the user should check.
    paths : sequence of Path
        The files on disk, in that order.
    left_out : tuple of str
        Variables that all files have and that were not asked for.
    """

    original: pd.DataFrame
    release: pd.DataFrame
    holdout: pd.DataFrame | None
    name: str
    ids: list[str] | None
    notes: list[str]
    paths: Sequence[Path]
    left_out: tuple[str, ...]


def read_release(paths: Sequence[Path], which: Selection, refused: Mapping[str, object]) -> Release:
    """Read an original, a release and perhaps a holdout; options without a meaning are refused."""
    for option, value in refused.items():
        if value:
            raise FileProblem(f"{option} has no meaning with --unaligned: leave it out")
    check_different(paths[0], paths[1], "a release made from it")
    for path in paths[2:]:
        check_different(paths[0], path, "a holdout of other people")
        check_different(paths[1], path, "a holdout of other people")
    read = [tables.load(path) for path in paths]
    names = [table.file for table in read]
    held = [which.variables(table.frame) for table in read]
    wanted = common_columns(held, names, which.columns)
    frames, to_check = interpret(read, wanted, which)
    notes = [*(note for table in read for note in table.notes), *to_check.values()]
    for name, variables in zip(names, held, strict=True):
        left_out = [one for one in variables if one not in wanted]
        if left_out and which.columns is None:
            notes.append(
                f"left out of {name}, because not all files have them: {', '.join(left_out)}"
            )
    ids = None if which.id_column is None else list(ids_of(read[0], which.id_column))
    holdout = frames[2] if len(frames) > 2 else None
    if ids is not None and holdout is not None:
        notes += _shared_ids(ids, read[2], str(which.id_column), names[0])
    in_all = [one for one in map(str, read[0].frame) if all(one in table.frame for table in read)]
    not_asked_for = tuple(one for one in in_all if one not in (which.id_column, *wanted))
    return Release(frames[0], frames[1], holdout, names[1], ids, notes, paths, not_asked_for)


def _shared_ids(ids: Sequence[str], holdout: tables.Table, column: str, original: str) -> list[str]:
    """A note if a few people of the holdout are in the original; many are refused."""
    if column not in holdout.frame:
        return []
    theirs = holdout.frame[column].dropna().map(lambda value: str(value).strip())
    n_both, n_all = len(set(theirs) & set(ids)), len(holdout.frame)
    if n_both <= TOO_MANY * n_all:
        few = f"{n_both:,} of the {n_all:,} ids of {holdout.file} are also in {original}: the "
        return [f"{few}holdout should hold other people"] if n_both else []
    raise FileProblem(
        f"{n_both:,} of the {n_all:,} records of {holdout.file} have a {column!r} that is also in "
        f"{original}: the holdout must hold other people, or the risk would come out too low. Give "
        f"people who are not in {original}, or leave out --id if {column!r} only numbers the rows "
        "of each file"
    )


def audit_release(
    files: Release,
    paths: Sequence[Path | None],
    *,
    quiet: bool,
    **asked: Any,
) -> tuple[UnalignedAudit, list[console.Output]]:
    """Audit the files, and print what to check; what to write to three paths, in their order.

    They are those of the report, of the records and of the JSON. What is asked are options of
    `audit`.
    """
    from sklearn_reclink.auditing import audit

    console.print_notes(files.notes)
    with console.progress_bar(quiet) as progress:
        found = audit(
            files.original,
            files.release,
            aligned=False,
            holdout=files.holdout,
            ids=files.ids,
            masked_name=files.name,
            left_out=files.left_out,
            progress=progress,
            **asked,
        )
    console.print_notes(found.notes)
    found = found.with_sources(*files.paths)
    makers = found.to_html, found.records_csv, partial(console.as_json, found)
    return found, list(zip(paths, makers, strict=True))
