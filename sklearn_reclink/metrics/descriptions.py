"""Singling out: descriptions taken from a release that fit exactly one person.

A *description* is made of one record of the release and a few of its variables, both drawn at
random: categories equal those of the record, numbers and levels are at least those of the record if
that is above the median of the release, else at most; a missing value is missing. Only descriptions
that fit no other record of the release are used, as an intruder would. One *singles out* if it fits
exactly one person of the original file.

Rare values are rare among all people, so some descriptions fit one person by chance. The control
counts those that fit exactly one person of the holdout. How many fit one person depends on how many
people there are, so both files are cut at random to the size of the smaller one. The excess is that
of `_success`. The same description is never used twice.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink.metrics._success import Excess, SuccessRate
from sklearn_reclink.metrics.record_space import UnalignedFiles

N_COLUMNS = 3
N_ATTACKS = 500
_TRIES = 10  # descriptions drawn for one that is used
_MOST_COMPARISONS = 2e9


@dataclass(frozen=True)
class SinglingOut:
    """How many descriptions taken from a release fit exactly one person.

    Attributes
    ----------
    attack : SuccessRate
        Descriptions that fit exactly one original, of those that fit one record of the release.
    control : SuccessRate or None
        The same for the holdout; None without one.
    n_columns : int
        Number of variables of a description.
    n_people : int
        Number of originals, and of holdout people, that were looked at.

    Examples
    --------
    >>> from sklearn_reclink.metrics import SinglingOut, SuccessRate
    >>> found = SinglingOut(SuccessRate(30, 100), SuccessRate(20, 100), 3, 400)
    >>> round(found.excess.risk, 3)
    0.125
    """

    attack: SuccessRate
    control: SuccessRate | None
    n_columns: int
    n_people: int

    @property
    def excess(self) -> Excess | None:
        """What singles out originals beyond people of the holdout; None without one."""
        return None if self.control is None else Excess(self.attack, self.control)


def singling_out(
    X: Any,
    y: Any,
    holdout: Any = None,
    *,
    n_columns: int = N_COLUMNS,
    n_attacks: int = N_ATTACKS,
    random_state: Any = None,
    categorical_features: Any = None,
    ordinal_features: Any = None,
) -> SinglingOut:
    """Take descriptions from a release that is not aligned, and count those that fit one person.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features), (n_released, n_features)
        The original file and the release.
    holdout : array-like or dataframe of shape (n_holdout, n_features), default=None
        People of the same population whom the release was not made from, for the control.
    n_columns : int, default=3
        Number of variables of a description; at most all of them.
    n_attacks : int, default=500
        Number of descriptions; fewer if the release does not yield so many.
    random_state : int, RandomState instance or None, default=None
        Draws the descriptions, and the people where one file is larger.
    categorical_features, ordinal_features : array-like or dict, default=None
        Columns of categories and of ordered levels, as in the linkers.

    Returns
    -------
    SinglingOut

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import singling_out
    >>> rng = np.random.default_rng(0)
    >>> X, new, holdout = rng.normal(size=(3, 200, 4))
    >>> copied = singling_out(X, X, holdout, random_state=0)
    >>> fresh = singling_out(X, new, holdout, random_state=0)
    >>> copied.attack.share, copied.excess.risk, abs(fresh.excess.risk) < 0.1
    (1.0, 1.0, True)
    """
    files = UnalignedFiles.read(
        X,
        y,
        holdout,
        categorical_features=categorical_features,
        ordinal_features=ordinal_features,
    )
    return singled_out_by(files, n_columns, n_attacks, random_state)


def singled_out_by(
    files: UnalignedFiles, n_columns: int, n_attacks: int, random_state: Any
) -> SinglingOut:
    """The same of files that were read."""
    for name, value in (("n_columns", n_columns), ("n_attacks", n_attacks)):
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} is {value!r}: it must be an integer of at least 1")
    rng = check_random_state(random_state)
    release, n_features = files.release, files.release.shape[1]
    n_columns = min(n_columns, n_features)
    people = [one for one in (files.original, files.holdout) if one is not None]
    n_people = min(map(len, people))
    people = [
        one if len(one) == n_people else one[rng.permutation(len(one))[:n_people]] for one in people
    ]
    nominal = np.array(files.variables.kinds) == "nominal"
    medians = np.array([_median(column) for column in release.T])
    used: set[tuple[int, ...]] = set()
    fits: list[list[bool]] = []
    tries = int(min(_TRIES * n_attacks, _MOST_COMPARISONS / (n_columns * len(release))))
    for _ in range(max(tries, 1)):
        if len(fits) == n_attacks:
            break
        row = int(rng.randint(len(release)))
        columns = tuple(sorted(rng.permutation(n_features)[:n_columns].tolist()))
        if (row, *columns) in used:
            continue
        used.add((row, *columns))
        description = [(k, release[row, k], medians[k], nominal[k]) for k in columns]
        if _n_fitting(release, description) == 1:
            fits.append([_n_fitting(one, description) == 1 for one in people])
    counts = np.array(fits, dtype=int).reshape(-1, len(people)).sum(axis=0)
    rates = [SuccessRate(int(count), len(fits)) for count in counts]
    return SinglingOut(rates[0], rates[1] if len(rates) > 1 else None, n_columns, n_people)


def _median(column: np.ndarray) -> float:
    present = column[~np.isnan(column)]
    return float(np.median(present)) if len(present) else float("nan")


def _n_fitting(table: np.ndarray, description: list[tuple[int, float, float, bool]]) -> int:
    """How many records a description fits."""
    fitting = np.ones(len(table), dtype=bool)
    for k, value, median, is_nominal in description:
        column = table[:, k]
        if np.isnan(value):
            fitting &= np.isnan(column)
        elif is_nominal:
            fitting &= column == value
        else:
            fitting &= column >= value if value > median else column <= value
    return int(np.count_nonzero(fitting))
