"""Rank swapping: exchange values that are near in rank.

The N values of a variable are put in ascending order. The ranks are visited upwards; a rank not
yet swapped exchanges its value with one drawn uniformly from those of the next ``p`` % of N ranks
that are not yet swapped. Each variable is swapped on its own. The released column holds the same
values as the original one: marginal distributions are kept, dependence between variables is not.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import Masker
from sklearn_reclink.masking.columns import NUMERIC, Table


def swapped_rows(values: np.ndarray, window: int, rng: np.random.RandomState) -> np.ndarray:
    """Exchange the values of one variable with values at most ``window`` ranks away.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        The variable.
    window : int
        The largest distance between two swapped ranks.
    rng : RandomState
        Draws the partners.

    Returns
    -------
    ndarray of shape (n_records,)
        The row whose value each record takes.
    """
    order = np.argsort(values, kind="stable")
    partner = np.arange(len(values))
    free = np.ones(len(values), dtype=bool)
    for rank in range(len(values)):
        if not free[rank]:
            continue
        candidates = rank + 1 + np.flatnonzero(free[rank + 1 : rank + 1 + window])
        if candidates.size:
            other = candidates[rng.randint(candidates.size)]
            partner[rank], partner[other] = other, rank
            free[[rank, other]] = False
    rows = np.empty_like(order)
    rows[order] = order[partner]
    return rows


@dataclass(eq=False, repr=False)
class RankSwapping(Masker):
    """Mask a file by exchanging values between records of similar rank, variable by variable.

    Parameters
    ----------
    p : float, default=5.0
        The largest distance between the ranks of two exchanged values, in percent of the number
        of records. Nothing is exchanged if it is less than one rank.
    random_state : int, RandomState instance or None, default=None
        Draws the partners. An integer gives the same masked file at every call.
    %(columns)s
        A column without an order, such as text, is an error, unless ``columns`` leaves it out.

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    Whole numbers stay whole, because no new value is made. Equal values are ranked in the order
    of their rows. A missing value stays missing; the ranks are those of the values present.

    References
    ----------
    Moore, R. (1996). Controlled data swapping techniques for masking public use microdata sets.
    U.S. Bureau of the Census, Statistical Research Division.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking import RankSwapping
    >>> X = np.arange(8.0)[:, None]
    >>> Y = RankSwapping(p=25, random_state=0).fit_transform(X)
    >>> bool(np.abs(X - Y).max() <= 2), bool((np.sort(Y, axis=0) == X).all())
    (True, True)
    """

    p: float = 5.0
    _: KW_ONLY
    random_state: Any = None
    columns: Any = None

    _allows_missing = True
    _kinds = NUMERIC | {"ordered"}
    _takes = "numbers, dates and ordered categories"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "p": [Interval(Real, 0, 100, closed="both")],
        "random_state": ["random_state"],
    }

    def _mask_columns(self, table: Table) -> list[Any]:
        rng = check_random_state(self.random_state)
        chosen = table.at(self.columns_)
        return [column.take(self._rows(column.numbers, rng)) for column in chosen]

    def _rows(self, values: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        rows, present = np.arange(len(values)), np.flatnonzero(~np.isnan(values))
        window = int(self.p * len(present) / 100)
        rows[present] = present[swapped_rows(values[present], window, rng)]
        return rows
