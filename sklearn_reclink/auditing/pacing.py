"""How an audit shares its time, and tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from sklearn_reclink.auditing.attackers import Attacker, Setting, attack
from sklearn_reclink.datasets import make_microdata

Progress = Callable[[str, int, int], None]

# Time of both halves of a held-out search, as a part of that of the search in the whole file.
HELD_OUT_SHARE = 0.5


def compile_searches(running: Sequence[Attacker], setting: Setting) -> None:
    """Compile before the clock runs, on a file that has nothing to do with the one audited."""
    n_features = min(setting.n_features, 4)
    X = make_microdata(40, n_features, random_state=0)
    Y = X + np.random.default_rng(0).normal(scale=X.std(axis=0) / 5, size=X.shape)
    small = Setting(len(X), n_features, setting.seed, None)
    for one in running:
        if one.weight > 0:
            attack(one, X, Y, small, 0.2)


class Clock:
    """Shares what is left of the time among the searches to come."""

    def __init__(self, seconds: float, running: Sequence[Attacker], tested: Sequence[Attacker]):
        self.end = time.monotonic() + seconds
        self.weight = sum(one.weight for one in running)
        self.weight += HELD_OUT_SHARE * sum(one.weight for one in tested)

    def seconds_for(self, attacker: Attacker, share: float) -> float:
        weight = share * attacker.weight
        if weight == 0:
            return 0.0
        left = max(self.end - time.monotonic(), 0.0)
        seconds = left * weight / self.weight
        self.weight -= weight
        return seconds


class Steps:
    """Tells how far an audit is."""

    def __init__(self, progress: Progress | None, n_steps: int):
        self.progress = progress
        self.n_steps = n_steps
        self.done = 0

    def next(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, self.done, self.n_steps)
        self.done += 1
