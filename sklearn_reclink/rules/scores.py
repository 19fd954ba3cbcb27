"""Scores of all pairs, computed in blocks of original records.

A rule passes over all pairs several times. Blocks that fit into memory together are kept after
the first pass, else they are computed anew: ``N^2`` scores are never held for a large file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

# Bytes of one block of scores, and of all blocks that are kept between passes.
BLOCK_BYTES = 2**24
KEPT_BYTES = 2**28


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

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores
    >>> table = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]])
    >>> scores = Scores.of(table)
    >>> [values.shape for _, values in scores.blocks()]
    [(3, 2)]
    """

    compute: Callable[[int, int], np.ndarray]
    shape: tuple[int, int]
    _kept: dict[int, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, table: np.ndarray) -> Scores:
        """Scores that are in a table already."""
        return cls(lambda start, stop: table[start:stop], (table.shape[0], table.shape[1]))

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """First record and scores of every block, (n_block, n_masked); not to be changed."""
        n_records, n_masked = self.shape
        size = max(1, BLOCK_BYTES // (8 * n_masked))
        keep = 8 * n_records * n_masked <= KEPT_BYTES
        for start in range(0, n_records, size):
            values = self._kept.get(start)
            if values is None:
                values = self.compute(start, min(start + size, n_records))
                if keep:
                    self._kept[start] = values
            yield start, values

    @property
    def transposed(self) -> Scores:
        """The same scores with the two files exchanged, held as a table."""
        return Scores.of(self.table().T)

    def table(self) -> np.ndarray:
        """All scores at once, (n_records, n_masked): for files of some thousand records."""
        return np.concatenate([values for _, values in self.blocks()])
