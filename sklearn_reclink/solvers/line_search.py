"""Many records: parameters by exact line searches on samples, counted on the whole file.

Where a proof is out of reach, good parameters are not. Along a line ``theta + s u`` record ``i`` is
linked where all its rows are positive, an interval::

    max { -v/w : w > 0 }  <  s  <  min { -v/w : w < 0 },     v = row . theta,  w = row . u

so one sweep over the ends of the intervals finds the best ``s`` of the line (`best_step`). A
sample of records is searched along every coordinate and some random directions, with the nearest
impostors met so far as rows, each among *all* masked records; the new parameters then show the
impostors that were missed. What is best on a sample is counted on the whole file, and the next
sample is twice as large.
"""

import time
from collections.abc import Callable

import numpy as np
from numba import njit

from sklearn_reclink.solvers.problem import Problem

_OTHER_DIRECTIONS = 8  # searched besides the coordinates, relative to the parameters
_FIRST, _LARGEST = 10_000, 100_000  # records of the first sample, and of the largest
_HELD = 24  # impostors held of a record, the latest ones
_MOST_BYTES = 2**29  # that the rows of a sample may take
_FRUITLESS = 3  # samples of the largest size without gain, after which a search without limit ends


@njit(cache=True, nogil=True)
def _linked_between(values, slopes, lowest, highest):  # type: ignore[no-untyped-def]
    """Where the records begin and cease to be linked, of those that are anywhere."""
    n_records, n_rows = values.shape
    starts, ends = np.empty(n_records), np.empty(n_records)
    n = 0
    for i in range(n_records):
        low, high = lowest, highest
        for m in range(n_rows):
            v, w = values[i, m], slopes[i, m]
            if w > 0.0:
                low = max(low, -v / w)
            elif w < 0.0:
                high = min(high, -v / w)
            elif v <= 0.0:
                high = -np.inf
            if low >= high:
                break
        if low < high:
            starts[n], ends[n] = low, high
            n += 1
    return starts[:n], ends[:n]


def best_step(
    values: np.ndarray, slopes: np.ndarray, lowest: float, highest: float
) -> tuple[float, int]:
    """The step at which the most records are linked, and how many are.

    Parameters
    ----------
    values, slopes : array of shape (n_records, n_rows)
        Of the rows, along the line; a row that is not there has value 1 and slope 0.
    lowest, highest : float
        Steps that stay in the cone.

    Returns
    -------
    step : float
        The middle of the widest of the best stretches.
    count : int
    """
    starts, ends = (np.sort(one) for one in _linked_between(values, slopes, lowest, highest))
    if not len(starts):
        return 0.0, 0
    closed = np.searchsorted(ends, starts, side="right")
    counts = np.arange(1, len(starts) + 1) - closed
    best = np.flatnonzero(counts == counts.max())
    after = np.append(starts[1:], np.inf)[best]
    stretches = np.minimum(ends[closed[best]], after) - starts[best]
    widest = stretches.argmax()
    return float(starts[best[widest]] + stretches[widest] / 2), int(counts.max())


