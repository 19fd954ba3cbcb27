"""Records that no monotone distance links, by a tree of the masked records.

An impostor at most as far as the own masked record in every coordinate, or tied with it, is at most
as far by every monotone distance. `Index.dominated` compares all pairs, or asks here.
"""

import numpy as np

from sklearn_reclink.search.index import Index
from sklearn_reclink.search.ties import BOX_TOLERANCE


def by_tree(index: Index, *, chunk: int = 4096) -> np.ndarray:
    """`Index.dominated`; a worker searches ``chunk`` records at once."""
    from sklearn.utils.parallel import Parallel, delayed

    from sklearn_reclink.search.tree.boxes import someone_in_box
    from sklearn_reclink.search.tree_search import tree_of

    tree = tree_of(index, np.ones(index.masked.shape[1]))
    rows = tree.rows[tree.rows < index.n_records]  # neighbours walk the same branches
    caps = np.zeros(0) if index.caps is None else index.caps
    chunks = [rows[start : start + chunk] for start in range(0, len(rows), chunk)]
    # a chunk takes milliseconds: never worth sending the tree to another process
    answers = Parallel(n_jobs=index.n_jobs if len(chunks) > 1 else 1, require="sharedmem")(
        delayed(someone_in_box)(tree, index.original[some], some, BOX_TOLERANCE, caps)
        for some in chunks
    )
    found = np.empty(index.n_records, dtype=bool)
    for some, answer in zip(chunks, answers, strict=True):
        found[some] = answer
    return found
