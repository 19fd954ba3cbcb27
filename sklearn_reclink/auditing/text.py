"""An audit or a comparison as text for a terminal: the same words, and tables of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from sklearn_reclink.auditing.words import percent, status_words, verdict

if TYPE_CHECKING:
    from sklearn_reclink.auditing.audit import Audit
    from sklearn_reclink.auditing.comparison import Comparison

WIDTH = 92
_LONGEST = 28


def audit_text(audit: Audit) -> str:
    """The verdict, the attackers and the variables."""
    words = verdict(audit)
    parts = [
        _wrapped(words.headline),
        "How sure is that?\n" + _bullets(words.sure),
        "What to protect\n" + _bullets(words.protect),
        "Attackers\n" + aligned(*attackers_table(audit)),
    ]
    if audit.skipped:
        parts.append(
            _bullets(
                [
                    f"{s.attacker.title} did not run on the whole file: {s.reason}"
                    for s in audit.skipped
                ]
            )
        )
    parts.append("Variables\n" + aligned(*variables_table(audit)))
    return "\n\n".join(parts)


def comparison_text(comparison: Comparison) -> str:
    """One line a masking, and the audit of none."""
    header, rows = comparison_table(comparison)
    safest = comparison.safest
    last = f"Lowest risk: {safest.masked_name}, {percent(safest.risk)}."
    return aligned(header, rows) + "\n\n" + _wrapped(last)


def attackers_table(audit: Audit) -> tuple[list[str], list[list[str]]]:
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


def variables_table(audit: Audit) -> tuple[list[str], list[list[str]]]:
    """Header and rows of what each variable gives away."""
    header = ["variable", "weight", "Shapley", "found without it"]
    return header, [
        [
            _short(one.name),
            "-" if one.weight is None else f"{one.weight:.2f}",
            "-" if one.shapley is None else f"{one.shapley:.2f}",
            f"{one.n_without:,} ({-one.drop:+,})" if one.drop else f"{one.n_without:,}",
        ]
        for one in audit.gives_away.ranked
    ]


def comparison_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Header and rows of what each masking gives away and loses."""
    header = ["masking", "found", "of", "risk", "strongest", "not seen", "lost", "choice"]
    rows = []
    for audit, loss, best in zip(
        comparison.audits, comparison.losses, comparison.frontier, strict=True
    ):
        estimate = audit.estimate
        rows.append(
            [
                _short(audit.masked_name),
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


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned: the first and the last to the left, numbers to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[c]) for line in lines) for c in range(len(header))]
    texts = [
        "  ".join(
            cell.ljust(width) if _is_text(c, rows) else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([texts[0], "  ".join("-" * width for width in widths), *texts[1:]])


def _is_text(column: int, rows: Sequence[Sequence[str]]) -> bool:
    cells = [row[column] for row in rows]
    return any(cell and not (cell[0].isdigit() or cell in "-" or "0.1" in cell) for cell in cells)


def _short(name: str) -> str:
    text = " ".join(name.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(
        fill(
            text,
            WIDTH,
            initial_indent="  - ",
            subsequent_indent="    ",
            break_on_hyphens=False,
        )
        for text in texts
    )
