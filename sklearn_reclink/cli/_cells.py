"""What the cells of a column of text mean: numbers, dates, bools or text.

A column is what most of its cells are; a cell that is something else is reported as a mistake. The
decimal separator is that of the column, or else of the file; the order of day and month is that of
the file, or else of the other file. Where neither shows it, the user must say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing.writing import as_written
from sklearn_reclink.cli._tables import FileProblem

if TYPE_CHECKING:
    import pandas as pd

NUMBERS, DATES, BOOLS, TEXT = "numbers", "dates", "bools", "text"
ZONED = "dates with a time zone"
MISSING = {"", "na", "n/a", "#n/a", "nan", "-nan", "+nan", "<na>", "null", "none", "nil", "nat"}
NONE = {"none", "nil"}  # missing, but may be meant as a category
MISSING |= {".", "..", "-", "--", "?", "\N{EN DASH}", "\N{EM DASH}"}
_SPACES = " '\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_WHOLE = 2**53  # from here on, not all whole numbers are floats
_SUBTRACT = (
    "if the column holds ids, choose other columns with --columns; otherwise subtract the same "
    "constant from it in both files"
)
_TIME = r"(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,6})\d*)?)?\s*(Z|[+-]\d\d:?\d\d)?)?"
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)" + _TIME)
_YEAR_LAST = re.compile(r"(\d\d?)([-/.])(\d\d?)\2(\d{4})" + _TIME)
_NAMED = re.compile(r"(\d\d?)([- ]?)([A-Za-z]{3})\2(\d{4})" + _TIME)
_TWO_DIGITS = re.compile(r"(\d\d?([-/. ]?)(?:\d\d?|[A-Za-z]{3})\2)(\d\d)(?=$|[T ])")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def _number_pattern(decimal: str) -> re.Pattern[str]:
    thousands = f"[{'.,'.replace(decimal, '')}{_SPACES}]"
    grouped = rf"[1-9]\d{{0,2}}(?P<sign>{thousands})\d{{3}}(?:(?P=sign)\d{{3}})*"
    point = re.escape(decimal)
    digits = rf"(?:(?:{grouped}|\d+)(?:{point}\d*)?|{point}\d+)"
    return re.compile(rf"[+-]?(?:{digits}(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)


_PATTERNS = {decimal: _number_pattern(decimal) for decimal in ".,"}


class Cells:
    """The cells of a column of text.

    Parameters
    ----------
    column : Series of shape (n_records,)
        Text.
    file : str
        What errors call the file.
    """

    def __init__(self, column: pd.Series, file: str):
        self.name, self.file = column.name, file
        texts = column.astype(str).str.strip()
        lower = texts.str.lower()
        self.missing: np.ndarray = lower.isin(MISSING).to_numpy(dtype=bool)
        self.n_none = int(lower.isin(NONE).sum())
        self.texts: list[str] = texts[~self.missing].tolist()
        self.decimal = "."  # see `settle_decimals`

    @property
    def where(self) -> str:
        """What errors call the column."""
        return f"column {self.name!r} of {self.file}"

    @cached_property
    def distinct(self) -> list[str]:
        """Its texts, each once."""
        return list(dict.fromkeys(self.texts))

    @property
    def has_leading_zeros(self) -> bool:
        """Whether a whole number begins with 0, as codes do."""
        return any(text[0] == "0" and text.isdigit() and len(text) > 1 for text in self.distinct)

    @property
    def has_whole_numbers(self) -> bool:
        """Whether a cell holds digits alone, perhaps with a sign."""
        return any(text.lstrip("+-").isdigit() for text in self.distinct)

    def row(self, wrong: Iterable[str]) -> int:
        """The first record, from 1, with one of these texts."""
        texts = set(wrong)
        first = next(k for k, text in enumerate(self.texts) if text in texts)
        return int(np.flatnonzero(~self.missing)[first]) + 1

    @cached_property
    def floats(self) -> np.ndarray | None:
        """The distinct texts as floats if Python reads all of them as such."""
        if any("_" in text for text in self.distinct):
            return None
        try:
            return np.array(self.distinct, dtype=object).astype(float)
        except ValueError:
            return None

    def possible_decimal(self) -> str | None:
        """The sign of its decimals: ``"."``, ``","``, ``".?"`` or ``",?"``, None if it has none."""
        if self.floats is not None:
            points = [text for text in self.distinct if "." in text]
            clear = not all(map(_PATTERNS[","].fullmatch, points))
            return "." if clear else ".?" if points else None
        numbers = {
            sign: {text for text in self.distinct if pattern.fullmatch(text)}
            for sign, pattern in _PATTERNS.items()
        }
        if 2 * max(map(len, numbers.values())) <= len(self.distinct):
            return None
        if len(numbers["."]) != len(numbers[","]):
            return max(numbers, key=lambda sign: len(numbers[sign]))
        signs = {sign for text in numbers["."] for sign in ".," if sign in text}
        return f"{min(signs)}?" if signs else None

    @cached_property
    def held(self) -> str | None:
        """What most of its texts are, None if all are missing."""
        if not self.distinct:
            return None
        half = len(self.distinct) / 2
        if len(self.not_numbers()) < half:
            return NUMBERS
        dates = [one for text in self.distinct if (one := _date(text, True) or _date(text, False))]
        if len(dates) > half:
            return ZONED if all(one.tzinfo for one in dates) else DATES
        return BOOLS if {text.lower() for text in self.distinct} <= {"true", "false"} else TEXT

    def refuse_short_years(self) -> None:
        """Refuse a column of text whose cells are dates if the year is given its century."""
        longer = [_TWO_DIGITS.sub(r"\g<1>20\3", text, count=1) for text in self.distinct]
        if 2 * sum(bool(_date(one, True) or _date(one, False)) for one in longer) > len(longer):
            raise FileProblem(
                f"{self.where} seems to hold dates with two-digit years, which are not read as "
                "dates: write years with four digits, or compare it as categories with --nominal "
                f"{self.name}"
            )

    def not_numbers(self) -> list[str]:
        """The texts that are no numbers."""
        if self.decimal != "," and self.floats is not None:
            return []
        pattern = _PATTERNS[self.decimal]
        return [text for text in self.distinct if not pattern.fullmatch(text)]

    def day_first(self) -> tuple[bool | None, bool]:
        """Whether the day comes before the month, None if no date tells; whether that matters."""
        found = [match for text in self.distinct if (match := _YEAR_LAST.fullmatch(text))]
        pairs = {(int(match[1]), int(match[3])) for match in found if match[2] != "."}
        orders = {pair[0] > 12 for pair in pairs if max(pair) > 12}
        if len(orders) > 1:
            raise FileProblem(
                f"{self.where} has dates with the day first and with the month first: write them "
                "as year-month-day"
            )
        return next(iter(orders), None), any(first != second for first, second in pairs)

    def numbers(self, remedy: str | None = None) -> np.ndarray:
        """The column as floats, those that `reclink verify` reads; NaN where missing."""
        self.refuse(self.not_numbers(), "has text", remedy)
        floats = self.floats if self.decimal == "." else None
        if floats is None:
            floats = np.array([float(self._digits(text)) for text in self.distinct])
        large = [self.distinct[k] for k in np.flatnonzero(np.abs(floats) >= _WHOLE)]
        infinite = [text for text in large if np.isinf(float(self._digits(text)))]
        self.refuse(infinite, "is infinite", remedy)
        rounded = list(filter(self._is_rounded, large))
        self.refuse(rounded, "has a whole number beyond 2^53", remedy or _SUBTRACT)
        number = dict(zip(self.distinct, floats.tolist(), strict=True))
        return in_rows([number[text] for text in self.texts], self.missing, np.nan)

    def _is_rounded(self, text: str) -> bool:
        """Whether no float equals a whole number, so that two such numbers might become one."""
        digits = self._digits(text)
        return digits.lstrip("+-").isdigit() and int(digits) != int(float(digits))

    def _number_label(self, text: str) -> float | int:
        """A number as a category: whole numbers of any size are exact."""
        digits = self._digits(text)
        if digits.lstrip("+-").isdigit():
            return int(digits)
        number = float(digits)
        return int(number) if number.is_integer() else number

    def _digits(self, text: str) -> str:
        decimal = self.decimal
        kept = text.translate(dict.fromkeys(map(ord, _SPACES + ".,".replace(decimal, ""))))
        return kept.replace(decimal, ".")

    def dates(self, day_first: bool) -> list[datetime | None]:
        """The column as dates; those with a time zone in UTC."""
        date = {text: _date(text, day_first) for text in self.distinct}
        self.refuse([text for text in date if date[text] is None], "has no date")
        zones = {one.tzinfo is not None for one in date.values() if one is not None}
        if len(zones) > 1:
            raise FileProblem(f"{self.where} has dates with and without a time zone")
        return list(in_rows([date[text] for text in self.texts], self.missing))

    def labels(self, held: str) -> list[Any]:
        """The present cells as categories: numbers, bools, or text as it was before quoting."""
        read: Callable[[str], Any] = as_written
        if held == NUMBERS:
            read = self._number_label
        elif held == BOOLS:
            read = _is_true
        label = {text: read(text) for text in self.distinct}
        return [label[text] for text in self.texts]

    def refuse(self, texts: Sequence[str], problem: str, remedy: str | None = None) -> None:
        """Say in which row the first of these texts stands."""
        if texts:
            remedy = remedy or (
                f"correct it, compare the column as categories with --nominal {self.name}, or "
                "choose other columns with --columns"
            )
            raise FileProblem(f"{self.where} {problem} in row {self.row(texts)}: {remedy}")


def _is_true(text: str) -> bool:
    return text.lower() == "true"


def in_rows(present: Sequence[Any], missing: np.ndarray, gap: float | None = None) -> np.ndarray:
    """One value per record: those of the present cells, and ``gap`` where one is missing."""
    values = np.full(len(missing), gap)
    values[~missing] = present
    return values


def settle_decimals(columns: Sequence[Cells], separator: str | None, told: str | None) -> None:
    """Find the decimal sign of every column of a file, unless it is told.

    Where cells are separated by commas, decimals have points: points before three digits are
    decimals if every number has one. Beside a number without a point, they may be thousands.
    """
    possible = [told or column.possible_decimal() for column in columns]
    clear = {sign for sign in possible if sign in (".", ",")}
    for column, sign in zip(columns, possible, strict=True):
        if sign in (".?", ",?") and len(clear) == 1:
            sign = next(iter(clear))
        if sign == ",?" or (sign == ".?" and (separator != "," or column.has_whole_numbers)):
            raise FileProblem(
                f"{column.where} has numbers with '{sign[0]}' before three digits, which may be "
                "decimals or thousands: say which with --decimal . or --decimal ,"
            )
        column.decimal = (sign or ".")[0]


def _date(text: str, day_first: bool) -> datetime | None:
    """The date that a text holds, None if it holds none."""
    if not text[:1].isdigit():
        return None
    found = _YEAR_FIRST.fullmatch(text)
    if found:
        year, month, day = found[1], found[3], found[4]
    elif found := _YEAR_LAST.fullmatch(text):
        day, month, year = found[1], found[3], found[4]
        if not day_first and found[2] != ".":
            day, month = month, day
    elif (found := _NAMED.fullmatch(text)) and found[3].lower() in _MONTHS:
        day, month, year = found[1], str(_MONTHS.index(found[3].lower()) + 1), found[4]
    else:
        return None
    hour, minute, second, fraction, zone = found.groups()[4:]
    try:
        date = datetime(int(year), int(month), int(day)).replace(
            hour=int(hour or 0),
            minute=int(minute or 0),
            second=int(second or 0),
            microsecond=int((fraction or "").ljust(6, "0")),
        )
    except ValueError:
        return None
    if zone is None:
        return date
    offset = 0 if zone == "Z" else int(zone[1:3]) * 60 + int(zone[-2:])
    east = timedelta(minutes=-offset if zone[0] == "-" else offset)
    return date.replace(tzinfo=timezone(east)).astimezone(UTC)
