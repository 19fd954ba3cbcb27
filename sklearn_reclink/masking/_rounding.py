"""Rounding: release the multiple of a base that is nearest, or one of the two next at random.

With ``x = b (q + r)``, q whole and 0 <= r < 1, rounding at random releases ``b (q + 1)`` with
probability r and ``b q`` otherwise, so that the expected release is x.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import Masker
from sklearn_reclink.masking.columns import Table


def round_to(
    values: np.ndarray, base: float, rng: np.random.RandomState | None = None
) -> np.ndarray:
    """Round numbers to multiples of a base: to the nearest, or at random if ``rng`` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._rounding import round_to
    >>> round_to(np.array([12.0, 18.0, np.nan]), 5)
    array([10., 20., nan])
    """
    # a base such as 0.1 is the inverse of a whole number, whose multiples print well
    parts = np.rint(1 / base) if base < 1 else 0.0
    exact = parts > 0 and bool(np.isclose(parts * base, 1.0, rtol=1e-12))
    scaled = values * parts if exact else values / base
    whole = np.rint(scaled)
    if rng is not None:
        whole = np.floor(scaled)
        whole += rng.uniform(size=len(values)) < scaled - whole
    return np.asarray(whole / parts if exact else whole * base)


@dataclass(eq=False, repr=False)
class Rounding(Masker):
    """Mask numbers by rounding them to multiples of a base.

    Parameters
    ----------
    base : float or dict of float by column, default=10.0
        Numbers are rounded to multiples of it; a number in the middle goes to the even multiple.
    random : bool, default=False
        Round up or down at random, so that the expected value is the number itself.
    random_state : int, RandomState instance or None, default=None
        The seed of random rounding. An integer gives the same masked file at every call.
    %(numeric_columns)s

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    A missing value stays missing. Whole numbers need a whole base, and stay whole.

    Examples
    --------
    >>> from sklearn_reclink.masking import Rounding
    >>> Rounding(base=100).fit_transform([[1234.0], [1250.0], [1260.0]])
    array([[1200.],
           [1200.],
           [1300.]])
    """

    base: float | Mapping[Any, float] = 10.0
    _: KW_ONLY
    random: bool = False
    random_state: Any = None
    columns: Any = None

    _kinds = frozenset({"number"})
    _takes = "numbers"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "base": [Interval(Real, 0, None, closed="neither"), dict],
        "random": ["boolean"],
        "random_state": ["random_state"],
    }

    def _check(self, table: Table) -> None:
        for column in table.at(self.columns_):
            base = self._option("base", column)
            if base is None or not 0 < base < np.inf:
                raise ValueError(
                    f"base is {base} for the column {column.name!r}: give a positive number, or "
                    "name the columns to mask with columns="
                )
            if column.is_whole and base != int(base):
                raise ValueError(
                    f"column {column.name!r} holds whole numbers and base={base} is not one: give "
                    "a whole base, or make the column one of floats"
                )

    def _mask_columns(self, table: Table) -> list[Any]:
        rng = check_random_state(self.random_state) if self.random else None
        masked = []
        for column in table.at(self.columns_):
            rounded = round_to(column.numbers, float(self._option("base", column)), rng)
            masked.append(column.with_numbers(rounded, whole=True))
        return masked
