"""Attackers that run one after another and share a time limit.

The time that is left is divided among the searches still to come in proportion to their weights, so
time that one did not need goes to the others. A share is kept back for what follows the searches.
What has not begun by the time limit is left out, and so is an attacker that cannot be told to end
in time and would not.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.auditing._asked import Progress
from sklearn_reclink.auditing._attack import Attack, HeldOut, Outcome, attack, held_out
from sklearn_reclink.auditing._attackers import Attacker, Setting
from sklearn_reclink.auditing._files import Files
from sklearn_reclink.auditing.formatting import listed
from sklearn_reclink.data.alignment import TRANSFORM_BOTH, UNRELATED_ROWS, units_warning
from sklearn_reclink.linkers import WeightedMeanLinker

# Time for a held-out estimate, as a share of the time for the search in the whole file.
HELD_OUT_SHARE = 0.5
QUICK_SHARE = 0.2  # of the time limit
MOST_LOADING = 3.0  # seconds before the searches that count; more are spent on compiling
KEPT_BACK = 0.2  # of the time limit, and at most so many seconds
MOST_KEPT_BACK = 2.0
NO_ESTIMATE = "no held-out estimate"  # how a note of one begins
OUT_OF_TIME = "there was no time left; allow more time or choose fewer columns"
OUT_OF_MEMORY = "there was not enough memory; choose fewer columns"


class Steps:
    """Reports each step of an audit, and gives each search its share of the time that is left."""

    def __init__(self, progress: Progress | None, total: int, seconds: float, weight: float):
        self.progress, self.total, self.done = progress, total, 0
        self.seconds, self.weight = seconds, weight
        self.end = math.inf

    def start(self, begin: float) -> None:
        """Start the clock, when all is loaded or compiled; the audit began before."""
        now = time.monotonic()
        kept_back = min(KEPT_BACK * self.seconds, MOST_KEPT_BACK)
        loading = min(now - begin, MOST_LOADING, self.seconds / 2)
        self.end = now + self.seconds - kept_back - loading

    def next(self, what: str, weight: float = 0.0) -> float:
        """Report the step that begins; its seconds, 0 if it is not a search."""
        if self.progress is not None:
            self.progress(what, self.done, self.total)
        self.done += 1
        if weight == 0:
            return 0.0
        share = weight / self.weight
        self.weight -= weight
        return max(self.end - time.monotonic(), 0.0) * min(share, 1.0)

    def has_time_for(self, one: Attacker, n_records: int) -> bool:
        """Whether an attacker that cannot be told to end in time will do so."""
        return time.monotonic() + one.seconds_per_pair * n_records**2 <= self.end

    @property
    def late(self) -> bool:
        """Whether the time limit has ended."""
        return time.monotonic() > self.end


@dataclass(frozen=True)
class Plan:
    """Who attacks a file: who links all of it, who is tested on records not seen, and who cannot.

    An attacker too slow for the file may still look for a few records, and is then tested only.
    ``chosen`` are all that were asked for, and ``reasons`` why some cannot link the whole file.
    """

    chosen: tuple[Attacker, ...]
    setting: Setting
    running: tuple[Attacker, ...]
    tested: tuple[Attacker, ...]
    reasons: dict[Attacker, str]

    @property
    def weight(self) -> float:
        """Sum of the weights of all searches."""
        whole = sum(one.time_weight for one in self.running)
        return whole + HELD_OUT_SHARE * sum(one.time_weight for one in self.tested)


def planned(chosen: Sequence[Attacker], setting: Setting) -> Plan:
    """Who of the attackers chosen does what."""
    reasons = {one: reason for one in chosen if (reason := one.skip_reason(setting)) is not None}
    running = [one for one in chosen if one not in reasons]
    if not running:
        raise ValueError(f"no attacker can run: {reasons[chosen[0]]}")
    tested = [one for one in chosen if one in running or one.seeks_some(setting)]
    tested = tested if setting.n_records >= 4 else []
    return Plan(tuple(chosen), setting, tuple(running), tuple(tested), reasons)


@dataclass(frozen=True, eq=False)
class Run:
    """What the attackers of a plan found in a file, and why some were left out."""

    plan: Plan
    attacks: tuple[Attack, ...]
    estimates: tuple[HeldOut, ...]
    left_out: dict[Attacker, str]

    @property
    def outcomes(self) -> list[Outcome]:
        """The attacks and the estimates."""
        return [*self.attacks, *self.estimates]

    @property
    def strongest(self) -> Outcome:
        """Where the risk comes from: the attack with the largest, else the estimate."""
        return max(self.outcomes, key=lambda one: (one.risk, one.rate))

    @property
    def cut_short(self) -> bool:
        """Whether a search was stopped by the time limit, and might find more."""
        return any(one.status == "time_limit" for one in self.attacks)

    @property
    def seconds(self) -> float:
        """Time of all attackers, and at least one second each."""
        return sum(max(one.seconds, 1.0) for one in self.outcomes)

    @property
    def fixed_seconds(self) -> float:
        """Time of those that take no time limit."""
        return sum(one.seconds for one in self.outcomes if not one.attacker.time_weight)


def run_attackers(plan: Plan, files: Files, steps: Steps) -> Run:
    """Let all attackers of a plan run; adds their warnings to the notes of the files."""
    attacks, left_out = attack_all(plan, files, steps)
    if not attacks:
        raise ValueError(f"no attacker can run: {left_out[plan.running[0]]}")
    estimates = estimate_all(plan, left_out, files, steps)
    return Run(plan, tuple(attacks), tuple(estimates), left_out)


def in_order(running: Sequence[Attacker], quick: float) -> list[Attacker]:
    """Who begins when: the quick ones, then searches, then those that take what others leave.

    The last cannot be told to end in time, and need more than ``quick`` seconds for each pair.
    """
    return sorted(running, key=lambda one: (one.seconds_per_pair > quick, one.time_weight > 0))


def attack_all(plan: Plan, files: Files, steps: Steps) -> tuple[list[Attack], dict[Attacker, str]]:
    """What attackers find in the whole file, and why some were left out; adds their warnings."""
    setting, attacks = plan.setting, list[Attack]()
    left_out: dict[Attacker, str] = {}
    given: dict[str | None, np.ndarray] = {}
    for one in in_order(plan.running, QUICK_SHARE * steps.seconds / len(files.X) ** 2):
        seconds = steps.next(one.title, one.time_weight)
        if steps.late or not steps.has_time_for(one, len(files.X)):
            left_out[one] = OUT_OF_TIME
            continue
        try:
            found, warned = attack(one, files.X, files.Y, setting, seconds, given, files.pool)
        except MemoryError:
            left_out[one] = OUT_OF_MEMORY
            continue
        attacks.append(found)
        if one.linker is WeightedMeanLinker and setting.nominal is None:
            given = {found.linker.standardize_: found.linker.weights_}
        known = {UNRELATED_ROWS, *files.notes}
        said = [_in_words_of_audit(note, files) for note in warned]
        files.notes.extend(note for note in said if note not in known)
    return sorted(attacks, key=lambda found: plan.running.index(found.attacker)), left_out


def _in_words_of_audit(note: str, files: Files) -> str:
    """A warning of a linker to those who choose no linker: other units, by name and remedy."""
    if TRANSFORM_BOTH not in note:
        return note
    kinds = () if files.variables is None else files.variables.kinds
    remedy = "write both files in the same units"
    return units_warning(files.X, files.Y, kinds, files.names, remedy) or note


def estimate_all(
    plan: Plan, left_out: dict[Attacker, str], files: Files, steps: Steps
) -> list[HeldOut]:
    """What attackers find among people they have not seen; adds why there is no estimate.

    Those that look for some people only, and lacked time or memory, join the ones left out.
    """
    estimates: list[HeldOut] = []
    without: dict[str, list[str]] = {}  # attackers by the reason why they have none
    for one in plan.tested:
        seconds = steps.next(f"{one.title}, records not seen", HELD_OUT_SHARE * one.time_weight)
        if one in left_out:
            continue
        reason, whole = OUT_OF_TIME, one not in plan.reasons
        if not steps.late and (not whole or steps.has_time_for(one, len(files.X))):
            try:
                found = held_out(one, files.X, files.Y, plan.setting, seconds, files.pool)
                estimates.append(found)
                continue
            except ValueError as error:  # a half may be too small or constant
                reason = str(error)
            except MemoryError:
                reason = OUT_OF_MEMORY
        without.setdefault(reason, []).append(one.title)
        if not whole and reason in (OUT_OF_TIME, OUT_OF_MEMORY):
            left_out[one] = reason
    files.notes.extend(
        f"{NO_ESTIMATE} for {listed(titles)}: {reason}" for reason, titles in without.items()
    )
    return estimates
