"""The refinement of HLMS: exact line searches between capacities.

On the segment from a capacity to any other each record is linked on an interval, so one sweep
finds the best capacity of the segment (`line_search.best_step`): a step of the best length. The
segments go, in turn, to the HLMS step of a record not linked and to a capacity with one value put
at 0 or 1, both after `kernel.move`. They are searched with the impostors met so far; a recount
then adds the impostors that were missed, and keeps the move or takes it back.
"""

import time

import numpy as np

from sklearn_reclink.solvers.hlms import kernel
from sklearn_reclink.solvers.hlms.impostors import Files
from sklearn_reclink.solvers.line_search import MetImpostors, best_step

_NEAREST = 8  # impostors of a record that a recount adds
_HELD = 36  # impostors held of a record, the latest ones
_REACHES = np.array([0.1, 0.5, 2.0])  # rates of the HLMS steps that segments go to
_BETWEEN = 25  # line searches between two recounts


def refine(
    files: Files,
    best: np.ndarray,
    rng: np.random.Generator,
    n_lines: int,
    deadline: float,
    n_sample: int = 5000,
) -> tuple[np.ndarray, bool]:
    """Line searches from a capacity; whether there was time for all of them.

    Parameters
    ----------
    files : Files
    best : ndarray of shape (2**n_features,)
        The capacity to start from.
    rng : numpy.random.Generator
    n_lines : int
        Number of line searches.
    deadline : float
        By `time.monotonic`.
    n_sample : int
        Records at most that are looked at, each among all masked records.
    """
    records = np.sort(rng.permutation(len(files.original))[:n_sample])
    sample = _Sample(files, records[~files.dominated[records]])
    most = sample.count(best)
    for first in range(0, n_lines, _BETWEEN):
        if time.monotonic() >= deadline:
            return best, False
        capacity = sample.search(best, rng.random((min(_BETWEEN, n_lines - first), 2)))
        n_linked = sample.count(capacity)
        if n_linked >= most:
            best, most = capacity, n_linked
    return best, True


class _Sample:
    """Some records, and what the Choquet integral needs of the impostors that they met."""

    def __init__(self, files: Files, records: np.ndarray) -> None:
        n, n_features = len(records), files.original.shape[1]
        self.files, self.records = files, records
        self.met = MetImpostors(n, _HELD)
        self.own = self._expand(records, records)
        self.increments = np.empty((n, _HELD, n_features))
        self.subsets = np.empty((n, _HELD, n_features), dtype=np.int16)

    def _expand(self, records: np.ndarray, impostors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Increments and subsets of some pairs, (n_pairs, n_features)."""
        increments = np.empty((len(records), self.files.original.shape[1]))
        subsets = np.empty(increments.shape, dtype=np.int16)
        kernel.expand_pairs(
            self.files.original, self.files.masked, records, impostors, increments, subsets
        )
        return increments, subsets

    def count(self, capacity: np.ndarray) -> int:
        """How many records a capacity links; their nearest impostors are held."""
        for found in self.files.nearest(capacity, self.records, _NEAREST).T:
            new, place = self.met.add(found)
            pairs = self._expand(self.records[new], found[new])
            self.increments[new, place], self.subsets[new, place] = pairs
        return int(np.count_nonzero((self._margins(capacity, 1.0) > 0).all(axis=1)))

    def _margins(self, capacity: np.ndarray, absent: float) -> np.ndarray:
        """Margins of the impostors held, of a capacity or of a difference of two."""
        values = np.full(self.met.impostors.shape, absent)
        kernel.margins(capacity, self.met.n_held, *self.own, self.increments, self.subsets, values)
        return values

    def search(self, capacity: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """The capacity after one line search for every row of random numbers in [0, 1)."""
        margins = self._margins(capacity, 1.0)
        for t, draw in enumerate(draws):
            linked = (margins > 0).all(axis=1)
            lost = np.flatnonzero(~linked)
            if not len(lost) or len(capacity) == 2:
                break
            if t % 2 == 0:
                s = lost[int(draw[0] * len(lost))]
                wanted = self._away_from_impostors(capacity, s, margins[s] <= 0, draw[1])
            else:
                wanted = capacity.copy()
                wanted[1 + int(draw[0] * (len(capacity) - 2))] = float(draw[1] < 0.5)
            direction = capacity.copy()
            kernel.move(direction, wanted, self.files.by_size)
            direction -= capacity
            slopes = self._margins(direction, 0.0)
            step, most = best_step(margins, slopes, 0.0, 1.0)
            if most >= np.count_nonzero(linked):
                capacity = capacity + step * direction
                kernel.lift(capacity)
                margins = margins + step * slopes
        return capacity

    def _away_from_impostors(
        self, capacity: np.ndarray, s: int, near: np.ndarray, draw: float
    ) -> np.ndarray:
        """The HLMS step of one record, before monotonicity is repaired."""
        gradient, row = np.zeros_like(capacity), np.empty_like(capacity)
        n_steps = 0
        for m in np.flatnonzero(near):
            n_steps += kernel.add_gradient(
                gradient, capacity, kernel.RELATIVE_FLOOR, self.increments[s, m],
                self.subsets[s, m], self.own[0][s], self.own[1][s], row,
            )  # fmt: skip
        reach = _REACHES[int(draw * len(_REACHES))] / max(n_steps, 1)
        return np.asarray(capacity + reach * np.maximum(capacity, kernel.RELATIVE_FLOOR) * gradient)
