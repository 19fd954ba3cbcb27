"""Reading the two files a linker is given, and saying clearly what is wrong with them.

The original file is validated as scikit-learn validates any ``X``. The masked file is a second
``X``: two-dimensional, the same variables, matched by name where both have names. Files of finite
numbers alone are read as they are; of any others, `kinds` makes numbers, NaN for missing values.
"""

from collections.abc import Callable, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from sklearn_reclink._sklearn_compat import num_samples
from sklearn_reclink.data.alignment import check_aligned_index
from sklearn_reclink.data.exactness import check_exact, offender
from sklearn_reclink.data.pool import Pool, own_first, unwrapped

WHAT_Y_IS = (
    "y is the masked file: a table with the columns of X, row i being the masked version of row i "
    "of X"
)


class Files(NamedTuple):
    """The files of `fit` as numbers, all of shape (n_records, n_features)."""

    original: np.ndarray
    masked: np.ndarray  # aligned with the original
    pool: np.ndarray  # the whole masked file
    everyone: np.ndarray  # the same, the records of `masked` first
    whole: np.ndarray  # the whole original file


def read_files(linker: Any, X: Any, y: Any, pool: Any, reference: Any) -> Files:
    """Validate the files of `fit`; sets ``variables_`` and ``kinds_``."""
    variables = None if y is None else _learn_kinds(linker, X, y, pool, reference)
    linker.variables_ = variables
    original, masked, *rest = _read(linker, X, y, pool, reference, reset=True)
    linker.kinds_ = ("numeric",) * original.shape[1] if variables is None else variables.kinds
    whole = original if reference is None else rest[-1]
    if pool is None:
        return Files(original, masked, masked, masked, whole)
    everyone = own_first(masked, rest[0], may_be_cut=not isinstance(pool, Pool))
    return Files(original, masked, rest[0], everyone, whole)


