"""The commands ``reclink audit`` and ``reclink compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from sklearn_reclink import auditing
from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _groups as groups
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._groups import spread
from sklearn_reclink.cli._reading import (
    FilePair,
    Selection,
    check_columns,
    check_different,
    check_roles,
    compare_columns,
    id_text,
    ids_of,
    read_pair,
)
from sklearn_reclink.cli._tables import FileProblem, Table, load
from sklearn_reclink.cli._writing import check_paths, check_table_format

_OF_SCENARIOS = ("unit", "secret", "attackers", "time_limit", "n_jobs", "random_state")
_MOST_SHARED = 0.05  # of the people of a holdout, who are in the original too


@spread
def audit_command(
    original: options.Original,
    masked: options.Masked,
    *,
    reading: groups.Reading,
    pages: groups.Pages,
    lists: groups.Lists,
    limits: groups.Limits,
    include_values: options.IncludeValues = False,
    unit: options.Unit = "people",
    weight: options.Weight = None,
    intruder: groups.Intruder,
    attack: groups.Attack,
    run: groups.Run,
) -> None:
    """Audit a masked file: who would be found again, how certain that is, and what to protect."""
    inputs = [path for path in (original, masked, intruder.holdout) if path is not None]
    records = _check_paths(pages, lists, inputs, force=run.force)
    which = _selection(reading, intruder, weight)
    asked = _asked(unit, limits, attack, run) | {"secret": console.split_names(intruder.secret)}
    if intruder.unaligned:
        refused = {
            "--weight": weight,
            "--certificate": lists.certificate,
            "--attackers": attack.attackers,
            "--include-values": include_values,
            "--trust-order": attack.trust_order,
            "--scenarios": intruder.scenarios,
        }
        of_release = _audit_release(inputs, which, refused, asked, quiet=run.quiet)
        texts = console.pages_of(of_release, pages, (records, of_release.records_csv))
        unsettled = "the risk is not known, so it is not shown to be within the limit"
        return console.finish(of_release, texts, run, unsettled=unsettled)
    if intruder.holdout is not None:
        raise FileProblem("--holdout is for releases that are not aligned: add --unaligned")
    check_different(original, masked)
    pair = read_pair(original, masked, which)
    console.print_read(pair, unit, quiet=run.quiet)
    named = {"masked_name": masked.name, "certify": lists.certificate is not None}
    with console.progress_bar(run.quiet) as progress, console.plain_refusal(reading.id_column):
        found = _audit_pair(pair, progress=progress, **asked, **named)
    if intruder.scenarios:
        found = _with_scenarios(found, pair, asked, quiet=run.quiet)
    found = found.with_sources(original, masked)
    console.print_notes(found.notes)
    values = found.values() if include_values else None
    listed = records, lambda: found.records.to_csv(values=values)
    texts = console.pages_of(found, pages, listed, include_values=include_values)
    _finish(found, texts, lists.certificate, run)


def _finish(
    found: auditing.Audit, outputs: list[console.Output], certificate: Path | None, run: groups.Run
) -> None:
    """Write everything that there is; only then does a certificate that is lacking count."""
    lacking = certificate is not None and found.certificate is None
    if lacking:
        console.print_notes(["no attacker proved a bound, so no certificate was written"])
    else:
        outputs.append((certificate, lambda: found.certificate_text))
    console.finish(found, outputs, run)
    if lacking:
        raise typer.Exit(console.NOT_COMPLETED)


def _selection(reading: groups.Reading, intruder: groups.Intruder, weight: str | None) -> Selection:
    """The variables that the intruder knows, and those that are secret."""
    if reading.columns and intruder.known:
        raise FileProblem("--columns and --known both choose the variables: give one of them")
    columns, secrets = intruder.known or reading.columns, intruder.secret or []
    wanted = [*columns, *secrets] if columns else columns
    which = console.selection(replace(reading, columns=wanted), weight)
    hidden = console.split_names(secrets)
    check_roles(which, hidden, console.split_names(intruder.known))
    return which


def _check_paths(
    pages: groups.Pages, lists: groups.Lists, inputs: Sequence[Path], *, force: bool
) -> Path | None:
    """Refuse paths that cannot be written; where the records are listed."""
    records, report = lists.records, pages.report
    check_table_format(records, "--records", csv_only=True)
    option = "--records" if records or report is None else "--records (next to the report)"
    if records is None and report is not None:
        records = report.with_name(f"{report.stem}-records.csv")
    others = {option: records, "--certificate": lists.certificate}
    check_paths(pages.paths | others, inputs, force=force)
    return records


def _asked(
    unit: str, limits: groups.Limits, attack: groups.Attack, run: groups.Run
) -> dict[str, Any]:
    """Options of `audit` and of `compare`."""
    return {
        "unit": unit,
        "limit": limits.fail_above,
        "aligned": "unchecked" if attack.trust_order else True,
        "attackers": console.split_names(attack.attackers),
        "time_limit": limits.time_limit,
        "n_jobs": attack.n_jobs,
        "random_state": run.seed,
    }


def _audit_pair(pair: FilePair, **asked: Any) -> auditing.Audit:
    people: dict[str, Any] = {"pool": pair.whole, "absent": pair.absent, "ids": pair.ids}
    people["sample_weight"] = pair.weights
    return auditing.audit(pair.original, pair.masked, left_out=pair.left_out, **people, **asked)


def _with_scenarios(
    found: auditing.Audit, pair: FilePair, asked: dict[str, Any], *, quiet: bool
) -> auditing.Audit:
    """The audit with a sweep over the variables that an intruder may know.

    Files that were audited are not refused here.
    """
    told = {name: asked[name] for name in _OF_SCENARIOS} | {"aligned": "unchecked"}
    with console.progress_bar(quiet) as progress:
        sweep = auditing.scenarios(
            pair.original, pair.masked, pool=pair.whole, progress=progress, **told
        )
    return replace(found, scenarios=sweep)


def _audit_release(
    paths: Sequence[Path],
    which: Selection,
    refused: Mapping[str, object],
    asked: Mapping[str, Any],
    *,
    quiet: bool,
) -> auditing.UnalignedAudit:
    """Audit an original, a release and perhaps a holdout, and print what to check.

    The files may differ in length, and an id only names the originals. Options without a meaning,
    by name, are refused if they have a value. What is asked are options of `audit`.
    """
    for option, value in refused.items():
        if value:
            raise FileProblem(f"{option} has no meaning with --unaligned: leave it out")
    check_different(paths[0], paths[1], "a release made from it")
    for path in paths[2:]:
        check_different(paths[0], path, "a holdout of other people")
        check_different(paths[1], path, "a holdout of other people")
    read = [load(path) for path in paths]
    frames, notes, not_in_all, left_out = compare_columns(read, which)
    for name, some in not_in_all:
        notes.append(f"left out of {name}, because not all files have them: {', '.join(some)}")
    ids = None if which.id_column is None else list(ids_of(read[0], which.id_column))
    if ids is not None and len(read) > 2:
        notes += _shared_ids(ids, read[2], str(which.id_column), read[0].file)
    if asked["time_limit"] != groups.Limits().time_limit:
        notes.append("--time-limit has no effect with --unaligned: nothing is searched")
    console.print_notes(notes)
    holdout = frames[2] if len(frames) > 2 else None
    files = {"masked_name": read[1].file, "holdout": holdout, "ids": ids, "left_out": left_out}
    with console.progress_bar(quiet) as progress:
        told = {**asked, **files, "aligned": False, "progress": progress}
        found = auditing.audit(frames[0], frames[1], **told)
    console.print_notes(found.notes)
    return found.with_sources(*paths)


def _shared_ids(ids: Sequence[str], holdout: Table, column: str, original: str) -> list[str]:
    """A note if a few people of the holdout are in the original; many are refused."""
    if column not in holdout.frame:
        return []
    theirs = holdout.frame[column].dropna().map(id_text)
    n_both, n_all = len(set(theirs) & set(ids)), len(holdout.frame)
    if n_both <= _MOST_SHARED * n_all:
        few = f"{n_both:,} of the {n_all:,} ids of {holdout.file} are also in {original}: the "
        return [f"{few}holdout should hold other people"] if n_both else []
    raise FileProblem(
        f"{n_both:,} of the {n_all:,} records of {holdout.file} have a {column!r} that is also in "
        f"{original}: the holdout must hold other people, or the risk would come out too low. Give "
        f"people who are not in {original}, or leave out --id if {column!r} only numbers the rows "
        "of each file"
    )


@spread
def compare_command(
    original: options.Original,
    masked: options.MaskedFiles,
    *,
    reading: groups.Reading,
    pages: groups.Pages,
    limits: groups.Limits,
    unit: options.Unit = "people",
    attack: groups.Attack,
    run: groups.Run,
) -> None:
    """Audit several masked versions of a file and compare their risk and information loss."""
    check_paths(pages.paths, [original, *masked], force=run.force)
    for path in masked:
        check_different(original, path)
    names = [path.name for path in masked]
    if len(set(names)) < len(names):
        names = [str(path) for path in masked]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FileProblem(f"{twice} is given twice: name each masked file once")
    which = console.selection(reading)
    pairs = {
        name: read_pair(original, path, which) for name, path in zip(names, masked, strict=True)
    }
    for name, pair in pairs.items():
        console.print_notes(pair.notes)
        if pair.pool is not None or pair.absent is not None:
            raise FileProblem(
                f"{name} does not hold the same records as the original: use reclink audit"
            )
    check_columns(pairs)
    first = pairs[names[0]]
    asked = _asked(unit, limits, attack, run) | {"ids": first.ids, "left_out": first.left_out}
    files = {name: pair.masked for name, pair in pairs.items()}
    with console.progress_bar(run.quiet) as progress, console.plain_refusal(reading.id_column):
        found = auditing.compare(first.original, files, progress=progress, **asked)
    found = found.with_sources(original, masked)
    console.print_notes([note for one in found.audits for note in one.notes])
    console.finish(found, console.pages_of(found, pages), run)
