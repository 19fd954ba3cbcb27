"""Several masked versions of one file: risk against information loss."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_reclink.auditing._asked import Progress
from sklearn_reclink.auditing._attackers import SizeLimits
from sklearn_reclink.auditing._audit import audit
from sklearn_reclink.auditing._output import comparison_as_dict, comparison_text
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing.formatting import percent, percent_given
from sklearn_reclink.metrics import information_loss, probabilistic_information_loss


@dataclass(frozen=True, eq=False)
class Comparison:
    """What audits of several maskings found. Made by `compare`.

    Attributes
    ----------
    audits : tuple of Audit
        One per masking, in the order given.
    losses : tuple of float
        Information loss of each, from 0 to 1, by `metrics.information_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing import compare
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> Y = X.round()
    >>> found = compare(X, {"as it is": X, "rounded": Y}, attackers=["euclidean"])
    >>> [round(one.risk, 2) for one in found.audits]
    [1.0, 0.56]
    >>> found.above_limit  # no limit was set
    False
    """

    audits: tuple[Audit, ...]
    losses: tuple[float, ...]

    @property
    def frontier(self) -> np.ndarray:
        """Which maskings are beaten by no other in both risk and loss."""
        from sklearn_reclink.inspection import pareto_frontier

        return pareto_frontier([one.risk for one in self.audits], self.losses)

    def rows(self) -> Iterator[tuple[Audit, float, bool]]:
        """Each masking with its loss, and whether it is on the frontier."""
        return zip(self.audits, self.losses, self.frontier.tolist(), strict=True)

    @property
    def safest(self) -> Audit:
        """The masking with the lowest risk; of equal ones, that with the lowest loss."""
        order = np.lexsort([self.losses, [one.risk for one in self.audits]])
        return self.audits[order[0]]

    @property
    def limit(self) -> float | None:
        """The largest risk that is accepted."""
        return self.audits[0].limit

    @property
    def above_limit(self) -> bool:
        """Whether any masking is above the limit."""
        return any(one.above_limit for one in self.audits)

    @property
    def unsettled(self) -> bool:
        """Whether none is above the limit, but for some not every attacker was tried."""
        return not self.above_limit and any(one.unsettled for one in self.audits)

    @property
    def chosen(self) -> Audit | None:
        """Of the maskings within the limit, the one that loses the least information.

        None if no limit was set, or if no masking is within it. Of equal losses the lowest risk
        decides.
        """
        within = [k for k, one in enumerate(self.audits) if one.within_limit]
        if not within:
            return None
        return self.audits[min(within, key=lambda k: (self.losses[k], self.audits[k].risk))]

    @property
    def headline(self) -> str:
        """Which masking to take, in one or two sentences."""
        safest, chosen, total = self.safest, self.chosen, len(self.audits)
        lowest = f"lowest risk is {safest.masked_name}: {percent(safest.risk)}."
        if self.limit is None:
            return f"The masking with the {lowest}"
        limit = f"within the limit of {percent_given(self.limit)}"
        if chosen is None:
            none = f"None of the {total} maskings is" if total > 1 else "The masking is not"
            none += " shown to be" if any(one.unsettled for one in self.audits) else ""
            return f"{none} {limit}. The masking with the {lowest}"
        n_within = sum(one.within_limit for one in self.audits)
        loss = percent(self.losses[self.audits.index(chosen)])
        if n_within == 1:
            return f"{chosen.masked_name} is {limit}. Its information loss is {loss}."
        return (
            f"{n_within} of {total} maskings are {limit}. Of these, {chosen.masked_name} has the "
            f"lowest information loss: {loss}."
        )

    def with_sources(self, original: str | Path, masked: Sequence[str | Path]) -> "Comparison":
        """The same comparison, with the hashes of the files on disk that it was made from.

        Parameters
        ----------
        original : str or Path
            The original file.
        masked : sequence of str or Path
            The masked files, in the order of ``audits``.

        Returns
        -------
        Comparison
        """
        audits = zip(self.audits, masked, strict=True)
        return replace(self, audits=tuple(one.with_sources(original, path) for one, path in audits))

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        return comparison_as_dict(self)

    def to_html(self) -> str:
        """The report as one self-contained page."""
        from sklearn_reclink.auditing._html import render_comparison

        return render_comparison(self)

    def to_text(self) -> str:
        """The table for a terminal."""
        return comparison_text(self)


def compare(
    X: Any, maskings: Mapping[str, Any], *, time_limit: float = 60.0, **options: Any
) -> Comparison:
    """Audit several masked versions of a file.

    Parameters
    ----------
    X : array-like or dataframe of shape (n_records, n_features)
        The original file.
    maskings : mapping of str to array-like or dataframe of shape (n_records, n_features)
        Masked versions of ``X`` by name.
    time_limit : float, default=60.0
        Seconds for the searches of all audits together.
    **options
        Passed to `audit`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn_reclink import auditing, datasets, masking
    >>> X = datasets.make_microdata(100, 4, random_state=0)
    >>> maskings = {
    ...     f"{p} %": masking.RankSwapping(p, random_state=0).fit_transform(X) for p in (5, 50)
    ... }
    >>> found = auditing.compare(X, maskings, attackers=["euclidean"])
    >>> found.safest.masked_name
    '50 %'
    """
    if not maskings:
        raise ValueError("maskings is empty: give at least one masked version of X by name")
    n_features = np.shape(X)[1] if np.ndim(X) == 2 else 0
    most = (options.get("size_limits") or SizeLimits()).loss_variables
    if n_features > most:
        raise ValueError(
            f"the files have {n_features:,} columns: information loss compares every pair of them. "
            f"Choose at most {most:,} columns, or audit each masking by itself"
        )
    progress: Progress | None = options.pop("progress", None)
    share = time_limit / len(maskings)
    audits = []
    for number, (name, masked) in enumerate(maskings.items()):
        step = None if progress is None else _step(progress, name, number, len(maskings))
        found = audit(X, masked, masked_name=name, time_limit=share, progress=step, **options)
        audits.append(found)
    told = options.get("categorical_features")
    losses = [
        probabilistic_information_loss(found.X, found.Y)
        if found.variables is None
        else information_loss(X, masked, categorical_features=told)
        for found, masked in zip(audits, maskings.values(), strict=True)
    ]
    return Comparison(tuple(audits), tuple(losses))


def _step(progress: Progress, name: str, number: int, total: int) -> Progress:
    return lambda what, done, steps: progress(
        f"{name}: {what}", number * steps + done, total * steps
    )
