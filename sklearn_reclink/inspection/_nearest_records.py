"""Is a release nearer to the people it was made from? Distances of originals and of a holdout.

The distances are those of `metrics.nearest_records`. If a release reflects the
population alone, both curves are alike. Copied originals lift their curve at distance 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.inspection import drawing
from sklearn_reclink.metrics import NearestRecords, nearest_records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 0.95  # share of the people whose distances are shown


@drawing.display
class NearestRecordsDisplay(drawing.Display):
    r"""Shares of people within a distance of the closest record of a release.

    It is recommended to use `from_files` or `from_result` to make one.

    Parameters
    ----------
    result : NearestRecords
        What `nearest_records` returns.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        The curve of the originals and, if there is one, of the holdout.
    %(legend_ ax_)s

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.inspection import NearestRecordsDisplay
    >>> rng = np.random.default_rng(0)
    >>> X, new, holdout = rng.normal(size=(3, 200, 3))
    >>> display = NearestRecordsDisplay.from_files(X, np.r_[X[:40], new[40:]], holdout)
    >>> print("\n".join(text.get_text() for text in display.legend_.get_texts()))
    original (200)
    holdout (200)
    near: 5 % of the holdout
    """

    result: NearestRecords

    @classmethod
    def from_files(
        cls, X: Any, y: Any, holdout: Any = None, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Measure distances to a release and plot them.

        Parameters
        ----------
        X, y, holdout
            As in `nearest_records`.
        %(ax)s
        **options
            Further arguments of `nearest_records`.

        %(drawn)s
        """
        return cls.from_result(nearest_records(X, y, holdout, **options), ax=ax)

    @classmethod
    def from_result(cls, result: NearestRecords, *, ax: Axes | None = None) -> Self:
        """Plot distances already measured.

        Parameters
        ----------
        result : NearestRecords
            What `nearest_records` returns.
        %(ax)s

        %(drawn)s
        """
        return cls(result=result).plot(ax=ax)

    def _draw_on(self, ax: Axes | None) -> None:
        """Draw the curves."""
        ax, found = self._set_axes(ax), self.result
        series = [("original", found.distance, drawing.VERMILION, "-")]
        if found.holdout_distance is not None:
            series.append(("holdout", found.holdout_distance, drawing.BLUE, "--"))
        farthest = max(np.quantile(distances, _SHOWN) for _, distances, _, _ in series)
        self.lines_ = []
        for name, distances, colour, line in series:
            edges, shares = _cumulated(distances)
            label = f"{name} ({len(distances):,})"
            options: dict[str, Any] = {"color": colour, "linestyle": line, "label": label}
            self.lines_ += ax.plot(edges, shares, drawstyle="steps-post", **options)
        if found.near_threshold is not None:
            style: dict[str, Any] = {"color": drawing.GREY, "linestyle": ":", "linewidth": 1.4}
            ax.axvline(found.near_threshold, label="near: 5 % of the holdout", **style)
        right = 1.02 * farthest if farthest > 0 else 1.0
        ax.set(xlim=(-0.02 * right, right), ylim=(0, 1))
        ax.set_xlabel("distance to the closest record of the release")
        ax.set_ylabel("share of records\nwithin that distance")
        drawing.in_percent(ax.yaxis)
        ax.grid(alpha=0.3)
        self.legend_ = drawing.legend_above(ax)


def _cumulated(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances in order, from 0, and the share within each; at most some hundred steps."""
    ordered = np.sort(distances)
    places = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), 400)).astype(int))
    # a step ends behind the last of equal distances
    shares = np.searchsorted(ordered, ordered[places], side="right") / len(ordered)
    return np.append(0.0, ordered[places]), np.append(np.mean(ordered <= 0), shares)
