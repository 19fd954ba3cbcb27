"""The figures of a report, one a question, as SVG that follows the colours of the page.

Every colour is drawn as one that stands for another: in the SVG they become ``currentColor`` and
variables of the page's style, so that one figure serves light, dark and print.
Text stays text. Every figure has a sentence that says what it shows, and a table of its numbers.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, GREY = "#0072b2", "#d55e00", "#7f7f7f"
_TEXT, _LINE, _GROUND = "#010203", "#040506", "#070809"
_ON_PAGE = {
    _TEXT: "currentColor",
    _LINE: "var(--line)",
    _GROUND: "var(--ground)",
    BLUE: "var(--first)",
    VERMILION: "var(--second)",
    GREY: "var(--line)",
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sklearn-reclink",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.color": _TEXT,
    "axes.labelcolor": _TEXT,
    "axes.edgecolor": _LINE,
    "axes.facecolor": _GROUND,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "xtick.color": _LINE,
    "ytick.color": _LINE,
    "xtick.labelcolor": _TEXT,
    "ytick.labelcolor": _TEXT,
    "grid.color": _LINE,
    "axes.axisbelow": True,
    "hatch.linewidth": 1.0,
}
WIDTH = 4.8  # inches: narrow, so that text stays readable on a phone


@dataclass(frozen=True)
class Figure:
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


def drawn(draw: Callable[[Axes], Any], height: float, name: str) -> str:
    """Draw on new axes and give the SVG, its ids led by a name of its own."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    text = io.StringIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # the browser has other fonts than the one that text is measured with
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        canvas = Canvas(figsize=(WIDTH, height), layout="constrained")
        draw(canvas.add_subplot())
        empty: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        canvas.savefig(text, format="svg", metadata=empty)
    svg = text.getvalue()
    return adapted(svg[svg.index("<svg") :], name)


def adapted(svg: str, name: str) -> str:
    """Let a picture follow the style of the page and share its names with no other."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for drawn_colour, shown in _ON_PAGE.items():
        svg = svg.replace(drawn_colour, shown)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    svg = re.sub(r'<svg([^>]*?) width="[^"]*"', r"<svg\1", svg, count=1)
    svg = re.sub(r'<svg([^>]*?) height="[^"]*"', r"<svg\1", svg, count=1)
    return svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)


def shortened(name: str, longest: int = 24) -> str:
    """A name on one line with nothing in it that matplotlib reads as markup."""
    text = " ".join(name.split()) or "(no name)"
    if len(text) > longest:
        text = f"{text[: longest - 6]}…{text[-5:]}"
    return text.replace("$", r"\$")


def shares_by_name(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows from top to bottom, write the other axis in percent, leave out the frame."""
    from matplotlib.ticker import MaxNLocator

    ax.set_yticks(range(len(names)), [shortened(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(lambda share, position: f"{100 * share:.4g} %".replace("-", "−"))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def legend_above(ax: Axes, *given: Any, ncols: int = 1) -> None:
    """The legend over the axes, where it hides nothing."""
    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.4, 1.0)}
    ax.legend(*given, ncols=ncols, frameon=False, fontsize="small", **place)
