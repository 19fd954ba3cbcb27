"""The papers' experiments: the masked Census files, and the seconds they took on 16 cores.

The Census file is looked for in ``--data-home``, or in the folder that the environment variable
SKLEARN_RECLINK_DATA names.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.datasets import fetch_casc_census
from sklearn_reclink.masking import Microaggregation

N_RECORDS = 400


@dataclass(frozen=True)
class MaskedFile:
    """Which variables are microaggregated together, and in groups of how many records.

    ``n_released`` variables are kept, by default all. ``whole_file`` masks the Census before the
    records are sampled.
    """

    groups: list[list[int]]
    k: list[int]
    n_released: int | None = None
    standardize: bool = False
    whole_file: bool = False

    def draw(self, census: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """400 records of the Census and their masked version, by MDAV on the raw variables."""
        rows = np.random.default_rng(seed).choice(len(census), N_RECORDS, replace=False)
        if not self.whole_file:
            return self.mask(census[rows])
        X, Y = self.mask(census)
        return X[rows], Y[rows]

    def mask(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As many variables of the records as are released, and their masked version."""
        masker = Microaggregation(groups=self.groups, k=self.k, standardize=self.standardize)
        X = records[:, : sum(map(len, self.groups))]
        return X[:, : self.n_features], masker.fit_transform(X)[:, : self.n_features]

    @property
    def n_features(self) -> int:
        return self.n_released or sum(map(len, self.groups))


FILES = {
    "M4-33": MaskedFile([[0, 1], [2, 3]], [3, 3]),
    "M4-28": MaskedFile([[0, 1], [2, 3]], [2, 8]),
    "M4-82": MaskedFile([[0, 1], [2, 3]], [8, 2]),
    "M5-38": MaskedFile([[0, 1, 2], [3, 4]], [3, 8]),
    "M6-385": MaskedFile([[0, 1], [2, 3], [4, 5]], [3, 8, 5]),
    "M6-853": MaskedFile([[0, 1], [2, 3], [4, 5]], [8, 5, 3]),
    # "first 6 microaggregated in groups of 3 ... and the single variable", k = 3 (2012);
    # the reading that gives the paper's rates is in `papers_counting`
    "M7-999": MaskedFile([[0, 1, 2], [3, 4, 5], [6]], [3, 3, 3]),
}


@dataclass(frozen=True)
class PapersSeconds:
    """CPLEX 12.1 on 16 cores, in the 2015 paper and in the 2012 paper on Choquet integrals."""

    in_2015: float | None = None
    in_2012: float | None = None

    @property
    def given(self) -> float | None:
        """Those of 2015, the wider table, or else those of 2012."""
        return self.in_2012 if self.in_2015 is None else self.in_2015

    @property
    def fastest(self) -> float | None:
        return min((s for s in (self.in_2015, self.in_2012) if s is not None), default=None)

    def __str__(self) -> str:
        if self.in_2012 is None:
            return "" if self.in_2015 is None else f"{self.in_2015:.2f}"
        first = "-" if self.in_2015 is None else f"{self.in_2015:.2f}"
        return f"{first} / {self.in_2012:.2f}"


_SECONDS: dict[str, dict[str, PapersSeconds]] = {
    "d2WM": {
        "M4-33": PapersSeconds(29.83, 0.38),
        "M4-28": PapersSeconds(41.37, 0.37),
        "M4-82": PapersSeconds(24.33, 0.39),
        "M5-38": PapersSeconds(718.43, 419.79),
        "M6-385": PapersSeconds(11.81, 4.4),
        "M6-853": PapersSeconds(17.77, 7.7),
        "M7-999": PapersSeconds(None, 9019.78),
    },
    "d2WM_m": {
        "M4-33": PapersSeconds(3.43),
        "M4-28": PapersSeconds(6.26),
        "M4-82": PapersSeconds(2.26),
        "M5-38": PapersSeconds(190.75),
        "M6-385": PapersSeconds(4.34),
        "M6-853": PapersSeconds(6.72),
    },
    "d2CI": {
        "M4-33": PapersSeconds(280.24, 158.52),
        "M4-28": PapersSeconds(427.75, 1626.29),
        "M4-82": PapersSeconds(242.86, 469.53),
        "M5-38": PapersSeconds(42731.22, 355923.05),
        "M6-385": PapersSeconds(24.17, 49.69),
        "M6-853": PapersSeconds(87.43, 128.5),
        "M7-999": PapersSeconds(None, 21682.29),
    },
    "d2CI_m": {
        "M4-33": PapersSeconds(155.07),
        "M4-28": PapersSeconds(441.99),
        "M4-82": PapersSeconds(294.98),
        "M5-38": PapersSeconds(4017.16),
        "M6-385": PapersSeconds(79.43),
        "M6-853": PapersSeconds(829.81),
    },
    "d2SB_NC": {
        "M4-33": PapersSeconds(32.04),
        "M4-28": PapersSeconds(2793.81),
        "M4-82": PapersSeconds(150.66),
        "M5-38": PapersSeconds(10592.99),
        "M6-385": PapersSeconds(13.65),
        "M6-853": PapersSeconds(14.11),
    },
    "d2SB": {
        "M4-33": PapersSeconds(13.67),
        "M4-28": PapersSeconds(3479.06),
        "M4-82": PapersSeconds(139.59),
        "M5-38": PapersSeconds(169049.55),
        "M6-385": PapersSeconds(13.93),
        "M6-853": PapersSeconds(13.70),
    },
}


def papers_seconds(variant: str, file: str) -> PapersSeconds:
    """What the papers report for a variant on a file: nothing for OWA and psd."""
    return _SECONDS.get(variant, {}).get(file, PapersSeconds())


def load_census(data_home: str | None) -> np.ndarray:
    """The Census file, or the end of the program in one sentence."""
    try:
        return np.asarray(fetch_casc_census(data_home=data_home, download_if_missing=False).data)
    except OSError as error:
        sys.exit(
            f"The Census file is not here: {error}\nName its folder with --data-home or with the "
            "environment variable SKLEARN_RECLINK_DATA, or download it with "
            "sklearn_reclink.datasets.fetch_casc_census()."
        )


def census_parser(description: str, *, quick: str) -> argparse.ArgumentParser:
    """The options of the benchmarks that sample the Census."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--seeds", type=int, nargs="+", help="samples of 400 records")
    parser.add_argument("--files", nargs="+", choices=FILES)
    parser.add_argument("--data-home", help="the folder of casc_census.csv")
    return parser


def set_defaults(
    options: argparse.Namespace, *, n_seeds: int, files: Sequence[str], quick_files: Sequence[str]
) -> argparse.Namespace:
    """Fill in the seeds and the files that were not given."""
    if options.seeds is None:
        options.seeds = list(range(1 if options.quick else n_seeds))
    if options.files is None:
        options.files = list(quick_files if options.quick else files)
    return options
