"""The pool: the whole masked file, among whose records a person is sought.

Where an intruder knows some pairs only, ``y`` holds their masked records and the pool holds
everybody's. The records of ``y`` come first here, so that row i of the original file has its own
masked record in row i; the others are impostors only.
"""

from typing import Any

import numpy as np


class Pool:
    """A whole masked file that scikit-learn does not cut into folds.

    `cross_validate` and `GridSearchCV` cut every array that has as many rows as ``X``. A pool must
    stay whole, so pass it in this wrapper. It then reaches `fit`; scores of a fold are still within
    that fold unless metadata routing passes the pool to `score` too.

    Parameters
    ----------
    records : array-like or dataframe of shape (n_masked, n_features)
        The masked file.

    Examples
    --------
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn_reclink import EuclideanLinker, Pool
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(60, noise=(0.3, 0.3, 0.3), random_state=0)
    >>> found = cross_validate(EuclideanLinker(), X, Y, params={"pool": Pool(Y)}, cv=3,
    ...                        return_estimator=True)
    >>> [len(linker.masked_) for linker in found["estimator"]]
    [60, 60, 60]
    """

    def __init__(self, records: Any) -> None:
        self.records = records


def unwrapped(pool: Any) -> Any:
    """The records of a pool, however they were handed over."""
    return pool.records if isinstance(pool, Pool) else pool


def own_first(masked: np.ndarray, pool: np.ndarray, *, may_be_cut: bool) -> np.ndarray:
    """The records of the pool, those of the masked file first and in its order.

    Parameters
    ----------
    masked : ndarray of shape (n_records, n_features)
        Records that are in the pool, equal ones as often as they occur here.
    pool : ndarray of shape (n_masked, n_features)
    may_be_cut : bool
        Whether the pool may be one fold of the file that was meant.

    Returns
    -------
    ndarray of shape (n_masked, n_features)
    """
    if may_be_cut and np.array_equal(masked, pool, equal_nan=True):
        raise ValueError(
            "pool and y are the same records, row by row. If the pool came through cross_validate "
            "or GridSearchCV, scikit-learn cut it into folds: pass Pool(masked_file) from "
            "sklearn_reclink to keep it whole. Otherwise leave pool out: y is the pool by default"
        )
    both = np.concatenate([masked, pool])
    both[np.isnan(both)] = np.inf  # no file has this value, and it equals itself
    _, kinds = np.unique(both, axis=0, return_inverse=True)
    kinds = kinds.ravel()
    own, others = kinds[: len(masked)], kinds[len(masked) :]
    order = np.argsort(others, kind="stable")
    nth = np.arange(len(others)) - np.searchsorted(others[order], others[order])
    taken = np.bincount(own, minlength=kinds.max() + 1)
    in_pool = np.bincount(others, minlength=kinds.max() + 1)
    missing = np.flatnonzero(taken[own] > in_pool[own])
    if len(missing):
        raise ValueError(
            f"row {missing[0]} of y is not in the pool, or fewer times than in y ({len(missing)} "
            "such rows): the pool is the whole masked file, the records of y among the others. If "
            "it came through cross_validate or GridSearchCV, pass Pool(masked_file)"
        )
    return np.concatenate([masked, pool[np.sort(order[nth >= taken[others[order]]])]])


def read_n_neighbors(n_neighbors: Any, n_masked: int) -> int:
    """Validate how many records of a pool are asked for."""
    if not isinstance(n_neighbors, int | np.integer) or not 1 <= n_neighbors <= n_masked:
        raise ValueError(
            f"n_neighbors is {n_neighbors!r}: it must be an integer from 1 to the {n_masked} "
            "records of the pool"
        )
    return int(n_neighbors)
