"""Numbers, units, names, paragraphs and tables as people read them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import fill
from typing import TypeVar

Table = tuple[list[str], list[list[str]]]  # header and rows
Value = TypeVar("Value")

WIDTH = 92
MOST_LISTED = 12  # names in a sentence


def percent(share: float) -> str:
    """A share in percent that reads 0 or 100 only if it is.

    Examples
    --------
    >>> from sklearn_reclink.auditing.formatting import percent
    >>> [percent(share) for share in (0.0, 0.00001, 0.0123, 0.5, 0.999, 0.99999, 1.0)]
    ['0 %', 'under 0.1 %', '1.2 %', '50 %', '99.9 %', 'over 99.9 %', '100 %']
    """
    number = 100 * share
    if 0 < number < 0.1:
        return "under 0.1 %"
    if 99.9 < number < 100:
        return "over 99.9 %"
    return f"{number:.1f} %" if 0 < number < 9.95 or 99 < number < 100 else f"{number:.0f} %"


def percent_given(share: float) -> str:
    """A limit or target in percent, as it was given.

    Examples
    --------
    >>> from sklearn_reclink.auditing.formatting import percent_given
    >>> [percent_given(share) for share in (0.05, 0.125, 1)]
    ['5 %', '12.5 %', '100 %']
    """
    return f"{100 * share:.6g} %"


@dataclass(frozen=True)
class Unit:
    """What one record describes: the nouns for one and for many of them.

    Examples
    --------
    >>> from sklearn_reclink.auditing.formatting import Unit
    >>> Unit.of("firms").count(1), Unit.of("company").count(1_200), Unit().count(2)
    ('1 firm', '1,200 companies', '2 people')
    >>> Unit.of("woman/women").one
    'woman'
    """

    one: str = "person"
    many: str = "people"

    @classmethod
    def of(cls, text: str) -> "Unit":
        """The unit that a noun names, in the singular, the plural or both: ``"child/children"``."""
        words = [" ".join(word.split()) for word in text.split("/")]
        if not all(words) or len(words) > 2:
            raise ValueError(
                f"the unit is {text!r}: give a noun such as firms, or both forms as child/children"
            )
        word = words[0]
        if len(words) == 2:
            return cls(*words)
        for one, many in _IRREGULAR:
            if word.lower() in (one, many):
                return cls(one, many)
        if word.endswith("s") and not word.endswith("ss"):
            return cls(_singular(word), word)
        return cls(word, _plural(word))

    def count(self, number: int) -> str:
        """A number with its noun."""
        return f"{number:,} {self.one if number == 1 else self.many}"


PEOPLE = Unit()
_IRREGULAR = (
    ("person", "people"),
    ("child", "children"),
    ("man", "men"),
    ("woman", "women"),
    ("business", "businesses"),
    ("staff", "staff"),
)
_HISSING = ("s", "x", "z", "ch", "sh")


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    hissing = word.endswith("es") and word[:-2].endswith(("ss", "x", "zz", "ch", "sh"))
    return word[:-2] if hissing else word[:-1]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_HISSING) else "s")


def listed(texts: Sequence[str]) -> str:
    """Texts joined as in a sentence."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def judged_by(names: Sequence[str], left_out: Sequence[str]) -> str:
    """Which of the variables were compared, as a sentence."""
    n_all = len(names) + len(left_out)
    return f"Judged by {len(names):,} of the {n_all:,} variables: {first_few(names)}."


def first_few(names: Sequence[str]) -> str:
    """Names as in a sentence, in quotes; of many the first, and how many more there are."""
    more = len(names) - MOST_LISTED
    text = listed([quoted(name) for name in names[:MOST_LISTED]])
    return f"{text} and {more:,} more" if more > 0 else text


def quoted(name: str) -> str:
    """A name of a column on one line, in quotes."""
    return f"“{' '.join(name.split())}”"


def wrapped(text: str, bullet: str = "", width: int = WIDTH) -> str:
    """A paragraph in lines of a terminal."""
    unbroken = text.replace(" %", "\N{NO-BREAK SPACE}%")
    indent = " " * len(bullet)
    lines = fill(
        unbroken, width, initial_indent=bullet, subsequent_indent=indent, break_on_hyphens=False
    )
    return lines.replace("\N{NO-BREAK SPACE}%", " %")


def bulleted(texts: Iterable[str], bullet: str = "  - ", width: int = WIDTH) -> str:
    """Paragraphs as a list."""
    return "\n".join(wrapped(text, bullet, width) for text in texts)


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], markdown: bool = False) -> str:
    r"""A table for a terminal: names and texts to the left, numbers to the right.

    Examples
    --------
    >>> from sklearn_reclink.auditing.formatting import aligned
    >>> print(aligned(["attacker", "people\nfound"], [["Euclidean", "7"], ["OWA", "12"]]))
               people
    attacker    found
    ---------  ------
    Euclidean       7
    OWA            12
    """
    # a heading may take several lines, the last of which stands above the rule
    upwards = zip_longest(*(name.split("\n")[::-1] for name in header), fillvalue="")
    headings = list(upwards)[::-1]
    widths = [max(map(len, column)) for column in zip(*headings, *rows, strict=True)]
    left = [c == 0 or not all(_is_number(row[c]) for row in rows) for c in range(len(header))]
    rule = ["-" * width for width in widths]
    if markdown:
        rule = [line if start else line[:-1] + ":" for line, start in zip(rule, left, strict=True)]
    lines = [
        [
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(line, widths, left, strict=True)
        ]
        for line in [*headings, rule, *rows]
    ]
    if markdown:
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def cell(value: Value | None, write: Callable[[Value], str] = "{:,}".format) -> str:
    """A value in a table; a dash for none."""
    return "-" if value is None else write(value)


def _is_number(text: str) -> bool:
    number = text.removeprefix("under ").removeprefix("over ").lstrip("+−-")
    return not number or number[0].isdigit()
