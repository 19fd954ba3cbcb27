"""One number for a masking: the mean of its disclosure risk and its information loss.

*Average record linkage.* The intruder knows 1, 2, ... or all of the variables. For every number of
known variables the rate is averaged over all choices of that many, then over the numbers, then over
the linkers.

*Score of the papers* (2015, Table 5): ``(average record linkage + PIL) / 2``.

*Score of Domingo-Ferrer and Torra* (2001)::

    IL / 2 + DLD / 8 + PLD / 8 + ID / 4

with the information loss IL, the rates DLD and PLD of distance-based and probabilistic record
linkage, and the interval disclosure ID. Lower is better. All numbers are shares here, and percent
in the papers.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from sklearn_reclink.metrics._files import check_share, read_files


def average_record_linkage(
    linkers: BaseEstimator | Sequence[BaseEstimator],
    X: Any,
    y: Any,
    *,
    n_known: Iterable[int] | None = None,
) -> float:
    """Re-identification rate averaged over the variables that an intruder may know.

    Every linker is fitted and scored on each subset of the variables: ``2^n - 1`` fits for ``n``
    variables, fewer with ``n_known``. A subset of constant variables re-identifies nobody.

    Parameters
    ----------
    linkers : estimator or sequence of estimators
        Linkers, such as `EuclideanLinker`; they are cloned.
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, aligned.
    n_known : iterable of int, default=None
        Numbers of variables known, by default from 1 to ``n_features``.

    Returns
    -------
    float
        A rate in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import average_record_linkage
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> average_record_linkage(EuclideanLinker(), X, X)  # one variable: none, two: all
    0.5
    """
    original, masked = read_files(X, y)
    n_features = original.shape[1]
    sizes = list(range(1, n_features + 1) if n_known is None else n_known)
    if not sizes or min(sizes) < 1 or max(sizes) > n_features:
        raise ValueError(
            f"n_known is {sizes}: it must name numbers of variables from 1 to {n_features}"
        )
    varies = (np.ptp(original, axis=0) > 0) & (np.ptp(masked, axis=0) > 0)

    def rate(linker: BaseEstimator, known: list[int]) -> float:
        if not varies[known].any():
            return 0.0
        files = original[:, known], masked[:, known]
        return float(clone(linker).fit(*files).score(*files))

    rates = [
        np.mean([rate(linker, list(known)) for known in combinations(range(n_features), size)])
        for linker in (linkers if isinstance(linkers, Sequence) else [linkers])
        for size in sizes
    ]
    return float(np.mean(rates))


def linkage_loss_score(record_linkage: float, information_loss: float) -> float:
    """Score of the papers: the mean of average record linkage and information loss.

    Parameters
    ----------
    record_linkage : float
        A rate in [0, 1], such as `average_record_linkage`.
    information_loss : float
        A loss in [0, 1], such as `probabilistic_information_loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn_reclink.metrics import linkage_loss_score
    >>> round(linkage_loss_score(0.42127, 0.2385), 4)  # M4-33 in Table 5 of the 2015 paper
    0.3299
    """
    check_share("record_linkage", record_linkage)
    check_share("information_loss", information_loss)
    return (record_linkage + information_loss) / 2


def domingo_ferrer_torra_score(
    *,
    information_loss: float,
    distance_linkage: float,
    probabilistic_linkage: float,
    interval_disclosure: float,
) -> float:
    """Score of Domingo-Ferrer and Torra (2001): half information loss, half disclosure risk.

    Parameters
    ----------
    information_loss : float
        A loss of at least 0, such as `probabilistic_information_loss` or `il1s`.
    distance_linkage, probabilistic_linkage : float
        Re-identification rates in [0, 1] of distance-based and of probabilistic record linkage.
    interval_disclosure : float
        A share in [0, 1], from the function `interval_disclosure`, which has the reference.

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn_reclink.metrics import domingo_ferrer_torra_score
    >>> domingo_ferrer_torra_score(
    ...     information_loss=0.2,
    ...     distance_linkage=0.4,
    ...     probabilistic_linkage=0.2,
    ...     interval_disclosure=0.45,
    ... )
    0.2875
    """
    check_share("distance_linkage", distance_linkage)
    check_share("probabilistic_linkage", probabilistic_linkage)
    check_share("interval_disclosure", interval_disclosure)
    if not information_loss >= 0:
        raise ValueError(f"information_loss is {information_loss}: it must be 0 or more")
    risk = (distance_linkage + probabilistic_linkage) / 4 + interval_disclosure / 2
    return (information_loss + risk) / 2
