"""The commands ``reclink audit`` and ``reclink compare``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _groups as groups
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._groups import spread

if TYPE_CHECKING:
    from sklearn_reclink.auditing import Audit
    from sklearn_reclink.cli._reading import FilePair, Selection


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
    from sklearn_reclink.cli._reading import FileProblem, check_different, read_pair
    from sklearn_reclink.cli._scenarios import with_scenarios
    from sklearn_reclink.cli._unaligned import audit_release, read_release

    inputs = [path for path in (original, masked, intruder.holdout) if path is not None]
    records = _check_paths(pages, lists, inputs, force=run.force)
    secrets = console.split_names(intruder.secret)
    which = _selection(reading, intruder, weight)
    said = {"unit": unit, "limit": limits.fail_above, "secret": secrets}
    if intruder.unaligned:
        refused = {
            "--weight": weight,
            "--certificate": lists.certificate,
            "--attackers": attack.attackers,
            "--include-values": include_values,
            "--trust-order": attack.trust_order,
            "--scenarios": intruder.scenarios,
        }
        release = read_release(inputs, which, refused)
        paths, search = (pages.report, records, pages.json_path), _search(attack, run)
        of_release, texts = audit_release(release, paths, quiet=run.quiet, **said, **search)
        unsettled = "the risk is not known, so it is not shown to be within the limit"
        writing = {"quiet": run.quiet, "force": run.force}
        return console.finish(of_release, texts, unsettled=unsettled, **writing)
    if intruder.holdout is not None:
        raise FileProblem("--holdout is for releases that are not aligned: add --unaligned")
    check_different(original, masked)
    pair = read_pair(original, masked, which)
    console.print_read(pair, unit, quiet=run.quiet)
    said |= {"masked_name": masked.name, "certify": lists.certificate is not None}
    with console.progress_bar(run.quiet) as progress, console.plain_refusal(reading.id_column):
        found = _audit_pair(pair, progress=progress, **said, **_attackers(limits, attack, run))
    if intruder.scenarios:
        sweep = {"unit": unit, "time_limit": limits.time_limit, **_search(attack, run)}
        found = with_scenarios(found, pair, secrets, quiet=run.quiet, **sweep)
    found = found.with_sources(original, masked)
    console.print_notes(found.notes)
    outputs = _outputs(found, pages, records, include_values)
    lacking = lists.certificate is not None and found.certificate is None
    if lacking:
        console.print_notes(["no attacker proved a bound, so no certificate was written"])
    else:
        outputs.append((lists.certificate, lambda: found.certificate_text))
    console.finish(found, outputs, quiet=run.quiet, force=run.force)
    if lacking:
        raise typer.Exit(console.NOT_COMPLETED)


def _selection(reading: groups.Reading, intruder: groups.Intruder, weight: str | None) -> Selection:
    """The variables that the intruder knows, and those that are secret."""
    from sklearn_reclink.cli._reading import check_id
    from sklearn_reclink.cli._scenarios import known_columns
    from sklearn_reclink.cli._weights import check_weight

    secrets = intruder.secret or []
    columns = known_columns(reading.columns, intruder.known)
    wanted = [*columns, *secrets] if columns else columns
    which = console.selection(replace(reading, columns=wanted), weight)
    names = console.split_names(secrets)
    check_weight(which, names)
    check_id(which, names)
    return which


def _check_paths(
    pages: groups.Pages, lists: groups.Lists, inputs: list[Path], *, force: bool
) -> Path | None:
    """Refuse paths that cannot be written; where the records are listed."""
    from sklearn_reclink.auditing.writing import check_outputs
    from sklearn_reclink.cli._writing import check_page_formats, check_table_format

    records, report = lists.records, pages.report
    check_table_format(records, "--records", csv_only=True)
    option = "--records" if records or report is None else "--records (next to the report)"
    if records is None and report is not None:
        records = report.with_name(f"{report.stem}-records.csv")
    written = {"--report": report, "--json": pages.json_path, option: records}
    check_outputs({**written, "--certificate": lists.certificate}, inputs, force=force)
    check_page_formats(report=report, json=pages.json_path, certificate=lists.certificate)
    return records


def _search(attack: groups.Attack, run: groups.Run) -> dict[str, Any]:
    """Options of every search."""
    return {"n_jobs": attack.n_jobs, "random_state": run.seed}


def _attackers(limits: groups.Limits, attack: groups.Attack, run: groups.Run) -> dict[str, Any]:
    """Options of all attackers together."""
    aligned: Literal[True, "unchecked"] = "unchecked" if attack.trust_order else True
    return {
        "aligned": aligned,
        "attackers": console.split_names(attack.attackers),
        "time_limit": limits.time_limit,
        **_search(attack, run),
    }


def _audit_pair(pair: FilePair, **asked: Any) -> Audit:
    from sklearn_reclink.auditing import audit

    people: dict[str, Any] = {"pool": pair.whole, "absent": pair.absent, "ids": pair.ids}
    people["sample_weight"] = pair.weights
    return audit(pair.original, pair.masked, left_out=pair.left_out, **people, **asked)


def _outputs(
    found: Audit, pages: groups.Pages, records: Path | None, include_values: bool
) -> list[console.Output]:
    """The pages and the list of an audit."""
    values = found.values() if include_values else None
    return [
        (pages.report, partial(found.to_html, include_values=include_values)),
        (records, partial(found.records.to_csv, values=values)),
        (pages.json_path, partial(console.as_json, found)),
    ]


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
    from sklearn_reclink.auditing import compare
    from sklearn_reclink.auditing.writing import check_outputs
    from sklearn_reclink.cli._reading import FileProblem, check_different, read_pair
    from sklearn_reclink.cli._writing import check_page_formats

    written = {"--report": pages.report, "--json": pages.json_path}
    check_outputs(written, [original, *masked], force=run.force)
    check_page_formats(report=pages.report, json=pages.json_path)
    for path in masked:
        check_different(original, path)
    names = [path.name for path in masked]
    if len(set(names)) < len(names):
        names = [str(path) for path in masked]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FileProblem(f"{twice} is given twice: name each masked file once")
    which = console.selection(reading)
    pairs = [read_pair(original, path, which) for path in masked]
    for name, pair in zip(names, pairs, strict=True):
        console.print_notes(pair.notes)
        if pair.pool is not None or pair.absent is not None:
            raise FileProblem(
                f"{name} does not hold the same records as the original: use reclink audit"
            )
    with console.progress_bar(run.quiet) as progress, console.plain_refusal(reading.id_column):
        found = compare(
            pairs[0].original,
            {name: pair.masked for name, pair in zip(names, pairs, strict=True)},
            ids=pairs[0].ids,
            unit=unit,
            left_out=pairs[0].left_out,
            limit=limits.fail_above,
            progress=progress,
            **_attackers(limits, attack, run),
        ).with_sources(original, masked)
    console.print_notes([note for one in found.audits for note in one.notes])
    console.finish(found, console.pages_of(found, pages), quiet=run.quiet, force=run.force)
