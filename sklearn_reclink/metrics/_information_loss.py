"""Information loss: changes of values, covariances and correlations.

With ``s_k`` the sample standard deviation of variable ``k`` in the original file, ``V`` and ``V'``
the covariance matrices of both files, ``R`` and ``R'`` their correlation matrices::

    IL1s          mean over i, k of      |x_ik - y_ik| / (sqrt(2) s_k)
    covariance    mean over k <= l of    |V_kl - V'_kl| / (s_k s_l)     or  / |V_kl|
    correlation   mean over k < l of     |R_kl - R'_kl|

All are 0 for a file that was not masked. IL1s and the change of covariances have no upper limit;
correlations change by 2 at most.

*Matrices.* How far a learned matrix is from the covariance that d2MD uses is equation (10) of the
2015 paper, the mean over the ``n (n + 1) / 2`` different entries::

    MSE(V, V') = mean over k <= l of (V_kl - V'_kl)^2

The links of a distance do not change when its matrix is scaled, and a learned matrix has no scale
of its own. With ``normalize`` both are divided by their Frobenius norms, as in the 2011 paper.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from sklearn_reclink.data.views import spread
from sklearn_reclink.metrics._files import average, read_files


def il1s(X: Any, y: Any, *, multioutput: str = "uniform_average") -> Any:
    """Mean absolute change of a value, in units of ``sqrt(2)`` standard deviations.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, aligned and in the same
        units.
    multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
        The mean over the variables, or one number each.

    Returns
    -------
    float or ndarray of shape (n_features,)
        Infinite for a variable that was constant and is not any more.

    References
    ----------
    W. E. Yancey, W. E. Winkler and R. H. Creedy (2002), Disclosure risk assessment in perturbative
    microdata protection, in Inference Control in Statistical Databases, 135-152.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import il1s
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> round(il1s(X, X + 1), 3)
    0.707
    """
    original, masked = read_files(X, y)
    change = np.abs(original - masked).mean(axis=0)
    return average(_ratio(change, np.sqrt(2) * spread(original)), multioutput)


def covariance_change(X: Any, y: Any, *, relative: bool = False) -> float:
    """Mean absolute change of the covariances and variances.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, in the same units. Rows
        need not be aligned.
    relative : bool, default=False
        Divide each change by the size of the covariance itself: the mean variation of
        Domingo-Ferrer and Torra, which is dominated by covariances near 0. By default each change
        is divided by the standard deviations of its two variables.

    Returns
    -------
    float
        Infinite if a covariance changed whose divisor is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import covariance_change
    >>> X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    >>> covariance_change(X, X[::-1])
    0.0
    >>> round(covariance_change(X, X * [1.0, 2.0]), 3)  # changes of 0, 0.5 and 3
    1.167
    """
    original, masked = read_files(X, y)
    before, after = (np.atleast_2d(np.cov(file, rowvar=False)) for file in (original, masked))
    sd = spread(original)
    size = np.abs(before) if relative else np.outer(sd, sd)
    pairs = np.triu_indices(len(before))
    return float(np.mean(_ratio(np.abs(before - after)[pairs], size[pairs])))


def correlation_change(X: Any, y: Any) -> float:
    """Mean absolute change of the correlations between different variables.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, in any order of rows and
        any units.

    Returns
    -------
    float
        From 0 to 2; 0 for a single variable. A constant variable counts as uncorrelated.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import correlation_change
    >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    >>> round(correlation_change(X, X * [1.0, -1.0]), 6)
    2.0
    """
    original, masked = read_files(X, y)
    if original.shape[1] == 1:
        return 0.0
    pairs = np.triu_indices(original.shape[1], k=1)
    return float(np.mean(np.abs(correlations(original) - correlations(masked))[pairs]))


def matrix_mean_square_difference(first: Any, second: Any, *, normalize: bool = False) -> float:
    """Mean square difference of two symmetric matrices.

    Parameters
    ----------
    first, second : array-like of shape (n_features, n_features)
        Symmetric matrices, such as the covariance of ``X - y`` and the inverse of
        ``BilinearLinker.matrix_``.
    normalize : bool, default=False
        Whether to divide each by its Frobenius norm, so that their scales do not matter.

    Returns
    -------
    float
        0 for equal matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import matrix_mean_square_difference
    >>> matrix_mean_square_difference(np.eye(2), 4 * np.eye(2))  # entries differ by 3, 0 and 3
    6.0
    >>> matrix_mean_square_difference(np.eye(2), 4 * np.eye(2), normalize=True)
    0.0
    """
    matrices = [_symmetric(first, "first"), _symmetric(second, "second")]
    if matrices[0].shape != matrices[1].shape:
        raise ValueError(
            f"the matrices have shapes {matrices[0].shape} and {matrices[1].shape}: they must "
            "describe the same variables"
        )
    if normalize:
        matrices = [matrix / (np.linalg.norm(matrix) or 1.0) for matrix in matrices]
    entries = np.triu_indices(len(matrices[0]))
    return float(np.mean((matrices[0] - matrices[1])[entries] ** 2))


def correlations(file: np.ndarray) -> np.ndarray:
    """Correlation matrix (n_features, n_features), 0 beside a constant variable."""
    sd = spread(file)
    centred = (file - file.mean(axis=0)) / np.where(sd > 0, sd, np.inf)
    return np.asarray(centred.T @ centred / (len(file) - 1))


def _ratio(change: np.ndarray, size: np.ndarray) -> np.ndarray:
    """``change / size``, and 0 if nothing changed, whatever the size."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(change == 0, 0.0, change / size)


def _symmetric(matrix: Any, name: str) -> np.ndarray:
    values = np.asarray(check_array(matrix, dtype=np.float64, input_name=name))
    if values.shape[0] != values.shape[1] or not np.allclose(values, values.T, rtol=1e-6):
        raise ValueError(f"{name}, of shape {values.shape}, is not a symmetric matrix")
    return values
