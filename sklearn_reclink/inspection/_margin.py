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

from sklearn_reclink.inspection import drawing
from sklearn_reclink.search import Links

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def relative_margin(own_distance: Any, runner_up: Any) -> np.ndarray:
    """Margin of the nearest other record over a record's own, in [-1, 1].

    Parameters
    ----------
    own_distance : array-like of shape (n_records,)
        Squared distance to the record's own masked version.
    runner_up : array-like of shape (n_records,)
        Squared distance to the nearest other masked record, infinite if there is none.

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
    sums = np.maximum(np.abs(own) + np.abs(other), 1.0)  # 0 or at least 1
    return np.where(alone, 1.0, (other - own) / sums)


@drawing.display
class MarginDisplay(drawing.Display):
    """Distribution of the margins to the runner-up, for records re-identified and lost.

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
    legend_, ax_, figure_ : matplotlib Legend, Axes, Figure
        Its legend, with the numbers of records, and where it is drawn.

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker, datasets
    >>> from sklearn_reclink.inspection import MarginDisplay
    >>> X = datasets.make_microdata(100, 3, random_state=0)
    >>> Y = X.round(-4)
    >>> display = MarginDisplay.from_estimator(EuclideanLinker().fit(X, Y), X, Y)
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['re-identified: 77 of 100', 'lost: 23 of 100 (21 tied)']
    """

    margin: Any
    reidentified: Any
    estimator_name: str | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any
    ) -> Self:
        """Plot the margins of a fitted linker on an aligned pair of files.

        %(attacker)s
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version; ``y`` is the pool.
        %(name)s
        **options
            Passed to `plot`.

        %(drawn)s
        """
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(estimator.link(X, y), name=name, **options)

    @classmethod
    def from_predictions(cls, links: Links, *, name: str | None = None, **options: Any) -> Self:
        """Plot the margins of links already made.

        Parameters
        ----------
        links : Links
            What a linker's `link` returns.
        %(title)s
        **options
            Passed to `plot`.

        %(drawn)s
        """
        margin = relative_margin(links.own_distance, links.runner_up)
        display = cls(margin=margin, reidentified=links.reidentified, estimator_name=name)
        return display.plot(**options)

    def plot(self, *, ax: Axes | None = None, bins: int = 40) -> Self:
        """Draw the histogram.

        Parameters
        ----------
        %(ax)s
        bins : int, default=40
            Number of bins of [-1, 1]; even, so that no bin holds both links and losses.

        %(drawn)s
        """
        if bins < 2 or bins % 2:
            raise ValueError(f"bins is {bins}: take an even number, so that 0 is between two bins")
        margin = np.asarray(self.margin, dtype=float)
        linked = np.asarray(self.reidentified, dtype=bool)
        ax = self._set_axes(ax, height=4.0)
        from matplotlib.ticker import MaxNLocator

        edges = np.linspace(-1, 1, bins + 1).tolist()
        found, lost = margin[linked], margin[~linked]
        tied = np.count_nonzero(np.abs(lost) < 1e-9)
        label = f"re-identified: {len(found):,} of {len(margin):,}"
        ax.hist(found, bins=edges, facecolor=drawing.BLUE, label=label)
        label = f"lost: {len(lost):,} of {len(margin):,}" + (f" ({tied:,} tied)" if tied else "")
        lost = np.minimum(lost, -1e-9)  # a tie is lost, and belongs to the left of 0
        ax.hist(lost, bins=edges, label=label, **drawing.hatched(drawing.VERMILION))
        ax.axvline(0, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_xlim(-1, 1)
        ax.set_xticks([-1, -0.5, 0, 0.5, 1], ["−1", "−0.5", "0", "0.5", "1"])
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(
            "relative margin to the runner-up\n← another record is nearer    own record is nearer →"
        )
        ax.set_ylabel("records")
        self.legend_ = drawing.legend_above(ax, title=self.estimator_name, ncols=2, fontsize=None)
        return self
