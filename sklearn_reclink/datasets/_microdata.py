"""Generated microdata that look like a survey or like business accounts.

Every record has a latent size; every variable is the exponential of a mixture of that size
and of its own noise, so the variables are positive, skewed and correlated::

    log x_k = location_k + sd_k * (loading_k * size + sqrt(1 - loading_k^2) * noise_k)
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

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
    n_records : int, default=400
        Number of records.
    n_features : int, default=6
        Number of variables.
    tail : {"light", "heavy"}, default="light"
        "light" resembles the amounts of a household survey: log-normal, with a standard
        deviation of the logarithm near 0.5, every value positive and in whole units. "heavy"
        resembles business accounts: a standard deviation of the logarithm of the non-zero
        values of 1.5 or more in files of some hundred records, zeros in all variables but the
        first, and values rounded to two significant digits or to tens, so there are ties.
    random_state : int, RandomState instance or None, default=None
        The seed; an integer gives the same records every time.
    as_frame : bool, default=False
        Give a pandas DataFrame with named columns.

    Returns
    -------
    X : ndarray or DataFrame of shape (n_records, n_features)
        The records.

    Examples
    --------
    >>> from sklearn_reclink.datasets import make_microdata
    >>> make_microdata(3, 2, random_state=0, as_frame=True).columns.tolist()
    ['income', 'tax']
    >>> make_microdata(1000, 4, tail="heavy", random_state=0).shape
    (1000, 4)
    """
    rng = check_random_state(random_state)
    heavy = tail == "heavy"
    log_sd = rng.uniform(*((2.0, 2.6) if heavy else (0.4, 0.6)), size=n_features)
    loading = rng.uniform(0.5, 0.9, size=n_features)
    location = rng.uniform(np.log(5e3), np.log(1e5), size=n_features)

    size = rng.standard_normal(n_records)
    X = rng.standard_normal((n_records, n_features))
    X *= np.sqrt(1 - loading**2)
    X += size[:, None] * loading
    X *= log_sd
    X += location
    np.exp(X, out=X)

    if heavy:
        _round_like_accounts(X)
        zero_share = rng.uniform(0.05, 0.25, size=n_features)
        zero_share[0] = 0.0
        X[rng.uniform(size=X.shape) < zero_share] = 0.0
    else:
        np.ceil(X, out=X)

    if not as_frame:
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=_column_names(n_features, _ACCOUNTS if heavy else _SURVEY))


def _round_like_accounts(X: NDArray[np.float64]) -> None:
    # variables 0, 2, 4, ... to two significant digits; the others to tens
    magnitude = np.maximum(10.0 ** (np.floor(np.log10(X[:, ::2])) - 1), 1.0)
    X[:, ::2] = np.maximum(np.round(X[:, ::2] / magnitude) * magnitude, 1.0)
    X[:, 1::2] = np.maximum(np.round(X[:, 1::2], -1), 10.0)


def _column_names(n_features: int, base: tuple[str, ...]) -> list[str]:
    rounds = [divmod(k, len(base)) for k in range(n_features)]
    return [base[word] + (f"_{lap + 1}" if lap else "") for lap, word in rounds]
