"""What the linkers by likelihoods share: they count by their rule, and prove nothing."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Solution, Status

NOTHING_PROVEN = Solution(None, 0, None, Status.HEURISTIC)


@dataclass(kw_only=True, eq=False, repr=False)
class LikelihoodLinker(BaseLinker):
    """Base of the linkers whose distance is minus a log-likelihood."""

    _has_ceiling: ClassVar[bool] = False
    _learns: ClassVar[bool] = True

    def _index(self, original: np.ndarray, masked: np.ndarray, **options: Any) -> Index:
        return Index(*self._coordinates(original, masked), **options | self._work)

    def _learn_temperature(self, index: Index) -> float:
        return 1.0  # a log-likelihood already

    def _count(self, index: Index) -> int:
        """How many records of the files of `fit` are re-identified by the rule."""
        return int(np.count_nonzero(self._ask("linked", index)[0]))
