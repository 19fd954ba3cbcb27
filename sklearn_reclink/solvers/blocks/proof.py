"""The proof of one block, as a task for a worker.

A block is some records and some impostors of each: all other rows are left out. Its optimum is at
least the number of its records that any parameters link in the whole file.

*Targets.* Near the optimum a proof by cells takes most of its time, and before it ends its bound
says little: the search goes into depth. So a block is not asked for its optimum, but for a proof
that no parameters link more than a *target*: the links of known parameters and an *excess*, a share
of the records. Halving the excess about doubles the time. The larger the block, the smaller the
excess that can be proven (its own parameters fit fewer records by chance), at about the same time
per record. A proof with a larger excess comes first, which costs little: it is what is left if time
ends.

Families without generators are proven by `exact.solve_exact`, whose bound serves at any time.
"""

import time
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index

MOST_CELL_PARAMETERS = 8
_FIRST = 4  # times the excess that is proven first


@dataclass(frozen=True, eq=False)
class Block:
    """Some records, with what a worker needs to know.

    Attributes
    ----------
    number : int
    family : Family
    theta : ndarray of shape (n_parameters,)
        Parameters known to link many records.
    original : ndarray of shape (n_records, n_features)
    masked : ndarray of shape (n_masked, n_features)
        The masked records of the block, then the impostors.
    owners, impostors : ndarray of int of shape (n_rows,)
        Pairs of a record and an impostor, as rows of ``original`` and ``masked``.
    """

    number: int
    family: Family
    theta: np.ndarray
    original: np.ndarray
    masked: np.ndarray
    owners: np.ndarray
    impostors: np.ndarray

    @property
    def n_records(self) -> int:
        return len(self.original)


@dataclass(frozen=True, eq=False)
class BlockProof:
    """What was proven of a block.

    Attributes
    ----------
    number : int
    bound : int
        No parameters link more of its records.
    n_linked : int
        The known parameters link so many.
    finished : bool
        Whether the target or the optimum was proven.
    seconds : float
    """

    number: int
    bound: int
    n_linked: int
    finished: bool
    seconds: float


def by_cells(family: Family) -> bool:
    """Whether blocks of the family are proven by cells."""
    few = family.n_parameters <= MOST_CELL_PARAMETERS
    return family.monotone and family.generators is not None and few


def prove_block(block: Block, excess: float, seconds: float) -> BlockProof:
    """Prove that no parameters link many more records than the known ones.

    Parameters
    ----------
    block : Block
    excess : float
        How many more, as a share of the records.
    seconds : float
        After these the bound is what is proven so far, at worst the number of records.
    """
    begin = time.monotonic()
    with threadpool_limits(1):
        prove = _prove_by_cells if by_cells(block.family) else _prove_exactly
        bound, n_linked, finished = prove(block, excess, begin + seconds)
    bound = min(bound, block.n_records)
    return BlockProof(block.number, bound, n_linked, finished, time.monotonic() - begin)


def _prove_by_cells(block: Block, excess: float, deadline: float) -> tuple[int, int, bool]:
    from sklearn_reclink.search.ties import TIE_TOLERANCE
    from sklearn_reclink.solvers.cells.search import prove_by_cells

    generators = block.family.generators
    assert generators is not None
    index = Index(block.original, block.masked, caps=block.family.caps)
    rows, magnitudes = index.rows(block.family, block.owners, block.impostors)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    norms[norms == 0] = 1.0
    n_free = block.n_records - len(np.unique(block.owners))  # records without rows
    known = rows @ block.theta > TIE_TOLERANCE * (magnitudes @ block.theta)
    n_linked = block.n_records - len(np.unique(block.owners[~known]))
    bound, finished = block.n_records, False
    for share in (_FIRST * excess, excess):
        proof = prove_by_cells(
            rows / norms,
            magnitudes / norms,
            block.owners,
            generators,
            theta=block.theta,
            at_least=n_linked - n_free + int(share * block.n_records),
            deadline=deadline,
            n_jobs=1,
        )
        bound, finished = min(bound, n_free + proof.bound), proof.finished
    return bound, n_linked, finished


def _prove_exactly(block: Block, excess: float, deadline: float) -> tuple[int, int, bool]:
    from sklearn_reclink.solvers.exact import solve_exact
    from sklearn_reclink.solvers.problem import Problem

    index = Index(block.original, block.masked, caps=block.family.caps)
    solution = solve_exact(
        Problem(block.family, index),
        time_limit=max(deadline - time.monotonic(), 0.0),
        rng=np.random.default_rng(block.number),
        late_starts=lambda _: [block.theta],
    )
    n_linked = int(np.count_nonzero(index.linked(block.family, block.theta)))
    bound = block.n_records if solution.bound is None else solution.bound
    return bound, n_linked, bound <= max(solution.n_linked, n_linked + excess * block.n_records)
