"""Subsets of variables by dyadic index, and the lattice they form.

Bit k of an index is set iff variable k is in the subset. The complement of index ``A`` is
``2^n - 1 - A``, union and intersection are ``|`` and ``&``.
"""

import numpy as np

from sklearn_reclink._docstrings import described_as


def subset_sizes(n_features: int) -> np.ndarray:
    """Number of variables of every subset.

    Parameters
    ----------
    n_features : int

    Returns
    -------
    ndarray of shape (2**n_features,), or (2**n_features, n_features) by member
        By dyadic index.

    Examples
    --------
    >>> from sklearn_reclink.capacity import subset_sizes
    >>> subset_sizes(3)
    array([0, 1, 1, 2, 1, 2, 2, 3])
    """
    return np.bitwise_count(np.arange(2**n_features)).astype(np.int64)


@described_as(subset_sizes)
def subset_members(n_features: int) -> np.ndarray:
    """Which variables are in which subset.

    Examples
    --------
    >>> from sklearn_reclink.capacity import subset_members
    >>> subset_members(2).astype(int)
    array([[0, 0],
           [1, 0],
           [0, 1],
           [1, 1]])
    """
    return np.asarray(np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1 == 1)


def small_subsets(n_features: int, largest: int) -> np.ndarray:
    """Non-empty subsets of at most ``largest`` variables, by size and then by index.

    Parameters
    ----------
    n_features : int
    largest : int
        The largest size of a subset.

    Returns
    -------
    ndarray of int
        Dyadic indices.

    Examples
    --------
    >>> from sklearn_reclink.capacity import small_subsets
    >>> small_subsets(3, 2)
    array([1, 2, 4, 3, 5, 6])
    """
    sizes = subset_sizes(n_features)
    subsets = np.flatnonzero((sizes > 0) & (sizes <= largest))
    return subsets[np.argsort(sizes[subsets], kind="stable")]


def lattice_edges(n_features: int) -> np.ndarray:
    """Every subset and every subset with one variable more, ``(A, A + k)``.

    Parameters
    ----------
    n_features : int

    Returns
    -------
    ndarray of int of shape (n_features * 2**(n_features - 1), 2)
        By variable ``k`` and then by ``A``.

    Examples
    --------
    >>> from sklearn_reclink.capacity import lattice_edges
    >>> lattice_edges(2)
    array([[0, 1],
           [2, 3],
           [0, 2],
           [1, 3]])
    """
    smaller, k = np.nonzero(~subset_members(n_features))
    edges = np.column_stack([smaller, smaller | 1 << k])
    return edges[np.argsort(k, kind="stable")]
