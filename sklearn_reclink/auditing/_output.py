"""An audit or a comparison as text for a terminal and as data for JSON.

Both hold the verdict, names of files and columns, counts and shares of people, bounds, learned
weights, Shapley values and interaction indices, and information loss; no value of any record. The
HTML page adds rows, ids and margins of the records at risk. The tables are also those of the page.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink._version import __version__
from sklearn_reclink.auditing._attackers import VIEWS
from sklearn_reclink.auditing._attributes import secrets_as_dict, secrets_text
from sklearn_reclink.auditing._methods import software
from sklearn_reclink.auditing._population import population_as_dict, population_text
from sklearn_reclink.auditing._sample import sample_as_dict, sample_sentences
from sklearn_reclink.auditing._verdict import status_words, verdict
from sklearn_reclink.auditing.formatting import (
    Table,
    aligned,
    bulleted,
    cell,
    listed,
    percent,
    wrapped,
)

if TYPE_CHECKING:
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit
    from sklearn_reclink.auditing._unaligned import UnalignedAudit

LONGEST_NAME = 28
MOST_VARIABLES = 30
SCHEMA_VERSION = 1  # of docs/audit.schema.json


def audit_text(audit: Audit) -> str:
    """The verdict, the attackers and the variables."""
    words, n_further = verdict(audit), len(audit.names) - MOST_VARIABLES
    parts = [
        wrapped(words.headline),
        "Look at these columns first\n" + bulleted(words.findings) if words.findings else "",
        "How sure is that?\n" + bulleted(words.how_sure),
        "What to protect\n" + bulleted(words.what_to_protect),
        "Samples\n" + bulleted(sample_sentences(audit.curve, audit.unit)) if audit.curve else "",
        population_text(audit.population, audit.n_records, audit.unit),
        *secrets_text(audit.secrets, audit.unit.many),
        "Attackers\n" + aligned(*attackers_table(audit)),
        bulleted(
            f"{titles} did not run on the whole file: {reason}" for titles, reason in not_run(audit)
        ),
        _variables_text(audit),
        f"And {n_further:,} more variables: --json lists all." if n_further > 0 else "",
        *map(wrapped, variable_notes(audit)),
        "" if audit.scenarios is None else audit.scenarios.to_text(),
    ]
    return "\n\n".join(filter(None, parts))


def not_run(audit: Audit) -> list[tuple[str, str]]:
    """Who did not run on the whole file, and why; those short of time or memory together."""
    found: dict[tuple[str, str], list[str]] = {}
    for one, reason in audit.skipped.items():
        by = "" if one in audit.out_of_time else one.name
        found.setdefault((reason, by), []).append(one.title)
    return [(listed(titles), reason) for (reason, _), titles in found.items()]


def comparison_text(comparison: Comparison) -> str:
    """One line per masking, and which to take."""
    table = _with_short_names(comparison_table(comparison))
    return f"{table}\n\n{wrapped(comparison.headline)}"


def attackers_table(audit: Audit) -> Table:
    """Header and rows of what each attacker finds."""
    unseen = {one.attacker: percent(one.rate) for one in audit.estimates}
    header = ["attacker", "found", "share", "guessing", "at most", "ceiling", "not seen"]
    rows = [
        [
            one.attacker.title,
            f"{one.n_found:,}",
            percent(one.rate),
            percent(one.expected_rate),
            cell(one.bound),
            cell(audit.ceiling if one.attacker.monotone else None),
            unseen.get(one.attacker, "-"),
            f"{one.seconds:.1f}",
            one.view,
            status_words(one),
        ]
        for one in audit.attacks
    ]
    for one in audit.estimates:
        if one.attacker in audit.skipped:
            shares = ["-", "-", percent(one.expected_rate), "-", "-", percent(one.rate), "-", "-"]
            rows.append([one.attacker.title, *shares, f"on a sample of {len(one.rows):,}"])
    return [*header, "seconds", "view", "search"], rows


def _variables_text(audit: Audit) -> str:
    """The table of the variables, if it has any number."""
    header, rows = variables_table(audit, MOST_VARIABLES)
    if all(cell == "-" for row in rows for cell in row[1:]):
        return ""
    return "Variables\n" + _with_short_names((header, rows))


def variable_notes(audit: Audit) -> list[str]:
    """Who counted what is found without a variable, and what time did not allow."""
    shown = audit.contributions
    notes = [shown.judged_note if shown.tried else None, shown.untried_note]
    return [note for note in notes if note is not None]


def variables_table(audit: Audit, most: int | None = None) -> Table:
    """Header and rows of what each variable gives away, of the first few or of all."""
    header = ["variable", "weight", "Shapley", "found without it", "change"]
    return header, [
        [
            one.name,
            *(cell(learned, "{:.3f}".format) for learned in (one.weight, one.shapley)),
            cell(one.n_without),
            cell(one.drop, change_text),
        ]
        for one in audit.contributions.ranked[:most]
    ]


def columns_read(audit: Audit) -> Table:
    """Header and rows of what each column was read as; no rows for numbers without gaps."""
    header = ["column", "kind", "levels", "missing in the original", "missing in the release"]
    return header, [
        [
            one["column"],
            one["kind"],
            cell(one["n_levels"]),
            percent(one["missing_original"]),
            percent(one["missing_masked"]),
        ]
        for one in _columns_as_dicts(audit)
    ]


def change_text(drop: int) -> str:
    """How many more or fewer people are found."""
    return f"{-drop:+,}".replace("-", "−") if drop else "0"


def comparison_table(comparison: Comparison) -> Table:
    """Header and rows of what each masking gives away and loses."""
    header = ["masking", "found", "of", "share", "risk", "strongest", "not seen", "lost", "choice"]
    return header, [
        [
            audit.masked_name,
            f"{audit.worst.n_found:,}",
            f"{audit.n_records:,}",
            percent(audit.strict_rate),
            percent(audit.risk),
            "none" if audit.at_chance else audit.strongest.attacker.title,
            "-" if audit.estimate is None else percent(audit.estimate.rate),
            percent(loss),
            "chosen" if audit is comparison.chosen else "" if best else "another is better",
        ]
        for audit, loss, best in comparison.rows()
    ]


def _with_short_names(table: Table) -> str:
    from sklearn_reclink.inspection.drawing import shorten

    header, rows = table
    return aligned(header, [[shorten(name, LONGEST_NAME), *rest] for name, *rest in rows])


def head(audit: Audit | UnalignedAudit, kind: str) -> dict[str, Any]:
    """What a file of numbers is of, and what made it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": kind,
        "version": __version__,
        "software": software(),
        "sources": [asdict(one) for one in audit.sources],
        "masked": audit.masked_name,
        "n_records": audit.n_records,
    }


