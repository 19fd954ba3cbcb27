"""What linking gives: links, distances, ties and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Links:
    """What an intruder finds for every original record.

    Attributes
    ----------
    links : ndarray of shape (n_records,)
        Row of the linked masked record, the lowest one among ties; -1 for none.
    distance : ndarray of shape (n_records,)
        Squared distance to the linked masked record, NaN where there is none.
    own_distance : ndarray of shape (n_records,)
        Squared distance to the record's own masked version.
    runner_up : ndarray of shape (n_records,)
        Squared distance to the nearest masked record other than the record's own.
    n_tied : ndarray of shape (n_records,)
        Number of masked records that could equally well be the link, 1 where there is no tie.
    reidentified : ndarray of bool of shape (n_records,)
        Whether the record's own masked version is the link, and no other could be.
    own_tied : ndarray of bool of shape (n_records,)
        Whether the record's own masked version is among those that could be the link.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> Y = np.array([[0.0], [1.5], [1.5], [9.0]])  # the middle two were averaged
    >>> found = EuclideanLinker().fit(X, Y).link(X, Y)
    >>> found.reidentified
    array([ True, False, False,  True])
    >>> found.rate, found.expected_rate
    (0.5, 0.75)
    """

    links: np.ndarray
    distance: np.ndarray
    own_distance: np.ndarray
    runner_up: np.ndarray
    n_tied: np.ndarray
    reidentified: np.ndarray
    own_tied: np.ndarray

    @property
    def n_linked(self) -> int:
        """Number of re-identified records."""
        return int(np.count_nonzero(self.reidentified))

    @property
    def rate(self) -> float:
        """Share of records re-identified; a tie is not a re-identification."""
        return self.n_linked / len(self.links)

    @property
    def chance(self) -> np.ndarray:
        """Chance of each record to be found by picking at random among ties, (n_records,)."""
        return np.asarray(self.own_tied / self.n_tied)

    @property
    def expected_rate(self) -> float:
        """Rate expected of an intruder who picks at random among the tied records."""
        return float(np.mean(self.chance))

    def to_frame(self) -> pd.DataFrame:
        """One row per record, as a pandas DataFrame."""
        import pandas as pd

        columns = ("distance", "own_distance", "runner_up", "n_tied", "reidentified")
        return pd.DataFrame(
            {"link": self.links, **{column: getattr(self, column) for column in columns}}
        )
