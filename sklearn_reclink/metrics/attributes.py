"""Attribute disclosure: how well the nearest masked records reveal a secret of a person.

An intruder knows some variables of a person, links the person by them, and reads the secret off the
linked record, or off the k nearest (`_told_secrets`). The secret takes no part in linking. Nobody
need be re-identified: if all candidates have the same secret, it is revealed all the same.

===========  =====================================================================================
attack       people in the release: the share whose secret is guessed right
baseline     the same people, without linking: everybody gets the most frequent category of the
             masked column, or its median
control      people who are *not* in the release: what the release reveals about anybody
===========  =====================================================================================

The risk is ``(attack - control) / (1 - control)``, see `_success`.

*The control.* Best are people of the same population whose records the masking never saw:
``absent``. Without them, each person is looked for in the release without their own record. What
the masking carried over into records of others stays in it: a centroid of microaggregation holds
the secrets of all its members, and swapped values stand in other records. Then this control is too
high and the risk too low. The baseline does not have that fault.

*Right* is a guess of the same category or level. A number is guessed right if it is at most
``tolerance`` times the spread away from the secret. The spread is the distance from the 5th to the
95th percentile of the secrets of the people attacked, so that units do not matter and neither do a
few large values. A missing guess is wrong. People whose secret is missing are left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_reclink._docstrings import entries_of, fill_in
from sklearn_reclink._sklearn_compat import safe_indexing
from sklearn_reclink.data.kinds import NUMERIC, learn_variables
from sklearn_reclink.data.pool import unwrapped
from sklearn_reclink.data.reading import read_again
from sklearn_reclink.metrics._success import Excess, SuccessRate
from sklearn_reclink.metrics._told_secrets import ReleasedSecret, classes_of
from sklearn_reclink.metrics.record_space import UnalignedFiles

TOLERANCE = 0.05
_PERCENTILES = (5, 95)
_ROUNDING = 1e-9  # of the tolerance

Nearest = Callable[[Any, int], np.ndarray]  # people and a number to the classes nearest to each


@dataclass(frozen=True)
class AttributeDisclosure:
    """How well the nearest masked records reveal a secret.

    Attributes
    ----------
    attack, baseline : SuccessRate
        Of the people in the release: by linking, and by the same guess for everybody.
    control : SuccessRate or None
        Of people who are not in the release, by linking; None if there are none.
    control_people : {"absent", "own record left out"} or None
        Who they are.
    n_neighbors : int
        Number of nearest masked records that vote.
    tolerance : float or None
        How near a guessed number has to be, as a share of the spread of the secrets; None for a
        category.
    rank_correlation : float or None
        Spearman's correlation of guesses and secrets, for numbers.

    Examples
    --------
    >>> from sklearn_reclink.metrics import AttributeDisclosure, SuccessRate
    >>> found = AttributeDisclosure(
    ...     SuccessRate(70, 100), SuccessRate(30, 100), SuccessRate(40, 100), "absent", 1
    ... )
    >>> round(found.risk, 2), round(found.over_baseline.risk, 2)
    (0.5, 0.57)
    """

    attack: SuccessRate
    baseline: SuccessRate
    control: SuccessRate | None
    control_people: str | None
    n_neighbors: int
    tolerance: float | None = None
    rank_correlation: float | None = None

    @property
    def over_baseline(self) -> Excess:
        """What linking reveals beyond the same guess for everybody."""
        return Excess(self.attack, self.baseline)

    @property
    def over_control(self) -> Excess | None:
        """What being in the release adds; None without a control."""
        return None if self.control is None else Excess(self.attack, self.control)

    @property
    def risk(self) -> float | None:
        """``(attack - control) / (1 - control)``; None if there is no such share."""
        return None if self.over_control is None else self.over_control.risk

    @property
    def risk_interval(self) -> tuple[float, float] | None:
        """95 % interval for the risk."""
        return None if self.over_control is None else self.over_control.interval


_OF_SECRETS = entries_of("""\
linker : fitted linker
    The attacker, fitted on variables that the intruder knows; the secret is not one of
    them.
X, y : array-like or dataframe of shape (n_pairs, n_features)
    The known variables of people in both files: original and masked records, aligned.
secret : array-like of shape (n_pairs,)
    The true secrets.
