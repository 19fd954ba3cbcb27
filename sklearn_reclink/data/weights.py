"""Sampling weights: how many people of the population each record stands for."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from sklearn_reclink.data.views import powers_of_two


def check_weights(
    given: Any, n_records: int, name: str, *, first_row: int = 0, allow_zeros: bool = False
) -> np.ndarray:
    """The weights as numbers; weights that are missing, negative or all 0 are refused.

    Parameters
    ----------
    given : array-like of shape (n_records,)
        The weights.
    n_records : int
        How many there must be.
    name : str
        What an error calls them. It names the row, and no value.
    first_row : int, default=0
        The number of the first row.
    allow_zeros : bool, default=False
        Whether all weights may be 0.

    Returns
    -------
    ndarray of shape (n_records,)

    Examples
    --------
    >>> from sklearn_reclink.data.weights import check_weights
    >>> check_weights([2, 0.5], 2, "sample_weight")
    array([2. , 0.5])
    """
    try:
        values = check_array(
            given,
            dtype=np.float64,
            ensure_2d=False,
            allow_nd=True,
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
    except (TypeError, ValueError):  # whose messages may have values
        raise ValueError(
            f"{name} must hold {n_records:,} numbers, one weight for each record"
        ) from None
    if values.shape != (n_records,):
        raise ValueError(
            f"{name} has shape {values.shape}: it must be ({n_records},), one weight for each "
            "record"
        )
    for wrong, problem, remedy in (
        (np.isnan(values), "contains NaN", "give every record a weight"),
        (np.isinf(values), "contains infinity", "weights must be finite"),
        (values < 0, "is negative", "weights must be at least 0"),
    ):
        if wrong.any():
            raise ValueError(f"{name} {problem} in row {wrong.argmax() + first_row}: {remedy}")
    if not allow_zeros and not values.any():
        raise ValueError(f"{name} is 0 in all rows: some weight must be above 0")
    return np.asarray(values)


def read_weights(weights: Any, n_records: int) -> np.ndarray:
    """Validate the weights of the records in a share."""
    values = check_weights(weights, n_records, "sample_weight")
    return np.asarray(values / powers_of_two(values[:, None]))  # so that no sum overflows
