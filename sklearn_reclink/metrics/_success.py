"""Shares of successful guesses, with intervals, and what is left after those of a control.

*A share.* With ``p`` the share of ``m`` guesses that are right, its interval of 95 % is Wilson's
score interval::

    (p + z^2 / 2m  -+  z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m),     z = 1.96

*The risk.* An attack on people in a release has the share ``a`` of right guesses. The same attack
on people who are not in it, the *control*, has the share ``c``: what can be guessed of anybody. The
risk is the part of what the control leaves open that the attack gets right::

    r = (a - c) / (1 - c)

It is 1 if everybody's secret is revealed, 0 if being in the release makes no difference, and below
0 if the control does better by chance. There is none if the control is always right. With Wilson's
intervals ``[a-, a+]`` and ``[c-, c+]``, and the derivatives of ``r`` by ``a`` and ``c``, its
interval is::

    r- = r - sqrt(((a - a-) / (1 - c))^2 + ((1 - a) (c+ - c) / (1 - c)^2)^2)
    r+ = r + sqrt(((a+ - a) / (1 - c))^2 + ((1 - a) (c - c-) / (1 - c)^2)^2)

and at most 1. It takes attack and control for independent samples. Where the same people are in
both, their outcomes usually agree, and the interval is wider than it need be.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class SuccessRate:
    """How many guesses are right.

    Attributes
    ----------
    n_right, n_tried : int
        Number of right guesses, and of all guesses.

    Examples
    --------
    >>> from sklearn_reclink.metrics import SuccessRate
    >>> rate = SuccessRate(30, 100)
    >>> rate.share, [round(end, 3) for end in rate.interval]
    (0.3, [0.219, 0.396])
    """

    n_right: int
    n_tried: int

    @property
    def share(self) -> float:
        """Share of right guesses; NaN if there are none to count."""
        return self.n_right / self.n_tried if self.n_tried else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval for the share."""
        return wilson_interval(self.n_right, self.n_tried)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "right": self.n_right,
            "tried": self.n_tried,
            "rate": self.share if self.n_tried else None,
            "interval_95_wilson": list(self.interval),
        }


@dataclass(frozen=True)
class Excess:
    """How much an attack gets right beyond its control.

    Attributes
    ----------
    attack, control : SuccessRate
        The shares compared.

    Examples
    --------
    >>> from sklearn_reclink.metrics import Excess, SuccessRate
    >>> found = Excess(SuccessRate(70, 100), SuccessRate(40, 100))
    >>> round(found.risk, 3), [round(end, 3) for end in found.interval]
    (0.5, [0.321, 0.655])
    >>> Excess(SuccessRate(9, 9), SuccessRate(9, 9)).risk is None
    True
    """

    attack: SuccessRate
    control: SuccessRate

    @property
    def risk(self) -> float | None:
        """``(attack - control) / (1 - control)``; None if the control is always right."""
        a, c = self.attack.share, self.control.share
        return None if not c < 1 or np.isnan(a) else (a - c) / (1 - c)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval for the risk, from Wilson's intervals of both shares."""
        if self.risk is None:
            return None
        a, c = self.attack.share, self.control.share
        (a_low, a_high), (c_low, c_high) = self.attack.interval, self.control.interval
        slopes = 1 / (1 - c), (1 - a) / (1 - c) ** 2
        below = sqrt((slopes[0] * (a - a_low)) ** 2 + (slopes[1] * (c_high - c)) ** 2)
        above = sqrt((slopes[0] * (a_high - a)) ** 2 + (slopes[1] * (c - c_low)) ** 2)
        return self.risk - below, min(self.risk + above, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, ready for JSON."""
        return {
            "attack": self.attack.to_dict(),
            "control": self.control.to_dict(),
            "risk": self.risk,
            "risk_interval_95": None if self.interval is None else list(self.interval),
        }


def wilson_interval(n_right: float, n_tried: int, z: float = Z) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Parameters
    ----------
    n_right : float
        Number of successes, or its expected value.
    n_tried : int
        Number of trials.
    z : float, default=1.959964
        Quantile of the normal distribution, by default for a 95 % interval.

    Returns
    -------
    low, high : float
        From 0 to 1; without trials, all of it.

    Examples
    --------
    >>> from sklearn_reclink.metrics import wilson_interval
    >>> [round(end, 3) for end in wilson_interval(0, 100)]
    [0.0, 0.037]
    """
    if n_tried == 0:
        return 0.0, 1.0
    share = n_right / n_tried
    centre = share + z**2 / (2 * n_tried)
    reach = z * sqrt(share * (1 - share) / n_tried + z**2 / (4 * n_tried**2))
    scale = 1 + z**2 / n_tried
    # the ends are exact if nothing or everything succeeds
    low = 0.0 if n_right == 0 else (centre - reach) / scale
    high = 1.0 if n_right == n_tried else (centre + reach) / scale
    return max(low, 0.0), min(high, 1.0)
