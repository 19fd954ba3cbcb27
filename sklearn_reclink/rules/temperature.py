"""The scale that makes a distance a log-likelihood: ``s_ij = -d_ij / scale``.

It is the scale under which aligned pairs are the likeliest: among all original records, that ``i``
belongs to masked record ``i``, and among all masked records, that ``i`` is the one of record
``i``::

    maximise   sum_i  2 s_ii - log sum_i' exp(s_i'i) - log sum_j exp(s_ij)

which is concave in ``1 / scale``.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from sklearn_reclink.rules.log_sums import LogTotals, log_sum_exp
from sklearn_reclink.rules.scores import Scores

# The search covers this many powers of e on either side of the typical distance of a pair.
_SPAN = 12.0


def learn_scale(distances: Scores) -> float:
    """Learn the scale of distances from aligned pairs.

    Parameters
    ----------
    distances : Scores
        Distances of all pairs, of as many original as masked records, aligned.

    Returns
    -------
    float
        Above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores, learn_scale
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> y = x + rng.normal(scale=0.1, size=400)
    >>> scale = learn_scale(Scores.of((x[:, None] - y) ** 2))  # near 2 * 0.1^2
    >>> bool(0.015 < scale < 0.025)
    True
    """
    own = np.concatenate([values.diagonal(start) for start, values in distances.blocks()])
    typical = np.abs(own).mean()
    if typical == 0:
        least = [
            np.abs(values)[values != 0].min(initial=np.inf) for _, values in distances.blocks()
        ]
        typical = min(least) if np.isfinite(min(least)) else 1.0

    def misfit(log_scale: float) -> float:
        scale = typical * np.exp(log_scale)
        totals = LogTotals(distances.shape[1])
        over_rows = 0.0
        for _, values in distances.blocks():
            scores = -values / scale
            over_rows += log_sum_exp(scores).sum()
            totals.add(scores)
        return float(over_rows + totals.logs.sum() + 2 * (own / scale).sum())

    found = minimize_scalar(misfit, bounds=(-_SPAN, _SPAN), method="bounded")
    return float(typical * np.exp(found.x))
