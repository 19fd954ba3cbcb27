"""What leaving variables out of the release would change, measured with all attackers.

A *remedy* is a set of variables to leave out. All attackers of the audit run again on the other
variables, tested on records not seen as before, and the risk ``r'`` of that run is set beside the
risk ``r`` of the audit. A remedy *helps* if at least one record and 5 % of those at risk are no
longer found::

    round(r n) - round(r' n) >= max(1, 0.05 round(r n))

Nothing is said of a set for which time did not allow all attackers to run again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sklearn_reclink.auditing._files import Files
from sklearn_reclink.auditing._running import Run, Steps, planned, run_attackers

_LEAST_DROP = 0.05
_SPARE = 1.3  # a run may take so much longer than the one before
_SHORTEST = 0.2  # seconds of each search


@dataclass(frozen=True)
class Remedy:
    """Variables to leave out, and what that was measured to change.

    Attributes
    ----------
    leave_out : tuple of str
        The variables.
    risk_before, risk_after : float
        Risk with all variables, and without these.
    n_before, n_after : int
        The same as numbers of records.
    cut_short : bool
        Whether the time limit stopped a search without these variables.
    """

    leave_out: tuple[str, ...]
    risk_before: float
    risk_after: float
    n_before: int
    n_after: int
    cut_short: bool

    @property
    def helps(self) -> bool:
        """Whether it lowers the risk by a number worth telling."""
        return self.n_before - self.n_after >= max(1, _LEAST_DROP * self.n_before)

    def helps_more_than(self, other: "Remedy") -> bool:
        """Whether the risk is also lower, by as much, than after another remedy."""
        return other.n_after - self.n_after >= max(1, _LEAST_DROP * self.n_before)


def measured_remedies(
    candidates: Sequence[tuple[int, ...]], files: Files, run: Run, end: float
) -> tuple[Remedy, ...]:
    """Leave out sets of variables in turn, as long as there is time for another run."""
    found: list[Remedy] = []
    before, total = run.strongest.risk, len(files.X)
    for number, some in enumerate(candidates):
        kept = [k for k in range(len(files.names)) if k not in some]
        seconds = (end - time.monotonic()) / (len(candidates) - number)
        seconds = min(seconds, _SPARE * run.seconds)
        again = run_again(files.only(kept), run, seconds)
        if again is None:
            continue
        after = again.strongest.risk
        found.append(
            Remedy(
                leave_out=tuple(files.names[k] for k in some),
                risk_before=before,
                risk_after=after,
                n_before=round(before * total),
                n_after=round(after * total),
                cut_short=again.cut_short,
            )
        )
    return tuple(found)


def run_again(files: Files, run: Run, seconds: float) -> Run | None:
    """The attackers of a run on other variables; None if not all of them could run in time."""
    setting = replace(run.plan.setting, n_features=len(files.names), nominal=files.nominal)
    try:
        plan = planned(run.plan.chosen, setting)
        n_searches = sum(one.time_weight > 0 for one in (*plan.running, *plan.tested))
        left = seconds - _SPARE * run.fixed_seconds  # for searches
        if left < _SHORTEST * n_searches or left <= 0:
            return None
        steps = Steps(None, 0, seconds, plan.weight * seconds / left)
        steps.end = time.monotonic() + seconds
        again = run_attackers(plan, files, steps)
    except ValueError:  # what is left is constant
        return None
    ran, wanted = ({(type(one), one.attacker) for one in some.outcomes} for some in (again, run))
    return again if wanted <= ran else None
