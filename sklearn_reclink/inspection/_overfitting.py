"""Does the attack generalise? Rates on training and on test records.

A learned distance is fitted to some records and tried on others. Every record, of training or of
test, is sought among all masked records, so all rates can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, check_cv

from sklearn_reclink._sklearn_compat import num_samples
from sklearn_reclink.inspection import drawing
from sklearn_reclink.model_selection import Case, held_out_rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing.display
class OverfittingCurveDisplay(drawing.Display):
    r"""Re-identification rates on training and test records, in pools of the same size.

    It is recommended to use `from_estimator` to make one.

    Parameters
    ----------
    values : sequence of length n_values
        What was varied: numbers of training records, or values of a parameter.
    train_scores, test_scores : array-like of shape (n_values, n_splits)
        Re-identification rates.
    pool_size : int
        Number of masked records in which every record was sought.
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
    %(ax_)s
    lines_ : list of matplotlib Line2D
        The curves: train, test and, if there is one, the baseline.
    legend_ : matplotlib Legend
        The legend.

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
    training records
    test records
    EuclideanLinker, same test records
    >>> display.ax_.get_ylabel()
    're-identified, in a pool of 100'
    """

    values: Sequence[Any]
    train_scores: Any
    test_scores: Any
    pool_size: int
    baseline_scores: Any = None
    label: str = "training records"
    baseline_name: str = "baseline"
    estimator_name: str | None = None

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
        param_name, param_range : str, sequence, default=None
            A parameter to vary instead, such as ``"k_additive"``, and its values.
        baseline : linker or None, default=None
            A simple linker to compare with on the same test records.
        cv : int, splitter or None, default=None
            How to split; by default five times at random into halves.
        random_state : int, RandomState instance or None, default=0
            Seed of the default split.
        n_jobs : int or None, default=None
            Number of joblib workers.
        %(name ax)s

        %(drawn)s
        """
        splitter = ShuffleSplit(5, test_size=0.5, random_state=random_state) if cv is None else cv
        splits = list(check_cv(splitter, classifier=False).split(X, y))
        values, cases = _cases(estimator, splits, train_sizes, param_name, param_range)
        simple: dict[str, Any] = {}
        if baseline is not None:
            others: list[Case] = [(baseline, *case[1:]) for case in cases]
            simple["baseline_name"] = type(baseline).__name__
            _, simple["baseline_scores"] = _rates(others, X, y, n_jobs, len(values))
        train_scores, test_scores = _rates(cases, X, y, n_jobs, len(values))
        return cls(
            values=values,
            train_scores=train_scores,
            test_scores=test_scores,
            pool_size=num_samples(y),
            label=param_name or "training records",
            estimator_name=type(estimator).__name__ if name is None else name,
            **simple,
        ).plot(ax=ax)

    def _draw_on(self, ax: Axes | None) -> None:
        """Draw the curves: means over the splits, and bands from the lowest to the highest."""
        ax = self._set_axes(ax)
        numeric = all(isinstance(value, int | float | np.number) for value in self.values)
        values = np.array(self.values if numeric else range(len(self.values)), dtype=float)
        curves = [
            (self.train_scores, drawing.VERMILION, "o-", "training records"),
            (self.test_scores, drawing.BLUE, "s-", "test records"),
        ]
        if self.baseline_scores is not None:
            label = f"{self.baseline_name}, same test records"
            curves.append((self.baseline_scores, drawing.GREY, "^--", label))
        self.lines_ = []
        for scores, colour, style, label in curves:
            rates = np.asarray(scores, dtype=float)
            (line,) = ax.plot(values, rates.mean(axis=1), style, color=colour, label=label)
            band = rates.min(axis=1), rates.max(axis=1)
            ax.fill_between(values, *band, color=colour, alpha=0.2, linewidth=0)
            self.lines_.append(line)
        if not numeric:
            ax.set_xticks(values, [str(value) for value in self.values])
        elif len(values) > 2 and values.min() > 0 and values.max() / values.min() > 50:
            ax.set_xscale("log")
        label = f"re-identified, in a pool of {self.pool_size}"
        ax.set(ylim=(0, 1.02), xlabel=self.label, ylabel=label)
        drawing.in_percent(ax.yaxis)
        ax.grid(axis="y", alpha=0.3)
        self.legend_ = drawing.legend_above(ax, title=self.estimator_name, fontsize=None)


def _cases(
    estimator: Any,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    train_sizes: Any,
    name: str | None,
    param_range: Sequence[Any] | None,
) -> tuple[list[Any], list[Case]]:
    """What is varied, and for each value and split a linker, its training rows and both parts."""
    if (name is None) != (param_range is None):
        raise ValueError("give both param_name and param_range, or neither")
    if name is not None:
        values = list(param_range or ())
        linkers = [clone(estimator).set_params(**{name: value}) for value in values]
        return values, [(one, train, (train, test)) for one in linkers for train, test in splits]
    values = _train_sizes(train_sizes, min(len(train) for train, _ in splits))
    parts = [(train[:size], test) for size in values for train, test in splits]
    return values, [(estimator, train, (train, test)) for train, test in parts]


def _train_sizes(sizes: Any, most: int) -> list[int]:
    """Numbers of training records; numbers up to 1 that are not whole are shares."""
    given = np.asarray(sizes)
    numbers = (given * most).astype(int) if given.dtype.kind == "f" else given.astype(int)
    if not len(numbers) or numbers.min() < 2 or numbers.max() > most:
        raise ValueError(
            f"train_sizes is {sizes!r}: give numbers from 2 to {most}, the size of the training "
            "part, or shares of it"
        )
    return [int(number) for number in np.unique(numbers)]


def _rates(cases: list[Case], X: Any, y: Any, n_jobs: int | None, n_values: int) -> np.ndarray:
    """Rates of training and of test records, (2, n_values, n_splits)."""
    return held_out_rates(cases, X, y, n_jobs=n_jobs).T.reshape(2, n_values, -1)
