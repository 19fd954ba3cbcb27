"""Probabilistic information loss of Mateo-Sanz, Domingo-Ferrer and Sebé (2005).

The original file is seen as a population of ``n`` people, the masked file as a sample of that size.
A statistic ``t`` of the sample has a variance that follows from the population, and for large ``n``
a normal distribution. The loss measures how surprising the masked value ``t'`` would be::

    loss(t) = 2 P(0 <= Z <= |t' - t| / sd(t)),     Z standard normal

It lies in [0, 1] in any units. The loss of a file is the mean of five such losses, each a mean over
the variables or the pairs of variables. With ``m_rs`` the central moments of a pair, ``n var(t)``
is

==============  =============================================================================
means           ``m_20``
variances       ``m_40 - m_20^2``
covariances     ``m_22 - m_11^2``
correlations    ``m_22 + r^2 (m_40 + m_04 + 2 m_22) / 4 - r (m_31 + m_13)``, unit variances
quantiles       ``q (1 - q) / f^2``, ``f`` the density at the ``q``-quantile, ``q = 5, ..., 95 %``
==============  =============================================================================

``1 / f``, the slope of the quantile function, is estimated by a difference quotient over the
bandwidth of Bofinger (1975). Variables are standardised first, which changes no loss.
"""

from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from sklearn_reclink.metrics._files import read_files
from sklearn_reclink.metrics._information_loss import correlations

QUANTILES = np.arange(5, 100, 5) / 100

# A change of a statistic below this part of its scale is the rounding of a sum.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ProbabilisticLoss:
    """The probabilistic information loss of a file, and its five parts.

    Attributes
    ----------
    means, variances, quantiles : float
        Mean losses over the variables, in [0, 1].
    covariances, correlations : float
        Mean losses over the pairs of variables, in [0, 1]; NaN if there is only one variable.

    Examples
    --------
    >>> from sklearn_reclink.metrics import ProbabilisticLoss
    >>> ProbabilisticLoss(0.0, 0.5, 0.25, 0.25, 0.0).loss
    0.2
    """

    means: float
    variances: float
    covariances: float
    correlations: float
    quantiles: float

    @property
    def loss(self) -> float:
        """The mean of the parts."""
        return float(np.nanmean(astuple(self)))


def probabilistic_information_loss(X: Any, y: Any) -> float:
    """Probabilistic information loss, PIL: the mean of the five parts of `probabilistic_loss`.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, of numbers and dates, in the same units. Rows
        need not be aligned.

    Returns
    -------
    float
        From 0, when every statistic is kept, to 1. The papers give it in percent.

    References
    ----------
    J. M. Mateo-Sanz, J. Domingo-Ferrer and F. Sebé (2005), Probabilistic information loss measures
    in confidentiality protection of continuous microdata, Data Mining and Knowledge Discovery 11,
    181-193.

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import Microaggregation
    >>> from sklearn_reclink.metrics import probabilistic_information_loss
    >>> X = make_microdata(400, 4, random_state=0)
    >>> round(probabilistic_information_loss(X, Microaggregation(k=3).fit_transform(X)), 2)
    0.33
    >>> round(probabilistic_information_loss(X, Microaggregation(k=10).fit_transform(X)), 2)
    0.53
    """
    return probabilistic_loss(X, y).loss


def probabilistic_loss(X: Any, y: Any) -> ProbabilisticLoss:
    """Probabilistic information loss by kind of statistic.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        As in `probabilistic_information_loss`.

    Returns
    -------
    ProbabilisticLoss

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.metrics import probabilistic_loss
    >>> X = make_microdata(400, 2, random_state=0)
    >>> parts = probabilistic_loss(X, X + 0.1 * X.std(axis=0))  # only the means change
    >>> parts.variances, parts.covariances, parts.correlations
    (0.0, 0.0, 0.0)
    >>> 0.9 < parts.means < 1
    True
    """
    before, after = _standardised(*read_files(X, y))
    pairs = np.triu_indices(before.shape[1], k=1)
    m_11, m_22, m_31 = (_moments(before, *powers) for powers in ((1, 1), (2, 2), (3, 1)))
    m_4, r = np.diag(m_22), correlations(before)
    var_covariance = m_22 - m_11**2
    var_correlation = m_22 + r**2 * (m_4[:, None] + m_4 + 2 * m_22) / 4 - r * (m_31 + m_31.T)
    covariance_change = _moments(after, 1, 1) - m_11
    quantiles, masked_quantiles = (np.quantile(file, QUANTILES, axis=0) for file in (before, after))
    var_quantiles = (QUANTILES * (1 - QUANTILES))[:, None] * _slopes(before) ** 2
    loss = partial(_loss, n_records=len(before))
    return ProbabilisticLoss(
        means=loss(after.mean(axis=0) - before.mean(axis=0), np.diag(m_11)),
        variances=loss(np.diag(covariance_change), np.diag(var_covariance)),
        covariances=loss(covariance_change[pairs], var_covariance[pairs]),
        correlations=loss((correlations(after) - r)[pairs], var_correlation[pairs]),
        quantiles=loss(masked_quantiles - quantiles, var_quantiles),
    )


def _moments(file: np.ndarray, r: int, s: int) -> np.ndarray:
    """Central moments ``m_rs`` of all pairs of variables, (n_features, n_features)."""
    centred = file - file.mean(axis=0)
    return np.asarray(centred.T**r @ centred**s / len(file))


def _standardised(original: np.ndarray, masked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both files in the scales of the first, or of the second for what is constant there."""
    scale = original.std(axis=0)
    scale = np.where(np.ptp(original, axis=0) > 0, scale, masked.std(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    shift = original.mean(axis=0)
    return (original - shift) / scale, (masked - shift) / scale


def _slopes(file: np.ndarray) -> np.ndarray:
    """Slopes of the quantile functions at `QUANTILES`, (n_quantiles, n_features)."""
    z = special.ndtri(QUANTILES)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    bandwidth = (4.5 * density**4 / (2 * z**2 + 1) ** 2 / len(file)) ** 0.2
    lower, upper = np.maximum(QUANTILES - bandwidth, 0), np.minimum(QUANTILES + bandwidth, 1)
    rise = np.quantile(file, upper, axis=0) - np.quantile(file, lower, axis=0)
    return np.asarray(rise / (upper - lower)[:, None])


def _loss(change: np.ndarray, variance: np.ndarray, n_records: int) -> float:
    """Mean loss of statistics that changed, from ``n`` times their variances."""
    if not np.size(change):
        return float("nan")
    sd = np.sqrt(np.maximum(variance, 0) / n_records)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = special.erf(np.abs(change) / sd / np.sqrt(2))
    return float(np.mean(np.where(np.abs(change) > _ROUNDING, surprise, 0.0)))
