"""What the audit of a sample says: recall and precision of links that an intruder claims.

Where the files do not hold the same people, the rates of an audit are *recall*: shares of the
people in both files. An intruder who does not know who is in the release links people who are not,
falsely, and has a lower *precision* (`metrics.linkage_curve`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, linking_one_by_one
from sklearn_reclink.auditing._files import Files
from sklearn_reclink.auditing.formatting import Unit, percent
from sklearn_reclink.metrics import LinkageCurve, linkage_curve

SURE = 0.95  # precision that an intruder may ask for


def sample_curve(attacks: Sequence[Attack], files: Files) -> LinkageCurve | None:
    """The curve of the strongest attacker; None where both files hold the same people."""
    if files.pool is None and files.absent is None:
        return None
    linker = linking_one_by_one(max(attacks, key=lambda one: one.n_found).linker)
    return linkage_curve(linker, files.X, files.Y, pool=files.pool, absent=files.absent)


def sample_sentences(curve: LinkageCurve, unit: Unit) -> list[str]:
    """Both readings in words."""
    n_others = curve.pool_size - curve.n_pairs
    found = [
        f"The files hold different {unit.many}: {curve.n_pairs:,} are in both, {n_others:,} masked "
        f"records belong to {unit.many} not in the original file, and "
        f"{unit.count(curve.n_absent)} of the original file are not in the release. Shares are of "
        "those in both."
    ]
    known, unknown = curve.known, curve.unknown
    found.append(
        f"An intruder who knows that a {unit.one} is in the release and claims every clear link "
        f"finds {percent(float(known.recall[-1]))} of them, and {_right(known.precision[-1])}."
    )
    if curve.n_absent:
        found.append(
            f"One who does not know it also claims links for {unit.many} not in the release: "
            f"{_right(unknown.precision[-1])}. By claiming only links so clear that "
            f"{percent(SURE)} are right, that intruder finds {percent(unknown.at_precision(SURE))}."
        )
    return found


def sample_as_dict(curve: LinkageCurve | None) -> dict[str, Any] | None:
    """The numbers of the sentences."""
    if curve is None:
        return None
    readings = {"knows_who_is_in": curve.known, "does_not_know": curve.unknown}
    return {
        "n_pairs": curve.n_pairs,
        "n_absent": curve.n_absent,
        "pool": curve.pool_size,
        **{
            name: {
                "recall": float(one.recall[-1]),
                "precision": None if np.isnan(one.precision[-1]) else float(one.precision[-1]),
                "recall_at_precision_95": one.at_precision(SURE),
            }
            for name, one in readings.items()
        },
    }


def _right(precision: float) -> str:
    if np.isnan(precision):
        return "no link is clear enough to claim"
    return f"{percent(float(precision))} of the claims are right"
