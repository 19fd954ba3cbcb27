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
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink.data.pool import unwrapped
from sklearn_reclink.data.weights import check_weights
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
    `inspection.LinkageCurveDisplay` plots it.

    Parameters
    ----------
    linker : fitted linker
        The attacker. Under the rule ``"one_to_one"`` links have no margin; under ``"density"`` and
        ``"balanced"`` they depend on who else is sought, so ``absent`` needs ``"nearest"``.
    X, y : array-like or dataframe of shape (n_pairs, n_features)
        The people in both files: original records and their masked versions, aligned.
    pool : array-like, dataframe or Pool of shape (n_masked, n_features), default=None
        The whole release, the records of ``y`` among its rows. By default the release is ``y``.
    absent : array-like or dataframe of shape (n_absent, n_features), default=None
        Original records of people who are not in the release.
    sample_weight, absent_weight : array-like of shape (n_pairs,), (n_absent,), default=None
        Weights of the pairs and of the absent people, such as how many people in the population
        each one stands for; if there are absent people, both or neither.
    margin : {"auto", "difference", "relative"}, default="auto"
        The difference of the two squared distances, or that divided by their sum. ``"auto"`` takes,
        for each of the two intruders, the one of larger average precision.

    Returns
    -------
    LinkageCurve

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.metrics import linkage_curve
    >>> X, Y = np.array([[0.0], [3.0], [4.0], [9.0]]), np.array([[0.0], [3.5], [4.0], [9.0]])
    >>> linker = EuclideanLinker(standardize=None).fit(X, Y)
    >>> curve = linkage_curve(linker, X, Y, absent=[[3.9], [20.0]])
    >>> curve.known.at_precision(0.9), curve.unknown.at_precision(0.9)
    (1.0, 0.75)
    """
    _check_options(linker, margin, absent)
    pairs, everyone = _people(linker, X, y, pool, absent, (sample_weight, absent_weight))
    known, unknown = (one.claims(margin) for one in (pairs, everyone))
    n_absent = len(everyone.distances) - pairs.n_pairs
    pool_size = len(unwrapped(y if pool is None else pool))
    return LinkageCurve(known, unknown, pairs.n_pairs, n_absent, pool_size)


def _people(
    linker: Any, X: Any, y: Any, pool: Any, absent: Any, weights: tuple[Any, Any]
) -> "tuple[_People, _People]":
    """Those of the pairs, and these with the absent people."""
    release = y if pool is None else pool
    found, n_absent = linker.link(X, y, pool=pool), 0 if absent is None else len(absent)
    n_pairs = len(found.links)
    if len(unwrapped(release)) < 2:
        raise ValueError("the pool has 1 record: a margin needs at least 2, to have a runner-up")
    read = _read_weights(*weights, n_pairs, n_absent)
    distances = linker.kneighbors(X, 2, pool=release)[0]
    claimed = (found.n_tied == 1) & (found.links >= 0)
    pairs = _People(distances, claimed, found.reidentified, read[:n_pairs], n_pairs)
    if not n_absent:
        return pairs, pairs
    others, strict = _link_absent(linker, absent, release)
    right = np.append(found.reidentified, np.zeros(n_absent, dtype=bool))
    distances, claimed = np.append(distances, others, axis=0), np.append(claimed, strict)
    return pairs, _People(distances, claimed, right, read, n_pairs)


def _link_absent(linker: Any, absent: Any, release: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two least distances of people who are not in the release, and whether they are linked."""
    try:
        found = linker.kneighbors(absent, 2, pool=release)[0]
    except ValueError as error:
        raise ValueError(f"absent people, read as an original file X: {error}") from error
    magnitudes = np.abs(found)
    strict = strictly_nearer(found[:, 0], magnitudes[:, 0], found[:, 1], magnitudes[:, 1])
    return found, strict & (linker.predict(absent, pool=release) >= 0)


@dataclass(frozen=True)
class _People:
    """Who is linked how, the pairs first."""

    distances: np.ndarray  # (n_people, 2)
    claimed: np.ndarray
    right: np.ndarray
    weights: np.ndarray
    n_pairs: int

    def claims(self, margin: str) -> ClaimedLinks:
        names = _MARGINS if margin == "auto" else (margin,)
        return max(map(self._claims, names), key=lambda claims: claims.average_precision)

    def _claims(self, margin: str) -> ClaimedLinks:
        order = np.flatnonzero(self.claimed)
        margins = _MARGINS[margin](*self.distances[order].T)
        descending = np.argsort(-margins, kind="stable")
        order, margins = order[descending], margins[descending]
        last = np.flatnonzero(np.append(margins[1:] != margins[:-1], True)[: len(order)])

        def up_to(values: np.ndarray) -> np.ndarray:
            return np.append(np.zeros(1, values.dtype), np.cumsum(values[order])[last])

        number = up_to(self.weights * self.right)
        with np.errstate(invalid="ignore"):  # the share of no claims
            precision = number / up_to(self.weights)
        missed = self.weights[: self.n_pairs] @ ~self.right[: self.n_pairs]
        recall = number / (number[-1] + missed)  # 1 for all, whatever the order of the sum
        n_claimed, n_right = up_to(self.claimed.astype(int)), up_to(self.right.astype(int))
        threshold = np.append(np.inf, margins[last])
        return ClaimedLinks(margin, threshold, recall, precision, n_claimed, n_right, number)


def _relative(nearest: np.ndarray, second: np.ndarray) -> np.ndarray:
    largest = np.maximum(np.abs(nearest), np.abs(second))  # above 0 where there is no tie
    nearest, second = nearest / largest, second / largest  # so that no sum overflows
    return np.asarray((second - nearest) / (np.abs(nearest) + np.abs(second)))


_MARGINS = {"difference": lambda nearest, second: second - nearest, "relative": _relative}


def _check_options(linker: Any, margin: str, absent: Any) -> None:
    if margin != "auto" and margin not in _MARGINS:
        raise ValueError(f'margin is {margin!r}: it must be "auto", "difference" or "relative"')
    check_is_fitted(linker)
    rule = getattr(getattr(linker, "linker_", linker), "rule", "nearest")
    remedy = 'use rule="nearest" (linker.set_params needs no new fit)'
    if rule == "one_to_one":
        raise ValueError(f'links of the rule "one_to_one" have no margin: {remedy}')
    if rule != "nearest" and absent is not None and len(absent):
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
    weights = np.ones(n_pairs + n_absent)
    if pairs is not None:
        weights[:n_pairs] = check_weights(pairs, n_pairs, "sample_weight")
    if n_absent and absent is not None:
        weights[n_pairs:] = check_weights(absent, n_absent, "absent_weight", allow_zeros=True)
    return weights
