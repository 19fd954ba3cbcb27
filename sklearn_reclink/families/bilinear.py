"""The symmetric bilinear form, d2SB_NC and d2SB of the papers.

    d^2(a, b) = diff(a, b)' M diff(a, b) = sum_{k <= l} theta_kl diff_k diff_l

``M`` is symmetric, so each product of two variables has one parameter, in the order (0, 0),
(0, 1), ..., (0, n - 1), (1, 1), ...::

    theta_kk = M_kk,        theta_kl = M_kl + M_lk = 2 M_kl   for k < l

A diagonal ``M`` is a weighted mean. ``d^2`` may be negative unless ``M`` is positive semidefinite.

`Bilinear` (d2SB_NC) admits all symmetric matrices.

*Scale.* Links do not change with the scale of ``M``. The one found is multiplied by the power of
two, which rounds nothing, that brings its Frobenius norm to at most that of the identity and more
than half.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sklearn_reclink.families.base import (
    Family,
    distinct,
    sum_of_terms,
    widened,
)
from sklearn_reclink.families.compensated import quadratic
from sklearn_reclink.families.formula import QUADRATIC, SUM, Formula, formula
from sklearn_reclink.families.integers import to_integers

# (p + 5) u D is more than an eighth of the tie tolerance of |d| where |d| < (p + 5) CANCELLED D
CANCELLED = 2.0**-10
TERMS_SHARE = 2.0**-48  # of D in the magnitude: twice the precision tells no more digits apart


@lru_cache
def upper_triangle(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the entries ``k <= l`` of a matrix."""
    return np.triu_indices(n_features)


