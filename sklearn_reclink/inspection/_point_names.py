"""Names beside points, if there is room.

Greedy: each name in turn takes the first place around its point that covers no point and no name
placed before, inside the axes. Near places come first, then those that need a leader line, which
passes no other point and no name. At every distance places clear of all lines are tried before
those that cover one. A name that finds no room is left out rather than written over another.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.inspection.drawing import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

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
# Distances in points; beyond the first two a line leads from the point to its name.
DISTANCES = (7, 13, 20, 36, 55, 80)
NEAR = DISTANCES[:2]
POINT_RADIUS = 4


def name_points(ax: Axes, points: np.ndarray, names: list[str], path: np.ndarray) -> list[Text]:
    """Write names beside points, the first ones first, clear of straight lines drawn before.

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
    from matplotlib.transforms import Bbox

    figure: Any = ax.figure.canvas.figure
    figure.draw_without_rendering()  # the layout decides where the axes are
    corners, centres = ax.transData.transform(path), ax.transData.transform(points)
    lines = [Bbox([np.minimum(*ends), np.maximum(*ends)]).padded(1.0) for ends in pairwise(corners)]
    lines += _straight_lines(ax)
    taken = [Bbox([c, c]).padded(POINT_RADIUS * figure.dpi / 72) for c in centres]
    texts = []
    for k, (point, name) in enumerate(zip(points.tolist(), names, strict=True)):
        own = taken[k]
        texts.append(_first_free(ax, point, name, own, taken, lines))
    return [text for text in texts if text is not None]


def _straight_lines(ax: Axes) -> list[Bbox]:
    """Where lines between two points are, such as that of a limit."""
    from matplotlib.transforms import Bbox

    found = []
    for line in ax.get_lines():
        ends = line.get_transform().transform(line.get_xydata())
        if len(ends) == 2:
            found.append(Bbox([ends.min(axis=0), ends.max(axis=0)]).padded(1.0))
    return found


def _first_free(
    ax: Axes, point: list[float], name: str, own: Bbox, taken: list[Bbox], lines: list[Bbox]
) -> Text | None:
    """The name at the first free place, which is then taken; ``own`` is the box of its point."""
    frame, others = ax.get_window_extent(), [one for one in taken if one is not own]
    leader = {"arrowstyle": "-", "linewidth": 0.5, "edgecolor": GREY, "shrinkA": 0}
    ground = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.5}
    for distance, clear, (right, up, ha, va) in product(DISTANCES, (True, False), PLACES):
        options: dict[str, Any] = {"ha": ha, "va": va, "fontsize": "small", "in_layout": False}
        options |= {"xytext": (right * distance, up * distance), "textcoords": "offset points"}
        text = ax.annotate(name, (point[0], point[1]), **options)
        box = text.get_window_extent()  # without the leader
        text.remove()
        inside = frame.contains(*box.min) and frame.contains(*box.max)
        free = inside and not box.count_overlaps(taken)
        if not free or (clear and box.count_overlaps(lines)):
            continue
        if distance not in NEAR:
            if any(_passes(own, box, other) for other in others):
                continue
            options["arrowprops"] = leader
        taken.append(box)
        return ax.annotate(name, (point[0], point[1]), bbox=None if clear else ground, **options)
    return None


def _passes(own: Bbox, box: Bbox, other: Bbox) -> bool:
    """Whether a straight line from the middle of a point to that of its name meets another box."""
    ends = np.array([own.min + own.max, box.min + box.max]) / 2
    along = ends[0] + np.linspace(0, 1, 50)[:, None] * (ends[1] - ends[0])
    return bool(((along > other.min) & (along < other.max)).all(axis=1).any())
