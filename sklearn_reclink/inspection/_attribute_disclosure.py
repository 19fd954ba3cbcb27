"""What does a release reveal about a secret? Attack, control and baseline with their intervals.

The shares are those of `metrics.attribute_disclosure`. What matters is how far the attack on people
in the release lies to the right of the control, the same attack on people who are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.inspection import drawing
from sklearn_reclink.metrics import AttributeDisclosure, attribute_disclosure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# label, colour, marker, how it is filled, and place in the row
_SERIES = {
    "attack": ("attack: in the release", drawing.VERMILION, "o", "full", -0.22),
    "control": ("control: not in it", drawing.BLUE, "s", "full", 0.0),
    "baseline": ("baseline: one guess for all", drawing.GREY, "D", "none", 0.22),
}


@drawing.display
class AttributeDisclosureDisplay(drawing.Display):
    r"""Shares of secrets guessed right, with 95 % intervals.

    It is recommended to use `from_estimator` or `from_results` to make one.

    Parameters
    ----------
    results : mapping of str to AttributeDisclosure
        What `attribute_disclosure` returns, by the name of the secret.

    Attributes
    ----------
    points_ : dict of str to matplotlib ErrorbarContainer
        The shares: ``"attack"``, ``"baseline"`` and, if there is one, ``"control"``.
    %(legend_ ax_)s

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> from sklearn_reclink.inspection import AttributeDisclosureDisplay
    >>> rng = np.random.default_rng(0)
    >>> X, diagnosis = rng.normal(size=(200, 3)), rng.choice(["a", "b"], 200)
    >>> Y = X + rng.normal(scale=0.1, size=X.shape)
    >>> linker = EuclideanLinker().fit(X, Y)
    >>> display = AttributeDisclosureDisplay.from_estimator(linker, X, Y, diagnosis, diagnosis)
    >>> print("\n".join(text.get_text() for text in display.legend_.get_texts()))
    attack: in the release
    control: not in it
    baseline: one guess for all
    """

    results: Mapping[str, AttributeDisclosure]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        secret: Any,
        masked_secret: Any,
        *,
        name: str = "secret",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Link people by a fitted linker and plot how often their secret is revealed.

        %(attacker)s
        X, y, secret, masked_secret
            As in `attribute_disclosure`.
        name : str, default="secret"
            What to call the secret.
        %(ax)s
        **options
            Further arguments of `attribute_disclosure`.

        %(drawn)s
        """
        found = attribute_disclosure(estimator, X, y, secret, masked_secret, **options)
        return cls.from_results({name: found}, ax=ax)

    @classmethod
    def from_results(
        cls, results: Mapping[str, AttributeDisclosure], *, ax: Axes | None = None
    ) -> Self:
        """Plot shares already computed.

        Parameters
        ----------
        results : mapping of str to AttributeDisclosure
            What `attribute_disclosure` returns, by the name of the secret.
        %(ax)s

        %(drawn)s
        """
        return cls(results=results).plot(ax=ax)

    def _draw_on(self, ax: Axes | None) -> None:
        """Draw the shares."""
        ax = self._set_axes(ax, height=1.6 + 0.7 * len(self.results))
        self.points_ = {}
        for series, (label, colour, marker, filled, place) in _SERIES.items():
            rates = {
                row: rate
                for row, one in enumerate(self.results.values())
                if (rate := getattr(one, series)) is not None and rate.n_tried
            }
            if not rates:
                continue
            shares = np.array([rate.share for rate in rates.values()])
            reach = np.abs(np.array([rate.interval for rate in rates.values()]).T - shares)
            rows = np.array(list(rates)) + place
            style: dict[str, Any] = {"color": colour, "fmt": marker, "fillstyle": filled}
            bars = ax.errorbar(shares, rows, xerr=reach, capsize=3, label=label, **style)
            self.points_[series] = bars
        drawing.name_rows(ax, list(self.results))
        drawing.in_percent(ax.xaxis)
        ax.set(xlim=(-0.03, 1.03), xlabel="share guessed right, 95 % interval")
        ax.grid(axis="x", alpha=0.35)
        self.legend_ = drawing.legend_above(ax, bbox_to_anchor=(0.4, 1.0))
