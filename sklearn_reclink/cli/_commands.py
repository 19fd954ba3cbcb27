"""The commands of ``reclink``."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._protect import protect_command
from sklearn_reclink.cli._verify import verify_command

app = typer.Typer(
    name="reclink",
    help="How many people could be found again in a masked file?",
    epilog="Exit codes: 0 done, 1 risk above the limit or proof rejected, 2 wrong command or file, "
    "3 program error.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from sklearn_reclink._version import __version__

        typer.echo(f"reclink {__version__}")
        raise typer.Exit


@app.callback()
def _reclink(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command("audit")
def audit_command(
    original: options.Original,
    masked: options.Masked,
    id_column: options.Id = None,
    columns: options.Columns = None,
    nominal: options.Nominal = None,
    ordinal: options.Ordinal = None,
    decimal: options.FoundDecimal = None,
    dates: options.Dates = None,
    report: options.ReportPath = None,
    json_path: options.JsonPath = None,
    records: options.RecordsPath = None,
    certificate: options.CertificatePath = None,
    time_limit: options.TimeLimit = 60.0,
    fail_above: options.FailAbove = None,
    include_values: options.IncludeValues = False,
    unit: options.Unit = "people",
    known: options.Known = None,
    secret: options.Secret = None,
    scenarios: options.Scenarios = False,
    unaligned: options.Unaligned = False,
    holdout: options.Holdout = None,
    trust_order: options.TrustOrder = False,
    attackers: options.Attackers = None,
    n_jobs: options.Jobs = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Audit a masked file: who would be found again, how certain that is, and what to protect."""
    from sklearn_reclink.auditing import audit
    from sklearn_reclink.auditing.writing import check_outputs
    from sklearn_reclink.cli._reading import FileProblem, read_pair
    from sklearn_reclink.cli._scenarios import known_columns, with_scenarios
    from sklearn_reclink.cli._unaligned import audit_release, read_release
    from sklearn_reclink.cli._writing import check_table_format

    check_table_format(records, "--records", csv_only=True)
    list_option = "--records" if records or report is None else "--records (next to the report)"
    if records is None and report is not None:
        records = report.with_name(f"{report.stem}-records.csv")
    written = {"--report": report, "--json": json_path, list_option: records}
    written["--certificate"] = certificate
    inputs = [path for path in (original, masked, holdout) if path is not None]
    check_outputs(written, inputs, force=force)
    secrets = console.split_names(secret)
    columns = known_columns(columns, known)
    wanted = [*columns, *(secret or [])] if columns else columns
    which = console.selection(id_column, wanted, decimal, nominal, ordinal, dates)
    if unaligned:
        refused = {
            "--certificate": certificate,
            "--attackers": attackers,
            "--include-values": include_values,
            "--trust-order": trust_order,
            "--scenarios": scenarios,
        }
        release = read_release(inputs, which, refused)
        paths = report, records, json_path
        search: dict[str, Any] = {"seed": seed, "n_jobs": n_jobs, "quiet": quiet}
        of_release, texts = audit_release(release, paths, secrets, unit, fail_above, **search)
        return console.finish(of_release, texts, quiet=quiet, force=force)
    if holdout is not None:
        raise FileProblem("--holdout is for releases that are not aligned: add --unaligned")
    pair = read_pair(original, masked, which)
    console.print_read(pair, unit, quiet=quiet)
    aligned: Literal[True, "unchecked"] = "unchecked" if trust_order else True
    with console.progress_bar(quiet) as progress, console.plain_refusal(id_column):
        found = audit(
            pair.original,
            pair.masked,
            pool=pair.whole,
            absent=pair.absent,
            ids=pair.ids,
            aligned=aligned,
            secret=secrets,
            unit=unit,
            left_out=pair.left_out,
            masked_name=masked.name,
            attackers=console.split_names(attackers),
            time_limit=time_limit,
            limit=fail_above,
            n_jobs=n_jobs,
            random_state=seed,
            certify=certificate is not None,
            progress=progress,
        )
    if scenarios:
        sweep = {"unit": unit, "time_limit": time_limit, "n_jobs": n_jobs, "random_state": seed}
        found = with_scenarios(found, pair, secrets, quiet=quiet, **sweep)
    found = found.with_sources(original, masked)
    console.print_notes(found.notes)
    if certificate is not None and found.certificate is None:
        raise FileProblem("no attacker proved a bound, so there is no certificate to write")
    values = found.values() if include_values else None
    outputs: list[console.Output] = [
        (report, partial(found.to_html, include_values=include_values)),
        (records, partial(found.records.to_csv, values=values)),
        (json_path, partial(console.as_json, found)),
        (certificate, lambda: found.certificate_text),
    ]
    console.finish(found, outputs, quiet=quiet, force=force)


