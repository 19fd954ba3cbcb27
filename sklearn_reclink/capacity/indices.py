"""What a variable, a pair or a group of variables counts for in a capacity.

With ``m`` the Moebius transform of ``mu``, ``V`` all ``n`` variables::

    Shapley value       phi_k = sum_{A containing k} m(A) / |A|
    interaction index   I(A)  = sum_{B containing A} m(B) / (|B| - |A| + 1)
    orness              1 / (n - 1) sum_{0 < |A| < n} mu(A) / C(n, |A|)
    veto of k           1 - 1 / (n - 1) sum_{A without k, not empty} mu(A) / C(n - 1, |A|)
    favour of k         1 / (n - 1) (sum_{A without k} mu(A + k) / C(n - 1, |A|) - 1)

after Grabisch and Roubens (1999) for the interaction index, Marichal (2000, 2004) for veto and
favour. ``I({k})`` is ``phi_k``. Orness, veto and favour are those of ``mu / mu(V)``; the mean
favour is the orness, the mean veto one less the orness.

*Computation.* ``1 / (d + 1)`` is the integral of ``t^d`` over [0, 1], so ``I(A)`` is that of the
polynomial ``sum_{B containing A} m(B) t^(|B| - |A|)`` of degree at most ``n``, which Gauss-Legendre
nodes integrate exactly; at one ``t`` the sum is taken one variable at a time in ``n 2^n`` steps.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import comb

from sklearn_reclink._docstrings import described_as
from sklearn_reclink.capacity.subsets import subset_members, subset_sizes
from sklearn_reclink.capacity.transforms import capacity_to_mobius, n_variables


def shapley(capacity: ArrayLike) -> np.ndarray:
    """Shapley value of every variable: its mean share in what the subsets weigh.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)

    Returns
    -------
    ndarray of shape (n_features,)
        The values; they sum to ``mu(V)``.

    Examples
    --------
    >>> from sklearn_reclink.capacity import shapley
    >>> shapley([0.0, 0.5, 0.25, 1.0])
    array([0.625, 0.375])
    """
    mobius = capacity_to_mobius(capacity)
    n_features = n_variables(mobius)
    share = mobius / np.maximum(subset_sizes(n_features), 1)
    return np.asarray(share @ subset_members(n_features))


def interaction_index(capacity: ArrayLike) -> np.ndarray:
    """Interaction index of every subset of variables.

    It is positive if the variables say more together than their parts do, and negative if they
    repeat each other. The index of a single variable is its Shapley value.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)

    Returns
    -------
    ndarray of shape (2**n_features,)
        By dyadic index of the subset. The value of the empty set is the mean of ``mu`` over a
        random size and a random subset of that size.

    Examples
    --------
    >>> from sklearn_reclink.capacity import interaction_index
    >>> print(interaction_index([0.0, 0.5, 0.25, 1.0])[1:].round(6))
    [0.625 0.375 0.25 ]
    """
    mobius = capacity_to_mobius(capacity)
    n_features = n_variables(mobius)
    nodes, weights = np.polynomial.legendre.leggauss(n_features // 2 + 1)
    index = np.zeros(len(mobius))
    for t, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        values = mobius.copy()
        for k in range(n_features):
            halves = values.reshape(-1, 2, 2**k)  # without and with variable k
            halves[:, 0] += t * halves[:, 1]
        index += weight * values
    return index


def interaction_matrix(capacity: ArrayLike) -> np.ndarray:
    """Interaction index of every pair of variables, with Shapley values on the diagonal.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,)

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric; an additive capacity has zeros off the diagonal. For ``mu(V) = 1`` all values
        lie in [-1, 1].

    Examples
    --------
    >>> from sklearn_reclink.capacity import interaction_matrix
    >>> print(interaction_matrix([0.0, 0.5, 0.25, 1.0]).round(6))
    [[0.625 0.25 ]
     [0.25  0.375]]
    """
    index = interaction_index(capacity)
    variables = 1 << np.arange(n_variables(index))
    return index[variables[:, None] | variables]


def orness(capacity: ArrayLike) -> float:
    """How near the Choquet integral is to the maximum (1) rather than the minimum (0).

    A weighted mean has 1/2. As a distance: near 1, one large difference is enough to tell two
    records apart; near 0, they must differ in all variables.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,), n_features >= 2

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn_reclink.capacity import orness
    >>> orness([0.0, 1.0, 1.0, 1.0]), orness([0.0, 0.0, 0.0, 1.0]), orness([0.0, 0.75, 0.25, 1.0])
    (1.0, 0.0, 0.5)
    """
    values, n_features = _normalised(capacity)
    shares = values / comb(n_features, subset_sizes(n_features))
    return float(shares[1:-1].sum() / (n_features - 1))


def veto(capacity: ArrayLike) -> np.ndarray:
    """How far a small value of each variable keeps the Choquet integral small, 1 at most.

    A variable has veto 1 if the integral is never above it: ``mu(A) = 0`` for all ``A`` without
    it. As a distance: records that are near in that variable are near.

    Parameters
    ----------
    capacity : array-like of shape (2**n_features,), n_features >= 2

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from sklearn_reclink.capacity import veto
    >>> veto([0.0, 0.5, 0.0, 1.0])  # nothing weighs without variable 0
    array([1. , 0.5])
    """
    values, n_features = _normalised(capacity)
    n_like = comb(n_features - 1, subset_sizes(n_features))  # subsets of the size of A, without k
    shares = values / np.maximum(n_like, 1)
    return np.asarray(1 - shares @ ~subset_members(n_features) / (n_features - 1))


@described_as(veto)
def favour(capacity: ArrayLike) -> np.ndarray:
    """How far a large value of each variable makes the Choquet integral large, 1 at most.

    A variable has favour 1 if the integral is never below it: ``mu(A) = 1`` for all ``A`` with
    it. As a distance: records that are far apart in that variable are far apart.

    Examples
    --------
    >>> from sklearn_reclink.capacity import favour
    >>> favour([0.0, 0.5, 1.0, 1.0])  # a subset with variable 1 weighs all
    array([0.5, 1. ])
    """
    values, n_features = _normalised(capacity)
    n_like = comb(n_features - 1, subset_sizes(n_features) - 1)  # subsets of the size of A, with k
    shares = values / np.maximum(n_like, 1)
    return np.asarray((shares @ subset_members(n_features) - 1) / (n_features - 1))


def _normalised(capacity: ArrayLike) -> tuple[np.ndarray, int]:
    """``mu / mu(V)`` and the number of variables, at least two."""
    values = np.asarray(capacity, dtype=float)
    n_features = n_variables(values)
    if n_features < 2:
        raise ValueError(
            f"the capacity is on {n_features} variable: orness, veto and favour compare at least 2"
        )
    if values[-1] == 0:
        raise ValueError("the capacity of all variables is 0: it cannot be scaled to 1")
    return values / values[-1], n_features
