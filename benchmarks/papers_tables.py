"""Numbers printed in the papers, file by file, in the order of `FILES`.

Percentages: Table 6 of the 2015 paper, which repeats those of the two papers of 2011 (there d2SB is
d2MD*) and of 2012; M7-999 is in Table 1 of the 2012 paper on Choquet integrals alone, HRLA in
Table 1 of the 2012 paper on heuristics.
"""

from __future__ import annotations

from papers import FILES

SIX_FILES = tuple(FILES)[:6]


def _by_file(*values: float) -> dict[str, float]:
    return dict(zip(FILES, values, strict=False))


PERCENT: dict[str, dict[str, float]] = {
    "d2AM": _by_file(84.00, 68.50, 71.00, 39.75, 78.00, 84.75, 87.75),
    "d2MD": _by_file(94.00, 90.00, 92.75, 88.25, 98.50, 98.00),
    "d2WM": _by_file(95.50, 93.00, 94.25, 90.50, 99.25, 98.75, 91.50),
    "d2WM_m": _by_file(95.50, 93.00, 94.25, 90.50, 99.25, 98.75),
    "d2CI": _by_file(95.75, 93.75, 94.25, 91.25, 99.75, 99.25, 97.25),
    "d2CI_m": _by_file(95.75, 93.75, 94.25, 90.50, 99.50, 98.75),
    "d2SB_NC": _by_file(96.75, 94.50, 95.25, 92.25, 99.75, 99.50),
    "d2SB": _by_file(96.75, 94.50, 95.25, 92.25, 99.75, 99.50),
    "d2SB_PD": {"M6-853": 99.25},
    "HRLA": {"M4-28": 91.75, "M5-38": 86.75},
}

# "20 minutes" in the 2012 paper on heuristics; the other times are in `papers`
HRLA_SECONDS = {"M4-28": 1200.0, "M5-38": 1200.0}

# Table 5 of the 2015 paper
AVERAGE_LINKAGE = _by_file(42.127, 33.47, 32.37, 26.01, 35.42, 30.65)
PROBABILISTIC_LOSS = _by_file(23.85, 28.40, 31.80, 31.92, 36.91, 37.76)
SCORE = _by_file(32.99, 30.94, 32.09, 28.96, 36.16, 34.21)

# Table 8 of the 2015 paper
MATRIX_DIFFERENCE = _by_file(18.49, 48.75, 2784.81, 7.26, 15.91e6, 12.77e16)

# Table 4 of the 2015 paper: means and standard deviations of the first six variables
MEANS = (196039.8, 56222.76, 3173.135, 7544.656, 45230.84, 2597.184)
DEVIATIONS = (101251.417, 24674.843, 1401.832, 4905.200, 21323.470, 1826.436)

# Table 5 of the 2012 paper on Choquet integrals: weights of d2WM on M6-853, first variable first
WEIGHTS_M6_853 = (
    0.016809573957189,
    0.00198841786482128,
    0.00452923777074791,
    0.138812880222131,
    0.835523953314578,
    0.00233593687053289,
)

# Tables 3 and 4 of the same paper: capacities of d2CI on M4-28 and M6-853, from the set 0...01 on;
# the first digit is the first variable
# fmt: off
_CAPACITY_M4_28 = (
    0.154253, 0.003651, 0.207612, 0.039292, 0.154353, 0.096721, 0.207712,
    0.999168, 0.999799, 0.9998, 0.999899, 0.999268, 0.999899, 0.9999, 0.999999,
)
_CAPACITY_M6_853 = (
    0.000737815, 0.0, 0.0220367576, 0.0, 0.0640252746, 0.0640252746,
    0.0641252746, 0.0019057155, 0.0160771077, 0.0220367576, 0.0221367576, 0.0020057155,
    0.0641252746, 0.0641252746, 0.0642252746, 0.0004214525, 0.000837815, 0.0220367576,
    0.0221367576, 0.0640252746, 0.0641252746, 0.0641252746, 0.8247279668, 0.012737859,
    0.0213887564, 0.0221367576, 0.0222367576, 0.0641252746, 0.0642252746, 0.8247279668,
    0.8248279668, 0.0081683003, 0.0221158311, 0.0221158311, 0.0222158311, 0.0082683003,
    0.0641252746, 0.0641252746, 0.9998, 0.0082683003, 0.0222158311, 0.0423704875,
    0.0424704875, 0.0083683003, 0.0642252746, 0.9998, 0.9999, 0.0221158311,
    0.0222158311, 0.0222158311, 0.0424704875, 0.0641252746, 0.0642252746, 0.9998,
    0.9999, 0.0222158311, 0.0223158311, 0.0424704875, 0.0425704875, 0.0642252746,
    0.0643252746, 0.9999, 1.0,
)
# fmt: on


def _by_set(values: tuple[float, ...], n_features: int) -> dict[str, float]:
    return {f"{digits:0{n_features}b}": value for digits, value in enumerate(values, start=1)}


CAPACITIES = {"M4-28": _by_set(_CAPACITY_M4_28, 4), "M6-853": _by_set(_CAPACITY_M6_853, 6)}
