"""When is one record strictly nearer than another?

A record is re-identified only when its own masked record is *strictly* nearer than every
impostor. In floating point that needs a rule, and counting and proving must share it, or a
proof ends below a recount. With the magnitude ``D`` of a distance ``d``, the rule of this library
is::

    b_i is strictly nearer than b_j   iff   d_ij - d_ii > TIE_TOLERANCE * (D_ij + D_ii)

so two distances whose difference is within twelve digits of their magnitudes are tied. Where
``theta`` and ``phi`` are not negative, ``D = d``. A bilinear form is computed in twice the
precision where its terms cancel, and ``D = |d|``, or ``2**-48`` of the sum of its terms if that is
more. For k-additive capacities ``D = |theta| . |phi|``. Rounding moves ``d`` by far less than the
rule allows: a tie of real numbers is a tie here, whatever the order of summation, and every strict
comparison here is strict for the real numbers too.

The rule is linear in ``theta`` where no distance is negative, which is what lets a proof use it:
see `solvers.farkas`.

*Order of candidates.* Repeat: the nearest candidate not yet ranked, the lowest row among equals,
leads; it and all that it is not strictly nearer than come next, in the order of their rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

TIE_TOLERANCE = 1e-12
BOX_TOLERANCE = 0.5 * TIE_TOLERANCE


def strictly_nearer(own: Any, own_magnitude: Any, other: Any, other_magnitude: Any) -> np.ndarray:
    """Whether the own record is strictly nearer than the other, elementwise."""
    return np.asarray(other - own > TIE_TOLERANCE * (other_magnitude + own_magnitude))


def margin(own: Any, own_magnitude: Any, other: Any, other_magnitude: Any) -> np.ndarray:
    """How much farther the other is than the own record, less what counts as a tie."""
    return np.asarray(other - own - TIE_TOLERANCE * (other_magnitude + own_magnitude))


def at_most_as_far(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whether the other is at most as far as the own record in a variable, or tied with it.

    With half the tolerance, so that rounding cannot part this answer from a recount.
    """
    return np.asarray(other - own <= BOX_TOLERANCE * (other + own))


def linked(own: np.ndarray, values: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
    """Whether each record's own candidate is strictly nearer than all others.

    Parameters
    ----------
    own : ndarray of int of shape (n_records,)
        The column of each record's own candidate.
    values, magnitudes : ndarray of shape (n_records, n_candidates)

    Returns
    -------
    ndarray of bool of shape (n_records,)
    """
    here = np.arange(len(own))
    nearer = strictly_nearer(
        values[here, own, None], magnitudes[here, own, None], values, magnitudes
    )
    nearer[here, own] = True
    return np.asarray(nearer.all(axis=1))


def tied_with_nearest(values: np.ndarray, magnitudes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which candidates (n_records, n_candidates) are tied with the nearest, and its distance."""
    best = values.argmin(axis=1)[:, None]
    nearest = np.take_along_axis(values, best, axis=1)
    magnitude = np.take_along_axis(magnitudes, best, axis=1)
    return ~strictly_nearer(nearest, magnitude, values, magnitudes), nearest[:, 0]


def compared(own: np.ndarray, values: np.ndarray, magnitudes: np.ndarray) -> tuple[np.ndarray, ...]:
    """The fields of `Links`, of candidates as in `linked`; ``values`` are changed."""
    tied, nearest = tied_with_nearest(values, magnitudes)
    here, reidentified = np.arange(len(own)), linked(own, values, magnitudes)
    own_values, own_tied = values[here, own], tied[here, own]
    values[here, own] = np.inf
    runner_up, n_tied = values.min(axis=1), np.count_nonzero(tied, axis=1)
    return tied.argmax(axis=1), nearest, own_values, runner_up, n_tied, reidentified, own_tied


def rank(
    values: np.ndarray, magnitudes: np.ndarray, rows: np.ndarray, n_neighbors: int
) -> np.ndarray:
    """Positions of the first candidates of one record, in their order, (n_neighbors,).

    ``values``, ``magnitudes`` and ``rows`` are those of the candidates, (n_candidates,).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.search.ties import rank
    >>> values = np.array([0.3, 0.1 + 0.2, 0.1])
    >>> rank(values, values, np.array([8, 5, 9]), 3)
    array([2, 1, 0])
    """
    last = np.partition(values, n_neighbors - 1)[n_neighbors - 1]
    # no leader is beyond the last, so none of the others is tied with a leader
    largest = magnitudes[values <= last].max()
    left = np.flatnonzero(~strictly_nearer(last, largest, values, magnitudes))
    left = left[np.lexsort((rows[left], values[left]))]
    ranked: list[int] = []
    while len(ranked) < n_neighbors:
        leader = left[0]
        tied = ~strictly_nearer(values[leader], magnitudes[leader], values[left], magnitudes[left])
        together = left[tied]
        ranked.extend(together[np.argsort(rows[together])])
        left = left[~tied]
    return np.array(ranked[:n_neighbors], dtype=np.intp)


def n_dominators(
    squares: Callable[..., np.ndarray], n_records: int, n_features: int, size: int
) -> np.ndarray:
    """How many impostors are at most as far as the own record in every variable, (n_records,).

    ``squares(k, records, masked)`` are squared differences of a variable; records are compared
    ``size`` at a time.
    """
    found = np.zeros(n_records, dtype=np.intp)
    for start in range(0, n_records, size):
        records = np.arange(start, min(start + size, n_records))
        own = squares(0, records, records)[:, None]
        near = at_most_as_far(own, squares(0, records[:, None], slice(None)))
        near[np.arange(len(records)), records] = False
        places, impostors = np.nonzero(near)
        for k in range(1, n_features):
            own = squares(k, records, records)[places]
            near = at_most_as_far(own, squares(k, records[places], impostors))
            places, impostors = places[near], impostors[near]
        found[records] = np.bincount(places, minlength=len(records))
    return found
