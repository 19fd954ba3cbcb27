"""What the user says of the files: columns, kinds, signs and roles, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sklearn_reclink.cli._tables import FileProblem, some

if TYPE_CHECKING:
    import pandas as pd

DAY_FIRST = {"day-first": True, "month-first": False}


class Selection(NamedTuple):
    """What to read of the files.

    Attributes
    ----------
    id_column : str or None, default=None
        Column that identifies records in all files; by default row i of each is the same record.
    columns : sequence of str or None, default=None
        Variables to use, by default those that all files have, except the id.
    decimal : str or None, default=None
        Decimal separator of CSV files, by default as the cells show.
    nominal : sequence of str, default=()
        Columns that hold categories whatever their cells look like.
    ordinal : mapping of str to (list of str or None), default={}
        Columns that hold ordered categories, and the levels of those that are no numbers.
    dates : {"day-first", "month-first"} or None, default=None
        The order in dates such as 01/02/2024, by default as the cells show.
    weight : str or None, default=None
        Column of sampling weights, which is not a variable.
    """

    id_column: str | None = None
    columns: Sequence[str] | None = None
    decimal: str | None = None
    nominal: Sequence[str] = ()
    ordinal: Mapping[str, list[str] | None] = {}
    dates: str | None = None
    weight: str | None = None

    def variables(self, table: pd.DataFrame) -> list[str]:
        """The columns of a table except the id and the weight."""
        return [name for name in table.columns if name not in (self.id_column, self.weight)]


def check_told(wanted: Sequence[str], which: Selection) -> None:
    """Refuse options that name columns that are not in use, or that contradict each other."""
    for option, names in (("--nominal", which.nominal), ("--ordinal", which.ordinal)):
        for name in names:
            if name not in wanted:
                raise FileProblem(
                    f"{option} names {name!r}, which is not among the columns in use: "
                    f"{some(wanted)}"
                )
    for name in set(which.nominal) & set(which.ordinal):
        raise FileProblem(f"{name!r} is in both --nominal and --ordinal: name it in one of them")
    check_decimal(which.decimal)
    if which.dates is not None and which.dates not in DAY_FIRST:
        raise FileProblem(f"--dates is day-first or month-first, not {which.dates!r}")


def check_decimal(sign: str | None) -> None:
    """Refuse a decimal separator that is neither a point nor a comma."""
    if sign not in (None, ".", ","):
        raise FileProblem(f"--decimal is a point or a comma, not {sign!r}")


def check_roles(
    which: Selection, secrets: Sequence[str] | None = None, known: Sequence[str] | None = None
) -> None:
    """Refuse a column with two roles: a weight, an id or a secret that is something else too."""
    for both in set(secrets or ()) & set(known or ()):
        raise FileProblem(f"{both!r} is in both --secret and --known: name it in one of them")
    variables = {
        "--secret": secrets or (),
        "--columns or --known": which.columns or (),
        "--nominal": which.nominal,
        "--ordinal": which.ordinal,
    }
    for own, name, what, others in (
        ("--weight", which.weight, "a weight", {"--id": [which.id_column], **variables}),
        ("--id", which.id_column, "an id", variables),
    ):
        for option, names in others.items():
            if name is not None and name in names:
                raise FileProblem(
                    f"{own} names {name!r}, which {option} names too: {what} is not a variable"
                )
