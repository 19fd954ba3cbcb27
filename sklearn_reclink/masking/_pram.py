"""Post-randomisation (PRAM): each category is replaced at random, with known probabilities.

With ``P[u, v]`` the probability that a record of level u is released as level v, and ``pi`` the
shares of the levels in the file, the expected shares of the release are ``pi P``. An *invariant*
matrix has ``pi R = pi``. Two are used:

* of a retention probability p: ``R = p I + (1 - p) 1 pi'``, a new level drawn from the file itself;
* of a given P: ``R = P Q``, where ``Q[v, u] = pi_u P[u, v] / (pi P)_v`` is the probability that a
  released v was u. Applied after P it restores the shares (Kooiman, Willenborg, Gouweleeuw, 1997).
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import Masker
from sklearn_reclink.masking.columns import Column, Table


def invariant_matrix(P: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The transition matrix ``P Q``, which keeps the expected shares of the levels.

    Parameters
    ----------
    P : ndarray of shape (n_levels, n_levels)
        Transition probabilities; each row sums to 1.
    shares : ndarray of shape (n_levels,)
        The shares, or counts, of the levels in the file.

    Returns
    -------
    ndarray of shape (n_levels, n_levels)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._pram import invariant_matrix
    >>> shares = np.array([0.75, 0.25])
    >>> R = invariant_matrix(np.array([[0.9, 0.1], [0.3, 0.7]]), shares)
    >>> shares @ R
    array([0.75, 0.25])
    """
    joint = P * np.asarray(shares)[:, None]
    released = joint.sum(axis=0)
    Q = (joint / np.where(released > 0, released, 1.0)).T
    return np.asarray(P @ Q)