@app.command("compare")
def compare_command(
    original: options.Original,
    masked: options.MaskedFiles,
    id_column: options.Id = None,
    columns: options.Columns = None,
    nominal: options.Nominal = None,
    ordinal: options.Ordinal = None,
    decimal: options.FoundDecimal = None,
    dates: options.Dates = None,
    report: options.ReportPath = None,
    json_path: options.JsonPath = None,
    time_limit: options.TimeLimit = 60.0,
    fail_above: options.FailAbove = None,
    unit: options.Unit = "people",
    trust_order: options.TrustOrder = False,
    attackers: options.Attackers = None,
    n_jobs: options.Jobs = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Audit several masked versions of a file and compare their risk and information loss."""
    from sklearn_reclink.auditing import compare
    from sklearn_reclink.auditing.writing import check_outputs
    from sklearn_reclink.cli._reading import FileProblem, read_pair

    check_outputs({"--report": report, "--json": json_path}, [original, *masked], force=force)
    names = [path.name for path in masked]
    if len(set(names)) < len(names):
        names = [str(path) for path in masked]
    if len(set(names)) < len(names):
        raise FileProblem("a masked file is given twice")
    which = console.selection(id_column, columns, decimal, nominal, ordinal, dates)
    pairs = [read_pair(original, path, which) for path in masked]
    for name, pair in zip(names, pairs, strict=True):
        console.print_notes(pair.notes)
        if pair.pool is not None or pair.absent is not None:
            raise FileProblem(f"{name} does not hold the same records as the original: audit it")
    with console.progress_bar(quiet) as progress, console.plain_refusal(id_column):
        found = compare(
            pairs[0].original,
            {name: pair.masked for name, pair in zip(names, pairs, strict=True)},
            ids=pairs[0].ids,
            aligned="unchecked" if trust_order else True,
            unit=unit,
            left_out=pairs[0].left_out,
            attackers=console.split_names(attackers),
            time_limit=time_limit,
            limit=fail_above,
            n_jobs=n_jobs,
            random_state=seed,
            progress=progress,
        ).with_sources(original, masked)
    console.print_notes([note for one in found.audits for note in one.notes])
    outputs: list[console.Output] = [
        (report, found.to_html),
        (json_path, partial(console.as_json, found)),
    ]
    console.finish(found, outputs, quiet=quiet, force=force)


@app.command("mask")
def mask_command(
    original: options.Original,
    output: options.Output,
    method: options.Method = "microaggregation",
    strength: options.Strength = None,
    groups: options.Groups = None,
    keep_integers: options.KeepIntegers = False,
    option: options.Settings = None,
    keep: options.Keep = None,
    id_column: options.Id = None,
    columns: options.Columns = None,
    nominal: options.Nominal = None,
    ordinal: options.Ordinal = None,
    decimal: options.FoundDecimal = None,
    dates: options.Dates = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Mask a file; other columns are left out, except for the id and those to keep."""
    from sklearn_reclink.auditing.writing import check_outputs, write_files
    from sklearn_reclink.cli._masking import build_masker, file_content, mask_file
    from sklearn_reclink.cli._writing import check_table_format

    check_table_format(output, "OUTPUT")
    check_outputs({"OUTPUT": output}, [original], force=force)
    masker = build_masker(method, strength, groups, keep_integers, seed, option)
    which = console.selection(id_column, columns, decimal, nominal, ordinal, dates)
    masked = mask_file(original, masker, which, console.split_names(keep))
    write_files({output: file_content(masked.table, output)}, overwrite=force)
    console.print_notes(masked.notes)
    if not quiet:
        typer.echo(f"{len(masked.table):,} records masked: {output}")


@app.command("demo")
def demo_command(
    output: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Where to write the report.")
    ] = None,
    force: options.Force = False,
) -> None:
    """Mask 442 patients with increasing strength and count who can be found again."""
    from sklearn_reclink import demo

    arguments = [] if output is None else ["--output", str(output)]
    raise typer.Exit(demo.main([*arguments, *["--force"] * force]))


app.command("protect")(protect_command)
app.command("verify")(verify_command)
