"""The figures of a report: each answers one question, in a picture, a sentence and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink import inspection
from sklearn_reclink.auditing import _output as output
from sklearn_reclink.auditing._svg import draw_svg, is_narrow
from sklearn_reclink.auditing._variables import best_attack
from sklearn_reclink.auditing.formatting import Unit, percent, percent_given
from sklearn_reclink.inspection import drawing
from sklearn_reclink.inspection.drawing import BLUE, GREY, VERMILION, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit

_MOST_PAIRS = 15
_MOST_BARS = 40
_MOST_LINES = 500
_MOST_CELLS = 16
_LONGEST_ON_PHONE = 18


class ReportFigure(NamedTuple):
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
    anybody, shown = not audit.at_chance, audit.contributions
    figures = {
        "attackers": attackers_figure(audit) if anybody else None,
        "held_out": held_out_figure(audit) if anybody and audit.estimates else None,
        "without": withheld_figure(audit) if shown.n_with and shown.tried else None,
        "weights": weights_figure(audit),
        "pairs": pairs_figure(audit),
        "margins": margins_figure(audit),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def attackers_figure(audit: Audit) -> ReportFigure:
    """How many people does each attacker find, and how many could it?"""
    attacks, total, worst = audit.attacks, audit.n_records, audit.worst
    rates = np.array([one.rate for one in attacks])
    guessed = np.array([one.risk for one in attacks])
    # what is proven of each, the ceiling if nothing tighter is
    proven = [
        audit.ceiling
        if one.bound is None and one.attacker.monotone and one.status != "fixed"
        else one.bound or 0
        for one in attacks
    ]
    ends = np.maximum(guessed, np.array(proven) / total)
    most = np.rint(total * guessed).astype(int)
    texts = [
        f"{one.n_found:,}" + f" to {n:,}" * (n > one.n_found)
        for one, n in zip(attacks, most.tolist(), strict=True)
    ]

    def draw(ax: Axes) -> None:
        rows, unproven = np.arange(len(rates)), drawing.hatched(GREY, linewidth=0)
        ax.barh(rows, ends - guessed, left=guessed, height=0.7, **unproven)
        ax.barh(rows, guessed - rates, left=rates, height=0.7, color=BLUE, alpha=0.35)
        _draw_shares(ax, [one.attacker.title for one in attacks], rates, guessed, texts)
        ax.set_xlabel(f"share of the {total:,} {audit.unit.many}")
        _leave_room(ax, 1.0)
        if audit.limit is not None:
            _mark(ax, audit.limit, f"limit: {percent_given(audit.limit)}")

    n_attackers = Unit("attacker", "attackers").count(len(attacks))
    alternative = (
        f"Bars of the share of {audit.unit.many} found by {n_attackers}. "
        f"{worst.attacker.title} finds the most: {worst.n_found:,} of {total:,}."
    )
    if np.any(guessed > rates):
        alternative += " Pale parts are found on average by guessing among ties."
    if np.any(ends > guessed):
        alternative += " Hatched parts extend to the proven bound."
    svg = draw_svg("attackers", 0.9 + 0.34 * max(len(attacks), 2), draw)
    return ReportFigure(svg, alternative, *output.attackers_table(audit))


def held_out_figure(audit: Audit) -> ReportFigure:
    """Does the attack work on people it has not seen?"""
    seen = {one.attacker: one.rate for one in audit.attacks}
    estimates = audit.estimates

    def draw(ax: Axes) -> None:
        rows = np.arange(len(estimates))
        rates = np.array([one.rate for one in estimates])
        reach = np.abs(np.array([one.interval for one in estimates]).T - rates)
        known = [seen.get(one.attacker, np.nan) for one in estimates]
        label = f"{audit.unit.many} it has seen"
        ax.plot(known, rows, "D", color=GREY, fillstyle="none", label=label)
        label = f"{audit.unit.many} not seen, 95 % interval"
        ax.errorbar(rates, rows, xerr=reach, fmt="o", color=BLUE, capsize=3, label=label)
        guess = 1 / audit.n_masked
        ax.axvline(guess, color=VERMILION, linestyle="--", linewidth=1.2, label="random guess")
        _name_shares(ax, [one.attacker.title for one in estimates])
        ax.set(xlim=(-0.03, 1.03), xlabel=f"share of {audit.unit.many} found")
        ax.grid(axis="y", alpha=0.35)
        legend_above(ax, ncols=1 if is_narrow(ax) else 3)

    best = max(estimates, key=lambda one: one.rate)
    low, high = map(percent, best.interval)
    alternative = (
        f"Share found of {audit.unit.many} not learned from, with 95 % intervals. The "
        f"highest is {percent(best.rate)} ({low} to {high}) by {best.attacker.title}; a random "
        f"guess finds 1 in {audit.n_masked:,}."
    )
    rows = [
        [
            one.attacker.title,
            *(f"{number:,}" for number in (one.n_train, len(one.rows), one.n_pool, one.n_found)),
            percent(one.rate),
            " to ".join(map(percent, one.interval)),
            percent(seen[one.attacker]) if one.attacker in seen else "not run",
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
    variables, n_with = shown.tried[:_MOST_BARS], shown.n_with
    without = np.array([one.n_without for one in variables]) / audit.n_records
    plain = n_with / audit.n_records
    ends = np.maximum(without, plain)

    def draw(ax: Axes) -> None:
        texts = [f"{one.n_without:,} ({output.change_text(one.drop or 0)})" for one in variables]
        _draw_shares(ax, [one.name for one in variables], without, without, texts)
        ax.set_xlabel(f"share of {audit.unit.many} still found without it")
        _leave_room(ax, ends.max())
        _mark(ax, plain, f"with all variables: {n_with:,}")

    alternative = (
        f"Bars of how many {audit.unit.many} {shown.judge} finds without one variable; with all "
        f"variables it finds {audit.unit.count(n_with)}. The largest change "
        f"is without {variables[0].name}: {variables[0].n_without:,}.{_shown(audit, variables)}"
    )
    svg = draw_svg("without", 1.2 + 0.31 * max(len(variables), 2), draw)
    return ReportFigure(svg, alternative, *output.variables_table(audit, _MOST_LINES))


def weights_figure(audit: Audit) -> ReportFigure | None:
    """Which variables give people away?"""
    ranked = sorted(audit.contributions.variables, key=lambda one: -one.learned)
    variables = ranked[:_MOST_BARS]
    series = {
        "weight in the weighted mean": [one.weight for one in variables],
        "Shapley value in the Choquet integral": [one.shapley for one in variables],
    }
    series = {label: values for label, values in series.items() if values[0] is not None}
    if not series:
        return None

    def draw(ax: Axes) -> None:
        drawing.draw_bars(ax, series)
        drawing.equal_line(ax, len(ranked))
        _name_shares(ax, [one.name for one in variables])
        ax.set_xlabel("share of the learned distance")
        legend_above(ax, ncols=1 if is_narrow(ax) else 3)

    alternative = (
        "Bars of how much each variable counts in the learned distances. The variable that counts "
        f"most is {variables[0].name}.{_shown(audit, variables)}"
    )
    height = 1.5 + (0.4 if len(series) > 1 else 0.32) * max(len(variables), 2)
    header, rows = output.variables_table(audit, _MOST_LINES)
    svg = draw_svg("weights", height, draw)
    return ReportFigure(svg, alternative, header[:3], [row[:3] for row in rows])


def pairs_figure(audit: Audit) -> ReportFigure | None:
    """Which pairs of variables give people away?"""
    pairs, names = audit.contributions.pairs, audit.names
    best = best_attack(audit.attacks, "choquet", "hlms")
    if best is None or not pairs or len(names) > _MOST_CELLS:
        return None
    linker, strongest = best.linker, pairs[0]
    how = "reveal more together than apart" if strongest.interaction > 0 else "repeat each other"
    alternative = (
        "Triangle of the interaction indices of all pairs. The strongest interaction is that of "
        f"{strongest.first} and {strongest.second}, {strongest.interaction:+.2f}: they {how}."
    )

    def draw(ax: Axes) -> None:
        # numbers in the cells would be too small on a phone; the table has them
        written = len(names) <= 8 and not is_narrow(ax)
        options: dict[str, Any] = {"feature_names": names, "include_values": written}
        inspection.InteractionDisplay.from_estimator(linker, ax=ax, **options)

    svg = draw_svg("pairs", max(1.4 + 0.42 * len(names), 3.2), draw)
    rows = [[pair.first, pair.second, f"{pair.interaction:+.3f}"] for pair in pairs[:_MOST_PAIRS]]
    return ReportFigure(svg, alternative, ["variable", "and", "interaction index"], rows)


def margins_figure(audit: Audit) -> ReportFigure | None:
    """How clear are the links of the strongest attack?"""
    best = audit.worst
    if not best.n_found:
        return None
    display = inspection.MarginDisplay(margin=best.margin, reidentified=best.reidentified)
    counts, edges = np.histogram(np.clip(best.margin[best.reidentified], 0, 1), 5, (0, 1))
    alternative = (
        "Histogram of the margin between the right masked record and the nearest other, for "
        f"{best.attacker.title}: {best.n_found:,} found, {counts[2:].sum():,} of them with a "
        "margin above 0.4."
    )
    rows = [
        [f"{low:.1f} to {low + 0.2:.1f}", f"{count:,}"]
        for low, count in zip(edges[:-1], counts, strict=True)
    ]

    def draw(ax: Axes) -> None:
        display.plot(ax=ax)
        legend_above(ax, ncols=1 if is_narrow(ax) else 2)

    svg = draw_svg("margins", 3.4, draw)
    return ReportFigure(svg, alternative, ["margin", f"{audit.unit.many} found"], rows)


def comparison_figure(comparison: Comparison) -> ReportFigure:
    """Which masking is worth its information loss?"""
    names = [one.masked_name for one in comparison.audits]
    display = inspection.RiskUtilityDisplay(
        risk=[one.risk for one in comparison.audits],
        information_loss=comparison.losses,
        names=names,
        risk_label=f"{comparison.audits[0].unit.many} found, guesses included",
        loss_label="information loss (PIL)",
    )
    alternative = (
        f"{Unit('masking', 'maskings').count(len(names))} by information loss and risk. The "
        f"masking with the lowest risk is {comparison.safest.masked_name}."
    )

    def draw(ax: Axes) -> None:
        if comparison.limit is not None:
            style: dict[str, Any] = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
            label = f"limit: {percent_given(comparison.limit)}"
            ax.axhline(comparison.limit, label=label, zorder=0, **style)
        display.plot(ax=ax)
        legend_above(ax, ncols=1)

    svg = draw_svg("maskings", 4.2, draw)
    return ReportFigure(svg, alternative, *output.comparison_table(comparison))


def _shown(audit: Audit, variables: Sequence[Any]) -> str:
    total = len(audit.names)
    return "" if len(variables) == total else f" {len(variables)} of {total:,} variables are shown."


def _name_shares(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows, and write the other axis in percent."""
    drawing.name_rows(ax, names, _LONGEST_ON_PHONE if is_narrow(ax) else drawing.LONGEST_NAME)
    drawing.in_percent(ax.xaxis, n_bins=4 if is_narrow(ax) else 6)


def _draw_shares(
    ax: Axes, names: Sequence[str], shares: np.ndarray, ends: np.ndarray, texts: Sequence[str]
) -> None:
    """Bars of shares, with a text at the end of each, whatever is drawn beyond it."""
    drawing.draw_bars(ax, {"_shares": shares})
    ground: Any = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1.0}
    for row, (end, text) in enumerate(zip(ends, texts, strict=True)):
        place: Any = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(text, (end, row), bbox=ground, **place)
    _name_shares(ax, names)


def _leave_room(ax: Axes, top: float) -> None:
    """Leave room for the texts at the ends of bars, without ticks beyond the largest share."""
    ax.set_xlim(0, top)
    ticks = [tick for tick in ax.get_xticks() if tick <= top * (1 + 1e-9)]
    ax.set_xticks(ticks)
    ax.set_xlim(0, top * (1.55 if is_narrow(ax) else 1.2))


def _mark(ax: Axes, share: float, label: str) -> None:
    """A line at a share, explained above the axes."""
    ax.axvline(share, color=VERMILION, linewidth=1.4, label=label)
    legend_above(ax)
