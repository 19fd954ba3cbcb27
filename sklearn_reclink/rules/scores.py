"""Scores of all pairs, computed in blocks of original records.

A rule passes over all pairs several times. Blocks that fit into memory together are kept after
the first pass; otherwise they are computed again. The scores of all pairs of two large files are
never held at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sklearn_reclink.search import DistancePairs, Index, Pairs


@dataclass(frozen=True)
class Scores:
    """Scores of every original record with every masked record.

    Parameters
    ----------
    compute : callable
        ``compute(start, stop)`` gives the scores of original records ``start`` to ``stop - 1``,
        an array of shape (stop - start, n_masked).
    shape : tuple of int
        Number of original and of masked records.
    block_bytes : int, default=2**24
        Bytes of one block of scores.
    kept_bytes : int, default=2**28
        Largest number of bytes of all blocks that are kept between passes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores
    >>> table = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]])
    >>> [values.shape for _, values in Scores.of_table(table).blocks()]
    [(3, 2)]
    """

    compute: Callable[[int, int], np.ndarray]
    shape: tuple[int, int]
    block_bytes: int = 2**24
    kept_bytes: int = 2**28
    _kept: dict[int, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_table(cls, table: np.ndarray, **limits: Any) -> "Scores":
        """Scores that are already in a table, (n_records, n_masked)."""
        shape = (table.shape[0], table.shape[1])
        return cls(lambda start, stop: table[start:stop], shape, **limits)

    @classmethod
    def of_pairs(cls, pairs: Pairs, scale: float = 1.0) -> "Scores":
        """The scores ``-distance / scale`` of all pairs."""
        return cls(
            lambda start, stop: -pairs.distances(np.arange(start, stop))[0] / scale, pairs.shape
        )

    @classmethod
    def of_sample(
        cls, index: Index, family: Any, theta: np.ndarray, rng: Any, most: int = 1000
    ) -> "Scores":
        """Distances of all pairs of at most so many aligned records, drawn at random."""
        rows = np.arange(index.n_records)
        if len(rows) > most:
            rows = np.sort(rng.permutation(len(rows))[:most])
        pairs = DistancePairs(family, theta, index.original[rows], index.masked[rows])
        return cls.of_pairs(pairs, -1.0)

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """First record and scores of every block, (n_block, n_masked); do not change them."""
        n_records, n_masked = self.shape
        size = max(1, self.block_bytes // (8 * n_masked))
        keep = 8 * n_records * n_masked <= self.kept_bytes
        for start in range(0, n_records, size):
            values = self._kept.get(start)
            if values is None:
                values = self.compute(start, min(start + size, n_records))
                if keep:
                    self._kept[start] = values
            yield start, values

    def at(self, records: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Scores of some pairs, (n_pairs,); ``records`` must be sorted."""
        parts = []
        for start, values in self.blocks():
            here = slice(*np.searchsorted(records, [start, start + len(values)]))
            parts.append(values[records[here] - start, masked[here]])
        return np.concatenate(parts)


def log_sum_exp(values: np.ndarray, axis: int) -> np.ndarray:
    """Logarithm of the sum of exponentials along an axis, without overflow.

    ``scipy.special.logsumexp`` also handles weights, signs and complex numbers, and takes four
    times as long.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules.scores import log_sum_exp
    >>> np.exp(log_sum_exp(np.log([[0.25, 1.0], [0.5, 2.0]]), axis=0)).round(12)
    array([0.75, 3.  ])
    """
    top = values.max(axis=axis, keepdims=True)
    return np.asarray(np.squeeze(top, axis) + np.log(np.exp(values - top).sum(axis=axis)))
