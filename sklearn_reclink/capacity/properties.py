"""Properties of a capacity that make the Choquet integral special.

::

    monotone        mu(A) <= mu(A + k)
    additive        mu(A + B) = mu(A) + mu(B) for disjoint A, B: the integral is a weighted mean
    k-additive      m(A) = 0 for |A| > k, m the Moebius transform
    symmetric       mu(A) depends on |A| alone: the integral is an OWA
    submodular      mu(A) + mu(B) >= mu(A u B) + mu(A n B): the integral is convex, and as a
                    distance a metric
    supermodular    the same with <=

Sub- and supermodularity are asked of neighbours, ``mu(A + i) + mu(A + j)`` and ``mu(A + i + j) +
mu(A)``, which is enough: summed along chains they give all pairs. Every inequality may fail by
``atol``, because learned values are rounded.
"""

import numpy as np
from numpy.typing import ArrayLike

from sklearn_reclink._docstrings import described_as
from sklearn_reclink.capacity.subsets import subset_sizes
from sklearn_reclink.capacity.transforms import capacity_to_mobius, n_variables, symmetric_capacity

ATOL = 1e-9


def is_capacity(values: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether values are those of a normalised capacity: from 0 to 1, and monotone.

    Parameters
    ----------
    values : array-like of shape (2**n_features,)
        One value per subset, by dyadic index.
    atol : float, default=1e-9
        How much any inequality may fail.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_capacity
    >>> is_capacity([0.0, 0.5, 0.25, 1.0]), is_capacity([0.0, 0.5, 0.25, 2.0])
    (True, False)
    """
    values = np.asarray(values, dtype=float)
    ends = np.abs(values[[0, -1]] - [0, 1])
    return is_monotone(values, atol=atol) and bool(np.all(ends <= atol))


def is_monotone(capacity: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether no subset weighs less than one within it.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)
        Values by dyadic index.
    atol : float, default=1e-9
        How far a value may be from what the property asks for.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_monotone
    >>> is_monotone([0.0, 0.5, 0.25, 1.0]), is_monotone([0.0, 0.5, 0.25, 0.4])
    (True, False)
    """
    values = np.asarray(capacity, dtype=float)
    return all(bool(np.all(_gains(values, k) >= -atol)) for k in range(n_variables(values)))


@described_as(is_monotone)
def is_submodular(capacity: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether what a variable adds never grows with the subset it is added to.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_submodular
    >>> is_submodular([0.0, 0.5, 0.75, 1.0]), is_submodular([0.0, 0.5, 0.25, 1.0])
    (True, False)
    """
    values = np.asarray(capacity, dtype=float)
    n_features = n_variables(values)
    return all(
        bool(np.all(_gains(_gains(values, j), i) <= atol))
        for j in range(n_features)
        for i in range(j)
    )


@described_as(is_monotone)
def is_supermodular(capacity: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether what a variable adds never falls with the subset it is added to.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_supermodular
    >>> is_supermodular([0.0, 0.5, 0.75, 1.0]), is_supermodular([0.0, 0.5, 0.25, 1.0])
    (False, True)
    """
    return is_submodular(-np.asarray(capacity, dtype=float), atol=atol)


def additivity_order(capacity: ArrayLike, *, atol: float = ATOL) -> int:
    """The least ``k`` for which the capacity is k-additive: the largest group that interacts.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)
    atol : float, default=1e-9
        Moebius coefficients up to this size count as 0.

    Returns
    -------
    int

    Examples
    --------
    >>> from sklearn_reclink.capacity import additivity_order
    >>> additivity_order([0.0, 0.75, 0.25, 1.0]), additivity_order([0.0, 0.5, 0.25, 1.0])
    (1, 2)
    """
    mobius = capacity_to_mobius(capacity)
    sizes = subset_sizes(n_variables(mobius))
    return int(sizes[np.abs(mobius) > atol].max(initial=0))


def is_k_additive(capacity: ArrayLike, k: int, *, atol: float = ATOL) -> bool:
    """Whether no more than ``k`` variables interact.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)
    k : int
        Size of the largest groups that may interact.
    atol : float, default=1e-9
        Moebius coefficients up to this size count as 0.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_k_additive
    >>> is_k_additive([0.0, 0.5, 0.25, 1.0], 1), is_k_additive([0.0, 0.5, 0.25, 1.0], 2)
    (False, True)
    """
    return additivity_order(capacity, atol=atol) <= k


@described_as(is_monotone)
def is_additive(capacity: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether every subset weighs the sum of its members: a weighted mean.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_additive
    >>> is_additive([0.0, 0.75, 0.25, 1.0]), is_additive([0.0, 0.5, 0.25, 1.0])
    (True, False)
    """
    return is_k_additive(capacity, 1, atol=atol)


@described_as(is_monotone)
def is_symmetric(capacity: ArrayLike, *, atol: float = ATOL) -> bool:
    """Whether subsets of one size weigh the same: an ordered weighted average.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_symmetric
    >>> is_symmetric([0.0, 0.5, 0.5, 1.0]), is_symmetric([0.0, 0.5, 0.25, 1.0])
    (True, False)
    """
    values = np.asarray(capacity, dtype=float)
    first_of_size = values[2 ** np.arange(n_variables(values) + 1) - 1]
    return bool(np.all(np.abs(values - symmetric_capacity(np.diff(first_of_size))) <= atol))


def _gains(values: np.ndarray, k: int) -> np.ndarray:
    """``mu(A + k) - mu(A)`` for all subsets of the other variables, by their dyadic index."""
    halves = values.reshape(-1, 2, 2**k)
    return np.asarray(halves[:, 1] - halves[:, 0]).ravel()
