from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.datasets import fetch_casc_census
from sklearn_reclink.masking import Microaggregation


@pytest.fixture(scope="session")
def census() -> np.ndarray:
    """The CASC Census file, (1080, 13); tests that ask for it are skipped where it is absent."""
    try:
        return fetch_casc_census(download_if_missing=False).data
    except OSError as error:
        pytest.skip(f"the Census file is not here: {error}")


@pytest.fixture
def files():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1, 10, 100, 1000] + 5
    return X, Microaggregation(groups=[[0, 1], [2, 3]], k=3).fit_transform(X)


@pytest.fixture
def frames(files):
    names = ["age", "income", "tax", "hours"]
    return tuple(pd.DataFrame(file, columns=names) for file in files)
