"""The page of a search for a masking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_reclink import inspection
from sklearn_reclink.auditing._figures import ReportFigure
from sklearn_reclink.auditing._html import render_page
from sklearn_reclink.auditing._methods import packages_text
from sklearn_reclink.auditing._output import attackers_table
from sklearn_reclink.auditing._svg import draw_svg
from sklearn_reclink.auditing.formatting import percent_given
from sklearn_reclink.auditing.protection.output import (
    headline,
    how_sure,
    shown,
    trials_table,
    why,
)
from sklearn_reclink.auditing.protection.result import risk_of
from sklearn_reclink.auditing.protection.trials import LEFT_OPEN
from sklearn_reclink.inspection.drawing import GREY, VERMILION, as_label, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing.protection.result import Protection


def render_protection(found: Protection) -> str:
    """The page of a search."""
    audit = found.audit
    return render_page(
        "protection.html",
        title=f"{'A' if found.feasible else 'No'} masking within the target",
        found=found,
        headline=headline(found),
        how_sure=how_sure(found),
        why=why(found),
        figure=frontier_figure(found),
        software=packages_text(),
        attackers=None if audit is None else attackers_table(audit),
    )


def frontier_figure(found: Protection) -> ReportFigure:
    """Which maskings are within the target, and what do they lose?"""
    trials = shown(found)
    at_least = [one for one in trials if one.is_lower_bound and one is not found.chosen]
    left_open = [one for one in at_least if one.outcome in LEFT_OPEN]
    rejected = [one for one in at_least if one not in left_open]
    others = [one for one in trials if one not in at_least] or [found.chosen]
    display = inspection.RiskUtilityDisplay(
        risk=[risk_of(one) for one in others],
        information_loss=[one.information_loss for one in others],
        risk_label=f"{found.unit} found by the strongest attacker",
        loss_label="information loss",
    )

    def draw(ax: Axes) -> None:
        display.plot(ax=ax)
        for some, marker, label in (
            (rejected, "x", "not audited: at least this risky"),
            (left_open, "^", "not settled: at least this risky"),
        ):
            if some:
                losses, risks = [one.information_loss for one in some], list(map(risk_of, some))
                ax.plot(losses, risks, marker, color=GREY, fillstyle="none", label=label)
        line: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
        target = f"target: {percent_given(found.max_risk)}"
        ax.axhline(found.max_risk, label=target, zorder=0, **line)
        ring: dict[str, Any] = {"markersize": 13, "fillstyle": "none", "color": VERMILION}
        ring["label"] = f"chosen: {as_label(found.chosen.name)}"
        ax.plot(found.chosen.information_loss, risk_of(found.chosen), "o", **ring)
        top = max(risk_of(one) for one in trials)
        ax.set_ylim(-0.03 * top, min(1.08 * max(top, 2 * found.max_risk), 1.03))
        legend_above(ax, ncols=1)

    alternative = (
        f"{len(trials)} maskings by information loss and risk. The masking chosen is "
        f"{found.chosen.name}."
    )
    return ReportFigure(draw_svg("frontier", 4.2, draw), alternative, *trials_table(found))
