"""Small pairs of files for the tests of the report."""

from __future__ import annotations

import pandas as pd

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

SCRIPT = "<script>alert(1)</script>"


def original(n_records: int = 60, n_features: int = 4) -> pd.DataFrame:
    return make_microdata(n_records, n_features, random_state=0, as_frame=True)


def masked(X: pd.DataFrame, groups: int = 2, k: int = 4) -> pd.DataFrame:
    masker = Microaggregation(groups=groups, k=k, standardize=True)
    return masker.set_output(transform="pandas").fit_transform(X)


def nasty_names(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_axis([SCRIPT, "a\"b'c & $x_1$ {{ 7 * 7 }}", "名前\nzwei", "rent"], axis=1)


def nasty_ids(n_records: int) -> list[str]:
    return [f"<img src=x onerror=alert({k})>\"'\n</td></script>" for k in range(n_records)]
