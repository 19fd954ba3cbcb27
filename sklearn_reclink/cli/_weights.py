"""The column of sampling weights of a pair of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sklearn_reclink.cli._cells import NUMBERS, Cells, settle_decimals
from sklearn_reclink.cli._tables import FileProblem, Table, some
from sklearn_reclink.cli._variables import column_of
from sklearn_reclink.data.weights import check_weights

if TYPE_CHECKING:
    import pandas as pd

    from sklearn_reclink.cli._reading import Selection


def read_weights(read: Sequence[Table], which: Selection) -> tuple[int, pd.Series | None]:
    """Which of the files has the weights, the first if both, and the weights of all its rows."""
    import pandas as pd

    name = which.weight
    if name is None:
        return 0, None
    for option, names in (
        ("--id", [which.id_column]),
        ("--columns, --known or --secret", which.columns or ()),
        ("--nominal", which.nominal),
        ("--ordinal", which.ordinal),
    ):
        if name in names:
            raise FileProblem(
                f"--weight names {name!r}, which {option} names too: a weight is not a variable"
            )
    having = [number for number, table in enumerate(read) if name in table.frame]
    if not having:
        has = "; ".join(f"{table.file} has {some(list(map(str, table.frame)))}" for table in read)
        raise FileProblem(f"--weight names {name!r}, which is not a column of either file: {has}")
    table = read[having[0]]
    return having[0], pd.Series(_numbers(table, name, which), name=name)


def _numbers(table: Table, name: str, which: Selection) -> object:
    """The weights as numbers, refused by row and without their values."""
    cells = column_of(table, name)
    if isinstance(cells, Cells):
        together = [cells]
        if (cells.possible_decimal() or "").endswith("?"):  # as in the other columns
            others = (column_of(table, one) for one in which.variables(table.frame))
            together += [one for one in others if isinstance(one, Cells)]
        settle_decimals(together, table.separator, which.decimal)
    wrong = int(cells.missing.argmax()) + 1 if cells.missing.any() else None
    if wrong is None and isinstance(cells, Cells) and (texts := cells.not_numbers()):
        wrong = cells.row(texts)
    if wrong is not None:
        raise FileProblem(f"{cells.where} has no weight in row {wrong}: give every record a weight")
    if cells.held != NUMBERS:
        raise FileProblem(f"{cells.where} holds {cells.held}: weights must be numbers")
    values = cells.numbers() if isinstance(cells, Cells) else cells.values()
    return check_weights(values, len(table.frame), cells.where, first_row=1)
