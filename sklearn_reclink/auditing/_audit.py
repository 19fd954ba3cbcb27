"""One call that audits a masked file: attackers, held-out estimate, variables, records at risk.

The searches share the time limit: the time that is left is divided among the searches still to come
in proportion to their weights, so time that a proof did not need goes to the others. The last
share is for withholding variables in turn, which ends with it. What has not begun by
the time limit is left out, and the report says so. So is an attacker that cannot be told to end in
time and would not. Reading and loading compiled code count, too, but not the minute that compiling
takes when the library runs for the first time. A share is kept back for what follows the searches
and for the report. Linking itself is not limited; an attacker for whose linking a file is too long
or too wide does not begin.
"""

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.auditing._attack import Attack, HeldOut, attack, compile_searches, held_out
from sklearn_reclink.auditing._attackers import (
    VIEWS,
    Attacker,
    Setting,
    SizeLimits,
    chosen_attackers,
    collected_warnings,
)
from sklearn_reclink.auditing._records import records_at_risk
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing._variables import variable_contributions
from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker, WeightedMeanLinker

Progress = Callable[[str, int, int], None]

# Time for a held-out estimate, as a share of the time for the search in the whole file.
HELD_OUT_SHARE = 0.5
VARIABLES_WEIGHT = 1.0
LEAST_SECONDS = 1.0  # for the variables, however late it is
MOST_LOADING = 3.0  # seconds before the searches that count; more are spent on compiling
KEPT_BACK = 0.2  # of the time limit, and at most so many seconds
MOST_KEPT_BACK = 2.0
OUT_OF_TIME = "the time limit ended before its turn; a longer one or fewer columns would include it"
OUT_OF_MEMORY = "there was not enough memory for it; choose fewer columns to include it"


def audit(
    X: Any,
    y: Any,
    *,
    ids: Sequence[Any] | None = None,
    attackers: Iterable[str] | None = None,
    time_limit: float = 60.0,
    limit: float | None = None,
    masked_name: str = "the masked file",
    random_state: int = 0,
    n_jobs: int | None = None,
    size_limits: SizeLimits | None = None,
    certify: bool = False,
    progress: Progress | None = None,
) -> Audit:
    """Audit a masked file: who would be found again, by whom, how surely, and why.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file, numbers only, and its masked version, aligned row by row. Columns are
        matched by name if both files have names.
    ids : sequence of shape (n_records,), default=None
        What to call the records; by default their numbers from 1.
    attackers : iterable of str, default=None
        Some of ``"euclidean"``, ``"mahalanobis"``, ``"probabilistic"``, ``"weighted_mean"``,
        ``"choquet"``, ``"bilinear"``, ``"hlms"`` and ``"density"``; by default all.
    time_limit : float, default=60.0
        Seconds for all attackers and for withholding variables; what does not fit is left out.
    limit, masked_name : float and str, default=None and "the masked file"
        The largest risk that is accepted, from 0 to 1, and what the report calls the file.
    random_state, n_jobs : int, default=0, None
        Seed of every random choice, and number of joblib workers.
    size_limits : SizeLimits or None, default=None
        Up to which size an attacker does what.
    certify : bool, default=False
        Whether to make `Audit.certificate`; up to a minute more for each attacker with a bound.
    progress : callable, default=None
        Called with what is being done, the number of steps done and of all steps.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from sklearn_reclink import audit
    >>> from sklearn_reclink.datasets import make_microdata
    >>> X = make_microdata(100, 4, random_state=0)
    >>> audit(X, X.round(-4), attackers=["euclidean", "mahalanobis"]).risk
    0.84
    """
    begin = time.monotonic()
    _check_options(limit, time_limit)
    files = _read_files(X, y, ids, n_jobs)
    limits = size_limits or SizeLimits()
    setting = Setting(len(files.Y), len(files.names), random_state, n_jobs, limits, certify)
    found = _run(files, setting, chosen_attackers(attackers), time_limit, begin, progress)
    for note in found["notes"]:
        warnings.warn(note, UserWarning, stacklevel=2)
    return Audit(masked_name=masked_name, limit=limit, **found)


def _check_options(limit: float | None, time_limit: float) -> None:
    if limit is not None and not 0 <= limit <= 1:
        raise ValueError(f"limit is {limit}: it must be a share from 0 to 1, such as 0.2")
    if not 0 < time_limit <= sys.float_info.max:
        raise ValueError(f"time_limit is {time_limit}: it must be a number of seconds above 0")


class _Files(NamedTuple):
    """Both files with columns in one order, names of columns, ids of records, and warnings."""

    X: np.ndarray
    Y: np.ndarray
    names: tuple[str, ...]
    ids: Sequence[Any] | None
    notes: list[str]


def _read_files(X: Any, y: Any, ids: Sequence[Any] | None, n_jobs: int | None) -> _Files:
    wide = np.ndim(X) == 2 and np.shape(X)[1] > SizeLimits().wide
    check = EuclideanLinker if wide else MahalanobisLinker  # no matrix of many variables
    with collected_warnings() as notes:
        checked = check(standardize="separate", n_jobs=n_jobs).fit(X, y)
    masked = checked.masked_
    if ids is not None and len(ids) != len(masked):
        raise ValueError(f"ids has {len(ids)} entries for {len(masked)} records: give one each")
    numbered = [f"x{k}" for k in range(masked.shape[1])]
    names = tuple(map(str, getattr(checked, "feature_names_in_", numbered)))
    original = np.ascontiguousarray(np.asarray(X, dtype=np.float64))
    return _Files(original, masked, names, ids, notes)


