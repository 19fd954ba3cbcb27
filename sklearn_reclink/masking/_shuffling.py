"""Data shuffling: values exchanged between records so that margins and correlations are kept.

``Z`` are the normal scores of the file, ``z_ik = Phi^-1(rank of x_ik)``, with mid-ranks for equal
values. ``B`` are their means over sets of at least k near records (MDAV), or ``Z`` itself if k is
1. ``W`` is white Gaussian noise, one draw for each set, made orthogonal to ``B``. With p percent of
noise and a correlation matrix ``C``::

    S = sqrt(1 - p / 100) B A + sqrt(p / 100) W C^(1/2),      cov(B A) = C

so ``S`` has the correlations ``C``. Variable by variable, the values of the file are released in
the order of ``S`` (Muralidhar and Sarathy, 2006): the record with the r-th score takes the r-th
value. If k is above 1, a set releases the mean of the values that its records take.

``C`` begins as the correlations of ``Z``. Exchanging values changes those of the file from ``R`` to
``R'``; ``C`` is moved by ``(R - R') / 2`` and projected to the correlation matrices, some rounds
long, and the release with the least ``||R - R'||`` is kept.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import special, stats
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import NumericMasker, by_powers_of_two
from sklearn_reclink.masking._microaggregation import check_k_records, group_means, mdav
from sklearn_reclink.masking.columns import Table

_ROUNDS = 20
_LEAST_EIGENVALUE = 1e-8


def normal_scores(X: np.ndarray) -> np.ndarray:
    """Standard normal quantiles of the mid-ranks of each variable, 0 where a value is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._shuffling import normal_scores
    >>> normal_scores(np.array([[1.0], [50.0], [2.0]])).ravel().round(2)
    array([-0.97,  0.97,  0.  ])
    """
    Z = np.zeros(X.shape)
    for k, column in enumerate(X.T):
        present = ~np.isnan(column)
        if present.any():
            rank = stats.rankdata(column[present])
            Z[present, k] = special.ndtri((rank - 0.5) / present.sum())
    return Z


def shuffled(
    X: np.ndarray, p: float, k: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The row whose value each record takes, for every variable.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_features)
        The file, NaN where a value is missing; a missing value stays where it is.
    p : float
        Percent of noise in the scores.
    k : int
        The least number of records that share their scores.
    rng : RandomState
        Draws the noise.

    Returns
    -------
    rows : ndarray of shape (n_records, n_features)
    sets : ndarray of shape (n_records,)
        The set of each record, numbered from 0.
    """
    X = by_powers_of_two(X)[0]
    Z = normal_scores(X)
    sets = mdav(Z, k) if k > 1 else np.arange(len(X))
    B = _standardised(group_means(Z, sets) if k > 1 else Z)
    noise = rng.normal(size=(sets.max() + 1, X.shape[1]))[sets]
    W = _white(noise, B)
    kept, replaced = np.sqrt(1 - p / 100), np.sqrt(p / 100)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X) if np.isnan(X).any() else X
    target, given = _correlations(filled), _correlations(B)
    C = _correlations(Z)
    root, inverse = _root(given, 0.5), _root(given, -0.5)
    best, least = None, np.inf
    for _ in range(_ROUNDS):
        A = inverse @ _root(root @ C @ root, 0.5) @ inverse
        rows = _in_order(X, kept * B @ A + replaced * W @ _root(C, 0.5), sets)
        values = np.take_along_axis(filled, rows, axis=0)
        released = _correlations(group_means(values, sets) if k > 1 else values)
        change = float(np.square(target - released).sum())
        if change < least:
            best, least = rows, change
        C = _nearest_correlation(C + (target - released) / 2)
    assert best is not None
    return np.asarray(best), sets


