"""Differences between an original and a masked record, one variable at a time.

A file becomes *standardised coordinates* once, so that every difference is a subtraction::

    diff_k(a, b) = (a_k - p_k) / s_k - (b_k - q_k) / t_k

================  ==================================  ===============================
``standardize``   original: shift p_k, scale s_k      masked: shift q_k, scale t_k
================  ==================================  ===============================
``"separate"``    mean(X_k), sd(X_k)                  mean(Y_k), sd(Y_k)
``"difference"``  mean(X_k), sd(X_k - Y_k)            the same (DBRL2, 2012 Choquet paper)
``None``          0, 1                                0, 1
================  ==================================  ===============================

``sd`` is the sample standard deviation. In ``"difference"`` the common shift cancels; it keeps
the coordinates small, and with them their rounding. A *key* there, ``X_k - Y_k`` constant while
``X_k`` is not, would be divided by zero: it takes ``sd(X_k)`` instead.

A column constant in either file tells no record from another: constant in ``Y``, it adds the
same to all candidates of a record; constant in ``X``, it ranks the candidates alike for every
record. It contributes nothing: its scale is infinite and its coordinates are 0, in all modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# X - Y carries the rounding of X and Y: a spread below this part of their size is no spread.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Scales:
    """Shift and scale of every variable in both files.

    Parameters
    ----------
    original_shift, original_scale, masked_shift, masked_scale : ndarray of shape (n_features,)
        A variable with an infinite scale contributes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.data.views import learn_scales
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> scales = learn_scales(X, 10 * X, "separate")
    >>> scales.original(X) - scales.masked(10 * X)
    array([[0.],
           [0.],
           [0.]])
    """

    original_shift: np.ndarray
    original_scale: np.ndarray
    masked_shift: np.ndarray
    masked_scale: np.ndarray

    def original(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of original records, (n_records, n_features)."""
        return np.asarray((X - self.original_shift) / self.original_scale)

    def masked(self, Y: np.ndarray) -> np.ndarray:
        """Coordinates of masked records, (n_records, n_features)."""
        return np.asarray((Y - self.masked_shift) / self.masked_scale)

    @property
    def informative(self) -> np.ndarray:
        """Which variables contribute, (n_features,)."""
        return np.isfinite(self.original_scale) & np.isfinite(self.masked_scale)


def learn_scales(X: np.ndarray, Y: np.ndarray, standardize: str | None) -> Scales:
    """Learn the scales of an original and a masked file.

    Parameters
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        The files; row i of ``Y`` is the masked version of row i of ``X``.
    standardize : {"separate", "difference"} or None
        The row of the table above to use.

    Returns
    -------
    Scales
    """
    n_features = X.shape[1]
    sd_original, sd_masked = spread(X), spread(Y)
    if standardize == "separate":
        shifts = X.mean(axis=0), Y.mean(axis=0)
        scales = sd_original, sd_masked
    elif standardize == "difference":
        size = np.maximum(np.abs(X).mean(axis=0), np.abs(Y).mean(axis=0))
        sd_difference = spread(X - Y, size)
        common = np.where(sd_difference > 0, sd_difference, sd_original)
        shifts = (X.mean(axis=0),) * 2
        scales = common, common
    elif standardize is None:
        shifts = (np.zeros(n_features),) * 2
        scales = np.ones(n_features), np.ones(n_features)
    else:
        raise ValueError(
            f'standardize is {standardize!r}: it must be "separate", "difference" or None'
        )
    constant = (sd_original == 0) | (sd_masked == 0)
    original_scale, masked_scale = (np.where(constant, np.inf, scale) for scale in scales)
    return Scales(shifts[0], original_scale, shifts[1], masked_scale)


def spread(values: np.ndarray, size: np.ndarray | None = None) -> np.ndarray:
    """Sample standard deviation of every column, exactly 0 for a constant one.

    ``size`` is the magnitude of the numbers the values were computed from; a spread that is only
    their rounding counts as none.
    """
    if len(values) < 2:
        return np.zeros(values.shape[1])
    sd = values.std(axis=0, ddof=1)
    constant = (values == values[0]).all(axis=0)
    if size is not None:
        constant |= sd <= _ROUNDING * size
    return np.where(constant, 0.0, sd)


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
