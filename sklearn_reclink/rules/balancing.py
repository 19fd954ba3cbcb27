"""Prices that balance the candidates: Bayes' rule, and Sinkhorn's scaling.

``p_ij = exp(u_i + s_ij - price_j)`` is the probability that masked record ``j`` is that of
original record ``i``. Every original record has one masked record and every masked record one
original, so with as many of one as of the other::

    sum_j p_ij = 1   for each i         sum_i p_ij = 1   for each j

If one file has more records than the other, its sums are at most 1, and the potential of a record
whose sum is below 1 is 0. Alternating between the two conditions converges to the one solution
with ``p`` of this form (Sinkhorn and Knopp). The first step, with ``u = 0``, is the density
correction; each further step costs one more pass over all pairs, and memory for two vectors.
"""

from collections.abc import Callable

import numpy as np

from sklearn_reclink.rules.scores import Scores, log_sum_exp

# The price of a masked record that no record wants falls by a finite step.
_LEAST = 1e-300


def density_prices(scores: Scores) -> np.ndarray:
    """Log of the density of original records around each masked record.

    Returns
    -------
    ndarray of shape (n_masked,)
        ``log sum_i exp(s_ij)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores, density_prices
    >>> density_prices(Scores.of_table(np.log([[0.5, 0.1], [0.5, 0.9]]))).round(12)
    array([0., 0.])
    """
    logs = np.full(scores.shape[1], -np.inf)
    for _, values in scores.blocks():
        logs = np.logaddexp(logs, log_sum_exp(values, axis=0))
    return logs


def balanced_prices(scores: Scores, *, max_iter: int = 30, tol: float = 1e-3) -> np.ndarray:
    """Prices for which the probabilities sum to one over both files.

    Parameters
    ----------
    scores : Scores
        Log-likelihoods; their scale matters.
    max_iter : int, default=30
        Largest number of passes over all pairs.
    tol : float, default=1e-3
        Stop when no price changes by more than this.

    Returns
    -------
    ndarray of shape (n_masked,)

    Examples
    --------
    Two original records share the first masked record; the price sends one of them on.

    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores, balanced_prices
    >>> table = np.array([[6.0, 0.0], [4.0, 3.0]])
    >>> (table - balanced_prices(Scores.of_table(table))).argmax(axis=1)
    array([0, 1])
    """
    n_records, n_masked = scores.shape
    prices = density_prices(scores)
    if n_masked > n_records:
        prices = np.zeros(n_masked)

    def wanted(prices: np.ndarray) -> np.ndarray:
        total = np.zeros(n_masked)
        for _, values in scores.blocks():
            total += _shares(values - prices, may_fail=n_records > n_masked).sum(axis=0)
        return total

    return settled_prices(prices, wanted, scores.shape, max_iter=max_iter, tol=tol)


def settled_prices(
    prices: np.ndarray,
    wanted: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, int],
    *,
    rest: float | np.ndarray = 0.0,
    max_iter: int,
    tol: float,
) -> np.ndarray:
    """Raise prices by the logarithm of the demand until they change by ``tol`` at most.

    ``wanted`` gives the sum of the probabilities of every masked record, less the ``rest``, also a
    logarithm; ``shape`` are the numbers of original and of masked records.
    """
    n_records, n_masked = shape
    lowest = 0.0 if n_masked > n_records else -np.inf
    for _ in range(max_iter):
        excess = np.log(np.maximum(wanted(prices), _LEAST)) + rest
        renewed = np.maximum(prices + excess, lowest)
        change = np.abs(renewed - prices).max()
        prices = renewed
        if change <= tol:
            break
    return prices


def _shares(priced: np.ndarray, may_fail: bool) -> np.ndarray:
    """Probabilities that sum to one in every row, or to less where there may be no link."""
    top = priced.max(axis=1, keepdims=True)
    shares = np.exp(priced - top)
    totals = shares.sum(axis=1, keepdims=True)
    if may_fail:
        totals = np.maximum(totals, np.exp(np.minimum(-top, 700.0)))
    shares /= totals
    return np.asarray(shares)
