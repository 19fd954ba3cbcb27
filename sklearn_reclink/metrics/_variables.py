"""The variables of an original file and its masked version, of any kind, and their changes.

The definitions are in `_mixed_loss`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.data.reading import check_aligned_index
from sklearn_reclink.masking.columns import NUMERIC, Column, Table, frame_of


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


def read_tables(X: Any, y: Any) -> tuple[Table, Table]:
    """Both files, with the columns of the masked one in the order of the original."""
    check_aligned_index(X, y)
    original, masked = (_table(file) for file in (X, y))
    names = [[one.name for one in table.columns] for table in (original, masked)]
    if all(frame_of(file) is not None for file in (X, y)) and set(names[0]) == set(names[1]):
        masked = Table(masked.data, [masked.columns[names[1].index(name)] for name in names[0]])
        names[1] = names[0]
    shapes = [(len(table), len(table.columns)) for table in (original, masked)]
    framed = isinstance(names[0][0], str) and isinstance(names[1][0], str)
    if shapes[0] != shapes[1] or (framed and names[0] != names[1]):
        raise ValueError(
            f"masked file has {shapes[1][0]} records and {shapes[1][1]} columns, original has "
            f"{shapes[0][0]} and {shapes[0][1]}: both must have the same columns, and row i of y "
            "must be the masked version of row i of X"
        )
    return original, masked


def _table(file: Any) -> Table:
    frame = frame_of(file)
    if frame is not None:
        return Table.of(frame)
    array = np.asarray(file) if hasattr(file, "dtype") else np.array(file, dtype=object)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"a file has one row per record and one column per variable: {array.shape}"
        )
    return Table.of(array)


def variables_of(files: tuple[Table, Table], categorical_features: Any) -> list[Variable]:
    """The variables of both files, by their kind."""
    names = [column.name for column in files[0].columns]
    told = [] if categorical_features is None else list(categorical_features)
    unknown = [one for one in told if one not in names and one not in range(len(names))]
    if unknown:
        raise ValueError(f"categorical_features holds {unknown}; the columns are {names}")
    found = []
    for place, pair in enumerate(zip(*(table.columns for table in files), strict=True)):
        named = pair[0].name in told or place in told
        if named or any(one.kind not in NUMERIC for one in pair):
            found.append(Variable(True, *_common_codes(*pair)))
        else:
            found.append(Variable(False, *map(_finite, pair, ("original", "masked"))))
    return found


def _finite(column: Column, file: str) -> np.ndarray:
    """The numbers of a column, none infinite."""
    infinite = np.isinf(column.numbers)
    if infinite.any():
        raise ValueError(
            f"column {column.name!r} of the {file} file has an infinite value (inf) in row "
            f"{infinite.argmax()}: replace it by a number, or mark it as missing"
        )
    return column.numbers


def _common_codes(original: Column, masked: Column) -> tuple[np.ndarray, np.ndarray]:
    (old, old_levels), (new, new_levels) = original.levels, masked.levels
    number = {level: code for code, level in enumerate(dict.fromkeys([*old_levels, *new_levels]))}
    common = [np.array([*(number[level] for level in one), -1]) for one in (old_levels, new_levels)]
    return common[0][old], common[1][new]


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
