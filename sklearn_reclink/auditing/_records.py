"""Which records are at risk, by row or by id, and how clearly.

A record is at risk if at least one attacker finds it: in the whole file, or among those it had
not seen. Records that more attackers find come first, then those with a larger *margin*: of all
attackers, the largest relative margin of the own masked record over the nearest other, 1 if nothing
else is near. Rows are numbered from 1, the first record of the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack
from sklearn_reclink.auditing._held_out import HeldOut

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class RecordsAtRisk:
    """Records found by at least one attacker, those at the highest risk first.

    Attributes
    ----------
    rows : ndarray of int of shape (n_at_risk,)
        Positions in the file, from 0.
    ids : list of str or None
        Their ids, if the file has any.
    found_by : list of tuple of str
        Names of the attackers that find each in the whole file.
    n_attackers : int
        Number of attackers that tried.
    unseen : ndarray of int of shape (n_at_risk,)
        How many attackers find each without having learned from it.
    margin : ndarray of shape (n_at_risk,)
        Largest relative margin to the runner-up.
    """

    rows: np.ndarray
    ids: list[str] | None
    found_by: list[tuple[str, ...]]
    n_attackers: int
    unseen: np.ndarray
    margin: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> list[str]:
        """Names of what `table` lists."""
        first = ["row"] if self.ids is None else ["row", "id"]
        return [*first, "found_by", "found_unseen_by", "margin", "attackers"]

    def table(self, most: int | None = None) -> list[list[Any]]:
        """One list per record, in the order of `columns`."""
        lines = []
        for i, row in enumerate(self.rows[:most]):
            first = [int(row) + 1] if self.ids is None else [int(row) + 1, self.ids[i]]
            found = self.found_by[i]
            margin = round(float(self.margin[i]), 4)
            lines.append([*first, len(found), int(self.unseen[i]), margin, " ".join(found)])
        return lines

    def to_frame(self) -> pd.DataFrame:
        """One row per record, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.table(), columns=self.columns)

    def to_csv(
        self, path: str | Path | None = None, values: dict[str, np.ndarray] | None = None
    ) -> str:
        """The list as CSV, written to a path if one is given.

        Parameters
        ----------
        path : str or Path, default=None
            Where to write.
        values : dict of str to ndarray of shape (n_records,), default=None
            More columns, of all records of the file.

        Returns
        -------
        str
        """
        more = values or {}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, *more])
        for line, row in zip(self.table(), self.rows, strict=True):
            writer.writerow([*line, *(column[row] for column in more.values())])
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()


def records_at_risk(
    attacks: Sequence[Attack], estimates: Sequence[HeldOut], ids: Sequence[str] | None
) -> RecordsAtRisk:
    """Collect who is found by whom."""
    n_records = len(attacks[0].reidentified)
    found = np.array([one.reidentified for one in attacks])  # (n_attackers, n_records)
    unseen = np.zeros(n_records, dtype=int)
    for estimate in estimates:
        unseen[estimate.rows[estimate.found]] += 1
    margin = np.fmax.reduce([one.margin for one in attacks])
    count = found.sum(axis=0)
    at_risk = np.flatnonzero((count > 0) | (unseen > 0))
    rows = at_risk[np.lexsort([at_risk, -margin[at_risk], -unseen[at_risk], -count[at_risk]])]
    names = [one.attacker.name for one in attacks]
    return RecordsAtRisk(
        rows=rows,
        ids=None if ids is None else [str(ids[row]) for row in rows],
        found_by=[tuple(n for n, f in zip(names, found[:, row], strict=True) if f) for row in rows],
        n_attackers=len(attacks),
        unseen=unseen[rows],
        margin=margin[rows],
    )
