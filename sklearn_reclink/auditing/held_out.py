"""Does the attack work on people it has not seen?

The people are parted at random into two halves. The attacker learns from the pairs of one half and
looks for the people of the other half among *all* masked records, then the other way round: every
person is looked for once, by an attacker who did not know the answer, in a pool as large as the
file. The rate is that of all people looked for.

*Interval.* With ``p`` the share found of ``m`` people, Wilson's score interval of 95 %::

    (p + z^2 / 2m  -+  z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m),     z = 1.96

It takes the people as independent draws, and tells nothing of another file or another masking.

*Baseline.* Who links at random finds one person on average, ``1 / n_records``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing.attackers import (
    MOST_LEARNT,
    MOST_PAIRED,
    Attacker,
    Setting,
    collected_warnings,
)

# People looked for by an attacker that compares all pairs, where they are many.
MOST_SOUGHT = 500
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What an attacker finds among people it has not seen.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    rows : ndarray of int of shape (n_tested,)
        The people looked for.
    found : ndarray of bool of shape (n_tested,)
        Who of them is found.
    n_train : int
        Number of known pairs in each half, the smaller number if they differ.
    n_pool : int
        Number of masked records each person is looked for in.
    """

    attacker: Attacker
    rows: np.ndarray
    found: np.ndarray
    n_train: int
    n_pool: int

    @property
    def n_tested(self) -> int:
        """Number of people looked for."""
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
    >>> from sklearn_reclink.auditing.held_out import wilson_interval
    >>> [round(end, 3) for end in wilson_interval(0, 100)]
    [0.0, 0.037]
    """
    share = found / tested
    centre = share + z**2 / (2 * tested)
    reach = z * np.sqrt(share * (1 - share) / tested + z**2 / (4 * tested**2))
    scale = 1 + z**2 / tested
    low, high = (centre - reach) / scale, (centre + reach) / scale
    # the ends are exact where nobody or everybody is found
    return (
        0.0 if found == 0 else max(float(low), 0.0),
        1.0 if found == tested else min(float(high), 1.0),
    )


def halves(n_records: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to look for, twice."""
    order = np.random.default_rng([seed, 2]).permutation(n_records)
    first, second = np.sort(order[: n_records // 2]), np.sort(order[n_records // 2 :])
    return [(first, second), (second, first)]


def held_out(
    attacker: Attacker, X: np.ndarray, Y: np.ndarray, setting: Setting, seconds: float
) -> HeldOut:
    """Let an attacker learn from one half of the people and look for the other, both ways."""
    rows, found, n_train = [], [], len(X)
    for salt, (known, unknown) in enumerate(halves(len(X), setting.seed), start=1):
        known = setting.sample(known, MOST_LEARNT, salt)
        n_train = min(n_train, len(known))
        with collected_warnings():
            linker = _fitted(attacker.build(setting, seconds / 2), X, Y, known)
            if attacker.refuses(setting) is None:
                found.append(linker.link(X, Y).reidentified[unknown])
            else:
                unknown = setting.sample(unknown, MOST_SOUGHT // 2, salt)
                found.append(found_among_all(linker, X, Y, unknown))
        rows.append(unknown)
    return HeldOut(attacker, np.concatenate(rows), np.concatenate(found), n_train, len(Y))


def can_be_held_out(attacker: Attacker, setting: Setting) -> bool:
    """Whether an attacker takes part; one too slow for the file may still look for a few."""
    if setting.n_records < 4:
        return False
    few_of_many = attacker.name == "density" and setting.n_records > MOST_PAIRED
    return attacker.refuses(setting) is None or few_of_many


def found_among_all(linker: Any, X: np.ndarray, Y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Who of some people has the own masked record strictly nearest in the whole file."""
    distances, nearest = linker.kneighbors(X[rows], n_neighbors=2, pool=Y)
    gap = distances[:, 1] - distances[:, 0]
    return np.asarray((nearest[:, 0] == rows) & (gap > _TIE * np.abs(distances).sum(axis=1)))


def _fitted(linker: Any, X: np.ndarray, Y: np.ndarray, known: np.ndarray) -> Any:
    from sklearn_reclink import DensityLinker

    if isinstance(linker, DensityLinker):  # ranks are those of the files, which an intruder has
        return linker.fit(X[known], Y[known], files=(X, Y))
    return linker.fit(X[known], Y[known])