def _in_order(X: np.ndarray, S: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The rows whose values stand in the order of the scores; missing values stay."""
    rows = np.tile(np.arange(len(X))[:, None], X.shape[1])
    for k, column in enumerate(X.T):
        present = np.flatnonzero(~np.isnan(column))
        order = np.lexsort([sets[present], np.round(S[present, k], 12)])
        rows[present[order], k] = present[np.argsort(column[present], kind="stable")]
    return rows


def _standardised(B: np.ndarray) -> np.ndarray:
    centred = B - B.mean(axis=0)
    sd = centred.std(axis=0)
    return np.asarray(centred / np.where(sd > 0, sd, 1.0))


def _white(noise: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Noise with the identity as covariance, orthogonal to scores as far as records allow."""
    centred = noise - noise.mean(axis=0)
    along = np.linalg.lstsq(B, centred, rcond=None)[0]
    free = centred - B @ along
    if np.linalg.matrix_rank(free) < free.shape[1]:
        free = centred
    return np.asarray(free @ _root(free.T @ free / len(free), -0.5))


def _correlations(X: np.ndarray) -> np.ndarray:
    """The correlation matrix; a constant variable is correlated with none."""
    Z = _standardised(X)
    R = Z.T @ Z / len(Z)
    np.fill_diagonal(R, 1.0)
    return np.asarray(R)


def _root(C: np.ndarray, power: float) -> np.ndarray:
    """A power of a symmetric matrix, its eigenvalues kept above 0."""
    values, vectors = np.linalg.eigh((C + C.T) / 2)
    return np.asarray(vectors * np.maximum(values, _LEAST_EIGENVALUE) ** power @ vectors.T)


def _nearest_correlation(C: np.ndarray) -> np.ndarray:
    """The matrix with its eigenvalues above 0 and ones on the diagonal."""
    positive = _root(C, 1.0)
    sd = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(sd, sd))


@dataclass(eq=False, repr=False)
class DataShuffling(NumericMasker):
    """Mask a file by exchanging values so that margins and correlations are nearly kept.

    The values of each variable are released in the order of scores that keep the correlations of
    the file and follow the records only in part. With ``k=1`` every variable holds the same values
    as before. With a larger ``k`` the records form sets of at least k, and those of a set are
    released alike (k-anonymity).

    Parameters
    ----------
    p : float, default=50.0
        How much of the variance of the scores is noise, in percent: 0 changes nothing if k is 1,
        100 makes the records independent of the originals.
    k : int, default=1
        The least number of records that are released alike.
    keep_integers : bool, default=False
        Round the variables that hold whole numbers only, if k is above 1.
    random_state : int, RandomState instance or None, default=None
        Draws the noise. An integer gives the same masked file at every call.
    %(numeric_columns)s

    Attributes
    ----------
    %(columns_)s

    See Also
    --------
    RankSwapping : Values exchanged variable by variable; correlations are not kept.
    Microaggregation : Sets of records released as their means.

    Notes
    -----
    With ``k=1`` a missing value stays missing, and the largest value of a variable is released, as
    by rank swapping. With a larger k missing values are refused. Correlations and margins are kept;
    dependence beyond correlations, such as that in small groups of people, is not.

    References
    ----------
    Muralidhar, K. and Sarathy, R. (2006). Data shuffling: a new masking approach for numerical
    data. Management Science, 52(5), 658-670.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import DataShuffling
    >>> X = make_microdata(500, 3, random_state=0)
    >>> Y = DataShuffling(p=60, random_state=0).fit_transform(X)
    >>> bool((np.sort(Y, axis=0) == np.sort(X, axis=0)).all())
    True
    >>> bool(np.abs(np.corrcoef(X.T) - np.corrcoef(Y.T)).max() < 0.01)
    True
    """

    p: float = 50.0
    _: KW_ONLY
    k: int = 1
    keep_integers: bool = False
    random_state: Any = None
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NumericMasker._parameter_constraints,
        "p": [Interval(Real, 0, 100, closed="both")],
        "k": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    @property
    def _allows_missing(self) -> bool:  # type: ignore[override]
        return self.k == 1

    def _check(self, table: Table) -> None:
        check_k_records(table, self.k)

    def _mask_columns(self, table: Table) -> list[Any]:
        if self.k > 1:
            return super()._mask_columns(table)
        chosen = table.at(self.columns_)
        X = np.column_stack([column.numbers for column in chosen])
        rows, _ = shuffled(X, self.p, 1, check_random_state(self.random_state))
        return [column.take(taken) for column, taken in zip(chosen, rows.T, strict=True)]

    def _mask(self, X: np.ndarray) -> np.ndarray:
        rows, sets = shuffled(X, self.p, self.k, check_random_state(self.random_state))
        return group_means(np.take_along_axis(X, rows, axis=0), sets)