def read_again(linker: Any, X: Any, pool: Any, *y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Validate original records, and masked ones: the pool, or the versions ``y`` first in it."""
    of_y = y[0] if y else None
    original, *masked = _read(linker, X, of_y, pool, reset=False, needs_y=bool(y))
    if len(masked) == 2:
        return original, own_first(*masked, may_be_cut=not isinstance(pool, Pool))
    return original, masked[0] if masked else linker.masked_


def _read(
    linker: Any,
    X: Any,
    y: Any,
    pool: Any = None,
    reference: Any = None,
    *,
    reset: bool,
    needs_y: bool = True,
) -> list[np.ndarray]:
    """The files that are given, as numbers, in the order of the arguments."""
    if needs_y:
        check_given(linker, y)
    if linker.variables_ is None:
        found = [read_original(linker, X, reset=reset)]
        for table, file, name in _masked_files(y, pool):
            found.append(read_masked(linker, table, column_names(X), file=file, name=name))
        if reference is not None:
            found.append(read_original(linker, reference, reset=False))
    else:
        found = linker.variables_.codes(*_tables(linker, X, y, pool, reference, reset=reset))
    if needs_y:
        check_lengths(*found[:2])
        if hasattr(X, "index"):
            check_aligned_index(X, y)
    return found


def _masked_files(y: Any, pool: Any) -> list[tuple[Any, str, str]]:
    """The masked files that are given, what errors call them, and their names as arguments."""
    files = [] if y is None else [(y, "masked file", "y")]
    return files if pool is None else [*files, (unwrapped(pool), "pool", "pool")]


def _tables(
    linker: Any, X: Any, y: Any, pool: Any, reference: Any, *, reset: bool
) -> list[tuple[Any, str]]:
    """The files that are given, of any kinds, with the columns of X, and what errors call them."""
    _check_original(linker, X, reset=reset)
    names, tables, files = column_names(X), [(X, "original file X")], _masked_files(y, pool)
    if reference is not None:
        files.append((reference, "original file", "reference"))
    for table, file, name in files:
        matched = match_masked(linker, table, names, file=file, name=name)
        tables.append((matched, f"{file} {name}"))
    if reference is not None:
        _check_original(linker, reference, reset=False)
    return tables


def check_given(linker: Any, y: Any) -> None:
    """Refuse to go on without a masked file."""
    if y is None:
        raise ValueError(
            f"{type(linker).__name__} requires y to be passed, but the target y is None. "
            f"{WHAT_Y_IS}"
        )


def check_lengths(original: Sized, masked: Sized) -> None:
    """Refuse files of different numbers of records."""
    if len(original) != len(masked):
        raise ValueError(
            f"masked file has {len(masked)} records, original has {len(original)}: {WHAT_Y_IS}"
        )


def _learn_kinds(linker: Any, X: Any, y: Any, pool: Any, reference: Any) -> Any:
    """The kinds of the variables; None where all files are numbers and none is missing."""
    told = {name: getattr(linker, name) for name in ("categorical_features", "ordinal_features")}
    is_told = any(one is not None for one in told.values())
    given = [X, reference, *(table for table, _, _ in _masked_files(y, pool))]
    if not is_told and all(_is_plain(table) for table in given if table is not None):
        return None
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        return None  # refused as numbers are
    from sklearn_reclink.data.kinds import learn_variables

    tables = _tables(linker, X, y, pool, reference, reset=True)
    found = learn_variables(X, tables[1][0], others=tables[2:], **told)
    if set(found.types) == {"numbers"} and not is_told:
        # numbers of another type, such as Decimal
        codes = found.codes(*tables)
        if set(found.kinds) == {"numeric"} and not any(np.isnan(one).any() for one in codes):
            return None
    return found


def _is_plain(table: Any) -> bool:
    """Whether a table holds numbers alone and none is missing."""
    names = column_names(table) or []
    if _is_plain_array(table) or len(set(names)) < len(names):  # repeated names: refused later
        return True
    from sklearn_reclink.data.kinds import is_plain

    return is_plain(table)


def _is_plain_array(table: Any) -> bool:
    """The same of an array of floats, known at a glance."""
    plain = type(table) is np.ndarray and table.dtype == np.float64 and table.size > 0
    return plain and not np.isnan(table.min())


def _check_original(linker: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Validate an original file of any kinds; scikit-learn takes down or compares its columns."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2 or not shape[0]:
        try:  # scikit-learn's own error
            check_array(X, dtype=None, ensure_all_finite=False, estimator=linker)
        except ValueError as error:
            raise ValueError(_without_values(error)) from None
    _check_several(linker, X, reset=reset)
    validate_data(linker, X, reset=reset, skip_check_array=True)


def _check_several(linker: BaseEstimator, X: Any, *, reset: bool) -> None:
    if reset and hasattr(X, "shape") and len(X.shape) == 2 and X.shape[0] == 1:
        raise ValueError(
            f"original file has 1 record (n_samples=1): {type(linker).__name__} needs at least 2, "
            "since a record is linked by being told apart from others"
        )


def in_shards(*files: Any, most: int = 2**21) -> bool:
    """Whether a file is to be read a part at a time: `Shards`, or mapped and of many records."""
    return any(
        hasattr(file, "parts") or (isinstance(file, np.memmap) and len(file) > most)
        for file in files
    )


def read_original(linker: BaseEstimator, X: Any, *, reset: bool) -> np.ndarray:
    """Validate original records; ``reset`` when they are those of `fit`."""
    _check_several(linker, X, reset=reset)
    # one memory order, so that moments do not depend on that of the table
    options: dict[str, Any] = {"dtype": np.float64, "order": "C", "reset": reset}
    options["ensure_min_samples"] = 2 if reset else 1
    return _numbers(X, "original file X", lambda: validate_data(linker, X, **options))


def read_masked(
    linker: BaseEstimator, table: Any, names: Sequence[str] | None, *, file: str, name: str
) -> np.ndarray:
    """Validate masked records against the variables the linker was fitted on.

    ``names`` are those of the original records at hand; where they have none, the names seen in
    `fit` count.
    """
    table = match_masked(linker, table, names, file=file, name=name)
    options: dict[str, Any] = {"dtype": np.float64, "order": "C", "input_name": name}
    return _numbers(
        table, f"{file} {name}", lambda: check_array(table, estimator=linker, **options)
    )


def _numbers(table: Any, file: str, read: Callable[[], Any]) -> np.ndarray:
    """What a reading gives; an error says where the value stands, and leaves it out."""
    if not _is_plain_array(table):
        check_exact(table, column_names(table), file)
    try:
        return np.asarray(read())
    except (TypeError, ValueError) as error:
        found = offender(table, column_names(table), file)
        if found is None:
            raise type(error)(_without_values(error)) from None
        first_line = str(error).splitlines()[0].partition(": ")[0]
        raise type(error)(f"{found}. {first_line}") from None


def _without_values(error: Exception) -> str:
    """An error of scikit-learn without the array that it shows of a file of one dimension."""
    head, shown, rest = str(error).partition(":\narray=")
    return f"{head}. Reshape{rest.partition('Reshape')[2]}" if shown else str(error)


def match_masked(
    linker: BaseEstimator, table: Any, names: Sequence[str] | None, *, file: str, name: str
) -> Any:
    """A masked file with its columns in the order of those of `fit`, if it has these."""
    n_features = linker.n_features_in_
    if names is None:
        names = getattr(linker, "feature_names_in_", None)
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
    return table


def read_pairs(linker: Any, pairs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Validate pairs of an original and a masked record, (n_pairs, 2, n_features)."""
    shape, n_features = np.shape(pairs), linker.n_features_in_
    if len(shape) != 3 or shape[1:] != (2, n_features):
        raise ValueError(f"pairs has shape {shape}: it must be (n_pairs, 2, {n_features})")
    values = pairs if isinstance(pairs, np.ndarray) else np.asarray(pairs, dtype=object)
    if linker.variables_ is not None:
        files = [(values[:, 0], "pairs, original"), (values[:, 1], "pairs, masked")]
        original, masked = linker.variables_.codes(*files)
        return original, masked
    check_exact(values.reshape(-1, n_features), None, "pairs")
    found = check_array(pairs, dtype=np.float64, allow_nd=True, input_name="pairs")
    return found[:, 0], found[:, 1]


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
    if hasattr(table, "collect_schema") and not hasattr(table, "shape"):  # polars
        raise TypeError("a LazyFrame holds no records yet: give the table that .collect() returns")
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
