"""An upper confidence bound of a count, from a random part of the records.

Of ``N`` records some fixed parameters link ``K``. A uniformly random sample of ``n`` of them holds
``L`` linked ones, and ``L`` is hypergeometric. Let ``F_K(u) = P(L <= u)``, which falls as ``K``
grows. Of the sample only ``U >= L`` is known. At the level ``1 - alpha`` the bound is

    g(U) = the largest K with F_K(U) > alpha.

*Law.* ``P(g(U) < K) <= alpha`` for the true ``K``, at every ``N`` and ``n``.

*Proof.* If ``g(U) < K``, then ``F_K(U) <= alpha``, and ``F_K(L) <= F_K(U) <= alpha``. Let ``l`` be
the largest value with ``F_K(l) <= alpha``. So ``P(F_K(L) <= alpha) = P(L <= l) <= alpha``.

``U`` may depend on the sample in any way, as long as it is at least ``L``. The size ``n`` must not.
"""

import numpy as np
from scipy.special import gammaln

_ROUNDING = 1e-6  # of alpha: the sums of gammaln below are far more precise


def confidence_bound(n_records: int, n_sampled: int, at_most: int, level: float) -> int:
    """The most records that fixed parameters link, at a confidence level.

    Parameters
    ----------
    n_records, n_sampled : int
        All records, and those drawn at random without replacement.
    at_most : int
        The parameters link no more of those drawn.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> from sklearn_reclink.solvers.blocks.confidence import confidence_bound
    >>> confidence_bound(100_000, 18_000, 10_800, 0.99)
    60769
    >>> confidence_bound(1000, 1000, 600, 0.99)
    600
    """
    alpha = (1 - level) * (1 - _ROUNDING)
    # the sample shows n_sampled - at_most records that are not linked
    low, high = min(at_most, n_records), n_records - max(n_sampled - at_most, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if _share_at_most(n_records, middle, n_sampled, at_most) > alpha:
            low = middle
        else:
            high = middle - 1
    return low


def _share_at_most(n_records: int, n_linked: int, n_sampled: int, at_most: int) -> float:
    """The probability that a sample holds at most so many linked records."""
    least = max(0, n_sampled - (n_records - n_linked))
    found = np.arange(least, min(at_most, n_sampled, n_linked) + 1, dtype=float)
    logs = (
        _log_choose(n_linked, found)
        + _log_choose(n_records - n_linked, n_sampled - found)
        - _log_choose(n_records, n_sampled)
    )
    return float(np.exp(logs).sum())


def _log_choose(n: float, k: float | np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
