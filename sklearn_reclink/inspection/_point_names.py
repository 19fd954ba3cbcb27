"""Names beside points, if there is room.

Greedy: each name in turn takes the first place around its point that covers no point, no line and
no name placed before, inside the axes; near places are tried before those that need a leader line.
A name that finds no room is left out rather than written over another.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.inspection._display import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# Direction and alignment of the places tried, the best first.
PLACES = (
    (1, 0, "left", "center"),
    (0.8, 0.8, "left", "bottom"),
    (0, 1, "center", "bottom"),
    (0.8, -0.8, "left", "top"),
    (-1, 0, "right", "center"),
    (0, -1, "center", "top"),
    (-0.8, 0.8, "right", "bottom"),
    (-0.8, -0.8, "right", "top"),
)
# Distances in points; beyond the first a line leads from the point to its name.
DISTANCES = (7, 20, 36, 55)
POINT_RADIUS = 4

Box = tuple[float, float, float, float]


def name_points(ax: Axes, points: np.ndarray, names: list[str], path: np.ndarray) -> list[Text]:
    """Write names beside points, the first ones first.

    Parameters
    ----------
    ax : Axes
        Where the points are.
    points : ndarray of shape (n_points, 2)
        Points in the coordinates of the data.
    names : list of str
        Their names.
    path : ndarray of shape (n_corners, 2)
        A line of horizontal and vertical pieces to keep clear of.

    Returns
    -------
    list of Text
        The names that found room.
    """
    figure: Any = ax.figure.canvas.figure
    figure.draw_without_rendering()  # the layout decides where the axes are
    radius = POINT_RADIUS * figure.dpi / 72
    corners = ax.transData.transform(path)
    taken = [_around(start, end, 1.0) for start, end in pairwise(corners)]
    pixels = ax.transData.transform(points)
    taken += [_around(centre, centre, radius) for centre in pixels]
    window = ax.get_window_extent()
    frame = (window.x0, window.y0, window.x1, window.y1)
    written: list[Text] = []
    for point, name in zip(points, names, strict=True):
        for distance in DISTANCES:
            text = _first_free(ax, point, name, distance, frame, taken)
            if text is not None:
                written.append(text)
                break
    return written


def _first_free(
    ax: Axes, point: np.ndarray, name: str, distance: float, frame: Box, taken: list[Box]
) -> Text | None:
    """The name at the first free place at a distance, which is then taken."""
    leader: dict[str, Any] | None = None
    if distance > DISTANCES[0]:
        leader = {"arrowstyle": "-", "linewidth": 0.5, "edgecolor": GREY, "shrinkA": 0}
    for right, up, ha, va in PLACES:
        place = partial(
            ax.annotate,
            name,
            (point[0], point[1]),
            xytext=(right * distance, up * distance),
            textcoords="offset points",
            fontsize="small",
            ha=ha,
            va=va,
            in_layout=False,
        )
        text = place()
        extent = text.get_window_extent()  # without the leader
        box = (extent.x0, extent.y0, extent.x1, extent.y1)
        if _contains(frame, box) and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            if leader is not None:
                text.remove()
                text = place(arrowprops=leader)
            return text
        text.remove()
    return None


def _around(start: np.ndarray, end: np.ndarray, radius: float) -> Box:
    low, high = np.minimum(start, end) - radius, np.maximum(start, end) + radius
    return (low[0], low[1], high[0], high[1])


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _contains(outer: Box, inner: Box) -> bool:
    low = outer[0] <= inner[0] and outer[1] <= inner[1]
    return low and inner[2] <= outer[2] and inner[3] <= outer[3]