@lru_cache
def entries_of_matrix(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each entry of a matrix its parameter, and its share of it: a half off the diagonal."""
    entries = np.empty((n_features, n_features), dtype=np.intp)
    upper = upper_triangle(n_features)
    entries[upper] = entries.T[upper] = np.arange(len(upper[0]))
    return entries, np.where(np.eye(n_features, dtype=bool), 1.0, 0.5)


def products(vectors: np.ndarray) -> np.ndarray:
    """``q(v)``, the products ``v_k v_l`` for ``k <= l``, (..., n (n + 1) / 2)."""
    first, second = upper_triangle(vectors.shape[-1])
    return np.asarray(vectors[..., first] * vectors[..., second])


def _integer_products(masked: Sequence[np.ndarray], original: np.ndarray) -> list[list[int]]:
    """``q(a - b)`` of a record and several others, as integers times one power of two."""
    n_features = len(original)
    numbers = to_integers(np.concatenate([original, *masked]))
    found = []
    for start in range(n_features, len(numbers), n_features):
        others = numbers[start : start + n_features]
        differences = [x - y for x, y in zip(numbers, others, strict=False)]
        found.append([x * y for x, y in combinations_with_replacement(differences, 2)])
    return found


class Bilinear(Family):
    """Products of differences, one parameter per pair of variables; all symmetric matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import Bilinear
    >>> theta = Bilinear(2).pack(np.array([[2.0, -1.0], [-1.0, 3.0]]))
    >>> theta
    array([ 2., -2.,  3.])
    >>> values, _ = Bilinear(2).evaluate(theta, np.array([[1.0, 2.0]]))
    >>> values
    array([10.])
    """

    monotone = False
    non_negative = False

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.n_parameters = n_features * (n_features + 1) // 2
        self._pairs: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def features(self, differences: np.ndarray) -> np.ndarray:
        return products(differences)

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances ``d``, and the larger of ``|d|`` and ``2**-48 D`` to judge ties by.

        Where terms cancel, ``d`` is computed again in twice the precision.
        """
        return self.between(theta, differences, np.zeros(self.n_features))

    def between(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        if self.caps is not None:  # categories and missing values: nothing is left to subtract
            original, masked = self.differences(original, masked), np.zeros(self.n_features)
        differences = original - masked
        values, terms = sum_of_terms(theta, self._products(differences), differences.shape[:-1])
        sizes = np.abs(values, out=np.empty(np.shape(values)))
        doubtful = (self.n_parameters + 5) * CANCELLED * terms > sizes
        if doubtful.any():
            files = (
                np.broadcast_to(file, differences.shape)[doubtful] for file in (original, masked)
            )
            values[doubtful] = quadratic(theta, *(file.T for file in files))
            sizes[doubtful] = np.abs(values[doubtful])
        return values, np.maximum(sizes, np.multiply(TERMS_SHARE, terms, out=terms), out=sizes)

    def _products(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        for k, m in zip(*upper_triangle(self.n_features), strict=True):
            yield differences[..., k] * differences[..., m]

    def formula(self, theta: np.ndarray) -> Formula | None:
        if self.caps is not None:
            return None
        matrix = self.unpack(theta)
        values, vectors = np.linalg.eigh(matrix)
        norm = float(np.linalg.norm(np.abs(matrix), 2))
        if values[0] < -1e-14 * norm:  # no box bounds it: nothing is pruned
            nothing = np.zeros(self.n_features)
            return formula(SUM, nothing, theta, distance=QUADRATIC, condition=np.inf, norm=norm)
        kept = values > 0
        return formula(
            SUM,
            np.ones(np.count_nonzero(kept)),
            theta,
            distance=QUADRATIC,
            root=vectors[:, kept] * np.sqrt(values[kept]),
            condition=norm / values[0] if values[0] > 1e-12 * norm else np.inf,
            norm=norm,
        )

    def nearest_others(
        self, theta: np.ndarray, original: np.ndarray, masked: np.ndarray, own: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        if self.caps is not None:
            return super().nearest_others(theta, original, masked, own)
        from sklearn_reclink.families import bilinear_kernel

        columns = np.ascontiguousarray(masked.T)
        impostors, margins, terms = bilinear_kernel.nearest_others(
            self._matrices(theta), original, columns, own
        )
        return impostors, margins, 4 * (self.n_features + 1) ** 2 * 2.0**-53 * terms

    def quick_values(self, theta: np.ndarray, differences: np.ndarray) -> np.ndarray:
        return np.asarray((differences @ self.unpack(theta) * differences).sum(axis=-1))

    @property
    def rows(self) -> np.ndarray:
        return np.empty((0, self.n_parameters))

    # links are proven impossible without any tolerance: that of ties is not linear in theta here
    whole_rows = False

    def tolerated(self, own: np.ndarray, other: np.ndarray) -> np.ndarray | None:
        return None

    def uncertain(self, own: np.ndarray, other: np.ndarray, same: np.ndarray) -> np.ndarray:
        first, second = upper_triangle(self.n_features)  # the same products, to the last bit
        return np.where(same[:, first] & same[:, second], 0.0, np.abs(own) + np.abs(other))

    def integer_row(self, original: np.ndarray, own: np.ndarray, other: np.ndarray) -> list[int]:
        if self.caps is not None:
            own, other = self.differences(original, own), self.differences(original, other)
            original = np.zeros(self.n_features)
        mine, theirs = _integer_products([own, other], original)
        return [x - y for x, y in zip(theirs, mine, strict=True)]

    def integer_cone_row(self, row: np.ndarray) -> list[int]:
        pair = self._pairs.get(row.tobytes())
        return to_integers(row) if pair is None else _integer_products([pair[1]], pair[0])[0]

    def _cuts(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """The rows ``q(a - b)``, whose records are remembered for exact arithmetic."""
        if self.caps is not None:
            original, masked = self.differences(original, masked), np.zeros_like(masked)
        rows = products(original - masked)
        pairs = zip(original, masked, strict=True)
        self._pairs.update(zip((row.tobytes() for row in rows), pairs, strict=True))
        return rows

    @property
    def centre(self) -> np.ndarray:
        return self.pack(np.eye(self.n_features) / self.n_features)

    @property
    def normaliser(self) -> np.ndarray:
        return np.zeros(self.n_parameters)

    @property
    def n_paper_constraints(self) -> int:
        return 0

    def starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """Simple weighted means, the matrix of d2MD, and what masking changed the least.

        The second is the inverse covariance of ``X - y``; the last are squares of its principal
        combinations of variables, one each.
        """
        own = self.differences(original, masked[: len(original)])
        whiten = whitening(own, spread_of(original, self.caps))
        squares = [np.outer(one, one) for one in simple_ratios(whiten.T)]
        matrices = [whiten @ whiten.T, *squares]
        return [*super().starts(original, masked), *(self.pack(matrix) for matrix in matrices)]

    def all_starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        """The matrix of d2MD first: a search without time for more does not end below it."""
        equal, inverse, mahalanobis, *squares = self.starts(original, masked)
        return distinct([mahalanobis, self.centre, equal, inverse, *squares])

    def from_weights(self, weights: np.ndarray) -> np.ndarray | None:
        return self.pack(np.diag(weights))

    def tree_part(self, original: np.ndarray, masked: np.ndarray) -> Family:
        """Positive semidefinite matrices: counting with any other takes all pairs."""
        from sklearn_reclink.families.semidefinite import SemidefiniteBilinear

        own = self.differences(original, masked[: len(original)])
        part = SemidefiniteBilinear(self.n_features, own)
        part.caps = self.caps
        return part

    def normalised(self, theta: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm(self.unpack(theta)) / np.sqrt(self.n_features)
        return theta if norm == 0 else np.ldexp(theta, -int(np.ceil(np.log2(norm))))

    def shrunk(self, theta: np.ndarray, share: float) -> np.ndarray:
        # both of the Frobenius norm of the identity
        norm = np.linalg.norm(self.unpack(theta))
        equal = self.pack(np.eye(self.n_features))
        scaled = theta * (np.sqrt(self.n_features) / norm) if norm > 0 else equal
        return np.asarray((1 - share) * scaled + share * equal)

    def published(self, theta: np.ndarray, informative: np.ndarray) -> dict[str, Any]:
        return {"matrix_": widened(self.unpack(theta), informative)}

    def theta_of(self, fitted: Any, informative: np.ndarray) -> np.ndarray:
        return self.pack(fitted.matrix_[np.ix_(informative, informative)])

    @property
    def without_files(self) -> Family:
        family = Bilinear(self.n_features)
        family.caps = self.caps
        return family

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        matrix = np.asarray(parameters, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"the matrix has shape {matrix.shape}, it must be square")
        twice = matrix + matrix.T
        twice[np.diag_indices_from(twice)] = np.diag(matrix)
        return np.asarray(twice[upper_triangle(len(matrix))])

    def unpack(self, theta: np.ndarray) -> np.ndarray:
        if len(theta) != self.n_parameters:
            raise ValueError(
                f"theta has {len(theta)} entries, a symmetric matrix of {self.n_features} "
                f"variables needs {self.n_parameters}"
            )
        return self._matrices(theta)

    def _matrices(self, theta: np.ndarray) -> np.ndarray:
        """The matrices of parameters (..., n_parameters)."""
        entries, shares = entries_of_matrix(self.n_features)
        return np.asarray(theta[..., entries] * shares)

    def labels(self, variables: Sequence[str]) -> list[str]:
        return ["_".join(pair) for pair in combinations_with_replacement(variables, 2)]


def lifted(
    theta: np.ndarray, identity: np.ndarray, lack: Callable[[np.ndarray], float]
) -> np.ndarray:
    """Add multiples of the identity, at least of the size of rounding, until nothing lacks."""
    step = np.finfo(float).eps * np.abs(theta).max(initial=0.0)
    while step > 0 and np.isfinite(step) and (missing := lack(theta)) > 0:
        theta = theta + max(missing, step) * identity
        step *= 2
    return theta


_SPREAD_FLOOR = 1e-7
_EIGENVALUE_FLOOR = 1e-10


def spread_of(original: np.ndarray, caps: np.ndarray | None) -> np.ndarray:
    """Standard deviation of every coordinate of the original file; the cap of a category."""
    if caps is None:
        return np.std(original, axis=0, ddof=1)
    spread, several = np.zeros(len(caps)), np.count_nonzero(~np.isnan(original), axis=0) > 1
    spread[several] = np.nanstd(original[:, several], axis=0, ddof=1)
    return np.where(np.isfinite(caps), caps, spread)


def whitening(own: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """``W`` with ``W W'`` the inverse covariance of the differences of aligned records.

    Let ``s_k = sd(X_k - Y_k)``, at least ``1e-7 sd(X_k)``, and ``R`` the covariance of
    ``(X - Y) / s``, with spectrum ``V diag(l) V'``. Then ``W = diag(1 / s) V diag(l)^-1/2`` with
    ``l`` at least ``1e-10`` of its largest. A direction that masking did not change, a key variable
    or a preserved total, has ``l = 0``: the floor lets it dominate the distance, as it would in the
    limit of ever smaller changes, where a pseudo-inverse would have it vanish.

    Returns
    -------
    ndarray of shape (n_features, n_features)
    """
    scale = np.maximum(np.std(own, axis=0, ddof=1), _SPREAD_FLOOR * spread)
    scale[scale == 0] = 1.0
    differences = own / scale
    covariance = np.atleast_2d(np.cov(differences, rowvar=False))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    largest = eigenvalues[-1] if eigenvalues[-1] > 0 else 1.0
    eigenvalues = np.maximum(eigenvalues, _EIGENVALUE_FLOOR * largest)
    return np.asarray(vectors / np.sqrt(eigenvalues) / scale[:, None])


def simple_ratios(vectors: np.ndarray) -> np.ndarray:
    """The vectors, those within 1e-5 of ratios of small integers as such ratios.

    Where rounded data tie exactly, a matrix touches its cone along such a vector. Eigenvectors
    come ever nearer to it without end; its own cut settles the tie.
    """
    largest = np.argmax(np.abs(vectors), axis=1)[:, None]
    scaled = vectors / np.take_along_axis(vectors, largest, axis=1)
    ratios = np.array(
        [[float(Fraction(x).limit_denominator(60)) for x in row] for row in scaled.tolist()]
    )
    simple = np.abs(ratios - scaled).max(axis=1, keepdims=True) < 1e-5
    return np.where(simple, ratios, scaled)
