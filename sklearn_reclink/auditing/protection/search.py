"""The release of least information loss whose worst case is within a target.

1. Every strength of every family is masked once; its loss and the share of different rows are
   known.
2. Families are attacked from the least loss up, by the quick attackers. Risk falls, roughly, as
   strength grows: bisection finds the weakest strength that is not refuted. Of a family, only
   the strengths matter that lose no more than the best masking known; if the strongest of these
   is refuted, the family is done.
3. The maskings not refuted, and the stronger ones of their families, are audited from the least
   loss up, once no other family can lose less. Of losses that differ by less than `SAME_LOSS`,
   the one that changes values least goes first. If the audit finds more than the limit, the
   masking and the weaker ones of its family are out, and the search goes on. It also goes on if
   not every attacker was tried: what was not tried does not count as met.

The limit is the target where every attacker is bounded by a proof, else ``(1 - reserve)`` of it:
a longer search may find a few people more. The risk is the larger of the share singled out and
the share found on average by guessing among ties.

An attack ends with the first attacker that beats the limit, so the risk of a rejected masking is
only a lower bound. If no masking is within the limit, those with the lowest bounds are audited, and
the one in which the audits find least is named.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.auditing._audit import Progress, audit
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing.formatting import Unit
from sklearn_reclink.auditing.protection.result import Protection
from sklearn_reclink.auditing.protection.screening import Screen
from sklearn_reclink.auditing.protection.trials import (
    CONFIRMED,
    LEFT_OPEN,
    OUT_OF_TIME,
    PASSED,
    PROVEN,
    REFUTED,
    REJECTED,
    ROUNDING,
    UNPROVEN,
    UNSETTLED,
    MaskerFamily,
    Trial,
    least_risky,
)

SAME_LOSS = 0.01
AUDIT_SHARE = 0.25  # of the time limit, for each audit
LEAST_AUDIT, MOST_AUDIT = 5.0, 60.0  # seconds
MOST_FALLBACKS = 5  # audits if no masking is within the limit
LOOKING_SHARE = 0.3  # of the time limit, for losses
LEAST_LOOK = 0.01  # of the time limit, for each family
SCREENING_SHARE = 0.55  # of the time limit, for losses and quick attackers together


@dataclass(eq=False)
class Search:
    """A search under way; `run` is called once.

    Attributes
    ----------
    screen : Screen
        The file, the target and the quick attackers.
    families : list of MaskerFamily
        What to try.
    proven_only : bool
        Whether every attacker must be bounded by a proof.
    seconds : float
        Time for all.
    unit : str
        What the records are.
    progress : callable or None
        Called with what is being done, the number of steps done and of all steps.
    """

    screen: Screen
    families: Sequence[MaskerFamily]
    proven_only: bool
    seconds: float
    unit: str
    progress: Progress | None = None
    _begin: float = field(default_factory=time.monotonic)
    _trials: dict[str, list[Trial]] = field(default_factory=dict)
    _refused: dict[str, str] = field(default_factory=dict)
    _audits: dict[str, Audit] = field(default_factory=dict)
    _first: dict[str, int] = field(default_factory=dict)  # weakest strength not refuted
    _late: bool = False  # whether time was too short to mask the file at all strengths

    def run(self) -> Protection:
        """Search."""
        self._look()
        chosen = None if self._out_of_reach else self._choose()
        if chosen is None:
            chosen = self._best_open() or self._lowest_risk()
        late = self._late or any(one.outcome in LEFT_OPEN for one in self._all())
        return Protection(
            max_risk=self.screen.max_risk,
            reserve=self.screen.reserve,
            trials=tuple(sorted(self._all(), key=lambda one: (one.information_loss, one.name))),
            chosen=chosen,
            feasible=chosen.outcome in (PROVEN, CONFIRMED),
            audit=self._audits.get(chosen.name),
            refused=self._refused,
            complete=self._out_of_reach or (not late and set(self._first) == set(self._trials)),
            settings={
                "time_limit": self.seconds,
                "seconds": time.monotonic() - self._begin,
                "seed": self.screen.setting.seed,
                "proven": self.proven_only,
            },
            n_records=self.screen.setting.n_records,
            unit=Unit.of(self.unit).many,
        )

    def _look(self) -> None:
        self._step("maskings and their losses", 0)
        left, end = list(self.families), LOOKING_SHARE * self.seconds
        while left:
            now, rest = left[: self._workers], left[self._workers :]
            rounds = 1 + len(rest) / self._workers
            seconds = (end - (self.seconds - self._left())) / rounds
            seconds = max(seconds, LEAST_LOOK * self.seconds)
            looked = self._parallel(self.screen.first_look, [(one, seconds) for one in now])
            for family, found in zip(now, looked, strict=True):
                if isinstance(found, str):
                    self._refused[family.name] = found
                else:
                    self._trials[family.name] = found
                    self._late |= len(found) < len(family.strengths)
            left = rest
        if not self._trials:
            reasons = "; ".join(dict.fromkeys(self._refused.values()))
            raise ValueError(f"no masking can be applied to the file: {reasons}")
        if self.proven_only:
            self._first = dict.fromkeys(self._trials, 0)

    def _choose(self) -> Trial | None:
        """The first candidate that an audit does not refute, None if there is none."""
        while True:
            candidates = self._candidates()
            best = candidates[0].information_loss if candidates else math.inf
            others = self._open_families(best)
            if others:
                self._bisect_families(others, best)
                continue
            if not candidates:
                return None
            one = candidates[0]
            if not one.is_proven(self.screen.max_risk):
                if self._left() < self._least_audit:
                    self._replace(replace(one, outcome=OUT_OF_TIME))
                    continue
                if one.risk is None:
                    self._replace(self.screen.attack(one))
                    continue
            self._step(f"audit: {one.name}", 2)
            one = self._audited(one)
            self._replace(one)
            if one.outcome in (PROVEN, CONFIRMED):
                return one
            if one.outcome == UNSETTLED:
                continue
            for weaker in self._trials[one.family][: one.place]:
                if weaker.outcome == PASSED:
                    self._replace(replace(weaker, outcome=REFUTED))

    def _open_families(self, best: float) -> list[str]:
        """Families not attacked that may lose less than the best, from the least loss up."""
        if self._screening_left() <= 0:
            return []
        least = {
            name: min(one.information_loss for one in trials)
            for name, trials in self._trials.items()
            if name not in self._first
        }
        found = [name for name, loss in least.items() if loss <= best + SAME_LOSS]
        return sorted(found, key=least.__getitem__)[: self._workers]

    def _bisect_families(self, names: Sequence[str], best: float) -> None:
        self._step("quick attackers", 1)
        seconds = self._screening_left()
        work = [(self.screen, self._trials[name], best, seconds) for name in names]
        for name, (trials, first) in zip(names, self._parallel(_bisect, work), strict=True):
            self._trials[name], self._first[name] = trials, first

    def _candidates(self) -> list[Trial]:
        """The maskings that may be within the limit, in the order in which they are audited."""
        held = [
            one
            for one in self._all()
            if one.outcome not in (REJECTED, REFUTED, *LEFT_OPEN)
            and (
                one.is_proven(self.screen.max_risk)
                or (not self.proven_only and one.place >= self._first.get(one.family, math.inf))
            )
        ]
        held.sort(key=lambda one: (one.information_loss, one.change))
        alike = [
            one for one in held if one.information_loss <= held[0].information_loss + SAME_LOSS
        ]
        return sorted(alike, key=lambda one: one.change) + held[len(alike) :]

    def _audited(self, trial: Trial) -> Trial:
        """The trial after an audit with every attacker; a proof alone if there is no time left."""
        proven = trial.is_proven(self.screen.max_risk)
        seconds = min(max(AUDIT_SHARE * self.seconds, LEAST_AUDIT), MOST_AUDIT, self._left())
        if proven and seconds < 1.0:
            return replace(trial, outcome=PROVEN)
        Y = self.screen.masked(trial.masker)
        found = self._audit(Y, trial.name, seconds)
        if found.unsettled and found.out_of_time and not proven and self._left() > 2 * seconds:
            found = self._audit(Y, trial.name, self._left())
        self._audits[trial.name] = found
        audited = found.risk, found.strongest.attacker.name
        risk, by = max(audited, (trial.risk or 0.0, trial.attacker))
        limit = self.screen.max_risk if proven else self.screen.limit
        in_full = not found.missing
        outcome = PROVEN if proven else UNPROVEN if self.proven_only else CONFIRMED
        if outcome == CONFIRMED and not in_full:
            outcome = UNSETTLED
        outcome = REFUTED if risk > limit + ROUNDING or self._out_of_reach else outcome
        ceiling = self.screen.monotone_bound(Y)
        said: dict[str, Any] = {"in_full": in_full, "outcome": outcome, "monotone_bound": ceiling}
        return replace(trial, risk=risk, attacker=by, **said)

    def _audit(self, Y: Any, name: str, seconds: float) -> Audit:
        screen = self.screen
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # they are notes of the audit
            return audit(
                screen.X,
                Y,
                aligned="unchecked",  # rows of the release belong to those of the file
                attackers=screen.attackers,
                time_limit=seconds,
                limit=screen.max_risk,
                masked_name=name,
                unit=self.unit,
                random_state=screen.setting.seed,
                n_jobs=screen.setting.n_jobs,
                **screen.told,
            )

    def _best_open(self) -> Trial | None:
        """Of the maskings that time left open, the least loss; one that was audited comes first."""
        left = [one for one in self._all() if one.outcome in LEFT_OPEN and one.risk is not None]
        first = LEFT_OPEN.index
        return min(left, key=lambda one: (first(one.outcome), one.information_loss), default=None)

    def _lowest_risk(self) -> Trial:
        """Of the maskings audited, the one with the lowest risk; of equal ones the least loss.

        Those with the lowest risks found so far are audited first. If there is no time for any
        audit, the lowest of these risks is a lower bound only.
        """
        if all(one.risk is None for one in self._all()):
            self._attack_strongest()
        for _ in range(MOST_FALLBACKS):
            best = least_risky(self._all())
            if best.in_full or self._left() < self._least_audit:
                break
            self._step(f"audit: {best.name}", 2)
            self._replace(self._audited(best))
            if best.name in self._audits and self._audits[best.name].missing:
                break
        in_full = [one for one in self._all() if one.in_full]
        return least_risky(in_full or self._all())

    def _attack_strongest(self) -> None:
        """Attack the strongest masking of families while there is time, and at least of one."""
        left = sorted((trials[-1] for trials in self._trials.values()), key=lambda one: one.bound)
        while left:
            now, left = left[: self._workers], left[self._workers :]
            for one in self._parallel(self.screen.attack, [(one,) for one in now]):
                self._replace(one)
            if self._screening_left() <= 0:
                break

    def _all(self) -> list[Trial]:
        return [one for trials in self._trials.values() for one in trials]

    def _replace(self, trial: Trial) -> None:
        self._trials[trial.family][trial.place] = trial

    @property
    def _workers(self) -> int:
        return int(effective_n_jobs(self.screen.setting.n_jobs))

    @property
    def _out_of_reach(self) -> bool:
        """Whether a random guess finds more on average, in any release."""
        return self.screen.max_risk + ROUNDING < 1 / self.screen.setting.n_records

    @property
    def _least_audit(self) -> float:
        """Seconds without which no audit begins."""
        return min(LEAST_AUDIT, AUDIT_SHARE * self.seconds)

    def _left(self) -> float:
        return self.seconds - (time.monotonic() - self._begin)

    def _screening_left(self) -> float:
        return self._left() - (1 - SCREENING_SHARE) * self.seconds

    def _step(self, what: str, done: int) -> None:
        if self.progress is not None:
            self.progress(what, done, 3)

    def _parallel(self, action: Callable[..., Any], work: Iterable[tuple[Any, ...]]) -> list[Any]:
        runner = Parallel(n_jobs=self.screen.setting.n_jobs)
        return list(runner(delayed(action)(*arguments) for arguments in work))


def _bisect(
    screen: Screen, trials: Sequence[Trial], best: float, seconds: float
) -> tuple[list[Trial], int]:
    """The trials attacked, and the place of the weakest strength not refuted among those of use."""
    end = time.monotonic() + seconds
    trials = list(trials)
    of_use = [one.place for one in trials if one.information_loss <= best + SAME_LOSS]
    low, high = of_use[0] - 1, of_use[-1]
    trials[high] = screen.attack(trials[high])
    if trials[high].outcome == REJECTED:
        return trials, len(trials)
    while high - low > 1 and time.monotonic() < end:
        middle = (low + high) // 2
        trials[middle] = screen.attack(trials[middle])
        if trials[middle].outcome == REJECTED:
            low = middle
        else:
            high = middle
    return trials, high
