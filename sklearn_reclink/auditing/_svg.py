"""Figures as SVG that follows the colours of the page.

Figures are drawn in colours that stand for others: in the SVG they become ``currentColor`` and
variables of the page's style, so that one figure serves light, dark and print. Text stays text.

Each figure is drawn twice, as wide as the text of the page on a screen and as wide as a phone, with
letters of one size; the style of the page shows one of them. A drawing scaled to a phone would have
letters that nobody can read.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sklearn_reclink.inspection.drawing import BLUE, GREY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    "axes.facecolor": _GROUND,
    "axes.axisbelow": True,
    "hatch.linewidth": 1.0,
    **dict.fromkeys(("figure.facecolor", "savefig.facecolor"), "none"),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color", "grid.color"), _LINE),
    **dict.fromkeys(("text.color", "axes.labelcolor"), _TEXT),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), _TEXT),
}
# Inches. On a text of 830 CSS px a point of the first is 1.6 px, and on a phone of 390 CSS px a
# point of the second is 1.33 px, so that small letters of 7.5 points have at least 9 px on both.
WIDE, NARROW = 7.2, 3.8


def draw_svg(name: str, height: float, draw: Callable[[Axes], Any]) -> str:
    """Draw on new axes, wide and narrow, and return both SVG with ids prefixed with a name."""
    widths = {"wide": WIDE, "narrow": NARROW}
    return "\n".join(_draw(name, kind, width, height, draw) for kind, width in widths.items())


def is_narrow(ax: Axes) -> bool:
    """Whether axes belong to the drawing for a phone."""
    width: float = ax.figure.get_figwidth()  # type: ignore[union-attr]
    return width < (NARROW + WIDE) / 2


def _draw(name: str, kind: str, width: float, height: float, draw: Callable[[Axes], Any]) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    text = io.StringIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # the browser has other fonts than the one that text is measured with
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
        empty: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(text, format="svg", metadata=empty)
    svg = text.getvalue()
    return adapt_to_page(svg[svg.index("<svg") :], f"{name}-{kind}", kind)


def adapt_to_page(svg: str, name: str, kind: str) -> str:
    """Let a figure follow the style of the page, with ids that no other figure has."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for drawn, shown in _ON_PAGE.items():
        svg = svg.replace(drawn.lower(), shown)
    for reference in ('id="', 'href="#', "url(#"):
        svg = re.sub(rf"\b{re.escape(reference)}", f"{reference}{name}-", svg)
    for size in ("width", "height"):
        svg = re.sub(rf'<svg([^>]*?) {size}="[^"]*"', r"<svg\1", svg, count=1)
    return svg.replace("<svg", f'<svg class="{kind}" aria-hidden="true" focusable="false"', 1)
