"""The errors of several numeric variables together, some of them missing.

The error of a pair is normal with covariance ``C``, the difference of two people has variance
``v_k`` in variable ``k``. Over the variables ``o`` present in both records the log-likelihood ratio
is, but for what depends on the masked record alone::

    s = (sum_o log v_k - log det C_oo) / 2 - d_o' C_oo^-1 d_o / 2

So a missing value tells nothing, and the errors present tell what they tell together. To take a
missing difference as 0 would say that the value is right, and prefer records with missing values.
Every entry of ``C`` is the mean over the pairs that have both variables; variances below 0 are
raised. Pairs are computed in groups that miss the same variables.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from sklearn_reclink.likelihood.pair_likelihood import joint_left_out, whitening_of


@dataclass(frozen=True)
class JointErrors:
    """Log-likelihood ratios by the covariance of the errors.

    Attributes
    ----------
    covariance : ndarray of shape (n_numeric, n_numeric)
        ``C``.
    variances : ndarray of shape (n_numeric,)
        ``v``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.joint_errors import JointErrors
    >>> joint = JointErrors(np.eye(2), np.array([np.e**2, np.e**4]))
    >>> joint.table(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0], [1.0, np.nan]]))
    array([[2. , 0.5]])
    """

    covariance: np.ndarray
    variances: np.ndarray

    def table(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Ratios of all pairs, (n_records, n_masked); NaN is a missing value."""
        found = np.zeros((len(original), len(masked)))
        of_masked = list(_groups(masked))
        for here, absent in _groups(original):
            for there, absent_too in of_masked:
                known = ~(absent | absent_too)
                if not known.any():
                    continue
                constant, white = self.of(known)
                a, b = (
                    times(file[rows][:, known], white)
                    for file, rows in ((original, here), (masked, there))
                )
                found[np.ix_(here, there)] = constant - 0.5 * cdist(a, b, "sqeuclidean")
        return found

    def left_out(self, errors: np.ndarray, n_pairs: np.ndarray) -> np.ndarray:
        """Ratio of each pair it was learned from, as if learned from the others.

        ``n_pairs`` (n_numeric,) is how many pairs have each variable.
        """
        found = np.zeros(len(errors))
        for here, absent in _groups(errors):
            known = ~absent
            if known.any():
                constant, white = self.of(known)
                squares = ((errors[here][:, known] @ white) ** 2).sum(axis=1)
                found[here] = constant + joint_left_out(squares, n_pairs[known].min())
        return found

    def of(self, known: np.ndarray) -> tuple[float, np.ndarray]:
        """The constant and the whitening of some variables."""
        white = whitening_of(self.covariance[np.ix_(known, known)])
        log_det = -2 * np.log(np.linalg.norm(white, axis=0)).sum()
        return float(0.5 * (np.log(self.variances[known]).sum() - log_det)), white


def learn_joint_errors(original: np.ndarray, masked: np.ndarray) -> tuple[JointErrors, np.ndarray]:
    """Learn the covariance of the errors from aligned pairs.

    Parameters
    ----------
    original, masked : ndarray of shape (n_pairs, n_numeric)
        Values; NaN is a missing one. Every variable has two pairs with both.

    Returns
    -------
    joint : JointErrors
    left_out : ndarray of shape (n_pairs,)
        Log ratio of each pair, as if learned from the others; 0 where all is missing.
    """
    errors = original - masked
    known = (~np.isnan(errors)).astype(float)
    filled = np.where(np.isnan(errors), 0.0, errors)
    both = known.T @ known
    covariance = filled.T @ filled / np.maximum(both, 1)
    variances, axes = np.linalg.eigh(covariance)
    covariance = (axes * np.maximum(variances, 0.0)) @ axes.T
    joint = JointErrors(covariance, np.nanvar(original, axis=0) + np.nanvar(masked, axis=0))
    return joint, joint.left_out(errors, np.diag(both))


def times(file: np.ndarray, white: np.ndarray) -> np.ndarray:
    """The product of matrices, one term after the other as in compiled code, to the last bit.

    Unlike by BLAS, equal rows have equal products.
    """
    found = np.zeros((len(file), white.shape[1]))
    for column, row in zip(file.T, white, strict=True):
        found += column[:, None] * row
    return found


def _groups(file: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows that miss the same variables, and which these are."""
    patterns, group = np.unique(np.isnan(file), axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(group.ravel() == number), pattern
