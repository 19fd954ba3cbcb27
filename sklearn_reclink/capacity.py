"""Capacities (fuzzy measures) as vectors of ``2^n`` values by dyadic index.

Bit k of an index is set iff variable k is in the subset, so index 5 is the subset {0, 2}. The
Moebius transform ``m`` of a capacity ``mu`` is ``mu(A) = sum_{B subset of A} m(B)``; a capacity is
*k-additive* when ``m`` vanishes on subsets of more than ``k`` variables, additive when ``k = 1``.
"""

from __future__ import annotations

import numpy as np


def subset_sizes(n_features: int) -> np.ndarray:
    """Number of variables of every subset, (2^n,) by dyadic index."""
    return np.bitwise_count(np.arange(2**n_features)).astype(np.int64)


def small_subsets(n_features: int, largest: int) -> np.ndarray:
    """Non-empty subsets of at most ``largest`` variables, by size and then by index."""
    sizes = subset_sizes(n_features)
    subsets = np.flatnonzero((sizes > 0) & (sizes <= largest))
    return subsets[np.argsort(sizes[subsets], kind="stable")]


def capacity_to_mobius(capacity: np.ndarray) -> np.ndarray:
    """Moebius transform, one variable at a time in ``n 2^n`` steps.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.capacity import capacity_to_mobius
    >>> capacity_to_mobius(np.array([0.0, 0.5, 0.25, 1.0]))
    array([0.  , 0.5 , 0.25, 0.25])
    """
    return _over_variables(capacity, -1.0)


def mobius_to_capacity(mobius: np.ndarray) -> np.ndarray:
    """The capacity of a Moebius transform.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.capacity import mobius_to_capacity
    >>> mobius_to_capacity(np.array([0.0, 0.5, 0.25, 0.25]))
    array([0.  , 0.5 , 0.25, 1.  ])
    """
    return _over_variables(mobius, 1.0)


def _over_variables(values: np.ndarray, sign: float) -> np.ndarray:
    values = np.array(values, dtype=float)
    n_features = n_variables(values)
    for k in range(n_features):
        halves = values.reshape(-1, 2, 2**k)  # without and with variable k
        halves[:, 1] += sign * halves[:, 0]
    return values


def n_variables(capacity: np.ndarray) -> int:
    """Number of variables of a vector of ``2^n`` values."""
    n_features = len(capacity).bit_length() - 1
    if len(capacity) != 2**n_features:
        raise ValueError(
            f"a capacity has 2^n values, one a subset of variables: {len(capacity)} is no "
            "power of 2"
        )
    return n_features


def shapley(capacity: np.ndarray) -> np.ndarray:
    """Shapley value of every variable: its mean share in what the subsets weigh, (n,).

    ``phi_k = sum_{A containing k} m(A) / |A|``; the values sum to ``mu(all)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.capacity import shapley
    >>> shapley(np.array([0.0, 0.5, 0.25, 1.0]))
    array([0.625, 0.375])
    """
    mobius = capacity_to_mobius(capacity)
    n_features = n_variables(capacity)
    share = mobius / np.maximum(subset_sizes(n_features), 1)
    subsets = np.arange(2**n_features)
    return np.array([share[subsets >> k & 1 == 1].sum() for k in range(n_features)])
