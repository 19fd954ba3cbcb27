"""The eighteen maskings of Table 2 of the 2012 heuristic paper, and its training and test records.

All thirteen variables of the Census are masked; the intruder links on the first five. 200 of the
1,080 records are known pairs to learn from, the other 880 are to be found; each part is linked
within itself. The conventions are those that reproduce the paper's d2AM column best: standardised
MDAV on consecutive groups of three or four variables, rank swapping upwards within the next p %
of ranks, noise of p % of the variable's standard deviation. ``Micz-3`` averages runs of three
records sorted by the sum of their z-scores, ``MicMull-3`` has all variables in one group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.masking import AdditiveNoise, JPEGMasking, Microaggregation, RankSwapping

N_TRAIN = 200
N_LINKED = 5


@dataclass(frozen=True)
class Split:
    """Aligned original and masked records, to learn from and to find."""

    X_train: np.ndarray
    Y_train: np.ndarray
    X_test: np.ndarray
    Y_test: np.ndarray


@dataclass(frozen=True)
class PapersRates:
    """Percentages of the paper; None if its optimisation was not finished."""

    d2am_train: float
    d2am_test: float
    d2ci_train: float | None
    d2ci_test: float | None
    hrla_train: float
    hrla_test: float


def _swapped(p: float) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: RankSwapping(p, random_state=seed).fit_transform(X)


def _noisy(p: float) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: AdditiveNoise(p, random_state=seed).fit_transform(X)


def _averaged(groups: int | None, k: int) -> Callable[[np.ndarray, int], np.ndarray]:
    masker = Microaggregation(groups=groups, k=k, standardize=True)
    return lambda X, seed: masker.fit_transform(X)


def _compressed(quality: int) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: JPEGMasking(quality).fit_transform(X)


def _projected(k: int) -> Callable[[np.ndarray, int], np.ndarray]:
    def mask(X: np.ndarray, seed: int) -> np.ndarray:
        order = np.argsort(((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1), kind="stable")
        Y = X.copy()
        last = len(X) // k - 1
        runs = np.minimum(np.arange(len(X)) // k, last)
        for run in range(last + 1):
            Y[order[runs == run]] = X[order[runs == run]].mean(axis=0)
        return Y

    return mask


MASKINGS: dict[str, tuple[Callable[[np.ndarray, int], np.ndarray], PapersRates]] = {
    "Rankswap-20": (_swapped(20), PapersRates(14.0, 2.61, None, None, 14.5, 2.73)),
    "Rankswap-15": (_swapped(15), PapersRates(24.5, 9.89, None, None, 26.0, 8.98)),
    "Rankswap-12": (_swapped(12), PapersRates(43.5, 17.5, None, None, 44.5, 17.73)),
    "Rankswap-5": (_swapped(5), PapersRates(94.0, 78.86, 97.5, 77.61, 94.5, 79.2)),
    "Rankswap-4": (_swapped(4), PapersRates(95.5, 85.23, 100.0, 80.91, 97.0, 85.11)),
    "Mic3-9": (_averaged(3, 9), PapersRates(83.0, 60.23, 89.5, 57.16, 83.0, 60.11)),
    "Mic3-5": (_averaged(3, 5), PapersRates(91.0, 77.39, 96.5, 74.66, 93.0, 76.93)),
    "Mic3-8": (_averaged(3, 8), PapersRates(82.5, 65.0, 91.0, 62.95, 83.0, 65.11)),
    "Mic4-4": (_averaged(4, 4), PapersRates(84.5, 61.48, 88.0, 58.52, 84.5, 61.7)),
    "Mic4-8": (_averaged(4, 8), PapersRates(70.0, 37.27, 75.5, 35.68, 70.0, 37.16)),
    "Mic4-5": (_averaged(4, 5), PapersRates(80.0, 52.5, 85.0, 50.45, 80.0, 52.5)),
    "Micz-3": (_projected(3), PapersRates(0.0, 0.23, 0.0, 0.11, 0.0, 0.23)),
    "MicMull-3": (_averaged(None, 3), PapersRates(54.5, 22.5, 64.5, 21.7, 58.0, 23.52)),
    "Noise-16": (_noisy(16), PapersRates(87.0, 70.11, 92.5, 67.5, 87.0, 70.11)),
    "Noise-12": (_noisy(12), PapersRates(92.0, 86.59, 97.0, 80.57, 93.0, 86.82)),
    "Noise-1": (_noisy(1), PapersRates(100.0, 100.0, 100.0, 99.66, 100.0, 100.0)),
    "Jpeg-80": (_compressed(80), PapersRates(84.5, 76.93, 94.5, 73.3, 85.5, 76.48)),
    "Jpeg-65": (_compressed(65), PapersRates(58.5, 40.0, 67.0, 36.59, 58.5, 40.0)),
}


def draw_split(census: np.ndarray, masking: str, seed: int) -> Split:
    """Mask the whole file and draw the known pairs, both with the same seed."""
    mask, _ = MASKINGS[masking]
    X, Y = census[:, :N_LINKED], mask(census, seed)[:, :N_LINKED]
    rows = np.random.default_rng(seed).permutation(len(census))
    known, others = rows[:N_TRAIN], rows[N_TRAIN:]
    return Split(X[known], Y[known], X[others], Y[others])
