"""How clear are the links? Margins between the own record and the nearest other.

With ``d_own`` the squared distance to a record's own masked version and ``d_other`` that to the
nearest other masked record, the *relative margin* is::

    (d_other - d_own) / (|d_other| + |d_own|)        in [-1, 1], 0 where both are 0

It does not depend on the scale of the distance. Above 0 the record is re-identified; near 1 its
own masked version is much nearer than any other; 0 is a tie; below 0 another record is nearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.inspection._axes import BLUE, VERMILION, plain, prepare_axes
from sklearn_reclink.search import Links

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def relative_margin(own_distance: Any, runner_up: Any) -> np.ndarray:
    """Margin of the nearest other record over the own one, in [-1, 1].

    Parameters
    ----------
    own_distance : array-like of shape (n_records,)
        Squared distance to the record's own masked version.
    runner_up : array-like of shape (n_records,)
        Squared distance to the nearest other masked record, infinite where there is none.

    Returns
    -------
    ndarray of shape (n_records,)

    Examples
    --------
    >>> from sklearn_reclink.inspection import relative_margin
    >>> relative_margin([0.0, 1.0, 2.0, 0.0], [3.0, 3.0, 2.0, 0.0])
    array([1. , 0.5, 0. , 0. ])
    """
    own = np.asarray(own_distance, dtype=float)
    other = np.asarray(runner_up, dtype=float)
    alone = np.isposinf(other)
    other = np.where(alone, np.abs(own), other)
    largest = np.maximum(np.abs(own), np.abs(other))
    largest = np.where(largest > 0, largest, 1.0)  # scaled first: a sum of two may overflow
    own, other = own / largest, other / largest
    sums = np.abs(own) + np.abs(other)
    return np.where(alone, 1.0, (other - own) / np.where(sums > 0, sums, 1.0))


class MarginDisplay:
    """Distribution of the margins to the runner-up, of records re-identified and lost.

    It is recommended to use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    margin : array-like of shape (n_records,)
        Relative margins, see `relative_margin`.
    reidentified : array-like of bool of shape (n_records,)
        Whether each record is re-identified.
    estimator_name : str or None, default=None
        Shown above the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the histogram.
    figure_ : matplotlib Figure
        Figure of the axes.
    legend_ : matplotlib Legend
        The legend, with the numbers of records.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.inspection import MarginDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(scale=0.3, size=X.shape)
    >>> display = MarginDisplay.from_estimator(EuclideanLinker().fit(X, Y), X, Y)
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['re-identified: 52 of 100', 'lost: 48 of 100']
    """

    def __init__(self, *, margin: Any, reidentified: Any, estimator_name: str | None = None):
        self.margin = margin
        self.reidentified = reidentified
        self.estimator_name = estimator_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        bins: int = 40,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the margins of a fitted linker on an aligned pair of files.

        Parameters
        ----------
        estimator : fitted linker
            One with `link`.
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version; ``y`` is the pool.
        bins : int, default=40
            Number of bins of [-1, 1], even, so that no bin has links and losses.
        name : str or None, default=None
            Name shown, by default that of the class.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        MarginDisplay
        """
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(estimator.link(X, y), bins=bins, name=name, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        links: Links,
        *,
        bins: int = 40,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Plot the margins of links already made.

        Parameters
        ----------
        links : Links
            What a linker's `link` returns.
        bins : int, default=40
            Number of bins of [-1, 1], even, so that no bin has links and losses.
        name : str or None, default=None
            Name shown above the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        MarginDisplay
        """
        if not hasattr(links, "runner_up"):
            raise ValueError(
                f"{type(links).__name__} has no distances, so records have no margin: take the "
                "links of a linker with a distance"
            )
        display = cls(
            margin=relative_margin(links.own_distance, links.runner_up),
            reidentified=links.reidentified,
            estimator_name=name,
        )
        return display.plot(ax=ax, bins=bins)

    def plot(self, *, ax: Axes | None = None, bins: int = 40) -> Self:
        """Draw the histogram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        bins : int, default=40
            Number of bins of [-1, 1], even, so that no bin has links and losses.

        Returns
        -------
        MarginDisplay
        """
        if bins < 2 or bins % 2:
            raise ValueError(f"bins is {bins}: take an even number, so that 0 is between two bins")
        margin = np.asarray(self.margin, dtype=float)
        linked = np.asarray(self.reidentified, dtype=bool)
        ax = prepare_axes(f"{type(self).__name__}.plot", ax, height=4.0)
        from matplotlib.ticker import MaxNLocator

        edges = np.linspace(-1, 1, bins + 1).tolist()
        # a tie is lost, and belongs on the left of 0
        shown = np.where(linked, margin, np.minimum(margin, -1e-9))
        tied = int(np.count_nonzero(~linked & (np.abs(margin) < 1e-9)))
        lost_label = f"lost: {np.count_nonzero(~linked)} of {len(linked)}"
        if tied:
            lost_label += f" ({tied} tied)"
        for mask, colour, hatch, label in (
            (linked, BLUE, None, f"re-identified: {np.count_nonzero(linked)} of {len(linked)}"),
            (~linked, VERMILION, "////", lost_label),
        ):
            style: dict[str, Any] = {"facecolor": colour, "label": label}
            if hatch:
                style = {"facecolor": "none", "edgecolor": colour, "hatch": hatch, "label": label}
            ax.hist(shown[mask], bins=edges, **style)
        ax.axvline(0, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_xlim(-1, 1)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(
            "relative margin to the runner-up\n← another record is nearer    own record is nearer →"
        )
        ax.set_ylabel("records")
        plain(ax)
        self.legend_ = ax.legend(
            title=self.estimator_name,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=2,
            frameon=False,
        )
        self.ax_: Axes = ax
        self.figure_: Figure | Any = ax.figure
        return self
