"""When is one record strictly nearer than another?

A record is re-identified only when its own masked record is *strictly* nearer than every
impostor. In floating point that needs a rule, and counting and proving must share it, or a
proof ends below a recount. With ``d = theta . phi`` and its magnitude ``D = |theta| . |phi|``
(for a non-negative distance, ``D = d``), the rule of this library is::

    b_i is strictly nearer than b_j   iff   d_ij - d_ii > TIE_TOLERANCE * (D_ij + D_ii)

so two distances that agree to twelve digits are tied. Rounding moves ``d`` by at most
``(p + 2) * 2**-53 * D``: a tie of real numbers is a tie here, whatever the order of
summation, and every strict comparison here is strict for the real numbers too.

The rule is linear in ``theta`` for each sign pattern, which is what lets a proof use it: if
``sum_m lambda_m (phi_ij - phi_ii)_m`` is at most ``TIE_TOLERANCE * sum_m lambda_m (|phi_ij| +
|phi_ii|)_m`` in every coordinate for some ``lambda >= 0``, no ``theta >= 0`` links all those
records; no ``theta`` at all if its absolute value is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TIE_TOLERANCE = 1e-12


def strictly_nearer(own: Any, own_magnitude: Any, other: Any, other_magnitude: Any) -> np.ndarray:
    """Whether the own record is strictly nearer than the other, elementwise."""
    return np.asarray(other - own > TIE_TOLERANCE * (other_magnitude + own_magnitude))
