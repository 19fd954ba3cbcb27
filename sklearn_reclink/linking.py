"""Exact search of the nearest masked record, with ties, at any number of records.

Coordinates are standardised, ``diff = original_i - masked_j``. For record ``i``::

    nearest      min_j d_ij
    tied         the candidates j that the nearest is not strictly nearer than (rule of `ties`)
    link         the lowest row among the tied
    linked       d_ii is strictly less than d_ij for every j != i

All pairs are compared, in chunks of records: ``N^2`` distances are never held. A value never
depends on the chunk it was computed in (see `distances.base`), so no answer depends on the size
of the chunks or on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.distances import Distance
from sklearn_reclink.ties import strictly_nearer

if TYPE_CHECKING:
    import pandas as pd

# Bytes that the temporaries of one chunk may take.
CHUNK_BYTES = 2**25


@dataclass(frozen=True)
class Links:
    """What an intruder finds for every original record.

    Attributes
    ----------
    links : ndarray of shape (n_records,)
        Row of the nearest masked record, the lowest one among ties.
    distance : ndarray of shape (n_records,)
        Squared distance to the nearest masked record.
    own_distance : ndarray of shape (n_records,)
        Squared distance to the record's own masked version.
    runner_up : ndarray of shape (n_records,)
        Squared distance to the nearest masked record that is not the own one.
    n_tied : ndarray of shape (n_records,)
        Number of masked records tied as nearest, 1 where there is no tie.
    reidentified : ndarray of bool of shape (n_records,)
        Whether the own record is strictly nearer than every other.
    own_tied : ndarray of bool of shape (n_records,)
        Whether the own record is among those tied as nearest.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> Y = np.array([[0.0], [1.5], [1.5], [9.0]])  # the middle two were averaged
    >>> found = EuclideanLinker().fit(X, Y).link(X, Y)
    >>> found.reidentified
    array([ True, False, False,  True])
    >>> found.rate, found.expected_rate
    (0.5, 0.75)
    """

    links: np.ndarray
    distance: np.ndarray
    own_distance: np.ndarray
    runner_up: np.ndarray
    n_tied: np.ndarray
    reidentified: np.ndarray
    own_tied: np.ndarray

    @property
    def n_linked(self) -> int:
        """Number of re-identified records."""
        return int(np.count_nonzero(self.reidentified))

    @property
    def rate(self) -> float:
        """Share of records re-identified; a tie is no re-identification."""
        return self.n_linked / len(self.links)

    @property
    def expected_rate(self) -> float:
        """Rate expected of an intruder who picks at random among the tied nearest records."""
        return float(np.mean(self.own_tied / self.n_tied))

    def to_frame(self) -> pd.DataFrame:
        """One row a record, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(
            {
                "link": self.links,
                "distance": self.distance,
                "own_distance": self.own_distance,
                "runner_up": self.runner_up,
                "n_tied": self.n_tied,
                "reidentified": self.reidentified,
            }
        )


