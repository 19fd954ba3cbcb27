"""The symmetric bilinear form that links the most records, d2SB and its variants.

    maximise   #{ i : d^2(a_i, b_i) < d^2(a_i, b_j) for all j != i }
    subject to d^2(a, b) = diff(a, b)' M diff(a, b),   M symmetric

================  =============================================================  ============
``constraint``    asked of ``M``                                                 papers' name
================  =============================================================  ============
``"free"``        nothing                                                        d2SB_NC
``"nonnegative"`` ``d^2 >= 0`` on every pair of the two files, eq. (9), 2015     d2SB
``"projected"``   the best free one, then the nearest positive semidefinite one  d2SB_PD
``"psd"``         positive semidefinite                                          future work
================  =============================================================  ============

Each set contains the one below (``"projected"`` ends in the last), and all contain the diagonal
matrices, which are the weighted means. The search starts from those, and from the inverse
covariance of ``X - y``, the matrix of d2MD.

*Projection.* The nearest positive semidefinite matrix in the Frobenius norm has the negative
eigenvalues of ``M`` set to zero (Higham). It links other records than ``M`` does: their count
is what ``n_linked_`` says.

*Repair.* A matrix on the border of a cone is beside it after rounding. The least multiple of the
identity is added that puts it in: until ``np.linalg.eigvalsh(matrix_)[0] >= 0``, or until the
distances of all pairs, as `score` computes them, are at least 0.

*Scale.* Links do not change with the scale of ``M``. The one found is multiplied by the power of
two, which rounds nothing, that brings its Frobenius norm to at most that of the identity and more
than half, before it is projected or repaired.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils._param_validation import StrOptions

from sklearn_reclink.families import Bilinear, Distance
from sklearn_reclink.families.cones import (
    Domain,
    NonnegativeOnPairs,
    PositiveSemidefinite,
    SymmetricMatrices,
)
from sklearn_reclink.linkers.learned import LearnedLinker, simple_weights
from sklearn_reclink.linkers.mahalanobis import whitening
from sklearn_reclink.solvers.problem import Solution, Status

Files = tuple[np.ndarray, np.ndarray]


def nearest_psd(matrix: np.ndarray) -> np.ndarray:
    """The nearest positive semidefinite matrix in the Frobenius norm, up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.linkers.bilinear import nearest_psd
    >>> nearest_psd(np.array([[2.0, 0.0], [0.0, -1.0]]))
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ root.T)


def lift_eigenvalues(matrix: np.ndarray, files: Files) -> np.ndarray:
    """Add the rounding to the diagonal that keeps a computed eigenvalue below 0."""
    return _lifted(matrix, lambda lifted: -float(np.linalg.eigvalsh(lifted)[0]))


def lift_distances(matrix: np.ndarray, files: Files) -> np.ndarray:
    """Add the rounding to the diagonal that keeps the distance of a pair below 0."""
    original, masked = files

    def lack(lifted: np.ndarray) -> float:
        theta = Bilinear().pack(lifted)
        most = 0.0
        for a in original:
            differences = a - masked
            values, _ = Bilinear().evaluate(theta, differences)
            below = values < 0
            if below.any():
                lengths = (differences[below] ** 2).sum(axis=1)
                most = max(most, float(np.max(-values[below] / lengths)))
        return most

    return _lifted(matrix, lack)


def _lifted(matrix: np.ndarray, lack: Callable[[np.ndarray], float]) -> np.ndarray:
    """Add multiples of the identity, at least of the size of rounding, until nothing lacks."""
    step = np.finfo(float).eps * np.abs(matrix).max()
    while step > 0 and (missing := lack(matrix)) > 0:
        matrix = matrix + max(missing, step) * np.eye(len(matrix))
        step *= 2
    return matrix


def power_of_two_scale(matrix: np.ndarray) -> np.ndarray:
    """Scale to a Frobenius norm above ``sqrt(n) / 2`` and at most ``sqrt(n)``, exactly."""
    norm = np.linalg.norm(matrix) / np.sqrt(len(matrix))
    if norm == 0:
        return matrix
    return np.asarray(np.ldexp(matrix, -int(np.ceil(np.log2(norm)))))


Domains = Callable[[np.ndarray, np.ndarray], Domain]


def _all(original: np.ndarray, masked: np.ndarray) -> Domain:
    # an indefinite matrix takes all pairs to count: among many records only others are tried
    from sklearn_reclink.solvers.large import MOST_RECORDS

    if len(original) > MOST_RECORDS:
        return _semidefinite(original, masked)
    return SymmetricMatrices(original.shape[1])


def _semidefinite(original: np.ndarray, masked: np.ndarray) -> Domain:
    return PositiveSemidefinite(original.shape[1], original - masked[: len(original)])


@dataclass(frozen=True)
class Constraint:
    """The matrices searched, and what is done to the one found."""

    domain: Domains
    finish: Callable[[np.ndarray, Files], np.ndarray]
    projects: bool = False


CONSTRAINTS = {
    "free": Constraint(_all, lambda matrix, files: matrix),
    "nonnegative": Constraint(NonnegativeOnPairs, lift_distances),
    "projected": Constraint(
        _all, lambda matrix, files: lift_eigenvalues(nearest_psd(matrix), files), projects=True
    ),
    "psd": Constraint(_semidefinite, lift_eigenvalues),
}


