"""The command ``reclink protect``: find a masking whose risk is within a target, and release it."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sklearn_reclink.auditing import MaskingSearch
from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli import _groups as groups
from sklearn_reclink.cli import _numbers as numbers
from sklearn_reclink.cli import _options as options
from sklearn_reclink.cli._groups import spread
from sklearn_reclink.cli._masking import mask_file
from sklearn_reclink.cli._writing import check_paths, check_table_format, file_content

MaskedPath = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write the masked file."),
]
MaxRisk = Annotated[
    float,
    typer.Option(
        parser=numbers.share_above_zero,
        metavar="SHARE",
        help="The largest share that any attacker may find, such as 0.05 for 5 %. Guesses among "
        "ties count.",
    ),
]
Proven = Annotated[
    bool,
    typer.Option(
        "--proven",
        help="Choose only a masking that is proven against every possible attacker.",
    ),
]
WriteAnyway = Annotated[
    bool,
    typer.Option(
        "--write-anyway",
        help="Write the best masking found, even if it is not shown to be within the target.",
    ),
]


@spread
def protect_command(
    original: options.Original,
    *,
    output: MaskedPath,
    max_risk: MaxRisk = 0.05,
    proven: Proven = False,
    write_anyway: WriteAnyway = False,
    reading: groups.ReadingToMask,
    keep: options.Keep = None,
    pages: groups.Pages,
    time_limit: options.SearchTime = 180.0,
    attackers: options.Attackers = None,
    unit: options.Unit = "people",
    n_jobs: options.Jobs = None,
    run: groups.Run,
) -> None:
    """Find the masking of least information loss whose risk is within a target, and release it."""
    check_table_format(output, "--output")
    check_paths({"--output": output, **pages.paths}, [original], force=run.force)
    which = console.selection(reading)
    with console.progress_bar(run.quiet) as progress:
        search = MaskingSearch(
            max_risk,
            proven=proven,
            attackers=console.split_names(attackers),
            time_limit=time_limit,
            random_state=run.seed,
            n_jobs=n_jobs,
            unit=unit,
            progress=progress,
        )
        masked = mask_file(original, search, which, console.split_names(keep), searched=True)
    console.print_notes(masked.notes)
    found = search.protection_
    released = output if found.feasible or write_anyway else None
    outputs: list[console.Output] = [(released, partial(file_content, masked, output))]
    outputs += console.pages_of(found, pages)
    unsettled = console.UNSETTLED.replace("limit:", "target:")
    console.finish(found, outputs, run, unsettled=unsettled)
