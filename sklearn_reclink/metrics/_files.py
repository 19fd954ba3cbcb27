"""What measures are given and return: files, shares, one number or one for each variable."""

from typing import Any

import numpy as np

from sklearn_reclink.data.alignment import check_aligned_index
from sklearn_reclink.data.kinds import NUMERIC, Variables, learn_variables
from sklearn_reclink.data.reading import column_names, match_columns

_FILES = "original file X", "masked file y"


def read_codes(X: Any, y: Any) -> tuple[Variables, np.ndarray, np.ndarray]:
    """Two tables with the same columns, aligned row by row, as the linkers read them.

    Columns are matched by name if both tables have names, otherwise by position. Dates, times and
    durations are numbers, and so are levels and categories; missing values are NaN.
    """
    y = match_columns(column_names(X), y)
    check_aligned_index(X, y)
    variables = learn_variables(X, y)
    if not variables.kinds:
        raise ValueError("the files have no columns: at least 1 is needed")
    original, masked = variables.codes(*zip((X, y), _FILES, strict=True))
    if len(original) != len(masked):
        raise ValueError(
            f"masked file has {len(masked)} records, original has {len(original)}: row i of y must "
            "be the masked version of row i of X"
        )
    if len(original) < 2:
        raise ValueError(f"the files have n_records={len(original)}: at least 2 are needed")
    return variables, original, masked


def read_files(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same of tables of numbers and dates alone, none of which is missing."""
    variables, *files = read_codes(X, y)
    names = variables.names or range(len(variables.kinds))
    for k, (name, kind) in enumerate(zip(names, variables.kinds, strict=True)):
        if kind != NUMERIC:
            raise ValueError(
                f"column {name!r} is not numeric: this measure takes numbers, dates and durations. "
                "Convert it to numbers in both files, or leave it out; `information_loss` takes "
                "categories too"
            )
        for codes, file in zip(files, _FILES, strict=True):
            missing = np.isnan(codes[:, k])
            if missing.any():
                raise ValueError(
                    f"column {name!r} of the {file} has a missing value in row {missing.argmax()}: "
                    "drop the record from both files; `information_loss` takes missing values too"
                )
    return files[0], files[1]


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
