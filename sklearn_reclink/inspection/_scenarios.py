"""How does the risk grow with what the intruder knows?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_reclink.inspection import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED = 2  # variables of a set that is named in the figure
_CLEARLY_MORE = 0.005
_WIDTH = 0.36  # of a column of points, in variables


@drawing.display
class ScenarioDisplay(drawing.Display):
    """Share of people singled out against the number of variables known, by set of variables.

    The filled area spans the sets of one size, from the one that singles out the fewest people to
    the one that singles out the most. The hatched area above it ends at the largest bound of a set.

    Parameters
    ----------
    n_known : array-like of int of shape (n_sets,)
        Variables in each set.
    risk : array-like of shape (n_sets,)
        Share of people singled out with each set.
    bound : array-like of shape (n_sets,)
        Share that no weighted mean of the set exceeds.
    guessed : array-like of shape (n_sets,) or None, default=None
        Share found on average by guessing among ties; the largest of each size is drawn if it is
        clearly more.
    names : sequence of sequence of str or None, default=None
        Variables of each set; those of the worst set are named where they are few.
    risk_label, bound_name : str
        What the axis of the risk and the bound are called.

    Attributes
    ----------
    %(legend_ ax_)s

    Examples
    --------
    >>> from sklearn_reclink.inspection import ScenarioDisplay
    >>> display = ScenarioDisplay(n_known=[1, 1, 2], risk=[0.1, 0.2, 0.6], bound=[0.1, 0.2, 0.7])
    >>> [text.get_text() for text in display.plot().legend_.get_texts()]
    ['all sets of one size', 'no weighted mean singles out more', 'a set of variables']
    """

    n_known: Any
    risk: Any
    bound: Any
    guessed: Any = None
    names: Any = None
    risk_label: str = "share of people singled out"
    bound_name: str = "no weighted mean singles out more"

    def plot(
        self,
        *,
        ax: Axes | None = None,
        limit: float | None = None,
        legend_columns: int = 2,
        name_sets: bool = True,
    ) -> Self:
        """Draw the risk of all sets and its envelope.

        Parameters
        ----------
        %(ax)s
        limit : float or None, default=None
            The largest share of people that is accepted, marked by a line.
        legend_columns : int, default=2
            Columns of the legend.
        name_sets : bool, default=True
            Whether to name the worst sets of one and two variables.

        %(drawn)s
        """
        n_known = np.asarray(self.n_known, dtype=int)
        risk, bound = np.asarray(self.risk, dtype=float), np.asarray(self.bound, dtype=float)
        ax = self._set_axes(ax, height=4.2)
        sizes = np.unique(n_known)
        places = np.arange(len(sizes))
        sets = [np.flatnonzero(n_known == size) for size in sizes]
        low, high, proven = (
            np.array([how(of[some]) for some in sets])
            for how, of in ((np.min, risk), (np.max, risk), (np.max, bound))
        )
        proven = np.maximum(proven, high)
        ends = np.concatenate([places[:1] - _WIDTH / 2, places[1:-1], places[-1:] + _WIDTH / 2])
        if len(sizes) == 1:
            low, high, proven = (np.repeat(one, 2) for one in (low, high, proven))
        style: dict[str, Any] = {"alpha": 0.25, "linewidth": 0, "label": "all sets of one size"}
        ax.fill_between(ends, low, high, color=drawing.BLUE, **style)
        open_style = drawing.hatched(drawing.GREY, linewidth=0)
        ax.fill_between(ends, high, proven, label=self.bound_name, **open_style)
        ax.plot(ends, proven, color=drawing.GREY, linewidth=1.2)
        ax.plot(ends, high, color=drawing.BLUE, linewidth=1.6)
        where = np.zeros(len(risk))
        for place, some in enumerate(sets):  # sets of one size apart, in the order of their risk
            order = np.argsort(np.argsort(risk[some], kind="stable"))
            where[some] = place + _WIDTH * ((order + 0.5) / len(some) - 0.5)
        size = float(np.clip(60 / np.sqrt(len(risk)), 1.5, 5))
        ax.plot(where, risk, "o", color=drawing.BLUE, markersize=size, label="a set of variables")
        top = max(proven.max(), limit or 0, 0.01, self._draw_guessed(ax, sets, high))
        if name_sets and self.names is not None:
            self._name_worst(ax, sizes, sets, risk)
        if limit is not None:
            label = f"limit: {100 * limit:.4g} %"
            ax.axhline(limit, color=drawing.VERMILION, linewidth=1.4, label=label)
        ax.set_xticks(places, [str(size) for size in sizes])
        ax.set(xlim=(-0.5, len(sizes) - 0.5), ylim=(0, 1.08 * top))
        ax.set(xlabel="variables that the intruder knows", ylabel=self.risk_label)
        drawing.in_percent(ax.yaxis)
        self.legend_ = drawing.legend_above(ax, ncols=legend_columns)
        return self

    def _draw_guessed(self, ax: Axes, sets: list[np.ndarray], high: np.ndarray) -> float:
        """Draw what guessing among ties adds to the worst sets; the largest share drawn."""
        if self.guessed is None:
            return 0.0
        guessed = np.asarray(self.guessed, dtype=float)
        most = np.array([guessed[some].max() for some in sets])
        if (most - high[: len(most)]).max() < _CLEARLY_MORE:
            return 0.0
        style: dict[str, Any] = {"linestyle": "--", "linewidth": 1.2, "marker": "D"}
        style |= {"markersize": 4, "fillstyle": "none", "color": ax.xaxis.label.get_color()}
        ax.plot(np.arange(len(most)), most, label="most found with guesses among ties", **style)
        return float(most.max())

    def _name_worst(
        self, ax: Axes, sizes: np.ndarray, sets: list[np.ndarray], risk: np.ndarray
    ) -> None:
        """Name the most exposing sets of few variables, but for the largest size."""
        style: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "bottom"}
        for place, some in enumerate(sets[:-1]):
            worst = some[np.argmax(risk[some])]
            if sizes[place] <= _MOST_NAMED and risk[worst]:
                text = "\n".join(drawing.as_label(name, 14) for name in self.names[worst])
                point = place - _WIDTH / 2, risk[worst]
                ax.annotate(text, point, xytext=(-2, 2), fontsize="small", **style)
