"""Which masking is worth its information loss? Maskings in the plane of risk and loss.

Lower is better in both. A masking is *dominated* when another is at most as risky and loses at
most as much, and is better in one of the two. The others form the frontier, from which to
choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from sklearn_reclink.inspection import drawing
from sklearn_reclink.inspection._point_names import name_points
from sklearn_reclink.metrics import probabilistic_information_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pareto_frontier(risk: Any, information_loss: Any) -> np.ndarray:
    """Whether each masking is dominated by no other.

    Parameters
    ----------
    risk, information_loss : array-like of shape (n_maskings,)
        Both should be small.

    Returns
    -------
    ndarray of bool of shape (n_maskings,)

    Examples
    --------
    >>> from sklearn_reclink.inspection import pareto_frontier
    >>> pareto_frontier([0.9, 0.5, 0.6, 0.1], [0.0, 0.2, 0.3, 0.8])
    array([ True,  True, False,  True])
    """
    points = np.column_stack([risk, information_loss]).astype(float)
    no_worse = np.all(points[:, None] <= points, axis=-1)
    better = np.any(points[:, None] < points, axis=-1)
    return np.asarray(~np.any(no_worse & better, axis=0))


@drawing.display
class RiskUtilityDisplay(drawing.Display):
    """Maskings in the plane of information loss and disclosure risk, with the frontier.

    It is recommended to use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    risk : array-like of shape (n_maskings,)
        Share of records re-identified, in [0, 1].
    information_loss : array-like of shape (n_maskings,)
        Information loss, by any measure that is small if little is lost.
    names : sequence of str or None, default=None
        Names of the maskings.
    risk_label : str, default="re-identified"
        What the risk is.
    loss_label : str, default="information loss"
        What the information loss is.

    Attributes
    ----------
    %(ax_)s
    frontier_ : ndarray of bool of shape (n_maskings,)
        Which maskings are on the frontier.
    text_ : list of matplotlib Text
        The names that found room.
    legend_ : matplotlib Legend
        The legend.

    Examples
    --------
    >>> from sklearn_reclink.inspection import RiskUtilityDisplay
    >>> display = RiskUtilityDisplay.from_predictions(
    ...     [0.9, 0.5, 0.6, 0.1],
    ...     [0.0, 0.2, 0.3, 0.8],
    ...     names=["none", "groups of 3", "noise", "groups of 50"],
    ... )
    >>> display.frontier_
    array([ True,  True, False,  True])
    """

    risk: Any
    information_loss: Any
    names: Sequence[str] | None = None
    risk_label: str = "re-identified"
    loss_label: str = "information loss"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        maskings: Mapping[str, Any],
        *,
        information_loss: Callable[[Any, Any], float] = probabilistic_information_loss,
        ax: Axes | None = None,
    ) -> Self:
        """Fit a clone of a linker on each masked file and plot what it re-identifies.

        Parameters
        ----------
        estimator : linker
            The attacker; need not be fitted.
        X : array-like or dataframe of shape (n_records, n_features)
            The original file.
        maskings : mapping of str to array-like or dataframe of shape (n_records, n_features)
            Masked versions of ``X`` by name.
        information_loss : callable, default=probabilistic_information_loss
            ``information_loss(X, masked)`` is a number, small if little is lost; by default
            that of `sklearn_reclink.metrics.probabilistic_information_loss`.
        %(ax)s

        %(drawn)s
        """
        if not maskings:
            raise ValueError("maskings is empty: give at least one masked version of X by name")
        linkers = [clone(estimator).fit(X, masked) for masked in maskings.values()]
        risk = [linker.n_linked_ / len(linker.masked_) for linker in linkers]
        loss = [float(information_loss(X, masked)) for masked in maskings.values()]
        measure = getattr(information_loss, "__name__", "information loss").replace("_", " ")
        return cls(
            risk=risk,
            information_loss=loss,
            names=list(maskings),
            risk_label=f"re-identified by {type(estimator).__name__} (pool of {len(X)})",
            loss_label="information loss" if "<" in measure else measure,
        ).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, risk: Any, information_loss: Any, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Plot risks and losses already measured.

        Parameters
        ----------
        risk : array-like of shape (n_maskings,)
            Share of records re-identified, in [0, 1].
        information_loss : array-like of shape (n_maskings,)
            Information loss, small if little is lost.
        %(ax)s
        **options
            ``names``, ``risk_label`` and ``loss_label``, see the class.

        %(drawn)s
        """
        return cls(risk=risk, information_loss=information_loss, **options).plot(ax=ax)

    def _draw_on(self, ax: Axes | None) -> None:
        """Draw the maskings and the frontier."""
        risk, loss, names = _check_maskings(self.risk, self.information_loss, self.names)
        ax = self._set_axes(ax)
        self.frontier_ = pareto_frontier(risk, loss)
        order = np.lexsort([risk, loss, ~self.frontier_])
        points = np.column_stack([loss, risk])[order]  # the frontier from the left, then the others
        best, others = np.split(points, [np.count_nonzero(self.frontier_)])
        ax.step(*best.T, where="post", color=drawing.BLUE, alpha=0.6, zorder=1)
        ax.plot(*best.T, "o", color=drawing.BLUE, label="on the frontier", zorder=3)
        if len(others):
            label = "dominated: another is as good in both, better in one"
            ax.plot(*others.T, "o", color=drawing.GREY, fillstyle="none", label=label, zorder=2)
        right = loss.max() + 0.15 * (np.ptp([0.0, *loss]) or 1.0)
        ax.set(xlim=(min(0.0, loss.min()) - 0.04 * right, right), ylim=(-0.03, 1.03))
        drawing.in_percent(ax.yaxis)
        ax.set_xlabel(f"{self.loss_label}\n← keeps more")
        ax.set_ylabel(f"{self.risk_label}\n← safer")
        ax.grid(alpha=0.3)
        self.legend_ = drawing.legend_above(ax)
        self.text_ = []
        if names is not None:
            path = np.repeat(best, 2, axis=0)[:-1]  # the steps: right, then down
            path[1::2, 0] = best[1:, 0]
            self.text_ = name_points(ax, points, [drawing.as_label(names[k]) for k in order], path)


def _check_maskings(
    risk: Any, information_loss: Any, names: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray, Sequence[str] | None]:
    """Risks and losses as vectors of one length, finite, and rates in [0, 1]."""
    risk, loss = np.asarray(risk, dtype=float), np.asarray(information_loss, dtype=float)
    lengths = {len(risk), len(loss), *([] if names is None else [len(names)])}
    if len(lengths) > 1 or lengths == {0}:
        raise ValueError(
            f"{len(risk)} risks, {len(loss)} information losses"
            + ("" if names is None else f" and {len(names)} names")
            + ": give one of each per masking, and at least one masking"
        )
    wrong = ~np.isfinite(loss) | ~((risk >= 0) & (risk <= 1))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        name = repr(names[first]) if names is not None else f"number {first}"
        raise ValueError(
            f"masking {name} has risk {risk[first]} and information loss {loss[first]}: the risk "
            "is a rate in [0, 1], the loss a finite number"
        )
    return risk, loss, names
