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
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, HeldOut
from sklearn_reclink.auditing.writing import harmless

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
    unseen : ndarray of int of shape (n_at_risk,)
        How many attackers find each without having learned from it.
    margin : ndarray of shape (n_at_risk,)
        Largest relative margin to the runner-up.
    """

    rows: np.ndarray
    ids: list[str] | None
    found_by: list[tuple[str, ...]]
    unseen: np.ndarray
    margin: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """What is known of each record, by name."""
        ids = {} if self.ids is None else {"id": self.ids}
        return {
            "row": (self.rows + 1).tolist(),
            **ids,
            "found_by": [len(names) for names in self.found_by],
            "found_unseen_by": self.unseen.tolist(),
            "margin": self.margin.round(4).tolist(),
            "attackers": [" ".join(names) for names in self.found_by],
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per record, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def to_csv(self, values: dict[str, np.ndarray] | None = None) -> str:
        """The list as CSV, texts made harmless to spreadsheets.

        Parameters
        ----------
        values : dict of str to ndarray of shape (n_records,), default=None
            More columns, of all records of the file.

        Returns
        -------
        str
        """
        more = {name: column[self.rows].tolist() for name, column in (values or {}).items()}
        columns = self.columns() | more
        if self.ids is not None:
            columns["id"] = [harmless(one) for one in self.ids]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        header = [harmless(name) for name in columns]
        writer.writerows([header, *zip(*columns.values(), strict=True)])
        return text.getvalue()


def records_at_risk(
    attacks: Sequence[Attack], estimates: Sequence[HeldOut], ids: Sequence[str] | None
) -> RecordsAtRisk:
    """Collect who is found by whom."""
    found = np.array([one.reidentified for one in attacks])  # (n_attackers, n_records)
    unseen = np.zeros(found.shape[1], dtype=int)
    for estimate in estimates:
        unseen[estimate.rows] += estimate.reidentified
    margin = np.fmax.reduce([one.margin for one in attacks])
    count = found.sum(axis=0)
    at_risk = np.flatnonzero((count > 0) | (unseen > 0))
    rows = at_risk[np.lexsort([at_risk, -margin[at_risk], -unseen[at_risk], -count[at_risk]])]
    names = np.array([one.attacker.name for one in attacks])
    return RecordsAtRisk(
        rows=rows,
        ids=None if ids is None else [str(ids[row]) for row in rows],
        found_by=[tuple(names[found[:, row]].tolist()) for row in rows],
        unseen=unseen[rows],
        margin=margin[rows],
    )
