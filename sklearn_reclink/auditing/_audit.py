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

import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

from sklearn_reclink.auditing._attack import Attack, compile_searches
from sklearn_reclink.auditing._attackers import (
    VIEWS,
    Attacker,
    Setting,
    SizeLimits,
    chosen_attackers,
    collected_warnings,
)
from sklearn_reclink.auditing._attributes import disclose, without_secrets
from sklearn_reclink.auditing._files import Files, check_related, read_files
from sklearn_reclink.auditing._findings import column_findings
from sklearn_reclink.auditing._records import records_at_risk
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing._running import planned, run_attackers
from sklearn_reclink.auditing._sample import sample_curve
from sklearn_reclink.auditing._steps import Progress, Steps
from sklearn_reclink.auditing._unaligned import UnalignedAudit, audit_unaligned
from sklearn_reclink.auditing._variables import variable_contributions
from sklearn_reclink.auditing.formatting import Unit
from sklearn_reclink.data.pool import Pool
from sklearn_reclink.linkers import EuclideanLinker

VARIABLES_WEIGHT = 5.0  # share of the time, relative to those of the attackers
LEAST_SECONDS = 1.0  # for the variables, however late it is


@overload
def audit(X: Any, y: Any, *, aligned: Literal[False], **options: Any) -> UnalignedAudit: ...


@overload
def audit(
    X: Any, y: Any, *, aligned: Literal[True, "unchecked"] = True, **options: Any
) -> Audit: ...


def audit(  # type: ignore[misc]  # the options of both kinds
    X: Any,
    y: Any,
    *,
    pool: Any = None,
    absent: Any = None,
    aligned: bool | str = True,
    holdout: Any = None,
    secret: Any = None,
    categorical_features: Any = None,
    ordinal_features: Any = None,
    ids: Sequence[Any] | None = None,
    attackers: Iterable[str] | None = None,
    time_limit: float = 60.0,
    limit: float | None = None,
    masked_name: str = "the masked file",
    unit: str = "people",
    left_out: Sequence[str] = (),
    random_state: int = 0,
    n_jobs: int | None = None,
    size_limits: SizeLimits | None = None,
    certify: bool = False,
    progress: Progress | None = None,
) -> Audit | UnalignedAudit:
    """Audit a masked file: who would be found again, by whom, how surely, and why.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, aligned row by row. Columns are matched by name
        if both files have names.
    pool : array-like or dataframe of shape (n_masked, n_features), default=None
        The whole masked file, if it holds more people than ``y``: its rows are those of ``y`` and
        others.
    absent : array-like or dataframe of shape (n_absent, n_features), default=None
        Original records of people who are not in the masked file. `Audit.curve` then tells how
        often an intruder who does not know that would be right.
    aligned : bool or "unchecked", default=True
        Whether row i of both files is the same person. Files whose rows look unrelated are refused,
        since their risk would come out far too low, unless they are said to be aligned by
        ``"unchecked"``. False for a synthetic or shuffled release, which may differ in length: then
        nobody can be linked, and distances to the release are measured instead.
    holdout : array-like or dataframe of shape (n_holdout, n_features), default=None
        With ``aligned=False``: people of the same population whom the release was not made from.
        They are the control, without which little can be concluded.
    secret : str, int or sequence of them, default=None
        Columns, by name or index, that the intruder does not know: nobody is linked by them, and
        the result tells how well the release gives them away.
    categorical_features, ordinal_features : array-like or dict, default=None
        Columns of categories and of levels in order, as in the linkers; by default the types of
        dataframes say.
    ids : sequence of shape (n_records,), default=None
        What to call the records; by default their numbers from 1.
    attackers : iterable of str, default=None
        Some of ``"euclidean"``, ``"mahalanobis"``, ``"probabilistic"``, ``"weighted_mean"``,
        ``"choquet"``, ``"bilinear"``, ``"hlms"`` and ``"density"``; by default all.
    time_limit : float, default=60.0
        Seconds for all attackers and for withholding variables; what does not fit is left out.
    limit, masked_name : float and str, default=None and "the masked file"
        The largest risk that is accepted, from 0 to 1, and what the report calls the file.
    unit, left_out : str and sequence of str, default="people" and ()
        What one record describes, such as ``"firms"``; and variables of the files that were not
        compared, which the verdict counts.
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
    Audit or UnalignedAudit
        The latter with ``aligned=False``.

    Raises
    ------
    UnrelatedRowsError
        If row i of both files does not seem to be the same record. It is a ValueError.

    Examples
    --------
    >>> from sklearn_reclink import audit
    >>> from sklearn_reclink.datasets import make_microdata
    >>> X = make_microdata(100, 4, random_state=0)
    >>> found = audit(X, X.round(-4), attackers=["euclidean", "mahalanobis"])
    >>> found.strict_rate, found.risk  # some masked records are equal: guesses count
    (0.84, 0.915)
    """
    begin = time.monotonic()
    _check_options(limit, time_limit)
    noun = Unit.of(unit)
    if aligned not in (True, False, "unchecked"):
        raise ValueError(f'aligned is {aligned!r}: it must be True, False or "unchecked"')
    told = {"categorical_features": categorical_features, "ordinal_features": ordinal_features}
    if not aligned:
        if pool is not None or absent is not None:
            raise ValueError("pool and absent need aligned files: leave them out, or give holdout")
        named: dict[str, Any] = {"limit": limit, "masked_name": masked_name, "ids": ids}
        search: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
        named |= {"holdout": holdout, "secret": secret, "unit": noun, "progress": progress}
        of_release = audit_unaligned(X, y, **told, **named, **search)
        for note in of_release.notes:
            warnings.warn(note, UserWarning, stacklevel=2)
        return of_release
    if holdout is not None:
        raise ValueError(
            "holdout is given, but the files are aligned: give people who are not in the release "
            "as absent, or say aligned=False"
        )
    files = read_files(X, y, pool, absent, ids, told, n_jobs)
    check_related(files, aligned)
    files, secrets = without_secrets(files, secret)
    limits = size_limits or SizeLimits()
    n_records, n_features = len(files.Y), len(files.names)
    setting = Setting(n_records, n_features, random_state, n_jobs, limits, certify, files.nominal)
    found = _run(files, setting, chosen_attackers(attackers), time_limit, begin, progress, noun)
    for note in found["notes"]:
        warnings.warn(note, UserWarning, stacklevel=2)
    found["secrets"] = disclose(secrets, found["attacks"], files)
    not_compared = (*left_out, *(one.name for one in secrets))
    return Audit(masked_name, limit=limit, unit=noun, left_out=not_compared, **found)


