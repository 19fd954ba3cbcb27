"""The steps of an audit: who is told of them, and how much time each search gets.

The time that is left is divided among the searches still to come in proportion to their weights, so
time that one did not need goes to the others. A share is kept back for what follows the searches.
"""

import math
import time
from collections.abc import Callable

from sklearn_reclink.auditing._attackers import Attacker

Progress = Callable[[str, int, int], None]

MOST_LOADING = 3.0  # seconds before the searches that count; more are spent on compiling
KEPT_BACK = 0.2  # of the time limit, and at most so many seconds
MOST_KEPT_BACK = 2.0


class Steps:
    """Reports each step of an audit, and gives each search its share of the time that is left."""

    def __init__(self, progress: Progress | None, total: int, seconds: float, weight: float):
        self.progress, self.total, self.done = progress, total, 0
        self.seconds, self.weight = seconds, weight
        self.end = math.inf

    def start(self, begin: float) -> None:
        """Start the clock, when all is loaded or compiled; the audit began before."""
        now = time.monotonic()
        kept_back = min(KEPT_BACK * self.seconds, MOST_KEPT_BACK)
        loading = min(now - begin, MOST_LOADING, self.seconds / 2)
        self.end = now + self.seconds - kept_back - loading

    def next(self, what: str, weight: float = 0.0) -> float:
        """Report the step that begins; its seconds, 0 if it is not a search."""
        if self.progress is not None:
            self.progress(what, self.done, self.total)
        self.done += 1
        if weight == 0:
            return 0.0
        share = weight / self.weight
        self.weight -= weight
        return max(self.end - time.monotonic(), 0.0) * min(share, 1.0)

    def has_time_for(self, one: Attacker, n_records: int) -> bool:
        """Whether an attacker that cannot be told to end in time will do so."""
        return time.monotonic() + one.seconds_per_pair * n_records**2 <= self.end

    @property
    def late(self) -> bool:
        """Whether the time limit has ended."""
        return time.monotonic() > self.end
