"""Top and bottom coding: values beyond a threshold are released as the threshold.

The threshold is a value, or a quantile of the column: the least value that at least that share of
the records do not exceed, which is a value of the file.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import StrOptions
from sklearn_reclink.masking._base import Masker
from sklearn_reclink.masking.columns import NUMERIC, Column, Table


def code_tails(
    values: np.ndarray, bottom: float, top: float, *, by_mean: bool = False
) -> np.ndarray:
    """Replace values below ``bottom`` and above ``top`` by these, or by the mean of the replaced.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._top_bottom_coding import code_tails
    >>> code_tails(np.array([1.0, 5.0, 8.0, 12.0]), 2.0, 7.0)
    array([2., 5., 7., 7.])
    >>> code_tails(np.array([1.0, 5.0, 8.0, 12.0]), 2.0, 7.0, by_mean=True)
    array([ 1.,  5., 10., 10.])
    """
    coded = values.copy()
    for tail, threshold in ((values < bottom, bottom), (values > top, top)):
        if tail.any():
            coded[tail] = values[tail].mean() if by_mean else threshold
    return coded


@dataclass(eq=False, repr=False)
class TopBottomCoding(Masker):
    """Mask extreme numbers and dates by coding them at a threshold.

    Parameters
    ----------
    bottom : float, date, dict of them by column, or None, default=0.05
        Values below this threshold are coded; None codes none.
    top : float, date, dict of them by column, or None, default=0.95
        Values above this threshold are coded; None codes none.
    by : {"quantile", "value"}, default="quantile"
        Whether thresholds are shares of the records, from 0 to 1, or values.
    replace : {"threshold", "mean"}, default="threshold"
        What coded values become: the threshold, or the mean of the values coded there, which keeps
        the total of the column.
    %(columns)s
        A column that holds no numbers or dates is an error, unless ``columns`` leaves it out.

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    A missing value stays missing and has no part in the quantiles. Whole numbers stay whole: a
    threshold must be whole, and a mean is rounded.

    Examples
    --------
    >>> from sklearn_reclink.masking import TopBottomCoding
    >>> ages = [[17], [35], [42], [93]]
    >>> TopBottomCoding(bottom=18, top=85, by="value").fit_transform(ages).ravel()
    array([18., 35., 42., 85.])
    """

    bottom: Any = 0.05
    top: Any = 0.95
    _: KW_ONLY
    by: str = "quantile"
    replace: str = "threshold"
    columns: Any = None

    _kinds = NUMERIC
    _takes = "numbers and dates"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "by": [StrOptions({"quantile", "value"})],
        "replace": [StrOptions({"threshold", "mean"})],
    }

    def _check(self, table: Table) -> None:
        for column in table.at(self.columns_):
            low, high = self._threshold("bottom", column), self._threshold("top", column)
            if np.isinf(low) and np.isinf(high):
                raise ValueError(
                    f"the column {column.name!r} has no threshold: give bottom or top, or name the "
                    "columns to mask with columns="
                )
            if low > high:
                raise ValueError(
                    f"bottom is above top for the column {column.name!r}: exchange them"
                )

    def _threshold(self, name: str, column: Column) -> float:
        """The threshold among the numbers of the column, infinite if there is none."""
        given = self._option(name, column)
        if given is None:
            return -np.inf if name == "bottom" else np.inf
        if self.by == "quantile":
            if not isinstance(given, Real) or not 0 <= float(given) <= 1:
                raise ValueError(
                    f"{name}={given!r} for the column {column.name!r} is not a share from 0 "
                    'to 1: give one, or by="value"'
                )
            present = column.numbers[~column.missing]
            if not len(present):
                return 0.0
            return float(np.quantile(present, float(given), method="inverted_cdf"))
        threshold = column.number_of(given)
        if threshold is None:
            raise ValueError(
                f"{name}={given!r} cannot be compared with the column {column.name!r}, which holds "
                f"{column.held}: give a {column.kind}"
            )
        if column.is_whole and threshold != int(threshold) and self.replace == "threshold":
            raise ValueError(
                f"column {column.name!r} holds whole numbers: give a whole {name}, not {given}"
            )
        return threshold

    def _mask_column(self, column: Column) -> Any:
        low, high = self._threshold("bottom", column), self._threshold("top", column)
        coded = code_tails(column.numbers, low, high, by_mean=self.replace == "mean")
        return column.with_numbers(np.rint(coded) if column.is_whole else coded, whole=True)
