"""Which pairs of variables give people away? Interaction indices or a matrix as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.capacity import interaction_matrix
from sklearn_reclink.inspection import drawing
from sklearn_reclink.inspection._parameters import ParameterDisplay, comparable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.text import Text

# More cells than this are too small for a number.
MAX_NUMBERED = 16


@drawing.display
class InteractionDisplay(ParameterDisplay):
    """Interaction of pairs of variables as a triangle of coloured cells.

    For a capacity, a positive index means that two variables reveal more together than apart, a
    negative one that they repeat each other. The diagonal, in italics and without colour, shows
    what each variable weighs alone: Shapley values, or the diagonal of the matrix.

    `from_estimator` shows the interaction indices of ``capacity_``, or ``matrix_`` relative to its
    largest absolute value; a matrix learned with ``standardize=None`` is rescaled to standardised
    differences.

    Parameters
    ----------
    matrix : array-like of shape (n_features, n_features)
        Symmetric matrix; its diagonal is shown in numbers only.
    feature_names : sequence of str or None, default=None
        Names of the variables; x0, x1, ... by default.
    label : str, default="interaction"
        What the colours show.
    diagonal : str, default="the variable alone"
        What the diagonal shows.

    Attributes
    ----------
    %(ax_)s
    image_ : matplotlib AxesImage
        The cells.
    colorbar_ : matplotlib Colorbar or None
        The scale of the colours.
    text_ : dict of (int, int) to matplotlib Text
        The numbers by row and column; empty when there are too many cells.

    Examples
    --------
    >>> from sklearn_reclink.capacity import interaction_matrix
    >>> from sklearn_reclink.inspection import InteractionDisplay
    >>> matrix = interaction_matrix([0.0, 0.5, 0.75, 1.0])
    >>> display = InteractionDisplay(matrix=matrix, feature_names=["age", "income"]).plot()
    >>> {cell: text.get_text() for cell, text in display.text_.items()}
    {(0, 0): '0.38', (1, 0): '−0.25', (1, 1): '0.62'}
    """

    matrix: Any
    label: str = "interaction"
    diagonal: str = "the variable alone"

    _shown = ("capacity_", "matrix_")

    @staticmethod
    def _read(estimator: Any, attribute: str) -> dict[str, Any]:
        if attribute == "capacity_":
            return {
                "matrix": interaction_matrix(estimator.capacity_),
                "label": "interaction index\n← overlapping    complementary →",
                "diagonal": "Shapley value of the variable",
            }
        return {
            "matrix": comparable(estimator, attribute),
            "label": "entry of the matrix,\nrelative to the largest",
            "diagonal": "entry of the variable with itself",
        }

    def plot(
        self,
        *,
        ax: Axes | None = None,
        cmap: str = "PuOr",
        include_values: bool | None = None,
        colorbar: bool = True,
    ) -> Self:
        """Draw the cells.

        Parameters
        ----------
        %(ax)s
        cmap : str, default="PuOr"
            A diverging colour map.
        include_values : bool or None, default=None
            Whether to write the numbers; by default for up to 16 variables.
        colorbar : bool, default=True
            Whether to draw the scale of the colours.

        %(drawn)s
        """
        matrix = np.asarray(self.matrix, dtype=float)
        n_features = len(matrix)
        if matrix.shape != (n_features, n_features):
            raise ValueError(f"matrix has shape {matrix.shape}: it must be square")
        labels = [drawing.as_label(name, 20) for name in self._names(n_features)]
        cells = 0.52 * max(min(n_features, 24), 3)
        beside = 0.4 + 0.09 * max(map(len, labels))  # inches that the names take
        width, height = cells + beside + 1.3, max(cells + 0.7 * beside + 0.3, 3.4)
        ax = self._set_axes(ax, width=width, height=height)
        from matplotlib import colormaps

        below = np.tri(n_features, k=-1, dtype=bool)
        limit = float(np.abs(matrix[below]).max(initial=0.0)) or 1.0
        triangle = np.ma.array(matrix, mask=~below)
        self.image_ = ax.imshow(triangle, cmap=cmap, vmin=-limit, vmax=limit, aspect="auto")
        self.text_: dict[tuple[int, int], Text] = {}
        if include_values or (include_values is None and n_features <= MAX_NUMBERED):
            self._write_values(ax, matrix, limit, colormaps[cmap])
            ax.set_xlabel(f"diagonal: {self.diagonal}", style="italic", fontsize="small")
        ax.set_yticks(range(n_features), labels)
        slanted: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(n_features), labels, **(slanted if max(map(len, labels)) > 3 else {}))
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        self.colorbar_ = None
        if colorbar and n_features > 1:
            self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, shrink=0.8)
            self.colorbar_.set_label(self.label, fontsize="small")
        return self

    def _write_values(self, ax: Axes, matrix: np.ndarray, limit: float, colours: Colormap) -> None:
        for i, j in np.argwhere(np.tri(len(matrix), dtype=bool)).tolist():
            shade = drawing.text_colour(colours((matrix[i, j] / limit + 1) / 2))
            style: dict[str, Any] = {"color": shade} if j < i else {"style": "italic"}
            style |= {"ha": "center", "va": "center", "fontsize": "x-small"}
            self.text_[i, j] = ax.text(j, i, format_entry(matrix[i, j]), **style)


def format_entry(value: float) -> str:
    """Two digits after the point, a sign only on what is not 0."""
    text = f"{value:.2f}"
    return "0" if float(text) == 0 else text.replace("-", "−")
