"""Blocks on joblib's workers: threads, processes or a cluster; a dead worker loses its block alone.

Tasks are small and own all that they need, so that any worker can do them. When a worker dies,
joblib ends the whole call: the blocks without an answer are asked again, first those that no worker
had, and a block that keeps killing its workers is left without an answer.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool

from joblib import effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.solvers.blocks.proof import Block, BlockProof, prove_block

_LOSSES = 3
_PATIENCE = 3.0  # times its share of the time that a block may take
_LEAST_SECONDS = 0.01


def n_workers(n_jobs: int | None) -> int:
    """How many blocks are proven at once."""
    return max(1, effective_n_jobs(n_jobs))


def prove_blocks(
    blocks: Sequence[Block],
    excesses: Sequence[float],
    deadline: float,
    *,
    n_jobs: int | None = None,
    patience: float = _PATIENCE,
    most_losses: int = _LOSSES,
) -> dict[int, BlockProof]:
    """Prove blocks until the deadline; a block without a proof has no entry.

    Parameters
    ----------
    blocks : sequence of Block
    excesses : sequence of float
        As in `proof.prove_block`.
    deadline : float
        By `time.monotonic`. A block may take ``patience`` times its share of what is left.
    n_jobs : int or None
        joblib workers.
    patience : float
    most_losses : int
        Times that workers may die.
    """
    found: dict[int, BlockProof] = {}
    waiting, losses, at_once = list(blocks), 0, n_workers(n_jobs)
    while waiting and losses <= most_losses and time.monotonic() < deadline:
        begun: list[Block] = []

        def tasks(waiting: list[Block], begun: list[Block]) -> Iterator[tuple[object, ...]]:
            for place, block in enumerate(waiting):
                left = deadline - time.monotonic()
                if left < _LEAST_SECONDS:
                    return
                share = left * at_once / (len(waiting) - place)
                begun.append(block)
                yield delayed(prove_block)(block, excesses, min(patience * share, left))

        # no task waits for a worker: its seconds count from now on
        workers = Parallel(
            n_jobs=n_jobs,
            prefer="threads",
            return_as="generator_unordered",
            pre_dispatch=at_once,
            batch_size=1,
        )
        try:
            for proof in workers(tasks(waiting, begun)):
                found[proof.number] = proof
        except (TerminatedWorkerError, BrokenProcessPool, CancelledError, *_killed()):
            losses += 1
        held = {block.number for block in begun}
        waiting = [one for one in waiting if one.number not in found]
        waiting.sort(key=lambda one: one.number in held)
        if not losses:
            break
    return found


def _killed() -> tuple[type[BaseException], ...]:
    """What a Dask cluster raises when a task has killed several workers."""
    scheduler = sys.modules.get("distributed.scheduler")
    return () if scheduler is None else (scheduler.KilledWorker,)
