"""A mixed file with every kind of column, in each container."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl

N_RECORDS = 60


def mixed_pandas(n_records: int = N_RECORDS, seed: int = 0) -> pd.DataFrame:
    """Every kind of column; each nullable one has missing cells; the index is no range."""
    rng = np.random.default_rng(seed)
    gaps = rng.uniform(size=n_records) < 0.2
    region = rng.choice(["north", "south", "west"], n_records)
    education = rng.choice(["low", "middle", "high"], n_records)
    days = pd.Timestamp("2000-01-01") + pd.to_timedelta(rng.integers(0, 9000, n_records), unit="D")
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_records),
            "children": pd.array(
                np.where(gaps, None, rng.integers(0, 4, n_records)), dtype="Int64"
            ),
            "income": np.where(gaps, np.nan, rng.lognormal(8, 1, n_records)),
            "region": pd.Series(region).mask(gaps).to_numpy(),
            "sex": pd.Categorical(rng.choice(["f", "m"], n_records)),
            "education": pd.Categorical(
                np.where(gaps, None, education), ["low", "middle", "high"], ordered=True
            ),
            "employed": rng.uniform(size=n_records) < 0.6,
            "insured": pd.array(
                np.where(gaps, None, rng.uniform(size=n_records) < 0.6), dtype="boolean"
            ),
            "born": days.where(~gaps),
            "moved": days.tz_localize("Europe/Vienna"),
        },
        index=np.arange(n_records)[::-1] + 100,
    )


def mixed_polars(n_records: int = N_RECORDS, seed: int = 0) -> pl.DataFrame:
    """The same in polars, with a Date and an Enum."""
    table = pl.from_pandas(mixed_pandas(n_records, seed).reset_index(drop=True))
    return table.with_columns(
        pl.col("born").cast(pl.Date), pl.col("education").cast(pl.Enum(["low", "middle", "high"]))
    )


def mixed_array(n_records: int = N_RECORDS, seed: int = 0) -> np.ndarray:
    """Numbers, texts, booleans and dates as objects, None and NaN among them."""
    table = mixed_pandas(n_records, seed)[["age", "income", "region", "sex", "employed"]]
    array = table.astype(object).to_numpy()
    days = [datetime.date(2000, 1, 1 + row % 28) for row in range(n_records)]
    return np.column_stack([array, np.array(days, dtype=object)])


MIXED = {"pandas": mixed_pandas, "polars": mixed_polars}
NUMBERS = ["age", "children", "income"]
DATES = ["born", "moved"]
CATEGORIES = ["region", "sex", "education", "employed", "insured"]
