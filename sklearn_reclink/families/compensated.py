"""Quadratic forms to twice the working precision, where their terms cancel.

    d = sum_{k <= l} theta_kl delta_k delta_l,        D = sum_{k <= l} |theta_kl delta_k delta_l|

with ``delta = a - b``, which is rounded, too. A plain sum is off by up to ``(p + 4) u D``, ``u =
2**-53``: nothing is left of ``d`` once ``D`` is ``1/u`` times as large. Error-free transformations
(Dekker's product, Knuth's sum) keep what each rounding loses and add it in the end, as in the
algorithm Dot2 of Ogita, Rump and Oishi (SIAM Journal on Scientific Computing 26, 2005, 1955-1988).
The result is off by ``u |d| + (p + 8)^2 u^2 D`` at most.
"""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

SPLITTER = 2.0**27 + 1


def _halves(x: Any) -> tuple[Any, Any]:
    """``x`` as the sum of two numbers of 26 bits."""
    scaled = SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high


def _product(x: Any, y: Any) -> tuple[Any, Any]:
    """``x * y`` as computed, and what its rounding lost."""
    product = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    lost = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
    return product, lost


def exact_sum(x: Any, y: Any) -> tuple[Any, Any]:
    """``x + y`` as computed, and what its rounding lost."""
    total = x + y
    second = total - x
    return total, (x - (total - second)) + (y - second)


def quadratic(theta: np.ndarray, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """``sum_{k <= l} theta_kl delta_k delta_l`` of differences ``delta = original - masked``.

    Parameters
    ----------
    theta : ndarray of shape (n (n + 1) / 2,)
    original, masked : ndarray of shape (n, n_pairs)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.compensated import quadratic
    >>> x = np.array([[1e9 + 1], [1e9]])
    >>> quadratic(np.array([1.0, -2.0, 1.0]), x, np.zeros((2, 1)))  # (x_0 - x_1)^2
    array([1.])
    >>> x[0] * x[0] - 2 * (x[0] * x[1]) + x[1] * x[1]
    array([0.])
    """
    high, low = exact_sum(original, -masked)
    total: Any = np.zeros(original.shape[1])
    lost: Any = np.zeros(original.shape[1])
    pairs = combinations_with_replacement(range(len(original)), 2)
    for coefficient, (k, m) in zip(theta, pairs, strict=True):
        if coefficient != 0:
            inner, inner_lost = _product(high[k], high[m])
            inner_lost = inner_lost + (high[k] * low[m] + low[k] * high[m])
            term, term_lost = _product(coefficient, inner)
            total, sum_lost = exact_sum(total, term)
            lost = lost + (sum_lost + (term_lost + coefficient * inner_lost))
    return np.asarray(total + lost)
