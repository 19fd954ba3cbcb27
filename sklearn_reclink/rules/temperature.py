"""The scale that makes a distance a log-likelihood: ``s_ij = -d_ij / scale``.

It is the scale that maximises the likelihood of the aligned pairs: that masked record ``i`` belongs
to original record ``i`` among all original records, and that original record ``i`` belongs to
masked record ``i`` among all masked records::

    maximise   sum_i  2 s_ii - log sum_i' exp(s_i'i) - log sum_j exp(s_ij)

This is concave in ``1 / scale``.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from sklearn_reclink.rules.scores import Scores, log_sum_exp

# The search covers this many powers of e on either side of the typical distance of a pair.
_SPAN = 12.0


def learn_scale(distances: Scores) -> float:
    """Learn the scale of distances from aligned pairs.

    Parameters
    ----------
    distances : Scores
        Distances of all pairs; row i of both files belongs to the same person, and masked records
        beyond are only impostors.

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
    >>> scale = learn_scale(Scores.of_table((x[:, None] - y) ** 2))  # near 2 * 0.1^2
    >>> bool(0.015 < scale < 0.025)
    True
    """
    n_records = distances.shape[0]
    own = np.concatenate([values.diagonal(start) for start, values in distances.blocks()])
    typical = np.abs(own).mean()
    if typical == 0:
        typical = min(
            np.abs(values)[values != 0].min(initial=np.inf) for _, values in distances.blocks()
        )
        typical = typical if np.isfinite(typical) else 1.0

    def misfit(log_scale: float) -> float:
        scale = typical * np.exp(log_scale)
        over_records = np.full(distances.shape[1], -np.inf)
        total = 2 * (own / scale).sum()
        for _, values in distances.blocks():
            scores = -values / scale
            total += log_sum_exp(scores, axis=1).sum()
            over_records = np.logaddexp(over_records, log_sum_exp(scores, axis=0))
        return float(total + over_records[:n_records].sum())

    found = minimize_scalar(misfit, bounds=(-_SPAN, _SPAN), method="bounded")
    return float(typical * np.exp(found.x))
