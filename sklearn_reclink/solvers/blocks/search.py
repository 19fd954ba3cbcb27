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

*Passes.* `plan` says how many blocks to prove, and with which excess, before any block of the
sample is seen; the confidence level needs that. All blocks are first proven with a larger excess,
which takes little time: a machine that becomes slower then costs excess, not whole blocks. Time
left in the end goes to the blocks of largest excess, as many as it suffices for.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sklearn_reclink.families.base import distinct
from sklearn_reclink.search.tree_search import TreeSearch
from sklearn_reclink.solvers.blocks.confidence import confidence_bound
from sklearn_reclink.solvers.blocks.plan import (
    FIRST,
    Kind,
    Plan,
    make_plan,
    prove_pilot_by_conflicts,
    prove_pilots,
)
from sklearn_reclink.solvers.blocks.proof import Block, BlockProof, prove_block
from sklearn_reclink.solvers.blocks.workers import n_workers, prove_blocks
from sklearn_reclink.solvers.presolve import cells_apply, presolve
from sklearn_reclink.solvers.problem import Problem, Solution, Status

KINDS_BY_CELLS = (Kind(400, 4), Kind(800, 4), Kind(800, 8), Kind(1600, 4))
KINDS_BY_CONFLICTS = (Kind(400, 4),)
_SHARE_OF_FIRST_PASSES = 0.85
_SMALLER = 0.7  # times the excess, where time is left
_LONGER = 1.8  # times the seconds that this takes


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
        Blocks of the file, those that were asked, and those of which a target was proven.
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
    records = presolve(problem, most_pairs=0).open
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


def takes_longer(
    problem: Problem,
    theta: np.ndarray,
    records: np.ndarray,
    seconds: float,
    rng: np.random.Generator,
) -> bool:
    """Whether a proof of some records by cells takes longer, all workers together.

    A block with few impostors is proven more easily than its part of the whole.
    """
    kind = KINDS_BY_CELLS[0]
    drawn = np.sort(rng.permutation(records)[: kind.size])
    block = _Maker(problem, theta).block(0, drawn, kind)
    return not prove_block(block, [0.0], seconds / kind.n_blocks(len(records))).finished


def bound_by_blocks(
    problem: Problem,
    theta: np.ndarray,
    open_records: np.ndarray,
    *,
    deadline: float,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    plan: Plan | None = None,
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
    plan : Plan or None
        What to prove; None for what pilot blocks suggest.
    level : float
        Of the confidence bound.

    Returns
    -------
    BlockBound or None
        None if there was no time to plan.
    """
    if not len(open_records):
        return None
    maker = _Maker(problem, theta)
    if plan is None:
        plan = _planned(maker, open_records, deadline, rng, n_jobs)
    if plan is None:
        return None
    n_blocks = plan.kind.n_blocks(len(open_records))
    parts = np.array_split(rng.permutation(open_records), n_blocks)  # independent of all seen
    drawn = [np.sort(part) for part in parts[: plan.number]]
    blocks = [maker.block(k, records, plan.kind) for k, records in enumerate(drawn)]
    proofs = _passes(blocks, plan.excess, deadline, n_jobs)
    bounds = [proofs[k].bound if k in proofs else len(part) for k, part in enumerate(drawn)]
    n_sampled = sum(len(part) for part in drawn)
    likely = confidence_bound(len(open_records), n_sampled, sum(bounds), level)
    finished = sum(proof.finished for proof in proofs.values())
    bound = sum(bounds) if len(drawn) == n_blocks else None
    return BlockBound(bound, likely, level, n_blocks, len(drawn), finished)


def _planned(
    maker: "_Maker",
    open_records: np.ndarray,
    deadline: float,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Plan | None:
    """The plan that pilot blocks suggest."""
    cells, n_open = cells_apply(maker.problem.family), len(open_records)
    kinds = KINDS_BY_CELLS if cells else KINDS_BY_CONFLICTS
    pilots = [
        maker.block(k, np.sort(rng.permutation(open_records)[: kind.size]), kind)
        for k, kind in enumerate(kinds)
    ]
    if cells:
        found = prove_pilots(pilots, deadline, n_jobs)
        found = found or prove_pilots(pilots[:1], deadline, n_jobs)  # where time is short
    else:
        found = prove_pilot_by_conflicts(pilots[0], kinds[0].n_blocks(n_open), deadline, n_jobs)
    return make_plan(kinds, found, n_open, deadline, n_jobs)


class _Maker:
    """Makes blocks: finds impostors in the whole pool, and copies what a worker needs."""

    def __init__(self, problem: Problem, theta: np.ndarray) -> None:
        self.problem, self.theta = problem, theta
        family, index = problem.family, problem.index
        searched = []
        for parameters in distinct([theta, family.centre]):
            formula = family.formula(parameters)
            if formula is not None and (formula.weights.any() or formula.root.size):
                searched.append(
                    TreeSearch.plant(index, family, parameters, formula, stretched=False)
                )
        self.searches = searched

    def block(self, number: int, records: np.ndarray, kind: Kind) -> Block:
        index = self.problem.index
        found = [
            search.ask("nearest_impostors", records, n_jobs=index.n_jobs, k=kind.n_impostors)[0]
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


def _passes(
    blocks: Sequence[Block], excess: float, deadline: float, n_jobs: int | None
) -> dict[int, BlockProof]:
    """Prove blocks: all with a large excess, as one without a proof counts in full; then less."""
    proofs: dict[int, BlockProof] = {}
    begin, coarse = time.monotonic(), FIRST * excess
    cells = cells_apply(blocks[0].family)
    until = begin + _SHARE_OF_FIRST_PASSES * (deadline - begin) if cells else deadline
    asked = list(blocks)
    while asked and time.monotonic() < deadline and coarse <= 1:
        _improve(proofs, prove_blocks(asked, [coarse], until, n_jobs=n_jobs))
        if not cells:
            return proofs
        asked = [one for one in blocks if one.number not in proofs or not proofs[one.number].levels]
        coarse, until = 2 * max(coarse, 1 / blocks[0].n_records), deadline
    asked = [one for one in blocks if one.number in proofs and not proofs[one.number].optimal]
    _improve(proofs, prove_blocks(asked, [excess], deadline, n_jobs=n_jobs))
    _prove_more(blocks, proofs, deadline, n_jobs)
    return proofs


def _improve(proofs: dict[int, BlockProof], found: dict[int, BlockProof]) -> None:
    for number, proof in found.items():
        if number not in proofs or proof.bound < proofs[number].bound:
            proofs[number] = proof


def _prove_more(
    blocks: Sequence[Block], proofs: dict[int, BlockProof], deadline: float, n_jobs: int | None
) -> None:
    """Prove a smaller excess of the blocks where it is largest, while there is time."""
    better = {number for number, one in proofs.items() if one.levels and not one.optimal}
    while better and time.monotonic() < deadline < np.inf:
        order = sorted(better, key=lambda number: -proofs[number].excess)
        seconds = _LONGER * np.median([proofs[number].levels[-1].seconds for number in order])
        left = deadline - time.monotonic()
        chosen = order[: int(n_workers(n_jobs) * left / max(seconds, 1e-3))]
        if not chosen:
            break
        smaller = _SMALLER * proofs[chosen[0]].excess
        asked = [one for one in blocks if one.number in chosen]
        found = prove_blocks(asked, (smaller,), deadline, n_jobs=n_jobs)
        _improve(proofs, found)
        for number in chosen:
            proof = found.get(number)
            if proof is None or not proof.finished or proof.optimal:
                better.discard(number)
