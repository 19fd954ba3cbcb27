"""The held-out estimate: does the attack work on people it has not seen?

The people are split at random into two halves. The attacker learns from the pairs of one half and
looks for the people of the other half among *all* masked records, then the other way round: every
person is sought once, by an attacker who did not know the answer, in a pool as large as the file.
The rate is the share found of all people sought.

*Interval.* With ``p`` the share found of ``m`` people, Wilson's score interval of 95 %::

    (p + z^2 / 2m  -+  z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m),     z = 1.96

It treats the people as independent draws, and says nothing about another file or another masking.

*Baseline.* Linking at random finds one person on average, a share of ``1 / n_records``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attackers import Attacker, Setting, collected_warnings
from sklearn_reclink.model_selection import held_out_links


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What an attacker finds among people it has not seen.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    rows : ndarray of int of shape (n_tested,)
        The people sought.
    found : ndarray of bool of shape (n_tested,)
        Which of them are found.
    n_train : int
        Number of known pairs in each half, the smaller number if they differ.
    n_pool : int
        Number of masked records in which each person is sought.
    """

    attacker: Attacker
    rows: np.ndarray
    found: np.ndarray
    n_train: int
    n_pool: int

    @property
    def n_tested(self) -> int:
        """Number of people sought."""
        return len(self.rows)

    @property
    def n_found(self) -> int:
        """Number of people found."""
        return int(np.count_nonzero(self.found))

    @property
    def rate(self) -> float:
        """Share of people found."""
        return self.n_found / self.n_tested

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 % for the rate."""
        return wilson_interval(self.n_found, self.n_tested)


def wilson_interval(found: int, tested: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Examples
    --------
    >>> from sklearn_reclink.auditing._held_out import wilson_interval
    >>> [round(end, 3) for end in wilson_interval(0, 100)]
    [0.0, 0.037]
    """
    share = found / tested
    centre = share + z**2 / (2 * tested)
    reach = z * np.sqrt(share * (1 - share) / tested + z**2 / (4 * tested**2))
    scale = 1 + z**2 / tested
    # the ends are exact if nobody or everybody is found
    low = 0.0 if found == 0 else max(float((centre - reach) / scale), 0.0)
    high = 1.0 if found == tested else min(float((centre + reach) / scale), 1.0)
    return low, high


def halves(n_records: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to look for, twice."""
    order = np.random.default_rng([seed, 2]).permutation(n_records)
    first, second = np.sort(order[: n_records // 2]), np.sort(order[n_records // 2 :])
    return [(first, second), (second, first)]


def held_out(
    attacker: Attacker, X: np.ndarray, Y: np.ndarray, setting: Setting, seconds: float
) -> HeldOut:
    """Let an attacker learn from one half of the people and look for the other, both ways."""
    linker = attacker.build(setting, seconds / 2)
    fit_params: dict[str, Any] = {"pool": Y, "reference": X} if attacker.needs_files else {}
    link_all = attacker.skip_reason(setting) is None
    rows, found, n_train = [], [], len(X)
    for salt, (known, sought) in enumerate(halves(len(X), setting.seed), start=1):
        known = setting.sample(known, setting.limits.repeated_search, salt)
        if not link_all:
            sought = setting.sample(sought, setting.limits.sought // 2, salt)
        with collected_warnings():
            found += held_out_links(
                linker, X, Y, known, (sought,), link_all=link_all, fit_params=fit_params
            )
        rows.append(sought)
        n_train = min(n_train, len(known))
    return HeldOut(attacker, np.concatenate(rows), np.concatenate(found), n_train, len(Y))


def can_be_held_out(attacker: Attacker, setting: Setting) -> bool:
    """Whether an attacker takes part; one too slow for the file may still look for a few."""
    runs = attacker.links_some or attacker.skip_reason(setting) is None
    return runs and setting.n_records >= 4
