"""An audit as data for JSON: numbers and names, no value of any record."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing._verdict import verdict

if TYPE_CHECKING:
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit

SCHEMA = 1


def audit_as_dict(audit: Audit) -> dict[str, Any]:
    """The numbers of an audit."""
    from sklearn_reclink import __version__

    words = verdict(audit)
    return {
        "schema": SCHEMA,
        "version": __version__,
        "masked": audit.masked_name,
        "n_records": audit.n_records,
        "variables": list(audit.names),
        "verdict": {
            "headline": words.headline,
            "how_sure": words.sure,
            "what_to_protect": words.protect,
        },
        "risk": audit.risk,
        "risk_is_estimate": audit.rests_on_estimate,
        "limit": audit.limit,
        "above_limit": audit.above_limit,
        "ceiling": audit.ceiling,
        "proven_bound_of_monotone_distances": audit.monotone_bound,
        "random_guess_rate": 1 / audit.n_records,
        "attackers": [
            {
                "name": one.attacker.name,
                "found": one.n_found,
                "rate": one.rate,
                "expected_rate": one.expected_rate,
                "bound": one.bound,
                "ceiling": audit.ceiling if one.attacker.monotone else None,
                "status": one.status,
                "learned_from": one.n_learned,
                "seconds": round(one.seconds, 3),
            }
            for one in audit.attacks
        ],
        "skipped": [{"name": s.attacker.name, "reason": s.reason} for s in audit.skipped],
        "held_out": [
            {
                "name": one.attacker.name,
                "found": one.n_found,
                "tested": one.n_tested,
                "rate": one.rate,
                "interval_95_wilson": list(one.interval),
                "learned_from": one.n_train,
                "pool": one.n_pool,
            }
            for one in audit.estimates
        ],
        "gives_away": {
            "found_by_plain_attackers": audit.contributions.n_plain,
            "variables": [asdict(one) for one in audit.contributions.ranked],
            "pairs": [asdict(one) for one in audit.contributions.pairs],
        },
        "n_records_at_risk": len(audit.records),
        "notes": list(audit.notes),
        "settings": audit.settings,
    }


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """The numbers of a comparison."""
    return {
        "schema": SCHEMA,
        "above_limit": comparison.above_limit,
        "maskings": [
            {"information_loss": loss, "frontier": bool(best), **audit_as_dict(audit)}
            for audit, loss, best in zip(
                comparison.audits, comparison.losses, comparison.frontier, strict=True
            )
        ],
    }
