"""The figures of a report: each answers one question, in a picture, a sentence and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink.auditing._format import people, percent
from sklearn_reclink.auditing._svg import draw_svg
from sklearn_reclink.auditing._text import (
    change_text,
    comparison_table,
    variables_table,
    weight_text,
)
from sklearn_reclink.inspection import InteractionDisplay, MarginDisplay, RiskUtilityDisplay
from sklearn_reclink.inspection._display import (
    BLUE,
    GREY,
    VERMILION,
    draw_bars,
    equal_line,
    hatched,
    in_percent,
    legend_above,
    name_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing._attack import Attack
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit

_MOST_PAIRS = 15
_MOST_CELLS = 16
_LONGEST_NAME = 24


@dataclass(frozen=True)
class ReportFigure:
    """One figure of a report.

    Attributes
    ----------
    svg : str
        The picture.
    alternative : str
        What it shows, in words.
    header : list of str
        Names of the columns of its numbers.
    rows : list of list of str
        Its numbers.
    """

    svg: str
    alternative: str
    header: list[str]
    rows: list[list[str]]


def audit_figures(audit: Audit) -> dict[str, ReportFigure]:
    """The figures that have something to show, by name."""
    anybody = audit.risk > 0
    figures = {
        "attackers": attackers_figure(audit) if anybody else None,
        "held_out": held_out_figure(audit) if anybody and audit.estimates else None,
        "without": withheld_figure(audit) if audit.contributions.n_plain else None,
        "weights": weights_figure(audit),
        "pairs": pairs_figure(audit),
        "margins": margins_figure(audit),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def attackers_figure(audit: Audit) -> ReportFigure:
    """How many people does each attacker find, and how many could it?"""
    attacks, total = audit.attacks, audit.n_records
    titles = [one.attacker.title for one in attacks]
    bounds = [_bound(audit, one) for one in attacks]
    rates = np.array([one.rate for one in attacks])
    ends = np.maximum(rates, [(bound or 0) / total for bound in bounds])

    def draw(ax: Axes) -> None:
        draw_bars(ax, {"_found": rates})
        open_style = hatched(GREY, linewidth=0)
        ax.barh(np.arange(len(rates)), ends - rates, left=rates, height=0.7, **open_style)
        _write_at(ax, ends, [f"{one.n_found:,}" for one in attacks])
        _name_shares(ax, titles)
        ax.set_xlim(0, 1.12)
        ax.set_xlabel(f"share of the {total:,} people")
        if audit.limit is not None:
            label = f"limit: {percent(audit.limit)}"
            ax.axvline(audit.limit, color=VERMILION, linewidth=1.4, label=label)
            legend_above(ax)

    worst = audit.worst
    alternative = (
        f"Bars of the share of people found by {len(attacks)} attackers. "
        f"{worst.attacker.title} finds the most: {worst.n_found:,} of {total:,}."
    )
    if np.any(ends > rates):
        alternative += " Hatched parts extend to the proven bound."
    rows = [
        [title, f"{one.n_found:,}", percent(one.rate), "none" if bound is None else f"{bound:,}"]
        for title, one, bound in zip(titles, attacks, bounds, strict=True)
    ]
    header = ["attacker", "people found", "share", "proven bound"]
    svg = draw_svg("attackers", 0.9 + 0.34 * max(len(attacks), 2), draw)
    return ReportFigure(svg, alternative, header, rows)


def held_out_figure(audit: Audit) -> ReportFigure:
    """Does the attack work on people it has not seen?"""
    seen = {one.attacker.name: one.rate for one in audit.attacks}
    estimates = audit.estimates

    def draw(ax: Axes) -> None:
        rows = np.arange(len(estimates))
        rates = np.array([one.rate for one in estimates])
        reach = np.abs(np.array([one.interval for one in estimates]).T - rates)
        known = [seen.get(one.attacker.name, np.nan) for one in estimates]
        ax.plot(known, rows, "D", color=GREY, fillstyle="none", label="people it has seen")
        label = "people not seen, 95 % interval"
        ax.errorbar(rates, rows, xerr=reach, fmt="o", color=BLUE, capsize=3, label=label)
        guess = 1 / audit.n_records
        ax.axvline(guess, color=VERMILION, linestyle="--", linewidth=1.2, label="random guess")
        _name_shares(ax, [one.attacker.title for one in estimates])
        ax.set_xlim(-0.03, 1.03)
        ax.set_xlabel("share of people found")
        ax.grid(axis="y", alpha=0.35)
        legend_above(ax, bbox_to_anchor=(0.4, 1.0), ncols=2)

    best = max(estimates, key=lambda one: one.rate)
    low, high = map(percent, best.interval)
    alternative = (
        f"Share of people found that were not learned from, with 95 % intervals. The highest is "
        f"{percent(best.rate)} ({low} to {high}) by {best.attacker.title}; a random guess finds 1 "
        f"in {audit.n_records:,}."
    )
    rows = [
        [
            one.attacker.title,
            *(f"{number:,}" for number in (one.n_train, one.n_tested, one.n_pool, one.n_found)),
            percent(one.rate),
            " to ".join(map(percent, one.interval)),
            percent(seen[one.attacker.name]) if one.attacker.name in seen else "not run",
        ]
        for one in estimates
    ]
    header = ["attacker", "learned from", "sought", "pool", "found", "share"]
    header += ["95 % interval", "share of all, seen"]
    svg = draw_svg("unseen", 1.3 + 0.32 * max(len(estimates), 2), draw)
    return ReportFigure(svg, alternative, header, rows)


def withheld_figure(audit: Audit) -> ReportFigure:
    """What if a variable were withheld?"""
    shown = audit.contributions
    variables, total = shown.ranked, audit.n_records
    without = np.array([one.n_without for one in variables]) / total
    ends = np.maximum(without, shown.n_plain / total)

    def draw(ax: Axes) -> None:
        draw_bars(ax, {"_without": without})
        _write_at(ax, ends, [change_text(one.drop) for one in variables])
        label = f"with all variables: {shown.n_plain:,}"
        ax.axvline(shown.n_plain / total, color=VERMILION, linewidth=1.4, label=label)
        _name_shares(ax, [one.name for one in variables])
        ax.set_xlim(0, 1.18 * ends.max())
        ax.set_xlabel("share of people still found without it")
        legend_above(ax)

    alternative = (
        "Bars of how many people the attackers that learn nothing find without one variable; with "
        f"all variables they find {people(shown.n_plain)}. The largest change is without "
        f"{variables[0].name}: {variables[0].n_without:,}."
    )
    svg = draw_svg("without", 1.2 + 0.31 * max(len(variables), 2), draw)
    return ReportFigure(svg, alternative, *variables_table(audit))


def weights_figure(audit: Audit) -> ReportFigure | None:
    """Which variables give people away?"""
    variables = sorted(
        audit.contributions.variables, key=lambda one: -((one.weight or 0.0) + (one.shapley or 0.0))
    )
    series = {
        label: values
        for label, values in (
            ("weight in the weighted mean", [one.weight for one in variables]),
            ("Shapley value in the Choquet integral", [one.shapley for one in variables]),
        )
        if values[0] is not None
    }
    if not series:
        return None

    def draw(ax: Axes) -> None:
        draw_bars(ax, series)
        equal_line(ax, len(variables))
        _name_shares(ax, [one.name for one in variables])
        ax.set_xlabel("share of the learned distance")
        legend_above(ax, bbox_to_anchor=(0.4, 1.0))

    alternative = (
        "Bars of how much each variable counts in the learned distances. The variable that counts "
        f"most is {variables[0].name}."
    )
    rows = [[one.name, weight_text(one.weight), weight_text(one.shapley)] for one in variables]
    height = 1.5 + (0.4 if len(series) > 1 else 0.32) * max(len(variables), 2)
    header = ["variable", "learned weight", "Shapley value"]
    return ReportFigure(draw_svg("weights", height, draw), alternative, header, rows)


def pairs_figure(audit: Audit) -> ReportFigure | None:
    """Which pairs of variables give people away?"""
    pairs, names = audit.contributions.pairs, audit.names
    if not pairs or len(names) > _MOST_CELLS:
        return None
    matrix = np.diag([one.shapley or 0.0 for one in audit.contributions.variables])
    for pair in pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        matrix[i, j] = matrix[j, i] = pair.interaction
    display = InteractionDisplay(
        matrix=matrix,
        feature_names=names,
        label="interaction index\n← overlapping    complementary →",
        diagonal="Shapley value of the variable",
    )
    strongest = pairs[0]
    how = "tell more together than apart" if strongest.interaction > 0 else "repeat each other"
    alternative = (
        "Triangle of the interaction indices of all pairs. The strongest interaction is that of "
        f"{strongest.first} and {strongest.second}, {strongest.interaction:+.2f}: they {how}."
    )
    svg = draw_svg(
        "pairs",
        max(1.4 + 0.42 * len(names), 3.2),
        lambda ax: display.plot(ax=ax, include_values=len(names) <= 8),
    )
    rows = [[pair.first, pair.second, f"{pair.interaction:+.3f}"] for pair in pairs[:_MOST_PAIRS]]
    return ReportFigure(svg, alternative, ["variable", "and", "interaction index"], rows)


def margins_figure(audit: Audit) -> ReportFigure | None:
    """How clear are the links of the strongest attack?"""
    best = audit.worst
    if not best.n_found:
        return None
    display = MarginDisplay(margin=best.margin, reidentified=best.reidentified)
    edges = np.linspace(0, 1, 6)
    counts, _ = np.histogram(np.clip(best.margin[best.reidentified], 0, 1), bins=edges)
    alternative = (
        "Histogram of the margin between the own masked record and the nearest other, for "
        f"{best.attacker.title}: {best.n_found:,} found, {counts[2:].sum():,} of them with a "
        "margin above 0.4."
    )
    rows = [
        [f"{low:.1f} to {high:.1f}", f"{count:,}"]
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    svg = draw_svg("margins", 3.4, lambda ax: display.plot(ax=ax))
    return ReportFigure(svg, alternative, ["margin", "people found"], rows)


def comparison_figure(comparison: Comparison) -> ReportFigure:
    """Which masking is worth its information loss?"""
    names = [one.masked_name for one in comparison.audits]
    display = RiskUtilityDisplay(
        risk=[one.risk for one in comparison.audits],
        information_loss=comparison.losses,
        names=names,
        risk_label="people found by the strongest attacker",
        loss_label="information loss (PIL)",
    )
    alternative = (
        f"{len(names)} maskings in the plane of information loss and risk. The masking with the "
        f"lowest risk is {comparison.safest.masked_name}."
    )
    svg = draw_svg("maskings", 4.0, lambda ax: display.plot(ax=ax))
    return ReportFigure(svg, alternative, *comparison_table(comparison))


def _bound(audit: Audit, one: Attack) -> int | None:
    """What is proven of an attacker in the whole file; the ceiling if nothing tighter is."""
    if one.bound is None and one.attacker.monotone and one.status != "fixed":
        return audit.ceiling
    return one.bound


def _name_shares(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows, and write the other axis in percent."""
    name_rows(ax, names, _LONGEST_NAME)
    in_percent(ax.xaxis)


def _write_at(ax: Axes, ends: np.ndarray, texts: Sequence[str]) -> None:
    """Write a text behind each bar."""
    for row, (end, text) in enumerate(zip(ends, texts, strict=True)):
        ax.annotate(text, (end, row), xytext=(4, 0), textcoords="offset points", va="center")
