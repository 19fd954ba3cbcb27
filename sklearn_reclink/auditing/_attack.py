"""What an attacker finds in a masked file.

An attacker links every original record within the whole masked file. Searching for a distance takes
much longer than linking with it, so in a long file the attackers that search learn from a random
sample. The links are counted in the whole file all the same, and a bound proven for the sample is
not reported as a bound for the file. The *ceiling* of the monotone distances (weighted mean, OWA,
Choquet) holds for the whole file and needs no learning.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attackers import Attacker, Setting, collected_warnings
from sklearn_reclink.datasets import make_microdata


@dataclass(frozen=True, eq=False)
class Attack:
    """What one attacker finds in the whole masked file.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    linker : estimator
        The fitted linker.
    reidentified : ndarray of bool of shape (n_records,)
        Who is found.
    margin : ndarray of shape (n_records,)
        Margin to the runner-up, see `sklearn_reclink.inspection.relative_margin`.
    expected_rate : float
        Share found on average by an attacker who picks at random among tied masked records.
    bound : int or None
        No attacker of this kind finds more people than this, proven; None if nothing is proven.
    n_learned : int
        Number of records that it learned from.
    status : str
        How its search ended; "fixed" if there was nothing to choose, "sampled" if it learned from
        part of the file.
    seconds : float
        Time it took.
    """

    attacker: Attacker
    linker: Any
    reidentified: np.ndarray
    margin: np.ndarray
    expected_rate: float
    bound: int | None
    n_learned: int
    status: str
    seconds: float

    @property
    def n_found(self) -> int:
        """Number of people found."""
        return int(np.count_nonzero(self.reidentified))

    @property
    def rate(self) -> float:
        """Share of people found."""
        return self.n_found / len(self.reidentified)

    @property
    def sampled(self) -> bool:
        """Whether it learned from part of the file."""
        return self.n_learned < len(self.reidentified)


def attack(
    attacker: Attacker, X: np.ndarray, Y: np.ndarray, setting: Setting, seconds: float
) -> tuple[Attack, list[str]]:
    """Let an attacker link a file, and collect its warnings."""
    from sklearn_reclink.inspection import relative_margin

    begin = time.perf_counter()
    rows = np.arange(len(X))
    if attacker.time_weight > 0:
        rows = setting.sample(rows, setting.limits.search)
    with collected_warnings() as notes:
        linker = attacker.build(setting, seconds).fit(X[rows], Y[rows])
        links = linker.link(X, Y)
    whole = len(rows) == len(X)
    found = Attack(
        attacker=attacker,
        linker=linker,
        reidentified=links.reidentified,
        margin=relative_margin(links.own_distance, links.runner_up),
        expected_rate=float(links.expected_rate),
        bound=linker.bound_ if whole and linker.status_ != "fixed" else None,
        n_learned=len(rows),
        status=linker.status_ if whole else "sampled",
        seconds=time.perf_counter() - begin,
    )
    return found, notes


def compile_searches(attackers: Sequence[Attacker], setting: Setting) -> None:
    """Compile before the time limit starts, on a file unrelated to the one audited."""
    n_features = min(setting.n_features, 4)
    X = make_microdata(40, n_features, random_state=0)
    Y = X + np.random.default_rng(0).normal(scale=X.std(axis=0) / 5, size=X.shape)
    for one in attackers:
        if one.time_weight > 0:
            attack(one, X, Y, Setting(len(X), n_features, setting.seed), 0.2)
