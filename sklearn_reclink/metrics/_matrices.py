"""How far a learned matrix is from the covariance that d2MD uses.

Equation (10) of the 2015 paper, the mean over the ``n (n + 1) / 2`` different entries::

    MSE(V, V') = mean over k <= l of (V_kl - V'_kl)^2

The links of a distance do not change when its matrix is scaled, and a learned matrix has no scale
of its own. With ``normalize`` both are divided by their Frobenius norms, as in the 2011 paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array


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


def _symmetric(matrix: Any, name: str) -> np.ndarray:
    values = np.asarray(check_array(matrix, dtype=np.float64, input_name=name))
    if values.shape[0] != values.shape[1] or not np.allclose(values, values.T, rtol=1e-6):
        raise ValueError(f"{name}, of shape {values.shape}, is not a symmetric matrix")
    return values
