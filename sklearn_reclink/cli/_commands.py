"""The commands of ``reclink``."""

from pathlib import Path
from typing import Annotated

import typer

from sklearn_reclink._version import __version__
from sklearn_reclink.auditing.writing import write_files
from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _groups as groups
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._audit import audit_command, compare_command
from sklearn_reclink.cli._groups import spread
from sklearn_reclink.cli._masking import build_masker, mask_file
from sklearn_reclink.cli._protect import protect_command
from sklearn_reclink.cli._verify import verify_command
from sklearn_reclink.cli._writing import check_paths, check_table_format, file_content

app = typer.Typer(
    name="reclink",
    help="How many people could be found again in a masked file?",
    epilog="Exit codes: 0 done, 1 risk not shown to be within the limit or proof rejected, 2 wrong "
    "command or file, 3 program error, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
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


app.command("audit")(audit_command)
app.command("compare")(compare_command)


@app.command("mask")
@spread
def mask_command(
    original: options.Original,
    output: options.Output,
    *,
    method: options.Method = "microaggregation",
    strength: options.Strength = None,
    grouped: options.Groups = None,
    keep_integers: options.KeepIntegers = False,
    option: options.Settings = None,
    keep: options.Keep = None,
    reading: groups.ReadingToMask,
    run: groups.Run,
) -> None:
    """Mask columns of a file. The others are left out, except the id and those to keep."""
    check_table_format(output, "OUTPUT")
    check_paths({"OUTPUT": output}, [original], force=run.force)
    masker = build_masker(method, strength, grouped, keep_integers, run.seed, option)
    which = console.selection(reading)
    masked = mask_file(original, masker, which, console.split_names(keep))
    write_files({output: file_content(masked, output)}, overwrite=run.force)
    console.print_notes(masked.notes)
    if not run.quiet:
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
