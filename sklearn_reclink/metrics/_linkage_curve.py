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

    recall    = sum w (right claims) / sum w (pairs)
    precision = sum w (right claims) / sum w (claims)

The claims are those of pairs and absent people, or those of pairs alone for an intruder who knows
who is in the release.

*Which margin?* Of an intruder who knows that one of the candidates is right, the difference is, up
to a factor, the log-likelihood ratio of the best two, if masking adds normal noise of one size or
if distances are minus log-likelihoods. An intruder who does not know must also tell people from
those who are absent. Where records are sparse, wrong candidates are far apart, so the difference is
large for absent outliers. The relative margin does not change when all distances of a person are
multiplied by a number. Neither is the better one for all files, and a poor one makes a release
look safer than it is: by default each reading takes the one of larger average precision, ``sum_t
(recall_t - recall_(t-1)) precision_t``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from sklearn_reclink.data.pool import unwrapped
from sklearn_reclink.metrics._claimed_links import ClaimedLinks, LinkageCurve
from sklearn_reclink.search.ties import strictly_nearer


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
    """Recall and precision of an intruder who claims only the clear links.

    A link is claimed when its margin, how much farther the second nearest masked record is than
    the nearest, is at least a threshold. When all are claimed, the recall is the linker's `score`.

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
    margin : {"auto", "difference", "relative"}, default="auto"
        The difference of the two squared distances, or that divided by their sum. ``"auto"`` takes,
        for each of the two intruders, the one of larger average precision.

    Returns
    -------
    LinkageCurve

    See Also
    --------
    sklearn_reclink.inspection.LinkageCurveDisplay : Plots it.

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
    if margin != "auto" and margin not in _MARGINS:
        raise ValueError(f'margin is {margin!r}: it must be "auto", "difference" or "relative"')
    n_absent = 0 if absent is None else len(absent)
    _check_rule(linker, n_absent)
    found = linker.link(X, y, pool=pool)
    n_pairs, release = len(found.links), y if pool is None else pool
    pool_size = len(unwrapped(release))
    if pool_size < 2:
        raise ValueError("the pool has 1 record: a margin needs at least 2, to have a runner-up")
    weights = _read_weights(sample_weight, absent_weight, n_pairs, n_absent)
    nearest, second = linker.kneighbors(X, 2, pool=release)[0].T
    claimed, right = (found.n_tied == 1) & (found.links >= 0), found.reidentified
    people = _People(nearest, second, claimed, right, weights[:n_pairs], n_pairs)
    everyone = people
    if n_absent:
        near, far = linker.kneighbors(absent, 2, pool=release)[0].T
        strict = strictly_nearer(near, np.abs(near), far, np.abs(far))
        strict &= linker.predict(absent, pool=release) >= 0
        added = near, far, strict, np.zeros(n_absent, dtype=bool)
        joined = map(np.append, (nearest, second, claimed, right), added)
        everyone = _People(*joined, weights, n_pairs)
    known, unknown = (one.claims(margin) for one in (people, everyone))
    return LinkageCurve(known, unknown, n_pairs, n_absent, pool_size)


@dataclass(frozen=True)
class _People:
    """Who is linked how, the pairs first."""

    nearest: np.ndarray
    second: np.ndarray
    claimed: np.ndarray
    right: np.ndarray
    weights: np.ndarray
    n_pairs: int

    def claims(self, margin: str) -> ClaimedLinks:
        names = _MARGINS if margin == "auto" else (margin,)
        return max(map(self._claims, names), key=lambda claims: claims.average_precision)

    def _claims(self, margin: str) -> ClaimedLinks:
        order = np.flatnonzero(self.claimed)
        margins = _MARGINS[margin](self.nearest[order], self.second[order])
        descending = np.argsort(-margins, kind="stable")
        order, margins = order[descending], margins[descending]
        last = np.flatnonzero(np.append(margins[1:] != margins[:-1], True)[: len(order)])

        def up_to(values: np.ndarray) -> np.ndarray:
            return np.append(np.zeros(1, values.dtype), np.cumsum(values[order])[last])

        number = up_to(self.weights * self.right)
        with np.errstate(invalid="ignore"):  # the share of no claims
            precision = number / up_to(self.weights)
        recall = number / self.weights[: self.n_pairs].sum()
        counts = (up_to(one.astype(np.intp)) for one in (self.claimed, self.right))
        threshold = np.append(np.inf, margins[last])
        return ClaimedLinks(margin, threshold, recall, precision, *counts, number)


def _relative(nearest: np.ndarray, second: np.ndarray) -> np.ndarray:
    largest = np.maximum(np.abs(nearest), np.abs(second))  # above 0 where there is no tie
    nearest, second = nearest / largest, second / largest  # so that no sum overflows
    return np.asarray((second - nearest) / (np.abs(nearest) + np.abs(second)))


_MARGINS = {"difference": lambda nearest, second: second - nearest, "relative": _relative}


def _check_rule(linker: Any, n_absent: int) -> None:
    check_is_fitted(linker)
    rule = getattr(getattr(linker, "linker_", linker), "rule", "nearest")
    remedy = 'use rule="nearest" (linker.set_params needs no new fit)'
    if rule == "one_to_one":
        raise ValueError(f'links of the rule "one_to_one" have no margin: {remedy}')
    if rule != "nearest" and n_absent:
        raise ValueError(
            f"links of the rule {rule!r} depend on who else is sought, so absent people cannot be "
            f"linked by themselves: {remedy}"
        )


def _read_weights(pairs: Any, absent: Any, n_pairs: int, n_absent: int) -> np.ndarray:
    """Weights of the pairs, then of the absent people."""
    if absent is not None and len(absent) and not n_absent:
        raise ValueError("absent_weight is given, but no absent people: give absent too")
    if n_absent and (pairs is None) != (absent is None):
        given, left = ("sample_weight", "absent_weight")[:: 1 if absent is None else -1]
        raise ValueError(f"{given} is given, {left} is not: a precision needs both or neither")
    weights = _weights(pairs, n_pairs, "sample_weight")
    if not weights.any():
        raise ValueError("sample_weight is 0 in all rows: some weight must be above 0")
    return np.append(weights, _weights(absent, n_absent, "absent_weight")) if n_absent else weights


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
