"""What the figures share: docstrings, axes, colours, bars, legends, names that stay readable.

Colours are from the palette of Okabe and Ito, which people with any colour vision can tell apart;
those used here have a contrast of at least 3 to 1 against white and against black. Text and lines
take the colours of the style in use, so a dark style gives a dark figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar, dataclass_transform

import numpy as np

from sklearn_reclink._docstrings import entries_of, fill_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREY = "#7F7F7F"

LONGEST_NAME = 32

# what the docstrings of displays share
OF_DISPLAYS = entries_of("""\
name : str or None, default=None
    Name shown, by default that of the class.
ax : matplotlib Axes, default=None
    Axes to draw on; by default those of a new figure.
legend_ : matplotlib Legend
    The legend.
ax_, figure_ : matplotlib Axes, Figure
    Where it is drawn.
""")
OF_DISPLAYS["attacker"] = """\
Parameters
----------
estimator : fitted linker
    The attacker."""
OF_DISPLAYS["drawn"] = """\
Returns
-------
display
    Drawn on ``ax_``."""
OF_DISPLAYS["title"] = """\
name : str or None, default=None
    Name shown above the legend."""

Drawn = TypeVar("Drawn")


@dataclass_transform(kw_only_default=True, eq_default=False)
def display(described: type[Drawn]) -> type[Drawn]:
    """Make a class a dataclass with fields given by name, and fill in its docstrings."""
    return fill_in(OF_DISPLAYS)(dataclass(kw_only=True, eq=False, repr=False)(described))


class Display:
    """Base of the displays: `plot` draws on the axes given, or on those of a new figure."""

    ax_: Axes
    figure_: Figure | Any

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Display
            Itself.
        """
        self._draw_on(ax)
        return self

    def _draw_on(self, ax: Axes | None) -> None:
        raise NotImplementedError(f"{type(self).__name__} draws nothing")

    def _set_axes(self, ax: Axes | None, *, width: float = 6.4, height: float = 4.8) -> Axes:
        """The axes given, or those of a new figure of a size in inches, framed on two sides."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__}.plot requires matplotlib: pip install matplotlib"
            ) from error
        if ax is None:
            _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def shorten(name: Any, longest: int = LONGEST_NAME) -> str:
    """A name on one line, without its middle if it is long."""
    text = " ".join(str(name).split()) or "(no name)"
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head].rstrip()}…{text[len(text) - (longest - 1 - head) :].lstrip()}"


def as_label(name: Any, longest: int = LONGEST_NAME) -> str:
    """A short name in which matplotlib finds no markup."""
    return shorten(name, longest).replace("$", r"\$")


def text_colour(colour: tuple[float, ...]) -> str:
    """Black or white, whichever is easier to read on a colour."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"


def hatched(colour: str, **options: Any) -> dict[str, Any]:
    """Style of an area that differs from a filled one in more than its colour."""
    return {"facecolor": "none", "edgecolor": colour, "hatch": "////", **options}


def in_percent(axis: Axis, n_bins: int = 6) -> None:
    """Write the ticks of a rate in percent."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=n_bins, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda share, position: f"{100 * share:.4g} %".replace("-", "−"))


def name_rows(ax: Axes, names: Sequence[Any], longest: int = LONGEST_NAME) -> None:
    """Name the rows of a chart from top to bottom."""
    ax.set_yticks(range(len(names)), [as_label(name, longest) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


def draw_bars(ax: Axes, series: dict[str, Any], **options: Any) -> list[BarContainer]:
    """Horizontal bars by label, one bar of each series per row; the second series is hatched."""
    styles: list[dict[str, Any]] = [{"color": BLUE}, hatched(VERMILION, linewidth=1.0)]
    height = 0.7 / len(series)
    bars = []
    for number, (label, values) in enumerate(series.items()):
        offset = (number - (len(series) - 1) / 2) * height
        style: dict[str, Any] = {"height": height * 0.95 ** (len(series) - 1), "label": label}
        rows = np.arange(len(values)) + offset
        bars.append(ax.barh(rows, values, **(style | styles[number] | options)))
    return bars


def equal_line(ax: Axes, n_features: int) -> None:
    """Where the bars would end if all variables weighed the same."""
    style: dict[str, Any] = {"color": GREY, "linestyle": "--", "linewidth": 1, "zorder": 0}
    ax.axvline(1 / n_features, label="all equal", **style)


def legend_above(ax: Axes, **options: Any) -> Legend:
    """The legend above the axes, where it hides nothing."""
    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    return ax.legend(**(place | {"frameon": False, "fontsize": "small"} | options))
