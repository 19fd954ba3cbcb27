"""Files, fits and changed certificates that several tests of certificates take."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone


def certified(linker: Any, X: Any, Y: Any, **params: Any) -> Any:
    return clone(linker).set_params(certify=True, random_state=0, **params).fit(X, Y)


def replaced(certificate: dict[str, Any], value: Any, *path: str | int) -> dict[str, Any]:
    """The certificate with another value in one place."""
    changed = copy.deepcopy(certificate)
    holder: Any = changed
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    return changed


def mixed_tables(n: int = 40, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numbers, dates, text, bools, numbered categories and levels, with missing values."""
    rng = np.random.default_rng(seed)
    levels = pd.CategoricalDtype(["none", "some", "much", "all"], ordered=True)
    X = pd.DataFrame(
        {
            "income": rng.lognormal(7, 1, n).round(1),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "town": rng.choice(["north", "south", "west"], n),
            "pays": pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=levels),
            "owner": rng.random(n) < 0.5,
        }
    )
    Y = X.copy()
    Y["income"] += rng.normal(0, 300, n).round(1)
    Y["since"] += pd.to_timedelta(rng.integers(-60, 60, n), "D")
    exchange_some(rng, Y, ["town", "pays", "owner"])
    leave_out_some(rng, X, Y, ["income", "town", "pays", "since"])
    return X, Y


def exchange_some(rng: np.random.Generator, Y: pd.DataFrame, names: list[str]) -> None:
    """Give a fifth of the values of each column to others."""
    for name in names:
        kept = rng.random(len(Y)) < 0.8
        Y[name] = Y[name].where(kept, Y[name].iloc[rng.permutation(len(Y))].array)


def leave_out_some(
    rng: np.random.Generator, X: pd.DataFrame, Y: pd.DataFrame, names: list[str]
) -> None:
    """Take out some values of each column, more of the masked file."""
    for file, share in ((X, 0.05), (Y, 0.15)):
        for name in names:
            file[name] = file[name].where(rng.random(len(file)) > share)
