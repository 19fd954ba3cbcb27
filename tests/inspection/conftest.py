from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.masking import Microaggregation

NAMES = ["age", "income before taxes and transfers of the household", "<b>tax</b>", "$hours$"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="package")
def frames():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1, 10, 100, 1000] + 5
    Y = Microaggregation(groups=[[0, 1], [2, 3]], k=3).fit_transform(X)
    return tuple(pd.DataFrame(file, columns=NAMES) for file in (X, Y))
