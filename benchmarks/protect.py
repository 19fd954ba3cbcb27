"""Releases within 5 % beside the best single microaggregation, and a recount of their risk.

Three files: light and heavy tails, and one with a key, a number that differs for everybody. For
each, `MaskingSearch` chooses a release. The *rival* is microaggregation of all variables in one
group, standardised, with the k of least loss for which no attacker finds more than the target, k
tried one by one. The recount gives every attacker of an audit another seed and its own time.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from markdown_table import Table

from sklearn_reclink import audit
from sklearn_reclink.auditing import MaskingSearch
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation
from sklearn_reclink.metrics import information_loss

COLUMNS = [
    ("file", 6),
    ("masking chosen", 34),
    ("loss", 6),
    ("rival k", 7),
    ("rival loss", 6),
    ("recount", 8),
    ("by", 13),
    ("proven", 8),
    ("seconds", 7),
    ("CPU s", 6),
]
CHEAP = ["euclidean", "mahalanobis", "probabilistic", "density"]
LEARNED = ["weighted_mean", "choquet", "bilinear", "hlms"]


def files(n_records: int, seed: int) -> dict[str, np.ndarray]:
    """The three files."""
    rng = np.random.default_rng(seed)
    others = make_microdata(n_records, 5, random_state=seed + 2)
    return {
        "light": make_microdata(n_records, 6, random_state=seed),
        "heavy": make_microdata(n_records, 6, tail="heavy", random_state=seed + 1),
        "key": np.column_stack([others, 100_000 + rng.permutation(n_records)]),
    }


def best_microaggregation(X: np.ndarray, target: float) -> tuple[int, float]:
    """The k of least loss at which cheap attackers find no more than the target, and its loss.

    Fewer attackers than in an audit make the rival weaker in risk, so stronger in loss.
    """
    for k in range(2, len(X) // 2):
        Y = Microaggregation(k=k, standardize=True).fit_transform(X)
        if len(np.unique(Y, axis=0)) > 4 * target * len(X):
            continue  # groups so small that guesses in them are right far more often
        found = audit(X, Y, attackers=CHEAP, time_limit=10, aligned="unchecked")
        if found.risk <= target:
            losses = {
                size: information_loss(
                    X, Microaggregation(k=size, standardize=True).fit_transform(X)
                )
                for size in range(k, 3 * k)
            }
            best = min(losses, key=losses.__getitem__)
            return best, losses[best]
    raise ValueError("no k is within the target")


def recount(X: np.ndarray, Y: np.ndarray, seconds: float) -> tuple[float, str]:
    """The largest risk that any attacker finds by itself, and its name."""
    found = {
        name: audit(
            X, Y, attackers=[name], time_limit=seconds, random_state=7, aligned="unchecked"
        ).risk
        for name in CHEAP + LEARNED
    }
    strongest = max(found, key=found.__getitem__)
    return found[strongest], strongest


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-records", type=int, default=1000)
    parser.add_argument("--target", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0, help="of the files")
    parser.add_argument("--time-limit", type=float, default=240.0, help="of each search")
    parser.add_argument("--recount-limit", type=float, default=12.0, help="of each attacker")
    parser.add_argument("--files", nargs="*", default=["light", "heavy", "key"])
    parser.add_argument("--proven", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=None)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    table = Table(COLUMNS)
    table.header()
    for name, X in files(asked.n_records, asked.seed).items():
        if name not in asked.files:
            continue
        begin, cpu = time.perf_counter(), time.process_time()
        search = MaskingSearch(
            asked.target, proven=asked.proven, time_limit=asked.time_limit, n_jobs=asked.n_jobs
        ).fit(X)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
        risk, strongest = recount(X, search.masked_, asked.recount_limit)
        k, rival = best_microaggregation(X, asked.target)
        chosen = search.protection_
        table.row(
            [
                name,
                chosen.chosen.name + ("" if search.feasible_ else " (above)"),
                f"{search.information_loss_:.3f}",
                k,
                f"{rival:.3f}",
                f"{risk:.1%}",
                strongest,
                f"{search.bound_:.1%}" if chosen.is_proven else "no",
                f"{seconds:.0f}",
                f"{cpu:.0f}",
            ]
        )


if __name__ == "__main__":
    main()
