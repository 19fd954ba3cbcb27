"""The links that an intruder claims, and how many of them are right: see `_linkage_curve`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink.metrics._files import check_share

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ClaimedLinks:
    """The links that an intruder claims, by threshold.

    Attributes
    ----------
    margin : {"difference", "relative"}
        The margin that the thresholds refer to.
    threshold : ndarray of shape (n_thresholds,)
        From high to low: infinity, where nothing is claimed, then the margins of the links. At the
        last one every strict link is claimed.
    recall : ndarray of shape (n_thresholds,)
        Share of the pairs that are re-identified and claimed.
    precision : ndarray of shape (n_thresholds,)
        Share of the claimed links that are right, NaN where nothing is claimed.
    n_claimed, n_right : ndarray of int of shape (n_thresholds,)
        Numbers of claimed links and of right ones.
    expected_number : ndarray of shape (n_thresholds,)
        Sum of the weights of the right claims. With sampling weights, it estimates how many people
        in the population would be re-identified in a release like this one; without weights it is
        ``n_right``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import linkage_curve
    >>> X, Y = np.array([[0.0, 3.0, 4.0, 9.0]]).T, np.array([[0.0, 3.5, 4.0, 9.0]]).T
    >>> claims = linkage_curve(
    ...     EuclideanLinker(standardize=None).fit(X, Y), X, Y, absent=[[3.9], [20.0]]
    ... ).unknown
    >>> claims.to_frame()[["threshold", "n_claimed", "n_right", "recall", "precision"]].round(2)
       threshold  n_claimed  n_right  recall  precision
    0        inf          0        0    0.00        NaN
    1       1.00          3        3    0.75       1.00
    2       0.88          4        3    0.75       0.75
    3       0.60          5        4    1.00       0.80
    4       0.36          6        4    1.00       0.67
    >>> claims.at_precision(0.9), claims.at_recall(0.9)
    (0.75, 0.8)
    """

    margin: str
    threshold: np.ndarray
    recall: np.ndarray
    precision: np.ndarray
    n_claimed: np.ndarray
    n_right: np.ndarray
    expected_number: np.ndarray

    def at_precision(self, precision: float) -> float:
        """Largest recall of an intruder whose claims have at least a given precision.

        The threshold is the best one in hindsight: with these margins, no intruder finds more.

        Parameters
        ----------
        precision : float
            From 0 to 1.

        Returns
        -------
        float
            0 if no threshold reaches the precision.
        """
        check_share("precision", precision)
        return float(np.max(self.recall[self.precision >= precision], initial=0.0))

    def at_recall(self, recall: float) -> float:
        """Largest precision of an intruder who re-identifies at least a given share of the pairs.

        Parameters
        ----------
        recall : float
            From 0 to 1.

        Returns
        -------
        float
            NaN if no threshold reaches the recall.
        """
        check_share("recall", recall)
        return float(np.fmax.reduce(self.precision[self.recall >= recall], initial=np.nan))

    @property
    def average_precision(self) -> float:
        """Mean precision over the recall, 0 for the part that is not reached."""
        return float(np.sum(np.diff(self.recall) * np.nan_to_num(self.precision[1:])))

    def to_frame(self) -> "pd.DataFrame":
        """One row per threshold, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame({name: value for name, value in vars(self).items() if name != "margin"})


@dataclass(frozen=True, eq=False)
class LinkageCurve:
    """Recall and precision of two intruders who claim only clear links.

    Attributes
    ----------
    known : ClaimedLinks
        Of an intruder who knows that the people sought are in the release, and so claims links of
        pairs only. This is called response knowledge.
    unknown : ClaimedLinks
        Of an intruder who does not know, and so also claims links of absent people, which are
        wrong.
    n_pairs, n_absent, pool_size : int
        Numbers of pairs, of absent people and of masked records searched.

    Examples
    --------
    A release holds 150 people. The intruder has a file of 200 people, and 100 are in both:

    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import linkage_curve
    >>> rng = np.random.default_rng(0)
    >>> people = rng.normal(size=(250, 3))
    >>> release = people[:150] + rng.normal(scale=0.1, size=(150, 3))
    >>> X, Y, absent = people[:100], release[:100], people[150:]
    >>> linker = EuclideanLinker().fit(X, Y, pool=release)
    >>> curve = linkage_curve(linker, X, Y, pool=release, absent=absent)
    >>> float(curve.known.recall[-1]), linker.score(X, Y, pool=release)
    (0.96, 0.96)
    >>> float(curve.known.precision[-1]), float(curve.unknown.precision[-1])
    (0.96, 0.48)
    >>> curve.known.at_precision(0.9), curve.unknown.at_precision(0.9)
    (0.96, 0.69)
    """

    known: ClaimedLinks
    unknown: ClaimedLinks
    n_pairs: int
    n_absent: int
    pool_size: int