class MetImpostors:
    """The impostors that some records met, the latest ones.

    Attributes
    ----------
    impostors : ndarray of int of shape (n_records, held)
        Masked rows; -1 where there is none yet.
    n_held : ndarray of int of shape (n_records,)
        How many there are; they come first.
    """

    def __init__(self, n_records: int, held: int) -> None:
        self.impostors = np.full((n_records, held), -1)
        self.n_held = np.zeros(n_records, dtype=np.int64)
        self._next = np.zeros(n_records, dtype=np.int64)

    def add(self, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hold one more impostor of each record, unless it is held already or is -1.

        Returns
        -------
        new, place : ndarray of int
            Where they are: ``impostors[new, place] == found[new]``. The oldest give way.
        """
        known = (self.impostors == found[:, None]).any(axis=1)
        new = np.flatnonzero(~known & (found >= 0))
        place = self._next[new]
        self.impostors[new, place] = found[new]
        self._next[new] = (place + 1) % self.impostors.shape[1]
        self.n_held[new] = np.maximum(self.n_held[new], place + 1)
        return new, place


class Sample:
    """Some records, and the rows of the impostors that they met.

    Attributes
    ----------
    rows : ndarray of shape (n_parameters, n_records, held)
        Unit rows; zeros where there is none yet.
    """

    def __init__(self, problem: Problem, records: np.ndarray) -> None:
        self.family, self.index, self.records = problem.family, problem.index, records
        self.rows = np.zeros((self.family.n_parameters, len(records), _HELD))
        self.met = MetImpostors(len(records), _HELD)

    def count(self, theta: np.ndarray) -> int:
        """How many records ``theta`` links among all masked records; their impostors are held."""
        impostors, margins = self.index.nearest_impostors(self.family, theta[None], self.records)
        new, place = self.met.add(impostors[0])
        if len(new):
            rows, _ = self.index.rows(self.family, self.records[new], impostors[0][new])
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
            self.rows[:, new, place] = rows.T
        return int(np.count_nonzero(margins[0] > 0))

    def climb(
        self, theta: np.ndarray, rng: np.random.Generator, out_of_time: Callable[[], bool]
    ) -> np.ndarray:
        """Search along lines until none links more, and return the best parameters."""
        best, most = theta, self.count(theta)
        while not out_of_time():
            theta = self._cycle(best, rng, out_of_time)
            count = self.count(theta)
            for _ in range(self.rows.shape[2]):  # the impostors of where it leads
                if count > most or out_of_time():
                    break
                theta = self._cycle(theta, rng, out_of_time)
                count = max(count, self.count(theta))
            if count <= most:
                break
            best, most = theta, count
        return best

    def _cycle(
        self, theta: np.ndarray, rng: np.random.Generator, out_of_time: Callable[[], bool]
    ) -> np.ndarray:
        """Lines along every coordinate and some other directions, by the rows held."""
        cone = self.family.rows
        held = self.met.impostors >= 0
        values = np.where(held, np.tensordot(theta, self.rows, axes=1), 1.0)
        count = int(np.count_nonzero((values > 0).all(axis=1)))
        for k in rng.permutation(len(theta) + _OTHER_DIRECTIONS):
            if out_of_time():
                break
            if k < len(theta):
                direction = np.eye(len(theta))[k]
                slopes = self.rows[k]
            else:
                direction = rng.normal(size=len(theta)) * np.maximum(np.abs(theta), 1e-3)
                slopes = np.tensordot(direction, self.rows, axes=1)
            lowest, highest = _limits(cone @ theta, cone @ direction)
            reach = 10 * np.abs(theta).max() / np.abs(direction).max()
            step, most = best_step(values, slopes, max(lowest, -reach), min(highest, reach))
            if most > count:
                theta = theta + step * direction
                values = values + step * slopes
                count = most
        return theta


def _limits(values: np.ndarray, slopes: np.ndarray) -> tuple[float, float]:
    """Steps between which ``values + s slopes >= 0``."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = -values / slopes
    low = ends[slopes > 0].max(initial=-np.inf)
    high = ends[slopes < 0].min(initial=np.inf)
    return min(float(low), 0.0), max(float(high), 0.0)


def search_samples(
    problem: Problem,
    open_records: np.ndarray,
    theta: np.ndarray,
    offer: Callable[[np.ndarray], bool],
    *,
    deadline: float,
    rng: np.random.Generator,
) -> None:
    """Offer better and better parameters until the deadline, or until no sample shows any.

    Parameters
    ----------
    problem : Problem
    open_records : ndarray of int
        Records that some parameters may link.
    theta : ndarray of shape (n_parameters,)
        Where to start.
    offer : callable
        Takes parameters if they link more records of the whole file, and says whether it did.
    deadline : float
        By `time.monotonic`; a last candidate is offered at that moment.
    rng : numpy.random.Generator
    """
    size, fruitless = _FIRST, 0
    most = _MOST_BYTES // (8 * _HELD * problem.family.n_parameters)
    most = min(max(most, _FIRST), _LARGEST, len(open_records))

    def out_of_time() -> bool:
        return time.monotonic() >= deadline

    while fruitless < _FRUITLESS and not out_of_time():
        size = min(size, most)
        sample = Sample(problem, np.sort(rng.choice(open_records, size, replace=False)))
        found = problem.family.repair(sample.climb(theta, rng, out_of_time))
        gained = offer(found)
        if gained:
            theta = found
        fruitless = 0 if gained else fruitless + (size == most)
        size *= 2