def audit_as_dict(audit: Audit) -> dict[str, Any]:
    """The numbers of an audit."""
    return {
        **head(audit, "audit"),
        "variables": list(audit.names),
        "verdict": asdict(verdict(audit)),
        "findings": [asdict(one) for one in audit.findings],
        "unit": asdict(audit.unit),
        "left_out": list(audit.left_out),
        "secrets": secrets_as_dict(audit.secrets),
        "risk": audit.risk,
        "strict_rate": audit.strict_rate,
        "expected_rate": audit.expected_rate,
        "risk_is_estimate": audit.rests_on_estimate,
        "limit": audit.limit,
        "above_limit": audit.above_limit,
        "unsettled": audit.unsettled,
        "ceiling": audit.ceiling,
        "proven_bound_of_monotone_distances": audit.monotone_bound,
        "standardizations_of_bounds": list(VIEWS),
        "random_guess_rate": 1 / audit.n_masked,
        "scenarios": None if audit.scenarios is None else audit.scenarios.to_dict(),
        "attackers": _attackers_as_dicts(audit),
        "skipped": [{"name": one.name, "reason": why} for one, why in audit.skipped.items()],
        "held_out": _estimates_as_dicts(audit),
        "gives_away": _gives_away_as_dict(audit),
        "n_records_at_risk": len(audit.records),
        "columns": _columns_as_dicts(audit),
        "samples": sample_as_dict(audit.curve),
        "population": population_as_dict(audit.population),
        "notes": list(audit.notes),
        "settings": audit.settings,
        "certificate_sha256": audit.certificate_hash,
    }


def _attackers_as_dicts(audit: Audit) -> list[dict[str, Any]]:
    """What each attacker found in the whole file."""
    return [
        {
            "name": one.attacker.name,
            "found": one.n_found,
            "rate": one.rate,
            "expected_rate": one.expected_rate,
            "bound": one.bound,
            "confidence_bound": one.confidence_bound,
            "standardize": one.linker.standardize_,
            "ceiling": audit.ceiling if one.attacker.monotone else None,
            "status": one.status,
            "learned_from": one.n_learned,
            "seconds": round(one.seconds, 3),
        }
        for one in audit.attacks
    ]


def _estimates_as_dicts(audit: Audit) -> list[dict[str, Any]]:
    """What each attacker found among records it had not seen."""
    return [
        {
            "name": one.attacker.name,
            "found": one.n_found,
            "tested": len(one.rows),
            "rate": one.rate,
            "expected_rate": one.expected_rate,
            "interval_95_wilson": list(one.interval),
            "learned_from": one.n_train,
            "pool": one.n_pool,
        }
        for one in audit.estimates
    ]


def _gives_away_as_dict(audit: Audit) -> dict[str, Any]:
    """Which variables give people away, and what leaving them out does."""
    found = audit.contributions
    return {
        "judge": found.judge,
        "found_with_all": found.n_with,
        "remedies": [{**asdict(one), "leave_out": list(one.leave_out)} for one in found.remedies],
        "n_withheld": len(found.tried),
        "note": " ".join(variable_notes(audit)),
        "variables": [asdict(one) for one in found.ranked],
        "pairs": [asdict(one) for one in found.pairs],
    }


def _columns_as_dicts(audit: Audit) -> list[dict[str, Any]]:
    """What each column was read as; nothing for numbers without gaps."""
    if audit.variables is None:
        return []
    kinds, categories = audit.variables.kinds, audit.variables.categories
    original, masked = (np.isnan(file).mean(axis=0).tolist() for file in (audit.X, audit.Y))
    return [
        {
            "column": name,
            "kind": kinds[k],
            "n_levels": None if (levels := categories[k]) is None else len(levels),
            "missing_original": original[k],
            "missing_masked": masked[k],
        }
        for k, name in enumerate(audit.names)
    ]


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """The numbers of a comparison."""
    maskings = [
        {"information_loss": loss, "frontier": best, **audit_as_dict(audit)}
        for audit, loss, best in comparison.rows()
    ]
    chosen = comparison.chosen
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "comparison",
        "headline": comparison.headline,
        "limit": comparison.limit,
        "above_limit": comparison.above_limit,
        "unsettled": comparison.unsettled,
        "chosen": None if chosen is None else chosen.masked_name,
        "safest": comparison.safest.masked_name,
        "maskings": maskings,
    }
