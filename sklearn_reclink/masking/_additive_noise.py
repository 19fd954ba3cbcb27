"""Additive noise: ``Y = X + e``, e Gaussian with mean 0 and sd ``p`` % of that of the variable.

Uncorrelated noise has covariance ``(p / 100)^2 diag(Var X)`` and weakens every correlation of the
file; correlated noise has ``(p / 100)^2 Cov X`` and keeps them.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import NumericMasker, by_powers_of_two


def gaussian_noise(X: np.ndarray, correlated: bool, rng: np.random.RandomState) -> np.ndarray:
    """Noise with the variances, or with the whole covariance, of a file.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_features)
        The file. Missing values are left out of the variances; correlated noise takes none.
    correlated : bool
        Whether the noise takes the correlations of the file.
    rng : RandomState
        Draws the noise.

    Returns
    -------
    ndarray of shape (n_records, n_features)
    """
    X, exponents = by_powers_of_two(X)
    gaps = np.isnan(X).any()
    columns = [column[~np.isnan(column)] for column in X.T] if gaps else X.T
    constant = np.array([len(column) == 0 or (column == column[0]).all() for column in columns])
    if constant.all():
        return np.zeros_like(X)
    spread = [column.std(ddof=1) if len(column) > 1 else 0.0 for column in columns if gaps]
    sd = np.where(constant, 0.0, spread if gaps else X.std(axis=0, ddof=1))
    if not correlated:
        return np.asarray(np.ldexp(rng.normal(size=X.shape) * sd, exponents))
    # Z = U S V' standardised, so that G S V' / sqrt(N - 1) has its covariance for G standard normal
    Z = np.where(constant, 0.0, (X - X.mean(axis=0)) / np.where(constant, 1.0, sd))
    _, singular, loadings = np.linalg.svd(Z, full_matrices=False)
    draws = rng.normal(size=(len(X), len(singular)))
    noise = draws @ (singular[:, None] * loadings) / np.sqrt(len(X) - 1) * sd
    return np.asarray(np.ldexp(noise, exponents))


@dataclass(eq=False, repr=False)
class AdditiveNoise(NumericMasker):
    """Mask a file by adding Gaussian noise to every value.

    Parameters
    ----------
    p : float, default=10.0
        Standard deviation of the noise, in percent of that of the variable.
    correlated : bool, default=False
        Whether the noise has the correlations of the file. By default the noise of each
        variable is independent.
    %(keep_integers numeric_columns)s
    random_state : int, RandomState instance or None, default=None
        The seed of the noise. An integer gives the same masked file at every call.

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    A missing value stays missing. Correlated noise refuses missing values.

    References
    ----------
    Brand, R. (2002). Microdata protection through noise addition. In Inference Control in
    Statistical Databases, LNCS 2316, 97-116. Springer.

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import AdditiveNoise
    >>> X = make_microdata(1000, 2, random_state=0)
    >>> Y = AdditiveNoise(p=10, random_state=0).fit_transform(X)
    >>> ((Y - X).std(axis=0) / X.std(axis=0)).round(1)
    array([0.1, 0.1])
    """

    p: float = 10.0
    _: KW_ONLY
    correlated: bool = False
    keep_integers: bool = False
    random_state: Any = None
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NumericMasker._parameter_constraints,
        "p": [Interval(Real, 0, None, closed="left")],
        "correlated": ["boolean"],
        "random_state": ["random_state"],
    }

    @property
    def _allows_missing(self) -> bool:  # type: ignore[override]
        return not self.correlated

    def _mask(self, X: np.ndarray) -> np.ndarray:
        rng = check_random_state(self.random_state)
        return X + self.p / 100 * gaussian_noise(X, self.correlated, rng)
