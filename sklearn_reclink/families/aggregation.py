"""What a search tree has to know of a distance with given parameters.

Let ``c_k`` be the squares of ``diff``, or of ``root' diff`` where the distance has a root. The
*guide* is a monotone aggregation of ``c``, at most the squared distance up to rounding::

    "sum"      sum_k w_k c_k
    "owa"      sum_k w_k c_(k),                    c_(1) >= ... >= c_(n)
    "choquet"  sum_k (c_(k) - c_(k-1)) mu(A_(k)),  c_(1) <= ... <= c_(n),  A_(k) those of c_(k), ...

The *judge* is the formula of ``evaluate``: the guide's with parameters of its own, or another.
Two numbers bound the magnitude by which ties are judged: ``D <= condition * d`` and
``D <= norm * |diff|^2``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Aggregation:
    """A monotone function of squared coordinates, and the distance it stands for.

    Attributes
    ----------
    guide : {"sum", "owa", "choquet"}
        The aggregation.
    weights : ndarray of shape (n_coordinates,), or (2^n_coordinates,) for a capacity
    parameters : ndarray
        Those of the judge.
    judge : {"guide", "moebius", "quadratic"}
        What ``evaluate`` computes: as the guide, with ``D = d``; a sum of minima; or a quadratic
        form.
    terms : ndarray of int or None
        Subsets of the minima.
    root : ndarray of shape (n_features, n_coordinates) or None
        ``root @ root.T`` is the matrix of a quadratic form.
    condition, norm : float
        Bounds of the magnitude; infinite where there is none.
    """

    guide: Literal["sum", "owa", "choquet"]
    weights: np.ndarray
    parameters: np.ndarray
    judge: Literal["guide", "moebius", "quadratic"] = "guide"
    terms: np.ndarray | None = None
    root: np.ndarray | None = None
    condition: float = 1.0
    norm: float = np.inf
