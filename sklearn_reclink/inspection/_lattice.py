"""Which groups of variables give people away? The lattice of a capacity.

Figures 1 and 2 of the 2012 paper (Choquet integral for record linkage): every subset of variables
with its weight, the set of all variables at the top, lines between subsets that differ by one
variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.capacity import n_variables
from sklearn_reclink.inspection import drawing
from sklearn_reclink.inspection._lattice_layout import choose_subsets, cover_edges, place
from sklearn_reclink.inspection._parameters import ParameterDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing.display
class CapacityLatticeDisplay(ParameterDisplay):
    r"""Lattice of the subsets of variables, coloured by their capacity.

    The thicker a line, the more one variable adds; a dotted line stands for several variables.

    It is recommended to use `from_estimator` to make one.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)
        A capacity by dyadic index.
    feature_names : sequence of str or None, default=None
        Names of the variables; x0, x1, ... by default.

    Attributes
    ----------
    %(ax_)s
    subsets_ : ndarray of int
        The subsets drawn, by dyadic index.
    text_ : list of matplotlib Text
        Their boxes.
    lines_ : matplotlib LineCollection
        The lines between them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.inspection import CapacityLatticeDisplay
    >>> capacity = np.array([0.0, 0.5, 0.25, 1.0])
    >>> display = CapacityLatticeDisplay(capacity=capacity, feature_names=["age", "income"]).plot()
    >>> [text.get_text().replace("\n", " ") for text in display.text_]
    ['∅ (0.00)', 'age (0.50)', 'income (0.25)', 'all (1.00)']
    """

    capacity: Any

    _shown = ("capacity_",)

    @staticmethod
    def _read(estimator: Any, attribute: str) -> dict[str, Any]:
        return {"capacity": np.asarray(estimator.capacity_)}

    def plot(
        self,
        *,
        threshold: float | None = None,
        by: str | None = None,
        max_nodes: int = 32,
        labels: str | None = None,
        cmap: str = "cividis_r",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the lattice.

        Parameters
        ----------
        threshold : float or None, default=None
            Least value of a subset that is drawn; None for no limit but ``max_nodes``.
        by : {"capacity", "mobius"} or None, default=None
            The value: the capacity, or the absolute Moebius coefficient, which is large for the
            groups that matter beyond their parts. By default the capacity if all subsets can
            be drawn or a threshold is given, else the Moebius coefficient.
        max_nodes : int, default=32
            Largest number of subsets drawn: those with the largest values.
        labels : {"letters", "names", "dyadic"} or None, default=None
            How subsets are written: a letter for each variable and a legend beside, the names, or
            zeros and ones with the first variable first, as in the paper. By default names if they
            are few and short.
        cmap : str, default="cividis_r"
            A colour map for the capacity.
        %(ax)s

        %(drawn)s
        """
        capacity = np.asarray(self.capacity, dtype=float)
        names = [drawing.as_label(name) for name in self._names(n_variables(capacity))]
        if labels is None:
            labels = "names" if len(names) <= 4 and max(map(len, names)) <= 10 else "letters"
        if by is None:
            by = "mobius" if threshold is None and len(capacity) > max_nodes else "capacity"
        _check_options(labels, by, max_nodes)
        self.subsets_ = choose_subsets(capacity, by, threshold, max_nodes)
        texts = [subset_text(int(a), names, labels) for a in self.subsets_]
        edges = cover_edges(self.subsets_)
        x, y, sizes = place(self.subsets_, edges)
        ax = self._set_axes(ax, **_inches(np.ptp(x) + 1, len(sizes), texts, labels == "letters"))
        ax.set_yticks(range(len(sizes)), [f"{n} variable{'s' * (n != 1)}" for n in sizes])
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlim=(x.min() - 0.6, x.max() + 0.6), ylim=(-0.5, len(sizes) - 0.5))
        ax.set_xlabel(caption(capacity, self.subsets_, by, threshold), fontsize="small")
        self._draw(np.column_stack([x, y]), edges, texts, capacity, cmap)
        if labels == "letters":
            _draw_key(ax, names)
        return self

    def _draw(
        self,
        points: np.ndarray,
        edges: np.ndarray,
        texts: list[str],
        capacity: np.ndarray,
        cmap: str,
    ) -> None:
        """Lines between subsets, thick if one variable adds much; boxes in colours of capacity."""
        from matplotlib import colormaps
        from matplotlib.collections import LineCollection

        values = capacity[self.subsets_]
        relative = np.clip(values / (capacity[-1] or 1.0), 0, 1)
        single = np.bitwise_count(self.subsets_[edges[:, 0]] ^ self.subsets_[edges[:, 1]]) == 1
        gains = np.abs(relative[edges[:, 1]] - relative[edges[:, 0]]) * single
        self.lines_ = LineCollection(
            list(points[edges]),
            linewidths=0.8 + 3 * gains,
            colors=drawing.GREY,
            linestyles=["-" if one else ":" for one in single] or "-",
            alpha=list(0.55 + 0.45 * gains) if len(edges) else None,
            zorder=1,
        )
        self.ax_.add_collection(self.lines_)
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "linespacing": 1.1}
        box = {"boxstyle": "round,pad=0.3", "edgecolor": drawing.GREY}
        self.text_ = []
        for (x, y), text, value, shade in zip(
            points, texts, values, colormaps[cmap](relative), strict=True
        ):
            style |= {"bbox": box | {"facecolor": shade}, "color": drawing.text_colour(shade)}
            self.text_.append(self.ax_.text(x, y, f"{text}\n({value:.2f})", zorder=2, **style))


