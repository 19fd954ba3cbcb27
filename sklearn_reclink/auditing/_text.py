"""An audit or a comparison as text for a terminal: the verdict, and tables of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing._format import aligned, percent
from sklearn_reclink.auditing._verdict import status_words, verdict
from sklearn_reclink.inspection._display import shorten

if TYPE_CHECKING:
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit

WIDTH = 92
LONGEST_NAME = 28

Table = tuple[list[str], list[list[str]]]


def audit_text(audit: Audit) -> str:
    """The verdict, the attackers and the variables."""
    words = verdict(audit)
    parts = [
        wrapped(words.headline),
        "How sure is that?\n" + bulleted(words.sure),
        "What to protect\n" + bulleted(words.protect),
        "Attackers\n" + aligned(*attackers_table(audit)),
    ]
    if audit.skipped:
        skipped = [
            f"{one.attacker.title} did not run on the whole file: {one.reason}"
            for one in audit.skipped
        ]
        parts.append(bulleted(skipped))
    parts.append("Variables\n" + _with_short_names(variables_table(audit)))
    return "\n\n".join(parts)


def comparison_text(comparison: Comparison) -> str:
    """One line per masking, and which has the lowest risk."""
    safest = comparison.safest
    last = f"The masking with the lowest risk is {safest.masked_name}: {percent(safest.risk)}."
    return _with_short_names(comparison_table(comparison)) + "\n\n" + wrapped(last)


def attackers_table(audit: Audit) -> Table:
    """Header and rows of what each attacker finds."""
    estimates = {one.attacker.name: one for one in audit.estimates}
    header = ["attacker", "found", "share", "at most", "ceiling", "not seen", "seconds", "search"]
    rows = [
        [
            one.attacker.title,
            f"{one.n_found:,}",
            percent(one.rate),
            "-" if one.bound is None else f"{one.bound:,}",
            f"{audit.ceiling:,}" if one.attacker.monotone else "-",
            percent(estimates[one.attacker.name].rate) if one.attacker.name in estimates else "-",
            f"{one.seconds:.1f}",
            status_words(one),
        ]
        for one in audit.attacks
    ]
    for name, estimate in estimates.items():
        if name not in {one.attacker.name for one in audit.attacks}:
            sample = f"on a sample of {estimate.n_tested:,}"
            title, rate = estimate.attacker.title, percent(estimate.rate)
            rows.append([title, "-", "-", "-", "-", rate, "-", sample])
    return header, rows


def variables_table(audit: Audit) -> Table:
    """Header and rows of what each variable gives away."""
    header = ["variable", "weight", "Shapley", "found without it", "change"]
    return header, [
        [
            one.name,
            weight_text(one.weight),
            weight_text(one.shapley),
            f"{one.n_without:,}",
            change_text(one.drop),
        ]
        for one in audit.contributions.ranked
    ]


def weight_text(weight: float | None) -> str:
    """A learned weight; a dash if nothing was learned."""
    return "-" if weight is None else f"{weight:.3f}"


def change_text(drop: int) -> str:
    """How many more or fewer people are found."""
    return f"{-drop:+,}".replace("-", "−") if drop else "0"


def comparison_table(comparison: Comparison) -> Table:
    """Header and rows of what each masking gives away and loses."""
    header = ["masking", "found", "of", "risk", "strongest", "not seen", "lost", "choice"]
    rows = []
    for audit, loss, best in zip(
        comparison.audits, comparison.losses, comparison.frontier, strict=True
    ):
        estimate = audit.estimate
        rows.append(
            [
                audit.masked_name,
                f"{audit.worst.n_found:,}",
                f"{audit.n_records:,}",
                percent(audit.risk),
                audit.worst.attacker.title if audit.worst.n_found else "none",
                "-" if estimate is None else percent(estimate.rate),
                percent(loss),
                "" if best else "another is better",
            ]
        )
    return header, rows


def wrapped(text: str, bullet: str = "", width: int = WIDTH) -> str:
    """A paragraph in lines of a terminal."""
    indents: dict[str, Any] = {"initial_indent": bullet, "subsequent_indent": " " * len(bullet)}
    unbroken = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = fill(unbroken, width, break_on_hyphens=False, **indents)
    return lines.replace("\N{NO-BREAK SPACE}%", " %")


def bulleted(texts: Sequence[str], bullet: str = "  - ", width: int = WIDTH) -> str:
    """Paragraphs as a list."""
    return "\n".join(wrapped(text, bullet, width) for text in texts)


def _with_short_names(table: Table) -> str:
    header, rows = table
    return aligned(header, [[shorten(name, LONGEST_NAME), *rest] for name, *rest in rows])
