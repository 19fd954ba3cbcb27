"""The questions put to two files: who is linked, to whom, and who comes next."""

from __future__ import annotations

import sys

import numpy as np

from sklearn_reclink.families import Distance
from sklearn_reclink.search.all_pairs import AllPairs
from sklearn_reclink.search.batches import ask_all
from sklearn_reclink.search.links import Links
from sklearn_reclink.search.tree_search import Treed

# Pairs of records that brute force compares sooner than the trees are loaded and one is built,
# and sooner than one is built.
FEW_PAIRS = 1_000_000
FEW_PAIRS_ONCE_LOADED = 20_000


def few_pairs() -> int:
    """Pairs up to which brute force is quicker."""
    return FEW_PAIRS_ONCE_LOADED if "sklearn_reclink.search.tree" in sys.modules else FEW_PAIRS


def engine_for(
    distance: Distance, theta: np.ndarray, original: np.ndarray, masked: np.ndarray
) -> AllPairs | Treed:
    """The quicker of the two ways to the same answers."""
    if len(original) * len(masked) > few_pairs():
        aggregation = distance.aggregation(theta, original.shape[1])
        if aggregation is not None:
            return Treed.plant(distance, theta, aggregation, original, masked)
    return AllPairs(distance, theta, original, masked)


def linked_mask(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> np.ndarray:
    """Whether each record is re-identified, row i of both files being the same person.

    Returns
    -------
    ndarray of bool of shape (n_records,)
    """
    engine = engine_for(distance, theta, original, masked)
    return ask_all(engine, "linked", n_jobs=n_jobs, verbose=verbose)[0]


def link(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Links:
    """Link every record and compare with its own, row i of both files being the same person."""
    engine = engine_for(distance, theta, original, masked)
    return Links(*ask_all(engine, "link", n_jobs=n_jobs, verbose=verbose))


def nearest(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> np.ndarray:
    """Row of the nearest masked record of every original record, the lowest among ties.

    Returns
    -------
    ndarray of int of shape (n_records,)
    """
    engine = engine_for(distance, theta, original, masked)
    return ask_all(engine, "nearest", n_jobs=n_jobs, verbose=verbose)[0]


def k_nearest(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    n_neighbors: int,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest masked records of every original record, nearest first.

    Candidates tied with the first of them not yet ranked come in the order of their rows, so
    the first neighbour is the link of `nearest`.

    Returns
    -------
    values : ndarray of shape (n_records, n_neighbors)
        Squared distances.
    rows : ndarray of int of shape (n_records, n_neighbors)
    """
    engine = engine_for(distance, theta, original, masked)
    values, rows = ask_all(
        engine, "k_nearest", n_jobs=n_jobs, verbose=verbose, n_neighbors=n_neighbors
    )
    return values, rows
