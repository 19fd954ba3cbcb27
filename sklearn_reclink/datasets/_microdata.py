"""Generated microdata that look like a survey or like business accounts.

Every record has a latent size; every variable is the exponential of a mixture of that size
and of its own noise, so the variables are positive, skewed and correlated::

    log x_k = location_k + sd_k * (loading_k * size + sqrt(1 - loading_k^2) * noise_k)
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from sklearn_reclink._sklearn_compat import Interval, StrOptions, validate_params
from sklearn_reclink.datasets._tables import table

_SURVEY = ("income", "tax", "rent", "savings", "food", "travel", "energy", "insurance")
_ACCOUNTS = ("turnover", "wages", "assets", "exports", "debt", "investment", "stock", "research")


@validate_params(
    {
        "n_records": [Interval(Integral, 1, None, closed="left")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "tail": [StrOptions({"light", "heavy"})],
        "random_state": ["random_state"],
        "as_frame": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def make_microdata(
    n_records: int = 400,
    n_features: int = 6,
    *,
    tail: Literal["light", "heavy"] = "light",
    random_state: Any = None,
    as_frame: bool = False,
) -> Any:
    """Generate correlated, skewed, non-negative numeric records.

    Parameters
    ----------
    n_records, n_features : int, default=400, 6
        Number of records and of variables.
    tail : {"light", "heavy"}, default="light"
        "light" is like a household survey: log-normal positive amounts in whole units, with a
        standard deviation of the logarithm near 0.5. "heavy" is like business accounts: standard
        deviations of the logarithm of 1.5 or more in files of a few hundred records, zeros in all
        variables but the first, and ties, because values are rounded to two digits or to tens.
    random_state : int, RandomState instance or None, default=None
        The seed; an integer gives the same records every time.
    as_frame : bool, default=False
        Return a pandas DataFrame with named columns.

    Returns
    -------
    X : ndarray or DataFrame of shape (n_records, n_features)

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_microdata
    >>> make_microdata(3, 2, random_state=0, as_frame=True).columns.tolist()
    ['income', 'tax']
    >>> make_microdata(1000, 4, tail="heavy", random_state=0).shape
    (1000, 4)
    """
    rng = check_random_state(random_state)
    if tail == "heavy":
        X = _amounts(rng, n_records, sd=rng.uniform(2.0, 2.6, size=n_features))
        _round_like_accounts(X)
        zero_share = rng.uniform(0.05, 0.25, size=n_features)
        zero_share[0] = 0.0
        X[rng.uniform(size=X.shape) < zero_share] = 0.0
    else:
        X = np.ceil(_amounts(rng, n_records, sd=rng.uniform(0.4, 0.6, size=n_features)))
    names = _column_names(n_features, _ACCOUNTS if tail == "heavy" else _SURVEY)
    return table(X, names, as_frame=as_frame)


def _amounts(rng: np.random.RandomState, n_records: int, sd: np.ndarray) -> np.ndarray:
    """The exponential above, computed in place."""
    loading = rng.uniform(0.5, 0.9, size=len(sd))
    location = rng.uniform(np.log(5e3), np.log(1e5), size=len(sd))
    size = rng.standard_normal(n_records)
    X = rng.standard_normal((n_records, len(sd)))
    X *= np.sqrt(1 - loading**2)
    X += size[:, None] * loading
    X *= sd
    X += location
    return np.exp(X, out=X)


def _round_like_accounts(X: np.ndarray) -> None:
    # variables 0, 2, 4, ... to two significant digits; the others to tens
    magnitude = np.maximum(10.0 ** (np.floor(np.log10(X[:, ::2])) - 1), 1.0)
    X[:, ::2] = np.maximum(np.round(X[:, ::2] / magnitude) * magnitude, 1.0)
    X[:, 1::2] = np.maximum(np.round(X[:, 1::2], -1), 10.0)


def _column_names(n_features: int, base: tuple[str, ...]) -> list[str]:
    rounds = [divmod(k, len(base)) for k in range(n_features)]
    return [base[word] + (f"_{lap + 1}" if lap else "") for lap, word in rounds]


def make_noisy_files(
    n_records: int = 100,
    *,
    noise: Sequence[float] = (0.05, 0.5, 5.0),
    random_state: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Generate standard normal records, and the same records with noise.

    Parameters
    ----------
    n_records : int, default=100
        Number of records.
    noise : sequence of float, default=(0.05, 0.5, 5.0)
        The standard deviation of the noise of each variable, whose own is 1.
    random_state : int or None, default=None
        The seed; an integer gives the same files every time.

    Returns
    -------
    X, Y : ndarray of shape (n_records, n_features)
        Original file and masked version.

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(200, random_state=0)
    >>> (Y - X).std(axis=0).round(2)
    array([0.05, 0.47, 4.79])
    """
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_records, len(noise)))
    return X, X + rng.normal(size=X.shape) * noise
