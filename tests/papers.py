"""The masked Census files of the papers: which variables are microaggregated together, and k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.masking import Microaggregation

N_RECORDS = 400


@dataclass(frozen=True)
class MaskedFile:
    """One file; ``euclidean`` is the papers' d2AM rate, in percent."""

    groups: list[list[int]]
    k: list[int]
    euclidean: float

    def draw(self, census: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """400 records of the Census and their masked version."""
        rows = np.random.default_rng(seed).choice(len(census), N_RECORDS, replace=False)
        X = census[rows][:, : sum(map(len, self.groups))]
        return X, Microaggregation(groups=self.groups, k=self.k).fit_transform(X)


FILES = {
    "M4-33": MaskedFile([[0, 1], [2, 3]], [3, 3], 84.0),
    "M4-28": MaskedFile([[0, 1], [2, 3]], [2, 8], 68.5),
    "M4-82": MaskedFile([[0, 1], [2, 3]], [8, 2], 71.0),
    "M5-38": MaskedFile([[0, 1, 2], [3, 4]], [3, 8], 39.75),
    "M6-385": MaskedFile([[0, 1], [2, 3], [4, 5]], [3, 8, 5], 78.0),
    "M6-853": MaskedFile([[0, 1], [2, 3], [4, 5]], [8, 5, 3], 84.75),
    "M7-999": MaskedFile([[0, 1, 2], [3, 4, 5], [6]], [3, 3, 3], 87.75),
}
