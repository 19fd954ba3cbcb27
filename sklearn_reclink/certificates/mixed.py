"""Numbers, levels, categories and missing values as coordinates, by the standard library alone.

*Codes.* Cells become numbers by rules that need nothing but the files and their certificate, which
holds no category::

    numeric    the number itself
    nominal    0 for the first category that appears (original, then masked file; row by row), 1
               for the next new one, ...; at last those of the pool alone, sorted
    ordinal    the different values of all files in ascending order have the numbers ``levels``
    missing    None

*Coordinates.* Those of numbers and levels are as in `coordinates`, of the values that are there; in
the view "difference" of the records where both are, if there are two or more. A category is code
times ``2 cap``, so that a difference limited to cap is 0 or cap, with ``cap^2 = 2 / (1 - sum_v
p_v^2)``, p_v the share of category v in the original file. A column takes part if it has two
states in each file, "missing" being one of them.

*One value.* The values that are present may all be the same in one file. If they are so in the
original, numbers have the coordinate 0 in every view but None. If they are so in the masked file
alone, the original takes its own mean and standard deviation, and the masked file its value and 1,
in every view but None and "rank". A cap is that of the first file with several categories, or 1.

*Missing values.* Each column that takes part and lacks a value in the masked file has a further
coordinate, 1 where the original value is there and 0 where the masked one is missing, None
otherwise: a difference of 1 where the masked record alone lacks the value. Another one, of a column
that lacks a value in the original file, is the reverse.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sklearn_reclink.certificates.coordinates import (
    are_scales,
    columns_of,
    integers,
    mid_ranks,
    near,
    require,
    whole,
)

KINDS = ("numeric", "ordinal", "nominal")
_MOST_LEVELS = 2**53

Column = Sequence[float | None]
Files = tuple[list[list[Any]], list[list[Any]], list[float | None]]


def codes(variables: Any, original: Any, masked: Any, pool: Any) -> list[Any]:
    """Files of cells as files of numbers, None for a missing value; the pool may be None."""
    given = [file for file in (original, masked, pool) if file is not None]
    rows = [row for file in given for row in file]
    require(all(len(row) == len(variables) for row in rows), "a file has other columns")
    n_own = len(original) + len(masked)
    columns = [[row[k] for row in rows] for k in range(len(variables))]
    code = [_codes(*one, n_own) for one in zip(variables, columns, strict=True)]
    coded = iter([[of(cell) for of, cell in zip(code, row, strict=True)] for row in rows])
    files = (original, masked, pool)
    return [None if file is None else [next(coded) for _ in file] for file in files]


def _codes(variable: Any, cells: Sequence[Any], n_own: int) -> Callable[[Any], float | None]:
    """What makes a number of a cell of this column, of which the first ones are not the pool's."""
    kind = variable["kind"]
    require(kind in KINDS, "the kind of a column is unknown")
    if kind == "numeric":
        return _number
    found = list(dict.fromkeys(cell for cell in cells[:n_own] if not _is_missing(cell)))
    found += sorted({cell for cell in cells[n_own:] if not _is_missing(cell)}.difference(found))
    numbers = list(range(len(found)))
    if kind == "ordinal":
        found.sort()
        numbers = [whole(level, _MOST_LEVELS, "a level") for level in variable["levels"]]
        require(len(set(numbers)) == len(numbers), "two values have the same level")
    code = dict(zip(found, map(float, numbers), strict=True))
    return lambda cell: None if _is_missing(cell) else code[cell]


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell


def _number(cell: Any) -> float | None:
    if _is_missing(cell):
        return None
    integers([cell])
    return float(cell)


def mixed_coordinates(
    view: Any,
    variables: Any,
    original: Sequence[Column],
    masked: Sequence[Column],
    everyone: Sequence[Column],
) -> Files:
    """Coordinates of the original file and of all masked records, and the caps of the variables."""
    standardize, scales = view["standardize"], view["scales"]
    require(standardize in (None, "separate", "difference", "rank"), "the view is unknown")
    found, caps, costs = [], [], []
    files = [columns_of(file) for file in (original, masked, everyone)]
    for a, b, all_b, variable, scale in zip(*files, variables, scales, strict=True):
        seen = all_b if standardize == "rank" else b
        used = _has_states(a) and _has_states(seen)
        require(used == (scale is not None), "a column was left out that differs, or the reverse")
        if not used:
            continue
        if variable["kind"] == "nominal":
            (cap,) = scale
            require(_is_cap(cap, a, seen), "a cap is not its column's")
            found.append((_times(2 * cap, a), _times(2 * cap, all_b)))
        else:
            cap = None
            found.append(_scaled(standardize, scale, a, seen, all_b))
        caps.append(cap)
        if None in all_b:
            costs.append((_where_present(a), _where_missing(all_b)))
        if None in a:
            costs.append((_where_missing(a), _where_present(all_b)))
    first, second = zip(*found, *costs, strict=True)
    return columns_of(first), columns_of(second), caps


def _times(factor: float, column: Column) -> Column:
    return [None if x is None else factor * x for x in column]


def _where_present(column: Column) -> Column:
    return [None if x is None else 1.0 for x in column]


def _where_missing(column: Column) -> Column:
    return [0.0 if x is None else None for x in column]


def _present(column: Column) -> list[float]:
    return [x for x in column if x is not None]


def _varies(column: Column) -> bool:
    return len(set(_present(column))) > 1


def _has_states(column: Column) -> bool:
    return len(set(column)) > 1


def _is_cap(cap: Any, original: Column, masked: Column) -> bool:
    """Whether two categories differ by this much, up to rounding."""
    integers([cap])
    if not (_varies(original) or _varies(masked)):
        return bool(cap == 1)
    present = _present(original if _varies(original) else masked)
    equal = sum((count / len(present)) ** 2 for count in Counter(present).values())
    return cap > 0 and abs(cap * cap * (1 - equal) - 2) <= 1e-12 * (2 + cap * cap)


def _scaled(
    standardize: str | None, scale: Any, a: Column, b: Column, all_b: Column
) -> tuple[Column, Column]:
    """Coordinates of numbers or levels, if their scale is right."""
    first, second = _present(a), _present(b)
    if standardize is not None and not _varies(first):
        require(scale == [], "a column has a scale where nothing differs")
        return _times(0.0, a), _times(0.0, all_b)
    if standardize == "rank":
        require(scale == [], "a column of ranks has a scale")
        return _ranks(a), _ranks(all_b)
    if standardize is not None and not _varies(second):
        p, s, q, t = scale
        integers(scale)
        right = near(p, s, first, first) and (q, t) == (second[0], 1)
        require(right, "a scale is not its column's")
        return _standardised(a, p, s), _standardised(all_b, q, t)
    if standardize == "difference":
        both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
        standardize = "difference" if len(both) > 1 else "separate"
        if len(both) > 1:
            first, second = [x for x, _ in both], [y for _, y in both]
    if standardize is not None and not (_varies(first) and _varies(second)):
        require(scale == [], "a column has a scale where nothing differs")
        return _times(0.0, a), _times(0.0, all_b)
    p, s, q, t = scale
    integers(scale)
    require(are_scales(standardize, p, s, q, t, first, second), "a scale is not its column's")
    return _standardised(a, p, s), _standardised(all_b, q, t)


def _standardised(column: Column, shift: float, scale: float) -> Column:
    return [None if x is None else (x - shift) / scale for x in column]


def _ranks(column: Column) -> Column:
    present = _present(column)
    ranks = dict(zip(present, mid_ranks(present), strict=True))
    return [None if x is None else ranks[x] for x in column]
