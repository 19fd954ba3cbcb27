"""Pairs of files for the laws of the measures."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


def tables(n_tables=2):
    """Tables of the same small shape, ties and constant columns among them."""
    return st.builds(
        _draw,
        st.just(n_tables),
        n_records=st.integers(2, 12),
        n_features=st.integers(1, 4),
        n_levels=st.integers(1, 80),
        seed=st.integers(0, 2**32 - 1),
    )


def _draw(n_tables, n_records, n_features, n_levels, seed):
    # eighths: sums and shifts of them by whole numbers are exact
    levels = np.random.default_rng(seed).integers(n_levels, size=(n_tables, n_records, n_features))
    return list((levels - n_levels // 2) / 8)


def permuted(table, seed):
    rows, columns = (np.random.default_rng(seed).permutation(size) for size in table.shape)
    return table[rows][:, columns]