def subset_text(subset: int, names: Sequence[str], labels: str) -> str:
    """How a subset is written."""
    inside = [bool(subset >> k & 1) for k in range(len(names))]
    if labels == "dyadic":
        return "".join("1" if member else "0" for member in inside)
    if not subset:
        return "∅"
    if all(inside):
        return "all"
    words: Sequence[str] = names if labels == "names" else ascii_uppercase
    separator = "\n" if labels == "names" else ""
    return separator.join(words[k] for k, member in enumerate(inside) if member)


def caption(capacity: np.ndarray, subsets: np.ndarray, by: str, threshold: float | None) -> str:
    """What is drawn, in two lines."""
    lines = "thick line: the variable adds much"
    if len(subsets) == len(capacity):
        return f"all {len(capacity)} subsets of variables and their (capacity)\n{lines}"
    what = "capacity" if by == "capacity" else "Möbius coefficient"
    reason = f"largest {what}" if threshold is None else f"{what} of at least {threshold:g}"
    drawn = f"{len(subsets)} of {len(capacity)} subsets of variables and their (capacity): {reason}"
    return f"{drawn}\n{lines}; dotted: several variables apart"


def _draw_key(ax: Axes, names: Sequence[str]) -> None:
    """Which letter is which variable."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="none", label=f"{letter}  {name}")
        for letter, name in zip(ascii_uppercase, names, strict=False)
    ]
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": None}
    drawing.legend_above(ax, handles=handles, handlelength=0, handletextpad=0, **place)


def _inches(n_columns: float, n_rows: int, texts: list[str], key: bool) -> dict[str, float]:
    """Size of a figure in which no box covers another."""
    longest = max(len(line) for text in [*texts, "(0.00)"] for line in text.split("\n"))
    width = n_columns * max(longest * 0.085 + 0.25, 0.7) + 1.6 + 1.8 * key
    height = n_rows * (0.75 + 0.12 * max(text.count("\n") for text in texts)) + 1.6
    return {"width": max(width, 5), "height": height}


def _check_options(labels: str, by: str, max_nodes: int) -> None:
    if labels not in ("letters", "names", "dyadic"):
        raise ValueError(f"labels is {labels!r}: it must be one of letters, names, dyadic")
    if by not in ("capacity", "mobius"):
        raise ValueError(f"by is {by!r}: it must be capacity or mobius")
    if max_nodes < 1:
        raise ValueError(f"max_nodes is {max_nodes}: at least 1 subset must be drawn")