class _Steps:
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


def _run(
    files: _Files,
    setting: Setting,
    chosen: Sequence[Attacker],
    time_limit: float,
    begin: float,
    progress: Progress | None,
) -> dict[str, Any]:
    """Let the attackers run: the fields of an `Audit`, but for its name and its limit."""
    X, Y, names, ids, notes = files
    reasons = {one: reason for one in chosen if (reason := one.skip_reason(setting)) is not None}
    running = [one for one in chosen if one not in reasons]
    if not running:
        raise ValueError(f"no attacker can run: {reasons[chosen[0]]}")
    # one too slow for the file may still look for a few
    tested = [one for one in chosen if one in running or one.seeks_some(setting)] * (len(X) >= 4)
    weight = VARIABLES_WEIGHT + sum(one.time_weight for one in running)
    weight += HELD_OUT_SHARE * sum(one.time_weight for one in tested)
    steps = _Steps(progress, 2 + len(running) + len(tested), time_limit, weight)
    steps.next("compiling")
    compile_searches(running, setting)
    steps.start(begin)
    attacks, left_out = _attack_all(running, X, Y, setting, steps, notes)
    if not attacks:
        raise ValueError(f"no attacker can run: {left_out[running[0]]}")
    estimates = _estimate_all(tested, left_out, X, Y, setting, steps, notes)
    seconds = max(steps.next("variables", VARIABLES_WEIGHT), LEAST_SECONDS)
    contributions = variable_contributions(X, Y, names, attacks, setting, seconds)
    instead = {one: "; it looks for some of the people instead" for one in tested if one in reasons}
    return {
        **{"X": X, "Y": Y, "names": names, "notes": tuple(notes)},
        "attacks": tuple(attacks),
        "estimates": tuple(estimates),
        "skipped": {one: why + instead.get(one, "") for one, why in (reasons | left_out).items()},
        "ceiling": _ceiling(attacks, X, Y),
        "contributions": contributions,
        "records": records_at_risk(attacks, estimates, ids),
        "settings": {
            "time_limit": time_limit,
            "seed": setting.seed,
            "seconds": time.monotonic() - begin,
        },
    }


def _attack_all(
    running: Sequence[Attacker],
    X: np.ndarray,
    Y: np.ndarray,
    setting: Setting,
    steps: _Steps,
    notes: list[str],
) -> tuple[list[Attack], dict[Attacker, str]]:
    """What attackers find in the whole file, and why some were left out; adds their warnings."""
    attacks: list[Attack] = []
    left_out: dict[Attacker, str] = {}
    given: dict[str | None, np.ndarray] = {}
    # those that cannot be told to end in time take what the others leave
    for one in sorted(running, key=lambda one: one.seconds_per_pair > 0):
        seconds = steps.next(one.title, one.time_weight)
        if steps.late or not steps.has_time_for(one, len(X)):
            left_out[one] = OUT_OF_TIME
            continue
        try:
            found, warned = attack(one, X, Y, setting, seconds, given)
        except MemoryError:
            left_out[one] = OUT_OF_MEMORY
            continue
        attacks.append(found)
        if one.linker is WeightedMeanLinker:
            given = {found.linker.standardize_: found.linker.weights_}
        notes.extend(note for note in warned if note not in notes)
    return sorted(attacks, key=lambda found: running.index(found.attacker)), left_out


def _estimate_all(
    tested: Sequence[Attacker],
    left_out: Mapping[Attacker, str],
    X: np.ndarray,
    Y: np.ndarray,
    setting: Setting,
    steps: _Steps,
    notes: list[str],
) -> list[HeldOut]:
    """What attackers find among people they have not seen; adds why there is no estimate."""
    estimates: list[HeldOut] = []
    for one in tested:
        seconds = steps.next(f"{one.title}, people not seen", HELD_OUT_SHARE * one.time_weight)
        if one in left_out:
            continue
        reason = OUT_OF_TIME
        whole = one.skip_reason(setting) is None
        if not steps.late and (not whole or steps.has_time_for(one, len(X))):
            try:
                estimates.append(held_out(one, X, Y, setting, seconds))
                continue
            except ValueError as error:  # a half may be too small or constant
                reason = str(error)
            except MemoryError:
                reason = OUT_OF_MEMORY
        notes.append(f"no held-out estimate for {one.title}: {reason}")
    return estimates


def _ceiling(attacks: Sequence[Attack], X: np.ndarray, Y: np.ndarray) -> int:
    """The ceiling of the whole file in all views, from an attacker that knows it."""
    from sklearn_reclink.metrics import linkage_ceiling

    for one in attacks:
        if one.attacker.monotone and one.attacker.time_weight > 0 and one.status != "sampled":
            return int(one.linker.ceiling_)
    return round(linkage_ceiling(X, Y, standardize=VIEWS) * len(X))