def draw_levels(codes: np.ndarray, matrix: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """A new level for each record, drawn from the row of its level in a transition matrix."""
    uniform = rng.uniform(size=len(codes))
    new = codes.copy()
    for level in np.unique(codes):
        rows = np.flatnonzero(codes == level)
        cumulated = np.cumsum(matrix[level])
        new[rows] = np.searchsorted(cumulated / cumulated[-1], uniform[rows], side="right")
    return new


def retain_levels(
    codes: np.ndarray, p: float, invariant: bool, rng: np.random.RandomState
) -> np.ndarray:
    """Keep each level with probability p; else draw another, or one of the file if invariant."""
    levels, found = np.unique(codes, return_inverse=True)
    if len(levels) < 2:
        return codes
    kept = rng.uniform(size=len(codes)) < p
    if invariant:
        drawn = found[rng.randint(len(codes), size=len(codes))]
    else:
        drawn = rng.randint(len(levels) - 1, size=len(codes))
        drawn = drawn + (drawn >= found)
    return np.where(kept, codes, levels[drawn])


@dataclass(eq=False, repr=False)
class PRAM(Masker):
    """Mask categories by post-randomisation: each is kept or replaced at random.

    Parameters
    ----------
    p : float or dict of float by column, default=0.8
        The probability that a category is kept. Otherwise another one of the column is released,
        each with the same probability.
    matrix : array-like of shape (n_levels, n_levels), dict of them by column, or None, default=None
        Transition probabilities in place of ``p``: row u has the probabilities that level u is
        released as each level. Levels are those that occur in the file, in the order of the
        categories, otherwise sorted.
    invariant : bool, default=False
        Whether the expected frequencies of the release are those of the file. With ``p``, a
        category is then kept with probability p and otherwise drawn from the frequencies of the
        file, so it may come out again. A given matrix is followed by its Bayesian inverse.
    strata : list of str or int, or None, default=None
        Columns whose combinations are strata; they are not masked themselves. Only categories of
        the same stratum are drawn, except by a ``matrix`` without ``invariant``; with
        ``invariant``, the frequencies are those of the stratum.
    random_state : int, RandomState instance or None, default=None
        The seed. An integer gives the same masked file at every call.
    columns : list of str or int, or None, default=None
        The columns to mask, by name or position; the others are released unchanged. By default
        all but the strata.

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    A missing value stays missing and is never drawn. The columns are masked independently of each
    other. Every distinct value of a column of numbers is a category.

    References
    ----------
    Gouweleeuw, J. M., Kooiman, P., Willenborg, L. C. R. J. and de Wolf, P.-P. (1998). Post
    randomisation for statistical disclosure control: theory and implementation. Journal of
    Official Statistics, 14(4), 463-478.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking import PRAM
    >>> X = np.array([["north"], ["south"], ["south"], ["west"]] * 250, dtype=object)
    >>> Y = PRAM(p=0.7, random_state=0).fit_transform(X)
    >>> round(float((X == Y).mean()), 1)
    0.7
    >>> kept = PRAM(p=0.7, invariant=True, random_state=0).fit_transform(X)
    >>> round(float((kept == "south").mean()), 1)
    0.5
    """

    p: float | Mapping[Any, float] = 0.8
    _: KW_ONLY
    matrix: Any = None
    invariant: bool = False
    strata: Any = None
    random_state: Any = None
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "p": [Interval(Real, 0, 1, closed="both"), dict],
        "matrix": [None, "array-like", dict],
        "invariant": ["boolean"],
        "strata": [None, "array-like", str],
        "random_state": ["random_state"],
    }

    def _settle(self) -> None:
        self.strata_ = [] if self.strata is None else self._positions(self.strata, "strata")
        both = [place for place in self.columns_ if place in self.strata_]
        if self.columns is None:
            self.columns_ = [place for place in self.columns_ if place not in self.strata_]
        elif both:
            raise ValueError(
                f"strata and columns both hold the column(s) at {both}: strata are not masked"
            )

    def _check(self, table: Table) -> None:
        for column in table.at(self.columns_):
            self._matrix_of(column)
            if self._option("p", column) is None and self._option("matrix", column) is None:
                raise ValueError(
                    f"p has no value for the column {column.name!r}: add one, or name the columns "
                    "to mask with columns="
                )

    def _matrix_of(self, column: Column) -> np.ndarray | None:
        given = self._option("matrix", column)
        if given is None:
            return None
        matrix, n_levels = np.asarray(given, dtype=np.float64), len(column.levels[1])
        if matrix.shape != (n_levels, n_levels):
            raise ValueError(
                f"matrix has shape {matrix.shape} for the column {column.name!r}, which has "
                f"{n_levels} levels: give one row and one column for each"
            )
        if not (matrix >= 0).all() or not np.allclose(matrix.sum(axis=1), 1.0):
            raise ValueError(
                f"matrix for the column {column.name!r} must hold probabilities, and every row "
                "must sum to 1"
            )
        return matrix

    def _mask_columns(self, table: Table) -> list[Any]:
        rng = check_random_state(self.random_state)
        strata = np.zeros(len(table), dtype=np.intp)
        for codes, levels in (column.levels for column in table.at(self.strata_)):
            strata = np.unique(strata * (len(levels) + 1) + codes + 1, return_inverse=True)[1]
        members = [np.flatnonzero(strata == one) for one in np.unique(strata)]
        masked = []
        for column in table.at(self.columns_):
            codes, levels = column.levels
            new = codes.copy()
            for rows in members:
                present = rows[codes[rows] >= 0]
                new[present] = self._draw(column, codes[present], rng)
            # a row that holds each level; the last is that of missing cells
            holder = np.full(len(levels) + 1, -1)
            holder[codes] = np.arange(len(codes))
            rows = np.where(codes < 0, np.arange(len(codes)), holder[new])
            masked.append(column.take(rows))
        return masked

    def _draw(self, column: Column, codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        matrix = self._matrix_of(column)
        if matrix is None:
            return retain_levels(codes, self._option("p", column), self.invariant, rng)
        if self.invariant:
            matrix = invariant_matrix(matrix, np.bincount(codes, minlength=len(matrix)))
        return draw_levels(codes, matrix, rng)
