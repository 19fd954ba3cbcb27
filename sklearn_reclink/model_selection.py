"""Does an attack carry over to records it has not seen? Rates that can be compared.

A linker learns from the pairs of some known records and then looks for the others. A record is
easier to find among fewer masked records, so the rates of a training part and of a larger test
part differ even if nothing was learned. All rates here are measured in *pools* of one size:

==================  ============================================================================
``score_pool``      where a record is sought
==================  ============================================================================
``"own"``           among the masked records of its own part, both parts cut to ``pool_size``
``"seen"``          among all masked records, as by an intruder who sees the whole release
==================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink._sklearn_compat import num_samples, safe_indexing

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LinkageStudy", "train_test_linkage"]

# A linker, the rows that it learns from, and the rows that are sought, part by part.
Case = tuple[Any, np.ndarray, tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class LinkageStudy:
    """Rates of known and of other records over several splits.

    Attributes
    ----------
    train_rates, test_rates : ndarray of shape (n_splits,)
        Share of the known and of the other records re-identified.
    n_train, n_test : int
        Number of known pairs learned from, and of other records.
    pool_size : int
        Number of masked records in which every record was sought.
    score_pool : str
        Which masked records those are.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.model_selection import LinkageStudy
    >>> study = LinkageStudy(np.array([0.75, 0.5]), np.array([0.5, 0.5]), 40, 60, 40, "own")
    >>> study.overfitting
    0.125
    """

    train_rates: np.ndarray
    test_rates: np.ndarray
    n_train: int
    n_test: int
    pool_size: int
    score_pool: str

    @property
    def overfitting(self) -> float:
        """By how much the mean rate of the known records exceeds that of the others."""
        return float(self.train_rates.mean() - self.test_rates.mean())

    def to_frame(self) -> pd.DataFrame:
        """One row per split, as a pandas DataFrame."""
        import pandas as pd

        rates = {"train_rate": self.train_rates, "test_rate": self.test_rates}
        sizes = {name: getattr(self, name) for name in ("n_train", "n_test", "pool_size")}
        return pd.DataFrame(rates | sizes)


def train_test_linkage(
    linker: Any,
    X: Any,
    y: Any,
    *,
    train_size: int | float = 200,
    score_pool: str = "own",
    pool_size: int | None = None,
    n_splits: int = 5,
    fit_params: Mapping[str, Any] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> LinkageStudy:
    """Learn from some records and link the others, in pools of the same size.

    Parameters
    ----------
    linker : linker
        Need not be fitted; a clone is fitted to the known pairs of each split.
    X, y : array-like or dataframe of shape (n_records, n_features)
        Original file and its masked version, aligned.
    train_size : int or float, default=200
        Number of known pairs, or their share of the file.
    score_pool : {"own", "seen"}, default="own"
        Where a record is sought: among masked records of its own part, or among all of them.
    pool_size : int or None, default=None
        Records in each pool of ``"own"``, drawn at random from a larger part; by default the size
        of the smaller part.
    n_splits : int, default=5
        How often the known pairs are drawn.
    fit_params : mapping or None, default=None
        Passed on to ``linker.fit``.
    random_state, n_jobs : int, RandomState instance or None, default=None
        Draws the known pairs and the pools; number of joblib workers, one split each.

    Returns
    -------
    LinkageStudy

    Examples
    --------
    >>> from sklearn_reclink import WeightedMeanLinker
    >>> from sklearn_reclink.datasets import make_microdata
    >>> from sklearn_reclink.masking import AdditiveNoise
    >>> from sklearn_reclink.model_selection import train_test_linkage
    >>> X = make_microdata(300, 4, random_state=0)
    >>> Y = AdditiveNoise(p=50, random_state=0).fit_transform(X)
    >>> study = train_test_linkage(WeightedMeanLinker(), X, Y, train_size=40, random_state=0)
    >>> study.overfitting > 0.1
    True
    """
    n_train, n_test, size = _sizes(num_samples(X), train_size, score_pool, pool_size)
    if n_splits < 1:
        raise ValueError(f"n_splits is {n_splits}: at least 1 is needed")
    rng = check_random_state(random_state)
    splits = [np.split(rng.permutation(num_samples(X)), [n_train]) for _ in range(n_splits)]
    cases = [(linker, train, (train[:size], test[:size])) for train, test in splits]
    options = {"own_pools": score_pool == "own", "fit_params": fit_params}
    train_rates, test_rates = held_out_rates(cases, X, y, n_jobs=n_jobs, **options).T
    return LinkageStudy(train_rates, test_rates, n_train, n_test, size, score_pool)


def held_out_rates(
    cases: Sequence[Case], X: Any, y: Any, *, n_jobs: int | None = None, **options: Any
) -> np.ndarray:
    """Share of each part that a linker finds, (n_cases, n_parts).

    Parameters
    ----------
    cases : sequence of tuple
        A linker, the rows that it learns from, and the parts, as in `held_out_search`.
    X, y : array-like or dataframe of shape (n_records, n_features)
        Original file and its masked version, aligned.
    n_jobs : int or None, default=None
        Number of joblib workers, one case each.
    **options
        Passed to `held_out_search`.

    Returns
    -------
    ndarray of shape (n_cases, n_parts)
    """
    found = Parallel(n_jobs=n_jobs)(
        delayed(held_out_search)(linker, X, y, train, parts, **options)
        for linker, train, parts in cases
    )
    return np.array([[part.reidentified.mean() for part in one] for one in found])


@dataclass(frozen=True)
class SoughtPart:
    """Records that were sought: who is re-identified, and the chances if ties are guessed."""

    reidentified: np.ndarray
    chance: np.ndarray


def held_out_search(
    linker: Any,
    X: Any,
    y: Any,
    train: np.ndarray,
    parts: tuple[np.ndarray, ...],
    *,
    own_pools: bool = False,
    link_all: bool = True,
    pool: Any = None,
    fit_params: Mapping[str, Any] | None = None,
) -> list[SoughtPart]:
    """Fit a clone of a linker to some records, and let it look for those of each part.

    Parameters
    ----------
    linker : linker
        Need not be fitted.
    X, y : array-like or dataframe of shape (n_records, n_features)
        Original file and its masked version, aligned.
    train : ndarray of int
        Rows to learn from.
    parts : tuple of ndarray of int
        Rows of the records that are sought, part by part.
    own_pools : bool, default=False
        Whether each part is its own pool; by default all masked records are the pool.
    link_all : bool, default=True
        Whether all original records are linked at once, as the rules that compare records with
        each other require. Otherwise only those sought are linked, which takes less time.
    pool : array-like, dataframe or Pool, default=None
        The whole masked file, if it holds more than ``y``.
    fit_params : mapping or None, default=None
        Passed on to ``linker.fit``.

    Returns
    -------
    list of SoughtPart
    """
    known = safe_indexing(X, train), safe_indexing(y, train)
    fitted = clone(linker).fit(*known, **(fit_params or {}))
    if link_all and not own_pools:
        found = fitted.link(X, y, pool=pool)
        return [SoughtPart(found.reidentified[rows], found.chance[rows]) for rows in parts]
    pool = None if own_pools else y if pool is None else pool
    files = [(safe_indexing(X, rows), safe_indexing(y, rows)) for rows in parts]
    links = [fitted.link(*pair, pool=pool) for pair in files]
    return [SoughtPart(part.reidentified, part.chance) for part in links]


def _sizes(
    n_records: int, train_size: int | float, score_pool: str, pool_size: int | None
) -> tuple[int, int, int]:
    """Number of known and of other records, and of masked records in a pool."""
    n_train = round(train_size * n_records) if 0 < train_size < 1 else int(train_size)
    n_test = n_records - n_train
    smaller = min(n_train, n_test)
    if smaller < 2:
        raise ValueError(
            f"train_size is {train_size}: of {n_records} records at least 2 must be known and 2 "
            "others left to link"
        )
    if score_pool not in ("own", "seen"):
        raise ValueError(f'score_pool is {score_pool!r}: it must be "own" or "seen"')
    if score_pool == "own":
        size = smaller if pool_size is None else int(pool_size)
        if not 2 <= size <= smaller:
            raise ValueError(
                f"pool_size is {size}: it must be from 2 to {smaller}, the smaller of the "
                f"{n_train} known and the {n_test} other records"
            )
    elif pool_size is not None:
        raise ValueError('pool_size requires score_pool="own": "seen" is the whole file')
    else:
        size = n_records
    return n_train, n_test, size
