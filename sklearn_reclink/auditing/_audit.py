"""One call that audits a masked file: attackers, held-out estimate, variables, records at risk.

The searches share the time limit (`_running`). The last share is for withholding variables in turn,
which ends with it. Reading and loading compiled code count, too, but not the minute that compiling
takes when the library runs for the first time. A share is kept back for what follows the searches
and for the report. Linking itself is not limited; an attacker for whose linking a file is too long
or too wide does not begin.
"""

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

from sklearn_reclink._docstrings import fill_in
from sklearn_reclink.auditing._asked import Given, Progress, Search, Words
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
from sklearn_reclink.auditing._docstrings import OF_AUDIT
from sklearn_reclink.auditing._files import Files, check_related, read_files
from sklearn_reclink.auditing._findings import column_findings
from sklearn_reclink.auditing._population import column_of, population_of, read_weights
from sklearn_reclink.auditing._records import records_at_risk
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing._running import Run, Steps, planned, run_attackers
from sklearn_reclink.auditing._sample import sample_curve
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


@fill_in(OF_AUDIT)  # type: ignore[misc]  # the options of both kinds
def audit(
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
    sample_weight: Any = None,
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
    %(X pool)s
    %(absent aligned holdout secret categorical_features ids sample_weight attackers time_limit)s
    %(limit unit random_state size_limits certify progress)s

    Returns
    -------
    Audit or UnalignedAudit
        An `UnalignedAudit` if ``aligned=False``.

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
    sizes, words = size_limits or SizeLimits(), Words(limit, masked_name, Unit.of(unit), left_out)
    search = Search(attackers, time_limit, random_state, n_jobs, sizes, certify, progress)
    told = {"categorical_features": categorical_features, "ordinal_features": ordinal_features}
    given = Given(X, y, pool, absent, aligned, holdout, secret, told, ids, sample_weight)
    found = (_audit_aligned if aligned else audit_unaligned)(given, search, words)
    for note in found.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return found


def _audit_aligned(given: Given, search: Search, words: Words) -> Audit:
    """Audit a masked file whose row i is that of the person of row i of the original."""
    tables = given.X, given.y, given.pool, given.absent
    files = read_files(*tables, given.ids, given.told, search.n_jobs)
    weights = read_weights(given.sample_weight, given.X, len(files.Y))
    files, in_files = without_secrets(files, column_of(weights, files))
    check_related(files, given.aligned)
    files, secrets = without_secrets(files, given.secret)
    setting = Setting(
        len(files.Y),
        len(files.names),
        search.seed,
        search.n_jobs,
        search.size_limits,
        search.certify,
        files.nominal,
    )
    plan = planned(chosen_attackers(search.attackers), setting)
    n_steps = 2 + len(plan.running) + len(plan.tested)
    steps = Steps(search.progress, n_steps, search.time_limit, plan.weight + VARIABLES_WEIGHT)
    steps.next("compiling")
    compile_searches(plan.running, setting)
    steps.start(search.begin)
    run = run_attackers(plan, files, steps)
    findings = column_findings(files.X, files.Y, files.names, files.nominal or ())
    seconds = max(steps.next("variables", VARIABLES_WEIGHT), LEAST_SECONDS)
    return Audit(
        masked_name=words.masked_name,
        names=files.names,
        attacks=run.attacks,
        estimates=run.estimates,
        skipped=_skipped(run, words.unit),
        ceiling=_ceiling(run.attacks, files, setting),
        contributions=variable_contributions(files, run, findings, seconds),
        records=records_at_risk(run.attacks, run.estimates, files.ids),
        notes=tuple(files.notes),
        limit=words.limit,
        X=files.X,
        Y=files.Y,
        n_masked=len(files.everyone),
        variables=files.variables,
        curve=sample_curve(run.attacks, files),
        unit=words.unit,
        left_out=(*words.left_out, *in_files.names, *secrets.names),
        findings=findings,
        secrets=disclose(secrets, run.attacks, files),
        population=population_of(weights, run.outcomes),
        named=search.attackers is not None,
        settings={
            "time_limit": search.time_limit,
            "seed": setting.seed,
            "seconds": time.monotonic() - search.begin,
        },
    )


def _skipped(run: Run, unit: Unit) -> dict[Attacker, str]:
    """Who did not run on the whole file, and why."""
    seeking = [one.attacker for one in run.estimates if one.attacker in run.plan.reasons]
    instead = f"; it looks for some {unit.many} instead"
    reasons = run.plan.reasons | run.left_out
    return {one: why + instead * (one in seeking) for one, why in reasons.items()}


def _ceiling(attacks: Sequence[Attack], files: Files, setting: Setting) -> int:
    """The ceiling of the whole file in all views, from an attacker that knows it."""
    whole = [one for one in attacks if one.attacker.monotone and one.status != "sampled"]
    if any(one.attacker.time_weight > 0 for one in whole):
        return max(int(one.linker.ceiling_) for one in whole)
    plain = EuclideanLinker(standardize=VIEWS, **setting.kinds)
    with collected_warnings():
        plain.fit(files.X, files.Y, pool=None if files.pool is None else Pool(files.pool))
    return int(plain.ceiling_)
