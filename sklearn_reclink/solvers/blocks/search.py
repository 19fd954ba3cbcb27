"""A bound for files of any size, from random blocks of their records.

Cut the records that can be linked into blocks ``S_1, ..., S_B``. In block ``b`` keep some impostors
of each record, and let the block choose its own parameters: it links at most ``U_b`` records. The
optimal ``theta`` of the whole file links at most ``U_b`` of them, since leaving out impostors loses
no link. Hence for any partition and any impostors

    optimum  <=  U_1 + ... + U_B.

*A sample.* Where there is no time for all blocks, those of the first ``n`` records of a random
permutation are proven. The optimal ``theta`` does not depend on the permutation, so that the links
among these records are hypergeometric, and at most the sum of the blocks' bounds: `confidence`
makes an upper confidence bound of it. Records count here, not blocks.

*Impostors.* The nearest ones by the best known parameters and by equal weights. More of them hardly
lower the bound of a block: elsewhere in the cone many records are lost anyway.

*Plan.* Pilot blocks, drawn apart, are proven with smaller and smaller excess (`proof`) while time
allows: this tells seconds and excess. The plan takes all blocks if that costs little against the
best sample, else the sample that leaves the smallest excess and sampling error together. It is made
before any block of the sample is seen; the confidence level needs that. In a second pass the blocks
that are open get a larger excess and more time; time left then goes to a smaller excess.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sklearn_reclink.search.tree_search import TreeSearch
from sklearn_reclink.solvers.blocks.confidence import confidence_bound
from sklearn_reclink.solvers.blocks.proof import Block, BlockProof, by_cells, prove_block
from sklearn_reclink.solvers.blocks.workers import n_workers, prove_blocks
from sklearn_reclink.solvers.problem import Problem, Solution, Status

BLOCK_OF_CELLS = 1600
BLOCK_OF_CONFLICTS = 400
_EXCESSES = 0.06 * 0.6 ** np.arange(12)
_GROWTH = 1.6  # of the seconds from one excess to the next
_SHARE_OF_PILOT = 0.25
_SHARE_PLANNED = 0.9  # of the time after the pilot
_SHARE_OF_FIRST_PASS = 0.8
_SAFETY = 1.1  # other blocks are harder than the pilot
_PROOF_IS_WORTH = 0.02  # of the records: a bound that is proven beats a lower one that is not
_DEVIATIONS = 2.33  # of the sampling error, for the plan alone


@dataclass(frozen=True)
class BlockBound:
    """What blocks show of the records that can be linked.

    Attributes
    ----------
    bound : int or None
        No parameters link more; None if not all blocks were asked.
    confidence_bound : int
        The same at the confidence level; ``bound`` if there is one and it is lower.
    confidence_level : float
    n_blocks, n_planned, n_finished : int
        Blocks of the file, those that were asked, and those that reached their target.
    """

    bound: int | None
    confidence_bound: int
    confidence_level: float
    n_blocks: int
    n_planned: int
    n_finished: int


def improve_by_blocks(
    problem: Problem,
    solution: Solution,
    *,
    deadline: float,
    rng: np.random.Generator,
    at_least: int = 0,
    verbose: int = 0,
) -> Solution:
    """A solution with a lower bound, or a confidence bound, if blocks show one by the deadline."""
    if solution.theta is None or solution.bound is None or not deadline < np.inf:
        return solution
    begin, index = time.monotonic(), problem.index
    records = _open_records(problem)
    found = bound_by_blocks(
        problem, solution.theta, records, deadline=deadline, rng=rng, n_jobs=index.n_jobs
    )
    if found is None:
        return solution
    bound = min(solution.bound, solution.bound if found.bound is None else found.bound)
    # what was linked can be linked, whatever a sample shows
    likely = min(max(found.confidence_bound, solution.n_linked), bound)
    if verbose:
        print(
            f"[{time.monotonic() - begin:6.1f} s] {found.n_planned} of {found.n_blocks} blocks: at "
            f"most {bound} can be linked, {likely} at confidence {found.confidence_level:g}",
            flush=True,
        )
    status = Status.OPTIMAL if bound <= max(solution.n_linked, at_least) else solution.status
    return replace(
        solution,
        bound=bound,
        status=status,
        confidence_bound=likely,
        confidence_level=found.confidence_level,
    )


def _open_records(problem: Problem) -> np.ndarray:
    """Records that some parameters may link."""
    index = problem.index
    if problem.family.monotone:
        return np.flatnonzero(~index.dominated)
    _, kinds, counts = np.unique(index.masked, axis=0, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[kinds.ravel()[: index.n_records]] == 1)


@dataclass(frozen=True)
class _Level:
    """The excess that a pilot block reached, and its seconds."""

    excess: float
    seconds: float


def bound_by_blocks(
    problem: Problem,
    theta: np.ndarray,
    open_records: np.ndarray,
    *,
    deadline: float,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    block_size: int | None = None,
    n_planned: int | None = None,
    excess: float | None = None,
    n_impostors: int = 4,
    level: float = 0.99,
) -> BlockBound | None:
    """Bound the records that any parameters link, by blocks of them.

    Parameters
    ----------
    problem : Problem
    theta : ndarray of shape (n_parameters,)
        Parameters known to link many records.
    open_records : ndarray of int
        Records that some parameters may link.
    deadline : float
        By `time.monotonic`.
    rng : numpy.random.Generator
        Draws the blocks.
    n_jobs : int or None
        joblib workers.
    block_size : int or None
        Records of a block; None for what serves the family.
    n_planned, excess : int or None, float or None
        Blocks to prove and the excess to prove; None for what pilot blocks suggest.
    n_impostors : int
        Nearest impostors kept of a record, by each of two distances.
    level : float
        Of the confidence bound.

    Returns
    -------
    BlockBound or None
        None if there was no time to plan.
    """
    if not len(open_records):
        return None
    maker = _Maker(problem, theta, n_impostors)
    levels = [] if excess is None else [_Level(excess, 0.0)]
    cells = by_cells(problem.family)
    sizes = [BLOCK_OF_CELLS, BLOCK_OF_CONFLICTS] if cells else [BLOCK_OF_CONFLICTS]
    for size in [block_size] if block_size else sizes:  # small ones where time is short
        n_blocks = -(-len(open_records) // size)
        if not levels:
            records = _parts(open_records, n_blocks, rng)[0]
            levels = _pilot(maker.block(0, records), n_blocks, deadline, n_jobs)
        if levels:
            break
    else:
        return None
    number, chosen = n_blocks, levels[0]
    if excess is None:
        left = _SHARE_PLANNED * (deadline - time.monotonic()) * n_workers(n_jobs)
        number, chosen = _plan(levels, len(open_records), n_blocks, left)
    number = min(n_planned or number, n_blocks)
    drawn = _parts(open_records, n_blocks, rng)[:number]  # independent of all that was seen
    blocks = [maker.block(k, records) for k, records in enumerate(drawn)]
    proofs = _passes(blocks, levels, chosen, deadline, n_jobs)
    bounds = [proofs[k].bound if k in proofs else len(part) for k, part in enumerate(drawn)]
    n_sampled = sum(len(part) for part in drawn)
    likely = confidence_bound(len(open_records), n_sampled, sum(bounds), level)
    finished = sum(proof.finished for proof in proofs.values())
    bound = sum(bounds) if number == n_blocks else None
    return BlockBound(bound, likely, level, n_blocks, number, finished)


def _parts(records: np.ndarray, n_blocks: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [np.sort(part) for part in np.array_split(rng.permutation(records), n_blocks)]


class _Maker:
    """Makes blocks: finds impostors in the whole pool, and copies what a worker needs."""

    def __init__(self, problem: Problem, theta: np.ndarray, n_impostors: int) -> None:
        self.problem, self.theta, self.n_impostors = problem, theta, n_impostors
        family, index = problem.family, problem.index
        searched = []
        for parameters in (theta, family.centre):
            formula = family.formula(parameters)
            if formula is not None and (formula.weights.any() or formula.root.size):
                searched.append(
                    TreeSearch.plant(index, family, parameters, formula, stretched=False)
                )
        self.searches = searched

    def block(self, number: int, records: np.ndarray) -> Block:
        index = self.problem.index
        found = [
            search.ask("nearest_impostors", records, n_jobs=index.n_jobs, k=self.n_impostors)[0]
            for search in self.searches
        ]
        near = np.hstack([np.empty((len(records), 0), np.int64), *found])
        pairs = np.column_stack([np.repeat(np.arange(len(records)), near.shape[1]), near.ravel()])
        owners, impostors = np.unique(pairs[pairs[:, 1] >= 0], axis=0).T
        others = np.setdiff1d(impostors, records)  # a masked record twice would tie with itself
        pool = np.concatenate([records, others])
        order = np.argsort(pool)
        return Block(
            number,
            self.problem.family.without_files,
            self.theta,
            index.original[records],
            index.masked[pool],
            owners,
            order[np.searchsorted(pool, impostors, sorter=order)],
        )


def _pilot(block: Block, n_blocks: int, deadline: float, n_jobs: int | None) -> list[_Level]:
    """Prove a block with smaller and smaller excess, as far as time allows."""
    begin = time.monotonic()
    until = begin + _SHARE_OF_PILOT * (deadline - begin)
    if not by_cells(block.family):
        # the share of a block, but not so short that nothing is proven
        share = n_workers(n_jobs) * _SHARE_PLANNED * (deadline - begin) / n_blocks
        proof = prove_block(block, 0.0, min(max(share, 5.0), until - begin))
        return [_Level((proof.bound - proof.n_linked) / block.n_records, proof.seconds)]
    levels: list[_Level] = []
    for excess in (*_EXCESSES, 0.0):
        left = until - time.monotonic()
        if left <= 0 or (levels and left < _GROWTH * levels[-1].seconds):
            break
        proof = prove_block(block, float(excess), left)
        if not proof.finished:
            break
        levels.append(_Level(float(excess), max(proof.seconds, 1e-3)))
        if proof.bound > proof.n_linked + excess * block.n_records:  # the optimum, found on the way
            break
    return levels


def _plan(
    levels: Sequence[_Level], n_open: int, n_blocks: int, seconds: float
) -> tuple[int, _Level]:
    """How many blocks to prove, and with which excess."""
    best: tuple[float, int, _Level] | None = None
    for one in levels:
        number = n_blocks if seconds >= n_blocks * one.seconds else int(seconds / one.seconds)
        if number == 0:
            continue
        n = n_open * number / n_blocks
        error = 0.5 * _DEVIATIONS * np.sqrt(max(1 / n - 1 / n_open, 0.0))
        worth = _PROOF_IS_WORTH if number < n_blocks else 0.0
        cost = one.excess + error + worth
        if best is None or cost < best[0]:
            best = cost, number, one
    return (1, levels[0]) if best is None else best[1:]


def _passes(
    blocks: Sequence[Block],
    levels: Sequence[_Level],
    chosen: _Level,
    deadline: float,
    n_jobs: int | None,
) -> dict[int, BlockProof]:
    """Prove blocks: all with the excess chosen, then those that are open, then all once more."""
    proofs: dict[int, BlockProof] = {}
    excess, now = _SAFETY * chosen.excess, list(blocks)
    begin = time.monotonic()
    until = begin + _SHARE_OF_FIRST_PASS * (deadline - begin)
    while now and time.monotonic() < deadline:
        before = time.monotonic()
        found = prove_blocks(now, excess, until, n_jobs=n_jobs)
        taken, until = time.monotonic() - before, deadline
        for number, proof in found.items():
            old = proofs.get(number)
            if old is None or proof.bound < old.bound:
                proofs[number] = proof
        left = deadline - time.monotonic()
        now = [one for one in blocks if one.number not in proofs or not proofs[one.number].finished]
        if now:
            if not by_cells(now[0].family):
                break
            excess = min(2 * max(excess, 1 / now[0].n_records), 1.0)
            continue
        smaller = [one for one in levels if one.excess < chosen.excess]
        if not smaller or left < 1.2 * taken * smaller[0].seconds / max(chosen.seconds, 1e-3):
            break
        chosen, now = smaller[0], list(blocks)
        excess = _SAFETY * chosen.excess
    return proofs
