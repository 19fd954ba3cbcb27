"""Recall and precision of links, by the margin that an intruder asks for.

Files are often samples. People in both files are *pairs*. People only in the release are
impostors: the rows of the pool that are not in ``y``. People only in the original file are
*absent*: every link of theirs is wrong.

For every original record let ``d_1 <= d_2`` be the distances to the nearest and the second nearest
masked records of the pool. The *margin* of the link is

================  ===============================================================================
``"difference"``  ``d_2 - d_1``
``"relative"``    ``(d_2 - d_1) / (|d_2| + |d_1|)``, in [0, 1] for distances that are not negative
================  ===============================================================================

A link is *claimed* at a threshold ``t`` if it is strict and its margin is at least ``t``. A tie by
the rule of `search.ties` is never claimed, and neither is what `predict` leaves unlinked. A claim
is *right* if the linked record is the person's own. With ``w`` the weights, 1 by default::

    recall    = sum w (right claims of pairs) / sum w (pairs)
    precision = sum w (right claims)          / sum w (claims)

The claims in the precision are those of pairs and absent people, or those of pairs alone for an
intruder who knows who is in the release.

*Which margin?* A distance has a zero and people are on different scales: where records are sparse,
even wrong candidates are far apart, so that outliers who are absent have large differences. The
relative margin does not change when all distances of a person are multiplied by a number, and tells
the absent better by far. Minus log-likelihoods, and distances with prices of a rule, have no zero:
a constant added to all of them means nothing. There only the difference has a meaning, the
log-likelihood ratio of the two candidates.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from sklearn_reclink.data.pool import unwrapped
from sklearn_reclink.search.ties import strictly_nearer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LinkageCurve:
    """Recall and precision of claimed links, by threshold.

    Two intruders are read from it. One knows that the people sought are in the release, which is
    called response knowledge. The other one does not, and also claims links of absent people.

    Attributes
    ----------
    threshold : ndarray of shape (n_thresholds,)
        From high to low: infinity, where nothing is claimed, then the margins of the links. At the
        last one every strict link is claimed.
    recall : ndarray of shape (n_thresholds,)
        Share of the pairs that are re-identified and claimed.
    precision : ndarray of shape (n_thresholds,)
        Share of the claimed links that are right, of an intruder who does not know who is in the
        release; NaN where nothing is claimed.
    precision_known : ndarray of shape (n_thresholds,)
        The same of an intruder who knows it, and so claims links of pairs only.
    n_claimed : ndarray of int of shape (n_thresholds,)
        Number of claimed links.
    n_claimed_known : ndarray of int of shape (n_thresholds,)
        Number of claimed links of pairs.
    n_right : ndarray of int of shape (n_thresholds,)
        Number of claimed links that are right.
    expected_number : ndarray of shape (n_thresholds,)
        Sum of the weights of the right claims. With sampling weights, it estimates how many people
        of the population such links re-identify; without weights it is ``n_right``.
    n_pairs, n_absent, pool_size : int
        Numbers of pairs, of absent people and of masked records searched.
    margin : {"relative", "difference"}
        Which margin the thresholds are of.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import linkage_curve
    >>> X, Y = np.array([[0.0], [3.0], [4.0], [9.0]]), np.array([[0.0], [3.5], [4.0], [9.0]])
    >>> linker = EuclideanLinker(standardize=None).fit(X, Y)
    >>> curve = linkage_curve(linker, X, Y, absent=[[3.9], [20.0]])
    >>> curve.at_precision(0.9), curve.at_precision(0.9, response_knowledge=True)
    (0.75, 1.0)
    >>> curve.to_frame()[["threshold", "recall", "precision", "precision_known"]].round(2)
       threshold  recall  precision  precision_known
    0        inf    0.00        NaN              NaN
    1       1.00    0.75       1.00              1.0
    2       0.88    0.75       0.75              1.0
    3       0.60    1.00       0.80              1.0
    4       0.36    1.00       0.67              1.0
    """

    threshold: np.ndarray
    recall: np.ndarray
    precision: np.ndarray
    precision_known: np.ndarray
    n_claimed: np.ndarray
    n_claimed_known: np.ndarray
    n_right: np.ndarray
    expected_number: np.ndarray
    n_pairs: int
    n_absent: int
    pool_size: int
    margin: str

    def at_precision(self, precision: float, *, response_knowledge: bool = False) -> float:
        """Largest recall of an intruder whose claims have at least a precision.

        The threshold is the best one in hindsight, so this is what an intruder finds at most.

        Parameters
        ----------
        precision : float
            From 0 to 1.
        response_knowledge : bool, default=False
            Whether the intruder knows that the people sought are in the release.

        Returns
        -------
        float
            0 if no threshold reaches the precision.
        """
        enough = self._precision(response_knowledge) >= _share(precision, "precision")
        return float(np.max(self.recall[enough], initial=0.0))

    def at_recall(self, recall: float, *, response_knowledge: bool = False) -> float:
        """Largest precision of an intruder who re-identifies at least a share of the pairs.

        Parameters
        ----------
        recall : float
            From 0 to 1.
        response_knowledge : bool, default=False
            As in `at_precision`.

        Returns
        -------
        float
            NaN if no threshold reaches the recall.
        """
        found = self._precision(response_knowledge)[self.recall >= _share(recall, "recall")]
        return float(np.fmax.reduce(found, initial=np.nan))

    def to_frame(self) -> "pd.DataFrame":
        """One row per threshold, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(
            {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        )

    def _precision(self, response_knowledge: bool) -> np.ndarray:
        return self.precision_known if response_knowledge else self.precision


def linkage_curve(
    linker: Any,
    X: Any,
    y: Any,
    *,
    pool: Any = None,
    absent: Any = None,
    sample_weight: Any = None,
    absent_weight: Any = None,
    margin: str = "auto",
) -> LinkageCurve:
    """Recall and precision of the links of an intruder who claims only the clear ones.

    A link is claimed when its margin, how much farther the second nearest masked record is than
    the nearest, is at least a threshold. Without a threshold, the recall is the linker's `score`.

    Parameters
    ----------
    linker : fitted linker
        The attacker. By the rule ``"one_to_one"`` links have no margin; by ``"density"`` and
        ``"balanced"`` they depend on who else is sought, so ``absent`` needs ``"nearest"``.
    X, y : array-like or dataframe of shape (n_pairs, n_features)
        The people in both files: original records and their masked versions, aligned.
    pool : array-like, dataframe or Pool of shape (n_masked, n_features), default=None
        The whole release, the records of ``y`` among its rows. By default the release is ``y``.
    absent : array-like or dataframe of shape (n_absent, n_features), default=None
        Original records of people who are not in the release.
    sample_weight : array-like of shape (n_pairs,), default=None
        Weights of the pairs, such as how many people of the population each one stands for.
    absent_weight : array-like of shape (n_absent,), default=None
        Weights of the absent people; needed if ``sample_weight`` and ``absent`` are given.
    margin : {"auto", "relative", "difference"}, default="auto"
        Whether the margin is the difference of the two squared distances, or that divided by their
        sum. ``"auto"`` takes the relative one for distances, the difference for likelihoods and
        under a rule that adds prices. A margin that tells right from wrong links badly makes the
        release look safer than it is.

    Returns
    -------
    LinkageCurve

    See Also
    --------
    sklearn_reclink.inspection.LinkageCurveDisplay : Plots it.

    Examples
    --------
    A release of 150 of 300 people. The intruder has a file of 200, and 100 of them are in it:

    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import linkage_curve
    >>> rng = np.random.default_rng(0)
    >>> people = rng.normal(size=(300, 3))
    >>> release = people[:150] + rng.normal(scale=0.1, size=(150, 3))
    >>> X, Y, absent = people[:100], release[:100], people[200:]
    >>> linker = EuclideanLinker().fit(X, Y, pool=release)
    >>> curve = linkage_curve(linker, X, Y, pool=release, absent=absent)
    >>> float(curve.recall[-1]), linker.score(X, Y, pool=release)
    (0.91, 0.91)
    >>> round(curve.precision_known[-1], 2), round(curve.precision[-1], 2)
    (0.91, 0.46)
    >>> curve.at_precision(0.9, response_knowledge=True), curve.at_precision(0.9)
    (0.91, 0.52)
    """
    margin = _choose_margin(margin, linker, _checked_rule(linker, absent))
    found = linker.link(X, y, pool=pool)
    n_pairs, release = len(found.links), y if pool is None else pool
    pool_size = len(unwrapped(release))
    if pool_size < 2:
        raise ValueError(
            "the pool has 1 record: a margin needs a second nearest one, so at least 2"
        )
    n_absent = 0 if absent is None else len(absent)
    weights = _read_weights(sample_weight, absent_weight, n_pairs, n_absent)
    margins = [_MARGINS[margin](*linker.kneighbors(X, 2, pool=release)[0].T)]
    claimed = [(found.n_tied == 1) & (found.links >= 0)]
    if n_absent:
        nearest, second = linker.kneighbors(absent, 2, pool=release)[0].T
        strict = strictly_nearer(nearest, np.abs(nearest), second, np.abs(second))
        margins.append(_MARGINS[margin](nearest, second))
        claimed.append(strict & (linker.predict(absent, pool=release) >= 0))
    right = np.concatenate([found.reidentified, np.zeros(n_absent, dtype=bool)])
    columns = _curve(np.concatenate(margins), np.concatenate(claimed), right, weights, n_pairs)
    return LinkageCurve(*columns, n_pairs, n_absent, pool_size, margin)


def _curve(
    margins: np.ndarray, claimed: np.ndarray, right: np.ndarray, weights: np.ndarray, n_pairs: int
) -> list[np.ndarray]:
    """The columns of a `LinkageCurve`, of people of whom the first are the pairs."""
    order = np.flatnonzero(claimed)
    order = order[np.argsort(-margins[order], kind="stable")]
    ordered = margins[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(order)])

    def up_to(values: np.ndarray) -> np.ndarray:
        return np.append(np.zeros(1, values.dtype), np.cumsum(values[order])[last])

    of_pair = np.arange(len(margins)) < n_pairs
    number = up_to(weights * right)
    with np.errstate(invalid="ignore"):  # no claim, or of no weight: a share of nothing
        precision = number / up_to(weights)
        precision_known = number / up_to(weights * of_pair)
    recall = number / weights[:n_pairs].sum()
    counts = [up_to(one.astype(np.intp)) for one in (claimed, of_pair, right)]
    return [np.append(np.inf, ordered[last]), recall, precision, precision_known, *counts, number]


