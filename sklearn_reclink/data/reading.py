"""Reading the two files a linker is given, and saying clearly what is wrong with them.

The original file is validated as scikit-learn validates any ``X``. The masked file is a second
``X``: two-dimensional, finite numbers, the same variables, matched by name where both have names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_samples, check_array, validate_data

from sklearn_reclink.data.views import check_aligned_index, column_names, match_columns

_WHAT_Y_IS = (
    "y is the masked file: a table with the columns of X, row i being the masked version of row i "
    "of X"
)


def read_pair(
    linker: BaseEstimator, X: Any, y: Any, *, reset: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Validate an original file and its masked version, aligned row by row."""
    if y is None:
        raise ValueError(
            f"{type(linker).__name__} requires y to be passed, but the target y is None. "
            f"{_WHAT_Y_IS}"
        )
    original = read_original(linker, X, reset=reset)
    masked = read_masked(linker, y, column_names(X), file="masked file", name="y")
    if len(masked) != len(original):
        raise ValueError(
            f"masked file has {len(masked)} records, original has {len(original)}: {_WHAT_Y_IS}"
        )
    check_aligned_index(X, y)
    return original, masked


def impostors_beyond(masked: np.ndarray, pool: np.ndarray) -> np.ndarray:
    """Records of the pool that are not those of the masked file, each of which is in it once.

    Returns
    -------
    ndarray of shape (n_pool - n_masked, n_features)
    """
    _, kinds = np.unique(np.concatenate([masked, pool]), axis=0, return_inverse=True)
    kinds = kinds.ravel()
    own, others = kinds[: len(masked)], kinds[len(masked) :]
    order = np.argsort(others, kind="stable")
    nth = np.arange(len(others)) - np.searchsorted(others[order], others[order])
    taken = np.bincount(own, minlength=kinds.max() + 1)
    in_pool = np.bincount(others, minlength=kinds.max() + 1)
    missing = np.flatnonzero(taken[own] > in_pool[own])
    if len(missing):
        raise ValueError(
            f"row {missing[0]} of y is not in the pool, or fewer times than in y ({len(missing)} "
            "such rows): the pool is the whole masked file, the records of y among the others"
        )
    return pool[np.sort(order[nth >= taken[others[order]]])]


def read_original(linker: BaseEstimator, X: Any, *, reset: bool) -> np.ndarray:
    """Validate original records; ``reset`` when they are those of `fit`."""
    if reset and hasattr(X, "shape") and len(X.shape) == 2 and X.shape[0] == 1:
        raise ValueError(
            f"original file has 1 record (n_samples=1): {type(linker).__name__} needs at least 2, "
            "since a record is linked by being told apart from others"
        )
    with _explained(X, "original file", "X"):
        return np.asarray(
            validate_data(
                linker, X, dtype=np.float64, reset=reset, ensure_min_samples=2 if reset else 1
            )
        )


def read_masked(
    linker: BaseEstimator, table: Any, names: Sequence[str] | None, *, file: str, name: str
) -> np.ndarray:
    """Validate masked records against the variables the linker was fitted on.

    ``names`` are those of the original records at hand; where they have none, the names seen in
    `fit` count.
    """
    n_features = linker.n_features_in_
    if names is None:
        names = getattr(linker, "feature_names_in_", None)
    table = match_columns(names, table, file)
    shape = table.shape if hasattr(table, "shape") else np.shape(table)
    if len(shape) != 2:
        _num_samples(table)  # scikit-learn's own error for what is no table at all
        advice = f"Use {name}.reshape(-1, 1) if that is its only variable. "
        raise ValueError(
            f"{file} {name} is {len(shape)}-dimensional and so has 1 column, original has "
            f"{n_features}: it must be 2-dimensional and describe the same variables. "
            + (advice if n_features == 1 else "")
            + _WHAT_Y_IS
        )
    if shape[1] != n_features:
        raise ValueError(
            f"{file} has {shape[1]} column{'s' * (shape[1] != 1)}, original has {n_features}: "
            f"they must describe the same variables. {_WHAT_Y_IS}"
        )
    with _explained(table, file, name):
        return np.asarray(check_array(table, dtype=np.float64, input_name=name, estimator=linker))


@contextmanager
def _explained(table: Any, file: str, name: str) -> Iterator[None]:
    """Add to an error of scikit-learn where in which file the offending value stands."""
    try:
        yield
    except (TypeError, ValueError) as error:
        found = _offender(table, f"{file} {name}")
        if found is None:
            raise
        first_line = str(error).splitlines()[0]
        raise type(error)(f"{found}. {first_line}") from error


def _offender(table: Any, file: str) -> str | None:
    """Describe the first value of a table that is not a finite number, if there is one."""
    try:
        values = np.asarray(table, dtype=object)
    except (TypeError, ValueError):
        return None
    if values.ndim != 2:
        return None
    names: Sequence[Any] = column_names(table) or range(values.shape[1])
    for column, of_column in zip(names, values.T, strict=True):
        for row, value in enumerate(of_column):
            place = f"column {column!r} of the {file}"
            if _is_missing(value):
                return (
                    f"{place} has a missing value (NaN) in row {row}: impute it, or drop the "
                    "record from both files"
                )
            try:
                number = float(value)
            except (TypeError, ValueError):
                return (
                    f"{place} holds {value!r} in row {row}, which is no number: encode the column "
                    "as numbers in both files, or leave it out"
                )
            if np.isinf(number):
                return (
                    f"{place} has an infinite value (inf) in row {row}: replace it by a number, or "
                    "drop the record from both files"
                )
    return None


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
