"""Maskings tried in a search, and what is proven of each without any attack.

*Equal rows.* An attacker reads the released rows; it cannot tell equal ones apart. Let ``c`` run
over the sets of equal rows of a release of N records, ``n_c`` of them in a set. Whoever links
record i of set c to that set, and guesses in it, is right with probability ``1 / n_c``, so
whatever the attacker knows and however it links, it finds on average at most::

    sum over c of  n_c * 1 / n_c  =  number of different rows

people. It singles out at most those whose row is unique, which is no more. So the share of
different rows bounds the larger of the strict and the expected rate of *every* attacker.

*Monotone distances.* The expected ceiling (`sklearn_reclink.metrics.linkage_ceiling`) bounds the
same rate of every weighted mean, OWA and Choquet distance, in three standardisations.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from sklearn_reclink._docstrings import fill_in
from sklearn_reclink.masking.columns import Table, frame_of

ROUNDING = 1e-9  # of a share
NOT_TRIED = "not tried: others lose less"
REJECTED = "rejected"
PASSED = "not refuted"
REFUTED = "refuted by the audit"
OUT_OF_TIME = "not audited: the time limit ended"
UNSETTLED = "not settled: not every attacker was tried"
LEFT_OPEN = (UNSETTLED, OUT_OF_TIME)
CONFIRMED = "confirmed by the audit"
UNPROVEN = "not proven"
PROVEN = "proven"
_PLACE = {
    "place": """\
Parameters
----------
place : int
    The place among the strengths, from 0."""
}


@fill_in(_PLACE)
@dataclass(frozen=True, eq=False)
class MaskerFamily:
    """A masker and strengths of one of its parameters.

    Attributes
    ----------
    name : str
        What it is called.
    masker : transformer
        The masker; a `sklearn.pipeline.Pipeline` masks groups of variables differently.
    parameter : str
        Its parameter that sets the strength, as `set_params` takes it.
    strengths : tuple
        Values of the parameter, from weak to strong.

    Examples
    --------
    >>> from sklearn_reclink.auditing import MaskerFamily
    >>> from sklearn_reclink.masking import RankSwapping
    >>> family = MaskerFamily("swapping", RankSwapping(random_state=0), "p", (5, 10, 20))
    >>> family.at(2)
    RankSwapping(p=20, random_state=0)
    """

    name: str
    masker: Any
    parameter: str
    strengths: tuple[Any, ...]

    def at(self, place: int) -> Any:
        """The masker with the strength at a place.

        %(place)s

        Returns
        -------
        transformer
        """
        return clone(self.masker).set_params(**{self.parameter: self.strengths[place]})

    def label(self, place: int) -> str:
        """The name with the strength.

        %(place)s

        Returns
        -------
        str
        """
        parameter = self.parameter.rpartition("__")[2]
        return f"{self.name}, {parameter} = {self.strengths[place]:g}"


@dataclass(frozen=True, eq=False)
class Trial:
    """One masking of the file.

    Attributes
    ----------
    name, family : str
        What the masking and its family are called.
    place : int
        The place of its strength among those of the family that were tried, 0 for the weakest.
    masker : transformer
        What makes the release, the same at every call.
    information_loss : float
        Its information loss.
    change : float
        Mean change of a value, in units of ``sqrt(2)`` standard deviations for numbers and as the
        share of changed cells for categories.
    bound : float
        No attacker, of whatever kind, finds a larger share on average: the share of different rows.
    monotone_bound : float or None
        No weighted mean, OWA or Choquet distance finds a larger share; None if not computed.
    risk : float or None
        The largest share found, singled out or by guessing among ties; None if not attacked.
    attacker : str
        Who found it.
    in_full : bool
        Whether an audit tried every attacker. If not, more may be found.
    outcome : str
        What became of it.
    """

    name: str
    family: str
    place: int
    masker: Any
    information_loss: float
    change: float
    bound: float
    monotone_bound: float | None = None
    risk: float | None = None
    attacker: str = ""
    in_full: bool = False
    outcome: str = NOT_TRIED

    def is_proven(self, max_risk: float) -> bool:
        """Whether every attacker, of whatever kind, stays within a share."""
        return self.bound <= max_risk + ROUNDING

    @property
    def is_lower_bound(self) -> bool:
        """Whether not every attacker was tried: the risk is at least the one found."""
        return self.risk is not None and not self.in_full


def least_risky(trials: Iterable[Trial]) -> Trial:
    """Of the maskings attacked, the one with the lowest risk found, and then the least loss."""
    attacked = (one for one in trials if one.risk is not None)
    return min(attacked, key=lambda one: (one.risk, one.information_loss))


def share_of_different_rows(Y: Any) -> float:
    """The number of different rows of a file, divided by that of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing.protection.trials import share_of_different_rows
    >>> share_of_different_rows(np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 2.0], [3.0, 2.0]]))
    0.5
    """
    table = table_of(Y)
    codes = np.column_stack([column.levels[0] for column in table.columns])
    return len(np.unique(codes, axis=0)) / len(codes)


def value_change(X: Any, Y: Any) -> float:
    """The mean change of a value; a cell that became missing is changed by 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing.protection.trials import value_change
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> round(value_change(X, X + 1), 3)
    0.707
    """
    changes = []
    for old, new in zip(table_of(X).columns, table_of(Y).columns, strict=True):
        gaps = np.array(new.missing & ~old.missing, dtype=float)
        both = ~(new.missing | old.missing)
        if old.kind in ("number", "date") and new.kind == old.kind:
            sd = np.std(old.numbers[both], ddof=1) if both.sum() > 1 else 0.0
            moved = np.abs(old.numbers[both] - new.numbers[both])
            gaps[both] = moved / (np.sqrt(2) * sd) if sd > 0 else moved > 0
        else:
            gaps[both] = _cells(old)[both] != _cells(new)[both]
        changes.append(gaps.mean())
    return float(np.mean(changes))


def table_of(X: Any) -> Table:
    """The columns of a file."""
    frame = frame_of(X)
    return Table.of(np.asarray(X) if frame is None else frame)


def _cells(column: Any) -> np.ndarray:
    codes, levels = column.levels
    return np.array([*map(str, levels), ""], dtype=object)[codes]
