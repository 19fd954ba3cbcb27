"""Other representations of a capacity, and simple capacities.

The *Moebius transform* ``m`` is what each subset adds to those within it::

    mu(A) = sum_{B in A} m(B),        m(A) = sum_{B in A} (-1)^(|A| - |B|) mu(B)

The *dual* is what is lost without the subset, ``mu(V) - mu(V - A)``. An *additive* capacity is
that of a weighted mean, a *symmetric* one that of an ordered weighted average (OWA).
"""

import numpy as np
from numpy.typing import ArrayLike

from sklearn_reclink._docstrings import described_as
from sklearn_reclink.capacity.subsets import subset_sizes


def n_variables(capacity: ArrayLike) -> int:
    """Number of variables of a vector of ``2^n`` values.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)

    Returns
    -------
    int

    Examples
    --------
    >>> from sklearn_reclink.capacity import n_variables
    >>> n_variables([0.0, 0.5, 0.75, 1.0])
    2
    """
    shape = np.shape(capacity)
    if len(shape) != 1:
        raise ValueError(
            f"a capacity is a vector of 2^n values, one per subset of variables: this has shape "
            f"{shape}"
        )
    n_features = shape[0].bit_length() - 1
    if shape[0] == 0 or shape[0] != 2**n_features:
        raise ValueError(
            f"a capacity has 2^n values, one per subset of variables: {shape[0]} is no power of 2"
        )
    return n_features


def capacity_to_mobius(capacity: ArrayLike) -> np.ndarray:
    """Moebius transform, one variable at a time in ``n 2^n`` steps.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)
        A capacity, or any function of subsets.

    Returns
    -------
    ndarray of shape (2**n_features,)

    Examples
    --------
    >>> from sklearn_reclink.capacity import capacity_to_mobius
    >>> capacity_to_mobius([0.0, 0.5, 0.25, 1.0])
    array([0.  , 0.5 , 0.25, 0.25])
    """
    return _over_variables(capacity, -1.0)


def mobius_to_capacity(mobius: ArrayLike) -> np.ndarray:
    """The capacity of a Moebius transform.

    Parameters
    ----------
    mobius : array-like of shape (2**n_features,)

    Returns
    -------
    ndarray of shape (2**n_features,)

    Examples
    --------
    >>> from sklearn_reclink.capacity import mobius_to_capacity
    >>> mobius_to_capacity([0.0, 0.5, 0.25, 0.25])
    array([0.  , 0.5 , 0.25, 1.  ])
    """
    return _over_variables(mobius, 1.0)


def _over_variables(values: ArrayLike, sign: float) -> np.ndarray:
    values = np.array(values, dtype=float)
    for k in range(n_variables(values)):
        halves = values.reshape(-1, 2, 2**k)  # without and with variable k
        halves[:, 1] += sign * halves[:, 0]
    return values


@described_as(capacity_to_mobius)
def dual(capacity: ArrayLike) -> np.ndarray:
    """The dual (conjugate) capacity: ``mu*(A) = mu(V) - mu(V - A)``.

    The dual of the dual is the capacity. Duality exchanges sub- and supermodular, veto and favour,
    and changes the sign of the interaction of two variables; Shapley values stay.

    Examples
    --------
    >>> from sklearn_reclink.capacity import dual
    >>> dual([0.0, 0.5, 0.25, 1.0])
    array([0.  , 0.75, 0.5 , 1.  ])
    """
    values = np.asarray(capacity, dtype=float)
    n_variables(values)
    return values[-1] - values[::-1]


def additive_capacity(weights: ArrayLike) -> np.ndarray:
    """The capacity of a weighted mean: every subset weighs the sum of its members.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Weights of the variables, or of the ranks, the largest value first.

    Returns
    -------
    ndarray of shape (2**n_features,)

    Examples
    --------
    >>> from sklearn_reclink.capacity import additive_capacity
    >>> additive_capacity([0.75, 0.25])
    array([0.  , 0.75, 0.25, 1.  ])
    """
    weights = np.asarray(weights, dtype=float)
    mobius = np.zeros(2 ** len(weights))
    mobius[1 << np.arange(len(weights))] = weights
    return mobius_to_capacity(mobius)


@described_as(additive_capacity)
def symmetric_capacity(weights: ArrayLike) -> np.ndarray:
    """The capacity of an ordered weighted average: subsets of one size weigh the same.

    Examples
    --------
    >>> from sklearn_reclink.capacity import symmetric_capacity
    >>> symmetric_capacity([0.75, 0.25])
    array([0.  , 0.75, 0.75, 1.  ])
    """
    weights = np.asarray(weights, dtype=float)
    by_size = np.concatenate([[0.0], np.cumsum(weights)])
    return by_size[subset_sizes(len(weights))]
