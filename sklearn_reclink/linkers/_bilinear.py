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
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import StrOptions
from sklearn_reclink.families import (
    Bilinear,
    Family,
    NonnegativeBilinear,
    ProjectedBilinear,
    SemidefiniteBilinear,
)
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._learned import ExactLinker
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Problem, Solution

_SAME_SIZE = 8  # of variables, in powers of two, that need no scaling
FAMILIES = {
    "free": lambda index: Bilinear(index.n_variables),
    "nonnegative": lambda index: NonnegativeBilinear(
        *(file[:, : index.n_variables] for file in (index.original, index.masked))
    ),
    "projected": lambda index: ProjectedBilinear(index.n_variables),
    "psd": lambda index: SemidefiniteBilinear(index.n_variables, index.own_differences()),
}


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class BilinearLinker(ExactLinker):
    """Link records by the symmetric bilinear form that re-identifies the most of them.

    With a positive semidefinite matrix, links are found by a search tree, in time near-linear in
    the number of records. With any other, all pairs are compared, in batches on the workers of
    ``n_jobs``: the time grows with the square of the number of records, and ``verbose`` shows
    beforehand how long it may take. If ``time_limit`` is too short to do so a few times, only
    positive semidefinite matrices are searched, whatever the constraint; ``bound_`` is still that
    of the constraint. A search without proof continues from the best weighted mean, so it does not
    end below it (``"projected"`` may). With ``"difference"`` among the ways to standardise it does
    not end below `MahalanobisLinker` either, whatever the time limit.

    Parameters
    ----------
    constraint : {"free", "nonnegative", "projected", "psd"}, default="psd"
        The admissible matrices: all symmetric ones, with which a distance may be negative; those
        with no negative distance between a record of ``X`` and a record of ``y``, before what
        missing values add; the best free one, then projected onto the positive semidefinite
        ones; or the positive semidefinite ones themselves, with which the distance is a
        pseudometric.
    %(of_exact)s

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        The learned symmetric matrix, on the differences that ``standardize`` defines, scaled by a
        power of two to a Frobenius norm in ``(sqrt(n) / 2, sqrt(n)]``, up to the repair (with
        ``"projected"``, before the projection). With ``"psd"`` and ``"projected"``,
        ``np.linalg.eigvalsh(matrix_)[0] >= 0``. A column constant in either file has zeros (in its
        diagonal, the rounding that makes the matrix positive semidefinite).
    %(proof_)s
        It is ``"projected"`` when the free matrix was proven optimal and its projection links
        fewer records; ``bound_`` is then that of the free ones.
    %(claimed_links_ certificate_)s
    %(files_)s

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

    constraint: str = "psd"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactLinker._parameter_constraints,
        "constraint": [StrOptions(set(FAMILIES))],
    }

    _has_ceiling: ClassVar[bool] = False  # not monotone in |diff_k|
    _most_variables: ClassVar[int] = 40  # a matrix of 820 parameters
    _for_wide_files: ClassVar[str] = "MahalanobisLinker or WeightedMeanLinker"

    _family_name: ClassVar[str] = "bilinear"

    def _base_family(self, index: Index) -> Family:
        return FAMILIES[self.constraint](index)

    def _solve(self, problem: Problem, **limits: Any) -> Solution:
        """Search in coordinates of one size: powers of two change no link and no proof."""
        index = problem.index
        if index.caps is not None:
            return super()._solve(problem, **limits)
        exponents = np.frexp(np.ptp(np.vstack([index.original, index.masked]), axis=0))[1]
        if np.ptp(exponents) <= _SAME_SIZE:
            return super()._solve(problem, **limits)
        files = (np.ldexp(file, -exponents) for file in (index.original, index.masked))
        scaled = Index(*files, n_jobs=index.n_jobs, verbose=index.verbose)
        solution = super()._solve(Problem(self._family_of(scaled), scaled), **limits)
        first, second = np.triu_indices(len(exponents))
        if solution.theta is None:
            return solution
        theta = np.ldexp(solution.theta, -exponents[first] - exponents[second])
        return replace(solution, theta=theta)
