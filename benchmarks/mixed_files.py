"""Who is found in masked releases of a mixed household survey, and by which distance?

    python benchmarks/mixed_files.py                # five maskings, 60 s for each proof
    python benchmarks/mixed_files.py --quick        # 10 s
    python benchmarks/mixed_files.py --data-home DIR

1,000 people of ``household_survey.csv`` (nine categorical variables, age and three amounts), masked
in five ways by the maskers of this library. Found in the whole file: by Gower's distance (as
sdcMicro links), by the learned weighted mean and Choquet integral (2-additive), with the bound
behind two dots where it is larger. Found of people not learned from: half of the people are known,
the other 500 are sought in a pool of 500. All rates are strict, in per cent.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markdown_table import Table

from sklearn_reclink import ChoquetLinker, DensityLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.masking import (
    PRAM,
    AdditiveNoise,
    GlobalRecoding,
    LocalSuppression,
    Microaggregation,
    RankSwapping,
)

CATEGORIES = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil"]
AMOUNTS = ["expend", "income", "savings"]
NUMBERS = ["age", *AMOUNTS]
N_RECORDS = 1000
VIEWS = ("separate", "difference", "rank")
COLUMNS = (
    ("masking", 38),
    ("Gower", 5),
    ("weighted mean", 13),
    ("Choquet", 9),
    ("unseen: Gower", 13),
    ("weighted mean", 13),
    ("density", 7),
)


def survey(data_home: str | None) -> pd.DataFrame:
    """The people of the survey, categories as such."""
    home = data_home or os.environ.get("SKLEARN_RECLINK_DATA", "")
    path = Path(home) / "household_survey.csv"
    if not home or not path.exists():
        sys.exit(
            "household_survey.csv is not here: name its folder with --data-home or with the "
            "environment variable SKLEARN_RECLINK_DATA."
        )
    table = pd.read_csv(path).sample(N_RECORDS, random_state=0).reset_index(drop=True)
    table = table[[*CATEGORIES, *NUMBERS]].astype(dict.fromkeys(NUMBERS, float))
    return table.astype(dict.fromkeys(CATEGORIES, str))


def maskings(seed: int = 0) -> dict[str, list[Any]]:
    """Maskers applied one after another."""
    return {
        "PRAM 15 %, noise 10 %": [
            PRAM(p=0.85, columns=CATEGORIES, random_state=seed),
            AdditiveNoise(10.0, columns=NUMBERS, random_state=seed),
        ],
        "PRAM 25 %, rank swapping 10 %": [
            PRAM(p=0.75, columns=CATEGORIES, random_state=seed),
            RankSwapping(10.0, columns=NUMBERS, random_state=seed),
        ],
        "PRAM 20 %, suppression k = 3, noise 20 %": [
            PRAM(p=0.8, columns=CATEGORIES, random_state=seed),
            LocalSuppression(3, columns=["urbrur", "relat", "sex", "hhcivil", "roof"]),
            AdditiveNoise(20.0, columns=NUMBERS, random_state=seed),
        ],
        "invariant PRAM 30 %, microaggregation 10": [
            PRAM(p=0.7, invariant=True, columns=CATEGORIES, random_state=seed),
            Microaggregation(10, columns=NUMBERS),
        ],
        "age bands, suppression, rank swapping 20 %": [
            GlobalRecoding(bands={"age": 5}, labels="mean", columns=["age"]),
            RankSwapping(20.0, columns=AMOUNTS, random_state=seed),
            PRAM(p=0.8, columns=CATEGORIES, random_state=seed),
            LocalSuppression(3, columns=["relat", "sex", "hhcivil", "water"]),
        ],
    }


def masked(table: pd.DataFrame, maskers: list[Any]) -> pd.DataFrame:
    for masker in maskers:
        table = masker.fit_transform(table)
    return table


def bracket(linker: Any) -> str:
    found, bound = linker.n_linked_, linker.bound_
    proven = "" if found == bound else f"..{100 * bound / N_RECORDS:.1f}"
    return f"{100 * found / N_RECORDS:.1f}{proven}"


def unseen(linker: Any, X: pd.DataFrame, Y: pd.DataFrame) -> float:
    """Per cent found of one half of the people by what was learned from the other."""
    order = np.random.default_rng(0).permutation(N_RECORDS)
    known, sought = np.array_split(order, 2)
    linker.fit(X.iloc[known], Y.iloc[known])
    return 100 * float(linker.score(X.iloc[sought], Y.iloc[sought]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Rates on a mixed household survey.")
    parser.add_argument("--quick", action="store_true", help="10 s for each proof")
    parser.add_argument("--time-limit", type=float, help="seconds for each proof")
    parser.add_argument("--data-home", help="the folder of household_survey.csv")
    options = parser.parse_args()
    seconds = options.time_limit or (10.0 if options.quick else 60.0)
    warnings.simplefilter("ignore")
    X = survey(options.data_home)
    search: dict[str, Any] = {"time_limit": seconds, "random_state": 0, "n_jobs": 2}
    search["standardize"] = VIEWS
    table, rates = Table(COLUMNS), []
    table.header()
    for name, maskers in maskings().items():
        Y = masked(X, maskers)
        gower = EuclideanLinker(standardize="gower").fit(X, Y)
        mean = WeightedMeanLinker(**search).fit(X, Y)
        choquet = ChoquetLinker(k_additive=2, **search).fit(X, Y)
        others = [
            unseen(EuclideanLinker(standardize="gower"), X, Y),
            unseen(WeightedMeanLinker(**search), X, Y),
            unseen(DensityLinker(random_state=0), X, Y),
        ]
        rates.append([100 * one.n_linked_ / N_RECORDS for one in (gower, mean)] + others)
        cells = [f"{rates[-1][0]:.1f}", bracket(mean), bracket(choquet)]
        table.row([name, *cells, *(f"{one:.1f}" for one in others)])
    gower_mean, mean_mean, unseen_gower, unseen_mean, density = np.mean(rates, axis=0)
    print(
        f"\nWeighted mean above Gower, on average: {mean_mean - gower_mean:.1f} points, of people "
        f"not learned from {unseen_mean - unseen_gower:.1f}; density above weighted mean "
        f"{density - unseen_mean:.1f}."
    )


if __name__ == "__main__":
    main()
