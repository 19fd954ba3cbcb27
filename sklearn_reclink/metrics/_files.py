"""What measures are given and return: files, shares, one number or one for each variable."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from sklearn_reclink.data.reading import check_aligned_index, column_names, match_columns


def read_files(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two tables of finite numbers with the same columns, aligned row by row.

    Columns are matched by name if both tables have names, otherwise by position.
    """
    y = match_columns(column_names(X), y)
    check_aligned_index(X, y)
    original = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    masked = check_array(y, dtype=np.float64, input_name="y", ensure_min_samples=2)
    if original.shape != masked.shape:
        raise ValueError(
            f"masked file has {masked.shape[0]} records and {masked.shape[1]} columns, original "
            f"has {original.shape[0]} and {original.shape[1]}: row i of y must be the masked "
            "version of row i of X"
        )
    return original, masked


def check_share(name: str, share: float) -> None:
    """Raise if a number is no share."""
    if not 0 <= share <= 1:
        raise ValueError(
            f"{name} is {share}: it must be a share from 0 to 1; divide a percentage by 100"
        )


def average(values: np.ndarray, multioutput: str) -> Any:
    """One value per variable (n_features,), or their mean."""
    if multioutput == "raw_values":
        return values
    if multioutput == "uniform_average":
        return float(np.mean(values))
    raise ValueError(
        f'multioutput is {multioutput!r}: it must be "uniform_average" or "raw_values"'
    )
