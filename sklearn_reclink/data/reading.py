"""Reading the two files a linker is given, and saying clearly what is wrong with them.

The original file is validated as scikit-learn validates any ``X``. The masked file is a second
``X``: two-dimensional, finite numbers, the same variables, matched by name where both have names.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from sklearn_reclink._sklearn_compat import num_samples
from sklearn_reclink.data.exactness import check_exact
from sklearn_reclink.data.pool import Pool, own_first, unwrapped
from sklearn_reclink.data.safe_range import powers_of_two

WHAT_Y_IS = (
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
            f"{WHAT_Y_IS}"
        )
    original = read_original(linker, X, reset=reset)
    masked = read_masked(linker, y, column_names(X), file="masked file", name="y")
    if len(masked) != len(original):
        raise ValueError(
            f"masked file has {len(masked)} records, original has {len(original)}: {WHAT_Y_IS}"
        )
    check_aligned_index(X, y)
    return original, masked


def in_shards(*files: Any, most: int = 2**21) -> bool:
    """Whether a file is to be read a part at a time: `Shards`, or mapped and of many records."""
    return any(
        hasattr(file, "parts") or (isinstance(file, np.memmap) and len(file) > most)
        for file in files
    )


def read_original(linker: BaseEstimator, X: Any, *, reset: bool) -> np.ndarray:
    """Validate original records; ``reset`` when they are those of `fit`."""
    if reset and hasattr(X, "shape") and len(X.shape) == 2 and X.shape[0] == 1:
        raise ValueError(
            f"original file has 1 record (n_samples=1): {type(linker).__name__} needs at least 2, "
            "since a record is linked by being told apart from others"
        )
    check_exact(X, column_names(X), "original file X")
    # one memory order, so that moments do not depend on that of the table
    options: dict[str, Any] = {"dtype": np.float64, "order": "C", "reset": reset}
    with _explained(X, "original file", "X"):
        return np.asarray(validate_data(linker, X, ensure_min_samples=2 if reset else 1, **options))


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
    check_exact(table, column_names(table), f"{file} {name}")
    table = match_columns(names, table, file)
    shape = table.shape if hasattr(table, "shape") else np.shape(table)
    if len(shape) != 2:
        num_samples(table)  # scikit-learn's own error for what is no table at all
        advice = f"Use {name}.reshape(-1, 1) if that is its only variable. "
        raise ValueError(
            f"{file} {name} is {len(shape)}-dimensional and so has 1 column, original has "
            f"{n_features}: it must be 2-dimensional and describe the same variables. "
            + (advice if n_features == 1 else "")
            + WHAT_Y_IS
        )
    if shape[1] != n_features:
        raise ValueError(
            f"{file} has {shape[1]} column{'s' * (shape[1] != 1)}, original has {n_features}: "
            f"they must describe the same variables. {WHAT_Y_IS}"
        )
    with _explained(table, file, name):
        return np.asarray(
            check_array(table, dtype=np.float64, order="C", input_name=name, estimator=linker)
        )


def read_pairs(pairs: Any, n_features: int) -> np.ndarray:
    """Validate pairs of an original and a masked record, (n_pairs, 2, n_features)."""
    shape = np.shape(pairs)
    if len(shape) != 3 or shape[1:] != (2, n_features):
        raise ValueError(f"pairs has shape {shape}: it must be (n_pairs, 2, {n_features})")
    values = pairs if isinstance(pairs, np.ndarray) else np.asarray(pairs, dtype=object)
    check_exact(values.reshape(-1, n_features), None, "pairs")
    return np.asarray(check_array(pairs, dtype=np.float64, allow_nd=True, input_name="pairs"))


def read_weights(weights: Any, n_records: int) -> np.ndarray | None:
    """Validate the weights of the records in a share, None for equal ones."""
    if weights is None:
        return None
    options: dict[str, Any] = {"ensure_2d": False, "allow_nd": True, "input_name": "sample_weight"}
    values = np.asarray(check_array(weights, dtype=np.float64, **options))
    if values.shape != (n_records,):
        raise ValueError(
            f"sample_weight has shape {values.shape}: it must be ({n_records},), one weight for "
            "each record"
        )
    if (values < 0).any():
        row = int((values < 0).argmax())
        raise ValueError(f"sample_weight is negative in row {row}: weights must be at least 0")
    if not values.any():
        raise ValueError("sample_weight is 0 in all rows: some weight must be above 0")
    return np.asarray(values / powers_of_two(values[:, None]))  # so that no sum overflows


def read_pool(
    linker: BaseEstimator, pool: Any, names: Sequence[str] | None, masked: np.ndarray | None = None
) -> np.ndarray:
    """Validate a pool; the masked records ``masked``, if given, come first in the result."""
    records = read_masked(linker, unwrapped(pool), names, file="pool", name="pool")
    if masked is None:
        return records
    return own_first(masked, records, may_be_cut=not isinstance(pool, Pool))


@contextmanager
def _explained(table: Any, file: str, name: str) -> Iterator[None]:
    """Put into an error of scikit-learn where the value stands, and leave out the value."""
    try:
        yield
    except (TypeError, ValueError) as error:
        found = _offender(table, f"{file} {name}")
        if found is None:
            raise
        first_line = str(error).splitlines()[0].partition(": ")[0]
        raise type(error)(f"{found}. {first_line}") from None


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
                    f"{place} has a value of type {type(value).__name__} in row {row}, which is no "
                    "number: encode the column as numbers in both files, or leave it out"
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


def column_names(table: Any) -> list[str] | None:
    """Names of the columns of a table, None unless all are strings.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"age": [31], "income": [2100.0]}))
    ['age', 'income']
    >>> column_names([[31, 2100.0]]) is None
    True
    """
    if hasattr(table, "column_names"):  # pyarrow, whose `columns` are the data
        columns = table.column_names
    elif hasattr(table, "columns"):
        columns = table.columns
    elif hasattr(table, "__dataframe__"):
        columns = table.__dataframe__().column_names()
    else:
        return None
    names = list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def match_columns(names: Sequence[str] | None, table: Any, file: str = "masked file") -> Any:
    """Put the columns of a table into the order of the original file.

    Parameters
    ----------
    names : sequence of str or None
        Names of the columns of the original file.
    table : array-like or dataframe of shape (n_records, n_features)
        The masked file. Without names on either side columns are matched by position.
    file : str, default="masked file"
        What errors call the table.

    Returns
    -------
    array-like or dataframe
        The table itself when nothing has to move.

    Examples
    --------
    >>> import pandas as pd
    >>> Y = pd.DataFrame({"income": [2100.0], "age": [31]})
    >>> list(match_columns(["age", "income"], Y).columns)
    ['age', 'income']
    """
    given = column_names(table)
    if names is None or given is None:
        return table
    names = list(names)
    if given == names:
        return table
    missing = [name for name in names if name not in given]
    extra = [name for name in given if name not in names]
    if missing or extra or len(given) != len(names):
        found = [
            f"{what} {list(columns)}"
            for what, columns in [
                ("lacks", missing),
                ("adds", extra),
                ("repeats", sorted({name for name in given if given.count(name) > 1})),
            ]
            if columns
        ]
        raise ValueError(
            f"{file} has {len(given)} columns, original has {len(names)}: they must describe the "
            f"same variables, but the {file} {' and '.join(found)}. Select and name its columns "
            "as in the original, or pass arrays to match them by position"
        )
    order = [given.index(name) for name in names]
    if hasattr(table, "iloc"):
        return table.iloc[:, order]
    return np.asarray(table)[:, order]


def check_aligned_index(X: Any, Y: Any) -> None:
    """Refuse two pandas files whose indexes differ.

    Rows are aligned by position. Where both files carry an index and the indexes disagree, either
    the order or the people differ, and any rate would be that of wrong pairs.
    """
    indexes: list[Any] = [getattr(table, "index", None) for table in (X, Y)]
    if not all(hasattr(index, "equals") for index in indexes) or len(X) != len(Y):
        return
    if not indexes[0].equals(indexes[1]):
        raise ValueError(
            "X and y have different indexes: row i of y must be the masked version of row i of "
            "X. Use y.reindex(X.index) if the index identifies people, or "
            "reset_index(drop=True) on both if the rows are aligned by position"
        )
