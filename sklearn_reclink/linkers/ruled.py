"""Links of all pairs under a rule (`rules`).

A distance ``d_ij`` becomes the score ``-d_ij / scale``. The prices of ``"density"`` and
``"balanced"`` are added to the distances, in their unit, and the nearest record is sought as ever:
a tie is no re-identification. Under ``"one_to_one"`` a record is re-identified iff it has its own
masked record in every optimal assignment.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.rules import (
    Assignment,
    Scores,
    assign,
    balanced_prices,
    density_prices,
    learn_scale,
)
from sklearn_reclink.search.all_pairs import Pairs, PricedPairs
from sklearn_reclink.search.batches import ask_all
from sklearn_reclink.search.links import Links

RULES = ("nearest", "density", "balanced", "one_to_one")
# Rules that need to know what distance is how much less likely.
WITH_TEMPERATURE = ("density", "balanced")


def scores_of(pairs: Pairs, scale: float = 1.0) -> Scores:
    """The scores ``-d / scale`` of all pairs."""
    return Scores(
        lambda start, stop: -pairs.distances(np.arange(start, stop))[0] / scale, pairs.shape
    )


def scale_of(pairs: Pairs) -> float:
    """The scale under which aligned pairs are the likeliest."""
    return learn_scale(scores_of(pairs, -1.0))


def priced(pairs: Pairs, rule: str, scale: float = 1.0) -> Pairs:
    """The pairs with the prices of a rule; without any for ``"one_to_one"``."""
    if rule == "density":
        return PricedPairs(pairs, scale * density_prices(scores_of(pairs, scale)))
    if rule == "balanced":
        return PricedPairs(pairs, scale * balanced_prices(scores_of(pairs, scale)))
    return pairs


def predicted(pairs: Pairs, rule: str, scale: float, work: dict[str, Any]) -> np.ndarray:
    """Row of the linked masked record of every original record, -1 for none."""
    if rule == "one_to_one":
        return _assignment(pairs).links
    return ask_all(priced(pairs, rule, scale), "nearest", **work)[0]


def links(pairs: Pairs, rule: str, scale: float, work: dict[str, Any]) -> Links:
    """Link every record and compare with its own, row i of both files being the same person."""
    if rule != "one_to_one":
        return Links(*ask_all(priced(pairs, rule, scale), "link", **work))
    found = _assignment(pairs)
    unruled = Links(*ask_all(pairs, "link", **work))
    own = np.arange(len(found.links))
    distance = np.full(len(own), np.nan)
    for start, values in scores_of(pairs).blocks():
        rows = np.flatnonzero(found.links[start : start + len(values)] >= 0)
        distance[start + rows] = -values[rows, found.links[start + rows]]
    return Links(
        links=found.links,
        distance=distance,
        own_distance=unruled.own_distance,
        runner_up=unruled.runner_up,
        n_tied=np.maximum(found.n_tied, 1),
        reidentified=found.certain & (found.links == own),
        own_tied=found.may_have(own),
    )


def linked(pairs: Pairs, rule: str, scale: float, work: dict[str, Any]) -> np.ndarray:
    """Whether each record is re-identified, row i of both files being the same person."""
    if rule != "one_to_one":
        return ask_all(priced(pairs, rule, scale), "linked", **work)[0]
    found = _assignment(pairs)
    return np.asarray(found.certain & (found.links == np.arange(len(found.links))))


def _assignment(pairs: Pairs) -> Assignment:
    found = assign(scores_of(pairs))
    if not found.optimal:
        warnings.warn(
            f"one-to-one links are not proven optimal: their total distance is {-found.total:g}, "
            f"at least {-found.bound:g} is needed. No record is counted as re-identified for "
            "certain",
            ConvergenceWarning,
            stacklevel=4,
        )
    return found