def linked_mask(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Whether each record is re-identified, row i of both files being the same person.

    Returns
    -------
    ndarray of bool of shape (n_records,)
    """

    def linked(start: int, values: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
        rows = np.arange(len(values))
        own = start + rows
        nearer = strictly_nearer(
            values[rows, own][:, None], magnitudes[rows, own][:, None], values, magnitudes
        )
        nearer[rows, own] = True
        return np.asarray(nearer.all(axis=1))

    return _by_chunks(linked, distance, theta, original, masked, n_jobs)[0]


def link(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
) -> Links:
    """Link every record and compare with its own, row i of both files being the same person."""

    def compare(start: int, values: np.ndarray, magnitudes: np.ndarray) -> tuple[Any, ...]:
        rows = np.arange(len(values))
        own = start + rows
        tied, nearest = _tied(values, magnitudes)
        own_values = values[rows, own]
        own_tied = tied[rows, own]
        n_tied = np.count_nonzero(tied, axis=1)
        nearer = strictly_nearer(
            own_values[:, None], magnitudes[rows, own][:, None], values, magnitudes
        )
        nearer[rows, own] = True
        others = values.copy() if magnitudes is values else values
        others[rows, own] = np.inf
        return (
            tied.argmax(axis=1),
            nearest,
            own_values,
            others.min(axis=1),
            n_tied,
            nearer.all(axis=1),
            own_tied,
        )

    return Links(*_by_chunks(compare, distance, theta, original, masked, n_jobs))


def nearest(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    *,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Row of the nearest masked record of every original record, the lowest among ties.

    Returns
    -------
    ndarray of int of shape (n_records,)
    """

    def first_tied(_: int, values: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
        return _tied(values, magnitudes)[0].argmax(axis=1)

    return _by_chunks(first_tied, distance, theta, original, masked, n_jobs)[0]


def k_nearest(
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    n_neighbors: int,
    *,
    n_jobs: int | None = None,
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

    def rank(_: int, values: np.ndarray, magnitudes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.empty((len(values), n_neighbors), dtype=np.intp)
        for i, (value, magnitude) in enumerate(zip(values, magnitudes, strict=True)):
            rows[i] = _rank_one(value, magnitude, n_neighbors)
        return np.take_along_axis(values, rows, axis=1), rows

    found = _by_chunks(rank, distance, theta, original, masked, n_jobs)
    return found[0], found[1]


def _tied(values: np.ndarray, magnitudes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which candidates (n_records, n_masked) are tied with the nearest, and its distance."""
    best = values.argmin(axis=1)[:, None]
    nearest = np.take_along_axis(values, best, axis=1)
    magnitude = np.take_along_axis(magnitudes, best, axis=1)
    tied = ~strictly_nearer(nearest, magnitude, values, magnitudes)
    return tied, nearest[:, 0]


def _rank_one(value: np.ndarray, magnitude: np.ndarray, n_neighbors: int) -> np.ndarray:
    last = np.argpartition(value, n_neighbors - 1)[n_neighbors - 1]
    candidates = np.flatnonzero(~strictly_nearer(value[last], magnitude[last], value, magnitude))
    candidates = candidates[np.argsort(value[candidates], kind="stable")]
    ranked: list[int] = []
    while len(ranked) < n_neighbors:
        leader = candidates[0]
        tied = ~strictly_nearer(
            value[leader], magnitude[leader], value[candidates], magnitude[candidates]
        )
        ranked.extend(np.sort(candidates[tied]))
        candidates = candidates[~tied]
    return np.array(ranked[:n_neighbors], dtype=np.intp)


def _by_chunks(
    task: Callable[[int, np.ndarray, np.ndarray], Any],
    distance: Distance,
    theta: np.ndarray,
    original: np.ndarray,
    masked: np.ndarray,
    n_jobs: int | None,
) -> tuple[np.ndarray, ...]:
    """Run a task on the distances of each chunk of records and join its answers."""
    n_records, n_features = original.shape
    # differences, a term, values, magnitudes and what a task makes of them
    row_bytes = 8 * (n_features + 6) * len(masked)
    size = max(1, CHUNK_BYTES // row_bytes)
    columns = np.ascontiguousarray(masked.T)  # (n_features, n_masked)

    def run(start: int) -> tuple[np.ndarray, ...]:
        chunk = original[start : start + size].T  # (n_features, n_chunk)
        differences = chunk[:, :, None] - columns[:, None, :]
        values, magnitudes = distance.evaluate(theta, np.moveaxis(differences, 0, -1))
        del differences
        answer = task(start, values, magnitudes)
        return answer if isinstance(answer, tuple) else (answer,)

    starts = range(0, n_records, size)
    if len(starts) == 1:  # not worth a worker
        return run(0)
    answers = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(run)(start) for start in starts)
    return tuple(np.concatenate(parts) for parts in zip(*answers, strict=True))
