"""How an audit shares its time limit, and reports its progress."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, int, int], None]


class TimeBudget:
    """Shares the time that is left among the searches to come, in proportion to their weights."""

    def __init__(self, seconds: float, total_weight: float):
        self.end = time.monotonic() + seconds
        self.weight = total_weight

    def take(self, weight: float) -> float:
        """Seconds for the next search."""
        if weight == 0:
            return 0.0
        left = max(self.end - time.monotonic(), 0.0)
        seconds = left * weight / self.weight
        self.weight -= weight
        return seconds


class Steps:
    """Reports each step of an audit."""

    def __init__(self, progress: Progress | None, n_steps: int):
        self.progress = progress
        self.n_steps = n_steps
        self.done = 0

    def next(self, what: str) -> None:
        """Report the step that begins."""
        if self.progress is not None:
            self.progress(what, self.done, self.n_steps)
        self.done += 1
