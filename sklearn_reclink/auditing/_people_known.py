"""How many people must the intruder know already?

An intruder who knows some people in the release, each as a pair of an original and a masked record,
learns from these pairs and then looks for everybody else among *all* masked records. The
intruder sees the whole release and has the original values of the people sought, so ranks are
counted in the whole files, and the records of the others are impostors while the attacker learns.
Pairs are drawn at random several times; `PeopleKnown.rate` is the mean share found of the people
not known. Nobody known: equal weights, in the views that need no pairs. Learning from very few
pairs may find fewer people than equal weights do. An intruder may ignore known pairs, so the rate
never falls with more pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attackers import ATTACKERS, Setting, collected_warnings
from sklearn_reclink.auditing._scenario_search import Sought
from sklearn_reclink.data.pool import Pool
from sklearn_reclink.metrics.variable_sets import SetCounts
from sklearn_reclink.model_selection import held_out_search

_LEARNERS = ("density", "weighted_mean")
_N_DRAWS = 3
_WITHOUT_PAIRS = ("separate", "rank")


@dataclass(frozen=True)
class PeopleKnown:
    """What an intruder who knows some people in the release finds.

    Attributes
    ----------
    n_pairs : int
        People known beforehand.
    rate : float
        Share found of the people not known, the mean over several draws; a tie counts 1 / (number
        tied).
    lowest, highest : float
        The smallest and the largest share of a draw.
    attacker : str
        Title of the attacker with the largest mean, here or with fewer pairs.
    n_draws : int
        How often the people known were drawn.
    """

    n_pairs: int
    rate: float
    lowest: float
    highest: float
    attacker: str
    n_draws: int


def nobody_known(counts: Sequence[SetCounts], number: int, n_records: int) -> PeopleKnown:
    """What equal weights find with a set of variables; nothing is learned from pairs."""
    views = [one for one in counts if one.view in _WITHOUT_PAIRS] or list(counts)
    rate = max(float(one.expected[number]) for one in views) / n_records
    return PeopleKnown(0, rate, rate, rate, ATTACKERS["euclidean"].title, 1)


def people_known(
    files: Sought,
    sizes: Sequence[int],
    setting: Setting,
    nobody: PeopleKnown,
    end: float,
    report: Callable[[str], None],
) -> list[PeopleKnown]:
    """What is found by learning from so many pairs, as long as there is time.

    ``nobody`` is what is found without any, and comes first.
    """
    sizes = [size for size in sorted(sizes) if 2 <= size <= len(files.X) // 2]
    tasks = [(size, name) for size in sizes for name in _LEARNERS]
    found = [nobody]
    for place, (size, name) in enumerate(tasks):
        if (left := end - time.monotonic()) <= 0:
            break
        report(f"{size} people known")
        until = time.monotonic() + left / (len(tasks) - place)
        rates = _draws(files, size, setting, name, until)
        before = found[-1]
        if not rates:
            continue
        best = replace(before, n_pairs=size)
        if (rate := float(np.mean(rates))) > before.rate:
            ends = min(rates), max(rates)
            best = PeopleKnown(size, rate, *ends, ATTACKERS[name].title, len(rates))
        if before.n_pairs == size:
            found.pop()
        found.append(best)
    return found


def _draws(files: Sought, size: int, setting: Setting, name: str, until: float) -> list[float]:
    """Shares found of the people not known, one per draw that there was time for."""
    attacker, rates = ATTACKERS[name], list[float]()
    seconds = max(until - time.monotonic(), 0.0) / _N_DRAWS
    too_slow = attacker.seconds_per_pair * len(files.everyone) ** 2 > until - time.monotonic()
    if attacker.skip_reason(setting) is not None or too_slow:
        return []
    linker = attacker.build(setting, seconds)
    if attacker.time_weight > 0:
        linker.set_params(standardize=files.views)
    whole = files.X if files.whole is None else files.whole
    options: dict[str, Any] = {
        "fit_params": {"pool": Pool(files.everyone), "reference": whole},
        "pool": None if files.pool is None else Pool(files.pool),
    }
    rng = np.random.default_rng([setting.seed, size])
    for _ in range(_N_DRAWS):
        known, others = np.split(rng.permutation(len(files.X)), [size])
        if rates and time.monotonic() > until:
            break
        with collected_warnings():
            try:
                parts = held_out_search(linker, files.X, files.Y, known, (others,), **options)
            except (ValueError, MemoryError):  # so few people may be all alike
                continue
        rates.append(float(parts[0].chance.mean()))
    return rates
