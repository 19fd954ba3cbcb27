"""Parameters that take a while to find, for searches that go on for long.

They are the best weighted mean, so that no family that contains the weighted means ends below
them; for capacities of a large file also those of `hlms`. In a large file line searches go on
from the best of them (`line_search`). Where the distances of all pairs take too long, as those of
indefinite matrices do in a very large file, these searches keep to the part of the family that a
tree can prune by.
"""

import time
from collections.abc import Callable

import numpy as np

from sklearn_reclink.families import Choquet, WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.solvers.incumbent import Incumbent
from sklearn_reclink.solvers.problem import Problem, Solution
from sklearn_reclink.solvers.shares import SHARES, Shares

_COUNTS = 8  # of a file, in the time that late starts take at least
_TRIED = 16  # records, to see how long a count takes
_MOST_SECONDS = 60.0  # where there is no limit

LateStarts = Callable[[float], list[np.ndarray]]


def late_starts(
    problem: Problem,
    seconds: float,
    *,
    solve: Callable[..., Solution],
    rng: np.random.Generator,
    most_pairs: int,
    shares: Shares = SHARES,
) -> list[np.ndarray]:
    """Parameters found in some seconds by searches of simpler families."""
    family, index = problem.family, problem.index
    n_features, seconds = family.n_features, min(max(seconds, 0.0), _MOST_SECONDS)
    found = []
    many = index.n_records * index.n_masked > most_pairs
    if type(family) is Choquet and family.caps is None and many:
        from sklearn_reclink.solvers.hlms.learner import learn

        found.append(
            learn(
                index.original,
                index.masked,
                rng=rng,
                time_limit=shares.hlms * seconds,
                n_jobs=index.n_jobs,
            ).capacity[1:]
        )
        seconds *= 1 - shares.hlms
    mean = family.from_weights(np.ones(n_features))
    if mean is not None and not isinstance(getattr(family, "base", family), WeightedMean):
        means = Problem(mixed_family(WeightedMean(n_features), family.caps), index)
        best = solve(means, rng=rng, time_limit=seconds, most_pairs=most_pairs).theta
        if best is not None and (theta := family.from_weights(np.maximum(best, 0.0))) is not None:
            found.append(theta)
    return found


def seconds_of_count(problem: Problem, incumbent: Incumbent) -> float:
    """About how long it takes to find the nearest impostor of every record, or to count."""
    index, seconds = problem.index, incumbent.slowest
    if not problem.family.monotone:
        some = np.arange(min(_TRIED, index.n_records))
        begin = time.monotonic()
        index.nearest_impostors(problem.family, problem.family.centre[None], some)
        seconds = max(seconds, (time.monotonic() - begin) * index.n_records / len(some))
    return seconds


def search_large(
    problem: Problem,
    incumbent: Incumbent,
    rng: np.random.Generator,
    deadline: float,
    late_starts: LateStarts | None,
    *,
    all_pairs: bool,
    shares: Shares = SHARES,
) -> None:
    """Offer the late starts of a large file, and what line searches find from the best of them."""
    from sklearn_reclink.solvers.line_search import search_samples

    seconds = shares.late_starts * (deadline - time.monotonic())
    if late_starts is not None and seconds > _COUNTS * incumbent.slowest:
        for theta in late_starts(seconds):
            incumbent.offer(theta)
    if incumbent.theta is None or not incumbent.losses:
        return
    if not all_pairs:
        index = problem.index
        problem = Problem(problem.family.tree_part(index.original, index.masked), index)
    search_samples(
        problem,
        incumbent.open,
        incumbent.theta,
        incumbent.offer,
        deadline=deadline - incumbent.slowest,
        rng=rng,
    )
