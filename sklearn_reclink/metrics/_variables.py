"""The variables of an original file and its masked version, of any kind, and their changes.

The definitions are in `_mixed_loss`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.data.alignment import check_aligned_index
from sklearn_reclink.data.columns import Column, read_columns
from sklearn_reclink.data.kinds import common_type
from sklearn_reclink.data.reading import column_names, match_columns


class Variable(NamedTuple):
    """A variable of both files: codes of common levels, -1 where missing, or numbers."""

    categorical: bool
    original: np.ndarray
    masked: np.ndarray

    @property
    def missing(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the value is missing, in the original and in the masked file."""
        if self.categorical:
            return self.original < 0, self.masked < 0
        return np.isnan(self.original), np.isnan(self.masked)


def read_tables(X: Any, y: Any) -> tuple[list[Column], list[Column]]:
    """The columns of both files, those of the masked one in the order of the original."""
    names = column_names(X)
    y = match_columns(names, y)
    check_aligned_index(X, y)
    original = read_columns(X, names, "original file X")
    if not original or not len(original[0].missing):
        raise ValueError("original file X is empty: it needs at least one row and one column")
    masked = read_columns(y, [column.name for column in original], "masked file y")
    n_records = [len(columns[0].missing) for columns in (original, masked)]
    if n_records[0] != n_records[1]:
        raise ValueError(
            f"masked file has {n_records[1]} records, original has {n_records[0]}: row i of y must "
            "be the masked version of row i of X"
        )
    return original, masked


def variables_of(
    files: tuple[list[Column], list[Column]], categorical_features: Any
) -> list[Variable]:
    """The variables of both files, by their kind."""
    names = [column.name for column in files[0]]
    told = [] if categorical_features is None else list(categorical_features)
    unknown = [one for one in told if one not in names and one not in range(len(names))]
    if unknown:
        raise ValueError(f"categorical_features holds {unknown}; the columns are {names}")
    found = []
    for place, pair in enumerate(zip(*files, strict=True)):
        named = pair[0].name in told or place in told
        if named or not _is_numeric(pair):
            found.append(Variable(True, *_common_codes(*pair)))
        else:
            common_type(pair)
            found.append(Variable(False, pair[0].numbers(), pair[1].numbers()))
    return found


def _is_numeric(pair: tuple[Column, ...]) -> bool:
    """Whether a column has values, and neither categories nor levels."""
    held = [one for one in pair if one.type is not None]
    return bool(held) and not any(one.nominal or one.levels is not None for one in held)


def _common_codes(original: Column, masked: Column) -> tuple[np.ndarray, np.ndarray]:
    number: dict[Any, int] = {}
    codes = np.full((2, len(original.missing)), -1)
    for of_file, column in zip(codes, (original, masked), strict=True):
        labels = column.labels()
        of_file[~column.missing] = [number.setdefault(one, len(number)) for one in labels]
    return codes[0], codes[1]


def categorical_variables(X: Any, y: Any, categorical_features: Any) -> list[Variable]:
    """The categorical variables of both files."""
    found = [
        one for one in variables_of(read_tables(X, y), categorical_features) if one.categorical
    ]
    if not found:
        raise ValueError(
            "no variable is categorical: name those that hold codes with categorical_features="
        )
    return found


def changed(variable: Variable) -> float:
    """Share of the records with a value in both files whose value changed."""
    both = (variable.original >= 0) & (variable.masked >= 0)
    return float(np.mean((variable.original != variable.masked)[both])) if both.any() else 0.0


def total_variation(variable: Variable) -> float:
    """Total variation between the shares of the levels."""
    files = [file[file >= 0] for file in (variable.original, variable.masked)]
    if not all(map(len, files)):
        return 0.0
    n_levels = 1 + max(int(file.max()) for file in files)
    shares = [np.bincount(file, minlength=n_levels) / len(file) for file in files]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def change_of_association(first: Variable, second: Variable) -> float:
    """Absolute change of the association of two variables."""
    kinds = first.categorical, second.categorical
    before = _association(first.original, second.original, kinds)
    return abs(before - _association(first.masked, second.masked, kinds))


def _association(a: np.ndarray, b: np.ndarray, kinds: tuple[bool, bool]) -> float:
    present = (a >= 0 if kinds[0] else ~np.isnan(a)) & (b >= 0 if kinds[1] else ~np.isnan(b))
    a, b = a[present], b[present]
    if len(a) < 2:
        return 0.0
    if kinds == (True, True):
        return _cramers_v(a, b)
    if kinds == (False, False):
        constant = np.ptp(a) == 0 or np.ptp(b) == 0
        return 0.0 if constant else min(abs(float(np.corrcoef(a, b)[0, 1])), 1.0)
    return _correlation_ratio(a, b) if kinds[0] else _correlation_ratio(b, a)


def _cramers_v(a: np.ndarray, b: np.ndarray) -> float:
    # chi2 = N (sum of n_uv^2 / (n_u n_v) - 1) over the cells that occur
    rows, columns = np.bincount(a), np.bincount(b)
    cells, counts = np.unique(a * len(columns) + b, return_counts=True)
    expected = rows[cells // len(columns)] * columns[cells % len(columns)]
    freedom = min((rows > 0).sum(), (columns > 0).sum()) - 1
    square = (float(np.sum(counts**2 / expected)) - 1) / freedom if freedom > 0 else 0.0
    return float(np.sqrt(min(max(square, 0.0), 1.0)))


def _correlation_ratio(codes: np.ndarray, values: np.ndarray) -> float:
    centred = values - values.mean()
    total = float(centred @ centred)
    if np.ptp(values) == 0:
        return 0.0
    sizes = np.bincount(codes)
    sums = np.bincount(codes, weights=centred)
    between = float(np.sum(sums**2 / np.maximum(sizes, 1)))
    return float(np.sqrt(min(between / total, 1.0)))


def suppressed(variables: Iterable[Variable]) -> float:
    """Share of the values of the original that are missing in the masked file."""
    gaps = [one.missing for one in variables]
    present = sum(int((~before).sum()) for before, _ in gaps)
    return sum(int((after & ~before).sum()) for before, after in gaps) / max(present, 1)
