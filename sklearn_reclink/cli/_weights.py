"""The column of sampling weights of a pair of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sklearn_reclink.cli._cells import NUMBERS, Cells, settle_decimals
from sklearn_reclink.cli._tables import FileProblem, Table, some
from sklearn_reclink.cli._variables import Typed, column_of
from sklearn_reclink.data.weights import check_weights

if TYPE_CHECKING:
    import pandas as pd

    from sklearn_reclink.cli._reading import Selection

_REMEDY = "give every record a weight, a number below 2^53"


def read_weights(read: Sequence[Table], which: Selection) -> tuple[int, pd.Series | None]:
    """Which of the files has the weights, the first if both, and the weights of all its rows."""
    import pandas as pd

    name = which.weight
    if name is None:
        return 0, None
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
    no_number = isinstance(cells, Typed) or len(cells.not_numbers()) == len(cells.distinct)
    if no_number and cells.held not in (NUMBERS, None):
        raise FileProblem(f"{cells.where} holds {cells.held}: weights must be numbers")
    if cells.missing.any():
        row = int(cells.missing.argmax()) + 1
        raise FileProblem(f"{cells.where} has no weight in row {row}: give every record a weight")
    values = cells.numbers(_REMEDY) if isinstance(cells, Cells) else cells.values()
    return check_weights(values, len(table.frame), cells.where, first_row=1)
