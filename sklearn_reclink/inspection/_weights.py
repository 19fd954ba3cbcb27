"""Which variables give people away? Weights or Shapley values as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.capacity import shapley
from sklearn_reclink.inspection import drawing
from sklearn_reclink.inspection._parameters import ParameterDisplay, comparable
from sklearn_reclink.linkers import OWALinker

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing.display
class WeightsDisplay(ParameterDisplay):
    """Weights of variables as bars, the heaviest first.

    `from_estimator` shows the weights of a weighted mean; of an OWA, those of the ranks; Shapley
    values of a capacity; the diagonal of a matrix; for probabilistic linkage, what agreement in
    the variable weighs over disagreement. Those learned with ``standardize=None`` are rescaled to
    standardised differences, so that they can be compared.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        What each variable weighs.
    feature_names : sequence of str or None, default=None
        Names of the variables; x0, x1, ... by default.
    label : str, default="weight"
        What the bars show.
    ordered : bool, default=False
        Whether the order of the variables has a meaning and must be kept.

    Attributes
    ----------
    %(ax_)s
    bars_ : matplotlib BarContainer
        The bars, from top to bottom.

    Examples
    --------
    >>> from sklearn_reclink import WeightedMeanLinker
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> from sklearn_reclink.inspection import WeightsDisplay
    >>> linker = WeightedMeanLinker().fit(*make_noisy_files(random_state=0))
    >>> display = WeightsDisplay.from_estimator(linker, feature_names=["age", "income", "hours"])
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['age', 'income', 'hours']
    """

    weights: Any
    label: str = "weight"
    ordered: bool = False

    _shown = ("capacity_", "matrix_", "weights_")

    @staticmethod
    def _read(estimator: Any, attribute: str) -> dict[str, Any]:
        if attribute == "capacity_":
            return {"weights": shapley(estimator.capacity_), "label": "Shapley value"}
        if attribute == "matrix_":
            label = "diagonal of the matrix, relative to its largest value"
            return {"weights": np.diag(comparable(estimator, attribute)), "label": label}
        if np.ndim(estimator.weights_) == 2:  # of disagreement and of agreement
            label = "weight of agreement over disagreement, in bits"
            return {"weights": np.diff(estimator.weights_, axis=1)[:, 0], "label": label}
        weights = comparable(estimator, attribute)
        if not isinstance(estimator, OWALinker):
            return {"weights": weights}
        ranks = {"feature_names": rank_names(len(weights)), "label": "weight of the rank"}
        return {"weights": weights, "ordered": True, **ranks}

    def plot(
        self,
        *,
        ax: Axes | None = None,
        max_features: int = 20,
        bar_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the bars.

        Parameters
        ----------
        %(ax)s
        max_features : int, default=20
            Number of bars; the smaller weights beyond these are summed in one bar.
        bar_kwargs : dict, default=None
            Passed to ``Axes.barh``.

        %(drawn)s
        """
        bars = np.asarray(self.weights, dtype=float)
        n_features = len(bars)
        names = self._names(n_features)
        adds_up = n_features > 1 and np.isclose(bars.sum(), 1)
        if not self.ordered:
            bars, names = largest_first(bars, names, max_features)
        ax = self._set_axes(ax, height=1.4 + 0.32 * max(len(bars), 2))
        (self.bars_,) = drawing.draw_bars(ax, {"_weights": bars}, **(bar_kwargs or {}))
        ground = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.5}
        numbers = [format_weight(bar) for bar in bars]
        ax.bar_label(self.bars_, numbers, padding=3, fontsize="small", bbox=ground)
        drawing.name_rows(ax, names)
        ax.margins(x=0.12)
        if bars.min() >= 0:
            ax.set_xlim(left=0)
        else:
            ax.axvline(0, color=drawing.GREY, linewidth=0.8)
        if adds_up:
            drawing.equal_line(ax, n_features)
            drawing.legend_above(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0))
        ax.set_xlabel(self.label)
        return self


def largest_first(
    weights: np.ndarray, names: Sequence[str], most: int
) -> tuple[np.ndarray, list[str]]:
    """The ``most`` largest absolute weights in order with their names, the sum of the others."""
    order = np.argsort(-np.abs(weights), kind="stable")
    shown, rest = np.split(order, [len(order) if len(order) <= most else most - 1])
    shown = shown[np.argsort(-weights[shown], kind="stable")]
    labels = [names[k] for k in shown]
    if not len(rest):
        return weights[shown], labels
    return np.append(weights[shown], weights[rest].sum()), [*labels, f"{len(rest)} others, summed"]


def rank_names(n_features: int) -> list[str]:
    """What the ranks of an ordered weighted average are, the largest difference first."""
    endings = {1: "st", 2: "nd", 3: "rd"} | dict.fromkeys((11, 12, 13), "th")
    middle = [
        f"{k}{endings.get(k % 100, endings.get(k % 10, 'th'))} largest"
        for k in range(2, n_features)
    ]
    return ["largest difference", *middle, "smallest"][:n_features]


def format_weight(weight: float) -> str:
    """Three digits after the point, and a plain 0 only for 0."""
    if weight != 0 and abs(weight) < 0.0005:
        return "<0.001" if weight > 0 else ">-0.001"
    return f"{weight:.3f}" if weight else "0"