def _difference(nearest: np.ndarray, second: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # two infinite distances are tied
        return np.asarray(second - nearest)


def _relative(nearest: np.ndarray, second: np.ndarray) -> np.ndarray:
    largest = np.maximum(np.abs(nearest), np.abs(second))
    largest = np.where(largest > 0, largest, 1.0)
    nearest, second = nearest / largest, second / largest  # so that no sum overflows
    return np.asarray((second - nearest) / np.maximum(np.abs(nearest) + np.abs(second), 1.0))


_MARGINS = {"difference": _difference, "relative": _relative}


def _choose_margin(margin: str, linker: Any, rule: str) -> str:
    if margin in _MARGINS:
        return margin
    if margin != "auto":
        raise ValueError(f'margin is {margin!r}: it must be "auto", "relative" or "difference"')
    has_zero = rule == "nearest" and linker.bound_ is not None  # likelihoods have no bound
    return "relative" if has_zero else "difference"


def _checked_rule(linker: Any, absent: Any) -> str:
    check_is_fitted(linker)
    rule = getattr(getattr(linker, "linker_", linker), "rule", "nearest")
    remedy = 'use linker.set_params(rule="nearest"), which needs no new fit'
    if rule == "one_to_one":
        raise ValueError(f'links of the rule "one_to_one" have no margin: {remedy}')
    if rule != "nearest" and absent is not None:
        raise ValueError(
            f"links of the rule {rule!r} depend on who else is sought, so absent people cannot be "
            f"linked by themselves: {remedy}"
        )
    return str(rule)


def _read_weights(pairs: Any, absent: Any, n_pairs: int, n_absent: int) -> np.ndarray:
    """Weights of the pairs, then of the absent people."""
    if absent is not None and not n_absent:
        raise ValueError("absent_weight is given, but no absent people: give absent too")
    if n_absent and (pairs is None) != (absent is None):
        given, left = ("sample_weight", "absent_weight")[:: 1 if absent is None else -1]
        raise ValueError(f"{given} is given, {left} is not: a precision needs both or neither")
    weights = [_weights(pairs, n_pairs, "sample_weight")]
    if n_absent:
        weights.append(_weights(absent, n_absent, "absent_weight"))
    if not weights[0].any():
        raise ValueError("sample_weight is 0 in all rows: some weight must be above 0")
    return np.concatenate(weights)


def _weights(given: Any, n_records: int, name: str) -> np.ndarray:
    if given is None:
        return np.ones(n_records)
    values = check_array(given, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name)
    if values.shape != (n_records,):
        raise ValueError(
            f"{name} has shape {values.shape}: it must be ({n_records},), one weight for each "
            "record"
        )
    if (values < 0).any():
        row = int((values < 0).argmax())
        raise ValueError(f"{name} is negative in row {row}: weights must be at least 0")
    return np.asarray(values)


def _share(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}: it must be a share from 0 to 1")
    return value
