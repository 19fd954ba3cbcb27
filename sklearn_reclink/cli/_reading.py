"""Reading a pair of files for an audit: columns by name, rows by id or order.

The columns that both files have are used, and each has the same kind in both: numbers and dates are
numeric, text and bools nominal, unless the options or the types of the file say otherwise. People
whose id stands in both files are pairs; records of others are the pool of impostors (masked file)
or absent (original file). Every problem is a `FileProblem` whose one sentence names the file, the
column or row, and the remedy, but no value of any record. Rows are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink.auditing.writing import as_written
from sklearn_reclink.cli import _tables as tables
from sklearn_reclink.cli._cells import MISSING, Cells, settle_decimals
from sklearn_reclink.cli._selection import DAY_FIRST, check_told
from sklearn_reclink.cli._selection import Selection as Selection
from sklearn_reclink.cli._selection import check_decimal as check_decimal
from sklearn_reclink.cli._selection import check_roles as check_roles
from sklearn_reclink.cli._tables import FileProblem as FileProblem
from sklearn_reclink.cli._variables import (
    ReadColumn,
    Told,
    column_of,
    describe,
    holds_cells,
    note_on,
    read_weights,
    same_type,
)

if TYPE_CHECKING:
    import pandas as pd

_ZEROS = re.compile(r"^0+(?=\d)|\.0+$")


class FilePair(NamedTuple):
    """An original file and its masked version, aligned, and what else the files hold.

    Attributes
    ----------
    original, masked : DataFrame of shape (n_pairs, n_features)
        The people of both files; row i of both is the same person.
    ids : list of str or None
        Who they are.
    pool : DataFrame or None
        Masked records of people who are not in the original file.
    absent : DataFrame or None
        Original records of people who are not in the masked file.
    columns : list of ReadColumn
        What was read.
    notes : list of str
        What the user should check.
    left_out : tuple of str
        Variables that both files have and that were not asked for.
    weights : Series or None
        Sampling weights of the people of both files.
    """

    original: pd.DataFrame
    masked: pd.DataFrame
    ids: list[str] | None
    pool: pd.DataFrame | None
    absent: pd.DataFrame | None
    columns: list[ReadColumn]
    notes: list[str]
    left_out: tuple[str, ...] = ()
    weights: pd.Series | None = None

    @property
    def whole(self) -> pd.DataFrame | None:
        """The whole masked file, those of the pairs first; None if it holds no others."""
        import pandas as pd

        return None if self.pool is None else pd.concat([self.masked, self.pool], ignore_index=True)


class Together(NamedTuple):
    """The variables of several files.

    Attributes
    ----------
    frames : list of DataFrame
        The variables that are used, each of one type in all files.
    notes : list of str
        What the user should check.
    not_in_all : list of (str, list of str)
        By file, the variables that are left out since another file lacks them.
    left_out : tuple of str
        Variables that all files have and that were not asked for.
    """

    frames: list[pd.DataFrame]
    notes: list[str]
    not_in_all: list[tuple[str, list[str]]]
    left_out: tuple[str, ...]


def read_pair(original: Path, masked: Path, which: Selection) -> FilePair:
    """Read an original file and its masked version, and align them."""
    read = [tables.load(path) for path in (original, masked)]
    names, sizes = [table.file for table in read], [len(table.frame) for table in read]
    if which.id_column is None and sizes[0] != sizes[1]:
        raise FileProblem(
            f"{names[0]} has {sizes[0]:,} records and {names[1]} has {sizes[1]:,}: without "
            "--id, which names the column that identifies records, the rows must match one by one"
        )
    ids = [] if which.id_column is None else [ids_of(table, which.id_column) for table in read]
    check_roles(which)
    source, weights = read_weights(read, which)
    together = compare_columns(read, which)
    first, second = together.frames
    described, notes, left_out = describe(first, second), together.notes, together.left_out
    for name, some in together.not_in_all:
        it = "it" if len(some) == 1 else "them"
        notes.append(f"left out, because only {name} has {it}: {', '.join(some)}")
    if not ids:
        return FilePair(first, second, None, None, None, described, notes, left_out, weights)
    mine, other = ids
    both = [one for one in mine if one in other]
    notes += _hint(mine, other, both, names)
    pool = [row for one, row in other.items() if one not in mine]
    absent = [row for one, row in mine.items() if one not in other]
    return FilePair(
        _rows(first, [mine[one] for one in both]),
        _rows(second, [other[one] for one in both]),
        both,
        _rows(second, pool) if pool else None,
        _rows(first, absent) if absent else None,
        described,
        notes,
        left_out,
        None if weights is None else _rows(weights, [ids[source][one] for one in both]),
    )


def compare_columns(read: Sequence[tables.Table], which: Selection) -> Together:
    """The variables of several files, each of one type in all of them; rows stay in order."""
    wanted = _common_columns(read, which)
    frames, to_check = _interpret(read, wanted, which)
    notes = [*(note for table in read for note in table.notes), *to_check.values()]
    others = [
        (table.file, [one for one in which.variables(table.frame) if one not in wanted])
        for table in read
    ]
    not_in_all = [(file, some) for file, some in others if some and which.columns is None]
    in_all = [one for one in map(str, read[0].frame) if all(one in table.frame for table in read)]
    left_out = tuple(one for one in in_all if one not in (which.id_column, *wanted))
    return Together(frames, notes, not_in_all, left_out)


def check_columns(pairs: Mapping[str, FilePair]) -> None:
    """Refuse masked files, by name, that do not share the same columns with the original."""
    in_some = dict.fromkeys(str(name) for pair in pairs.values() for name in pair.original)
    for file, pair in pairs.items():
        lacking = [name for name in in_some if name not in pair.original]
        if lacking:
            raise FileProblem(
                f"{file} lacks {tables.some(lacking)}, which another masked file has: name with "
                "--columns those that all files have"
            )


def check_different(first: Path, other: Path, wanted: str = "its masked version") -> None:
    """Refuse one file in two roles; a copy of a file is judged by what it holds."""
    if first.exists() and other.exists() and first.samefile(other):
        raise FileProblem(f"{other} and {first} are one file: give {wanted} in place of the second")


def read_table(
    path: Path, which: Selection, needed: Sequence[str] | None = None
) -> tuple[pd.DataFrame, dict[str, str], pd.DataFrame]:
    """Read one file: the columns asked for by their kind, the others and the id as text.

    Also what the user should check, by column, and the cells of columns of text. A column that
    holds lists or the like is left as it is if others are needed.
    """
    table = tables.load(path)
    wanted = _common_columns([table], which)
    if needed is not None:
        wanted = [name for name in wanted if name in needed or _is_readable(table, name)]
    (found,), to_check = _interpret([table], wanted, which)
    read = table.frame.assign(**found)
    if which.id_column is not None:
        read[which.id_column] = list(ids_of(table, which.id_column))
    return read, to_check, table.frame[[name for name in wanted if holds_cells(table, name)]]


def _is_readable(table: tables.Table, name: str) -> bool:
    try:
        column_of(table, name)
    except FileProblem:
        return False
    return True


def _common_columns(read: Sequence[tables.Table], which: Selection) -> list[str]:
    """The columns asked for, which all files must have; by default those that all of them have."""
    held = [(table.file, which.variables(table.frame)) for table in read]
    wanted = [name for name in held[0][1] if all(name in names for _, names in held)]
    if which.columns is not None:
        wanted = list(dict.fromkeys(which.columns))
    for file, names in held:
        lacking = [name for name in wanted if name not in names]
        if lacking:
            some = f"the column{'s' * (len(lacking) != 1)} {tables.some(lacking)}"
            raise FileProblem(f"{file} lacks {some}; it has {tables.some(names)}")
    if not any(names for _, names in held):
        raise FileProblem("there is no column to use: the files contain only ids")
    if not wanted:
        has = ", ".join(f"{file} has {tables.some(names)}" for file, names in held)
        raise FileProblem(f"the files have no column in common: {has}")
    return wanted


def _interpret(
    read: Sequence[tables.Table], wanted: Sequence[str], which: Selection
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """The columns of each file, of the same type in all, and what to check, by column."""
    import pandas as pd

    check_told(wanted, which)
    columns = [{name: column_of(table, name) for name in wanted} for table in read]
    for table, mine in zip(read, columns, strict=True):
        raw = [one for one in mine.values() if isinstance(one, Cells)]
        settle_decimals(raw, table.separator, which.decimal)
    days = None if which.dates is None else DAY_FIRST[which.dates]
    found: dict[str, list[Any]] = {}
    notes: dict[str, str] = {}
    for name in wanted:
        levels = which.ordinal.get(name)
        told = Told(name in which.nominal, name in which.ordinal, levels, days)
        in_all = [mine[name] for mine in columns]
        found[name] = same_type(in_all, told)
        note = note_on(in_all, isinstance(found[name][0], pd.Categorical))
        if note is not None:
            notes[name] = note
    by_file = [{name: one[place] for name, one in found.items()} for place in range(len(read))]
    return list(map(pd.DataFrame, by_file)), notes


def ids_of(table: tables.Table, id_column: str) -> dict[str, int]:
    """The ids of a file as written, and the row of each."""
    file = table.file
    if id_column not in table.frame:
        remedy = ": it is the index, so save it as a column, as reset_index() of pandas makes it"
        raise FileProblem(
            f"{file} has no column {id_column!r} to identify its records"
            f"{remedy if id_column in table.indexed_by else ''}; its columns are "
            f"{tables.some(list(map(str, table.frame.columns)))}"
        )
    column = table.frame[id_column]
    found: dict[str, int] = {}
    for row, (value, missing) in enumerate(zip(column.tolist(), column.isna(), strict=True)):
        text = id_text(value)
        if missing or text.lower() in MISSING:
            raise FileProblem(
                f"row {row + 1} of {file} has no {id_column!r}: give every record an id"
            )
        if found.setdefault(text, row) != row:
            raise FileProblem(
                f"rows {found[text] + 1} and {row + 1} of {file} have the same {id_column!r}: "
                "every record must have its own id"
            )
    return found


def id_text(value: Any) -> str:
    """An id as it was before a quote made it harmless to spreadsheets."""
    text = str(value).strip()
    return as_written(text) if "'" in text else text


def _hint(
    mine: dict[str, int], other: dict[str, int], both: list[str], files: list[str]
) -> list[str]:
    """Say if more ids would agree without leading zeros or decimals; too few pairs are refused."""
    bare = [{_ZEROS.sub("", one) for one in ids} for ids in (mine, other)]
    n_more = len(bare[0] & bare[1]) - len(both)
    hint = (
        f"{n_more:,} more ids of {files[0]} would be in {files[1]} without leading zeros or a "
        "final '.0': write the ids in the same way in both files"
    )
    if len(both) < 2:
        number = f"{len(both)} id{'s are' if len(both) != 1 else ' is'}"
        raise FileProblem(
            f"{number} in both {files[0]} and {files[1]}, but at least 2 are needed"
            f"{'; ' + hint if n_more > 0 else ''}"
        )
    return [hint] if n_more > 0 else []


def _rows(table: Any, rows: Sequence[int]) -> Any:
    return table.iloc[list(rows)].reset_index(drop=True)