masked_secret : array-like of shape (n_pairs,) or (n_masked,)
    The secrets as released, one for each record of the release.
pool : array-like or dataframe of shape (n_masked, n_features), default=None
    The whole release, the records of ``y`` first. By default the release is ``y``.
absent : array-like or dataframe of shape (n_absent, n_features), default=None
    Known variables of people who are not in the release, for the control. By default each
    person is looked for in the release without their own record.
absent_secret : array-like of shape (n_absent,), default=None
    Their true secrets.
n_neighbors : int, default=1
    Number of nearest masked records that vote; records alike in ``y`` count as one.
tolerance : float, default=0.05
    How near a guessed number has to be, as a share of the distance from the 5th to the 95th
    percentile of ``secret``.
categorical : bool, default=False
    Whether numbers are codes of categories.
""")


@fill_in(_OF_SECRETS)
def attribute_disclosure(
    linker: Any,
    X: Any,
    y: Any,
    secret: Any,
    masked_secret: Any,
    *,
    pool: Any = None,
    absent: Any = None,
    absent_secret: Any = None,
    n_neighbors: int = 1,
    tolerance: float = TOLERANCE,
    categorical: bool = False,
) -> AttributeDisclosure:
    """How well linked records reveal a secret, beside a plain guess and people not in the release.

    Parameters
    ----------
    %(linker X secret masked_secret pool absent absent_secret n_neighbors tolerance categorical)s

    Returns
    -------
    AttributeDisclosure

    See Also
    --------
    sklearn_reclink.inspection.AttributeDisclosureDisplay : Plots it.

    Examples
    --------
    Ages are released with noise, diagnoses as they are:

    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import attribute_disclosure
    >>> rng = np.random.default_rng(0)
    >>> people = rng.normal(size=(400, 3))
    >>> diagnosis = rng.choice(["a", "b", "c"], 400, p=[0.5, 0.3, 0.2])
    >>> X, absent = people[:300], people[300:]
    >>> Y = X + rng.normal(scale=0.1, size=X.shape)
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> found = attribute_disclosure(linker, X, Y, diagnosis[:300], diagnosis[:300],
    ...                              absent=absent, absent_secret=diagnosis[300:])
    >>> [round(one.share, 2) for one in (found.attack, found.baseline, found.control)]
    [0.89, 0.49, 0.34]
    >>> round(found.risk, 2), [round(end, 2) for end in found.risk_interval]
    (0.83, [0.76, 0.88])
    """
    check_is_fitted(linker)
    if (absent is None) != (absent_secret is None):
        raise ValueError("absent and absent_secret belong together: give both or neither")
    check_consistent_length(X, y, secret)
    release = y if pool is None else unwrapped(pool)
    check_consistent_length(release, masked_secret)
    codes, is_category = _read_secrets(categorical, secret, masked_secret, absent_secret)
    first, classes = classes_of(_read_release(linker, X, y, release))
    nearest = partial(_nearest, linker, safe_indexing(release, first))
    told, own = ReleasedSecret(classes, codes[1], is_category), np.arange(len(codes[0]))
    control = None if absent is None else (absent, codes[2])
    return disclosure(nearest, told, (X, codes[0]), control, n_neighbors, tolerance, own=own)


def _nearest(linker: Any, released: Any, people: Any, n_asked: int) -> np.ndarray:
    return np.asarray(linker.kneighbors(people, n_asked, released, return_distance=False))


def _read_release(linker: Any, X: Any, y: Any, release: Any) -> np.ndarray:
    """The release as numbers, if the records of ``y`` come first in it."""
    original, released = read_again(linker, X, release)
    own_records = read_again(linker, X, None, y)[1]
    if not np.array_equal(released[: len(original)], own_records, equal_nan=True):
        raise ValueError("the first records of pool are not those of y: put them first, in order")
    return released


def unaligned_disclosure(
    files: UnalignedFiles, secret: int, known: Sequence[int], n_neighbors: int, tolerance: float
) -> AttributeDisclosure:
    """The same of files that are not aligned: the control is the holdout, if there is one.

    ``secret`` and ``known`` are numbers of columns.
    """
    seen = files.with_columns(known)
    first, classes = classes_of(seen.release)

    def nearest(people: Any, n_asked: int) -> np.ndarray:
        return seen.nearest(people, seen.release[first], n_asked)[1]

    is_category = files.variables.kinds[secret] != NUMERIC
    told = ReleasedSecret(classes, files.release[:, secret], is_category)
    control = None
    if seen.holdout is not None and files.holdout is not None:
        control = seen.holdout, files.holdout[:, secret]
    people = seen.original, files.original[:, secret]
    return disclosure(nearest, told, people, control, n_neighbors, tolerance)


def disclosure(
    nearest: Nearest,
    told: ReleasedSecret,
    people: tuple[Any, np.ndarray],
    control: tuple[Any, np.ndarray] | None,
    n_neighbors: int,
    tolerance: float,
    *,
    own: np.ndarray | None = None,
) -> AttributeDisclosure:
    """The same of a search for classes; people and the control are known variables and secrets."""
    if not isinstance(n_neighbors, int | np.integer) or n_neighbors < 1:
        raise ValueError(f"n_neighbors is {n_neighbors!r}: it must be an integer of at least 1")
    if not 0 <= tolerance < np.inf:
        raise ValueError(f"tolerance is {tolerance!r}: it must be a share of at least 0")
    known, secret = people
    left_out = own is not None and control is None
    found = nearest(known, min(n_neighbors + left_out, told.n_classes))
    guesses = told.guesses(found, n_neighbors)
    reach = 0.0 if told.categorical else _reach(secret, tolerance)
    rate, who = None, None
    if control is not None:
        others, who = nearest(control[0], min(n_neighbors, told.n_classes)), "absent"
        rate = _rate(told.guesses(others, n_neighbors), control[1], reach)
    elif own is not None:
        who = "own record left out"
        rate = _rate(told.guesses(found, n_neighbors, own), secret, reach)
    return AttributeDisclosure(
        attack=_rate(guesses, secret, reach),
        baseline=_rate(np.full(len(secret), told.most_likely), secret, reach),
        control=rate,
        control_people=who,
        n_neighbors=int(n_neighbors),
        tolerance=None if told.categorical else tolerance,
        rank_correlation=None if told.categorical else _rank_correlation(guesses, secret),
    )


def _read_secrets(categorical: bool, *columns: Any) -> tuple[list[np.ndarray], bool]:
    """Secrets as numbers, and whether these are codes."""
    names = ("secret", "masked_secret", "absent_secret")
    given = [(one, name) for one, name in zip(columns, names, strict=True) if one is not None]
    files = [(_as_table(one, name), name) for one, name in given]
    nominal = [0] if categorical else None
    (secret, _), (masked, _), *others = files
    variables = learn_variables(secret, masked, categorical_features=nominal, others=others)
    codes = [one[:, 0] for one in variables.codes(*files)]
    return codes, variables.kinds[0] != NUMERIC


def _as_table(column: Any, name: str) -> Any:
    if hasattr(column, "to_frame"):
        return column.to_frame("secret")
    values = np.asarray(column)
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}: it must be one value per record")
    return (values if values.dtype.kind in "fiu" else np.asarray(column, dtype=object))[:, None]


def _reach(secret: np.ndarray, tolerance: float) -> float:
    """How far a guess may be from the secret."""
    present = secret[~np.isnan(secret)]
    if not len(present):
        return 0.0
    low, high = np.percentile(present, _PERCENTILES)
    spread = high - low if high > low else present.max() - present.min()
    return float(tolerance * spread * (1 + _ROUNDING))


def _rate(guesses: np.ndarray, secret: np.ndarray, reach: float) -> SuccessRate:
    known = ~np.isnan(secret)
    right = np.abs(guesses[known] - secret[known]) <= reach  # not if a guess is missing
    return SuccessRate(int(right.sum()), int(known.sum()))


def _rank_correlation(guesses: np.ndarray, secret: np.ndarray) -> float | None:
    from scipy.stats import rankdata

    both = ~np.isnan(guesses) & ~np.isnan(secret)
    if both.sum() < 2:
        return None
    ranks = [rankdata(one[both]) for one in (guesses, secret)]
    if any(np.ptp(one) == 0 for one in ranks):
        return None
    return float(np.corrcoef(ranks)[0, 1])