class BilinearLinker(LearnedLinker):
    """Link records by the symmetric bilinear form that re-identifies the most of them.

    A positive semidefinite matrix links by a search tree, in time near-linear in the records. With
    any other, all pairs are compared, in batches on the workers of ``n_jobs``: the time grows with
    the square of the records, and ``verbose`` shows beforehand how long it may take.

    Parameters
    ----------
    constraint : {"free", "nonnegative", "projected", "psd"}, default="psd"
        The matrices admitted: all symmetric ones, with which a distance may be negative; those
        with no negative distance between a record of ``X`` and a record of ``y``; the best free
        one, then projected onto the positive semidefinite ones; or the positive semidefinite
        ones themselves, with which the distance is a metric up to identification.
    standardize : {"separate", "difference", "rank"} or None, default="separate"
        ``"separate"`` standardises each file by its own means and standard deviations;
        ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; None takes
        ``a - b`` as it is. A column constant in either file contributes nothing and has zeros in
        the matrix (in its diagonal, the rounding that makes the matrix positive semidefinite).
        ``"rank"`` compares ranks, each as a share of its own file.
    rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
        How distances become links in `predict`, `link` and `score`: the nearest masked record,
        as in the papers; the same with a price for masked records that many originals are near
        to (``"density"``, and ``"balanced"``, where prices leave one link each on average); or
        the one-to-one assignment of least total distance. ``n_linked_``, ``bound_`` and
        ``status_`` are always of ``"nearest"``.
    shrinkage : float, default=0.0
        Share of equal weights mixed into the learnt parameters, which then fit the known pairs
        less and others often better. ``bound_`` stays that of the unshrunk ones, and ``status_``
        is ``"shrunk"`` where links are lost.
    time_limit : float or None, default=60.0
        Seconds after which the search ends without a proof; None for no limit. The best matrix
        found is kept, ``bound_`` says how far it may be from the optimum, and a
        `ConvergenceWarning` is given. A search without proof goes on from the best
        weighted mean, so it does not end below it (``"projected"`` may).
    n_jobs : int or None, default=None
        Number of joblib workers.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. An optimum has many matrices; the seed decides among them.
    verbose : int, default=0
        Print the progress of the search, and of linking, when positive.

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        The learnt symmetric matrix, on the differences that ``standardize`` defines, scaled by a
        power of two to a Frobenius norm in ``(sqrt(n) / 2, sqrt(n)]``, up to the repair (with
        ``"projected"``, before the projection). With ``"psd"`` and ``"projected"``,
        ``np.linalg.eigvalsh(matrix_)[0] >= 0``.
    n_linked_ : int
        Number of records re-identified in the files of `fit`, recounted with ``matrix_``.
    bound_ : int
        No admissible matrix re-identifies more records than this; for ``"projected"``, no
        symmetric matrix does.
    status_ : str
        ``"optimal"`` when ``n_linked_ == bound_``; else ``"time_limit"``, or ``"undecided"`` when
        ties within rounding left the proof open although there was time, or ``"projected"`` when
        the free matrix was proven optimal and its projection links fewer records.
    masked_ : ndarray of shape (n_records, n_features)
        The masked file of `fit`, columns in the order of ``X``.
    scales_ : Scales
        Shifts and scales of both files.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the variables, when ``X`` has names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import BilinearLinker, WeightedMeanLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> error = rng.normal(size=(50, 3))
    >>> Y = X + error - error.mean(axis=1, keepdims=True)  # the sum of each record is kept
    >>> WeightedMeanLinker(standardize=None).fit(X, Y).n_linked_
    9
    >>> linker = BilinearLinker(standardize=None).fit(X, Y)
    >>> linker.n_linked_, linker.bound_, linker.status_
    (50, 50, 'optimal')
    """

    _parameter_constraints = {
        **LearnedLinker._parameter_constraints,
        "constraint": [StrOptions(set(CONSTRAINTS))],
    }

    _has_ceiling = False  # not monotone in |diff_k|

    matrix_: np.ndarray

    def __init__(
        self,
        *,
        constraint: str = "psd",
        standardize: str | None = "separate",
        rule: str = "nearest",
        shrinkage: float = 0.0,
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        super().__init__(
            standardize=standardize,
            rule=rule,
            shrinkage=shrinkage,
            time_limit=time_limit,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.constraint = constraint

    @property
    def _distance(self) -> Distance:
        return Bilinear()

    @property
    def _theta(self) -> np.ndarray:
        return Bilinear().pack(self.matrix_)

    def _domain(self, original: np.ndarray, masked: np.ndarray) -> Domain:
        return CONSTRAINTS[self.constraint].domain(original, masked)

    def _starts(self, original: np.ndarray, masked: np.ndarray) -> list[np.ndarray]:
        whiten = whitening(original, masked[: len(original)])
        means = [self._from_weights(weights) for weights in simple_weights(original, masked)]
        return [*means, Bilinear().pack(whiten @ whiten.T)]

    def _from_weights(self, weights: np.ndarray) -> np.ndarray:
        return Bilinear().pack(np.diag(weights))

    def _settle(self, solution: Solution, original: np.ndarray, masked: np.ndarray) -> Solution:
        assert solution.theta is not None
        constraint = CONSTRAINTS[self.constraint]
        n_variables = int(np.count_nonzero(self._informative))
        matrix = self._widen(Bilinear().unpack(solution.theta, n_variables))
        self.matrix_ = constraint.finish(power_of_two_scale(matrix), (original, masked))
        if constraint.projects and solution.status is Status.OPTIMAL:
            return replace(solution, status=Status.PROJECTED)
        return solution

    def _shrink(self, share: float) -> None:
        # both of the Frobenius norm of the identity
        equal = np.diag(self._informative.astype(float))
        norm = np.linalg.norm(self.matrix_)
        scaled = self.matrix_ * (np.linalg.norm(equal) / norm) if norm > 0 else equal
        self.matrix_ = (1 - share) * scaled + share * equal
