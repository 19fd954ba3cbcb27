"""The figures of secrets and of nearest records: a picture, a sentence and a table each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink import inspection
from sklearn_reclink.auditing._attributes import SecretDisclosure, secrets_table
from sklearn_reclink.auditing._figures import ReportFigure
from sklearn_reclink.auditing._svg import draw_svg
from sklearn_reclink.auditing.formatting import percent

if TYPE_CHECKING:
    from sklearn_reclink.auditing._unaligned import UnalignedAudit

_PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95)


def secrets_figure(secrets: Sequence[SecretDisclosure]) -> ReportFigure | None:
    """How often is a secret told, against people not in the release and one guess for all?"""
    shown = [one for one in secrets if one.worst.attack.n_tried]
    if not shown:
        return None
    first = max(shown, key=lambda one: one.worst.attack.share)
    alternative = (
        f"Shares of guesses that are right for {len(shown)} secret variable"
        f"{'s' * (len(shown) != 1)}, with 95 % intervals. The attack is most often right for "
        f"{first.name}: {percent(first.worst.attack.share)}."
    )
    display = inspection.AttributeDisclosureDisplay(results={one.name: one.worst for one in shown})
    svg = draw_svg("secrets", 1.5 + 0.6 * max(len(shown), 2), lambda ax: display.plot(ax=ax))
    return ReportFigure(svg, alternative, *secrets_table(secrets))


def nearest_figure(audit: UnalignedAudit) -> ReportFigure:
    """Is the release nearer to the people it was made from?"""
    display = inspection.NearestRecordsDisplay(result=audit.nearest)
    alternative = "Curves of the share of records within a distance of the closest released record."
    if audit.nearest.near is not None:
        near = audit.nearest.near
        alternative += (
            f" Within the distance called near are {percent(near.attack.share)} of the originals "
            f"and {percent(near.control.share)} of the holdout."
        )
    svg = draw_svg("nearest", 3.4, lambda ax: display.plot(ax=ax))
    files = {"originals": audit.nearest.distance, "holdout": audit.nearest.holdout_distance}
    shown = {name: one for name, one in files.items() if one is not None}
    rows = [
        [f"{place} %", *(f"{np.percentile(one, place):.4f}" for one in shown.values())]
        for place in _PERCENTILES
    ]
    return ReportFigure(svg, alternative, ["share within", *shown], rows)
