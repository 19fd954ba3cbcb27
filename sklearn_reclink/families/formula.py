"""How a search tree computes a distance with given parameters.

Let ``c_k`` be the squares of ``diff``, or of ``root' diff`` where there is a root. The *bound* is a
monotone aggregation of ``c``, at most the squared distance up to rounding::

    SUM        sum_k w_k c_k
    OWA        sum_k w_k c_(k),                    c_(1) >= ... >= c_(n)
    CHOQUET    sum_k (c_(k) - c_(k-1)) mu(A_(k)),  c_(1) <= ... <= c_(n),  A_(k) those of c_(k), ...

Taken at the smallest ``c_k`` that a box allows, it is at most the bound of any point in the box:
that is the whole pruning rule, for every monotone aggregation. The *distance* is what
``Family.evaluate`` computes, with the same operations in the same order, so that both give the same
floats. It is the formula of the bound with parameters of its own (``SAME``), or::

    MOEBIUS    sum_A m(A) min_{k in A} c_k,        ``terms`` are the subsets A
    QUADRATIC  sum_{k <= l} theta_kl diff_k diff_l

Differences are those of `differences`, with ``caps``. The last coordinates may be *extra*: they are
left to both formulas, and their weighted squares are added.
"""

from typing import NamedTuple

import numpy as np

SUM, OWA, CHOQUET = 0, 1, 2
SAME, MOEBIUS, QUADRATIC = 0, 1, 2


class Formula(NamedTuple):
    """A bound that prunes and a distance that decides.

    Attributes
    ----------
    bound : int
        ``SUM``, ``OWA`` or ``CHOQUET``.
    weights : ndarray of shape (n_coordinates,), or (2^n_coordinates,) for a capacity
        Of the bound. All zero where nothing can be pruned.
    distance : int
        ``SAME``, ``MOEBIUS`` or ``QUADRATIC``.
    theta : ndarray
        Parameters of the distance.
    terms : ndarray of int
        Subsets of a Moebius transform, smaller ones first.
    root : ndarray of shape (n_features, n_coordinates)
        Maps differences to the coordinates of the bound; empty where they are the same.
    condition, norm : float
        Bounds of the magnitude ``D`` by which ties are judged: ``D <= condition * d`` and
        ``D <= norm * |diff|^2``; infinite where there is none.
    extra : ndarray of shape (n_extra,)
        Weights of the last coordinates.
    caps : ndarray of shape (n_coordinates,) or (0,)
        Of `differences`; empty where all coordinates are numbers that are not missing.
    """

    bound: int
    weights: np.ndarray
    distance: int
    theta: np.ndarray
    terms: np.ndarray
    root: np.ndarray
    condition: float
    norm: float
    extra: np.ndarray
    caps: np.ndarray

    @property
    def is_mixed(self) -> bool:
        """Whether there are categories or missing values."""
        return bool(self.caps.size)


def formula(
    bound: int,
    weights: np.ndarray,
    theta: np.ndarray | None = None,
    *,
    distance: int = SAME,
    terms: np.ndarray | None = None,
    root: np.ndarray | None = None,
    condition: float = 1.0,
    norm: float = np.inf,
    extra: np.ndarray | None = None,
    caps: np.ndarray | None = None,
) -> Formula:
    """A formula with its arrays as compiled code takes them."""
    return Formula(
        bound,
        np.ascontiguousarray(weights, dtype=float),
        distance,
        np.ascontiguousarray(weights if theta is None else theta, dtype=float),
        np.zeros(0, dtype=np.int64) if terms is None else np.ascontiguousarray(terms, np.int64),
        np.zeros((0, 0)) if root is None else np.ascontiguousarray(root),
        float(condition),
        float(norm),
        np.zeros(0) if extra is None else np.ascontiguousarray(extra, dtype=float),
        np.zeros(0) if caps is None else np.ascontiguousarray(caps, dtype=float),
    )
