"""Which impostor threatens a record most, for given parameters?

The oracle works with the few rows that mattered so far and asks here for the ones it lacks.
Where presolve left all rows of the open records (`AllRows`), they are held and multiplied by
``theta`` at once; else (`NearestImpostors`) the distances of the problem find the nearest.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.presolve import Presolved
from sklearn_reclink.solvers.problem import LinkageProblem


class Threats(Protocol):
    """Finds rows that parameters violate."""

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each record the impostor of least margin, and that margin: at most 0 for a tie.

        ``theta`` are several parameters, (n_thetas, n_parameters); both answers are of shape
        (n_thetas, n_records).
        """

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same of one ``theta``, (n_records,), with the margins of unit rows."""


class AllRows:
    """Unit rows of all open records, in the order of their records."""

    def __init__(self, problem: LinkageProblem, presolved: Presolved) -> None:
        rows, magnitudes = problem.rows(presolved.records, presolved.impostors)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1.0
        self.rows, self.magnitudes = rows / norms, magnitudes / norms
        self.owners, self.impostors = presolved.records, presolved.impostors
        self._first = np.zeros(problem.n_records + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.owners, minlength=problem.n_records), out=self._first[1:])

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first = self._first[records]
        sizes = self._first[records + 1] - first
        start = np.cumsum(sizes) - sizes
        chosen = np.arange(sizes.sum()) + np.repeat(first - start, sizes)
        if 4 * len(chosen) > len(self.rows):  # multiplying all rows is quicker than copying most
            margins = (self.rows @ theta.T)[chosen].T
        else:
            margins = theta @ self.rows[chosen].T
        least = np.minimum.reduceat(margins, start, axis=1)
        where = np.empty(least.shape, dtype=np.int64)
        for values, smallest, found in zip(margins, least, where, strict=True):
            hits = np.flatnonzero(values == np.repeat(smallest, sizes))
            found[:] = chosen[hits[np.searchsorted(hits, start)]]
        which, place = np.nonzero(np.abs(least) <= 1e-9 * np.linalg.norm(theta, axis=1)[:, None])
        magnitudes = self.magnitudes[where[which, place]]
        least[which, place] -= TIE_TOLERANCE * np.sum(magnitudes * np.abs(theta[which]), axis=1)
        return self.impostors[where], least

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        impostors, margins = self.worst(theta[None], records)
        return impostors[0], margins[0]


class NearestImpostors:
    """Distances of the problem, when rows are too many to hold."""

    def __init__(self, problem: LinkageProblem) -> None:
        self._problem = problem

    def worst(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._problem.nearest_impostors(theta, records)

    def narrowest(self, theta: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        impostors, margins = np.empty(len(records), dtype=np.int64), np.empty(len(records))
        every = np.arange(self._problem.n_masked)
        for place, record in enumerate(records):
            others = every[every != record]
            rows, _ = self._problem.rows(np.full(len(others), record), others)
            unit = rows @ theta / np.maximum(np.linalg.norm(rows, axis=1), np.finfo(float).tiny)
            impostors[place] = others[np.argmin(unit)]
            margins[place] = unit.min()
        return impostors, margins
