"""Fits whose seconds are measured: without compilation, and without warnings of the time limit."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation


def seconds_of_fit(linker: Any, X: np.ndarray, Y: np.ndarray, **options: Any) -> float:
    """Fit a linker; the tables say whether a proof was finished."""
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        linker.fit(X, Y, **options)
    return time.perf_counter() - begin


def warm_up_files(n_records: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A file and its masked version, to compile or load what the measured fits need.

    A much smaller file would not do: its pairs are compared one by one, without the compiled trees.
    """
    X = make_microdata(n_records, 3, random_state=0)
    return X, Microaggregation(groups=[[0, 1], [2]], k=3).fit_transform(X)
