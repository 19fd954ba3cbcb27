"""The difference of an original and a masked record in every variable.

Records are coordinates, so that numbers are subtracted. Two conventions make room for the rest::

    diff_k(a, b) = a_k - b_k                      where cap_k is infinite
                 = min(|a_k - b_k|, cap_k)        categories: codes that are at least cap_k apart
                 = 0                              where either coordinate is NaN: nothing is known

So a nominal variable differs by ``cap_k`` or not at all, and what a missing value costs can be a
coordinate of its own (`data.mixed`). ``caps`` is None for a file of numbers without missing values.
"""

import numpy as np


def differences(
    original: np.ndarray, masked: np.ndarray, caps: np.ndarray | None = None
) -> np.ndarray:
    """Differences of records, two arrays (..., n_features) that broadcast.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families.differences import differences
    >>> caps = np.array([np.inf, 1.5])  # a number, and a category coded 0, 3, 6, ...
    >>> differences(np.array([2.0, 3.0]), np.array([[5.0, 3.0], [np.nan, 0.0]]), caps)
    array([[-3. ,  0. ],
           [ 0. ,  1.5]])
    """
    found = np.asarray(original - masked)
    if caps is None:
        return found
    for k in np.flatnonzero(np.isfinite(caps)):
        column = found[..., k]
        np.minimum(np.abs(column), caps[k], out=column)
    found[np.isnan(found)] = 0.0
    return found