def _check_options(limit: float | None, time_limit: float) -> None:
    if limit is not None and not 0 <= limit <= 1:
        raise ValueError(f"limit is {limit}: it must be a share from 0 to 1, such as 0.2")
    if not 0 < time_limit <= sys.float_info.max:
        raise ValueError(f"time_limit is {time_limit}: it must be a number of seconds above 0")


def _run(
    files: Files,
    setting: Setting,
    chosen: Sequence[Attacker],
    time_limit: float,
    begin: float,
    progress: Progress | None,
    unit: Unit,
) -> dict[str, Any]:
    """Let the attackers run: the fields of an `Audit`, but for what its caller names."""
    X, Y, names, notes = files.X, files.Y, files.names, files.notes
    plan = planned(chosen, setting)
    n_steps = 2 + len(plan.running) + len(plan.tested)
    steps = Steps(progress, n_steps, time_limit, plan.weight + VARIABLES_WEIGHT)
    steps.next("compiling")
    compile_searches(plan.running, setting)
    steps.start(begin)
    run = run_attackers(plan, files, setting, steps)
    attacks, estimates = run.attacks, run.estimates
    findings = column_findings(X, Y, names, files.nominal or ())
    seconds = max(steps.next("variables", VARIABLES_WEIGHT), LEAST_SECONDS)
    contributions = variable_contributions(files, run, setting, chosen, findings, seconds)
    seeking = [one for one in plan.tested if one in plan.reasons]
    instead = {one: f"; it looks for some {unit.many} instead" for one in seeking}
    return {
        **{"X": X, "Y": Y, "names": names, "notes": tuple(notes)},
        "attacks": attacks,
        "estimates": estimates,
        "skipped": {
            one: why + instead.get(one, "") for one, why in (plan.reasons | run.left_out).items()
        },
        "ceiling": _ceiling(attacks, files),
        "contributions": contributions,
        "records": records_at_risk(attacks, estimates, files.ids),
        "variables": files.variables,
        "findings": findings,
        "curve": sample_curve(_worst(attacks), X, Y, files.pool, files.absent),
        "settings": {
            "time_limit": time_limit,
            "seed": setting.seed,
            "seconds": time.monotonic() - begin,
        },
    }


def _worst(attacks: Sequence[Attack]) -> Attack:
    return max(attacks, key=lambda one: one.n_found)


def _ceiling(attacks: Sequence[Attack], files: Files) -> int:
    """The ceiling of the whole file in all views, from an attacker that knows it."""
    whole = [one for one in attacks if one.attacker.monotone and one.status != "sampled"]
    if any(one.attacker.time_weight > 0 for one in whole):
        return max(int(one.linker.ceiling_) for one in whole)
    nominal = None if files.nominal is None else list(files.nominal)
    plain = EuclideanLinker(standardize=VIEWS, categorical_features=nominal)
    with collected_warnings():
        plain.fit(files.X, files.Y, pool=None if files.pool is None else Pool(files.pool))
    return int(plain.ceiling_)
