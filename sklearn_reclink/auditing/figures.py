"""Figures of what attackers find: how many, of people not seen, how clearly, and by masking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing.drawing import (
    BLUE,
    GREY,
    VERMILION,
    Figure,
    drawn,
    legend_above,
    shares_by_name,
)
from sklearn_reclink.auditing.variable_figures import pairs_figure, variables_figure, weights_figure
from sklearn_reclink.auditing.words import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing.audit import Audit
    from sklearn_reclink.auditing.comparison import Comparison


def attackers_figure(audit: Audit) -> Figure:
    """How many people does each attacker find, and how many could it?"""
    attacks, total = audit.attacks, audit.n_records
    titles = [one.attacker.title for one in attacks]
    bounds = [_bound(audit, one) for one in attacks]

    def draw(ax: Axes) -> None:
        rows = np.arange(len(attacks))
        found = np.array([one.rate for one in attacks])
        bars = ax.barh(rows, found, height=0.62, color=BLUE)
        for row, bound in zip(rows, bounds, strict=True):
            if bound is not None and bound > attacks[row].n_found:
                left = attacks[row].rate
                ax.barh(
                    row,
                    bound / total - left,
                    left=left,
                    height=0.62,
                    facecolor="none",
                    edgecolor=GREY,
                    hatch="////",
                    linewidth=0,
                )
        ends = [max(one.rate, (b or 0) / total) for one, b in zip(attacks, bounds, strict=True)]
        for bar, end, one in zip(bars, ends, attacks, strict=True):
            middle = bar.get_y() + bar.get_height() / 2
            ax.annotate(
                f"{one.n_found:,}",
                (end, middle),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        shares_by_name(ax, titles)
        ax.set_xlim(0, 1.12)
        ax.set_xlabel(f"share of the {total:,} people")
        _limit_line(ax, audit)

    worst = audit.worst
    alternative = (
        f"Bars of the share of people found by {len(attacks)} attackers. The most are found by "
        f"{worst.attacker.title}: {worst.n_found:,} of {total:,}."
    )
    if any(
        bound is not None and bound > one.n_found
        for one, bound in zip(attacks, bounds, strict=True)
    ):
        alternative += " Hatched parts reach to the proven bound."
    rows = [
        [title, f"{one.n_found:,}", percent(one.rate), "none" if b is None else f"{b:,}"]
        for title, one, b in zip(titles, attacks, bounds, strict=True)
    ]
    header = ["attacker", "people found", "share", "proven bound"]
    svg = drawn(draw, 0.9 + 0.34 * max(len(attacks), 2), "attackers")
    return Figure(svg, alternative, header, rows)


def held_out_figure(audit: Audit) -> Figure:
    """Does the attack work on people it has not seen?"""
    whole = {one.attacker.name: one.rate for one in audit.attacks}
    estimates = audit.estimates

    def draw(ax: Axes) -> None:
        rows = np.arange(len(estimates))
        rates = np.array([one.rate for one in estimates])
        low, high = np.array([one.interval for one in estimates]).T
        known = [whole.get(one.attacker.name, np.nan) for one in estimates]
        ax.plot(known, rows, "D", color=GREY, fillstyle="none", label="people it has seen")
        ax.errorbar(
            *(rates, rows),
            xerr=[np.maximum(rates - low, 0), np.maximum(high - rates, 0)],
            fmt="o",
            color=BLUE,
            capsize=3,
            label="people not seen, 95 % interval",
        )
        guess = ax.axvline(1 / audit.n_records, color=VERMILION, linestyle="--", linewidth=1.2)
        guess.set_label("random guess")
        shares_by_name(ax, [one.attacker.title for one in estimates])
        ax.set_xlim(-0.03, 1.03)
        ax.set_xlabel("share of people found")
        ax.grid(axis="y", alpha=0.35)
        legend_above(ax, ncols=2)

    best = max(estimates, key=lambda one: one.rate)
    low, high = best.interval
    alternative = (
        f"Share of people found when they were not learned from, with 95 % intervals. The highest "
        f"is {percent(best.rate)} ({percent(low)} to {percent(high)}) by {best.attacker.title}; "
        f"a random guess finds 1 in {audit.n_records:,}."
    )
    rows = [
        [
            one.attacker.title,
            f"{one.n_train:,}",
            f"{one.n_tested:,}",
            f"{one.n_pool:,}",
            f"{one.n_found:,}",
            percent(one.rate),
            f"{percent(one.interval[0])} to {percent(one.interval[1])}",
            percent(whole[one.attacker.name]) if one.attacker.name in whole else "not run",
        ]
        for one in estimates
    ]
    header = ["attacker", "learned from", "looked for", "pool", "found", "share"]
    header += ["95 % interval", "share of all, seen"]
    return Figure(
        drawn(draw, 1.3 + 0.32 * max(len(estimates), 2), "unseen"), alternative, header, rows
    )


def margins_figure(audit: Audit) -> Figure | None:
    """How clear are the links of the strongest attack?"""
    from sklearn_reclink.inspection import MarginDisplay

    with_margin = [one for one in audit.attacks if one.margin is not None and one.n_found]
    if not with_margin:
        return None
    best = max(with_margin, key=lambda one: one.n_found)
    assert best.margin is not None
    display = MarginDisplay(margin=best.margin, reidentified=best.reidentified)
    edges = np.linspace(0, 1, 6)
    found = best.margin[best.reidentified]
    counts, _ = np.histogram(np.clip(found, 0, 1), bins=edges)
    alternative = (
        f"Histogram of the margin between the own masked record and the nearest other, for "
        f"{best.attacker.title}: {best.n_found:,} found, of whom {counts[2:].sum():,} with "
        "a margin above 0.4."
    )
    rows = [
        [f"{low:.1f} to {high:.1f}", f"{count:,}"]
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    svg = drawn(lambda ax: display.plot(ax=ax), 3.4, "margins")
    return Figure(svg, alternative, ["margin", "people found"], rows)


def comparison_figure(comparison: Comparison) -> Figure:
    """Which masking is worth its information loss?"""
    from sklearn_reclink.auditing.text import comparison_table
    from sklearn_reclink.inspection import RiskUtilityDisplay

    names = [one.masked_name for one in comparison.audits]
    display = RiskUtilityDisplay(
        risk=[one.risk for one in comparison.audits],
        information_loss=comparison.losses,
        names=names,
        risk_label="people found by the strongest attacker",
        loss_label="information loss (PIL)",
    )
    header, rows = comparison_table(comparison)
    alternative = (
        f"{len(names)} maskings in the plane of information loss and risk. The lowest risk has "
        f"{comparison.safest.masked_name}."
    )
    svg = drawn(lambda ax: display.plot(ax=ax), 4.0, "maskings")
    return Figure(svg, alternative, header, rows)


def _bound(audit: Audit, one: Any) -> int | None:
    """What is proven of an attacker in the whole file; the ceiling if no more is."""
    if one.status == "fixed":
        return None
    if one.bound is None:
        return audit.ceiling if one.attacker.monotone else None
    return int(one.bound)


def _limit_line(ax: Axes, audit: Audit) -> None:
    if audit.limit is None:
        return
    line = ax.axvline(audit.limit, color=VERMILION, linewidth=1.4)
    legend_above(ax, [line], [f"limit: {percent(audit.limit)}"])


def figures_of(audit: Audit) -> dict[str, Figure]:
    """All figures that have something to show, by name."""
    anybody = audit.risk > 0
    made: Sequence[tuple[str, Figure | None]] = [
        ("attackers", attackers_figure(audit) if anybody else None),
        ("held_out", held_out_figure(audit) if anybody and audit.estimates else None),
        ("without", variables_figure(audit) if audit.gives_away.n_plain else None),
        ("weights", weights_figure(audit)),
        ("pairs", pairs_figure(audit)),
        ("margins", margins_figure(audit)),
    ]
    return {name: figure for name, figure in made if figure is not None}
