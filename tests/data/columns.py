"""Files of one column for tests of kinds."""

from __future__ import annotations

import pandas as pd

from sklearn_reclink.data.kinds import learn_variables

ORIGINAL = "original file X"
LEVELS = ["low", "middle", "high"]


def codes(variables, *tables):
    return variables.codes(*((table, ORIGINAL) for table in tables))


def column(values, dtype=None):
    return pd.DataFrame({"v": pd.Series(values, dtype=dtype)})


def ordered(values, levels=LEVELS):
    return column(pd.Categorical(values, categories=levels, ordered=True))


def learned(X, y=None, **options):
    return learn_variables(X, X if y is None else y, **options)
