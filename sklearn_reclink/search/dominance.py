"""Records that no monotone distance links.

An impostor at most as far as the own masked record in every coordinate, or tied with it, is at most
as far by every monotone distance. All pairs are compared, or a tree is asked.
"""

import numpy as np

from sklearn_reclink.search.index import BATCH_BYTES, Index
from sklearn_reclink.search.ties import TIE_TOLERANCE

# half the tolerance, so that rounding cannot part this answer from a recount
_TOLERANCE = 0.5 * TIE_TOLERANCE


def dominated(index: Index) -> np.ndarray:
    """`Index.dominated`."""
    return _by_pairs(index) if index.is_dense else by_tree(index)


def _by_pairs(index: Index) -> np.ndarray:
    found = np.zeros(index.n_records, dtype=bool)
    size = max(1, BATCH_BYTES // (32 * index.n_masked))
    for start in range(0, index.n_records, size):
        records = np.arange(start, min(start + size, index.n_records))
        own = index.squares(0, records, records)[:, None]
        first = index.squares(0, records[:, None], slice(None))
        near = first - own <= _TOLERANCE * (first + own)
        near[np.arange(len(records)), records] = False
        places, impostors = np.nonzero(near)
        for k in range(1, index.original.shape[1]):
            mine = index.squares(k, records, records)[places]
            other = index.squares(k, records[places], impostors)
            near_too = other - mine <= _TOLERANCE * (other + mine)
            places, impostors = places[near_too], impostors[near_too]
        found[records[places]] = True
    return found


def by_tree(index: Index, *, chunk: int = 4096) -> np.ndarray:
    """The same; a worker searches ``chunk`` records at once."""
    from sklearn.utils.parallel import Parallel, delayed

    from sklearn_reclink.search.tree.boxes import someone_in_box
    from sklearn_reclink.search.tree_search import tree_of

    tree = tree_of(index, np.ones(index.masked.shape[1]))
    rows = tree.rows[tree.rows < index.n_records]  # neighbours walk the same branches
    caps = np.zeros(0) if index.caps is None else index.caps
    chunks = [rows[start : start + chunk] for start in range(0, len(rows), chunk)]
    # a chunk takes milliseconds: never worth sending the tree to another process
    answers = Parallel(n_jobs=index.n_jobs if len(chunks) > 1 else 1, require="sharedmem")(
        delayed(someone_in_box)(tree, index.original[some], some, _TOLERANCE, caps)
        for some in chunks
    )
    found = np.empty(index.n_records, dtype=bool)
    for some, answer in zip(chunks, answers, strict=True):
        found[some] = answer
    return found
