"""How many people does an intruder find who claims only clear links? Precision against recall.

The curves are those of `metrics.linkage_curve`: one for an intruder who knows who is in the
release, one for an intruder who does not, and claims links of absent people as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn_reclink.inspection import drawing
from sklearn_reclink.metrics import LinkageCurve, linkage_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing.display
class LinkageCurveDisplay(drawing.Display):
    r"""Precision of claimed links against the share of people re-identified.

    Each curve runs from the clearest links to all that are strict, where it ends with a marker. It
    is recommended to use `from_estimator` or `from_result` to make one.

    Parameters
    ----------
    curve : LinkageCurve
        What `linkage_curve` returns.
    estimator_name : str or None, default=None
        Shown above the legend.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        The curve of the intruder who knows who is in the release and, if there are absent people,
        of the one who does not.
    legend_, ax_, figure_ : matplotlib Legend, Axes, Figure
        Its legend, and where it is drawn.

    Examples
    --------
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> from sklearn_reclink.inspection import LinkageCurveDisplay
    >>> people, masked = make_noisy_files(300, random_state=0)
    >>> X, Y, absent = people[:200], masked[:200], people[200:]
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> display = LinkageCurveDisplay.from_estimator(linker, X, Y, absent=absent)
    >>> print("\n".join(text.get_text() for text in display.legend_.get_texts()))
    knows who is in the release
    does not know (100 absent)
    """

    curve: LinkageCurve
    estimator_name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Link people by a fitted linker and plot precision against recall.

        %(attacker)s
        X, y : array-like or dataframe of shape (n_pairs, n_features)
            The people in both files, aligned.
        %(name ax)s
        **options
            ``pool``, ``absent``, ``sample_weight``, ``absent_weight`` and ``margin`` of
            `linkage_curve`.

        %(drawn)s
        """
        curve = linkage_curve(estimator, X, y, **options)
        name = type(estimator).__name__ if name is None else name
        return cls.from_result(curve, name=name, ax=ax)

    @classmethod
    def from_result(
        cls, curve: LinkageCurve, *, name: str | None = None, ax: Axes | None = None
    ) -> Self:
        """Plot a curve already computed.

        Parameters
        ----------
        curve : LinkageCurve
            What `linkage_curve` returns.
        %(title ax)s

        %(drawn)s
        """
        return cls(curve=curve, estimator_name=name).plot(ax=ax)

    def _draw_on(self, ax: Axes | None) -> None:
        """Draw the curves."""
        ax, curve = self._set_axes(ax), self.curve
        label = "knows who is in the release"
        series = [(curve.known, drawing.VERMILION, "-o", label)]
        if curve.n_absent:
            label = f"does not know ({curve.n_absent:,} absent)"
            series.append((curve.unknown, drawing.BLUE, "--s", label))
        self.lines_ = []
        for claims, colour, style, label in series:
            values = claims.recall, claims.precision
            end = [len(claims.recall) - 1]
            options: dict[str, Any] = {"color": colour, "label": label, "markevery": end}
            self.lines_ += ax.plot(*values, style, clip_on=False, **options)
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.set_xlabel(f"recall: re-identified\nin a pool of {curve.pool_size:,}")
        ax.set_ylabel("precision: claims\nthat are right")
        for axis in (ax.xaxis, ax.yaxis):
            drawing.in_percent(axis)
            axis.set_ticks([0, 0.25, 0.5, 0.75, 1])
        ax.grid(alpha=0.3)
        title = " ".join(filter(None, [self.estimator_name, "intruder"]))
        self.legend_ = drawing.legend_above(ax, title=title)
