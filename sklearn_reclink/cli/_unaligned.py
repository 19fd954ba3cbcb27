"""Reading and auditing a release whose rows belong to nobody, perhaps with a holdout.

The files may differ in length. The columns that all of them have are used, each of the same kind in
all. An id names the originals in the list of records, and nothing is matched by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _tables as tables
from sklearn_reclink.cli._groups import Limits
from sklearn_reclink.cli._reading import (
    Selection,
    check_different,
    compare_columns,
    id_text,
    ids_of,
)
from sklearn_reclink.cli._tables import FileProblem

TOO_MANY = 0.05  # of the people of a holdout

if TYPE_CHECKING:
    from sklearn_reclink.auditing import UnalignedAudit


def audit_release(
    paths: Sequence[Path],
    which: Selection,
    refused: Mapping[str, object],
    asked: Mapping[str, Any],
    *,
    quiet: bool,
) -> UnalignedAudit:
    """Audit an original, a release and perhaps a holdout, and print what to check.

    Options without a meaning, by name, are refused if they have a value. What is asked are options
    of `audit`.
    """
    from sklearn_reclink.auditing import audit

    for option, value in refused.items():
        if value:
            raise FileProblem(f"{option} has no meaning with --unaligned: leave it out")
    check_different(paths[0], paths[1], "a release made from it")
    for path in paths[2:]:
        check_different(paths[0], path, "a holdout of other people")
        check_different(paths[1], path, "a holdout of other people")
    read = [tables.load(path) for path in paths]
    frames, notes, not_in_all, left_out = compare_columns(read, which)
    for name, some in not_in_all:
        notes.append(f"left out of {name}, because not all files have them: {', '.join(some)}")
    ids = None if which.id_column is None else list(ids_of(read[0], which.id_column))
    if ids is not None and len(read) > 2:
        notes += _shared_ids(ids, read[2], str(which.id_column), read[0].file)
    if asked["time_limit"] != Limits().time_limit:
        notes.append("--time-limit has no effect with --unaligned: nothing is searched")
    console.print_notes(notes)
    holdout = frames[2] if len(frames) > 2 else None
    files = {"masked_name": read[1].file, "holdout": holdout, "ids": ids, "left_out": left_out}
    with console.progress_bar(quiet) as progress:
        told = {**asked, **files, "aligned": False, "progress": progress}
        found = audit(frames[0], frames[1], **told)
    console.print_notes(found.notes)
    return found.with_sources(*paths)


def _shared_ids(ids: Sequence[str], holdout: tables.Table, column: str, original: str) -> list[str]:
    """A note if a few people of the holdout are in the original; many are refused."""
    if column not in holdout.frame:
        return []
    theirs = holdout.frame[column].dropna().map(id_text)
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
