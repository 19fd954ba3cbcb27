"""How many blocks of which kind to prove, and with which excess: from pilot blocks.

A sample of ``n`` of ``N`` records, of which a share ``p`` is linked, leaves at the confidence level

    excess  +  z sqrt(p (1 - p) (1 / n - 1 / N)),

and ``n`` is what the workers can prove with this excess in the time that is left. Small blocks are
quick, but their own parameters fit more records by chance; more impostors cost time, and lower the
optimum of a block where few records are linked. Which *kind* of block serves best differs from
file to file. So one pilot block of each kind is proven with smaller and smaller excess, all kinds
at once on the workers. Between two excesses that a pilot proved, seconds are interpolated.

Pilots are drawn apart from the sample, and the plan is made before the sample is drawn: its size
does not depend on it (`confidence`).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.solvers.blocks.proof import Block, BlockProof, Level
from sklearn_reclink.solvers.blocks.workers import n_workers, prove_blocks

FIRST = 3.0  # times the excess, that is proven first
EXCESSES = (*(0.1 * 0.6 ** np.arange(10)), 0.0)
_LEAST_EXCESS = 1e-4
_PER_LEVEL = 3  # excesses to choose from
_SHARE_OF_PILOTS = 0.2
_SHARE_PLANNED = 0.85  # of the time after the pilots
_SAFETY = 1.1  # other blocks are harder than the pilot
_PROOF_IS_WORTH = 0.02  # of the records: a bound that is proven beats a lower one that is not
_DEVIATIONS = 2.33  # of the sampling error, for the plan alone
_LEAST_SECONDS = 5.0  # of a pilot by conflicts


@dataclass(frozen=True)
class Kind:
    """Records of a block, and impostors kept of each by each of two distances."""

    size: int
    n_impostors: int

    def n_blocks(self, n_open: int) -> int:
        return -(-n_open // self.size)


@dataclass(frozen=True)
class Plan:
    """What to prove: so many blocks of a kind, with an excess."""

    kind: Kind
    number: int
    excess: float


def prove_pilots(pilots: Sequence[Block], deadline: float, n_jobs: int | None) -> list[BlockProof]:
    """Prove pilot blocks by cells with smaller and smaller excess, for a share of the time."""
    until = time.monotonic() + _SHARE_OF_PILOTS * (deadline - time.monotonic())
    found = prove_blocks(pilots, EXCESSES, until, n_jobs=n_jobs, patience=1.0)
    return [proof for proof in found.values() if proof.levels]


def prove_pilot_by_conflicts(
    pilot: Block, n_blocks: int, deadline: float, n_jobs: int | None
) -> list[BlockProof]:
    """Prove a pilot block for its share of the time, but not so shortly that nothing is proven."""
    left = deadline - time.monotonic()
    share = n_workers(n_jobs) * _SHARE_PLANNED * left / n_blocks
    seconds = min(max(share, _LEAST_SECONDS), _SHARE_OF_PILOTS * left)
    found = prove_blocks([pilot], (0.0,), time.monotonic() + seconds, n_jobs=n_jobs)
    return list(found.values())


def make_plan(
    kinds: Sequence[Kind],
    pilots: Sequence[BlockProof],
    n_open: int,
    deadline: float,
    n_jobs: int | None,
) -> Plan | None:
    """The plan of least excess and sampling error; None where no pilot proved anything.

    ``pilots`` are numbered as the kinds are.
    """
    seconds = n_workers(n_jobs) * _SHARE_PLANNED * max(deadline - time.monotonic(), 0.0)
    best: tuple[float, float, Plan] | None = None
    for pilot in pilots:
        kind = kinds[pilot.number]
        n_blocks, share = kind.n_blocks(n_open), pilot.n_linked / pilot.n_records
        for excess in _choices(pilot.levels):
            once = _seconds_of(pilot.levels, excess)
            number = min(n_blocks, int(seconds / once))
            n = n_open * max(number, 1) / n_blocks
            variance = share * (1 - share) * max(1 / n - 1 / n_open, 0.0)
            worth = _PROOF_IS_WORTH if number < n_blocks else 0.0
            cost = excess + _DEVIATIONS * np.sqrt(variance) + worth
            # where there is no time for any block, the quickest one may still make it
            order = (0.0, cost) if number else (once, cost)
            if best is None or order < best[:2]:
                best = *order, Plan(kind, max(number, 1), _SAFETY * excess)
    return None if best is None else best[2]


def _choices(levels: Sequence[Level]) -> np.ndarray:
    """Excesses between those of the levels."""
    first, last = (max(level.excess, _LEAST_EXCESS) for level in (levels[0], levels[-1]))
    return np.geomspace(first, last, _PER_LEVEL * (len(levels) - 1) + 1)


def _seconds_of(levels: Sequence[Level], excess: float) -> float:
    """About how long a block takes, the proof with a larger excess included."""
    known = [np.log(max(level.excess, _LEAST_EXCESS)) for level in reversed(levels)]
    seconds = [np.log(max(level.seconds, 1e-3)) for level in reversed(levels)]
    asked = np.log([excess, FIRST * excess])
    return float(np.exp(np.interp(asked, known, seconds)).sum())
