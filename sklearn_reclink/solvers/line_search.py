"""Many records: parameters by line searches on samples, counted on the whole file.

Beyond a few thousand records a proof is out of reach, and the bound is what presolve knows. Good
parameters are not. Along a line ``theta + s u`` record ``i`` is linked where all its rows are
positive, an interval::

    max { -v/w : w > 0 }  <  s  <  min { -v/w : w < 0 },     v = row . theta,  w = row . u

so one sweep over the ends of the intervals finds the best ``s`` of the line. A sample of records
is searched along every coordinate and some random directions, with the nearest impostors met so
far as rows, each among *all* masked records; the new parameters then show the impostors that were
missed. What is best on a sample is counted on the whole file, and the next sample is twice as
large.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numba import njit

from sklearn_reclink.solvers.problem import LinkageProblem

_SAMPLE = 10_000  # records of the first sample
_LARGEST = 100_000
_HELD = 24  # impostors held of a record, the latest ones
_OTHER_DIRECTIONS = 8  # searched beside the coordinates, relative to the parameters
_BYTES = 2**29  # that the rows of a sample may take
_FRUITLESS = 3  # samples of the largest size without gain, after which a search without limit ends


@njit(cache=True, nogil=True)
def best_step(values, slopes, lowest, highest):  # type: ignore[no-untyped-def]
    """The step at which the most records are linked, and how many are.

    Parameters
    ----------
    values, slopes : array of shape (n_records, n_rows)
        Of the rows, along the line; a row that is not there has value 1 and slope 0.
    lowest, highest : float
        Steps that stay in the domain.

    Returns
    -------
    step : float
        The middle of the widest of the best stretches.
    count : int
    """
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
                break
        if low < high:
            starts[n], ends[n] = low, high
            n += 1
    starts, ends = np.sort(starts[:n]), np.sort(ends[:n])
    step, most, width, count, closed = 0.0, -1, -1.0, 0, 0
    for m in range(n):
        while ends[closed] <= starts[m]:
            closed += 1
        count = m + 1 - closed
        stretch = ends[closed]
        if m + 1 < n:
            stretch = min(stretch, starts[m + 1])
        stretch -= starts[m]
        if count > most or (count == most and stretch > width):
            most, width, step = count, stretch, starts[m] + stretch / 2
    return step, max(most, 0)


class Sample:
    """Some records, and the rows of the impostors that they met.

    Attributes
    ----------
    rows : ndarray of shape (n_parameters, n_records, n_held)
        Unit rows; where there is none yet, zeros.
    """

    def __init__(self, problem: LinkageProblem, records: np.ndarray) -> None:
        self.problem, self.records = problem, records
        self.rows = np.zeros((problem.n_parameters, len(records), _HELD))
        self._impostors = np.full((len(records), _HELD), -1)
        self._next = np.zeros(len(records), dtype=np.int64)

    def count(self, theta: np.ndarray) -> int:
        """How many records ``theta`` links among all masked records; their impostors are held."""
        impostors, margins = self.problem.nearest_impostors(theta[None], self.records)
        new = np.flatnonzero((self._impostors != impostors[0][:, None]).all(axis=1))
        if len(new):
            found = impostors[0][new]
            rows, _ = self.problem.rows(self.records[new], found)
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
            place = self._next[new] % _HELD
            self.rows[:, new, place] = rows.T
            self._impostors[new, place] = found
            self._next[new] += 1
        return int(np.count_nonzero(margins[0] > 0))

    def climb(
        self, theta: np.ndarray, rng: np.random.Generator, out_of_time: Callable[[], bool]
    ) -> np.ndarray:
        """Search along lines until none links more, and return the best parameters."""
        best, most = theta, self.count(theta)
        while not out_of_time():
            theta = self._cycle(best, rng, out_of_time)
            count = self.count(theta)
            for _ in range(_HELD):  # the impostors of where it leads
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
        domain = self.problem.domain
        held = self._impostors >= 0
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
            lowest, highest = _limits(domain.rows @ theta, domain.rows @ direction)
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


def search_lines(
    problem: LinkageProblem,
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
    problem : LinkageProblem
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
    size, fruitless = _SAMPLE, 0
    most = min(_LARGEST, max(_SAMPLE, _BYTES // (8 * _HELD * problem.n_parameters)))

    def out_of_time() -> bool:
        return time.monotonic() >= deadline

    while fruitless < _FRUITLESS and not out_of_time():
        size = min(size, most, len(open_records))
        sample = Sample(problem, np.sort(rng.choice(open_records, size, replace=False)))
        found = problem.domain.repair(sample.climb(theta, rng, out_of_time))
        gained = offer(found)
        if gained:
            theta = found
        fruitless = 0 if gained else fruitless + (size == min(most, len(open_records)))
        size *= 2
