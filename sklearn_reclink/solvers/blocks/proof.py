"""The proof of one block, as a task for a worker.

A block is some records and some impostors of each: all other rows are left out. Its optimum is at
least the number of its records that any parameters link in the whole file.

*Targets.* Near the optimum a proof by cells takes most of its time, and before it ends its bound
says little: the search goes into depth. So a block is not asked for its optimum, but for a proof
that no parameters link more than a *target*: the links of known parameters and an *excess*, a share
of the records. Halving the excess about doubles the time. The larger the block, the smaller the
excess that can be proven (its own parameters fit fewer records by chance), at about the same time
per record. A proof with a larger excess comes first, which costs little: it is what is left if time
ends. Each proof says how long its excess took: of a pilot block, that is what a plan needs to know.

Families without generators are proven by `exact.solve_exact`, whose bound serves at any time.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.cells.search import prove_by_cells
from sklearn_reclink.solvers.feasibility import one_thread
from sklearn_reclink.solvers.presolve import cells_apply
from sklearn_reclink.solvers.problem import Problem
from sklearn_reclink.solvers.row_cache import row_norms

GROWTH = 1.6  # of the seconds from one excess to the next, at least


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


@dataclass(frozen=True)
class Level:
    """An excess that was proven, and the seconds that this took."""

    excess: float
    seconds: float


@dataclass(frozen=True, eq=False)
class BlockProof:
    """What was proven of a block.

    Attributes
    ----------
    number : int
    n_records : int
    bound : int
        No parameters link more of its records.
    n_linked : int
        The known parameters link so many.
    levels : tuple of Level
        What was proven, with less and less excess.
    finished : bool
        Whether the last excess asked for, or the optimum, was proven.
    optimal : bool
        Whether some parameters link as many as the bound.
    """

    number: int
    n_records: int
    bound: int
    n_linked: int
    levels: tuple[Level, ...]
    finished: bool
    optimal: bool

    @property
    def excess(self) -> float:
        """By how much the bound is above the links of the known parameters."""
        return (self.bound - self.n_linked) / self.n_records


def prove_block(block: Block, excesses: Sequence[float], seconds: float) -> BlockProof:
    """Prove that no parameters link many more records than the known ones.

    Parameters
    ----------
    block : Block
    excesses : sequence of float
        How many more, as shares of the records: one after the other, the largest first.
    seconds : float
        After these the bound is what is proven so far, at worst the number of records. A proof for
        which there is clearly no time does not begin.
    """
    deadline = time.monotonic() + seconds
    with one_thread():
        prove = _prove_by_cells if cells_apply(block.family) else _prove_exactly
        return prove(block, excesses, deadline)


def _prove_by_cells(block: Block, excesses: Sequence[float], deadline: float) -> BlockProof:
    generators, size = block.family.generators, block.n_records
    assert generators is not None
    index = Index(block.original, block.masked, caps=block.family.caps)
    rows, magnitudes = index.rows(block.family, block.owners, block.impostors)
    norms = row_norms(rows)
    n_free = size - len(np.unique(block.owners))  # records without rows
    known = rows @ block.theta > TIE_TOLERANCE * (magnitudes @ block.theta)
    n_linked = size - len(np.unique(block.owners[~known]))
    bound, levels, optimal = size, list[Level](), False
    for excess in excesses:
        begin = time.monotonic()
        if levels and begin + GROWTH * levels[-1].seconds > deadline:
            break
        target = n_linked + int(excess * size)
        proof = prove_by_cells(
            rows / norms,
            magnitudes / norms,
            block.owners,
            generators,
            theta=block.theta,
            at_least=target - n_free,
            deadline=deadline,
            n_jobs=1,
        )
        bound = min(bound, n_free + proof.bound)
        if not proof.finished:
            break
        optimal = n_free + proof.bound > target or bound == n_linked
        reached = max(excess, (n_free + proof.bound - n_linked) / size)
        levels.append(Level(reached, time.monotonic() - begin))
        if optimal:
            break
    finished = optimal or len(levels) == len(excesses)
    return BlockProof(block.number, size, bound, n_linked, tuple(levels), finished, optimal)


def _prove_exactly(block: Block, excesses: Sequence[float], deadline: float) -> BlockProof:
    from sklearn_reclink.solvers.exact import solve_exact  # cells do without HiGHS

    begin = time.monotonic()
    index = Index(block.original, block.masked, caps=block.family.caps)
    solution = solve_exact(
        Problem(block.family, index),
        time_limit=max(deadline - begin, 0.0),
        rng=np.random.default_rng(block.number),
        late_starts=lambda _: [block.theta],
    )
    n_linked = int(np.count_nonzero(index.linked(block.family, block.theta)))
    bound = block.n_records if solution.bound is None else min(solution.bound, block.n_records)
    optimal = bound <= max(solution.n_linked, n_linked)
    excess = (bound - n_linked) / block.n_records
    levels = (Level(excess, time.monotonic() - begin),)
    finished = optimal or excess <= min(excesses)
    return BlockProof(block.number, block.n_records, bound, n_linked, levels, finished, optimal)
