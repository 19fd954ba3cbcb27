"""What all displays share: axes, colours, and text that stays readable.

Colours are from the palette of Okabe and Ito, told apart by people with any colour vision; those
kept here have a contrast of at least 3 to 1 against white and against black. Text and lines take
the colours of the style in use, so a dark style gives a dark figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils._optional_dependencies import check_matplotlib_support

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Colormap

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
GREY = "#7F7F7F"

LONGEST_NAME = 32


def prepare_axes(caller: str, ax: Axes | None, *, width: float = 6.4, height: float = 4.8) -> Axes:
    """The axes given, or those of a new figure of a size in inches."""
    check_matplotlib_support(caller)
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def shorten(name: Any, longest: int = LONGEST_NAME) -> str:
    """A name on one line, its middle left out where it is long; nothing in it is markup."""
    text = " ".join(str(name).split()).replace("$", r"\$")
    if len(text) <= longest:
        return text or "(no name)"
    head = (longest - 1) * 2 // 3
    return f"{text[:head].rstrip()}…{text[len(text) - (longest - 1 - head) :].lstrip()}"


def text_colour(colour: tuple[float, ...]) -> str:
    """Black or white, whichever is read better on a colour."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"


def colormap(name: str | Colormap) -> Colormap:
    """A colour map by name."""
    import matplotlib.pyplot as plt

    return plt.get_cmap(name)


def plain(ax: Axes) -> None:
    """Remove the frame above and to the right."""
    ax.spines[["top", "right"]].set_visible(False)


def in_percent(axis: Axis) -> None:
    """Write the ticks of a rate in percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0))
