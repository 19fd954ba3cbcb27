"""Is the first line of a file a line of names, or a record whose values would be shown as names?

A name is like a value if its column holds such values: numbers, dates, or the very same text. The
line is a record if most names are. Numbers that count up are names, such as the years of a table
with a column for each; a line of numbers alone is one only if it counts the columns from 0, or
consecutive years.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_YEARS = range(1800, 2101)
_DIGITS = r"\d{1,3}([.,' \u00a0]\d{3})+([.,]\d+)?|\d+[.,]?\d*|[.,]\d+"
_KINDS = (
    re.compile(rf"[+-]?({_DIGITS})(e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE),
    re.compile(r"(\d{4}([-/.])\d\d?\2\d\d?|\d\d?([-/.])\d\d?\3\d{4})([T ].*)?"),
)


def looks_like_record(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether the names of these columns of text are values.

    Examples
    --------
    >>> from sklearn_reclink.cli._header import looks_like_record
    >>> looks_like_record(["Anna", "34", "2100"], [["Eva", "Max"], ["41", "29"], ["900", "1200"]])
    True
    >>> looks_like_record(["town", "2019", "2020"], [["Ulm", "Bonn"], ["41", "29"], ["9", "12"]])
    False
    >>> looks_like_record(["2019", "2020"], [["41", "29"], ["9", "12"]])
    False
    """
    held = [(name, column) for name, column in zip(names, columns, strict=True) if name]
    if all(_kind(name) == 0 for name, _ in held):
        return not _counts_columns([name.strip() for name, _ in held])
    values = [name for name, column in held if _is_value(name, column)]
    numbers = [name for name in values if _kind(name) == 0]
    n_values = len(values) - len(numbers) * _count_up(numbers)
    return 2 * n_values > len(held)


def _kind(text: str) -> int:
    """0 for a number, 1 for a date, -1 for a text."""
    return next((kind for kind, form in enumerate(_KINDS) if form.fullmatch(text.strip())), -1)


def _is_value(name: str, column: Sequence[str]) -> bool:
    """Whether a name is what most cells of its column are, and if a text, one of them."""
    present = [cell.strip() for cell in column if cell.strip()]
    alike = sum(_kind(cell) == _kind(name) for cell in present)
    return 2 * alike > len(present) and (_kind(name) >= 0 or name in present)


def _counts_columns(names: Sequence[str]) -> bool:
    """Whether these are 0, 1, 2, ..., at least three of them, or years that follow each other."""
    if not all(name.isdecimal() for name in names):
        return False
    found = list(map(int, names))
    in_order = all(after - before == 1 for before, after in pairwise(found))
    return in_order and (
        (found[0] == 0 and len(found) > 2)
        or (len(found) > 1 and found[0] in _YEARS and found[-1] in _YEARS)
    )


def _count_up(numbers: Sequence[str]) -> bool:
    """Whether whole numbers ascend by equal steps; two of them by one, or as years."""
    if len(numbers) < 2 or not all(number.isdecimal() for number in numbers):
        return False
    found = list(map(int, numbers))
    steps = {after - before for before, after in pairwise(found)}
    if len(found) > 2:
        return len(steps) == 1 and min(steps) > 0
    return steps == {1} or (min(steps) > 0 and all(one in _YEARS for one in found))
