"""Files as coordinates, with the standard library alone: the first step of `verify`.

A coordinate is the float ``(x - shift) / scale``, one subtraction and one division, or the mid-rank
of a value as a share of its file. The shifts and scales of a certificate must be the means and
standard deviations that the view asks for, up to rounding. A column may be left out only if it is
constant in one of the files.
"""

import hashlib
import math
import statistics
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

Table = list[list[float]]


class CertificateError(ValueError):
    """A certificate does not prove its claim about these files.

    Parameters
    ----------
    reason : str
        Why not.

    Examples
    --------
    >>> from sklearn_reclink import CertificateError, verify_certificate
    >>> try:
    ...     verify_certificate("{}", [[0.0], [1.0]], [[0.0], [1.0]])
    ... except CertificateError as error:
    ...     print(error)
    it is malformed (KeyError)
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


def require(condition: bool, reason: str) -> None:
    """Reject the certificate unless the condition holds."""
    if not condition:
        raise CertificateError(reason)


def whole(value: Any, end: float, what: str, least: int = 0) -> int:
    """An integer from ``least`` to before ``end``."""
    require(type(value) is int and least <= value < end, f"{what} is not an integer in its range")
    return int(value)


def integers(values: Iterable[Any], least: float = -math.inf) -> list[int]:
    """Numbers, which are rationals, times the power of two that clears their denominators."""
    values = list(values)
    for value in values:
        finite = type(value) is int or (type(value) is float and math.isfinite(value))
        require(finite and value >= least, "a number is negative or not finite")
    ratios = [value.as_integer_ratio() for value in values]
    common = max((denominator for _, denominator in ratios), default=1)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def digest(table: Table) -> str:
    """SHA-256 of both sizes and of all numbers row by row: big-endian integers and doubles.

    None, a missing value, counts as NaN.
    """
    found = hashlib.sha256(struct.pack(">2Q", len(table), len(table[0])))
    for row in table:
        found.update(_bits(row))
    return found.hexdigest()


def _bits(row: Sequence[Any]) -> bytes:
    return struct.pack(f">{len(row)}d", *(math.nan if x is None else x for x in row))


def in_order(others: Iterable[list[Any]]) -> list[list[Any]]:
    """Impostors sorted by their values: the order of the records in a release plays no part."""
    return sorted(others, key=_bits)


def with_pool(masked: Table, pool: Table) -> Table:
    """The masked records, then the others of the pool, `in_order`."""
    own = Counter(map(tuple, masked))
    others = []
    for row in pool:
        if own[tuple(row)] > 0:
            own[tuple(row)] -= 1
        else:
            others.append(row)
    require(not any(own.values()), "a masked record is not in the pool")
    return masked + in_order(others)


def coordinates(view: Any, original: Table, masked: Table, everyone: Table) -> tuple[Table, Table]:
    """Coordinates of the original file and of all masked records."""
    kind, scales, found = view["standardize"], view["scales"], []
    require(kind in (None, "separate", "difference", "rank"), "the view is unknown")
    for a, b, all_b, scale in zip(
        *map(columns_of, (original, masked, everyone)), scales, strict=True
    ):
        if scale is None:
            constant = len(set(a)) == 1 or len(set(all_b if kind == "rank" else b)) == 1
            require(constant, "a column that is not constant was left out")
        elif kind == "rank":
            found.append((mid_ranks(a), mid_ranks(all_b)))
        else:
            p, s, q, t = scale
            integers(scale)
            require(are_scales(kind, p, s, q, t, a, b), "a scale is not its column's")
            found.append(([(x - p) / s for x in a], [(x - q) / t for x in all_b]))
    first, second = zip(*found, strict=True)
    return columns_of(first), columns_of(second)


def columns_of(table: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The columns of rows, or the reverse."""
    return [list(column) for column in zip(*table, strict=True)]


def mid_ranks(column: list[float]) -> list[float]:
    """The share of the column below each value, plus half the share equal to it."""
    shares, below = {}, 0
    for value, equal in groupby(sorted(column)):
        count = len(list(equal))
        below += count
        shares[value] = (below - count / 2) / len(column)
    return [shares[value] for value in column]


def are_scales(
    kind: str | None, p: float, s: float, q: float, t: float, a: list[float], b: list[float]
) -> bool:
    """Whether these are the shifts and scales of a view, up to rounding."""
    if kind is None:
        return (p, s, q, t) == (0, 1, 0, 1)
    if kind == "separate":
        return near(p, s, a, a) and near(q, t, b, b)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    return (p, s) == (q, t) and (near(p, s, a, gaps) or near(p, s, a, a))


def near(shift: float, scale: float, centred: list[float], spread: list[float]) -> bool:
    """Whether they are the mean of a column and the standard deviation of another."""
    mean, sd = statistics.mean(centred), statistics.stdev(spread)
    close = abs(shift - mean) <= 1e-6 * sd + 1e-12 * abs(mean)
    return scale > 0 and close and abs(scale - sd) <= 1e-6 * sd
