"""Arrays or data frames, as the caller asks."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch


def table(data: np.ndarray, names: list[str], *, as_frame: bool) -> Any:
    """The array itself, or a pandas DataFrame with named columns."""
    if not as_frame:
        return data
    import pandas as pd

    return pd.DataFrame(data, columns=names)


def bunch(data: np.ndarray, names: list[str], description: str | None, *, as_frame: bool) -> Bunch:
    """What the loaders return; the description is the docstring of their module."""
    data = table(data, names, as_frame=as_frame)
    return Bunch(data=data, feature_names=names, DESCR=description or "")
