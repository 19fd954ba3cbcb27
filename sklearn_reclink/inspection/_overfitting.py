"""Does the attack generalise? Rates on training and on test records.

A learnt distance is fitted to some records and tried on others. Each rate is that of linking
inside its own records: the smaller this *pool*, the easier the link, so pools are named beside
the curves, and curves with different pools are not to be compared in height without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.model_selection import ShuffleSplit, check_cv, learning_curve, validation_curve

from sklearn_reclink.inspection._axes import BLUE, GREY, VERMILION, in_percent, plain, prepare_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class OverfittingCurveDisplay:
    r"""Re-identification rates on training and test records, with the sizes of their pools.

    It is recommended to use `from_estimator` to make one.

    Parameters
    ----------
    values : sequence of length n_values
        What was varied: numbers of training records, or values of a parameter.
    train_scores, test_scores : array-like of shape (n_values, n_splits)
        Re-identification rates.
    train_pool, test_pool : array-like of int
        Sizes of the pools in which the rates were measured.
    baseline_scores : array-like of shape (n_values, n_splits) or None, default=None
        Rates of a simple linker on the same test records.
    label : str, default="training records"
        What was varied.
    baseline_name : str, default="baseline"
        Name of the simple linker.
    estimator_name : str or None, default=None
        Shown above the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the curves.
    figure_ : matplotlib Figure
        Figure of the axes.
    lines_ : list of matplotlib Line2D
        The curves: train, test and, if there is one, the baseline.
    legend_ : matplotlib Legend
        The legend, with the sizes of the pools.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker, WeightedMeanLinker
    >>> from sklearn_reclink.inspection import OverfittingCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> Y = X + rng.normal(size=X.shape) * [0.1, 0.5, 2.0]
    >>> display = OverfittingCurveDisplay.from_estimator(
    ...     WeightedMeanLinker(), X, Y, train_sizes=[10, 20, 40], cv=2, baseline=EuclideanLinker()
    ... )
    >>> print("\n".join(text.get_text() for text in display.legend_.get_texts()))
    training records, pool of 10 to 40
    test records, pool of 50
    EuclideanLinker, same test records
    """

    def __init__(
        self,
        *,
        values: Sequence[Any],
        train_scores: Any,
        test_scores: Any,
        train_pool: Any,
        test_pool: Any,
        baseline_scores: Any = None,
        label: str = "training records",
        baseline_name: str = "baseline",
        estimator_name: str | None = None,
    ):
        self.values = values
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.train_pool = train_pool
        self.test_pool = test_pool
        self.baseline_scores = baseline_scores
        self.label = label
        self.baseline_name = baseline_name
        self.estimator_name = estimator_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        train_sizes: Any = (0.1, 0.25, 0.5, 0.75, 1.0),
        param_name: str | None = None,
        param_range: Sequence[Any] | None = None,
        baseline: Any = None,
        cv: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Fit clones of a linker on parts of the files and plot their rates.

        Parameters
        ----------
        estimator : linker
            Need not be fitted.
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version.
        train_sizes : array-like, default=(0.1, 0.25, 0.5, 0.75, 1.0)
            Numbers of training records, or their shares of the training part.
        param_name : str or None, default=None
            A parameter to vary instead of the training size, such as ``"k_additive"``.
        param_range : sequence or None, default=None
            Values of that parameter.
        baseline : linker or None, default=None
            A simple linker to compare with on the same test records.
        cv : int, splitter or None, default=None
            How to split; by default five times at random into halves.
        random_state : int, RandomState instance or None, default=0
            Seed of the default split.
        n_jobs : int or None, default=None
            Number of joblib workers.
        name : str or None, default=None
            Name shown, by default that of the class.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        OverfittingCurveDisplay
        """
        if (param_name is None) != (param_range is None):
            raise ValueError("give both param_name and param_range, or neither")
        if cv is None:
            cv = ShuffleSplit(5, test_size=0.5, random_state=random_state)
        splits = list(check_cv(cv, classifier=False).split(X, y))
        values: Sequence[Any]
        if param_name is None:
            values, train, test = learning_curve(
                estimator, X, y, train_sizes=np.asarray(train_sizes), cv=splits, n_jobs=n_jobs
            )
            train_pool, label = values, "training records"
        else:
            assert param_range is not None
            train, test = validation_curve(
                *(estimator, X, y),
                param_name=param_name,
                param_range=list(param_range),
                cv=splits,
                n_jobs=n_jobs,
            )
            values, label = list(param_range), param_name
            train_pool = [len(rows) for rows, _ in splits]
        baseline_scores = None
        if baseline is not None:
            sizes = values if param_name is None else [min(train_pool)]
            _, _, scores = learning_curve(
                baseline, X, y, train_sizes=np.asarray(sizes), cv=splits, n_jobs=n_jobs
            )
            baseline_scores = np.broadcast_to(scores, test.shape)
        display = cls(
            values=values,
            train_scores=train,
            test_scores=test,
            train_pool=train_pool,
            test_pool=[len(rows) for _, rows in splits],
            baseline_scores=baseline_scores,
            label=label,
            baseline_name=type(baseline).__name__,
            estimator_name=type(estimator).__name__ if name is None else name,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the curves: means over the splits, and bands from the lowest to the highest.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        OverfittingCurveDisplay
        """
        ax = prepare_axes(f"{type(self).__name__}.plot", ax)
        numeric = all(isinstance(value, int | float | np.number) for value in self.values)
        values = np.array(self.values if numeric else range(len(self.values)), dtype=float)
        curves = [
            (self.train_scores, VERMILION, "o-", f"training records, {pool(self.train_pool)}"),
            (self.test_scores, BLUE, "s-", f"test records, {pool(self.test_pool)}"),
        ]
        if self.baseline_scores is not None:
            label = f"{self.baseline_name}, same test records"
            curves.append((self.baseline_scores, GREY, "^--", label))
        self.lines_ = []
        for scores, colour, style, label in curves:
            rates = np.asarray(scores, dtype=float)
            (line,) = ax.plot(values, rates.mean(axis=1), style, color=colour, label=label)
            ax.fill_between(
                values, rates.min(axis=1), rates.max(axis=1), color=colour, alpha=0.2, linewidth=0
            )
            self.lines_.append(line)
        if not numeric:
            ax.set_xticks(values, [str(value) for value in self.values])
        elif len(values) > 2 and values.min() > 0 and values.max() / values.min() > 50:
            ax.set_xscale("log")
        ax.set_ylim(0, 1.02)
        in_percent(ax.yaxis)
        ax.set_xlabel(self.label)
        ax.set_ylabel("re-identified")
        ax.grid(axis="y", alpha=0.3)
        plain(ax)
        self.legend_ = ax.legend(
            title=self.estimator_name, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False
        )
        self.ax_: Axes = ax
        self.figure_: Figure | Any = ax.figure
        return self


def pool(sizes: Any) -> str:
    """Sizes of pools in words."""
    smallest, largest = int(np.min(sizes)), int(np.max(sizes))
    return f"pool of {smallest}" + (f" to {largest}" if largest > smallest else "")
