"""Figures of what gives people away: variables withheld, weights, and pairs."""

from __future__ import annotations

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
from sklearn_reclink.auditing.words import people

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing.audit import Audit

_MOST_PAIRS = 15
_MOST_CELLS = 16


def variables_figure(audit: Audit) -> Figure:
    """What if a variable were withheld?"""
    shown = audit.gives_away
    variables, total = shown.ranked, audit.n_records

    def draw(ax: Axes) -> None:
        rows = np.arange(len(variables))
        ax.barh(rows, [one.n_without / total for one in variables], height=0.62, color=BLUE)
        for row, one in zip(rows, variables, strict=True):
            right = max(one.n_without, shown.n_plain) / total
            ax.annotate(
                f"{-one.drop:+,}".replace("-", "−") if one.drop else "0",
                (right, row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
            )
        line = ax.axvline(shown.n_plain / total, color=VERMILION, linewidth=1.4)
        shares_by_name(ax, [one.name for one in variables])
        ax.set_xlim(0, 1.18 * max(shown.n_plain, *(one.n_without for one in variables), 1) / total)
        ax.set_xlabel("share of people still found without it")
        legend_above(ax, [line], [f"with all variables: {shown.n_plain:,}"])

    first = variables[0]
    alternative = (
        f"Bars of how many people the plain attackers find when one variable is withheld; with all "
        f"of them they find {people(shown.n_plain)}. The largest change is without {first.name}: "
        f"{first.n_without:,}."
    )
    rows = [
        [
            one.name,
            "none" if one.weight is None else f"{one.weight:.3f}",
            "none" if one.shapley is None else f"{one.shapley:.3f}",
            f"{one.n_without:,}",
            f"{-one.drop:+,}" if one.drop else "0",
        ]
        for one in variables
    ]
    header = ["variable", "learned weight", "Shapley value", "found without it", "change"]
    return Figure(
        drawn(draw, 1.2 + 0.31 * max(len(variables), 2), "without"), alternative, header, rows
    )


def weights_figure(audit: Audit) -> Figure | None:
    """Which variables give people away?"""
    variables = sorted(
        (one for one in audit.gives_away.variables),
        key=lambda one: -((one.weight or 0.0) + (one.shapley or 0.0)),
    )
    series = [
        (label, colour, [getattr(one, attribute) for one in variables])
        for label, colour, attribute in (
            ("weight in the weighted mean", BLUE, "weight"),
            ("Shapley value in the Choquet integral", VERMILION, "shapley"),
        )
        if getattr(variables[0], attribute) is not None
    ]
    if not series:
        return None

    def draw(ax: Axes) -> None:
        height = 0.72 / len(series)
        rows = np.arange(len(variables))
        for number, (label, colour, values) in enumerate(series):
            offset = (number - (len(series) - 1) / 2) * height
            hatched = {"hatch": "////", "facecolor": "none", "edgecolor": colour, "linewidth": 1.0}
            style: dict[str, Any] = hatched if number else {"color": colour}
            ax.barh(rows + offset, values, height=0.9 * height, label=label, **style)
        equal = ax.axvline(1 / len(variables), color=GREY, linestyle="--", linewidth=1)
        equal.set_label("all equal")
        shares_by_name(ax, [one.name for one in variables])
        ax.set_xlabel("share of the learned distance")
        legend_above(ax)

    first = variables[0]
    alternative = (
        f"Bars of how much each variable counts in the learned distances; most: {first.name}."
    )
    rows = [
        [
            one.name,
            "none" if one.weight is None else f"{one.weight:.3f}",
            "none" if one.shapley is None else f"{one.shapley:.3f}",
        ]
        for one in variables
    ]
    header = ["variable", "learned weight", "Shapley value"]
    height = 1.5 + (0.4 if len(series) > 1 else 0.32) * max(len(variables), 2)
    return Figure(drawn(draw, height, "weights"), alternative, header, rows)


def pairs_figure(audit: Audit) -> Figure | None:
    """Which pairs of variables give people away?"""
    from sklearn_reclink.inspection import InteractionDisplay

    pairs, names = audit.gives_away.pairs, list(audit.names)
    if not pairs or len(names) > _MOST_CELLS:
        return None
    position = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for pair in pairs:
        i, j = position[pair.first], position[pair.second]
        matrix[i, j] = matrix[j, i] = pair.interaction
    for one in audit.gives_away.variables:
        matrix[position[one.name], position[one.name]] = one.shapley or 0.0
    display = InteractionDisplay(
        matrix=matrix,
        feature_names=names,
        label="interaction index\n← overlapping    complementary →",
        diagonal="Shapley value of the variable",
    )
    strongest = pairs[0]
    how = "tell more together than apart" if strongest.interaction > 0 else "repeat each other"
    alternative = (
        f"Triangle of interaction indices of all pairs. The strongest: {strongest.first} and "
        f"{strongest.second}, {strongest.interaction:+.2f}; they {how}."
    )
    svg = drawn(
        lambda ax: display.plot(ax=ax, include_values=len(names) <= 8),
        max(1.4 + 0.42 * len(names), 3.2),
        "pairs",
    )
    rows = [[p.first, p.second, f"{p.interaction:+.3f}"] for p in pairs[:_MOST_PAIRS]]
    return Figure(svg, alternative, ["variable", "and", "interaction index"], rows)
